"""Sets of cards that are weighed for a stated load: people served, requests at once, or requests that come a second."""

import re

from assistant.plan import requests
from assistant.plan.amounts import model_kind
from assistant.understanding import Asked
from kb.catalog import gpu, gpus
from tools.need import Need

USUAL_PARAMS, SMALL_PARAMS = 70 * 10**9, 8 * 10**9
"""Size of the model by which such sets are weighed where none was named: what servers are bought for, else a small."""
ROOMY_BYTES = 2.5
"""Bytes of memory to a parameter with which sixteen bits leave room for many requests."""
_MINUTE_S = 60
_RATE = re.compile(
    r"(?P<n>\d[\d,]*(?:\.\d+)?)\s?(?P<k>k(?![a-z]))?\s?"
    r"(?:(?P<s>qps|rps|(?:requests?|reqs?|queries|calls|prompts|次|个?请求|个?查询|次?调用)\s?"
    r"(?:/|per |每|an? |each )\s?(?:s|sec|second|秒))(?![a-z])"
    r"|(?P<m>rpm|qpm|(?:requests?|reqs?|queries|calls|prompts|次|个?请求|个?查询|次?调用)\s?"
    r"(?:/|per |每|an? |each )\s?(?:m|min|minute|分钟?))(?![a-z]))"
    r"|(?<![a-z])(?:(?P<s2>qps|rps)|(?P<m2>rpm|qpm))\s?(?:of|is|about|around|[:=为是约到要]|大概|大约){0,2}\s?(?P<n2>\d[\d,]*(?:\.\d+)?)(?![\d.])"
    r"|每(?P<u>秒|分钟?)钟?\s?(?:有|要|来|处理|大概|大约|约)?\s?(?P<c>\d[\d,]*(?:\.\d+)?)\s?(?P<w>万)?\s?(?:次|个?请求|个?查询|条?请求|qps)",
    re.I,
)
"""How many requests come in a second or a minute."""


def stated(text: str) -> tuple[float, bool] | None:
    """How many requests are said to come, and whether in a minute and not in a second; None where nothing was said."""
    found = _RATE.search(text)
    if found is None:
        return None
    count = float((found["n"] or found["n2"] or found["c"]).replace(",", "")) * (
        1000 if found["k"] else 10_000 if found["w"] else 1
    )
    return count, bool(found["m"] or found["m2"]) or (found["u"] or "").startswith("分")


def rate(text: str) -> float | None:
    """Requests that are said to come a second; None where nothing was said of it."""
    count, minutely = stated(text) or (0.0, False)
    return (count / _MINUTE_S if minutely else count) or None


def crowded(need: Need, text: str) -> bool:
    """Whether the load of a service is stated."""
    return bool((need.concurrent_sequences or 1) > 1 or (need.users or 1) > 1 or rate(text))


def asked(need: Need, text: str) -> bool:
    """Whether sets of cards are held against each other at serving a language model under such a load."""
    ways = requests.compared(need)
    serves = not requests.is_training(need) and requests.sized(need) and model_kind(need) in ("llm", "vlm", None)
    return serves and len({way.gpu for way in ways}) > 1 and not need.gpus_owned and crowded(need, text)


def example_params(need: Asked, text: str) -> int | None:
    """The size that stands in for a model nobody named, where two sets are weighed for a load; None elsewhere."""
    sets = [one for one in need.gpus_proposed if one.gpu in gpus() and (one.count or 1) > 1]
    unnamed = need.task in (None, "inference") and not requests.sized(need) and not need.model_text
    if not sets or len(requests.compared(need)) < 2 or not unnamed or not crowded(need, text):
        return None
    least = min(gpu(one.gpu).usable_bytes * (one.count or 1) for one in requests.compared(need) if one.gpu in gpus())
    return USUAL_PARAMS if least >= ROOMY_BYTES * USUAL_PARAMS else SMALL_PARAMS
