"""A rate the asker measured, held against what the hardware should give: "only 3 tok/s, is that normal?"."""

import re
from typing import Any

from assistant.compose import numbers
from assistant.compose.by_then import stated
from assistant.compose.material import Material
from assistant.plan.formats import bits
from assistant.understand.slowness import SLOWNESS
from kb.units import GIB

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
    r"|\b(?:normal|expected|slow|faster|reasonable|right|wrong|off|bottleneck|why|should i|should(?:n't"
    r"| not) (?:it|this|that)"
    r"|would \w[^?\n]{0,40} help)\b",
    re.I,
)
_SLOW = re.compile(SLOWNESS, re.I)
SLACK = 0.85
"""Share of the least to be expected from which a rate is not called slow."""
_OUTRIGHT = re.compile(
    r"算(?:快|慢|正常)|(?:没|有没有)跑满|正常(?:吗|么|不)|慢(?:吗|么|不慢)"
    r"|\b(?:is|are) (?:that|this|it|these) (?:normal|expected|slow|low|ok|right)|\bexpected\?",
    re.I,
)
"""Questions that judge a rate whatever words stand before it."""
_OF_ALL = re.compile(
    r"\b(?:total|aggregate\w?|overall|combined|together|in all|throughput)\b|总(?:共|吞吐|计)?|合计|吞吐", re.I
)
"""Words of a rate that counts every request at once."""
_SERVED = frozenset({"vllm", "sglang", "tensorrt-llm", "tgi", "lmdeploy"})
"""Engines that do not put layers into host memory of their own accord."""
_ITEM = re.compile(
    r"(?<![\d.])(?P<n>\d{1,4}(?:\.\d)?) ?(?P<u>s|secs?|seconds?|mins?|minutes?) (?:per|an?|for (?:an?|one|each)|each)"
    r" (?:image|picture|pic|clip|video)"
    r"|(?:一张|每张|出图|一段|每段)[^。,，?？!\d]{0,12}?(?:要|需要|得|用|花)?了?\s?(?P<n2>\d{1,4})\s?个?(?P<u2>秒|分|小时)"
    r"|(?:image|picture|pic|clip|video)s?\b[^.?!\n\d]{0,24}?\b(?:takes?|took|taking|needs?)\s(?:about |around |like )?"
    r"(?P<n3>\d{1,4}(?:\.\d)?) ?(?P<u3>s|secs?|seconds?|mins?|minutes?|hours?)\b",
    re.I,
)
"""How long one picture or clip takes."""
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


def judged(material: Material, result: dict[str, Any], *, over: bool = False) -> str:
    """Whether what was measured is what these cards give; empty where nothing was measured.

    Args:
        material: the turn.
        result: of `estimate_inference_speed`.
        over: the weights do not fit, and the program puts the rest into host memory.
    """
    rate, expected = measured(material.text), result.get("tokens_per_s_per_user")
    if rate is None or not expected or not rate:
        return ""
    whole = result.get("tokens_per_s_total") if (result.get("concurrent_sequences") or 1) > 1 else None
    of_all = bool(whole and (_OF_ALL.search(material.text) or rate > 2 * expected["high"]))
    expected = whole if whole and of_all else expected
    key = "slow" if rate < SLACK * expected["low"] else "fast" if rate > expected["high"] else "normal"
    low, high = numbers.figure(expected["low"]), numbers.figure(expected["high"])
    where = "_spilled" if over else "_host" if _shares(result) else _where(material, of_all)
    host = where if key == "slow" else ""
    return material.say(f"observed.{key}{host}", said=f"{rate:g}", low=low, high=high)


def complained(material: Material, result: dict[str, Any], *, over: bool = False) -> str:
    """What is to be expected and where to look, where one is told that it is slow but not how slow."""
    expected, rate = result.get("tokens_per_s_per_user"), measured(material.text)
    if rate is not None or not expected or _shares(result) or not _SLOW.search(material.text):
        return ""
    low, high = numbers.figure(expected["low"]), numbers.figure(expected["high"])
    why = "_spilled" if over else "_served" if material.need.engine in _SERVED else ""
    return material.say(f"observed.complained{why}", low=low, high=high)


def spilled(material: Material, result: dict[str, Any], *, instead: bool = False) -> bool:
    """Whether the weights do not fit and the program leaves the rest in host memory: that alone makes it slow.

    `instead`: the speed is of a smaller format, for what was asked about does not fit.
    """
    leaves = material.need.engine in (None, "llama.cpp")
    if instead:
        return leaves
    short = any("weights do not fit" in warning for warning in result.get("warnings") or ())
    return leaves and short and not placed(material, result)


def placed(material: Material, result: dict[str, Any]) -> bool:
    """Whether the estimate of memory for the same cards and format finds room, if only just."""
    return any(
        one.fits and (one.gpu, one.gpus) == (result.get("gpu"), result.get("gpu_count"))
        for one in material.estimates
        if bits(one.result.weight_format) == bits(result.get("weight_format"))
    )


def judged_item(material: Material, result: dict[str, Any]) -> str:
    """Whether the time a picture or clip takes is what this card needs for it; empty where none was stated."""
    match = _ITEM.search(material.text) if _JUDGED.search(material.text) else None
    expected = result.get("time_per_image_s") or result.get("time_per_clip_s")
    if match is None or not expected:
        return ""
    unit = next(filter(None, match.group("u", "u2", "u3")))[0].lower()
    taken = float(next(filter(None, match.group("n", "n2", "n3")))) * {"m": 60, "分": 60, "h": 3600, "小": 3600}.get(
        unit, 1
    )
    key = "long" if taken * SLACK > expected["high"] else "short" if taken < expected["low"] else "usual"
    low, high, said = (stated(material, one) for one in (expected["low"], expected["high"], taken))
    return material.say(f"observed.{key}", said=said, low=low, high=high)


def _where(material: Material, of_all: bool) -> str:
    """Which reasons to name for a rate that is too low: those of all requests together, or of the engine."""
    if of_all:
        return "_all"
    return "_served" if material.need.engine in _SERVED else ""


def _shares(result: dict[str, Any]) -> bool:
    """Whether part of the weights lies in the host's memory."""
    return any("host" in warning for warning in result.get("warnings") or ())


def left_to_host(material: Material, result: dict[str, Any]) -> str:
    """How much memory of the machine the rest of the model takes: what is needed less what the cards hold."""
    alike = (result.get("gpu"), result.get("weight_format"))
    main = next((one for one in material.estimates if (one.gpu, one.result.weight_format) == alike), None)
    if main is None or main.fits or main.placed.host is not None:
        return ""
    needed, usable = main.result.per_gpu.total_bytes * main.gpus, main.placed.usable_bytes * main.gpus
    digits = 1 if needed - usable < 2 * GIB else 0
    whole, held = (round(one / GIB, digits) for one in (needed, usable))
    if whole <= held:
        return ""
    sizes = {"whole": whole, "held": held, "left": whole - held}
    return material.say("pace.host_left", **{name: f"{size:,.{digits}f} GiB" for name, size in sizes.items()})
