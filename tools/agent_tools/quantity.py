"""Units as people write them, each with its base and factor: times, amounts, how many of anything in a time."""

import re
from functools import lru_cache

FACTORS: dict[str, tuple[str, float]] = {
    "tib": ("bytes", 2**40), "gib": ("bytes", 2**30), "mib": ("bytes", 2**20), "tb": ("bytes", 1e12),
    "gb": ("bytes", 1e9), "kib": ("bytes", 1024), "mb": ("bytes", 1e6), "kb": ("bytes", 1e3), "bytes": ("bytes", 1),
    "byte": ("bytes", 1), "gbit": ("bytes", 1.25e8), "mbit": ("bytes", 1.25e5),
    "eflops": ("flops", 1e18), "pflops": ("flops", 1e15), "tflops": ("flops", 1e12), "gflops": ("flops", 1e9),
    "flops": ("flops", 1), "zflop": ("flop", 1e21), "eflop": ("flop", 1e18), "pflop": ("flop", 1e15),
    "tflop": ("flop", 1e12), "gflop": ("flop", 1e9), "flop": ("flop", 1),
    "mw": ("w", 1e6), "kw": ("w", 1e3), "w": ("w", 1), "mwh": ("J", 3.6e9), "kwh": ("J", 3.6e6), "wh": ("J", 3600),
    "%": ("ratio", 0.01), "k": ("", 1e3), "m": ("", 1e6), "b": ("", 1e9), "t": ("", 1e12), "万": ("", 1e4),
    "亿": ("", 1e8), "千": ("", 1e3), "tokens": ("", 1), "gpu-h": ("s", 3600), "gpu-hours": ("s", 3600),
}  # fmt: skip
"""Unit as it is written → the base unit, and its factor."""
TIMES: dict[float, tuple[str, ...]] = {
    1e-9: ("ns", "nanosecond", "纳秒"), 1e-6: ("µs", "μs", "us", "microsecond", "微秒"),
    1e-3: ("ms", "msec", "millisecond", "毫秒"), 1.0: ("s", "sec", "second", "秒", "秒钟"),
    60.0: ("min", "minute", "分", "分钟"), 3600.0: ("h", "hr", "hour", "小时", "钟头", "时"),
    86400.0: ("d", "day", "天", "日"), 604800.0: ("week", "wk", "周", "星期"),
    2628000.0: ("month", "mo", "月", "个月"), 7884000.0: ("quarter", "季度", "季"),
    31557600.0: ("year", "yr", "年"),
}  # fmt: skip
"""Seconds → words for them; an s for several is added to the Latin ones."""
WORDS = {word: seconds for seconds, words in TIMES.items() for word in words}
RATES = {"fps": 1.0, "tps": 1.0, "rps": 1.0, "qps": 1.0}
"""Abbreviations of a count a second."""
PER = re.compile(r"^(?P<of>.*?)\s*(?:/|\bper\b|\ba\b|\ban\b|每)\s*(?P<time>[^\s/每]+)$", re.I)
COUNTED = "FLOPs"
"""Operations that are counted; with a large S, or a prefix, they are so many a second."""
SECONDS = ("s of audio", "audio s", "audio_s", "seconds of audio", "秒音频", "秒语音")
"""Time as a thing that is counted: of audio transcribed, of video made."""


@lru_cache(maxsize=512)
def base_of(unit: str) -> tuple[str, float]:
    """(base unit, factor) of a unit: seconds, bytes, joules, watts, FLOPS, shares; "/s" for how many of a thing.

    FLOPS and TFLOP/s are a rate; FLOPs and EFLOP are work.

    "requests/h" is 1/3600 a second, "GB/s" 1e9 bytes/s, "s of audio/s" a plain ratio. A thing that is counted ("clips",
    "GPUs") has no unit, and neither has what is not known.
    """
    if unit.strip() == COUNTED:
        return "flop", 1.0
    plain = unit.strip().lower()
    if plain in FACTORS:
        return FACTORS[plain]
    if (seconds := time_of(plain)) is not None:
        return "s", seconds
    if plain in RATES:
        return "/s", RATES[plain]
    if (match := PER.match(plain)) is not None and (seconds := time_of(match["time"])) is not None:
        return _rate(match["of"].strip(), seconds)
    first = plain.split(" ")[0]
    if first != plain and (first in FACTORS or time_of(first) is not None):
        return base_of(first)
    return "", 1.0


def _rate(thing: str, seconds: float) -> tuple[str, float]:
    """So much of a thing in so many seconds."""
    if thing in SECONDS or time_of(thing) is not None:
        return "", (time_of(thing) or 1.0) / seconds
    base, factor = ("tokens", 1.0) if thing in {"tok", "token", "tokens", "t"} else FACTORS.get(thing, ("", 1.0))
    if base in {"flop", "flops"}:
        return "flops", factor / (seconds if base == "flop" else 1.0)
    return f"{base}/s", factor / seconds


def time_of(word: str) -> float | None:
    """Seconds of a word for a time; null where it is none."""
    plain = word.strip().lower()
    if plain in WORDS:
        return WORDS[plain]
    return WORDS.get(plain[:-1]) if len(plain) > 2 and plain.endswith("s") else None
