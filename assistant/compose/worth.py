"""Whether an older card is still worth buying: does the work fit, what does as well cost, what software is left."""

import re
from collections.abc import Sequence

from assistant.answer import ToolCallRecord
from assistant.compose import amounts, clarify, compatibility, facts, guidance, names, numbers
from assistant.compose.arithmetic import cite, total
from assistant.compose.aspects import BY_KEY
from assistant.compose.citations import joined
from assistant.compose.material import Estimate, Material
from assistant.compose.pace import cite_pace
from assistant.compose.section import Section
from assistant.compose.table import table
from assistant.plan import worth as planned
from assistant.plan.provisional import PACKED_BYTES
from kb.catalog import gpu, models
from kb.naming.names import gpu_names
from tools.gpu_row import GpuRow
from tools.need import GpuCount
from tools.prices import CardPrice

_OF_BUYING = re.compile(r"买|值得|便宜|二手|worth|(?<![a-z])buy|cheap|second-hand", re.I)
"""Words of advice on whether to buy."""
CLEARLY = 0.8
"""Share of the other card's price, or speed, below which the older one's is clearly less."""


def worth(material: Material) -> Section | None:
    """The verdict first, then both cards beside each other and what software leaves the older one out."""
    placed = [one for one in material.estimates if one.fit]
    if not placed:
        return None
    one, own = planned.card(material.need), [each for each in placed if each.gpu == placed[0].gpu]
    held = next((each for verdict in ("yes", "tight") for each in own if each.placed.verdict == verdict), None)
    other = next((each for each in placed if each.gpu != placed[0].gpu and each.fits), None)
    lines = [compatibility.line(material, each) for each in compatibility.findings(material) if each.verdict != "works"]
    section = Section("recommendation", "", settled=True)
    if held is None:
        section.verdict = "does_not_fit"
        section.headline = _too_large(material, min(own, key=lambda each: each.result.per_gpu.total_bytes))
    else:
        section.headline = _read_as(material, one) + _judged(material, one, held, other, ended=_ended(material, one))
        section.body.append(_table(material, [held, *([other] if other else [])]))
    section.caveats = lines
    section.assumptions = clarify.ambiguous_names(material)
    return section


def _read_as(material: Material, one: GpuCount) -> str:
    """Which member of a family the verdict is of, and that the largest is out of reach; nothing for a full name."""
    say, taken = material.say, material.need.model
    doubts = (each for each in material.understanding.ambiguities if each.kind == "model" and not each.unknown)
    doubt = next((each for each in doubts if taken in each.candidates), None)
    if doubt is None or taken is None:
        return ""
    largest = max((each for each in doubt.candidates if each in models()), key=lambda each: models()[each].params)
    values = {"text": doubt.text, "model": names.model_name(taken), "cards": names.cards(one.gpu, one.count or 1)}
    if largest == taken:
        return say("worth.read_as", **values)
    room = gpu(one.gpu).usable_bytes * (one.count or 1)
    key = "worth.read_as_smaller" if models()[largest].params * PACKED_BYTES > room else "worth.read_as"
    return say(key, **values, largest=names.model_name(largest))


def alone(material: Material) -> Section | None:
    """Nothing said of the work: what the documents say of the card, then its price against what is sold new."""
    rows = facts.cards(material)
    one = planned.card(material.need)
    if not any(row.id == one.gpu for row in rows):
        return None
    quotes = guidance.quoted(material, guidance.QUOTED_ALONE_MAX, guidance.DECISION)
    decided = bool(quotes) and _of_card(quotes[0], one.gpu) and any(_OF_BUYING.search(quote) for quote in quotes)
    if not decided:
        quotes = [quote for quote in quotes if _of_card(quote, one.gpu) and _OF_BUYING.search(quote)]
    priced = _against(material, one, rows)
    first = quotes.pop(0).removeprefix("- ") if decided else priced
    section = Section("recommendation", first, rests_on_documents=True)
    section.settled = True
    shown = [BY_KEY[key] for key in ("memory", "bandwidth", "bf16", "power", "price")]
    section.body = ["\n".join(quotes), priced if decided else "", facts.facts_table(material, rows, shown)]
    found = compatibility.findings(material)
    section.caveats = [compatibility.line(material, each) for each in found if each.verdict != "works"]
    section.caveats += facts.old_prices(material, rows)
    section.assumptions = clarify.ambiguous_names(material)
    section.questions = [material.say("ask.workload")]
    return section


def _of_card(text: str, card: str) -> bool:
    """Whether something is said of this card by its name."""
    return any(card in mention.ids for mention in gpu_names().scan(text.lower()))


