"""Why this card was put forward: what the work takes against its memory, its pace, and the cards next to it."""

import re

from assistant.compose import facts, names, numbers
from assistant.compose.arithmetic import workload
from assistant.compose.aspects import BY_KEY
from assistant.compose.citations import joined
from assistant.compose.material import Material
from assistant.compose.orders import cards_of, chosen, speed
from assistant.plan import neighbours, requests
from assistant.plan.amounts import model_kind
from assistant.understand.workloads import SHOPPING
from tools.configuration import Configuration
from tools.gpu_row import GpuRow

COLUMNS = ("memory", "bandwidth", "bf16", "power", "price")
_THE_CARD = re.compile(
    r"\b(?:card|gpu|one|choice|pick|choose|chose|recommend\w*|suggest\w*|propos\w*|that|this|those|these)\b"
    r"|卡|选|推荐|建议|这[张款个块台]|那[张款个块台]|它",
    re.I,
)
"""Words that ask of the card rather than of the whole answer."""


def asked(material: Material) -> bool:
    """Whether the reason for the choice of a card is all that is asked."""
    return material.understanding.command == "why" and _THE_CARD.search(material.text) is not None


def reason(material: Material) -> str:
    """What the work takes and the card leaves, its bandwidth or compute, and why not the next smaller or larger."""
    best = next(iter(chosen(material.configurations)), None)
    rows = {row.id: row for row in facts.cards(material)}
    if material.intents[0] not in SHOPPING or best is None or best.gpu not in rows or not material.estimates:
        return ""
    say, own = material.say, rows[best.gpu]
    text = say(
        "why.card",
        what=workload(material, material.recommended or material.estimates[0]).strip(),
        cards=cards_of(best),
        total=numbers.gib(best.memory.needed_bytes_per_gpu),
        usable=numbers.gib(best.memory.usable_bytes_per_gpu, digits=1),
        each=say("file.each") if best.gpu_count > 1 else "",
    )
    told = [text + _pace(material, best, own)]
    told += [_beside(material, best, own, rows[key]) for key in neighbours.around(best) if key in rows]
    shown = [BY_KEY[key] for key in ("memory", "bandwidth", "price")]
    cites = joined(facts.cite_card(material, row, shown) for row in rows.values())
    return ("" if say.language == "zh" else " ").join(one for one in told if one) + cites


def table(material: Material) -> str:
    """The card beside its neighbours."""
    return facts.facts_table(material, facts.cards(material), [BY_KEY[key] for key in COLUMNS])


def _pace(material: Material, best: Configuration, own: GpuRow) -> str:
    """How fast that is, by what of the card."""
    writes = not requests.is_training(material.need) and model_kind(material.need) in ("llm", "vlm", None)
    pace, key = speed(material, best), "bandwidth" if writes else "bf16"
    value = BY_KEY[key].value(own)
    if not value:
        return material.say("list.stop")
    told = material.say(f"why.by_{key}", value=value)
    return told + (material.say("why.pace", pace=pace) if pace else "") + material.say("list.stop")


def _beside(material: Material, best: Configuration, own: GpuRow, other: GpuRow) -> str:
    """Why not the next smaller card: it does not hold the work; why not the next larger: what it costs more."""
    say, price = material.say, BY_KEY["price"].value
    values = {"card": names.gpu_name(other.id), "memory": BY_KEY["memory"].value(other), "price": price(other)}
    if other.usable_bytes < best.memory.needed_bytes_per_gpu:
        return say("why.smaller", usable=numbers.gib(other.usable_bytes, digits=1), **values)
    dearer = own.price and other.price and other.price.amount_usd > own.price.amount_usd
    return say("why.larger_dearer" if dearer else "why.larger", own=price(own) or "–", **values)
