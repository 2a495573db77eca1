"""How long one picture or clip takes, and how long it is to take: "takes 20 s, which card gets to 5 s?"."""

import re
from dataclasses import dataclass

_TIME = r"(?P<n>\d{1,4}(?:\.\d{1,2})?)\s?-?(?P<u>s|secs?|seconds?|mins?|minutes?|秒钟?|分钟?)(?![a-z\d])"
_ANY = re.compile(rf"(?<![\d.x×a-z]){_TIME}", re.I)
_BARE = re.compile(rf"{_TIME}[^.?!]{{0,60}}\b(?:to|in|under) (?P<m>\d{{1,4}})(?=\s?[?.]?$)", re.I)
"""A second time without its unit: "takes 15 seconds, which card would do it in 2?"."""
_LONG = re.compile(r"[-\s]?(?:long |的)?(?:videos?|clips?|footage|视频|片段|短片|长)", re.I)
"""What makes a time the length of a clip: "a 5 s clip"."""
_ABOUT = r"\s?(?:me |about |around |roughly |just |only |like |~|≈|大约|大概|差不多)?$"
_WANTED = re.compile(
    r"(?:\b(?:to|under|below|within|in|into|less than|at most|max(?:imum)?|reach(?:es)?|hits?|want|need|like|be"
    r"|gets?(?: me)?(?: it)?(?: down)?|aim(?:ing)? (?:for|at)|target(?: of)?)\b"
    rf"|到|进|控制在|做到|低于|不超过|想要?|希望|目标|<|≤){_ABOUT}",
    re.I,
)
"""Words before a time that is wished for."""
_WANTED_AFTER = re.compile(
    r"\s?(?:or (?:less|faster|under)|(?:之|以)?内(?!存)|以下|就能|能出|per|an? (?:image|picture)\?"
    r"|一张(?:的|图)?(?:要|需要|该)?(?:什么|哪|买))",
    re.I,
)
_TAKES = re.compile(
    r"(?:\b(?:takes?|took|taking|needs?|get(?:ting)?|at|is|currently|now|from)\b"
    rf"|要|需要|得|用时|耗时|花|现在|目前|大概|跑){_ABOUT}",
    re.I,
)
"""Words before a time that was measured."""


@dataclass(frozen=True, slots=True)
class Aim:
    """Seconds of one picture or clip."""

    wanted_s: float
    measured_s: float | None


def find_aim(text: str) -> Aim | None:
    """The time wished for, and the one measured; None where none is wished for."""
    if bare := _BARE.search(text):
        text = f"{text[: bare.end('m')]} {bare['u']}{text[bare.end('m') :]}"
    found = [match for match in _ANY.finditer(text) if not _LONG.match(text, match.end())]
    wished = [one for one in found if _wished(text, one)]
    if not wished:
        return None
    wanted = wished[-1]
    measured = next((one for one in found if one is not wanted and _seconds(one) > _seconds(wanted)), None)
    return Aim(_seconds(wanted), _seconds(measured) if measured else None)


def _wished(text: str, match: re.Match[str]) -> bool:
    before = text[max(0, match.start() - 24) : match.start()]
    if _WANTED.search(before):
        return True
    return _WANTED_AFTER.match(text, match.end()) is not None and not _TAKES.search(before)


def _seconds(match: re.Match[str]) -> float:
    return float(match["n"]) * (60 if match["u"].lower().startswith(("m", "分")) else 1)
