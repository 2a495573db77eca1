"""Several copies of a model against one over all the cards: throughput, one user's speed and room for context."""

from assistant.answer import ToolCallRecord
from assistant.compose import names, numbers, pace, ranges
from assistant.compose.arithmetic import arithmetic, cite, workload
from assistant.compose.assume import assumed
from assistant.compose.caveats import caveats
from assistant.compose.material import Material
from assistant.compose.section import Section
from assistant.compose.table import table
from assistant.plan import copied as planned

EVEN = 1.1
"""Times another's throughput below which two ways are as fast: the estimates are no finer."""


def copied(material: Material) -> Section | None:
    """Which way serves more and which is faster for one; None where not both were worked out."""
    card, placed = planned.cards_of(material.need), [one for one in material.estimates if one.fit is not None]
    if card is None or not placed:
        return None
    records = list(material.records("estimate_inference_speed"))
    everyone = card.count or 1
    share = min(one.gpus for one in placed)
    say, cards = material.say, names.cards(card.gpu, everyone)
    first = placed[0]
    values = {"what": workload(material, first).strip(), "cards": cards, "each": names.cards(card.gpu, share)}
    if share == everyone:
        return _only(material, values)
    split, whole = (_crowd(records, tp, everyone) for tp in (share, everyone))
    lone, fast = (_lone(records, tp) for tp in (share, everyone))
    if split is None or whole is None or lone is None or fast is None:
        return None
    count = everyone // share
    more, less = (one.result["tokens_per_s_total"]["value"] for one in (split, whole))
    key = "copies" if more > EVEN * less else "one" if less > EVEN * more else "even"
    told = say(
        f"copied.{key}",
        **values,
        count=count,
        at_once=numbers.count(split.request["concurrent_sequences"]),
        more=numbers.figure(more),
        less=numbers.figure(less),
        slow=numbers.figure(lone.result["tokens_per_s_per_user"]["value"]),
        fast=numbers.figure(fast.result["tokens_per_s_per_user"]["value"]),
    )
    for one in (split, whole, lone, fast):
        told += pace.cite_pace(material, one.tool, one.result)
    section = Section(
        "comparison", told, [_table(material, (lone, fast), (split, whole)), arithmetic(material, placed)]
    )
    section.caveats = caveats(material, first)
    section.levers = [say("copied.balance")]
    section.assumptions = assumed(material, first, told=("sequences",))
    section.settled = True
    return section


def _only(material: Material, values: dict[str, str]) -> Section:
    """One over all: no smaller share of the cards holds a copy."""
    first = next(one for one in material.estimates if one.fit is not None)
    text = material.say("copied.only", **values) + cite(material, first)
    section = Section("fits" if first.fits else "does_not_fit", text, [arithmetic(material, [first])], settled=True)
    section.caveats, section.assumptions = caveats(material, first), assumed(material, first)
    return section


def _tp(record: ToolCallRecord) -> int:
    return int(record.request.get("tensor_parallel") or 1)


def _crowd(records: list[ToolCallRecord], tp: int, cards: int) -> ToolCallRecord | None:
    """All the cards at work, `tp` of them to a copy."""
    busy = (one for one in records if (one.request.get("concurrent_sequences") or 1) > 1)
    return next((one for one in busy if _tp(one) == tp and one.request.get("gpu_count") == cards), None)


def _lone(records: list[ToolCallRecord], tp: int) -> ToolCallRecord | None:
    """One request on a copy of `tp` cards."""
    alone = (one for one in records if (one.request.get("concurrent_sequences") or 1) == 1)
    return next((one for one in alone if _tp(one) == tp), None)


def _table(material: Material, lone: tuple[ToolCallRecord, ...], busy: tuple[ToolCallRecord, ...]) -> str:
    say = material.say
    rows = []
    for single, many in zip(lone, busy, strict=True):
        cards = names.cards(single.result["gpu"], _tp(single))
        copies = (many.request.get("gpu_count") or 1) // _tp(many)
        rows.append([
            say("copied.way", count=copies, cards=cards) if copies > 1 else say("copied.way_one", cards=cards),
            ranges.ranged(material, "tokens_per_s_per_user", single.result["tokens_per_s_per_user"]),
            ranges.ranged(material, "tokens_per_s_total", many.result["tokens_per_s_total"]),
            ranges.ranged(material, "time_to_first_token_s", many.result["time_to_first_token_s"]),
        ])  # fmt: skip
    count = numbers.count(busy[0].request["concurrent_sequences"])
    head = [
        say("copied.head_way"),
        say("copied.head_one"),
        say("copied.head_all", count=count),
        say("copied.head_first"),
    ]
    return table(head, rows)
