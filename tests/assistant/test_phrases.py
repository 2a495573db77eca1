import re
from string import Formatter

import pytest

from assistant.phrases import phrases

ZH, EN = phrases("zh"), phrases("en")
ALLOWED = re.compile(r"FP32|BF16|FP16|FP8|FP4|INT8|16-bit|16 位|8-bit|ZeRO-[123]|LoRA", re.I)


def gaps(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def test_both_languages_say_the_same_things() -> None:
    assert ZH.keys() == EN.keys()


@pytest.mark.parametrize("key", sorted(EN.keys()))
def test_a_phrase_has_the_same_gaps_in_both_languages(key: str) -> None:
    assert gaps(ZH._wording[key]) == gaps(EN._wording[key])


@pytest.mark.parametrize("key", sorted(EN.keys()))
def test_no_phrase_states_a_number_of_its_own(key: str) -> None:
    for wording in (ZH, EN):
        assert not re.search(r"\d", ALLOWED.sub("", wording._wording[key]))


def test_other_languages_are_answered_in_english() -> None:
    assert phrases("fr")("table.usable") == EN("table.usable")


def test_several_things_are_listed_as_each_language_does() -> None:
    assert EN.listed(["a", "b", "c"], conjunction="or") == "a, b or c"
    assert ZH.listed(["甲", "乙", "丙"]) == "甲、乙、丙"
    assert EN.listed(["a"]) == "a"
