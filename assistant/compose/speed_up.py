"""More speed out of a card that is there: what bounds it, then the levers in their order, each with its rate."""

from collections.abc import Iterator

from assistant.answer import ToolCallRecord
from assistant.compose import facts, names, numbers
from assistant.compose.aspects import BY_KEY
from assistant.compose.citations import joined
from assistant.compose.clarify import ambiguous_names
from assistant.compose.material import Material
from assistant.compose.pace import cite_pace
from assistant.compose.section import Section
from assistant.plan import requests
from assistant.plan import speed_up as plan
from assistant.plan.worth import TENSOR_CORES
from kb.catalog import gpu
from tools.configure.market.suitable import served_in
from tools.gpu_row import GpuRow

_HOST = "host memory"
_NO_ROOM = "weights do not fit"


def speed_up(material: Material) -> Section | None:
    """The bottleneck and what to do about it; None where no speed could be worked out."""
    need, card = plan.of(material.need), requests.cards(material.need)[0]
    paced = [one for one in material.records("estimate_inference_speed") if one.result.get("tokens_per_s_per_user")]
    paced = [one for one in paced if not _warns(one, _NO_ROOM)]
    own = [one for one in paced if _of_model(one, need.model) and _on(one, card.gpu, card.count or 1)]
    row = next((one for one in facts.cards(material) if one.id == card.gpu), None)
    if not own or row is None:
        return None
    say, held = material.say, [one for one in own if not _warns(one, _HOST)]
    spilled = not held or (need.weight_format is not None and _warns(own[0], _HOST))
    shown = own[:1] + [one for one in held if one is not own[0]] if spilled else held
    values = {
        "cards": names.cards(card.gpu, card.count or 1),
        "bandwidth": BY_KEY["bandwidth"].value(row) or "–",
    }
    bound = "host" if spilled else "bandwidth" if shown[0].result["bound"] == "memory_bandwidth" else "other"
    told = say(f"faster.{bound}", **values, bound=say(f"bound.{shown[0].result['bound']}"))
    section = Section("estimate", told + facts.cite_card(material, row, [BY_KEY["bandwidth"]]), settled=True)
    section.body = ["\n".join(f"- {line}" for line in _levers(material, need.model, shown, paced, row))]
    section.caveats = [say("faster.check")]
    if not requests.sized(material.need):
        section.assumptions.append(say("link.example_model", size=numbers.params(need.params or 0)))
    section.assumptions += ambiguous_names(material)
    return section


def _levers(
    material: Material, model: str | None, shown: list[ToolCallRecord], paced: list[ToolCallRecord], row: GpuRow
) -> Iterator[str]:
    """What to change, what costs nothing first and another card last."""
    say, card = material.say, requests.cards(material.need)[0]
    count, name = card.count or 1, names.gpu_name(card.gpu)
    old = row.vendor == "NVIDIA" and float(gpu(card.gpu).compute_capability or 0) < TENSOR_CORES
    files = served_in(gpu(card.gpu)) == "files"
    yield say("faster.software_old" if old else "faster.software_files" if files else "faster.software", gpu=name)
    yield say("faster.formats", rates=say.listed([_in_format(material, one) for one in shown]))
    light = next((one for one in paced if not _of_model(one, model) and not _warns(one, _HOST)), None)
    if light is not None:
        yield say("faster.mixture", model=names.model_name(light.result["model"]), rate=_in_format(material, light))
    yield say("faster.draft") if not old else say("faster.cache")
    twice = next((one for one in paced if _of_model(one, model) and _on(one, card.gpu, 2 * count)), None)
    best = max(one.result["tokens_per_s_per_user"]["value"] for one in shown)
    if twice is not None:
        gains = twice.result["tokens_per_s_per_user"]["value"] > best
        key = "faster.second" if gains else "faster.second_idle"
        yield say(key, cards=names.cards(card.gpu, 2 * count), rate=_in_format(material, twice))
    other = next((one for one in paced if _of_model(one, model) and one.result["gpu"] != card.gpu), None)
    if other is not None:
        yield _replaced(material, other)


def _replaced(material: Material, one: ToolCallRecord) -> str:
    """The next faster card: its bandwidth, its speed and its price."""
    say, found = material.say, next((row for row in facts.cards(material) if row.id == one.result["gpu"]), None)
    cards = names.cards(one.result["gpu"], one.result["gpu_count"])
    price = BY_KEY["price"].value(found) if found else None
    told = say("faster.priced", price=price) if price else ""
    shown = [BY_KEY["bandwidth"], BY_KEY["price"]]
    marker = joined([facts.cite_card(material, found, shown)]) if found else ""
    bandwidth = BY_KEY["bandwidth"].value(found) if found else "–"
    return say("faster.card", cards=cards, bandwidth=bandwidth, rate=_in_format(material, one), price=told) + marker


def _in_format(material: Material, one: ToolCallRecord) -> str:
    """ "GGUF Q4_K_M ≈ 28 tokens/s"."""
    rate = numbers.figure(one.result["tokens_per_s_per_user"]["value"])
    text = material.say("faster.rate", format=names.format_name(one.result["weight_format"]), rate=rate)
    return text + cite_pace(material, one.tool, one.result)


def _of_model(one: ToolCallRecord, model: str | None) -> bool:
    return bool(one.result.get("model") == model)


def _on(one: ToolCallRecord, card: str, count: int) -> bool:
    return bool(one.result["gpu"] == card and (one.result.get("gpu_count") or 1) == count)


def _warns(one: ToolCallRecord, words: str) -> bool:
    return any(words in warning for warning in one.result.get("warnings") or ())
