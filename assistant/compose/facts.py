"""Facts about cards: whether they have something, how much of it, side by side when several were named."""

from collections.abc import Sequence

from assistant.compose import guidance, names
from assistant.compose.aspects import BY_KEY, USUAL, Aspect, asked_about
from assistant.compose.citations import joined
from assistant.compose.material import Material
from assistant.compose.section import Section
from assistant.compose.table import table
from kb.catalog import gpu as card_record
from kb.catalog import sources
from tools.find_gpus import GpuRow

CARDS_MAX = 6
TOLD = ("bandwidth", "bf16", "fp16", "fp8", "fp4", "int8", "link", "mig", "ecc", "power")
"""Aspects told in the first sentence wherever they are asked for, however many of them."""
TOLD_MAX = 3
_LEADING = {"compatibility": ("capability", "bf16", "fp8"), "power": ("power",)}
"""Aspects that lead when the question names none, by intent."""


def spec(material: Material) -> Section:
    """What the data sheets say about the cards named, the aspect asked about first."""
    rows = cards(material)
    if not rows:
        return guidance.guidance(material)
    leading = [BY_KEY[key] for key in _LEADING.get(material.intents[0], ())]
    asked = asked_about(material.text)
    aspects = [*(one for one in leading if one in asked or not asked), *asked] or [BY_KEY["memory"]]
    if material.intents[0] == "interconnect":
        aspects = [BY_KEY["link"], *aspects]
    price = BY_KEY["price"]
    first = price if price in asked else aspects[0]
    told = list(dict.fromkeys([first, *(one for one in asked if one.key in TOLD and material.intents[0] != "power")]))
    gap = "" if material.say.language == "zh" else " "
    headline = gap.join(
        has(material, rows, one) if one.yes_no else _values(material, rows, one)
        for one in (told[:TOLD_MAX] if len(rows) == 1 else told[:1])
        if one is first or not _same_as_bf16(one, rows)
    )
    section = Section("fact", headline)
    wanted = usual(material)
    section.body = [facts_table(material, rows, wanted)]
    section.caveats = old_prices(material, rows) if BY_KEY["price"] in wanted else []
    modified = [row for row in rows if row.status == "modified"]
    section.caveats += [material.say("caveat.modified", gpu=names.gpu_name(row.id)) for row in modified]
    return section


def usual(material: Material) -> list[Aspect]:
    """The aspects the question names, then those every card is known by."""
    return list(dict.fromkeys([*asked_about(material.text), *(BY_KEY[key] for key in USUAL)]))


def cards(material: Material) -> list[GpuRow]:
    """The rows found, those named in the question first and in its order."""
    rows = [GpuRow.model_validate(row) for result in material.results("find_gpus") for row in result["gpus"]]
    order = [*(owned.gpu for owned in material.need.gpus_owned), *material.need.gpus_asked]
    place = {gpu: index for index, gpu in enumerate(order)}
    return sorted({row.id: row for row in rows}.values(), key=lambda row: place.get(row.id, len(order)))[:CARDS_MAX]


def has(material: Material, rows: Sequence[GpuRow], aspect: Aspect) -> str:
    """Which of the cards have it and which do not, in one sentence."""
    say, what = material.say, _feature(material, rows, aspect)
    have = [(row, value) for row in rows if (value := aspect.value(row))]
    lack = [row for row in rows if not aspect.value(row)]
    sentences = []
    if have:
        listed = say.listed(
            [
                say("fact.card_value", card=names.gpu_name(row.id), value=_noted(material, row, aspect, value))
                for row, value in have
            ]
        )
        sentences.append(say("fact.has", cards=listed, what=what) + _cites(material, [row for row, _ in have], aspect))
    if lack:
        listed = say.listed([names.gpu_name(row.id) for row in lack])
        key = "fact.none_single" if not have and len(lack) == 1 else "fact.none"
        sentences.append(say(key, cards=listed, what=what) + _cites(material, lack, aspect))
    return say("list.sentence").join(sentences)


def _feature(material: Material, rows: Sequence[GpuRow], aspect: Aspect) -> str:
    other = aspect.key == "link" and all(row.vendor != "NVIDIA" for row in rows)
    return material.say("feature.link_other" if other else f"feature.{aspect.key}")


def _noted(material: Material, row: GpuRow, aspect: Aspect, value: str) -> str:
    if aspect.key == "mig":
        return material.say("fact.instances", count=value)
    note = (row.nvlink_note or "").split(";")[0] if aspect.key == "link" and material.say.language == "en" else ""
    if note[1:2].islower():  # not the name of a link
        note = note[0].lower() + note[1:]
    return f"{value}, {note}" if note else value


def _values(material: Material, rows: Sequence[GpuRow], aspect: Aspect) -> str:
    say = material.say
    known = [
        say("fact.card_value", card=names.gpu_name(row.id), value=aspect.value(row) or say("fact.not_stated"))
        for row in rows
    ]
    text = say("fact.values", what=say(f"aspect.{aspect.key}"), cards=say.listed(known))
    return text + _cites(material, rows, aspect)


def _cites(material: Material, rows: Sequence[GpuRow], aspect: Aspect) -> str:
    return joined(cite_card(material, row, [aspect]) for row in rows)


def cite_card(material: Material, row: GpuRow, aspects: Sequence[Aspect]) -> str:
    """The marker of a card's row: the facts as recorded, and the source that vouches for them."""
    fields = [field for aspect in aspects for field in aspect.fields]
    record = card_record(row.id)
    source = next((sources()[key] for key, vouched in record.sources.items() if set(fields) & set(vouched)), None)
    quote = "; ".join(f"{field} = {getattr(record, field)}" for field in dict.fromkeys(fields))
    return material.cites.cite(
        "catalog",
        f"{record.name} – {source.title}" if source else record.name,
        f"gpus · {row.id}",
        quote,
        url=source.url if source else None,
        date=source.date if source else None,
    )


def facts_table(material: Material, rows: Sequence[GpuRow], aspects: Sequence[Aspect]) -> str:
    """One column for each card, one line for each aspect that some card has."""
    say = material.say
    head = [
        say("table.card"),
        *(names.gpu_name(row.id) + joined([cite_card(material, row, aspects)]) for row in rows),
    ]
    lines = [
        [say(f"aspect.{aspect.key}"), *(aspect.value(row) or "–" for row in rows)]
        for aspect in aspects
        if (any(aspect.value(row) for row in rows) or aspect.yes_no) and not _same_as_bf16(aspect, rows)
    ]
    return table(head, lines)


def _same_as_bf16(aspect: Aspect, rows: Sequence[GpuRow]) -> bool:
    """Whether the FP16 line would only repeat the BF16 line."""
    return aspect.key == "fp16" and all(row.fp16_flops == row.bf16_flops for row in rows)


def old_prices(material: Material, rows: Sequence[GpuRow]) -> list[str]:
    """Which prices in a table of cards are too old to be taken as today's."""
    old = [names.gpu_name(row.id) for row in rows if row.price and row.price_stale]
    return [material.say("caveat.old_price", cards=material.say.listed(old))] if old else []
