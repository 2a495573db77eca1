"""How to spread a model over cards: tensor, pipeline and data parallel, layers on the host, by how the cards talk."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assistant.answer import AnswerVerdict
from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.accounts.needs import needed
from assistant.writing.accounts.run import drawn_otherwise, told_run, writes_no_text
from assistant.writing.accounts.run import lead as run_lead
from assistant.writing.accounts.sentences import cards_used, whole
from assistant.writing.accounts.spreading import layout_name, told_division
from assistant.writing.accounts.train import told_train
from assistant.writing.accounts.worked.grouping import Groups, groups
from assistant.writing.arguments import running, training
from assistant.writing.setups import Setup, setups
from assistant.writing.ways import WayTold, told_limits, verdict, ways
from assistant.writing.words import Words
from tools.agent_tools.ledger import LookedUp

MANY = "16"
"""Requests at once for which it is told, where nobody said how many there are."""
LOADS = ("concurrent_sequences", "users")


def applies(ask: Ask, situation: Situation) -> bool:
    """A work with its model."""
    return any(one.work is not None for one in setups(situation, ask))


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """The best layout with its command, beside the one the person has and that for many at once."""
    setup = next(one for one in setups(situation, ask) if one.work is not None)
    if not setup.machines:
        told = needed(setup, situation, calls.call, words)
        return None if told is None else SectionTold(told.lead, (words.say("rule"), *told.lines), "estimate")
    if setup.trains:
        one = calls.call("find_ways_to_train", dict(training(setup, situation)))
        account = None if one.failed else told_train(one, calls.call, words)
        return None if account is None else SectionTold(account.lead, account.lines, "estimate")
    asked: dict[str, Any] = dict(running(setup, situation))
    theirs = asked.pop("parallel", None)
    one = calls.call("find_ways_to_run", dict(asked))
    if not one.failed and writes_no_text(one):
        told_one = told_run(drawn_otherwise(one, calls.call), calls.call, words)
        return SectionTold(told_one.lead, told_one.lines, "estimate")
    best = [] if one.failed else ways(one, words)
    if not best:
        return None if one.failed else SectionTold(run_lead(one, words), (), "does_not_fit")
    grouped = _grouped(setup, situation, one, asked, calls, words)
    if grouped is not None:
        return _by_groups(grouped, one, best[0], asked, theirs, calls, words)
    lead = words.say("layout", layout=layout_name(whole(one)["ways"][0]["layout"], words), **best[0].fields)
    lines = [*told_limits(best[0], words), *_others(one, best, words), *_theirs(asked, theirs, calls, words)]
    lines += _many(asked, one, calls, words)
    lines += [words.say("rule"), f"{words.say('command')}\n```bash\n{best[0].command}\n```"]
    return SectionTold(lead, tuple(dict.fromkeys(lines)), _verdict(one))


def _grouped(
    setup: Setup, situation: Situation, one: LookedUp, asked: dict[str, Any], calls: Calls, words: Words
) -> tuple[Groups, str, WayTold, LookedUp] | None:
    """Cards in groups: a copy a group where the model fits one, else stages over the groups; with its figures."""
    count = sum(row.get("count", 1) for row in one.worked[-1].request.get("cards") or ())
    gpu = next(iter(cards_used(one)), None)
    found = groups(situation, setup, gpu, count)
    if found is None:
        return None
    for kind in ("dp", "pp"):
        layout = f"tp {found.size} {kind} {count // found.size}"
        link = {"link": "nvlink"} if found.near.startswith("NV") else {}
        tried = calls.call("find_ways_to_run", {**_loaded(asked), **link, "parallel": layout})
        kept = [] if tried.failed else ways(tried, words)
        if kept and "parallel" not in " ".join(whole(tried)["answer"].get("changed") or ()):
            return found, layout, kept[0], tried
    return None


def _by_groups(
    grouped: tuple[Groups, str, WayTold, LookedUp], one: LookedUp, best: WayTold, asked: dict[str, Any],
    theirs: str | None, calls: Calls, words: Words,
) -> SectionTold:  # fmt: skip
    """Tensor parallelism inside of groups, copies or stages across them."""
    found, layout, way, tried = grouped
    name = "grouped_copies" if "dp" in layout else "grouped_stages"
    rows = whole(tried)["ways"][0]["layout"]
    lead = words.say(name, layout=layout_name(rows, words), size=found.size, near=found.near, far=found.far,
                     **way.fields)  # fmt: skip
    lines = [words.say("together", **way.fields) if way.several else words.say("alone", **way.fields)]
    if found.named:
        told = [", ".join(map(str, group)) for group in found.named]
        lines.append(words.say("cards", groups=words.listed([f"({one_})" for one_ in told])))
    lines.append(words.say("far_SYS" if found.far in ("SYS", "NODE") else "far_PCIe", far=found.far, near=found.near))
    lines += _theirs(asked, theirs, calls, words)
    lines.append(f"{words.say('command')}\n```bash\n{way.command}\n```")
    return SectionTold(lead, tuple(lines), _verdict(tried))


def _loaded(asked: dict[str, Any]) -> dict[str, Any]:
    """With several at once where nobody said how many: copies help none who is alone."""
    return asked if any(name in asked for name in LOADS) else {**asked, "concurrent_sequences": MANY}


def _others(one: LookedUp, best: list[WayTold], words: Words) -> Iterator[str]:
    """The next way of another layout."""
    rows = whole(one)["ways"]
    first = layout_name(rows[0]["layout"], words)
    for row, way in zip(rows[1:], best[1:], strict=False):
        said = layout_name(row["layout"], words)
        if said != first:
            yield from words.maybe("other", layout=said, title=way.title, rate=way.fields["rate"])
            return


def _theirs(asked: dict[str, Any], theirs: str | None, calls: Calls, words: Words) -> Iterator[str]:
    """What the layout that the person names comes to, or why it does not go."""
    if not theirs:
        return
    own = calls.call("find_ways_to_run", {**asked, "parallel": theirs})
    if own.failed:
        return
    yield from told_division(own, calls.call, words)
    kept = ways(own, words)
    if kept and "parallel" not in " ".join(whole(own)["answer"].get("changed") or ()):
        yield from words.maybe("yours", layout=theirs.upper(), rate=kept[0].fields["rate"])


def _many(asked: dict[str, Any], one: LookedUp, calls: Calls, words: Words) -> Iterator[str]:
    """What is best when many ask at once, where that is another layout."""
    if any(name in asked for name in LOADS):
        return
    full = calls.call("find_ways_to_run", {**asked, "concurrent_sequences": MANY})
    kept = [] if full.failed else ways(full, words)
    if not kept or whole(full)["answer"].get("changed"):
        return
    said = layout_name(whole(full)["ways"][0]["layout"], words)
    if said != layout_name(whole(one)["ways"][0]["layout"], words):
        yield words.say("many", layout=said, **kept[0].fields)


def _verdict(one: LookedUp) -> AnswerVerdict:
    return {"fits": "fits", "fits_with_changes": "fits_with_changes"}.get(verdict(one), "does_not_fit")  # type: ignore[return-value]


TOPIC = Topic("layout", Path(__file__).parent, ("layout",), applies, answer)
