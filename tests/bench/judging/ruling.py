"""What is said of a claim, and how its words are read."""

import re
from typing import NamedTuple

NUMBER = re.compile(r"\$?\s*(\d[\d,]*(?:\.\d+)?)\s*([A-Za-zµ/]*)")
COUNT = re.compile(r"^(\d+)\s*[x×]\s*(.+)$|^(.+?)\s*[x×]\s*(\d+)$")


class Ruling(NamedTuple):
    """What the tools say of a claim."""

    ruling: str
    """holds, partly (of some variants, or with a condition), contradicted, outdated, unsupported, unknown."""
    found: str
    """What they hold."""


def same_words(held: str, value: str) -> bool:
    """Whether one text holds the other, letters and digits alone."""
    plain = [re.sub(r"[^a-z0-9]", "", text.lower()) for text in (held, value)]
    return bool(plain[0]) and (plain[1] in plain[0] or plain[0] in plain[1])
