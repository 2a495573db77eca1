"""The machine whose own memory holds the experts: what it costs and how fast it is, beside or instead of cards."""

from dataclasses import dataclass

from assistant.answer import ToolCallRecord
from assistant.compose import amounts, hybrid, names, numbers, ranges
from assistant.compose.arithmetic import cite
from assistant.compose.assume import assumed
from assistant.compose.material import Estimate, Material
from assistant.compose.pace import cite_pace
from assistant.compose.section import Section

_SIZED = ("fits", "fits_with_changes", "estimate")
"""Verdicts on a model of which nobody wanted hardware to order."""


@dataclass(frozen=True, slots=True)
class _Machine:
    held: Estimate
    paced: ToolCallRecord
    paid: ToolCallRecord


def beside(material: Material, section: Section) -> Section:
    """The section with the machine first where nothing else stays within the money, else as another way."""
    found = _machines(material)
    if not found:
        return section
    budget, say = material.need.budget, material.say
    within = [one for one in found if budget is not None and _cost(one) <= budget.amount]
    first = (within or found)[0]
    others = "\n".join(f"- {_line(material, one)}" for one in found if one is not first)
    if section.verdict in _SIZED:
        section.body.insert(0, others)
        section.headline = say("host_machine.runs", **_values(material, first)) + _cited(material, first)
        section.assumptions = assumed(material, first.held)
    elif section.verdict == "does_not_fit" and (within or budget is None):
        section.body[:0] = [others, section.headline]
        section.headline = say("host_machine.within", **_values(material, first)) + _cited(material, first)
        section.verdict = "recommendation"
    else:
        key = "host_machine.beyond" if budget is not None and not within else "host_machine.also"
        section.body.insert(0, "\n".join([say(key), "", *(f"- {_line(material, one)}" for one in found)]))
    section.caveats += [say("host_machine.software"), say("host_machine.prompts")]
    return section


def _machines(material: Material) -> list[_Machine]:
    """Every way that was worked out whole."""
    paid = [one for one in material.records("estimate_cost") if one.request.get("machine_memory_bytes")]
    found = []
    for bill in paid:
        size = bill.request["machine_memory_bytes"]
        held = next(
            (
                one
                for one in material.estimates
                if one.fit and one.fit.host and one.request.get("host_memory_bytes") == size
            ),
            None,
        )
        paced = next(
            (one for one in material.records("estimate_inference_speed")
             if held and one.request.get("host_bandwidth_bytes_per_s") and one.result.get("tokens_per_s_per_user")
             and one.result["weight_format"] == held.result.weight_format), None,
        )  # fmt: skip
        if held and paced and bill.result.get("own") and hybrid.host_of(held).verdict != "no":
            found.append(_Machine(held, paced, bill))
    return found


def _cost(one: _Machine) -> float:
    return float(one.paid.result["own"]["purchase_cost"]["value"])


def _values(material: Material, one: _Machine) -> dict[str, str]:
    memory = f"{one.paid.request['machine_memory_bytes'] / 2**30:.0f} GB"
    return {
        "cards": names.cards(one.held.gpu or "", one.held.gpus),
        "memory": memory,
        "price": amounts.amount(one.paid.result["own"]["purchase_cost"], one.paid.result["currency"]),
        "what": names.model_name(one.held.result.model or ""),
        "format": names.format_name(one.held.result.weight_format),
        "left": numbers.gib(hybrid.host_of(one.held).bytes),
        **ranges.figures(material, one.paced.result["tokens_per_s_per_user"]),
    }


def _line(material: Material, one: _Machine) -> str:
    return material.say("host_machine.line", **_values(material, one)) + _cited(material, one)


def _cited(material: Material, one: _Machine) -> str:
    return (
        cite(material, one.held)
        + cite_pace(material, one.paced.tool, one.paced.result)
        + cite_pace(material, one.paid.tool, one.paid.result)
    )
