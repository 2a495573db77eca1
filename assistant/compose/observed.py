"""A rate the asker measured, held against what the hardware should give: "only 3 tok/s, is that normal?"."""

import re
from typing import Any

from assistant.compose import numbers
from assistant.compose.material import Material

_RATE = re.compile(
    r"(?<![\d.])(?P<n>\d{1,5}(?:\.\d{1,2})?)\s?(?:个\s?)?(?:tok(?:en)?s?\s?(?:/|每|per )\s?(?:s(?:ec(?:ond)?)?|秒)"
    r"|t/s|tps"
    r"|tok(?:en)?s? ?(?:a|per) second)(?![a-z])"
    r"|每秒\s?(?:只有|才|大概|约)?\s?(?P<n2>\d{1,5}(?:\.\d{1,2})?)\s?(?:个)?\s?(?:tok|字)",
    re.I,
)
_MEASURED = re.compile(
    r"只有|才|仅|只能?跑|跑出|测(?:得|出|了)|实测|现在是|跑起来|\b(?:get(?:ting|s)?|got|seeing|see|only|just|measured?|observ\w+|reports?|gives?"
    r"|runs? at|stuck at|hover\w*|manag\w+|around)\b",
    re.I,
)
_JUDGED = re.compile(
    r"正常|跑满|太慢|好慢|这么慢|偏慢|慢(?:吗|不慢|了)|合理|对(?:吗|不对)|为什么|为啥|怎么回事"
    r"|\b(?:normal|expected|slow|reasonable|right|wrong|bottleneck|why|should i)\b",
    re.I,
)
SLACK = 0.85
"""Share of the least to be expected from which a rate is not called slow."""
_OUTRIGHT = re.compile(
    r"算(?:快|慢|正常)|(?:没|有没有)跑满|正常(?:吗|么|不)|慢(?:吗|么|不慢)"
    r"|\b(?:is|are) (?:that|this|it|these) (?:normal|expected|slow|low|ok|right)|\bexpected\?",
    re.I,
)
"""Questions that judge a rate whatever words stand before it."""
NEAR = 24
"""Characters before a rate in which words say that it was measured."""


def measured(text: str) -> float | None:
    """Tokens a second that the asker measured and wants judged; None where a rate is a wish."""
    if not _JUDGED.search(text):
        return None
    for match in _RATE.finditer(text):
        if _OUTRIGHT.search(text) or _MEASURED.search(text[max(0, match.start() - NEAR) : match.end()]):
            return float(match["n"] or match["n2"])
    return None


def judged(material: Material, result: dict[str, Any]) -> str:
    """Whether what was measured is what these cards give; empty where nothing was measured."""
    rate, expected = measured(material.text), result.get("tokens_per_s_per_user")
    if rate is None or not expected or not rate:
        return ""
    key = "slow" if rate < SLACK * expected["low"] else "fast" if rate > expected["high"] else "normal"
    low, high = numbers.figure(expected["low"]), numbers.figure(expected["high"])
    host = "_host" if key == "slow" and _shares(result) else ""
    return material.say(f"observed.{key}{host}", said=f"{rate:g}", low=low, high=high)


def _shares(result: dict[str, Any]) -> bool:
    """Whether part of the weights lies in the host's memory."""
    return any("host" in warning for warning in result.get("warnings") or ())
