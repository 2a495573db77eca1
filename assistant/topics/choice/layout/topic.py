"""How to spread a model over cards: tensor, pipeline and data parallel, layers on the host."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import running
from assistant.writing.setups import setups
from assistant.writing.ways import WayTold, told_limits, verdict, ways
from assistant.writing.words import Words

KINDS = ("tp", "pp", "dp", "ep")


def applies(ask: Ask, situation: Situation) -> bool:
    """A model that is run, on cards."""
    found = setups(situation, ask)
    return bool(found) and all(one.runs for one in found)


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """The best layout with its command, beside the one the person has."""
    setup = setups(situation, ask)[0]
    asked = running(setup, situation)
    theirs = asked.pop("parallel", None)
    one = calls.call("find_ways_to_run", dict(asked))
    best = ways(one, words)
    if one.failed or not best:
        return None
    rows = one.worked[-1].result["ways"]
    lead = words.say("layout", layout=_layout(rows[0]["layout"], words), **best[0].fields)
    lines = [*told_limits(best[0], words), *_others(rows, best, words)]
    if theirs:
        own = calls.call("find_ways_to_run", {**asked, "parallel": theirs})
        kept = ways(own, words)
        lines += words.maybe("yours", layout=theirs, rate=kept[0].fields["rate"]) if kept else []
    lines.append(f"{words.say('command')}\n```bash\n{best[0].command}\n```")
    return SectionTold(lead, tuple(lines), verdict(one))  # type: ignore[arg-type]


def _layout(layout: Mapping[str, Any], words: Words) -> str:
    told = [f"{kind.upper()} {layout[kind]}" for kind in KINDS if (layout.get(kind) or 1) > 1]
    return " × ".join(told) or words.say("one_card")


def _others(rows: list[dict[str, Any]], best: list[WayTold], words: Words) -> list[str]:
    """The next way of another layout."""
    first = _layout(rows[0]["layout"], words)
    for row, way in zip(rows[1:], best[1:], strict=False):
        said = _layout(row["layout"], words)
        if said != first:
            return words.maybe("other", layout=said, title=way.title, rate=way.fields["rate"])
    return []


TOPIC = Topic("layout", Path(__file__).parent, ("layout",), applies, answer)
