"""Does it run on these cards, and how: one setup after the other, the first in full."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import running
from assistant.writing.setups import Setup, setups
from assistant.writing.ways import (
    assumed_card,
    changes,
    model_name,
    plain_way,
    told_limits,
    told_speed,
    verdict,
    ways,
    weights_alone,
)
from assistant.writing.words import Words
from tools.agent_tools.ledger import LookedUp


def applies(ask: Ask, situation: Situation) -> bool:
    """A model that is run, and cards."""
    found = setups(situation, ask)
    return bool(found) and all(one.runs for one in found)


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """Whether each setup holds it, with the best way, its speed and limits, and the command of the first."""
    asked = _asked(setups(situation, ask), situation)
    found = [calls.call("find_ways_to_run", dict(one)) for one in asked]
    if any(one.failed or weights_alone(one) for one in found):
        return None
    first = found[0]
    lines = [*_following(first, asked[0], words), *(_lead(one, words) for one in found[1:])]
    return SectionTold(_lead(first, words), tuple(lines), verdict(first))  # type: ignore[arg-type]


def _asked(found: list[Setup], situation: Situation) -> list[dict[str, Any]]:
    """A request a setup; models that are all there, on one machine, are asked for together."""
    beside = [one for one in found if one.work is not None and one.work.one("model", "have") is not None]
    together = (
        len(found) > 1
        and len({tuple(thing.id for thing in one.machines) for one in found}) == 1
        and len(beside) == len(found)
    )
    if not together or not _at_once(found, situation):
        return [dict(running(one, situation)) for one in found]
    each = [running(one, situation) for one in found]
    works = [" ".join(filter(None, (one.get("model"), one.pop("weight_format", None)))) for one in each]
    return [{**{name: value for name, value in each[0].items() if name != "model"}, "works": works}]


def _at_once(found: list[Setup], situation: Situation) -> bool:
    """Whether the works are to stand side by side."""
    said = [one.value for thing in situation.things for one in thing.all("relation")]
    return "together" in [*said, *(one.value for one in situation.known if one.slot == "relation")] or any(
        one.value == "in_turn" for setup in found for one in setup.every("serving_mode")
    )


def _lead(one: LookedUp, words: Words) -> str:
    kind, best = verdict(one), ways(one, words)
    cards = one.request.get("cards") or one.request.get("host_memory", "")
    if (plain := plain_way(one, words)) is not None:
        name = "plain" if plain["rate"] else "plain_unpaced"
        return words.say(name, model=model_name(one), cards=cards, **plain)
    if kind == "does_not_fit" or not best:
        return words.say("does_not_fit", model=model_name(one), cards=cards)
    changed = changes(one, words)
    return words.say("fits_with_changes" if kind != "fits" and changed else "fits", changed=changed, **best[0].fields)


def _following(one: LookedUp, asked: dict[str, Any], words: Words) -> Iterator[str]:
    best = ways(one, words)
    if plain_way(one, words) is not None:
        return
    beside = [row for row in one.shown.get("beside_on_first_card", []) if isinstance(row, dict)]
    if beside:
        yield words.say("beside", models=words.listed([f"{row['model']} {row['needed']}" for row in beside]))
    if not best:
        yield from _nearest(one, words)
        return
    yield from assumed_card(one, best[0].fields["cards"], words)
    yield words.say("assumed", context=best[0].fields["context"], sequences=best[0].fields["sequences"])
    yield " ".join([*told_speed(best[0], words), *_target(best[0].met, asked, words), *told_limits(best[0], words)])
    for other in best[1:2]:
        yield from words.maybe("next", title=other.title, rate=other.fields["rate"])
    yield f"{words.say('command')}\n```bash\n{best[0].command}\n```"


def _target(met: bool | None, asked: dict[str, Any], words: Words) -> list[str]:
    wanted = asked.get("target_tokens_per_s")
    if met is None or wanted is None:
        return []
    return [words.say("target_met" if met else "target_missed", target=f"{wanted} tokens/s")]


def _nearest(one: LookedUp, words: Words) -> Iterator[str]:
    """What would have to be there."""
    needed = [bind for bind in one.worked[-1].result.get("binds", []) if bind.get("needed") and bind.get("available")]
    for bind in needed[:1]:
        if bind.get("unit") == "bytes":
            yield words.say(
                "short", needed=f"{bind['needed'] / 2**30:,.1f} GiB", available=f"{bind['available'] / 2**30:,.1f} GiB"
            )


TOPIC = Topic("fits", Path(__file__).parent, ("fits",), applies, answer)
