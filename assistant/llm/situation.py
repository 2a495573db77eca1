"""What a turn was about, from the model's own calls: the need, the configurations, and what nothing used."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from assistant.answer import Unused
from assistant.grounding.wording.figures import Figure, figures
from assistant.grounding.wording.mentions import products
from assistant.grounding.wording.quantities import MONEY, PACE, PLAIN, POWER
from assistant.grounding.wording.statements import statements
from assistant.understanding import Asked
from kb.base import AdvisorError
from tools.agent_tools import reading
from tools.agent_tools.ledger import LookedUp
from tools.configuration import Configuration
from tools.need import Budget, GpuCount, Intent, Task

IN_HAND = frozenset({"find_ways_to_run", "find_ways_to_train", "explain", "launch_files"})
"""Tools whose `cards` are there or thought of; those of `configure` bound a choice."""
INTENTS: Mapping[str, Intent] = {
    "find_ways_to_run": "can_it_run", "find_ways_to_train": "training_time", "configure": "which_to_buy",
    "explain": "oom", "look_up": "spec", "cost": "cloud_or_buy", "launch_files": "launch_files",
    "search_guidance": "guidance",
}  # fmt: skip
TASKS: Mapping[str, Task] = {
    "full": "full_finetune", "sft": "full_finetune", "lora": "lora", "qlora": "qlora", "pretrain": "pretrain",
    "inference": "inference", "dpo": "lora", "grpo": "lora",
}  # fmt: skip
UNUSED_MAX = 8
PARTS = re.compile(r"[a-z]{3,}|\d+(?:\.\d+)?b?")
"""Words and numbers of a product's name."""
TELLING = frozenset({MONEY, PACE, POWER})
"""Kinds of figures that are told when nothing used them: a budget, a wished speed, a limit of power."""


def need_of(looked_up: Sequence[LookedUp], before: Asked | None, intent: Intent | None = None) -> Asked:
    """The need as the calls of this turn tell it, over what was known before; with the `intent` where it was read."""
    fields: dict[str, Any] = {} if before is None else before.model_dump()
    for one in looked_up:
        if not one.failed:
            fields.update(_fields(one))
    fields |= {"intent": intent} if intent else {}
    try:
        return Asked.model_validate(fields)
    except ValueError:  # a figure no need can hold, such as zero users: the calls still stand
        return before or Asked()


def _fields(one: LookedUp) -> dict[str, Any]:
    """What one call tells of the need; what does not read is left out, its own tool has said so."""
    asked = one.request
    told: dict[str, Any] = {"intent": INTENTS.get(one.tool)} if one.tool in INTENTS else {}
    if text := asked.get("model"):
        told |= {"model_text": text, **_model(text, asked.get("weight_format"))}
    for name in ("context_tokens", "concurrent_sequences", "users", "sequence_tokens", "dataset_tokens"):
        told |= _read(name, asked.get(name), reading.count)
    told |= _read("epochs", asked.get("epochs"), reading.number)
    told |= _read("target_tokens_per_s", asked.get("target_tokens_per_s"), reading.number)
    for name, field in (("deadline_s", "deadline"), ("target_latency_s", "target_first_token")):
        told |= _read(name, asked.get(field), reading.seconds)
    told |= _read(
        "host_memory_bytes", asked.get("host_memory"), lambda text, _: reading.host(text)["host_memory_bytes"]
    )
    for name in ("optimizer", "gradient_checkpointing", "sharding"):
        told |= {name: asked[name]} if asked.get(name) else {}
    told |= {"kv_format": reading.cache(asked["kv_format"])} if asked.get("kv_format") else {}
    told |= {"engine": reading.engine(asked["engine"])} if asked.get("engine") else {}
    task = TASKS.get(str(asked.get("method") or asked.get("task") or "inference").lower().split()[0], "inference")
    told |= {"task": task} if one.tool in {"find_ways_to_run", "find_ways_to_train", "configure"} else {}
    told |= _cards(one)
    country = asked.get("country")
    told |= {"country": str(country).upper()} if country and len(str(country)) == 2 and str(country).isalpha() else {}
    told |= {"provider": asked["provider"]} if asked.get("provider") else {}
    return told | _budget(asked)


