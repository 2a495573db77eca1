"""Serving over several machines: whether their network is the bottleneck, how fast it is, and one machine alone."""

from assistant.answer import ToolCallRecord
from assistant.compose import capacity, facts, names, numbers, ranges
from assistant.compose.arithmetic import arithmetic, cite
from assistant.compose.aspects import BY_KEY
from assistant.compose.assume import assumed
from assistant.compose.citations import joined
from assistant.compose.clarify import ambiguous_names
from assistant.compose.material import Material
from assistant.compose.pace import cite_pace
from assistant.compose.section import Section
from assistant.plan import network, requests
from assistant.plan import nodes as plan

BITS = 8


def nodes(material: Material) -> Section | None:
    """The network first where it is slow, else the layout over it; None where the machines do not hold the model."""
    found = plan.spread(material.understanding)
    if found is None:
        return None
    card, each = found
    if not requests.sized(material.need):
        return _unsized(material)
    wide = next((one for one in material.estimates if one.fits and one.gpus == card.count), None)
    paced = _paced(material, card.count or 1)
    if wide is None or paced is None:
        return None
    say = material.say
    slow = _slow(material)
    values = {
        "cards": names.cards(card.gpu, card.count or 1), "what": names.model_name(wide.result.model or ""),
        "format": names.format_name(wide.result.weight_format), "total": numbers.gib(wide.result.per_gpu.total_bytes),
        "usable": numbers.gib(wide.placed.usable_bytes, digits=1), "machine": names.cards(card.gpu, each),
        **ranges.figures(material, paced.result["tokens_per_s_per_user"]),
    }  # fmt: skip
    if not wide.result.model:
        values["what"] = say("model.of_size", size=numbers.params(wide.result.params))
    headline = say("nodes.slow" if slow else "nodes.fast", **values)
    section = Section("fits_with_changes" if slow else "fits", headline + cite(material, wide), settled=True)
    section.headline += cite_pace(material, paced.tool, paced.result)
    over = _network(material) if slow else say("nodes.layout", **values)
    section.body = [over, _alone(material, card.gpu, each)]
    section.body.append(arithmetic(material, [wide]))
    section.levers = [say("nodes.faster")] if slow else []
    section.assumptions = [*assumed(material, wide), *ambiguous_names(material)]
    return section


def _slow(material: Material) -> bool:
    speed = network.bandwidth(material.understanding.text)
    return speed is not None and speed < plan.SLOW_BYTES_PER_S


def _network(material: Material) -> str:
    """What the network moves, against the link inside a machine."""
    speed = network.bandwidth(material.understanding.text) or 0.0
    row = next(iter(facts.cards(material)), None)
    gigabit = material.say("network.speed", gigabit=f"{speed / network.GIGABIT_BYTES_PER_S:g}")
    quote = f"{speed * BITS / 1e9:g} Gbit/s / {BITS} = {numbers.rate(speed, 'B/s')}"
    marker = joined([material.cites.cite("calculation", gigabit, "network", quote)])
    link = BY_KEY["link"].value(row) if row and row.nvlink_bytes_per_s else None
    key = "nodes.network" if link else "nodes.network_alone"
    told = material.say(key, network=gigabit, own=numbers.rate(speed, "B/s"), link=link or "")
    return told + marker + (facts.cite_card(material, row, [BY_KEY["link"]]) if row and link else "")


def _alone(material: Material, card: str, each: int) -> str:
    """One machine by itself, where it holds the model in some format: no network at all."""
    one = next((one for one in material.estimates if one.fits and one.gpus == each), None)
    paced = _paced(material, each)
    if one is None or paced is None:
        return ""
    return material.say(
        "nodes.alone", cards=names.cards(card, each), format=names.format_name(one.result.weight_format),
        total=numbers.gib(one.result.per_gpu.total_bytes), usable=numbers.gib(one.placed.usable_bytes, digits=1),
        **ranges.figures(material, paced.result["tokens_per_s_per_user"]),
    ) + cite(material, one) + cite_pace(material, paced.tool, paced.result)  # fmt: skip


def _paced(material: Material, count: int) -> ToolCallRecord | None:
    return next(
        (one for one in material.records("estimate_inference_speed")
         if one.result.get("gpu_count") == count and one.result.get("tokens_per_s_per_user")), None,
    )  # fmt: skip


def _unsized(material: Material) -> Section:
    """What all of them hold, how they are to be joined, and what they are wanted for."""
    section = capacity.what_fits(material)
    section.body.insert(0, material.say("nodes.joined_slow" if _slow(material) else "nodes.joined"))
    return section
