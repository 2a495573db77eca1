"""The vocabulary of facts, and data that speaks of it."""

import re
from pathlib import Path

import pytest

from kb.artifacts.logs.reading import DERIVED, IGNORED, compiled, logs
from kb.artifacts.sheet import Sheet
from kb.artifacts.vocabulary import fact, vocabulary
from kb.base import UnknownName
from kb.observation import observation_facts

READINGS = [(log.kind, reading) for log in logs() for reading in log.readings]


@pytest.mark.parametrize(
    ("kind", "reading"), READINGS, ids=[f"{kind}-{one.at}-{n}" for n, (kind, one) in enumerate(READINGS)]
)
def test_a_reading_states_facts_of_the_vocabulary(kind: str, reading: object) -> None:
    assert reading.at == reading.at.lower()
    names = {
        group.partition("__")[2] for group in compiled(reading.read).groupindex if group[:4] not in ("of__", "unit")
    }
    names = {DERIVED.get(name, (name, 1))[0] for name in names if name not in (IGNORED, "buffer")} | set(reading.set)
    assert names <= set(vocabulary())


def test_figures_of_the_request_come_from_facts_of_the_vocabulary() -> None:
    for reading in observation_facts().readings:
        assert {reading.fact, reading.over or reading.fact} <= set(vocabulary())


def test_a_name_outside_the_vocabulary_is_refused() -> None:
    with pytest.raises(UnknownName):
        fact("temprature", 80, Sheet("80C").lines[0])


def test_parsers_name_only_facts_of_the_vocabulary() -> None:
    folder = Path(__file__).parents[3] / "kb" / "artifacts"
    quoted = {
        name
        for path in folder.glob("state/*.py")
        for name in re.findall(r'"([a-z]+_(?:bytes|w|hz|ratio))"', path.read_text("utf-8"))
    }
    assert quoted <= set(vocabulary())
