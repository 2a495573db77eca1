"""What a machine draws: as planned, else the sum over the cards named against the supply named."""

import re
from collections.abc import Sequence

from assistant.compose import electricity, facts, names, numbers, of_each
from assistant.compose.aspects import BY_KEY
from assistant.compose.citations import joined
from assistant.compose.material import Material
from assistant.compose.section import Section
from tools.gpu_row import GpuRow

_SUPPLY = re.compile(
    r"(?<![\d.])(\d{3,4})\s?w\b[^，。,.?？]{0,16}?(?:电源|psu|power suppl|workstation)"
    r"|(?:电源|psu)\D{0,8}(\d{3,4})\s?w",
    re.I,
)


def power(material: Material) -> Section:
    """The plan of the machine; without one, the sum over the cards named, against the supply named."""
    planned = electricity.electricity(material)
    rows = [row for row in facts.cards(material) if row.tdp_w]
    if planned is not None:
        return _of_each(material, planned, rows)
    if not rows:
        return facts.spec(material)
    say = material.say
    counts = {card.gpu: card.count or 1 for card in material.need.gpus_owned}
    draws = [(row, counts.get(row.id, 1), row.tdp_w or 0) for row in rows]
    terms = " + ".join(f"{count} × {tdp} W" for _, count, tdp in draws)
    total = sum(count * tdp for _, count, tdp in draws)
    cards = say.listed([names.cards(row.id, count) for row, count, _ in draws])
    markers = joined(facts.cite_card(material, row, [BY_KEY["power"]]) for row in rows)
    section = Section("estimate", say("power.sum", cards=cards, terms=terms, total=numbers.count(total)) + markers)
    supply = _supply(material.text)
    if supply:
        key = "power.supply_short" if supply <= total else "power.supply_left"
        section.body.append(say(key, supply=numbers.count(supply)))
    section.body.append(say("power.rest"))
    return section


def _of_each(material: Material, planned: Section, rows: Sequence[GpuRow]) -> Section:
    """Of cards compared, what one of each draws before what a machine of them takes."""
    least = of_each.draws(material, rows) if electricity.draws(material) else ""
    if least:
        lines = [f"- {line}" for line in (planned.headline, *electricity.others(material))]
        planned.headline, planned.body = least, ["\n".join([material.say("each.machines"), "", *lines])]
    return planned


def _supply(text: str) -> int | None:
    """The watts of the power supply that the question names."""
    match = _SUPPLY.search(text)
    return int(match[1] or match[2]) if match else None
