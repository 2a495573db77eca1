"""Errors of builds and kernels: derived from the card's compute capability, for every card; and settings told wrong."""

from typing import Any

import pytest

from kb.catalog import gpus
from kb.programs.software import compute_capability, generation, version
from tools.observation import explain_observation
from tools.observation.capability import wheel_for
from tools.observation.request import ObservationRequest
from tools.observation.result import Explanation

NO_IMAGE = "CUDA error: no kernel image is available for execution on the device"
NVIDIA = [card for card in gpus().values() if compute_capability(card) is not None]
CAPABILITIES = {card.compute_capability: card for card in NVIDIA}


def explained(**fields: Any) -> Explanation:
    return explain_observation(ObservationRequest.model_validate(fields))


@pytest.mark.parametrize("card", CAPABILITIES.values(), ids=[str(name) for name in CAPABILITIES])
def test_the_build_named_for_a_missing_kernel_is_one_that_knows_the_card(card: Any) -> None:
    first = explained(cards=card.id, error_text=NO_IMAGE).causes[0]
    born, capability = generation(card), compute_capability(card)
    assert born is not None
    assert capability is not None
    assert first.id == "wheel_without_arch"
    assert str(card.compute_capability) in (first.setting or "")
    assert born.first_cuda in first.what.en
    wheel = wheel_for(capability)
    if wheel is not None:
        assert version(wheel[1]) >= version(born.first_cuda)
        assert not born.last_cuda_major or version(wheel[1])[0] <= born.last_cuda_major
        assert f"cu{wheel[1].replace('.', '')}" in (first.setting or "")


def test_a_wheel_is_one_that_the_driver_runs() -> None:
    found = wheel_for((9, 0), driver="535.104.05")
    assert found is not None
    assert found[1].startswith("12.")


def test_a_build_that_is_older_than_the_card_is_named_as_such() -> None:
    first = explained(cards="B300", error_text=f"{NO_IMAGE} torch 2.7.0+cu128").causes[0]

    assert "12.9" in first.what.en
    assert "12.8, which is older" in first.what.en
    assert "10.3a" in (first.setting or "")


def test_a_kernel_that_needs_more_is_told_in_figures() -> None:
    text = "this kernel is not supported on CUDA arch < 89"
    first = explained(cards="RTX 3090", error_text=text).causes[0]

    assert first.id == "kernel_unsupported"
    assert "8.9" in first.what.en
    assert "8.6" in first.what.en


def test_what_a_rule_of_compatibility_refuses_is_the_cause_where_no_text_tells_another() -> None:
    found = explained(model="qwen2.5-7b", weight_format="awq", engine="vllm", cards="V100 32GB",
                      symptom="the server does not start up at all")  # fmt: skip

    assert found.causes[0].id == "kernel_unsupported"
    assert "GPTQ" in found.causes[0].fix.en


def test_settings_that_leave_no_room_are_named_together_with_what_they_hold_otherwise() -> None:
    found = explained(
        model="qwen2.5-7b", cards="RTX 3090", flags="vllm serve x --dtype float --gpu-memory-utilization .5",
        error_text="CUDA out of memory. Tried to allocate 260.00 MiB. GPU 0 has a total capacity of 23.69 GiB",
    )  # fmt: skip
    assert [one.id for one in found.causes[:2]] == ["fp32_weights", "oom_reservation"]
    assert all(one.figure_after is not None for one in found.causes[:2])


def test_settings_with_which_it_fits_are_not_named() -> None:
    found = explained(
        model="qwen2.5-0.5b", cards="RTX 3090", flags="vllm serve x --dtype float --gpu-memory-utilization .5",
        error_text="CUDA out of memory. Tried to allocate 260.00 MiB. GPU 0 has a total capacity of 23.69 GiB",
    )  # fmt: skip
    assert found.causes[0].id not in {"fp32_weights", "oom_reservation"}


def test_what_could_explain_any_gap_has_no_share_and_does_not_lead_what_was_reckoned() -> None:
    found = explained(model="qwen3-8b", cards="H100", engine="vllm", seen={"tokens_per_s": 20})
    shares = {one.id: one.share_ratio for one in found.causes}

    assert shares["client_waits"] is None
    assert found.causes[0].share_ratio is not None


def test_a_step_with_a_piece_of_a_prompt_takes_its_tokens_over_the_prompt_rate() -> None:
    call = {"model": "qwen3-30b-a3b", "cards": "H100", "engine": "vllm", "concurrent_sequences": 4,
            "input_tokens": 60000, "seen": {"tokens_per_s": 3}}  # fmt: skip

    def under(tokens: int) -> float:
        causes = {one.id: one for one in explained(**call, batched_tokens=tokens).causes}
        expected = causes["prefill_chunks"].expected
        assert expected is not None
        return expected.value

    assert under(2048) > 3 * under(16384)


def test_words_of_no_symptom_are_heard_by_what_they_mean() -> None:
    found = explained(symptom="temperature of the graphics chip is beyond what its cooler can take away")

    assert {"thermal_trip", "throttled"} & {one.id for one in found.causes[:3]}
    assert all(one.basis == "known" for one in found.causes)


def test_a_link_that_is_named_is_no_cause_by_itself() -> None:
    found = explain_observation(
        ObservationRequest.model_validate(
            {"model": "Qwen/Qwen2.5-7B-Instruct", "cards": "2x 4090", "engine": "vllm", "seen": {"tokens_per_s": 30},
             "symptom": "slow, and there is no NVLink between the two"}
        )
    )  # fmt: skip
    assert "kernel_unsupported" not in {one.id for one in found.causes}
