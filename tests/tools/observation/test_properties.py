"""What holds for every explanation, whatever the set-up."""

import math
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tools.observation import explain_observation
from tools.observation.estimates.expected import MORE_IS_WORSE, expected
from tools.observation.request import ObservationRequest
from tools.observation.result import Explanation
from tools.observation.setup import Machine, Setup

SERVED = st.fixed_dictionaries(
    {
        "model": st.sampled_from(["qwen3-8b", "qwen3-32b", "llama-3.3-70b", "qwen3-30b-a3b", "mixtral-8x7b"]),
        "cards": st.sampled_from(["RTX 3090", "2x 3090", "RTX 4090", "H100 SXM", "4x A100 80GB", "RTX 5060 Ti 16GB"]),
        "engine": st.sampled_from(["vllm", "llama.cpp", "ollama", "transformers", "sglang"]),
        "concurrent_sequences": st.sampled_from([1, 4, 32]),
    }
)
TRAINED = st.fixed_dictionaries(
    {
        "model": st.sampled_from(["qwen3-8b", "llama-3.1-8b", "qwen3-1.7b"]),
        "cards": st.sampled_from(["RTX 3090", "2x 4090", "8x H100 SXM", "4x A100 80GB"]),
        "task": st.sampled_from(["lora", "qlora", "full_finetune"]),
        "micro_batch_size": st.sampled_from([1, 4]),
        "sequence_tokens": st.sampled_from([1024, 4096]),
    }
)
SETUPS = st.one_of(SERVED, TRAINED)
TIMES = st.sampled_from([0.02, 0.2, 0.5, 0.8, 1.0, 1.3, 2.0, 10.0])
QUIET = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def explained(fields: dict[str, Any], **more: Any) -> Explanation:
    return explain_observation(ObservationRequest.model_validate(fields | more))


def ranges(fields: dict[str, Any], machine: Machine | None = None) -> dict[str, Any]:
    return expected(Setup(ObservationRequest.model_validate(fields)), machine).ranges


@QUIET
@given(fields=SETUPS, share=st.floats(0.0, 1.0), data=st.data())
def test_a_figure_within_the_interval_is_normal(fields: dict[str, Any], share: float, data: Any) -> None:
    found = ranges(fields)
    name = data.draw(st.sampled_from(sorted(set(found) - {"tokens_per_s"})))
    of = found[name]
    value = min(max(of.low + share * (of.high - of.low), of.low), of.high)
    seen = {name: min(math.ceil(value), int(of.high)) if name in ("memory_bytes", "kv_pool_tokens") else value}
    if of.high - of.low < 2:
        return
    answer = explained(fields, seen=seen).answer
    assert answer.verdict == "normal"


@QUIET
@given(fields=SETUPS, ratio=st.floats(0.03, 1.0))
def test_a_slower_link_never_gives_more(fields: dict[str, Any], ratio: float) -> None:
    whole, less = ranges(fields), ranges(fields, Machine(link_ratio=ratio))
    for name, of in whole.items():
        if name in MORE_IS_WORSE:
            assert less[name].value >= of.value * (1 - 1e-9)
        elif name not in ("kv_pool_tokens", "memory_bytes"):
            assert less[name].value <= of.value * (1 + 1e-9)


@QUIET
@given(fields=SETUPS, clock=st.floats(0.3, 1.0), waiting=st.floats(0.0, 0.9), paged=st.floats(0, 1e10))
def test_nothing_that_goes_wrong_makes_it_faster(
    fields: dict[str, Any], clock: float, waiting: float, paged: float
) -> None:
    whole = ranges(fields)
    for machine in (Machine(clock_ratio=clock), Machine(waiting_ratio=waiting), Machine(paged_bytes=paged)):
        for name, of in ranges(fields, machine).items():
            if name in ("step_s", "first_token_s"):
                assert of.value >= whole[name].value * (1 - 1e-9)
            elif name.endswith("tokens_per_s") or name == "tokens_per_s_total":
                assert of.value <= whole[name].value * (1 + 1e-9)


@QUIET
@given(fields=SETUPS, times=TIMES, data=st.data())
def test_causes_are_ordered_shares_and_explain_in_the_right_direction(
    fields: dict[str, Any], times: float, data: Any
) -> None:
    found = ranges(fields)
    name = data.draw(st.sampled_from(sorted(found)))
    value = max(found[name].value * times, 1.0 if name in ("memory_bytes", "kv_pool_tokens") else 1e-6)
    seen = {name: round(value) if name in ("memory_bytes", "kv_pool_tokens") else value}
    told = explained(fields, seen=seen)
    for cause in told.causes:
        assert cause.share_ratio is None or 0 <= cause.share_ratio <= 1
        if cause.expected is not None and told.answer.verdict in ("low", "high") and told.answer.expected is not None:
            assert told.answer.seen is not None  # what several cards hold together is read as each one's
            towards = (cause.expected.value - told.answer.expected.value) * (
                told.answer.seen - told.answer.expected.value
            )
            assert towards >= 0
    assert len({cause.id for cause in told.causes}) == len(told.causes)
    assert told.answer.cause == (told.causes[0].id if told.causes else None)


@QUIET
@given(fields=SERVED, times=TIMES)
def test_the_same_question_has_the_same_answer(fields: dict[str, Any], times: float) -> None:
    seen = {"tokens_per_s_total": ranges(fields)["tokens_per_s_total"].value * times}
    assert explained(fields, seen=seen) == explained(fields, seen=seen)


@pytest.mark.parametrize("share", [0.05, 0.13, 0.42, 0.8])
def test_a_share_that_was_observed_is_what_the_estimate_takes(share: float) -> None:
    fields = {"model": "qwen3-32b", "cards": "RTX 3090", "engine": "ollama"}
    slow = ranges(fields, Machine(host_share=share))["tokens_per_s"].value
    told = explained(fields, seen={"tokens_per_s": slow, "cpu_share_ratio": share})
    first = told.causes[0]
    assert (first.id, first.basis, first.change) == ("layers_on_cpu", "seen", {"host_share": share})
    assert first.expected is not None
    assert first.expected.value == pytest.approx(slow)
    assert first.share_ratio == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.7])
def test_the_share_that_was_not_observed_is_found(share: float) -> None:
    fields = {"model": "qwen3-32b", "cards": "RTX 3090", "engine": "llama.cpp"}
    slow = ranges(fields, Machine(host_share=share))["tokens_per_s"].value
    told = explained(fields, seen={"tokens_per_s": slow})
    found = next(cause for cause in told.causes if cause.id == "layers_on_cpu")
    assert found.change["host_share"] == pytest.approx(share, abs=0.01)
