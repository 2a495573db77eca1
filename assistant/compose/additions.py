"""Which card to put beside the one in hand: what all of them hold together with each, how fast, and for how much."""

import re
from collections.abc import Sequence

from assistant.compose import facts, names, numbers
from assistant.compose.aspects import BY_KEY, COMPARED
from assistant.compose.material import Material
from assistant.compose.orders import cards_of, in_hand, order
from assistant.compose.section import Section
from assistant.plan import additions as planned
from assistant.plan import requests
from assistant.plan.additions import Choice
from assistant.plan.preferred import user_pace
from tools.configuration import Configuration
from tools.gpu_row import GpuRow

_EVENLY = re.compile(r"tensor[- ]?parallel|张量并行|(?<![a-z])tp(?![a-z])|vllm")
FASTER = 1.15
"""Times the pace from which one choice is faster than the other."""


def additions(material: Material) -> Section | None:
    """The choice to take and why; a line for each; None where nothing could be worked out."""
    say, found = material.say, planned.choices(material.understanding.text)
    held = [(one, _best(material, one)) for one in found]
    holding = [(one, best) for one, best in held if best is not None]
    if not holding:
        return None
    rows = {row.id: row for row in facts.cards(material)}
    first, best = _taken(holding, rows)
    reasons = [_reason(material, best, other) for _, other in holding if other is not best]
    cost = _price(rows, first.added)
    priced = say("additions.price", price=numbers.usd(cost)) if cost else ""
    told = {"card": names.gpu_name(first.added), "cards": _cards(first), "price": priced,
            "why": say.listed(list(dict.fromkeys(filter(None, reasons))))}  # fmt: skip
    section = Section(
        "recommendation", say("additions.take" if told["why"] else "additions.only", **told), settled=True
    )
    lines = [_line(material, one) for _, one in holding]
    lines += ["- " + say("additions.none", cards=_cards(one)) for one, way in held if way is None]
    shown = [rows[key] for key in dict.fromkeys(card.gpu for one in found for card in one.cards) if key in rows]
    section.body = ["\n".join(lines), facts.facts_table(material, shown, [BY_KEY[key] for key in COMPARED])]
    if any(len(one.cards) > 1 for one in found):
        section.caveats.append(say("additions.unlike"))
    section.caveats += facts.old_prices(material, shown)
    wanted = planned.sized(material.need, found)
    if wanted.params and not (material.need.params or material.need.model):
        section.assumptions.append(say("additions.usual", size=numbers.params(wanted.params)))
    return section


def _best(material: Material, choice: Choice) -> Configuration | None:
    """The widest way in which all the cards hold it, else what some of them do."""
    for record in material.records("configure"):
        if tuple(record.request.get("gpus_owned") or ()) != tuple(card.model_dump() for card in choice.cards):
            continue
        rows = map(Configuration.model_validate, record.result["configurations"])
        return max(
            filter(in_hand, rows),
            key=lambda one: (one.gpu_count > 1 or bool(one.cards), user_pace(one) or 0),
            default=None,
        )
    return None


def _taken(holding: Sequence[tuple[Choice, Configuration]], rows: dict[str, GpuRow]) -> tuple[Choice, Configuration]:
    """The fastest, or what costs least of those that are about as fast."""
    top = max(user_pace(best) or 0 for _, best in holding)
    alike = [pair for pair in holding if FASTER * (user_pace(pair[1]) or 0) >= top]
    return min(alike, key=lambda pair: (_price(rows, pair[0].added) or 0, -(user_pace(pair[1]) or 0)))


def _line(material: Material, one: Configuration) -> str:
    """The cards, how they hold it and how fast they are."""
    _, clause, rest = order(material, one).partition(material.say("order.clause", text=""))
    return f"- **{cards_of(one)}**{clause}{rest}"


def _reason(material: Material, best: Configuration, other: Configuration) -> str:
    mine, theirs = user_pace(best), user_pace(other)
    if not mine or not theirs:
        return ""
    told = {"here": numbers.figure(mine), "there": numbers.figure(theirs)}
    return material.say("additions.faster" if mine >= FASTER * theirs else "additions.alike", **told)


def _price(rows: dict[str, GpuRow], card: str) -> float | None:
    row = rows.get(card)
    return float(row.price.amount_usd) if row is not None and row.price is not None else None


def _cards(choice: Choice) -> str:
    return " + ".join(names.cards(card.gpu, card.count or 1) for card in choice.cards)


def lead(material: Material, main: Section) -> None:
    """That unlike cards are not split evenly over, where that is what is asked of an engine that does it."""
    kinds = {card.gpu for card in material.need.gpus_owned}
    if len(kinds) < 2 or requests.sized(material.need) or not _EVENLY.search(material.text) or main.settled:
        return
    main.body.insert(0, main.headline)
    main.headline = material.say("additions.unlike")
