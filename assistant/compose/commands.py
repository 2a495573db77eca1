"""Follow-ups about the last answer: why, the arithmetic, anything cheaper, which sources, what was assumed."""

import re
from collections.abc import Callable, Iterator

from assistant.answer import ToolCallRecord
from assistant.compose import because_card, cost, names, numbers
from assistant.compose.arithmetic import arithmetic, column_name
from assistant.compose.because import because, bill, of, particular
from assistant.compose.citations import joined
from assistant.compose.leading import main_and_others
from assistant.compose.material import Material
from assistant.compose.orders import cheapest, orders, price
from assistant.compose.proposal import rest, used
from assistant.compose.section import Section
from assistant.compose.step_labels import step_formula, step_label, step_unit
from assistant.plan import requests
from kb.catalog import gpus
from kb.records.source import Source
from tools.base import Scalar, Step
from tools.configuration import Configuration

STEPS_MAX = 14
"""Steps of a derivation shown; the rest stay in the answer's data."""
SOURCES_MAX = 12
DERIVATIONS_MAX = 1
"""Calculations explained step by step when only the reason is asked for."""


def explained(material: Material, section: Section) -> Section:
    """The answer with every step of its memory calculation; of a card, the reason for it beside those next to it."""
    of_card = material.understanding.command == "why" and not particular(material.text)
    chosen_for = because_card.reason(material) if of_card else ""
    if chosen_for and because_card.asked(material):
        section.headline, section.body = chosen_for, [because_card.table(material)]
        section.configurations, section.levers = [], []
        return section
    told = of(material) if material.understanding.command == "why" else None
    records = sorted(material.records("estimate_memory"), key=lambda one: told is None or one.request != told.request)
    steps = [_steps(material, record) for record in records]
    section.body = [block for block in steps if block][:DERIVATIONS_MAX] or section.body
    section.configurations = []
    if reason := chosen_for or (because(material) if material.understanding.command == "why" else ""):
        section.body = [section.headline] if reason == bill(material) else [section.headline, *section.body]
        section.headline = reason
    return section


def reckoned(material: Material, section: Section) -> Section:
    """Every step of the calculations that the answer rests on: one of each kind, and of memory also what fits."""
    main, others = main_and_others(material)
    way = next((one.request for one in others if one.fits), None) if main is not None and not main.fits else None
    wanted = [record for record in _computed(material) if _reckons(material, record)] or list(_computed(material))
    leading = material.recommended.request if material.recommended else None
    kept: dict[str, ToolCallRecord] = {}
    for record in wanted:
        if record.tool not in kept or record.request == leading:
            kept[record.tool] = record
    shown = [*kept.values(), *(record for record in wanted if record.request == way and record not in kept.values())]
    steps = [(record, _steps(material, record)) for record in shown]
    told = [(record, text) for record, text in steps if text]
    section.body = [
        text if len(told) == 1 else f"{_title(material, one)}\n\n{text}" for one, text in told
    ] or section.body
    section.configurations, section.levers = [], []
    return section


def _reckons(material: Material, record: ToolCallRecord) -> bool:
    """Whether it reckons what the turn names; all of them where it names nothing."""
    named = {tool for tool, words in _RECKONED.items() if words.search(material.text)}
    return not named or record.tool in named


def _title(material: Material, record: ToolCallRecord) -> str:
    """What a list of steps reckons, and of what."""
    of = next((one for one in material.estimates if one.request == record.request), None)
    what = material.say(f"command.steps_{record.tool}")
    if of is not None:
        cards = [names.cards(of.gpu, of.gpus)] if of.gpu in gpus() else []
        what += material.say("list.colon") + material.say.listed([column_name(material, of), *cards])
    return f"**{what}**"


