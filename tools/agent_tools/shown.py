"""Results of tools as a language model reads them: few words, figures with their units, within a bound."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from kb.units import DAY_S, GB, HOUR_S, TB, format_bytes

SHOWN_MAX = 3000
"""Characters of one result as JSON: what a small context holds four of."""
LIST_MAX, TEXT_MAX = 6, 360
LEFT_OUT = frozenset({
    "derivation", "sources", "source", "evidence", "formula", "inputs", "label", "reasons", "curve", "timeline",
    "combinations", "usd_per_gib", "unit", "reason_zh", "detail_zh", "action_zh", "passes_zh",
    "basis", "params_source", "least_first_s", "rank", "complete", "id_source", "locator",
})  # fmt: skip
"""Fields that only a person who checks the arithmetic reads: `work_out` tells them on request."""
WHOLE = frozenset({"flags", "command", "setting", "fix", "check", "configured", "rule", "reckoned"})
"""Fields that are typed as they stand, or say what figures hold for: half of one is worse than none."""
SIGNS = {"USD": "$", "CNY": "¥", "EUR": "€", "GBP": "£"}
MONEY_NAMES = frozenset({"amount", "subtotal", "per_hour", "beyond", "low_amount", "high_amount"})
MONEY_PARTS = ("price", "cost", "usd", "cny", "per_kwh", "budget_left")
SCALES = ((1e15, "P"), (1e12, "T"), (1e9, "G"))
PERIODS = {
    "per_gpu_hour": "/GPU/h", "per_hour": "/h", "hourly": "/h", "monthly": "/month", "yearly": "/year",
    "daily": "/day", "per_month": "/month", "per_year": "/year",
}  # fmt: skip


RATE = re.compile(r"(?:rented_|useful_)?((?:[a-z]+_)*?[a-z]+)_per_(s|minute|hour|day|month|year)(_per_gpu|_total)?")
"""Names of fields that say how many of something in a time."""
TIMES = {"s": "s", "minute": "min", "hour": "h", "day": "day", "month": "month", "year": "year"}
THINGS = {"hours": "h", "audio_s": "s of audio", "heat_btu": "BTU", "btu": "BTU"}
SPANS = frozenset({"hours", "days", "months", "months_if_never_resold", "years"})
"""Names of fields that are a time in that unit."""
WIDE_RATIO = 1.2
"""Upper over lower end from which on an estimate is told as its range: a middle beside it would be taken for known."""
SPREAD_RATIO = 2.5
"""From where on a range is told around its middle."""
PACED = re.compile(r"per_(?:s|minute|hour)|(?:^|_)s$|/s|/h\b|\bs$")
"""Names and units of paces and times."""
DURATIONS = (
    (3 * DAY_S, DAY_S, "days"), (2 * HOUR_S, HOUR_S, "h"), (120, 60, "min"), (1, 1, "s"), (0, 1e-3, "ms"),
)  # fmt: skip
"""From how many seconds on a time is told in which unit."""
MEASURED = re.compile(r"([\d.,]+)(.*)")
UNITED = ("seen", "limit", "by_person")
"""Figures of a row that are of the quantity which the row names."""


def shown_row(value: Mapping[str, Any], currency: str = "USD") -> dict[str, Any]:
    """A mapping with its figures written out."""
    told: dict[str, Any] = shown(value, currency)
    return told


def shown(value: Any, currency: str = "USD") -> Any:
    """A result with its figures written out: `{"memory_bytes": 44e9}` becomes `{"memory": "41.0 GiB"}`.

    What is null, empty or only arithmetic is left out.
    """
    if isinstance(value, Mapping):
        currency = value["currency"] if isinstance(value.get("currency"), str) else currency
        value = {**value, **_united(value, currency)}
        told: dict[str, Any] = {}
        for key, inner in value.items():
            if inner in (None, "", [], {}, ()) or key in LEFT_OUT:
                continue
            name, said = _field(key, inner, currency, value.get("period"), value.get("unit"))
            if said is not None:
                told[name] = said
        return told
    if isinstance(value, list | tuple):
        return [shown(one, currency) for one in value]
    if isinstance(value, float):
        return plain(value)
    return value


def _united(value: Mapping[str, Any], currency: str) -> dict[str, Any]:
    """Bare figures of a row with the unit that the row states, or that the quantity it is of has by its name."""
    unit, of = value.get("unit"), value.get("of") or value.get("name")
    bare = {name: float(value[name]) for name in UNITED
            if isinstance(value.get(name), int | float) and not isinstance(value[name], bool)}  # fmt: skip
    if isinstance(unit, str):
        return {name: with_unit(figure, unit) for name, figure in bare.items()}
    if not isinstance(of, str):
        return {}
    return {name: _figure(of, figure, currency, None)[1] for name, figure in bare.items()}


def _field(key: str, value: Any, currency: str, period: Any, unit: Any) -> tuple[str, Any]:
    """The name and the words of one field."""
    if isinstance(value, Mapping) and "value" in value and value.keys() <= {"value", "low", "high", "unit"}:
        return _interval(key, value, currency, unit)
    if isinstance(value, str) and _is_money(key) and re.fullmatch(r"\d+(?:\.\d+)?", value):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return key, shown(value, currency)
    return _figure(key, float(value), currency, period)


def _interval(key: str, value: Mapping[str, Any], currency: str, unit: Any) -> tuple[str, Any]:
    """An interval in one string: "27 (21–35) tokens/s"."""
    middle, low, high = (value.get(name) for name in ("value", "low", "high"))
    if middle is None:
        return key, None
    unit = value.get("unit") or (unit if isinstance(unit, str) else None)
    if (range_of := _estimated(value, key, unit)) is not None:
        name = key if unit or RATE.fullmatch(key) or "per_s" in key else key.removesuffix("_s")
        return name or key, range_of
    if unit:
        key = key.removesuffix("_bytes").removesuffix("_s") or key
        return key, _ranged(*(with_unit(each, unit) if each is not None else None for each in (middle, low, high)))
    name, said = _figure(key, float(middle), currency, None)
    ends = [_figure(key, float(each), currency, None)[1] if each is not None else None for each in (low, high)]
    return name, _ranged(said, *ends)


def _estimated(value: Mapping[str, Any], key: str, unit: Any) -> str | None:
    """A pace or a time that is known within a range, as that range in two digits: "25–49 tokens/s", "11 h (4.9–26)".

    Null where it is of another kind, or as good as known.
    """
    middle, low, high = (value.get(name) for name in ("value", "low", "high"))
    if not middle or not low or not high or high / low < WIDE_RATIO or not PACED.search(str(unit or key)):
        return None
    if unit == "s" or (not unit and key.endswith("_s") and "per_s" not in key):
        _, size, word = next(one for one in DURATIONS if high >= one[0])
        return _spread(f"{_two(low / size)}–{_two(high / size)}", f" {word}", _two(middle / size), high / low)
    told = [with_unit(each, unit) if unit else str(_figure(key, each, "USD", None)[1]) for each in (low, high)]
    least, most = (MEASURED.fullmatch(one) for one in told)
    if least is None or most is None or least[2] != most[2]:
        return f"{told[0]} – {told[1]}"
    ends = "–".join(_two(float(one[1].replace(",", ""))) for one in (least, most))
    scale = float(most[1].replace(",", "")) / high
    return _spread(ends, most[2], _two(middle * scale), high / low)


def _spread(ends: str, unit: str, middle: str, ratio: float) -> str:
    """A range alone; around its middle where it is so wide that nobody could plan by it."""
    return f"{ends}{unit}" if ratio <= SPREAD_RATIO else f"{middle}{unit} ({ends})"


def _two(value: float) -> str:
    return plain(float(f"{value:.2g}"))


def _ranged(middle: Any, low: Any, high: Any) -> str:
    if low is None or high is None or str(low) == str(high):
        return str(middle)
    unit = re.sub(r"^[^\d]*[\d.,]+", "", str(middle))
    if unit and str(low).endswith(unit) and str(high).endswith(unit):
        low, high = str(low)[: -len(unit)], str(high)[: -len(unit)]
    return f"{middle} ({low}–{high})"


def _figure(key: str, value: float, currency: str, period: Any) -> tuple[str, Any]:
    """A number with the unit that its field's name carries; a bare count stays a number."""
    for ending, unit in (
        ("_bytes_per_s", "bytes/s"), ("_bits_per_s", "bits/s"), ("_bytes", "bytes"), ("_bytes_per_gpu", "bytes"),
        ("_flops", "flops"), ("_ops", "ops"), ("_w", "w"), ("_ratio", "ratio"), ("_rate", ""),
    ):  # fmt: skip
        if unit and key.endswith(ending):
            name = key[: -len(ending)] + ("_per_gpu" if ending == "_bytes_per_gpu" else "")
            return name or key, with_unit(value, unit)
    if key == "bytes":
        return key, with_unit(value, "bytes")
    if "tokens_per_s" in key:
        return key, f"{plain(value)} tokens/s"
    if key in {"gpu_hours", "gpu_hours_total"}:
        return key, f"{plain(value)} GPU-h"
    if "kwh" in key and not key.endswith("per_kwh"):
        return key, f"{plain(value)} kWh"
    if _is_money(key):
        return key, _money(key, value, currency, period)
    if key.endswith("_s") and not key.endswith("per_s"):
        return key[:-2] or key, with_unit(value, "s")
    if (rate := RATE.fullmatch(key)) is not None:
        thing, time = rate[1], TIMES[rate[2]]
        return key, f"{plain(value)} {THINGS.get(thing, thing.replace('_', ' '))}/{time}{' per GPU' if rate[3] else ''}"
    if key in SPANS:
        return key, f"{plain(value)} {key.partition('_')[0]}"
    return key, int(value) if value == int(value) and abs(value) < 1e15 else plain(value)


