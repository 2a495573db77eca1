"""References keep vouching for their figures when sentences are cut around them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.grounding.wording.statements import statements
from assistant.llm.answering import judged, moved, without
from tools.agent_tools.ledger import Ledger, LookedUp

TEXT = "It needs 12.6 GiB. It costs $9.\n\n| card | GiB |\n|---|---|\n| a | 24.0 |\n| b | 24.0 |\n\nIt draws 350 W."


def span(text: str, figure: str, after: int = 0) -> tuple[int, int, str]:
    start = text.index(figure, after)
    return start, start + len(figure), "R1"


@pytest.mark.parametrize(
    ("cut", "figure"),
    [
        pytest.param("It costs $9.", "350 W", id="a-sentence-before"),
        pytest.param("It draws 350 W.", "12.6 GiB", id="a-sentence-behind"),
        pytest.param("| a | 24.0 |", "350 W", id="a-row"),
    ],
)
def test_a_reference_stands_where_its_sentence_went(cut: str, figure: str) -> None:
    place = TEXT.index(cut)
    left = without(TEXT, [(place, place + len(cut))])
    ((start, end, key),) = moved([span(TEXT, figure)], TEXT, left)
    assert (left[start:end], key) == (figure, "R1")


def test_a_reference_of_a_sentence_that_was_cut_is_gone() -> None:
    place = TEXT.index("It costs")
    left = without(TEXT, [(place, place + len("It costs $9."))])
    assert moved([span(TEXT, "$9")], TEXT, left) == ()


@settings(deadline=None)
@given(st.sets(st.integers(0, 12)))
def test_whatever_is_cut_spans_hold_what_they_held(which: set[int]) -> None:
    every = statements(TEXT)
    left = without(TEXT, [(one.start, one.end) for index, one in enumerate(every) if index in which])
    spans = [span(TEXT, "12.6 GiB"), span(TEXT, "$9"), span(TEXT, "350 W")]
    for start, end, _ in moved(spans, TEXT, left):
        assert left[start:end] in {"12.6 GiB", "$9", "350 W"}


RUN = LookedUp(
    key="R1", tool="find_ways_to_train", request={"model": "Llama-2-70B", "cards": "A100 80GB"},
    shown={"ways": [{"speed": {"time": "51 h (31–127)"}, "price": {"run_cost": "$70.32"}}]},
)  # fmt: skip


HEAD = "| card | takes |\n|---|---|\n"


def left_of(text: str) -> str:
    ledger = Ledger([RUN])
    found = judged(text, ledger, ("how long does it take?",), (), "en")
    return without(found.said.text, found.bad)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        pytest.param(
            "It takes about 51 hours (40–99) on one card.", "It takes about 51 hours on one card.", id="aside"
        ),
        pytest.param("大约要 51 小时（40–99），一张卡放得下。", "大约要 51 小时，一张卡放得下。", id="aside-zh"),
        pytest.param("It takes 77 hours (31–127) on one card.", "", id="the-sentence-itself"),
        pytest.param(f"{HEAD}| one | 51 h (40–99) |", f"{HEAD}| one | 51 h |", id="cell"),
        pytest.param("(40–99 hours.)", "", id="nothing-else"),
    ],
)
def test_what_is_loose_in_brackets_goes_without_its_sentence(text: str, left: str) -> None:
    assert left_of(text) == left
