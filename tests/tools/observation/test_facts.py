"""The facts on observations: every name in them leads somewhere, and every cause is told in both languages."""

import re

import pytest

from kb.base import UnknownName
from kb.observation import FILLED, CauseFact, observation_facts, symptom, wording
from tools.observation.estimates.expected import UNITS
from tools.observation.request import ObservationRequest, Seen
from tools.observation.setup import Machine

FACTS = observation_facts()
FIELDS = set(ObservationRequest.model_fields)
HAN = re.compile(r"[\u4e00-\u9fff]")
BY_SIZE = ("compute_buffer_grows",)
"""Causes that arithmetic on the set-up tells."""
CAUSES = list(FACTS.causes.values())


@pytest.mark.parametrize("cause", CAUSES, ids=[one.id for one in CAUSES])
class TestCause:
    def test_it_speaks_of_what_there_is(self, cause: CauseFact) -> None:
        named = {*cause.change, *cause.times, *cause.needs, *cause.unless, *cause.unless_also, *cause.unless_stated,
                 *cause.when}  # fmt: skip
        assert named <= FIELDS
        assert set(cause.machine) <= set(Machine.__dataclass_fields__)
        assert set(cause.figures) <= set(UNITS)
        assert {one.of for one in cause.evidence} <= {*Seen.model_fields, FILLED}
        assert cause.observed is None or cause.observed in Seen.model_fields
        assert cause.source in FACTS.sources

    def test_what_is_solved_for_has_bounds(self, cause: CauseFact) -> None:
        assert ("solve" in cause.machine.values()) is (cause.bounds is not None)

    def test_a_cause_of_a_figure_can_be_reckoned(self, cause: CauseFact) -> None:
        assert not cause.domains or cause.change or cause.times or cause.machine

    def test_it_is_told_in_both_languages(self, cause: CauseFact) -> None:
        told = (cause.name_zh, cause.what_zh, cause.fix_zh)
        assert all(HAN.search(text) for text in told)
        assert not any(HAN.search(text) for text in (cause.name, cause.what, cause.look_for, cause.fix))
        assert cause.check
        assert cause.look_for


def test_wordings_symptoms_and_numbers_lead_to_causes() -> None:
    led = {cause for one in FACTS.wordings for cause in one.causes}
    led |= {cause for one in FACTS.symptoms.values() for cause in one.causes}
    led |= {one.cause for one in FACTS.xids.values()} | set(FACTS.oom_causes.values())
    led |= {cause for row in FACTS.oom_beside.values() for cause in row.values()}
    assert led <= set(FACTS.causes)
    unled = [one.id for one in CAUSES if not one.domains and not one.beyond and one.id not in {*led, *BY_SIZE}]
    by_sum = ["beyond_limit", "kernel_otherwise", "host_holds_states"]  # told by arithmetic, rules of compatibility
    assert unled == by_sum


def test_every_cause_of_memory_that_ran_out_has_a_name_here() -> None:
    from typing import get_args

    from kb.oom import Cause

    assert set(get_args(Cause)) == set(FACTS.oom_causes)


@pytest.mark.parametrize("one", FACTS.wordings, ids=[one.id for one in FACTS.wordings])
def test_a_wording_is_bounded(one: object) -> None:
    pattern = wording(one.pattern)  # type: ignore[attr-defined]
    assert not re.search(r"(?<!\\)(?:\.|\]|\))[*+](?!\?)", pattern.pattern.replace("sm_", ""))


def test_readings_of_logs_fill_fields() -> None:
    assert {one.seen for one in FACTS.readings if one.seen} <= set(Seen.model_fields)
    assert {one.field for one in FACTS.readings if one.field} <= FIELDS
    assert all((one.seen is None) is not (one.field is None) for one in FACTS.readings)


def test_flags_set_fields_of_the_request() -> None:
    fields = {flag.field for program in FACTS.programs for flag in program.flags}
    fields |= {name for program in FACTS.programs for name in program.fields}
    assert fields - {"slots"} <= FIELDS


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("training hangs after the first epoch", "hangs"), ("训练卡住不动", "hangs"),
        ("the second gpu stays idle", "one_card_idle"), ("只用了一张卡", "one_card_idle"),
        ("memory keeps growing every step", "grows"), ("显存一直涨", "grows"),
        ("gets slower over time", "slow_later"), ("越跑越慢", "slow_later"), ("利用率上不去", "low_utilisation"),
        ("掉卡", "disappears"), ("my pc shuts off under load", "restarts"), ("it throttles at 83", "throttles"),
        ("vllm eats all memory", "reserved"), ("why is it so slow", "slow"), ("OOM during evaluation", "fails_at_eval"),
        ("fails at vae decode", "fails_at_decode"), ("xid in dmesg", "xid"), ("模型输出乱码", "wrong_output"),
        ("docker cannot find the gpu", "not_found"), ("it runs on the cpu", "on_cpu"),
    ],
)  # fmt: skip
def test_a_symptom_is_heard_in_words(words: str, expected: str) -> None:
    assert symptom(words).id == expected


def test_an_unknown_symptom_names_those_near_it() -> None:
    with pytest.raises(UnknownName) as refusal:
        symptom("hungs")
    assert "hangs" in refusal.value.close
