"""How fast a way is, told in the few figures that decide; `work_out` tells the others on request."""

from collections.abc import Mapping
from typing import Any

ALWAYS = ("tokens_per_s_per_user", "first_token_s")
SEVERAL = ("tokens_per_s_per_user", "tokens_per_s_total", "first_token_s", "answer_s")
WAITED = ("first_token_p95_s", "first_token_burst_s", "requests_per_hour")
"""What decides where a longest wait, or so many requests in a time, was asked for."""
APART_RATIO = 1.25
"""A pace or a wait beside which another of its kind is worth a figure of its own."""
LONG_S = 2.0
"""A wait for the first token from which on the reading of the prompt is what people feel."""


def paced(speed: Mapping[str, Any], sequences: int, *, waits: bool) -> dict[str, Any]:
    """Of the speed of a way what is told first.

    Args:
        speed: a `WaySpeed` as JSON: intervals of tokens a second and seconds.
        sequences: requests under way at once.
        waits: whether waits or requests in a time were asked for.
    """
    kept = {name: speed[name] for name in (SEVERAL if sequences > 1 else ALWAYS) if speed.get(name)}
    if sequences > 1:
        if _apart(speed, "decode_tokens_per_s_per_user", "tokens_per_s_per_user"):
            kept["decode_tokens_per_s_per_user"] = speed["decode_tokens_per_s_per_user"]
        if _apart(speed, "first_token_s", "first_token_alone_s"):
            kept["first_token_alone_s"] = speed["first_token_alone_s"]
    if _middle(speed, "first_token_s") >= LONG_S and speed.get("prefill_tokens_per_s"):
        kept["prefill_tokens_per_s"] = speed["prefill_tokens_per_s"]
    return {**kept, **({name: speed[name] for name in WAITED if speed.get(name)} if waits else {})}


def _apart(speed: Mapping[str, Any], more: str, less: str) -> bool:
    """Whether one of two figures is so much more than the other that both are worth telling."""
    return _middle(speed, less) > 0 and _middle(speed, more) >= APART_RATIO * _middle(speed, less)


def _middle(speed: Mapping[str, Any], name: str) -> float:
    return float((speed.get(name) or {}).get("value") or 0.0)
