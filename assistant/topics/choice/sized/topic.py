"""Cards that are named for no model that is known: how large a model each holds, which is faster, and by how much."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import cards_of, machine, methods_of
from assistant.writing.compared import bare_names, faster, lacking, priced, read_as
from assistant.writing.options import FIT
from assistant.writing.setups import Setup, setups, works_of
from assistant.writing.training import best_way
from assistant.writing.ways import leading, verdict, ways
from assistant.writing.words import Words

ASKS = ("which_hardware", "count", "worth", "improve", "needed", "which_model", "compare", "fits")
SIZES = ("8B", "14B", "32B", "70B")
LARGER = ("gpt-oss-120b", "Qwen3-235B-A22B", "DeepSeek-R1")
"""What goes on behind the sizes, where all of these are held."""
SETS_MAX, PAIR = 3, 2
COUNTS = (1, 2, 4, 8)


class _Held(NamedTuple):
    """A size on a set of cards."""

    size: str
    how: str
    needed: str
    usable: str
    rate: str
    at: str = ""
    """Where the rate stands, as calculations refer to it."""


class _Set(NamedTuple):
    """A set of cards and what of each size it holds."""

    name: str
    cards: list[str]
    held: dict[str, _Held]


def applies(ask: Ask, situation: Situation) -> bool:
    """Cards, and no model that is known; two sets of them at least, where they are only compared."""
    found = _sets(ask, situation)
    if not found or any(one.work is not None for one in setups(situation, ask)):
        return False
    if ask.ask == "compare":
        works = works_of(situation, ask)
        rows = [row for one in found for known in one.every("cards") for row in known.value or ()]
        if any((row.get("count") or 1) > 1 for row in rows):
            return True
        return any(one.all("activity") or one.all("method") or one.all("model") for one in works)
    return ask.quantity not in ("links", "software", "feature", "power", "energy", "price")


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """The set to take and how far it goes, the ratios of the cards, a table of sizes, prices, the question left."""
    works = works_of(situation, ask)
    work = Setup(works[0] if works else None, ())
    told = [one for setup in _sets(ask, situation) if (one := _worked(setup, work, calls, words)) is not None]
    if not told:
        return None
    names = list(dict.fromkeys(name for one in told for name in one.cards))
    pair = calls.call("look_up", {"kind": "compare", "names": names[:4]}) if len(names) > 1 else None
    ratios = faster(pair, words, trains=work.trains) if pair and not pair.failed else []
    lines = [*ratios, _table(told, words)]
    if pair is not None and not pair.failed:
        lines += [*lacking(pair, words), *priced(pair, words), *read_as(pair, words)]
    lead = _lead(ask, told, work, calls, words)
    if ask.quantity in ("speed", "throughput") or ask.ask == "worth":
        lead = _times(told, calls, words) + lead
    return SectionTold(lead, (*lines, words.say("question_model_of_it")), "comparison" if len(told) > 1 else "fact")


def _sets(ask: Ask, situation: Situation) -> list[Setup]:
    """The sets of cards that are weighed, each once."""
    found = {cards_of(one): one for one in setups(situation, ask) if cards_of(one)}
    return list(found.values())[:SETS_MAX]


def _worked(setup: Setup, work: Setup, calls: Calls, words: Words) -> _Set | None:
    name = cards_of(setup) or ""
    held = {size: one for size in SIZES if (one := _on(machine(setup), size, work, calls, words)) is not None}
    if len(held) == len(SIZES) and not work.trains:
        held |= {name: one for name in LARGER if (one := _on(machine(setup), name, work, calls, words)) is not None}
    return _Set(name, bare_names(setup), held)


def _on(asked: dict[str, str], size: str, work: Setup, calls: Calls, words: Words) -> _Held | None:
    """A size on cards; None where they do not hold it."""
    if work.trains:
        method = methods_of(work) if work.every("method") else "qlora"
        one = calls.call("find_ways_to_train", {**asked, "model": size, "method": method})
        told = best_way(one, words) if not one.failed else None
        if told is None or verdict(one) not in FIT:
            return None
        return _Held(size, f"{told['method']}, {told['how']}", told["needed"], told["usable"], told["rate"],
                     f"{one.key}.ways[0].speed.tokens_per_s")  # fmt: skip
    one = calls.call("find_ways_to_run", {**asked, "model": size})
    found = [] if one.failed or verdict(one) != "fits" else ways(one, words)
    if not found:
        return None
    told = found[0].fields
    return _Held(size, f"{told['format']}, {told['engine']}", told["needed"], told["usable"], told["rate"],
                 f"{one.key}.ways[0].speed.tokens_per_s_per_user")  # fmt: skip


def _lead(ask: Ask, told: Sequence[_Set], work: Setup, calls: Calls, words: Words) -> str:
    """How far each goes, the one that goes farthest first; where a number is asked, how many hold the largest size."""
    if ask.ask == "count":
        return _counted(told[0], work, calls, words)
    doing = words.say("training") if work.trains else words.say("running")
    ranked = sorted(told, key=lambda one: -len(one.held))
    best = ranked[0]
    if not best.held:
        return words.say("holds_none", names=words.listed([one.name for one in told]), doing=doing, size=SIZES[0])
    largest = list(best.held.values())[-1]
    lead = words.say("holds", name=best.name, doing=doing, **largest._asdict())
    rest = [one for one in ranked[1:] if one.held]
    if rest and len(rest[0].held) == len(best.held):
        best, other = sorted((best, rest[0]), key=lambda one: -(leading(one.held[largest.size].rate) or 0.0))
        return words.say("holds_alike", name=best.name, doing=doing, size=largest.size,
                         rate=best.held[largest.size].rate, other=other.name,
                         other_rate=other.held[largest.size].rate)  # fmt: skip
    return lead + "".join(words.say("holds_less", name=one.name, size=list(one.held)[-1]) for one in rest)


def _times(told: Sequence[_Set], calls: Calls, words: Words) -> str:
    """How many times as fast one set is at the largest size that both hold in the same format."""
    if len(told) < PAIR:
        return ""
    for size in reversed(SIZES):
        held = [(one.name, one.held[size]) for one in told[:PAIR] if size in one.held and one.held[size].rate]
        if len(held) < PAIR or held[0][1].how != held[1][1].how:
            continue
        (fast, first), (slow, second) = sorted(held, key=lambda row: -(leading(row[1].rate) or 0.0))
        values = {"first": first.at, "second": second.at}
        one = calls.call("work_out", {"expression": "first / second", "values": values, "unit": ""})
        if not one.failed:
            ratio = str(one.shown["value"]).split(" (")[0]
            return words.say("times_at", name=fast, other=slow, size=size, ratio=ratio)
    return ""


def _counted(one: _Set, work: Setup, calls: Calls, words: Words) -> str:
    """How many of a card each size takes."""
    card = one.cards[0] if one.cards else one.name
    needed: dict[int, list[str]] = {}
    for size in SIZES:
        for count in COUNTS:
            if _on({"cards": f"{count}x {card}"}, size, work, calls, words) is not None:
                needed.setdefault(count, []).append(size)
                break
    rows = [words.say("so_many", count=count, sizes=words.listed(sizes)) for count, sizes in needed.items()]
    return words.say("counted", card=card, rows=words.listed(rows))


def _table(told: Sequence[_Set], words: Words) -> str:
    """Sizes down, sets across: format, memory and speed."""
    head = "| " + words.say("head_size") + " | " + " | ".join(one.name for one in told) + " |"
    rows = []
    for size in [name for name in (*SIZES, *LARGER) if name in SIZES or any(name in one.held for one in told)]:
        cells = [_cell(one.held.get(size), words) for one in told]
        rows.append(f"| {size} | " + " | ".join(cells) + " |")
    return "\n".join([head, "|" + " --- |" * (len(told) + 1), *rows])


def _cell(one: _Held | None, words: Words) -> str:
    if one is None:
        return words.say("does_not_fit")
    return f"{one.how}: {one.needed} / {one.usable}" + (f", {one.rate}" if one.rate else "")


TOPIC = Topic("sized", Path(__file__).parent, ASKS, applies, answer)