def _is_money(key: str) -> bool:
    if "btu" in key or "per_s" in key or "hours" in key or key.endswith(("_count", "as_of")):
        return False
    return key in MONEY_NAMES or any(part in key for part in MONEY_PARTS)


def _money(key: str, value: float, currency: str, period: Any) -> str:
    currency = "USD" if "usd" in key else "CNY" if "cny" in key else currency
    per = next((said for part, said in PERIODS.items() if part in key), f"/{period}" if isinstance(period, str) else "")
    per = {"/hour": "/h"}.get(per, per)
    digits = 4 if abs(value) < 1 else 2 if abs(value) < 1000 else 0
    sign = SIGNS.get(currency, f"{currency} ")
    return f"{sign}{value:,.{digits}f}{'/kWh' if key.endswith('per_kwh') else per}"


def with_unit(value: float, unit: str) -> str:
    """A figure in the unit that people use for its size.

    `unit`: bytes, bytes/s, bits/s, flops, ops, w, s, ratio, usd, tokens/s, or any other, which is put behind it.
    """
    if unit in {"bytes", "B"}:
        return format_bytes(value)
    if unit in {"bytes/s", "bytes_per_s"}:
        return f"{value / TB:.3g} TB/s" if value >= TB else f"{plain(value / GB)} GB/s"
    if unit == "bits/s":
        return f"{plain(value / 1e9)} Gbit/s"
    if unit in {"flops", "ops"}:
        scale, letter = next(((size, letter) for size, letter in SCALES if value >= size), (1e9, "G"))
        return f"{plain(value / scale)} {letter}{'FLOPS' if unit == 'flops' else 'OPS'}"
    if unit == "w":
        return f"{plain(value / 1000)} kW" if value >= 10_000 else f"{value:,.0f} W"
    if unit == "s":
        return duration(value)
    if unit == "tokens_per_s":
        return f"{plain(value)} tokens/s"
    if unit == "ratio":
        return f"{plain(value * 100)} %"
    return f"{plain(value)} {unit}".strip()


