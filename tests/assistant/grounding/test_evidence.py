"""What vouches for a figure: its value, its unit, and what it is of, in a result, a passage or the person's words."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.grounding.standing.evidence import BEFORE, CATALOG, PERSON, Evidence, Verdict
from assistant.grounding.wording.figures import figures_of_text
from tests.assistant.grounding.results import ALL, CARDS, OFFERS, PASSAGE, RUN, looked_up


def vouched(text: str, evidence: Evidence) -> Verdict:
    (one,) = [figure for figure in figures_of_text(text) if figure.readings]
    return evidence.vouches(one)


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("41.5 tokens/s", "R1"), ("$1,207", "R2"), ("$0.83 an hour", "R3"), ("¥4,270", "R4"), ("2.9 s", "R5"),
        ("350 GB", "R7.1"), ("900 W", "R7.1"), ("$2,414", "R8"),
    ],
)  # fmt: skip
def test_a_figure_is_vouched_for_by_the_result_that_holds_it(text: str, source: str) -> None:
    assert vouched(text, Evidence.of(ALL)).sources == (source,)


def test_words_former_answers_and_the_catalog_vouch_under_their_names() -> None:
    evidence = Evidence.of([CARDS], ["my tariff is $0.31"], ["It took 77 minutes."])
    assert vouched("$0.31", evidence).sources == (PERSON,)
    assert vouched("77 minutes", evidence).sources == (BEFORE,)
    assert vouched("The RTX 3090 has 936 GB/s", Evidence.of([], ["a 3090"])).sources == (CATALOG,)


@pytest.mark.parametrize(
    ("text", "against"),
    [
        pytest.param("RTX 4060 Ti 16GB: $1,207", "of GeForce RTX 3090"),
        ("The RTX 4060 Ti 16GB costs $1,207", "of GeForce RTX 3090"),
        ("515,300 tokens/s per user", "as total, not per user"),
        ("RTX 4090: ¥1,980 an hour", "as month, not hour"),
        pytest.param("RTX 4090: $0.83/h", "of NVIDIA A800"),
        ("The RTX 4090 rents at $0.83/h", "of NVIDIA A800"),
    ],
)
def test_what_stands_against_the_nearest_is_told(text: str, against: str) -> None:
    verdict = vouched(text, Evidence.of([RUN, CARDS, OFFERS]))
    assert verdict.sources == ()
    assert against in verdict.against


def test_bare_sums_of_a_person_are_of_their_currency() -> None:
    chinese, english = Evidence.of([], ["预算 5000 左右"]), Evidence.of([], ["budget about 5000"])
    assert vouched("¥5,000", chinese).sources == (PERSON,)
    assert vouched("$5,000", english).sources == (PERSON,)
    assert vouched("€5,000", english).sources == ()


def test_names_are_known_from_results_and_words_and_only_quoted_from_passages() -> None:
    evidence = Evidence.of([CARDS, PASSAGE], ["and an L40S"])
    assert {"rtx-3090-24gb", "rtx-4090-24gb", "l40s-48gb"} <= evidence.known
    assert evidence.quoted == {"gaudi3-128gb"}
    assert not evidence.quoted & evidence.known


@pytest.mark.parametrize(
    ("text", "source"), [("2026-09-20", "R3"), ("2026 年 9 月", "R3"), ("September 2026", "R3"), ("2025-02-03", "R7.1")]
)
def test_a_date_is_known_however_it_is_written(text: str, source: str) -> None:
    assert Evidence.of(ALL).dates(text) == source


def test_a_day_is_not_vouched_for_by_its_month() -> None:
    assert Evidence.of(ALL).dates("2026-09-21") is None


@pytest.mark.parametrize("near", ["41.6 tokens/s", "12.7 GiB", "1.78 s", "$1,230", "13 cards"])
def test_a_figure_that_is_near_is_another(near: str) -> None:
    assert vouched(near, Evidence.of([RUN, CARDS])).sources == ()


@pytest.mark.parametrize(
    "rounded", ["42 tokens/s", "13 GiB", "1.8 s", "about $1,200", "≈ 24 GiB", "520,000 tokens/s in total"]
)
def test_a_figure_may_be_rounded_as_people_do(rounded: str) -> None:
    assert vouched(rounded, Evidence.of([RUN, CARDS])).sources != ()


@settings(deadline=None)
@given(st.integers(1, 9999), st.sampled_from(["GiB", "tokens/s", "W", "GB/s", "days", "%"]))
def test_whatever_a_result_says_may_be_said_again(number: int, unit: str) -> None:
    said = f"{number:,} {unit}"
    evidence = Evidence.of([looked_up("R1", "look_up", {"value": said})])
    assert vouched(said, evidence).sources == ("R1",)


@settings(deadline=None)
@given(st.integers(11, 9999), st.sampled_from(["GiB", "tokens/s", "W"]))
def test_and_nothing_else_of_its_kind(number: int, unit: str) -> None:
    evidence = Evidence.of([looked_up("R1", "look_up", {"value": f"{number} {unit}"})])
    assert vouched(f"{number * 2} {unit}", evidence).sources == ()
    assert vouched(f"{number * 1.1 + 2:.0f} {unit}", evidence).sources == ()


amounts = st.from_regex(
    r"-?[0-9]{1,3}(,[0-9]{3}){0,2}(\.[0-9]{1,3})?( \([0-9.,]{1,7}[–-][0-9.,]{1,7}\))?", fullmatch=True
)
units = st.sampled_from(("", " %", " GiB", " tokens/s", " × real time", "×", " s", "/h", " a card", "k", " 万"))
fields = st.sampled_from(("ratio", "audio_s_per_s", "clips_s_per_s", "value", "share", "speed", "steps", "why", "note"))


@given(st.dictionaries(fields, st.tuples(amounts, units).map("".join), min_size=1))
def test_no_text_of_a_result_makes_its_reading_fail(shown: dict[str, str]) -> None:
    evidence = Evidence.of([looked_up("R1", "explain", {"seen": [shown], "answer": shown})], ("",))
    assert evidence.vouches(figures_of_text("987,654,321.5 GiB")[0]).sources == ()


def test_a_ratio_of_thousands_and_a_rate_of_nothing_are_read() -> None:
    shown = {"ratio": "3,897", "audio_s_per_s": "0 × real time", "clips_s_per_s": "1,200 × real time"}
    evidence = Evidence.of([looked_up("R1", "explain", {"seen": [shown]})], ("",))
    assert vouched("3,897 times", evidence).sources == ("R1",)
