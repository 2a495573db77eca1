"""What runs a language model at home or for the least money: the cheapest, the cheapest that is brisk, and the rent."""

from collections.abc import Sequence
from decimal import Decimal

from assistant.answer import AnswerVerdict
from assistant.compose import hybrid, names, numbers
from assistant.compose.arithmetic import arithmetic, cite, named, subject, total
from assistant.compose.assume import assumed
from assistant.compose.caveats import caveats
from assistant.compose.material import Estimate, Material
from assistant.compose.orders import cards_of, cheapest, order, price
from assistant.compose.section import Section
from assistant.plan import own_machine as planned
from assistant.plan.formats import bits
from assistant.plan.instead import desks
from assistant.plan.preferred import user_pace
from assistant.plan.spill import DESKTOP_MOST_BYTES
from kb.units import GIB
from tools.configuration import Configuration

READING = 10.0
"""Tokens a second about as fast as one reads: below it one waits for answers."""
MUCH_FASTER = 2
"""Times the pace that a dearer machine must have to be told beside the cheapest."""
HOME_USD = Decimal(12000)
"""Dollars up to which a purchase is one person's."""
SHOWN_MAX = 4
FOUR_BITS = 4


def own_machine(material: Material) -> Section | None:
    """The least that runs it and what is faster, in one format; None where nothing was worked out."""
    need = next((one for one in material.estimates if one.fit is None), None)
    if need is None:
        return None
    if planned.beyond_home(material.need) and planned.homely(material.need, material.text):
        return _beyond(material, need)
    bought = _bought(material, [one for one in material.configurations if not _narrower(one, need)])
    if not bought:
        return None
    least, quick, desk = bought[0], _quick(bought), _desk(material)
    narrow = desk if desk is not None and _narrower(desk, need) else None
    slow = (user_pace(least) or READING) < READING
    headline = material.say(
        "own.least_slow" if slow else "own.least",
        what=subject(material, need), form=names.format_name(need.result.weight_format), total=total(need),
        order=_short(material, least), pace=_pace(material, least),
    ) + cite(material, need)  # fmt: skip
    shown = [least]
    if quick is not None:
        headline += material.say("own.quick", order=_short(material, quick), pace=_pace(material, quick))
        shown.append(quick)
    if lease := _rented(material):
        headline += material.say("own.rent", order=_short(material, lease), pace=_pace(material, lease))
        shown.append(lease)
    shown += [desk] if desk is not None and desk not in shown and planned.beyond_home(material.need) else []
    for one in bought:
        shown += [one] if _worth(one, shown) else []
    lines = [_host_line(material), _narrow_line(material, narrow) if narrow is not None else ""]
    section = Section("recommendation", headline, ["\n".join(filter(None, lines)), _orders(material, shown)])
    return _finished(material, section, need)


def _beyond(material: Material, need: Estimate) -> Section:
    """That it is no home machine's work, and the least that does it all the same."""
    say, desk, shared = material.say, _desk(material), _on_host(material)
    headline = say(
        "own.beyond", what=named(material, need), form=names.format_name(need.result.weight_format), total=total(need)
    ) + cite(material, need)
    whole = desk is not None and bits(desk.weight_format) >= FOUR_BITS
    if desk is not None and whole:
        headline += say("own.desk", order=_short(material, desk), pace=_pace(material, desk))
    elif shared is not None:
        headline += say("own.desk", order=_of_host(material, shared), pace="") + hybrid.expected(material, shared)
    lines = [_host_line(material)] if whole else []
    if desk is not None and not whole:
        lines.append(_narrow_line(material, desk))
    lines.append("- " + say("own.api"))
    own = [one for one in material.configurations if one.gpu in desks() and (one.price.amount or 0) <= HOME_USD]
    shown = [*([desk] if desk is not None else []), *(one for one in own if one != desk and whole)][:2]
    if lease := _rented(material):
        shown.append(lease)
    verdict: AnswerVerdict = "does_not_fit" if desk is None and shared is None else "recommendation"
    section = Section(verdict, headline, ["\n".join(filter(None, lines)), _orders(material, shown)])
    return _finished(material, section, need)


