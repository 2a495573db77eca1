"""What several cards bring over one, how much of it the link between them takes, and what to do about it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from assistant.answer import ToolCallRecord
from assistant.compose import facts, names, numbers, observed, ranges
from assistant.compose.aspects import BY_KEY
from assistant.compose.caveats import caveats
from assistant.compose.material import Material
from assistant.compose.pace import cite_pace
from assistant.compose.section import Section
from assistant.compose.table import table
from assistant.plan import link as plan
from assistant.plan import requests

NEGLIGIBLE, HEAVY = 0.1, 0.3
"""Shares of a step that the exchange takes: below the one a faster link brings little, above the other much."""
_SLOWER = re.compile(
    r"比(?:单卡|一张|单张|一块)\D{0,4}(?:慢|快\s?\d{1,2}\s?%)"
    r"|(?:only|just) (?:\d{1,2} ?%|[\d.]{1,4} ?x) (?:faster|quicker|the speed)"
    r"|反而|更慢|还慢|不如|没有?(?:提升|加速|变快)|一样(?:快|慢|的速度)?|没快|图啥"
    r"|slower|same (?:speed|time)|no (?:faster|speed)|not faster|worse than one|doesn't scale|poor scaling"
    r"|(?:the )?(?:opposite|reverse)|other way (?:a?round)|fewer (?:cards|gpus) (?:is|are) faster",
    re.I,
)
IN_TURN = "llama.cpp"
"""The engine that by itself splits a model by layers: each token passes the cards one after another."""
_LAYERED = re.compile(
    r"device_map|transformers|fastchat|accelerate|cli_demo|langchain|chatchat|只有一两?张(?:卡)?(?:在|的|利用率|使用率)"
    r"|(?:利用率|使用率)[^。?!]{0,12}(?:轮流|交替|只有一)|only one (?:gpu|card) (?:is )?(?:busy|working|at 100)",
    re.I,
)
"""Words of a model dealt out to cards by layers, so that one works at a time."""
_POOLED = re.compile(
    r"(?:pool|doubl|combin|merg|adds? up|count as|becomes? one)\w*[^.?!\n]{0,24}(?:v?ram|memory|card|gb)"
    r"|(?:v?ram|memory)[^.?!\n]{0,24}(?:pool|doubl|combin|merg)|显存[^。?!\n]{0,8}(?:合|叠加|翻倍|相加|变成)|当成?一张",
    re.I,
)
"""Words that take two memories for one."""
_NARROW = re.compile(
    r"\bx[148]\b|[×x]\s?[148] ?(?:槽|的槽|通道|插槽)|riser|转接|延长线|\begpu\b|thunderbolt|雷电|oculink|芯片组", re.I
)


@dataclass(frozen=True)
class Way:
    """One way of spreading the work, with its speed."""

    record: ToolCallRecord
    key: str
    """one, tensor, layers or data."""
    speed: dict[str, Any]
    exchange_s: float
    """Seconds a step, or a token of training, that the exchange between cards takes."""
    share: float


def link(material: Material) -> Section | None:
    """The comparison in one sentence and a table; None where no speeds were worked out, or for machines in a network.

    The calculators know the links inside a machine; of a network they take the usual one of clusters.
    """
    if plan.NETWORK.search(material.text):
        return None
    ways = {way.key: way for way in _ways(material)}
    usual = "layers" if material.need.engine == IN_TURN or _gguf(material) else "tensor"
    many = ways.get("data") or ways.get(usual) or ways.get("tensor") or ways.get("layers") or _outside(material, ways)
    if many is None:
        return None
    say = material.say
    section = Section(
        "estimate", _headline(material, ways, many) + cite_pace(material, many.record.tool, many.record.result)
    )
    section.body = [_observed(material, ways, many), _table(material, ways), _link_of(material)]
    section.levers = list(_levers(material, ways, many))
    full = plan.of(material.need, material.understanding)
    if not requests.sized(material.need):
        key = "link.example_adapted" if full.task == "lora" != material.need.task else "link.example_model"
        section.assumptions.append(say(key, size=numbers.params(full.params or 0)))
    if not requests.cards(material.need):
        section.assumptions.append(say("link.example_card", gpu=names.gpu_name(full.gpus_owned[0].gpu)))
    if full.weight_format and material.need.weight_format is None:
        section.assumptions.append(say("link.example_format", format=names.format_name(full.weight_format)))
    misfit = next((one for one in material.estimates if one.gpus == full.gpus_owned[0].count and not one.fits), None)
    section.caveats = caveats(material, misfit) if misfit else []
    return section


def _gguf(material: Material) -> bool:
    """Whether the asker speaks of llama.cpp's files."""
    return (material.need.weight_format or "").startswith("gguf:")


def _observed(material: Material, ways: dict[str, Way], many: Way) -> str:
    """Whether a rate that the asker measured is what one of the ways gives."""
    rate = observed.measured(material.text)
    if many.key == "tensor":
        return observed.judged(material, many.record.result)
    if rate is None or many.key != "layers" or rate >= observed.SLACK * many.speed["low"]:
        return ""
    return material.say("link.observed", said=f"{rate:g}", many=_figure(many))


