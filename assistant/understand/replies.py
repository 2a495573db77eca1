"""What a person replies to the advisor's own questions: "both", "about 50", 「没有」, "don't know"."""

from collections.abc import Callable
from typing import Any

from assistant.understand.numbers import DIGITS, HAN, SCALE, scaled
from assistant.understand.text import grammar
from assistant.understand.turn import Reading
from assistant.understand.usage import MONTH_H, WEEK_H
from assistant.understanding import Asked
from tools.need import Budget

_EDGE = r"[\s,.!?~]*"
_AMOUNT = grammar(
    rf"^{_EDGE}(?:(?:about|around|roughly|maybe|say|like|perhaps|at most|up to|just|only|probably|i'd say|it's"
    rf"|there are|大概|大约|约|差不多|也就|就|可能|最多|有)\s?)*(?P<n>{DIGITS}|{HAN})\s?(?P<s>{SCALE})?"
    rf"(?:\s?(?:-|~|to|到|至)\s?(?P<high>{DIGITS}|{HAN})\s?(?P<s2>{SCALE})?)?\s?(?:or so|ish|左右|上下|多|来|吧|以内"
    r"|以下)?\s?(?:people|users?|of them|requests?|人|个人|个|路|tokens?|hours?|h|小时|个小时|usd|dollars?|bucks|rmb|块"
    r"|元)?"
    rf"(?:\s?(?:at once|at a time|at peak|at the same time|a week|per week|每周|一周|左右|吧|同时))*{_EDGE}$"
)
"""A number and next to nothing else."""
_BOTH = grammar(
    rf"^{_EDGE}(?:both(?: of (?:them|these|those))?|(?:a )?(?:bit|mix) of both|either|都(?:要|有|会|想|行|可以|跑)?"
    rf"|两(?:个|者|样|种)都(?:要|有|会)?|全都要)(?:\s?(?:please|吧|的))?{_EDGE}$"
)
_YES = grammar(
    rf"^{_EDGE}(?:yes|yep|yeah|sure|fine|ok(?:ay)?|acceptable|可以|行|能|好|接受|没问题|是的?|嗯)(?:的|吧|啊)?{_EDGE}$"
)
_NO = grammar(
    rf"^{_EDGE}(?:no|nope|none|nothing|not really|neither|没有|没|无|不行|不能|不可以|不接受|不要|没限制|不限)"
    rf"(?:的|了|吧|limit)?{_EDGE}$"
)
_CHEAPEST_SUM = 300
"""Least money that anybody spends on hardware; smaller figures count something else."""


def replied(reading: Reading, previous: Asked) -> dict[str, Any]:
    """What a bare reply settles of what the last answer asked back, first question first."""
    asked = previous.shown.questions if previous.shown else ()
    plain = reading.text.plain
    found = _AMOUNT.match(plain)
    if found:
        value = scaled(found["high"] or found["n"], found["s2"] or found["s"])
        settled = (_BY_NUMBER[key](value or 0, reading) for key in asked if key in _BY_NUMBER)
        return next(filter(None, settled), {})
    word = next((name for name, rule in (("both", _BOTH), ("yes", _YES), ("no", _NO)) if rule.match(plain)), None)
    if word is None:
        return {}
    return next(filter(None, (_BY_WORD.get((key, word)) for key in asked)), {})


def _of(name: str, least: float = 1) -> Callable[[float, Reading], dict[str, Any]]:
    return lambda value, reading: {name: int(value)} if least <= value <= 10**9 else {}


def _budget(value: float, reading: Reading) -> dict[str, Any]:
    if not _CHEAPEST_SUM <= value <= 1e12:
        return {}
    currency = reading.slots.get("currency") or ("CNY" if reading.language == "zh" else "USD")
    return {"budget": Budget(amount=value, currency=currency, mode="buy")}


def _hours(value: float, reading: Reading) -> dict[str, Any]:
    return {"hours_per_month": value * MONTH_H / WEEK_H} if 0 < value <= WEEK_H else {}


_BY_NUMBER: dict[str, Callable[[float, Reading], dict[str, Any]]] = {
    "ask.concurrent": _of("concurrent_sequences"),
    "ask.context": _of("context_tokens", 256),
    "ask.hours": _hours,
    "ask.dataset": _of("dataset_tokens", 1000),
    "ask.budget": _budget,
}
"""What a bare number settles, by the question."""
_BY_WORD: dict[tuple[str, str], dict[str, Any]] = {
    ("ask.task", "both"): {"task": "lora"},
    ("ask.workload", "both"): {"task": "qlora"},
    ("ask.format", "yes"): {"weight_format": "int4"},
    ("ask.format", "no"): {"weight_format": "bf16"},
}
"""What a bare word settles: who wants to use and to fine-tune needs what fine-tuning takes."""