def _model(text: str, weight_format: str | None) -> dict[str, Any]:
    try:
        named, form = reading.model_and_format(text, weight_format)
    except AdvisorError:
        return {}
    return {"model": None, "params": None, **named, **({"weight_format": form} if form else {})}


def _cards(one: LookedUp) -> dict[str, Any]:
    text = one.request.get("owned") if one.tool == "configure" else one.request.get("cards")
    if not text or (one.tool not in IN_HAND and one.tool != "configure"):
        return {}
    try:
        rows = reading.stated(reading.cards(text))
    except AdvisorError:
        return {}
    return {"gpus_owned": tuple(GpuCount(gpu=row["gpu"], count=row["count"]) for row in rows)}


def _budget(asked: Mapping[str, Any]) -> dict[str, Any]:
    if not asked.get("budget"):
        return {}
    try:
        money = reading.money(asked["budget"], "budget")
    except AdvisorError:
        return {}
    if money is None or money.amount <= 0:
        return {}
    period: Any = money.per if money.per in {"hour", "month", "year"} else None
    mode: Any = "rent" if period else asked.get("acquisition") if asked.get("acquisition") in {"buy", "rent"} else None
    return {"budget": Budget(amount=float(money.amount), currency=money.currency, period=period, mode=mode)}


def _read(name: str, text: Any, read: Any) -> dict[str, Any]:
    if text is None:
        return {}
    try:
        value = read(str(text), name)
    except AdvisorError:
        return {}
    return {name: value} if value else {}


def configurations_of(looked_up: Sequence[LookedUp]) -> tuple[Configuration, ...]:
    """The orders of the newest search for hardware."""
    for one in reversed(looked_up):
        for worked in reversed(one.worked):
            if worked.tool == "configure" and "error" not in worked.result:
                return tuple(Configuration.model_validate(each) for each in worked.result["configurations"])
    return ()


def unused_of(question: str, looked_up: Iterable[LookedUp], answer: str) -> tuple[Unused, ...]:
    """Names and figures of the question that neither a call nor a sentence of the answer used."""
    used = " \n ".join([*(text for one in looked_up for text in _texts(one.request)), answer])
    spoken = list(products(used))
    names = frozenset().union(*(one.ids for one in spoken)) if spoken else frozenset()
    values = list(_values(used))
    left: list[Unused] = []
    for statement in statements(question):
        for product in products(statement.text):
            said = product.text.lower() in used.lower() or any(_names(one.text, product.text) for one in spoken)
            if not product.ids & names and not said:
                why = "no call and no sentence speaks of it"
                start = statement.start + product.start
                left.append(Unused(quote=product.text, start=start, why=why, decides=True))
        left += [
            Unused(quote=figure.text, start=figure.start, why="no call and no sentence uses it", decides=_tells(figure))
            for figure in figures(statement)
            if _decides(figure) and not any(_same(figure, value) for value in values) and figure.text not in used
        ]
    return tuple(left[:UNUSED_MAX])


def _names(full: str, short: str) -> bool:
    """Whether a name is the other said in full: "Qwen2.5-72B" of "Qwen 72B"."""
    parts = PARTS.findall(short.lower())
    return len(parts) > 1 and all(part in full.lower() for part in parts)


def _tells(figure: Figure) -> bool:
    return any(one.kind in TELLING for one in figure.readings)


def _decides(figure: Figure) -> bool:
    """Whether a figure has a unit, or counts many: what could decide an answer."""
    return any(one.kind != PLAIN or one.values[0] > 10 for one in figure.readings)


def _values(text: str) -> Iterator[float]:
    for statement in statements(text):
        for figure in figures(statement):
            for one in figure.readings:
                yield from one.values


def _same(figure: Figure, value: float) -> bool:
    return any(abs(one - value) <= 0.02 * abs(one) for reading_ in figure.readings for one in reading_.values)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)
    elif value is not None:
        yield str(value)