def _slower(material: Material) -> bool:
    """Whether it is asked why several cards are no faster."""
    return _SLOWER.search(material.text) is not None and not plan.weighs(material.text)


def _outside(material: Material, ways: dict[str, Way]) -> Way | None:
    """The one card of the question, where it stands outside the machine."""
    return ways.get("one") if plan.OUTSIDE.search(material.text) else None


def _ways(material: Material) -> Iterator[Way]:
    """The speeds of what fits."""
    unfit = {one.gpus for one in material.estimates if one.fit and not one.fits}
    unfit -= {one.gpus for one in material.estimates if one.fits and one.gpus > 1}
    for tool, rate, step, total in (
        ("estimate_inference_speed", "tokens_per_s_per_user", "Adding up over cards", "time_per_output_token_s"),
        ("estimate_training_time", "tokens_per_s_total", "Links", None),
    ):
        if total and any(material.records("estimate_training_time")):
            continue
        for record in material.records(tool):
            result = record.result
            count = result.get("gpu_count") or record.request.get("gpu_count") or 1
            if not result.get(rate) or count in unfit:
                continue
            exchange = next((one["value"] for one in result["derivation"] if one["label"] == step), 0.0)
            whole = result[total]["value"] if total else count / result[rate]["value"]
            kind = (
                "one"
                if count == 1
                else "data"
                if total is None
                else "tensor"
                if result["tensor_parallel"] > 1
                else "layers"
            )
            yield Way(record, kind, result[rate], exchange, exchange / whole if whole else 0.0)


def _headline(material: Material, ways: dict[str, Way], many: Way) -> str:
    say, one = material.say, ways.get("one")
    full = plan.of(material.need, material.understanding).gpus_owned[0]
    cards = names.cards(full.gpu, full.count or 2)
    values = {"cards": cards, "many": _figure(many), "one": _figure(one) if one else ""}
    if many.key == "one":
        return say("link.outside", cards=names.cards(full.gpu, 1), one=_figure(many))
    if _POOLED.search(material.text):
        return say("link.pooled", **values)
    if _slower(material):
        if many.key == "tensor" and _LAYERED.search(material.text):
            return say("link.by_layers", **values)
        if many.key == "layers" and one:
            return say("link.in_turn", **values)
        key = "link.slower_training" if many.key == "data" else "link.slower"
        asked = material.understanding.need
        if one and many.key == "tensor" and not requests.sized(asked) and not requests.cards(asked):
            key = "link.slower_unnamed"
        return say(key if one else "link.slower_alone", **values)
    if plan.WAYS.search(material.text) and {"tensor", "layers"} <= ways.keys():
        slow = {"layers": _figure(ways["layers"]), "tensor": _figure(ways["tensor"])}
        first = ways["tensor"].speed["value"] >= ways["layers"].speed["value"]
        return say("link.tensor_first" if first else "link.layers_first", **slow, **values)
    if many.key == "layers":
        return say("link.by_turns", **values)
    how = "little" if many.share < NEGLIGIBLE else "some" if many.share < HEAVY else "much"
    figure, unit = numbers.duration(many.exchange_s)
    key = f"link.{how}_training" if many.key == "data" else f"link.{how}"
    text = say(key, exchange=f"{figure} {say(f'unit.{unit}')}", **values)
    return text + (
        say("link.narrow_layers" if "layers" in ways else "link.narrow") if _NARROW.search(material.text) else ""
    )


def _figure(way: Way) -> str:
    return numbers.figure(way.speed["value"])


def _table(material: Material, ways: dict[str, Way]) -> str:
    say = material.say
    rows = []
    for way in ways.values():
        found = ranges.figures(material, way.speed)
        count = way.record.result.get("gpu_count") or way.record.request.get("gpu_count") or 1
        cards = names.cards(way.record.result["gpu"], count)
        rows.append([say(f"link.way_{way.key}", cards=cards), f"{found['value']}{found['range']}"])
    unit = "link.rate_training" if "data" in ways else "link.rate"
    return table([say("link.head_way"), say(unit)], rows)


def _link_of(material: Material) -> str:
    """What joins the cards named, as their data sheets say."""
    rows = facts.cards(material)
    return facts.has(material, rows, BY_KEY["link"]) if rows else ""


def _levers(material: Material, ways: dict[str, Way], many: Way) -> Iterator[str]:
    say = material.say
    if many.key == "one":
        return
    if many.key == "data":
        yield say("link.lever_batch")
        if _slower(material):
            yield say("link.lever_launcher")
        return
    if "one" in ways:
        yield say("link.lever_copies")
    if _slower(material):
        yield say("link.lever_check_layers" if many.key == "layers" else "link.lever_check")
    elif "layers" in ways and many.key == "tensor":
        yield say("link.lever_layers")