def duration(value_s: float) -> str:
    """Seconds as people say them: 0.43 → "430 ms", 7,200 → "2 h", 500,000 → "5.8 days"."""
    _, size, unit = next(one for one in DURATIONS if abs(value_s) >= one[0])
    return f"{plain(value_s / size)} {unit}"


def plain(value: float) -> str:
    """Three digits, or the whole number where it has more."""
    if abs(value) >= 999.5:  # three digits of 999.7 would be written 1e+03
        return f"{value:,.0f}"
    return f"{value:.3g}"


def bounded(told: dict[str, Any], most: int = SHOWN_MAX) -> dict[str, Any]:
    """The same within `most` characters of JSON: long lists lose their ends, then long texts, then the last fields.

    A list that lost something ends in `"+N more"`, so that nobody takes it for the whole.
    """
    for items, text in ((10, 2400), (8, 700), (LIST_MAX, TEXT_MAX), (4, 240), (3, 160), (2, 110), (1, 80)):
        cut: dict[str, Any] = _cut(told, items, text)
        if len(written(cut)) <= most:
            return cut
    while len(cut) > 2 and len(written(cut)) > most:
        cut = {**dict(list(cut.items())[: -2 if "cut" in cut else -1]), "cut": "ask work_out for the rest"}
    return cut


def _cut(value: Any, items: int, text: int) -> Any:
    if isinstance(value, Mapping):
        return {key: inner if key in WHOLE else _cut(inner, items, text) for key, inner in value.items()}
    if isinstance(value, list):
        kept: list[Any] = [_cut(one, items, text) for one in value[:items]]
        return kept if len(value) <= items else [*kept, f"+{len(value) - items} more"]
    if isinstance(value, str) and len(value) > text:
        return value[: text - 1] + "…"
    return value


def written(told: Mapping[str, Any] | Sequence[Any]) -> str:
    """The JSON that is shown."""
    return json.dumps(told, ensure_ascii=False, separators=(", ", ": "))