_RECKONED = {
    "estimate_memory": re.compile(r"显存|内存|memory|vram|\bgi?b\b", re.I),
    "estimate_inference_speed": re.compile(r"速度|多快|tokens?/s|speed|fast|throughput", re.I),
    "estimate_training_time": re.compile(r"时间|多久|几天|\btime\b|hours|days", re.I),
    "plan_power": re.compile(r"功耗|用电|电费|瓦|power|watt|electric|kwh", re.I),
    "estimate_cost": re.compile(r"费用|花费|成本|价格|多少钱|cost|price|money|bill", re.I),
}
"""Words by which one of several calculations is asked for."""
READABLE = "readable"
"""The input of a step that says its outcome once more, for people."""
_SYMBOL = re.compile(r"[a-z_][a-z_0-9]*", re.I)
"""A name in a formula."""
_DERIVED = re.compile(
    r"where (?:does|do|did|is) [^.?!\n]{0,72}?com(?:e|ing) from"
    r"|how (?:is|was|are|were|do (?:you|they|i)) [^.?!\n]{0,40}?(?:calculat|comput|deriv|arriv"
    r"|work(?:ed)? (?:that |it )?out)\w*"
    r"|(?:explain|understand) [^.?!\n]{0,40}?(?:calculat|deriv|formula|arithmetic)\w*"
    r"|why (?:is it |does it take )?\d+ bytes|(?:怎么|如何)(?:算|推|得)(?:出)?来的?|这个公式|\d+ ?倍?(?:是)?怎么来的",
    re.I,
)
"""Words that ask for the reckoning itself, not for what to do with it."""


def _label(material: Material, step: Step) -> str:
    """A step's label inside a sentence."""
    return step_label(step.label, material.say.language).lower()


def asks_derivation(material: Material) -> bool:
    """Whether a question that says what is reckoned asks how."""
    return _DERIVED.search(material.text) is not None and bool(material.estimates)


def derived(material: Material, section: Section) -> Section:
    """What a parameter takes of each kind, then every step; nothing to order was asked for."""
    kinds = [
        material.say("command.kind", label=_label(material, step), size=_plain(step.inputs["bytes"] or 0))
        for record in list(material.records("estimate_memory"))[:DERIVATIONS_MAX]
        for step in map(Step.model_validate, record.result.get("derivation") or ())
        if step.inputs.get("bytes") and step.formula.startswith("params · bytes")
    ]
    section.body.insert(0, section.headline)
    section = explained(material, section)
    if kinds:
        section.body = [section.headline, *section.body]
        section.headline = material.say("command.per_parameter", kinds=material.say.listed(kinds))
    section.questions, section.levers = [], []
    return section


def cheaper(material: Material, section: Section) -> Section:
    """The cheapest ways first: what the asker has already, where that does it, and renting held against owning."""
    if material.intents[0] == "cloud_or_buy" and cost.meets(material):
        section.headline = material.say("command.nothing_cheaper_either", told=section.headline)
        return section
    found = section.configurations if material.understanding.workloads else material.configurations
    rows = [one for one in found if one.price.amount and one.owned_count < one.gpu_count]
    mine = next((one for one in found if one.owned_count >= one.gpu_count), None)
    if mine is not None and mine.weight_format and material.before.field("measure") == "fit":
        section.headline = material.say(
            "command.cheapest_in_hand",
            cards=names.cards(mine.gpu, mine.gpu_count),
            format=names.format_name(mine.weight_format),
        )
        section.body = [orders(material, [mine, *sorted(rows, key=lambda one: one.price.amount or 0)])]
        return section
    if not rows:
        return section
    best = cheapest(rows)
    others = sorted((one for one in rows if one is not best), key=lambda one: one.price.amount or 0)
    other_way = [one for one in others if one.acquisition != best.acquisition]
    cards = names.cards(best.gpu, best.gpu_count)
    key = "command.nothing_cheaper" if _led(material, best) else "command.cheapest"
    section.headline = material.say(key, cards=cards, price=price(material, best))
    section.body = [orders(material, [best, *other_way[:1], *others]), arithmetic(material, material.estimates)]
    return section