def _against(material: Material, one: GpuCount, rows: Sequence[GpuRow]) -> str:
    """The card's own price, what as much money buys new, and the cheapest newer card that does the same."""
    say, own = material.say, planned.priced(gpu(one.gpu))
    shown = {row.id: row for row in rows}
    peer, same = planned.peer(one), planned.in_its_place(one)
    name = names.gpu_name(one.gpu)
    price = say("worth.sells" if own else "worth.unpriced", card=name, **_priced(own))
    judged, beside = "", ""
    if peer and peer in shown and peer != same:
        values = {aspect: BY_KEY[aspect].value(shown[peer]) for aspect in ("memory", "bandwidth")}
        values |= {"rival": names.gpu_name(peer), "card": name, **_priced(planned.priced(gpu(peer)))}
        better = gpu(peer).usable_bytes >= planned.ROOM * gpu(one.gpu).usable_bytes and _near(peer, one.gpu)
        judged, beside = (say("worth.rather", **values), "") if better else ("", say("worth.for_as_much", **values))
    if not judged and same and same in shown:
        newer = planned.priced(gpu(same))
        cheap = own and newer and float(own.amount_usd) <= CLEARLY * float(newer.amount_usd)
        key = "worth.in_its_place" + (("_cheap" if cheap else "_dear") if own else "")
        judged = say(key, rival=names.gpu_name(same), card=name, **_priced(newer))
    told = [one for one in ((judged, price, beside) if own else (price, judged)) if one]
    marks = [facts.cite_card(material, row, [BY_KEY["price"]]) for row in rows if row.price]
    return ("" if say.language == "zh" else " ").join(told) + joined(marks)


def _near(other: str, own: str) -> bool:
    """Whether another card reads its memory at most a little slower."""
    return (gpu(other).bandwidth_bytes_per_s or 0) >= CLEARLY * (gpu(own).bandwidth_bytes_per_s or 0)


def _priced(price: CardPrice | None) -> dict[str, str]:
    return {"price": numbers.usd(price.amount_usd), "date": price.as_of or ""} if price else {}


def _too_large(material: Material, least: Estimate) -> str:
    text = material.say(
        "worth.no_room",
        cards=names.cards(least.gpu or "", least.gpus),
        format=names.format_name(least.result.weight_format),
        total=total(least),
        usable=numbers.gib(least.placed.usable_bytes, digits=1),
    )
    return text + cite(material, least)


def _ended(material: Material, one: GpuCount) -> bool:
    """Whether current software leaves the card out: PyTorch's own wheels are the measure.

    What they ask of a card of today is newer software, not older, and of another maker's its own wheels.
    """
    card = gpu(one.gpu)
    if card.vendor == "NVIDIA" and float(card.compute_capability or 0) >= planned.CURRENT:
        return False
    left = {"works"} if card.vendor == "NVIDIA" else {"works", "works_with", "unknown"}
    found = compatibility.findings(material)
    return any(each.verdict not in left for each in found if "pytorch" in each.asked.lower())


def _judged(material: Material, one: GpuCount, held: Estimate, other: Estimate | None, *, ended: bool) -> str:
    say, price = material.say, planned.priced(gpu(one.gpu))
    rival = planned.priced(gpu(other.gpu)) if other and other.gpu else None
    values = {"cards": names.cards(one.gpu, one.count or 1), "card": names.gpu_name(one.gpu)}
    if price:
        values |= {"price": numbers.usd(price.amount_usd), "date": price.as_of or ""}
    if rival and other and other.gpu:
        values |= {"rival": names.gpu_name(other.gpu), "rival_price": numbers.usd(rival.amount_usd)}
        values["rival_date"] = rival.as_of or ""
    if price and rival:
        cheap = float(price.amount_usd) * (one.count or 1) <= CLEARLY * float(rival.amount_usd)
        key = ("only" if ended else "yes") if cheap else "no"
    elif rival:
        key = "below_ended" if ended else "below"
    else:
        key = ("alone_ended" if ended else "alone") if price else "unpriced"
    fits = say(f"worth.fits_{held.placed.verdict}", format=names.format_name(held.result.weight_format), **values)
    return say(f"worth.{key}", **values) + ("" if say.language == "zh" else " ") + fits + cite(material, held)


def _table(material: Material, shown: list[Estimate]) -> str:
    say = material.say
    head = [say("worth.card"), say("worth.price"), say("worth.format"), say("worth.needed"), say("worth.pace")]
    rows = []
    for each in shown:
        price = planned.priced(gpu(each.gpu or ""))
        paid = f"{numbers.usd(price.amount_usd)} ({price.as_of})" if price else say("worth.not_read")
        room = f"{total(each)} GiB / {numbers.gib(each.placed.usable_bytes, digits=1)} GiB"
        rows.append([
            names.cards(each.gpu or "", each.gpus), paid, names.format_name(each.result.weight_format), room,
            _pace(material, each),
        ])  # fmt: skip
    return table(head, rows)


def _pace(material: Material, one: Estimate) -> str:
    record = next((each for each in material.records("estimate_inference_speed") if _of(each, one)), None)
    found = record.result.get("tokens_per_s_per_user") if record else None
    return amounts.figure_range(found) + cite_pace(material, record.tool, record.result) if record and found else "–"


def _of(record: ToolCallRecord, one: Estimate) -> bool:
    return bool(record.result.get("gpu") == one.gpu)
