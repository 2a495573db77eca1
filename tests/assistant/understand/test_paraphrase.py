"""Ways of writing that change nothing: case, blanks, full-width digits, courtesies, units, traditional characters."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from assistant.understand import understand
from tools.need import Need

CASES = Path(__file__).parents[2] / "cases"
HAN = r"[一-鿿]"
QUESTIONS = [case["q"] for case in yaml.safe_load((CASES / "questions.yaml").read_text(encoding="utf-8"))]


def is_chinese(text: str) -> bool:
    return re.search(HAN, text) is not None


WAYS: dict[str, Callable[[str], str]] = {
    "lower case": str.lower,
    "upper case": str.upper,
    "no blanks beside Han": lambda text: re.sub(rf"(?<={HAN}) (?=\S)|(?<=\S) (?={HAN})", "", text),
    "blanks beside Han": lambda text: re.sub(rf"(?<={HAN})(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?={HAN})", " ", text),
    "double blanks": lambda text: text.replace(" ", "  "),
    "full-width digits": lambda text: "".join(chr(ord(c) + 0xFEE0) if c in "0123456789" else c for c in text),
    "thanks at the end": lambda text: text + ("，谢谢！" if is_chinese(text) else " Thanks!"),
    "hello at the start": lambda text: ("请问一下，" if is_chinese(text) else "Hi all, quick question: ") + text,
    "no question mark": lambda text: re.sub(r"[?？]$", "", text),
    "G for GB": lambda text: re.sub(r"(\d)\s?GB", r"\1G", text),
    "GB for G": lambda text: re.sub(r"(?<![\w.])(\d+)G(?![A-Za-z0-9])", r"\1 GB", text),
    "traditional": lambda text: text.translate(str.maketrans("显张块训练调参预两够吗", "顯張塊訓練調參預兩夠嗎")),
}


def slots(text: str) -> dict[str, Any]:
    read = understand(text)
    return read.need.model_dump(include=set(Need.model_fields) - {"model_text"}) | {"out_of_scope": read.out_of_scope}


@pytest.mark.parametrize("way", WAYS)
def test_a_way_of_writing_changes_no_slot(way: str) -> None:
    written = [(text, WAYS[way](text)) for text in QUESTIONS if "\n" not in text]
    changed = [other for text, other in written if other != text and slots(other) != slots(text)]
    assert not changed
