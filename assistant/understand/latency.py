"""How soon the first token is to come: "TTFT under 300 ms", 「首字延迟 0.5 秒」, and times that nothing reaches."""

from assistant.understand.text import Found, grammar

_NUMBER = r"\d{1,12}(?:,\d{3})*(?:\.\d{1,30})?(?:e[-+]?\d{1,3})?"
_UNIT = (
    r"(?:ns|nano(?:second|sec)s?|纳秒|[µμu]s|micro(?:second|sec)s?|微秒|ms|milli(?:second|sec)s?|毫秒|sec(?:ond)?s?|s|秒)"
    r"(?![a-z])"
)
_LABEL = r"(?:latency|ttft|延迟|首字|首 ?token|响应(?:时间)?|first token)"
_WANTED = grammar(
    rf"{_LABEL}\D{{0,14}}?(?P<after>{_NUMBER})\s?(?P<unit>{_UNIT})"
    rf"|(?P<before>{_NUMBER})\s?(?P<of>{_UNIT})\s?(?:内|以内|之内)?\s?(?:latency|ttft|延迟|首字|响应|出首字|返回)"
    r"|(?:ttft|first token|首字|首 ?token)[^\d。.?!\n]{0,14}?(?P<none>0(?![\d.:])|零)"
)
_SECONDS = {"n": 1e-9, "纳": 1e-9, "µ": 1e-6, "μ": 1e-6, "u": 1e-6, "mic": 1e-6, "微": 1e-6, "m": 1e-3, "毫": 1e-3}
"""How a unit begins → seconds; of several beginnings the longest counts."""
AT_ONCE_S = 1e-9
"""What "no time at all" is read as: a wish has to be more than nothing, and nothing answers so soon."""


def find_latency(text: str) -> Found[float] | None:
    """Seconds within which the first token is wanted."""
    match = _WANTED.search(text)
    if match is None:
        return None
    value = float((match["after"] or match["before"] or "0").replace(",", ""))
    unit = match["unit"] or match["of"] or ""
    begun = max((one for one in _SECONDS if unit.startswith(one)), key=len, default="")
    return Found(value * _SECONDS.get(begun, 1.0) or AT_ONCE_S, match.start(), match.end())
