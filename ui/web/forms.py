"""Plain forms for people who would rather fill in than ask: each is a tool, its fields and what its result shows."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from kb.base import BadInput
from tools.registry import tool
from ui.web.results import RESULTS
from ui.web.understood import FORMATS
from ui.words.labels import label
from ui.words.slots import slot

TASKS = ("inference", "lora", "qlora", "full_finetune", "pretrain")
ENGINES = ("", "vllm", "sglang", "llama.cpp", "transformers", "ollama", "deepspeed", "unsloth")


@dataclass(frozen=True, slots=True)
class Field:
    """One input of a form."""

    name: str
    kind: str
    """`model`, `card`, `number` or `choice`."""
    value: str = ""
    choices: tuple[str, ...] = ()
    least: float = 1
    most: float = 1e12


@dataclass(frozen=True, slots=True)
class Form:
    """A form over one tool."""

    name: str
    tool: str
    fields: tuple[Field, ...]


_CARD = Field("gpu", "card", "RTX 4090")
_COUNT = Field("gpu_count", "number", "1", most=4096)
FORMS = (
    Form("memory", "estimate_memory", (
        Field("model", "model", "Qwen2.5-7B"), Field("task", "choice", "inference", TASKS),
        Field("weight_format", "choice", "", ("", *FORMATS)), _CARD,
        Field("tensor_parallel", "number", "1", most=1024), Field("context_tokens", "number", "8192", most=1e8),
        Field("concurrent_sequences", "number", "1", most=1e6), Field("engine", "choice", "", ENGINES),
    )),
    Form("what_fits", "what_fits", (
        _CARD, _COUNT, Field("task", "choice", "inference", TASKS[:4]),
        Field("weight_format", "choice", "", ("", *FORMATS)), Field("context_tokens", "number", "8192", most=1e8),
    )),
    Form("planner", "configure", (
        Field("model", "model", "Qwen2.5-72B"), Field("task", "choice", "inference", TASKS),
        Field("weight_format", "choice", "", ("", *FORMATS)), Field("context_tokens", "number", "8192", most=1e8),
        Field("users", "number", "", most=1e9), Field("amount", "number", "", most=1e13),
        Field("currency", "choice", "USD", ("USD", "CNY", "EUR", "GBP")),
        Field("acquisition", "choice", "", ("", "buy", "rent")),
    )),
    Form("cost", "estimate_cost", (
        Field("gpu", "card", "H100 SXM"), Field("gpu_count", "number", "8", most=4096),
        Field("years", "number", "3", least=0.1, most=15), Field("hours_per_day", "number", "24", least=0.1, most=24),
        Field("country", "choice", "", ("", "CN", "US", "DE", "GB", "FR", "JP", "IN", "SG")),
        Field("currency", "choice", "USD", ("USD", "CNY")),
    )),
    Form("power", "plan_power", (
        Field("gpu", "card", "RTX 4090"), Field("gpu_count", "number", "4", most=4096),
        Field("hours_per_day", "number", "24", least=0.1, most=24),
        Field("country", "choice", "", ("", "CN", "US", "DE", "GB", "FR", "JP", "IN", "SG")),
        Field("site", "choice", "", ("", "home", "server_room", "colocation")),
    )),
)  # fmt: skip
BY_NAME = {form.name: form for form in FORMS}


def forms_view() -> str:
    """Every form behind a tab of its own; the first is shown."""
    tabs = "".join(
        f'<button type="button" role="tab" id="tab-{form.name}" aria-controls="form-{form.name}" '
        f'aria-selected="{str(index == 0).lower()}" tabindex="{-1 if index else 0}" data-tab="{form.name}">'
        f"{label(f'form_{form.name}')}</button>"
        for index, form in enumerate(FORMS)
    )
    panels = "".join(_panel(form, hidden=index > 0) for index, form in enumerate(FORMS))
    return (
        f'<section class="view"><h2>{label("forms_view")}</h2><p class="quiet">{label("forms_text")}</p>'
        f'<div class="tabs" role="tablist">{tabs}</div>{panels}'
        '<datalist id="models"></datalist><datalist id="cards"></datalist></section>'
    )


def run(name: str, given: Mapping[str, Any]) -> str:
    """The result of a form as HTML.

    Raises:
        BadInput: no such form, or a field that cannot be used.
    """
    form = BY_NAME.get(name)
    if form is None:
        raise BadInput("form", "is not one of the page's.", f"Use one of: {', '.join(BY_NAME)}.")
    chosen = tool(form.tool)
    request = _request(form, given)
    result = chosen.call(request).model_dump(mode="json")
    return RESULTS[form.tool](request, result)


def _request(form: Form, given: Mapping[str, Any]) -> dict[str, Any]:
    """What was filled in as the tool's request: empty fields left out, numbers read."""
    request: dict[str, Any] = {}
    for field in form.fields:
        text = str(given.get(field.name) or "").strip()
        if text:
            request[field.name] = _number(field, text) if field.kind == "number" else text
    if form.tool == "configure":
        amount, currency = request.pop("amount", None), request.pop("currency", "USD")
        if amount:
            mode = request.get("acquisition")
            period = {"period": "month"} if mode == "rent" else {}
            request["budget"] = {"amount": amount, "currency": currency, "mode": mode, **period}
    if form.tool == "what_fits" and "gpu" in request:
        request["gpus"] = [{"gpu": request.pop("gpu"), "count": request.pop("gpu_count", 1)}]
    return request


def _number(field: Field, text: str) -> float | int:
    try:
        value = float(text.replace(",", "").replace("，", ""))
    except ValueError:
        raise BadInput(field.name, "is not a number.", "Write digits only.") from None
    if not field.least <= value <= field.most:
        raise BadInput(field.name, f"must lie between {field.least:,.10g} and {field.most:,.10g}.")
    return int(value) if value.is_integer() else value


def _panel(form: Form, *, hidden: bool) -> str:
    inputs = "".join(_input(form, field) for field in form.fields)
    return (
        f'<div role="tabpanel" id="form-{form.name}" aria-labelledby="tab-{form.name}"{" hidden" if hidden else ""}>'
        f'<form class="grid" data-form="{form.name}" novalidate>{inputs}</form>'
        f'<div class="result" id="result-{form.name}" role="status" aria-live="polite"></div></div>'
    )


def _input(form: Form, field: Field) -> str:
    name = label(f"slot_{field.name}")
    if field.kind == "choice":
        options = "".join(
            f'<option value="{escape(value)}"{" selected" if value == field.value else ""} '
            f'data-en="{escape(_choice(field.name, value, "en"))}" '
            f'data-zh="{escape(_choice(field.name, value, "zh"))}">{escape(_choice(field.name, value, "en"))}</option>'
            for value in field.choices
        )
        return f'<label class="field">{name}<select name="{field.name}">{options}</select></label>'
    listed = {"model": ' list="models"', "card": ' list="cards"'}.get(field.kind, "")
    numeric = ' inputmode="decimal"' if field.kind == "number" else ""
    return (
        f'<label class="field">{name}<input name="{field.name}" value="{escape(field.value)}"{listed}{numeric} '
        f'autocomplete="off" spellcheck="false"></label>'
    )


def _choice(name: str, value: str, language: str) -> str:
    if not value:
        return "自动" if language == "zh" else "automatic"
    if name in ("currency", "country"):
        return value
    return slot(name, value, language)