def _narrower(one: Configuration, need: Estimate) -> bool:
    """Whether it holds the model only in fewer bits than what is spoken of."""
    return bits(one.weight_format) < min(FOUR_BITS, bits(need.result.weight_format))


def _narrow_line(material: Material, one: Configuration) -> str:
    form = names.format_name(one.weight_format or "")
    return "- " + material.say("own.narrow", order=_short(material, one), form=form, pace=_pace(material, one))


def _finished(material: Material, section: Section, need: Estimate) -> Section:
    section.settled = True
    section.body.append(arithmetic(material, [need]))
    section.configurations = material.configurations
    section.caveats += caveats(material, need)
    shared = _on_host(material)
    section.assumptions += hybrid.assumptions(material, shared) if shared else assumed(material, need)
    return section


def _bought(material: Material, found: Sequence[Configuration]) -> list[Configuration]:
    """What is priced whole, the least money first."""
    priced = [one for one in found if one.acquisition == "buy" and one.price.amount is not None and one.price.complete]
    return sorted(priced, key=lambda one: one.price.amount or 0)


def _desk(material: Material) -> Configuration | None:
    """The machine of one memory that holds it: what is priced first, then the one with the least memory."""
    found = [one for one in material.configurations if one.gpu in desks() and one.acquisition == "buy"]
    return min(
        found,
        key=lambda one: (one.price.amount is None, one.price.amount or 0, one.memory.usable_bytes_per_gpu),
        default=None,
    )


def _rented(material: Material) -> Configuration | None:
    rented = [one for one in material.configurations if one.acquisition == "rent" and one.price.amount]
    return cheapest(rented) if rented else None


def _on_host(material: Material) -> Estimate | None:
    """The model on one card with a processor's memory beside it, where that holds it."""
    shared = hybrid.split(material)
    return shared if shared is not None and hybrid.host_of(shared).verdict != "no" else None


def _host_line(material: Material) -> str:
    shared = _on_host(material)
    if shared is None:
        return ""
    told = material.say("own.host", machine=_of_host(material, shared), left=numbers.gib(hybrid.host_of(shared).bytes))
    return "- " + told + cite(material, shared) + hybrid.expected(material, shared)


def _of_host(material: Material, shared: Estimate) -> str:
    size = shared.request["host_memory_bytes"]
    key = "own.desktop" if size <= DESKTOP_MOST_BYTES else "own.server"
    return material.say(key, memory=f"{size // GIB:,}", cards=names.cards(shared.placed.gpu, shared.gpus))


def _quick(bought: Sequence[Configuration]) -> Configuration | None:
    """The cheapest that one does not wait for and that is much faster, where the cheapest is slow."""
    pace = user_pace(bought[0]) or 0
    if pace >= READING:
        return None
    enough = max(READING, MUCH_FASTER * pace)
    return next((one for one in bought[1:] if (user_pace(one) or 0) >= enough), None)


def _worth(one: Configuration, shown: Sequence[Configuration]) -> bool:
    """Whether it is worth a line: another card, faster than what costs less, and no dearer than one person pays."""
    if len(shown) >= SHOWN_MAX or one in shown or any(other.gpu == one.gpu for other in shown):
        return False
    best = max((user_pace(other) or 0 for other in shown if other.acquisition == "buy"), default=0.0)
    return (one.price.amount or 0) <= HOME_USD and (user_pace(one) or 0) > best


def _short(material: Material, one: Configuration) -> str:
    where = " ".join(filter(None, (one.provider, one.instance))) if one.acquisition == "rent" else ""
    told = cards_of(one) + (material.say("order.where", where=where) if where else "")
    told += material.say("own.tight") if one.memory.verdict == "tight" else ""
    if one.price.amount is None:
        return told + material.say("own.unpriced")
    return told + material.say("order.at_price", price=price(material, one, brief=True))


def _pace(material: Material, one: Configuration) -> str:
    pace = user_pace(one)
    return material.say("own.pace", value=numbers.rough(pace)) if pace else ""


def _orders(material: Material, shown: Sequence[Configuration]) -> str:
    lines = [order(material, one) for one in shown[:SHOWN_MAX]]
    return "\n".join([f"**{material.say('heading.orders')}**", "", *lines]) if lines else ""