def _led(material: Material, one: Configuration) -> bool:
    """Whether the answer before put this forward first."""
    before, cards = material.before, names.cards(one.gpu, one.gpu_count)
    return before.field("measure") == "order" and (before.field("said") or "").startswith(cards)


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


def assumptions(material: Material, section: Section) -> Section:
    """What was understood and what was taken for granted: so that either can be put right."""
    say, need = material.say, material.need
    cards = [names.cards(card.gpu, card.count or 1) for card in requests.compared(need)]
    known = [names.model_name(need.model) if need.model else None, *cards]
    understood = say.listed([one for one in known if one])
    lines = [say("command.understood", what=understood)] if understood else []
    lines += section.assumptions
    section.headline = say("command.assumed" if section.assumptions else "command.nothing_assumed")
    section.body = ["\n".join(f"- {line}" for line in lines)]
    section.levers, section.caveats, section.assumptions, section.configurations = [], [], [], []
    return section


def _titled(source: Source) -> str:
    return f"[{source.title}]({source.url})" if source.url else source.title


def _computed(material: Material) -> Iterator[ToolCallRecord]:
    reckoned = (*(f"estimate_{name}" for name in ("memory", "inference_speed", "training_time", "cost")), "plan_power")
    return (record for record in material.calls if record.tool in reckoned and "error" not in record.result)


def _steps(material: Material, record: ToolCallRecord) -> str:
    lines: list[str] = []
    for row in (record.result.get("derivation") or ())[:STEPS_MAX]:
        step = Step.model_validate(row)
        marker = material.cites.cite("calculation", step.label, f"{record.tool} · {step.label}", written(step))
        lines.append(f"{len(lines) + 1}. {written(step, material.understanding.language)}" + joined([marker]))
    return "\n".join(lines)


def written(step: Step, language: str = "en") -> str:
    """A step on one line: label, formula with its inputs, outcome."""
    inputs = ", ".join(
        f"{key} = {_plain(value)}" for key, value in step.inputs.items() if value is not None and key != READABLE
    )
    if step.unit == "bytes" and isinstance(step.value, int | float):
        outcome = numbers.both_units(step.value)
    else:
        outcome = f"{_plain(step.value)} {step_unit(step.unit, language)}".strip()
    label, formula = step_label(step.label, language), step_formula(step.formula, language)
    colon = "：" if language == "zh" else ": "
    if filled := _filled(step):
        return f"{label}{colon}" + (f"{formula} = {filled} = " if filled != formula else "") + outcome
    return f"{label}{colon}{formula}" + (f" ({inputs})" if inputs else "") + f" = {outcome}"


def _filled(step: Step) -> str:
    """The formula with its figures put in, as one reckons by hand; the formula itself where it only names its figure.

    Empty where some of its names have no figure, or figures are of no name in it.
    """
    names_in = set(_SYMBOL.findall(step.formula))
    known = {name: value for name, value in step.inputs.items() if value is not None}
    unused = [value for name, value in known.items() if name not in names_in and value != 1]
    if not names_in or not names_in <= set(known) or unused:
        return ""
    if step.formula.strip() in names_in:
        return step.formula
    return _SYMBOL.sub(lambda found: _plain(known[found[0]]), step.formula)


def _plain(value: Scalar) -> str:
    """A figure one can read: whole numbers in groups of three, others to four digits."""
    if isinstance(value, float) and not value.is_integer():
        return f"{value:.4g}" if abs(value) >= 1e-4 else f"{value:.7f}"
    return f"{value:,.0f}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


COMMANDS: dict[str, Callable[[Material, Section], Section]] = {
    "why": explained,
    "arithmetic": reckoned,
    "cheaper": cheaper,
    "used": used,
    "rest": rest,
    "sources": sourced,
    "assumed": assumptions,
}
