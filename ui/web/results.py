"""What a tool's result shows on the page: the verdict in figures, charts, then the arithmetic."""

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from assistant.answer import ToolCallRecord
from assistant.compose.names import format_name, gpu_name
from assistant.compose.reasons import sentences
from assistant.compose.step_labels import step_label
from assistant.phrases import phrases
from kb.units import format_bytes, format_count
from tools.configuration import Configuration, Reason
from ui.web.break_even import break_even
from ui.web.cards import cards
from ui.web.chart import breakdown
from ui.web.evidence import arithmetic
from ui.web.frontier import frontier
from ui.words.labels import both, label
from ui.words.quantities import money, plain, quantity
from ui.words.slots import slot_html

Result = dict[str, Any]
MOST_ROWS = 24


def memory(request: Mapping[str, Any], result: Result) -> str:
    """How much, with what, whether it fits, and on how many of which cards."""
    fit = result.get("fit")
    verdict = ""
    if fit:
        room = [
            (label("max_context"), fit.get("max_context_tokens")),
            (label("max_sequences"), fit.get("max_concurrent_sequences")),
        ]
        told = "".join(f'<p class="quiet">{name}: <b>{plain(value)}</b></p>' for name, value in room if value)
        verdict = f'<p class="verdict {_tone(fit["verdict"])}">{label("fit_" + fit["verdict"])}</p>{told}'
    fewest = [
        [escape(gpu_name(one["gpu"])), str(one["count"]), label(f"fit_{one['verdict']}")]
        for one in result["minimum_gpus"]
    ]
    changes = [
        [_change(one["change"]), format_bytes(one["total_bytes"]), label(f"fit_{one['verdict']}")]
        for one in result.get("changes") or []
    ]
    return (
        f"{verdict}{breakdown(result)}"
        f"{_part('changes', [label('change'), label('memory'), label('memory_fit')], changes)}"
        f"{_part('fewest_cards', [label('card'), label('cards_count'), label('memory_fit')], fewest)}"
        f"{_steps('estimate_memory', request, result)}"
    )


def what_fits(request: Mapping[str, Any], result: Result) -> str:
    """The largest model by way of running it, then models one could name."""
    rows = [
        [
            slot_html("task", row["task"]),
            escape(format_name(row["weight_format"])),
            f"<b>{format_count(row['max_params'])}</b>" if row.get("max_params") else "–",
        ]
        for row in result["rows"]
    ]
    named = [
        [escape(one["name"]), escape(format_name(row["weight_format"])), slot_html("task", row["task"]),
         format_bytes(one["needed_bytes_per_gpu"]), label(f"fit_{one['verdict']}")]
        for row in result["rows"]
        for one in row["examples"]
    ]  # fmt: skip
    head = [label("slot_model"), label("slot_weight_format"), label("slot_task"), label("memory"), label("memory_fit")]
    return (
        f"{_part('largest', [label('slot_task'), label('slot_weight_format'), label('slot_params')], rows)}"
        f"{_part('models_that_fit', head, named[:MOST_ROWS])}"
        f"{_steps('what_fits', request, result)}"
    )


def planner(request: Mapping[str, Any], result: Result) -> str:
    """Configurations, the frontier, and what nearly made it."""
    found = [Configuration.model_validate(one) for one in result["configurations"]]
    misses = [[escape(one["title"]), *_miss(one)] for one in result["rejected"]]
    none = "" if found else f'<p class="warned">{label("nothing_fits")}</p>'
    head = [label("configuration"), label("why_not"), label("change")]
    return (
        f"{none}{cards(found)}{frontier(result)}{_part('near_misses', head, misses)}"
        f"{_steps('configure', request, result)}"
    )


def cost(request: Mapping[str, Any], result: Result) -> str:
    """Owning beside renting, by the month and by use."""
    currency = result["currency"]
    rows = []
    if own := result.get("own"):
        rows.append([label("own"), *_monthly(own, currency)])
    rows += [[label(f"rent_{_way(one['purchase'])}"), *_monthly(one, currency)] for one in result["rent"]]
    head = [label("way"), label("a_month"), label("in_all")]
    return f"{_part('owning_or_renting', head, rows)}{break_even(result)}{_steps('estimate_cost', request, result)}"


