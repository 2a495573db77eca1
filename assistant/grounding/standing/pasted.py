"""What a person wrote, as figures are read from it: logs with their figures behind an equals sign, "33ish", "120V"."""

import re
from collections.abc import Iterable, Iterator

from assistant.grounding.wording.figures import FLAG
from kb.lexicon.count.rules import numbers

SETTING = re.compile(r"(?<=[A-Za-z_\])])=(?=[\"'\[(]{0,2}\d)")
"""Between the name of a field of a log, or of a setting, and its figure: "total_gpu_memory=23.58GiB"."""
QUOTED = re.compile(r"(?<== )[\"'\[(]{1,2}(?=\d)")
LINE = re.compile(r"^\s*[a-z]+(?:_[a-z]+)+: [\d.]+\s*$", re.M)
VALUE = re.compile(r"\d+\.\d+|\d{2,}")
TAIL = re.compile(r"(?<=\d)(?=(?:ish|[VA])(?![\w-]))")
"""Before a tail that belongs to no name: about so many, volts, amperes."""
HAN_NUMERAL, SPELT_MIN = re.compile(r"[零〇一二三四五六七八九十百千万亿两]+"), 100
ACTIVE = re.compile(r"(?<![A-Za-z0-9])A(?P<size>\d{1,3}(?:\.\d)?)B(?![A-Za-z])", re.I)
MEMORY = re.compile(r"(?P<name>.*\S)\s?\b(?P<memory>\d{1,3}\s?G(?:i?B)?)", re.I)
"""The name of a card with its memory behind: "5090D 24G"."""


def named_with_memory(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The bare name and the memory of each card that is named with both."""
    for match in filter(None, map(MEMORY.fullmatch, names)):
        yield match["name"], match["memory"]


def active_sizes(text: str) -> Iterator[float]:
    """Parameters at work for a token, as names of mixtures of experts tell them: the 10B of "230b a10b"."""
    for match in ACTIVE.finditer(text):
        yield 1e9 * float(match["size"])


def opened(text: str) -> str:
    """`text` with blanks between its figures and what people and programs glue to them."""
    return TAIL.sub(" ", QUOTED.sub("", SETTING.sub(" = ", text)))


def numbers_spelt(text: str) -> Iterator[float]:
    """Numbers of a hundred and more that are written in Chinese numerals: the budget of 「预算三千」."""
    for one in numbers(text.lower(), letters="", articles=False):
        if HAN_NUMERAL.fullmatch(text[one.start : one.end]) and one.value >= SPELT_MIN:
            yield float(one.value)


def settings_in(text: str) -> Iterator[str]:
    """Values of settings that a text of a result types: flags, and lines of a file as "lora_rank: 16"."""
    for code in (*FLAG.findall(text), *LINE.findall(text)):
        yield from VALUE.findall(code)


def tight(text: str) -> str:
    """Letters and digits alone, so that a name is found however it is spaced."""
    return re.sub(r"[^\w]|_", "", text).lower()
