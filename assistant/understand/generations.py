"""A generation newer than any the catalog knows of its family: "Qwen4-Max", "DeepSeek-V5", "Llama 5 70B"."""

import re
from functools import cache

from assistant.understand.text import grammar
from kb.catalog import models

_SAID = grammar(
    r"(?P<sep>[-_ ]?)(?P<letter>[vk]?)(?P<number>\d{1,2})(?:\.\d{1,2})?(?![\d.])"
    r"(?!\s?(?:b|k|t|m|x|g|gb|bpw|bits?|万|亿)(?![a-z])|\s?[张卡个台块路人名位份并页天月年小]"
    r"|\s(?:users?|gpus?|cards?|times|copies|instances|requests)(?![a-z])|\s?%)"
    r"(?P<rest>(?:[-_][a-z][a-z0-9]{1,11}|[-_ ]\d{1,4}(?:\.\d{1,2})?b(?:-a\d{1,3}b)?)*)"
)
_SIZED = grammar(r"[-_ ]\d{1,4}(?:\.\d{1,2})?b(?![a-z])")
_AHEAD = 2
"""Generations ahead of the newest known that a name may be: any further the number is something else ("llama-7")."""


def newer(plain: str, start: int, end: int) -> int | None:
    """Where the name ends whose family stands at [start, end) of the text; None where the generation is a known one."""
    said = _SAID.match(plain, end)
    if said is None:
        return None
    bare = said["sep"] == " " and not said["letter"] and not _SIZED.match(said["rest"])
    last = _newest(re.sub(r"[^a-z]", "", plain[start:end]), said["letter"])
    if bare or last is None or not last < int(said["number"]) <= last + _AHEAD:
        return None
    return said.end()


@cache
def _newest(family: str, letter: str) -> int | None:
    """The newest generation among the catalog's models whose names begin with the family's."""
    if not family:
        return None
    called = re.compile(rf"{family}[-_ ]?{letter}(\d{{1,2}})(?![\d]*b)")
    found = (called.match(model.name.lower()) for model in models().values())
    return max((int(one[1]) for one in found if one), default=None)
