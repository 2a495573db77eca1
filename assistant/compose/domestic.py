"""How many cards of each Chinese maker a model takes, side by side, with what the software of each means."""

from collections.abc import Sequence

from assistant.compose import alike, compatibility, facts, names, pace, ranges
from assistant.compose.arithmetic import cite, subject
from assistant.compose.aspects import BY_KEY
from assistant.compose.assume import assumed
from assistant.compose.caveats import caveats
from assistant.compose.material import Estimate, Material
from assistant.compose.section import Section
from assistant.compose.table import table
from assistant.plan import alike as plan
from assistant.plan import requests
from tools.memory.result import MinimumGpus

SHOWN = ("memory", "bandwidth", "price")
"""Facts of a card beside how many it takes."""


def domestic(material: Material) -> Section | None:
    """How many of each maker's card the model takes as published and narrower, with speed, price and software."""
    wide, narrow = _ways(material)
    counted = [(one, row) for one in wide if (row := _enough(one)) is not None]
    if not counted:
        return None
    section = Section("recommendation", _headline(material, counted, narrow))
    cards = [one.gpu or "" for one in wide]
    software = "\n".join(alike.supported(material, cards))
    section.body = [_table(material, wide, narrow), software]
    section.assumptions = assumed(material, wide[0], told=("format",))
    for one in wide:
        section.caveats += [line for line in caveats(material, one) if line not in section.caveats]
    priced = any(row.price for row in facts.cards(material))
    section.caveats += [] if priced else [material.say("domestic.no_price")]
    section.caveats += [material.say("alike.porting"), *facts.old_prices(material, facts.cards(material))]
    section.settled = True
    return section


def _ways(material: Material) -> tuple[list[Estimate], dict[str, Estimate]]:
    """The estimate on one card of each maker as published, those with documented software first, and the narrower."""
    wide: dict[str, Estimate] = {}
    narrow: dict[str, Estimate] = {}
    for one in material.estimates:
        if one.gpu and one.gpus == 1:
            (narrow if one.gpu in wide else wide).setdefault(one.gpu, one)
    known = alike.documented(material)
    return sorted(wide.values(), key=lambda one: one.gpu not in known), narrow


def _enough(one: Estimate) -> MinimumGpus | None:
    """The fewest of its own card that hold it."""
    row = one.minimum(one.gpu or "")
    return row if row is not None and row.verdict != "no" else None


def _headline(material: Material, counted: Sequence[tuple[Estimate, MinimumGpus]], narrow: dict[str, Estimate]) -> str:
    say = material.say
    named = requests.named_gpus(material.understanding.need)
    replaced = next(iter(named), None) if plan.domestic(material.understanding) else None
    text = say("domestic.instead", card=names.gpu_name(replaced)) if replaced else ""
    what = say("workload.serve", model=subject(material, counted[0][0]), format=_formats([one for one, _ in counted]))
    text += say("domestic.needs", what=what, cards=_cards(material, [row for _, row in counted]))
    narrower = [narrow[one.gpu] for one, _ in counted if one.gpu in narrow]
    rows = [row for one in narrower if (row := _enough(one)) is not None]
    if rows:
        how = _formats(narrower)
        text += say("domestic.narrower", how=how, cards=_cards(material, rows))
    known = alike.documented(material)
    first = [names.gpu_name(one.gpu or "") for one, _ in counted if one.gpu in known]
    engine = next((one.asked for one in compatibility.findings(material)), "")
    gap = "" if say.language == "zh" else " "
    documented = gap + say("domestic.documented", cards=say.listed(first), engine=engine) if first else ""
    return text + say("domestic.end") + documented


def _cards(material: Material, rows: Sequence[MinimumGpus]) -> str:
    return material.say.listed([names.cards(row.gpu, row.count) for row in rows], conjunction="or")


def _formats(ways: Sequence[Estimate]) -> str:
    """The formats of these estimates, each once: cards compute in one half or in the other."""
    return "/".join(dict.fromkeys(names.format_name(one.result.weight_format) for one in ways))


def _table(material: Material, wide: Sequence[Estimate], narrow: dict[str, Estimate]) -> str:
    """A row for each card: how many, how fast so many are, and its own figures."""
    say = material.say
    rows = {row.id: row for row in facts.cards(material)}
    kept = [key for key in SHOWN if any(BY_KEY[key].value(row) for row in rows.values())]
    head = [say("table.card"), say("domestic.cards", format=_formats(wide))]
    head += [say("domestic.cards", format=_formats(list(narrow.values())))] if narrow else []
    head += [say("domestic.speed", format=_formats(wide)), *(say(f"aspect.{key}") for key in kept)]
    lines = []
    for one in wide:
        card = one.gpu or ""
        cells = [names.gpu_name(card), _count(material, one)]
        cells += [_count(material, narrow[card]) if card in narrow else "–"] if narrow else []
        cells.append(_speed(material, one))
        cells += [(BY_KEY[key].value(rows[card]) if card in rows else None) or "–" for key in kept]
        lines.append(cells)
    return table(head, lines)


def _count(material: Material, one: Estimate) -> str:
    row = _enough(one)
    return (str(row.count) if row else "–") + cite(material, one)


def _speed(material: Material, one: Estimate) -> str:
    """One user's speed on as many of them as it takes."""
    row = _enough(one)
    for record in material.records("estimate_inference_speed"):
        result = record.result
        if row and (result["gpu"], result["gpu_count"]) == (row.gpu, row.count) and result.get("tokens_per_s_per_user"):
            value = ranges.ranged(material, "tokens_per_s_per_user", result["tokens_per_s_per_user"])
            return value + pace.cite_pace(material, record.tool, result)
    return "–"
