"""Another member of the family spoken of, by what tells it from the others: "the turbo model", 「换成 large-v3 呢」."""

import re
from functools import lru_cache

from kb.catalog import models

_LONGEST = 70
"""Characters of a turn that names a member and asks the same again."""
_SHORTEST = 3
_WORD = re.compile(r"[a-z]+\d*(?:\.\d+)?")
_BEFORE = (
    r"(?:(?:what|how) about|use|using|with|try|take|switch to|and|or|the|an?|换成?|改成?|改用|用|那|^)\s?(?:the |an? )?"
)
_AFTER = r"\s?(?:one|models?|version|variant|版本?|模型|呢|instead|then|[?？,.。]|$)"
_ALIKE = 0.25
"""How far sizes may differ where the member is of a branch of the family: Qwen2.5 and Qwen2.5-Coder."""


def variant_of(model: str | None, plain: str) -> str | None:
    """The member of the family of `model` that the words tell from it, or None where they tell none."""
    if model not in models() or len(plain) > _LONGEST:
        return None
    said, own = set(_WORD.findall(plain)), _words(model)
    found = [
        (-len(telling), len(words ^ own), key)
        for key in _family(model)
        if (telling := (words := _words(key)) - own) and telling <= said and _called(plain, telling)
    ]
    return min(found)[-1] if found else None


def _called(plain: str, telling: set[str]) -> bool:
    """Whether one of the words stands where a name stands."""
    long = sorted((word for word in telling if len(word) >= _SHORTEST), key=len, reverse=True)
    names = "|".join(map(re.escape, long))
    if not names:
        return False
    name = rf"(?<![a-z])(?:{names})(?:[- ]?v?\d[\d.]{{0,3}})?(?![a-z])"
    return re.search(rf"(?<![a-z]){_BEFORE}{name}{_AFTER}", plain) is not None


@lru_cache(maxsize=512)
def _family(model: str) -> tuple[str, ...]:
    """Members of the family, and those of its branches that are about as large."""
    one = models()[model]
    return tuple(
        key
        for key, other in models().items()
        if other.family == one.family
        or (other.family.startswith(f"{one.family}-") and abs(other.params - one.params) <= _ALIKE * one.params)
    )


def _words(model: str) -> set[str]:
    return set(_WORD.findall(model.split("/")[-1].lower()))
