"""Fields of the Need as a person writes them, in either language."""

import re
from html import escape
from typing import Any

from assistant.compose import names
from assistant.phrases import phrases
from kb.catalog import gpus
from kb.units import GIB, HOUR_S, format_count
from tools.need import Budget
from ui.words.labels import both, labels
from ui.words.quantities import money, plain

SIZES = ("memory_bytes_per_gpu", "host_memory_bytes", "card_memory_least_bytes", "card_memory_most_bytes")
FORMATS = ("weight_format", "kv_format")
CARDS = ("gpus_owned", "gpus_asked", "gpus_proposed", "gpus")
_ID = re.compile(r"\b[a-z][a-z0-9]*(?:-[a-z0-9.]+)+\b")


def slot_html(name: str, value: Any) -> str:
    """A value for the page, in both languages where they differ."""
    english, chinese = slot(name, value, "en"), slot(name, value, "zh")
    return escape(english) if english == chinese else both(english, chinese)


def slot(name: str, value: Any, language: str = "en") -> str:
    """A field's value in words: names instead of ids, sizes in GiB, money with its sign."""
    if name == "budget":
        return _budget(value, language)
    if name in CARDS:
        between = "、" if language == "zh" else ", "
        return between.join(_card(row) for row in value)
    if name == "conditions":
        between, listed = ("、" if language == "zh" else ", "), (value,) if isinstance(value, str) else value
        return between.join(phrases(language)(f"changed.condition_{one}") for one in listed)
    if name in FORMATS:
        return names.format_name(str(value))
    if name == "model":
        return names.model_name(str(value))
    if name == "engine":
        return names.engine_name(str(value))
    if name in SIZES:
        return f"{value / GIB:,.4g} GiB"
    if name == "params":
        return format_count(value)
    if name in ("deadline_s", "term_s"):
        return f"{value / HOUR_S:,.3g} {'小时' if language == 'zh' else 'h'}"
    if name == "target_latency_s":
        return f"{value:,.3g} s"
    if isinstance(value, bool):
        return _word("yes" if value else "no", language)
    if isinstance(value, int | float):
        return plain(value)
    if name in ("task", "sharding"):
        return phrases(language).get(f"{name}.{value}") or str(value)
    return _word(str(value), language)


def with_names(text: str) -> str:
    """A text in which cards stand by their names instead of their ids."""
    return _ID.sub(lambda match: names.gpu_name(match[0]) if match[0] in gpus() else match[0], text)


def slot_name(name: str, language: str) -> str:
    """What a field is called."""
    english, chinese = labels().get(f"slot_{name}", (name.replace("_", " "),) * 2)
    return chinese if language == "zh" else english


def _card(row: Any) -> str:
    if isinstance(row, str):
        return _gpu(row)
    return f"{row['count']} × {_gpu(row['gpu'])}" if row.get("count") else _gpu(row["gpu"])


def _gpu(gpu_id: str) -> str:
    """A card by name; one known by its memory alone, `24gb-gpu`, by that."""
    if gpu_id.endswith("gb-gpu"):
        return f"GPU {gpu_id.removesuffix('gb-gpu')} GB"
    return "GPU" if gpu_id == "gpu" else names.gpu_name(gpu_id)


def _budget(value: dict[str, Any], language: str) -> str:
    """An amount, with what it is for; a request leaves out what is as usual, such as dollars."""
    budget = Budget.model_validate(value)
    text = money(budget.amount, budget.currency)
    english, chinese = labels()[f"per_{budget.period}"] if budget.period else ("", "")
    text += (chinese if language == "zh" else english).replace(" ", "")
    return f"{text} {_word(budget.mode, language)}" if budget.mode else text


def _word(value: str, language: str) -> str:
    english, chinese = labels().get(value, (value.replace("_", " "),) * 2)
    return chinese if language == "zh" else english
