"""What a further card of the kind in hand is good for: room, a wider format, a longer context, speed, or nothing."""

import re

from assistant.compose import amounts, facts, names, numbers
from assistant.compose.arithmetic import arithmetic
from assistant.compose.assume import assumed
from assistant.compose.caveats import caveats
from assistant.compose.material import Material
from assistant.compose.pace import cite_pace
from assistant.compose.section import Section
from assistant.compose.sides import Side, line, pace, paced, rate_of, way_name
from assistant.plan import one_more as planned
from assistant.plan import requests
from assistant.plan.formats import TRAINING_LADDER, bits
from assistant.plan.method import still_open
from tools.need import GpuCount

FASTER = 1.25
"""Times the pace from which more cards are said to be faster: an estimate is no surer than that."""
LONGER = 1.5
"""Times the context from which there is said to be room for a longer one."""
_QUICKER = re.compile(r"\bfaster\b|\bquicker\b|\bspeed|更?快|提速|速度", re.I)
"""Words that ask for speed: it is answered first."""


def one_more(material: Material) -> Section | None:
    """The verdict, one line for each number of cards, and the price; None where it could not be worked out."""
    ways = planned.ways(material.need, material.understanding.text)
    if ways is None:
        return None
    own, more = (Side(material, way) for way in ways)
    if own.estimate is None or more.estimate is None:
        return None
    headline = _verdict(material, own, more) + (_price(material, own, more) if more.way.fits else "")
    further = planned.beyond(material.need, more.way)
    wider = Side(material, further) if further is not None else None
    section = Section("recommendation" if more.way.fits else "does_not_fit", headline, settled=True)
    now = material.say("upgrade.now")
    lines = [line(material, own, _context(material, own)), line(material, more, _context(material, more))]
    lines = [lines[0].replace("**: ", f"**{now}: ", 1).replace("**：", f"**{now}：", 1), *lines[1:]]
    lines += [line(material, wider, _context(material, wider))] if wider is not None else []
    lines += [_by_layers(material, own, more)]
    section.body = ["\n".join(f"- {each}" for each in lines if each)]
    section.body.append(arithmetic(material, [own.estimate, more.estimate]))
    section.caveats = caveats(material, more.estimate)
    section.assumptions = assumed(material, more.estimate)
    return section


def _verdict(material: Material, own: Side, more: Side) -> str:
    """What the further cards are good for, in a sentence."""
    say, wanted = material.say, material.need.task or "inference"
    open_way = still_open(material.understanding, material.need)
    values = {
        "own": own.cards, "more": more.cards, "least": way_name(material, own.estimate),
        "wider": way_name(material, more.estimate), "speed": _speed(material, own, more),
    }  # fmt: skip
    if not more.way.fits and (further := planned.beyond(material.need, more.way)) is not None:
        key, values["further"] = "further", names.cards(further.card.gpu, further.card.count or 1)
    elif not more.way.fits:
        key = "neither"
    elif more.way.task != wanted and requests.is_training(material.need) and not open_way:
        key, values["wanted"] = "not_the_way", names.task_name(wanted, say)
    elif not own.way.fits:
        key = "opens"
    elif _wider(own, more):
        key = "trains" if requests.is_training(material.need) else "wider"
    elif _faster(material, own, more):
        key = "faster"
    else:
        key = "longer" if _longer(own, more) else "nothing"
    if _QUICKER.search(material.text) and values["speed"] and not _faster(material, own, more):
        told = say(f"more.{key}", **values | {"speed": ""})
        return _speed(material, own, more, "not_faster") + (told if say.language == "zh" else f" {told}")
    return say(f"more.{key}", **values)


def _wider(own: Side, more: Side) -> bool:
    """Whether more bits a weight fit, or a more thorough way to train."""
    if own.estimate is None or more.estimate is None:
        return False
    if own.way.task != more.way.task:
        order = {task: place for place, task in enumerate(TRAINING_LADDER)}
        return order.get(more.way.task, 0) < order.get(own.way.task, 0)
    return bits(more.estimate.result.weight_format) > bits(own.estimate.result.weight_format)


def _longer(own: Side, more: Side) -> bool:
    first, second = (_most(side) for side in (own, more))
    return bool(first and second and second >= LONGER * first)


def _most(side: Side) -> int | None:
    return side.estimate.placed.max_context_tokens if side.estimate is not None and side.way.fits else None


def _faster(material: Material, own: Side, more: Side) -> bool:
    """Whether the same format runs clearly faster on more cards."""
    alike = rate_of(material, paced(material, more.way.card, own.way.weight_format))
    first = own.per_second
    return bool(first and alike and alike[1]["value"] >= FASTER * first)


def _speed(material: Material, own: Side, more: Side, key: str = "") -> str:
    """The pace of one format on both numbers of cards."""
    here, there = own.record, paced(material, more.way.card, own.way.weight_format)
    if here is None or there is None:
        return ""
    told = {"here": pace(material, here), "there": pace(material, there), "format": way_name(material, own.estimate)}
    key = key or ("faster" if _faster(material, own, more) else "alike")
    return material.say(f"more.speed_{key}", **told)


def _context(material: Material, side: Side) -> str:
    most = _most(side)
    return material.say("more.context", tokens=numbers.tokens(most)) if most else ""


def _by_layers(material: Material, own: Side, more: Side) -> str:
    """Why an odd number is no faster, and how fast the next one is over which each layer can be split."""
    total = more.way.card.count or 1
    wider = planned.even(total)
    if wider is None or requests.is_training(material.need) or not more.way.fits:
        return ""
    record = paced(material, GpuCount(gpu=own.way.card.gpu, count=wider), planned.SERVED)
    now = paced(material, own.way.card, planned.SERVED)
    cards = names.cards(own.way.card.gpu, wider)
    told = material.say("more.odd", more=more.cards)
    if record is None or now is None or not own.way.fits:
        return told
    return told + material.say(
        "more.even",
        cards=cards,
        there=pace(material, record),
        here=pace(material, now),
        own=own.cards,
        format=names.format_name(planned.SERVED),
    )


def _price(material: Material, own: Side, more: Side) -> str:
    """What is to be paid for what is added."""
    row = next((one for one in facts.cards(material) if one.id == own.way.card.gpu), None)
    record = next(material.records("estimate_cost"), None)
    if row is None or row.price is None or record is None or record.result["own"] is None:
        return ""
    added = (more.way.card.count or 1) - (own.way.card.count or 1)
    values = {
        "price": amounts.amount(record.result["own"]["purchase_cost"], record.result["currency"]),
        "date": row.price.as_of or material.say("cost.undated"),
        "added": names.cards(row.id, added), "used": material.say("more.used") if row.status == "discontinued" else "",
    }  # fmt: skip
    return material.say("more.price", **values) + cite_pace(material, "estimate_cost", record.result)
