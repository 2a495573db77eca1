"""How people write the name of a card: with its maker, its board, as a laptop's, with a slip of the keyboard."""

import re
from collections.abc import Iterator
from functools import lru_cache

from kb.catalog import FACTS, load_yaml

_MAKER = re.compile(
    r"^(?:NVIDIA|英伟达|輝達|AMD|Intel|英特尔|Huawei|华为|Apple|苹果|Google|谷歌|GeForce|Radeon|Tesla)\s*",
    re.IGNORECASE,
)
_BEFORE = ("NVIDIA", "AMD", "Intel")
"""Makers that stand before the catalog's names where people leave them out: `RTX PRO 4500 Blackwell`."""
_TAIL = re.compile(r"\s*(?:显卡|加速卡|顯卡|GPU|graphics card|card|卡|版本|版)$", re.IGNORECASE)
_LETTER_O = re.compile(r"(?<=\d)[Oo](?=\d|\b)|(?<=\d)[Oo](?=[Oo]?\d)")
_MOBILE_FIRST = re.compile(r"^(?:移动版|移动端|笔记本|笔电)(?:的|用)?\s*(.+)$")
_MOBILE_LETTER = re.compile(r"^((?:RTX|GTX)?\s*\d{4}(?:\s?Ti)?)\s?M$", re.IGNORECASE)
_LINKED = re.compile(r"\bNV\s?LINK\b", re.IGNORECASE)
_SIZE_THEN_FORM = re.compile(r"^(.+?)\s(\d+\s?Gi?B?)\s(SXM\d?|PCIe|NVL)$", re.IGNORECASE)


def bare_name(name: str) -> str:
    """The name without its maker's before it and without "card" after it."""
    return _TAIL.sub("", _MAKER.sub("", name.strip(), count=1))


def spellings(name: str) -> Iterator[str]:
    """Ways to read the name, the nearest to what was written first, each once.

    `微星 RTX 4090 超龙` → `RTX 4090`; `RTX4090M` → `RTX4090 laptop`; `A800 80G NVLink` → `A800 80G SXM`;
    `409O` → `4090`.
    Nothing that tells cards apart (Ti, Ada, a memory size) is ever left out.
    """
    seen: dict[str, None] = {}
    for one in (name, bare_name(name)):
        seen[one] = None
    plain = _board_words().sub(" ", f" {name} ").strip()
    for one in (plain, bare_name(plain)):
        seen[" ".join(one.split())] = None
    for one in list(seen):
        for changed in _changes(one):
            seen[changed] = None
    for maker in _BEFORE:
        seen[f"{maker} {bare_name(plain)}"] = None
    return (one for one in seen if one)


def _changes(name: str) -> Iterator[str]:
    if _LETTER_O.search(name):
        yield _LETTER_O.sub("0", name)
    if mobile := _MOBILE_FIRST.match(name):
        yield f"{mobile[1]} laptop"
    if mobile := _MOBILE_LETTER.match(name):
        yield f"{mobile[1]} laptop"
    if _LINKED.search(name):
        yield _LINKED.sub("SXM", name)
        yield " ".join(_LINKED.sub("", name).split())
    if swapped := _SIZE_THEN_FORM.match(name):
        yield f"{swapped[1]} {swapped[3]} {swapped[2]}"


@lru_cache(maxsize=1)
def _board_words() -> re.Pattern[str]:
    """Words of board makers; Latin ones stand alone, Chinese ones may touch their neighbours."""
    every = sorted((word for words in load_yaml(FACTS / "board_words.yaml").values() for word in words), key=len)[::-1]
    latin = "|".join(re.escape(word) for word in every if word[0].isascii())
    chinese = "|".join(re.escape(word) for word in every if not word[0].isascii())
    return re.compile(rf"(?<![A-Za-z0-9])(?:{latin})(?![A-Za-z0-9])|(?:{chinese})", re.IGNORECASE)
