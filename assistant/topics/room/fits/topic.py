"""Does it run on these cards, and how: one setup after the other, the first in full."""

from collections.abc import Iterator
from pathlib import Path

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import running
from assistant.writing.setups import setups
from assistant.writing.ways import changes, model_name, told_limits, told_speed, verdict, ways
from assistant.writing.words import Words
from tools.agent_tools.ledger import LookedUp


def applies(ask: Ask, situation: Situation) -> bool:
    """A model that is run, and cards."""
    found = setups(situation, ask)
    return bool(found) and all(one.work is not None and one.machines and not one.trains for one in found)


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """Whether each setup holds it, with the best way, its speed and limits, and the command of the first."""
    asked = [running(one, situation) for one in setups(situation, ask)]
    found = [calls.call("find_ways_to_run", dict(one)) for one in asked]
    if any(one.failed for one in found):
        return None
    first = found[0]
    lines = [*_following(first, asked[0], words), *(_lead(one, words) for one in found[1:])]
    return SectionTold(_lead(first, words), tuple(lines), verdict(first))  # type: ignore[arg-type]


def _lead(one: LookedUp, words: Words) -> str:
    kind, best = verdict(one), ways(one, words)
    if kind == "does_not_fit" or not best:
        cards = one.request.get("cards") or one.request.get("host_memory", "")
        return words.say("does_not_fit", model=model_name(one), cards=cards)
    changed = changes(one, words)
    return words.say("fits_with_changes" if kind != "fits" and changed else "fits", changed=changed, **best[0].fields)


def _following(one: LookedUp, asked: dict[str, str], words: Words) -> Iterator[str]:
    best = ways(one, words)
    if not best:
        yield from _nearest(one, words)
        return
    yield words.say("assumed", context=best[0].fields["context"], sequences=best[0].fields["sequences"])
    yield " ".join([*told_speed(best[0], words), *_target(best[0].met, asked, words), *told_limits(best[0], words)])
    for other in best[1:2]:
        yield from words.maybe("next", title=other.title, rate=other.fields["rate"])
    yield f"{words.say('command')}\n```bash\n{best[0].command}\n```"


def _target(met: bool | None, asked: dict[str, str], words: Words) -> list[str]:
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
