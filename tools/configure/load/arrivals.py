"""Requests a day as a load: how many come at a busy moment, how many are answered at once, how many tokens a second."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kb.lexicon import read_count
from kb.units import DAY_S, HOUR_S

PEAK = 4
"""Times the mean of a day, or of anything longer, that its busy hour has: most people write in a quarter of the day."""
ANSWER_TOKENS = 500
"""Of an answer whose length nobody said: a page."""
PACE_TOKENS_PER_S = 20.0
"""Pace at which answers come where none was asked for: faster than people read."""
FIRST_S = 1.0
"""Wait for the first token that is reckoned with."""
FEWEST = 2
Run = Callable[[str, dict[str, Any]], Mapping[str, Any] | None]
"""A registered tool by its name; null where it refuses."""
_TIMES = {
    "second": 1.0, "sec": 1.0, "s": 1.0, "秒": 1.0, "minute": 60.0, "min": 60.0, "分钟": 60.0, "hour": HOUR_S,
    "hr": HOUR_S, "h": HOUR_S, "小时": HOUR_S, "day": DAY_S, "d": DAY_S, "天": DAY_S, "日": DAY_S, "week": 7 * DAY_S,
    "周": 7 * DAY_S, "month": 30.4 * DAY_S, "mo": 30.4 * DAY_S, "月": 30.4 * DAY_S,
}  # fmt: skip
_NUMBER = r"(\d[\d,.]*\s*(?:k|m|万|千|百万|thousand|million)?)"
_SPAN = "|".join(sorted(_TIMES, key=len, reverse=True))
_THING = (
    r"(?:requests?|reqs?|queries|calls?|messages?|conversations?|documents?|docs?|prompts?|q|次请求|次|条|请求|个请求)"
)
_RATE = re.compile(rf"{_NUMBER}\s*{_THING}?\s*(?:/|per|an?|each|every|每)\s*({_SPAN})(?![a-z])", re.IGNORECASE)
_RPS = re.compile(rf"{_NUMBER}\s*(?:rps|qps)(?![a-z])", re.IGNORECASE)
_BEFORE = re.compile(rf"(?:每|per\s+|an?\s+)({_SPAN})\s*{_NUMBER}\s*{_THING}", re.IGNORECASE)
_ANSWER = re.compile(
    rf"{_NUMBER}\s*(?:tokens?\s*)?(?:out(?:put)?|answers?|completions?|generated)(?![a-z])", re.IGNORECASE
)
_PROMPT = re.compile(rf"{_NUMBER}\s*(?:tokens?\s*)?(?:in(?:put)?|prompts?|of prompt)(?![a-z])", re.IGNORECASE)
_TOKENS = re.compile(rf"{_NUMBER}\s*(?:tokens?|tok)(?![a-z/])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Arrivals:
    """A load of requests that come by themselves."""

    per_s: float
    """In the busy hour."""
    answer_tokens: int
    prompt_tokens: int | None
    """Null where their length was not said."""
    pace_tokens_per_s: float
    at_once: int
    """Answered at the same time in the busy hour."""
    said: str
    """The arithmetic."""

    @property
    def context_tokens(self) -> int | None:
        """Prompt plus answer; null where the prompt's length was not said."""
        return self.prompt_tokens + self.answer_tokens if self.prompt_tokens else None


def read_arrivals(text: str, pace: float | None = None) -> Arrivals | None:
    """A rate of requests as people write it: "20k requests/day of 500 tokens", "3 rps", 「每天2万次」; else null.

    By Little's law as many are answered at once as come while one is answered:

        busy = 4 · requests / time (a rate a second, minute or hour is the busy one already)
        at once = ⌈busy · (1 s + answer tokens / pace)⌉

    Source: J. D. C. Little, A Proof for the Queuing Formula L = λW, 1961, https://doi.org/10.1287/opre.9.3.383.

    Args:
        text: what was written.
        pace: tokens a second that every user was to get; null = 20.
    """
    found = _rate(text)
    if found is None:
        return None
    number, time_s, rest = found
    mean = number / time_s
    busy = PEAK * mean if time_s >= DAY_S else mean
    length = _ANSWER.search(rest) or _TOKENS.search(rest)
    tokens = round(read_count(length[1], "answer tokens")) if length else ANSWER_TOKENS
    rate = pace or PACE_TOKENS_PER_S
    each_s = FIRST_S + tokens / rate
    at_once = max(FEWEST, math.ceil(busy * each_s))
    peak = f" in the busy hour, {PEAK} times the day's mean of {mean:.3g}/s" if time_s >= DAY_S else ""
    length_said = "" if length else " (not stated)"
    said = (
        f"{plain_rate(busy)} requests/s{peak}; {tokens:,} answer tokens{length_said} at {rate:g} tokens/s and "
        f"{FIRST_S:g} s of waiting take {each_s:.3g} s, so {at_once:,} are answered at once: {busy * tokens:,.0f} "
        "tokens/s in all."
    )
    prompt = _PROMPT.search(rest)
    asked = round(read_count(prompt[1], "prompt tokens")) if prompt else None
    if asked:
        said += f" Prompts of {asked:,} tokens are {busy * asked:,.0f} tokens/s to be read beside that."
    return Arrivals(busy, tokens, asked, rate, at_once, said)


def times_needed(order: Mapping[str, Any], model: str | None, load: Arrivals, run: Run) -> float | None:
    """How many times an order is needed to read the prompts and write the answers as they come; null = not reckoned.

    Each copy by itself, with its share of what is answered at once: requests a second · copies against those that come.
    """
    group = (order.get("tensor_parallel") or 1) * (order.get("pipeline_parallel") or 1)
    copies = max(order["gpu_count"] // group, 1)
    found = run("estimate_inference_speed", {
        "model": model, "gpu": order["gpu"], "gpu_count": group, "weight_format": order["weight_format"],
        "tensor_parallel": order.get("tensor_parallel") or 1, "pipeline_parallel": order.get("pipeline_parallel") or 1,
        "concurrent_sequences": max(load.at_once // copies, 1), "input_tokens": load.prompt_tokens,
        "output_tokens": load.answer_tokens,
    })  # fmt: skip
    each = ((found or {}).get("requests_per_s") or {}).get("value")
    return load.per_s / (each * copies) if each else None


def kept_up(times: float | None, load: Arrivals) -> str | None:
    """The same in words."""
    if not times:
        return None
    enough = "enough" if times <= 1 else f"{times:.2g} times as many are needed"
    return f"{plain_rate(load.per_s / times)} of {plain_rate(load.per_s)} requests/s: {enough}"


def plain_rate(per_s: float) -> str:
    """Three digits, or the whole number where it has more."""
    return f"{per_s:,.0f}" if per_s >= 1000 else f"{per_s:.3g}"


def _rate(text: str) -> tuple[float, float, str] | None:
    """Requests, the seconds that they come in, and the rest of the text."""
    for pattern, number, span in ((_RPS, 1, 0), (_RATE, 1, 2), (_BEFORE, 2, 1)):
        match = pattern.search(text)
        if match is not None and "token" not in match[0].lower():
            time_s = _TIMES[match[span].lower()] if span else 1.0
            return read_count(match[number], "requests"), time_s, text[: match.start()] + " " + text[match.end() :]
    return None
