"""Cards said to cost about the same: the asker's premise, under which what they do decides; no price is asked."""

import re

from assistant.understand.text import grammar

_SAID = grammar(
    r"(?:similar|same|equal|comparable|identical)(?:ly)? (?:pric|cost|money)\w{0,4}"
    r"|pric(?:e|es|ed|ing)?(?: (?:is|are|was|were|being|about|roughly|pretty|much|more|or|less|the|at))* "
    r"(?:similar|same|equal|alike|comparable|identical)(?:ly)?"
    r"|costs? (?:about |roughly |pretty much )?(?:the )?same"
    r"|(?:价格|价钱|价位|价)(?:都|也|基本|大致|几乎|其实)?(?:差不多|相近|接近|相当|一样|相同|相差不大|差不离|持平)"
    r"|(?:差不多|同样|相同|一样)的?(?:价格|价钱|价位|价(?!格))|同价"
)
_NOT = grammar(r"(?:(?<![a-z])(?:not|no)|n't)(?: [a-z]{1,8}){0,3} $|不(?:是)?$")
REACH = 24
"""Characters before the words within which they are denied."""
_ASKED = grammar(r"\s?(?:吗|么|不[?]|\?)|(?:是否|是不是|会不会|有没有)$")


def said(text: str) -> bool:
    """Whether it is said that the cards cost about the same."""
    return without(text.lower()) != text.lower()


def without(plain: str) -> str:
    """The text with these words blanked; who denies it, or asks whether it is so, says no such thing."""
    return _SAID.sub(_blanked, plain)


def _blanked(found: re.Match[str]) -> str:
    before = found.string[max(0, found.start() - REACH) : found.start()]
    stays = _NOT.search(before) or _ASKED.search(before) or _ASKED.match(found.string, found.end())
    return found[0] if stays else " " * len(found[0])