def power(request: Mapping[str, Any], result: Result) -> str:
    """Watts at the wall, heat, and energy by the month."""
    energy, currency = result["energy"], result["energy"]["currency"]
    rows = [
        [label("cards_draw"), f"{result['cards_w']:,.0f} W"],
        [label("at_the_wall"), f"{result['wall_max_w']:,.0f} W"],
        [label("heat"), f"{result['heat_btu_per_hour']:,.0f} BTU/h"],
        [label("air"), f"{result['airflow_m3_per_hour']:,.0f} m³/h"],
    ]
    if result.get("vendor_suggested_psu_w"):
        rows.append([label("psu"), f"{result['vendor_suggested_psu_w']:,.0f} W"])
    rows.append([label("energy"), f"{energy['kwh_per_month']['value']:,.0f} kWh"])
    rows.append([label("electricity"), _range(energy["monthly_cost"], currency)])
    return f"{_part('power', [label('what'), label('estimate')], rows)}{_steps('plan_power', request, result)}"


def compare(request: Mapping[str, Any], result: Result) -> str:
    """Cards side by side, attribute by attribute."""
    ids = [one["id"] for one in result["gpus"]]
    rows = [[_either(one["label"]), *(_cell(one, gpu_id) for gpu_id in ids)] for one in result["attributes"]]
    return _part("compared_cards", [label("what"), *(escape(gpu_name(gpu_id)) for gpu_id in ids)], rows)


def _cell(attribute: Mapping[str, Any], gpu_id: str) -> str:
    value, unit = attribute["values"].get(gpu_id), attribute.get("unit") or ""
    shown = escape(format_bytes(value, 0) if unit == "bytes" and value else quantity(value, unit))
    return f"<b>{shown}</b>" if attribute.get("winner") == gpu_id else shown


RESULTS: dict[str, Callable[[Mapping[str, Any], Result], str]] = {
    "estimate_memory": memory,
    "what_fits": what_fits,
    "configure": planner,
    "estimate_cost": cost,
    "plan_power": power,
    "compare_gpus": compare,
}


def _part(key: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table under its heading; nothing when it has no row."""
    if not rows:
        return ""
    top = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    body = "".join(
        "<tr>" + f'<th scope="row">{row[0]}</th>' + "".join(f"<td>{cell}</td>" for cell in row[1:]) + "</tr>"
        for row in rows
    )
    return (
        f'<section class="part"><h3>{label(key)}</h3><div class="scroll" tabindex="0">'
        f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div></section>"
    )


def _steps(name: str, request: Mapping[str, Any], result: Result) -> str:
    lines = "".join(f"<li>{escape(line)}</li>" for line in [*result["assumptions"], *result["warnings"]][:8])
    notes = f'<ul class="trade" lang="en">{lines}</ul>' if lines else ""
    return arithmetic([ToolCallRecord(tool=name, request=dict(request), result=result)]) + notes


def _tone(verdict: str) -> str:
    return {"yes": "fits", "tight": "fits_with_changes", "no": "does_not_fit"}[verdict]


def _change(text: str) -> str:
    """`weight_format = int4` with the field named and the value written as people do."""
    name, _, value = text.partition(" = ")
    return f"{label(f'slot_{name}')} = {slot_html(name, value)}" if value else escape(text)


def _miss(one: Mapping[str, Any]) -> list[str]:
    reasons = [Reason.model_validate(row) for row in one.get("reasons") or ()]
    if not reasons:
        return [escape(one["reason"]), escape(one["change"])]
    return [
        both(" ".join(sentences(reasons, kind, phrases("en"))), "".join(sentences(reasons, kind, phrases("zh"))))
        for kind in ("reason", "change")
    ]


def _monthly(one: Mapping[str, Any], currency: str) -> list[str]:
    return [_range(one["monthly_cost"], currency), _range(one["total_cost"], currency)]


def _range(found: Mapping[str, float], currency: str) -> str:
    value, low, high = (money(found[key], currency) for key in ("value", "low", "high"))
    return f'<b>{value}</b> <span class="quiet">{low} – {high}</span>' if low != high else f"<b>{value}</b>"


def _way(purchase: str) -> str:
    return {"reserved": "reserved_1y"}.get(purchase, purchase)


def _either(text: str) -> str:
    chinese = step_label(text, "zh")
    return escape(text) if chinese == text else both(text, chinese)
