"""Follow-ups about the last answer itself: why, show the arithmetic, anything cheaper, which sources."""

from collections.abc import Callable, Iterator

from assistant.answer import ToolCallRecord
from assistant.compose import numbers
from assistant.compose.arithmetic import arithmetic
from assistant.compose.citations import joined
from assistant.compose.material import Material
from assistant.compose.orders import cheapest, orders
from assistant.compose.section import Section
from kb.records.source import Source
from tools.base import Step

STEPS_MAX = 14
"""Steps of a derivation shown; the rest stay in the answer's data."""
SOURCES_MAX = 12


def explained(material: Material, section: Section) -> Section:
    """The answer with every step of its calculation."""
    section.body = [_steps(material, record) for record in _computed(material)][:2] or section.body
    section.configurations = []
    return section


def cheaper(material: Material, section: Section) -> Section:
    """The cheapest ways first."""
    if not material.configurations:
        return section
    rows = sorted(material.configurations, key=lambda one: (one.price.amount is None, one.price.amount or 0))
    best = cheapest(rows)
    rented = [one for one in rows if one.acquisition != best.acquisition]
    section.headline = material.say("command.cheapest", title=best.title)
    section.body = [orders(material, [best, *rented[:1], *rows[1:]]), arithmetic(material, material.estimates)]
    return section


def sourced(material: Material, section: Section) -> Section:
    """Where the facts of the answer come from."""
    lines = []
    for source in list(material.sources.values())[:SOURCES_MAX]:
        marker = material.cites.cite("catalog", source.title, source.id, source.title, url=source.url, date=source.date)
        lines.append(f"- {_titled(source)}" + joined([marker]))
    section.headline = material.say("command.sources" if lines else "command.no_sources")
    section.body = ["\n".join(lines)]
    section.levers, section.caveats, section.assumptions = [], [], []
    return section


def _titled(source: Source) -> str:
    return f"[{source.title}]({source.url})" if source.url else source.title


def _computed(material: Material) -> Iterator[ToolCallRecord]:
    return (record for record in material.calls if record.tool.startswith("estimate") and "error" not in record.result)


def _steps(material: Material, record: ToolCallRecord) -> str:
    lines: list[str] = []
    for row in (record.result.get("derivation") or ())[:STEPS_MAX]:
        step = Step.model_validate(row)
        marker = material.cites.cite("calculation", step.label, f"{record.tool} · {step.label}", written(step))
        lines.append(f"{len(lines) + 1}. {written(step)}" + joined([marker]))
    return "\n".join(lines)


def written(step: Step) -> str:
    """A step on one line: label, formula with its inputs, outcome."""
    inputs = ", ".join(f"{key} = {value}" for key, value in step.inputs.items() if value is not None)
    if step.unit == "bytes" and isinstance(step.value, int | float):
        outcome = numbers.both_units(step.value)
    else:
        outcome = f"{step.value} {step.unit}".strip()
    return f"{step.label}: {step.formula}" + (f" ({inputs})" if inputs else "") + f" = {outcome}"


COMMANDS: dict[str, Callable[[Material, Section], Section]] = {
    "why": explained,
    "arithmetic": explained,
    "cheaper": cheaper,
    "sources": sourced,
}
