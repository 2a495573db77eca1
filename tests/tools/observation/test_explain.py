"""What is asked of the explanation, what is missing in it, and what it says of what people hoped for."""

from typing import Any

import pytest

from kb.base import AmbiguousName, BadInput, UnknownName
from kb.units import GIB
from tools.observation import explain_observation
from tools.observation.request import ObservationRequest
from tools.observation.result import Explanation
from tools.registry import tool


def explained(**fields: Any) -> Explanation:
    return explain_observation(ObservationRequest.model_validate(fields))


def test_nothing_observed_is_refused() -> None:
    with pytest.raises(BadInput) as refusal:
        explained(model="qwen3-8b", cards="RTX 4090")
    assert refusal.value.field == "seen"


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        pytest.param({"seen": {"tokens_per_s": -1}}, "seen.tokens_per_s", id="negative"),
        pytest.param({"seen": {"tokens_per_s": float("nan")}}, "seen.tokens_per_s", id="nan"),
        pytest.param({"seen": {"utilisation_ratio": 40}}, "seen.utilisation_ratio", id="percent"),
        pytest.param({"seen": {"speed": 1}}, "seen.speed", id="unknown-figure"),
        pytest.param({"symptom": "hang forever please" * 40}, "symptom", id="long"),
    ],
)
def test_what_cannot_be_used_is_named(fields: dict[str, Any], field: str) -> None:
    with pytest.raises(BadInput) as refusal:
        tool("explain_observation").call(fields)
    assert refusal.value.field == field


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        pytest.param({"cards": "RTX 9999", "seen": {"tokens_per_s": 3}}, "GPU", id="card"),
        pytest.param({"model": "qwenn-77b", "cards": "RTX 4090", "seen": {"tokens_per_s": 3}}, "model", id="model"),
        pytest.param({"symptom": "hungs"}, "symptom", id="symptom"),
    ],
)
def test_an_unknown_name_is_the_callers_to_mend(fields: dict[str, Any], kind: str) -> None:
    with pytest.raises((UnknownName, AmbiguousName)) as refusal:
        tool("explain_observation").call(fields)
    assert refusal.value.kind == kind


@pytest.mark.parametrize(
    ("fields", "needs"),
    [
        pytest.param({"cards": "RTX 4090", "seen": {"tokens_per_s": 3}}, ("model",), id="model"),
        pytest.param({"model": "qwen3-8b", "seen": {"tokens_per_s": 3}}, ("cards",), id="cards"),
        pytest.param({"model": "qwen3-8b", "task": "lora", "cards": "RTX 4090", "seen": {"step_s": 9}},
                     ("micro_batch_size", "sequence_tokens"), id="batch"),
        pytest.param({"model": "qwen3-8b", "task": "lora", "cards": "RTX 4090", "seen": {"wall_s": "9h"}},
                     ("dataset_tokens",), id="data"),
    ],
)  # fmt: skip
def test_the_field_that_would_decide_is_named(fields: dict[str, Any], needs: tuple[str, ...]) -> None:
    found = explained(**fields)
    assert found.answer.verdict is None
    assert found.answer.needs == needs


def test_too_thin_a_set_up_still_has_what_goes_with_the_symptom() -> None:
    found = explained(seen={"tokens_per_s": 3}, symptom="on_cpu")
    assert found.answer.verdict is None
    assert found.causes[0].id == "layers_on_cpu"
    assert found.causes[0].basis == "known"


def test_what_is_beyond_the_bandwidth_is_impossible() -> None:
    found = explained(model="qwen3-32b", cards="RTX 3090", engine="llama.cpp", weight_format="q4_k_m",
                      seen={"tokens_per_s": 140})  # fmt: skip
    assert found.answer.verdict == "impossible"
    assert found.figures[0].limit is not None
    assert found.figures[0].limit < 60
    assert "speculative" in [cause.id for cause in found.causes]


def test_more_memory_than_the_card_has_is_impossible() -> None:
    found = explained(model="qwen3-8b", cards="RTX 4090", engine="vllm", seen={"memory_bytes": 40 * GIB})
    assert found.answer.verdict == "impossible"
    assert found.answer.cause == "several_counted"


def test_a_hope_beyond_the_hardware_is_told_so() -> None:
    found = explained(model="qwen3-32b", cards="RTX 3090", engine="ollama", seen={"tokens_per_s": 33},
                      expected_by_person={"tokens_per_s": 90})  # fmt: skip
    assert (found.answer.verdict, found.answer.person_right) == ("normal", False)
    assert found.answer.cause == "beyond_limit"


def test_a_hope_that_counts_the_weights_alone_is_told_so() -> None:
    found = explained(model="llama-2-7b", task="lora", cards="RTX 4090", micro_batch_size=1, sequence_tokens=2048,
                      seen={"memory_bytes": "16.5GB"}, expected_by_person={"memory_bytes": "13GB"})  # fmt: skip
    assert found.answer.verdict == "normal"
    assert "weights_alone" in [cause.id for cause in found.causes]


def test_the_one_who_expected_what_we_do_is_right() -> None:
    found = explained(model="qwen3-32b", cards="RTX 3090", engine="ollama", seen={"tokens_per_s": 9},
                      expected_by_person={"tokens_per_s": 35})  # fmt: skip
    assert (found.answer.verdict, found.answer.person_right, found.answer.worse) == ("low", True, True)


def test_the_figure_that_was_asked_about_comes_before_those_that_tell_of_it() -> None:
    found = explained(model="qwen3-32b", cards="RTX 3090", engine="ollama",
                      seen={"tokens_per_s": 9, "cpu_share_ratio": 0.2, "temperature_c": 60})  # fmt: skip
    assert found.figures[0].name == "tokens_per_s"
    assert {figure.name for figure in found.figures} == {"tokens_per_s", "cpu_share_ratio", "temperature_c"}


def test_a_hot_card_points_at_its_clock() -> None:
    asked = {"model": "llama-3.1-8b", "task": "lora", "cards": "RTX 4090", "micro_batch_size": 4,
             "sequence_tokens": 2048}  # fmt: skip
    cool = explained(**asked, seen={"step_s": 8, "temperature_c": 60, "utilisation_ratio": 0.99})
    hot = explained(**asked, seen={"step_s": 8, "temperature_c": 91, "utilisation_ratio": 0.99})
    places = [[cause.id for cause in found.causes].index("throttled") for found in (cool, hot)]
    assert places[1] == 0 < places[0]


def test_a_link_that_was_told_is_part_of_what_is_expected() -> None:
    asked = {"model": "qwen3-8b", "task": "full_finetune", "sharding": "zero3", "cards": "4x 3090",
             "micro_batch_size": 1, "sequence_tokens": 2048, "seen": {"step_s": 12}}  # fmt: skip
    wide, narrow = explained(**asked), explained(**asked, link="PCIe 3.0 x4")
    assert wide.answer.expected is not None
    assert narrow.answer.expected is not None
    assert narrow.answer.expected.value > 1.5 * wide.answer.expected.value
    assert "slow_link" in [cause.id for cause in wide.causes]


def test_a_cache_in_16_bits_holds_half_of_what_was_set() -> None:
    found = explained(model="qwen3-32b", cards="H100 SXM", engine="vllm", weight_format="fp8", kv_format="fp8",
                      seen={"kv_pool_tokens": 150_000})  # fmt: skip
    assert found.answer.verdict == "low"
    assert found.causes[0].id == "cache_16_bit"


def test_memory_after_loading_is_that_of_the_weights() -> None:
    found = explained(model="qwen3-8b", task="lora", cards="RTX 4090", micro_batch_size=4, sequence_tokens=4096,
                      seen={"memory_bytes": "16GB", "memory_at": "load"})  # fmt: skip
    assert found.answer.verdict == "normal"


def test_a_processor_alone_is_judged_by_its_memory() -> None:
    found = explained(model="qwen3-30b-a3b", cards="cpu", engine="llama.cpp", host_memory="64GB DDR5-5600 dual channel",
                      seen={"tokens_per_s": 18})  # fmt: skip
    assert found.answer.verdict == "normal"
    assert found.binds == "host_bandwidth"


def test_a_card_known_by_its_memory_is_judged_by_that() -> None:
    found = explained(model="qwen3-8b", cards="one 24GB card", engine="vllm", seen={"memory_bytes": "21GB"})
    assert (found.answer.verdict, found.binds, found.gpu) == ("normal", "reservation", None)


def test_a_power_limit_is_part_of_what_is_expected() -> None:
    asked = {"model": "llama-3.1-8b", "task": "lora", "cards": "RTX 3090", "micro_batch_size": 2,
             "sequence_tokens": 2048, "seen": {"step_s": 9}}  # fmt: skip
    whole, limited = (explained(**asked, **more).answer.expected for more in ({}, {"power_limit_w": 200}))
    assert whole is not None
    assert limited is not None
    assert limited.value == pytest.approx(whole.value / (200 / 350) ** 0.45, rel=0.1)


def test_experts_left_to_the_processor_are_part_of_what_is_expected() -> None:
    asked = {"cards": "RTX 3060 12GB", "seen": {"tokens_per_s": 25}}
    few, most = (
        explained(**asked, flags=f"llama-server -m Qwen3-30B-A3B-Q4_K_M.gguf -ngl 99 --n-cpu-moe {layers}")
        for layers in (10, 44)
    )
    assert few.answer.expected is not None
    assert most.answer.expected is not None
    assert few.answer.expected.value > most.answer.expected.value


def test_one_of_two_cards_that_serves_explains_half_the_rate() -> None:
    found = explained(model="qwen3-14b", cards="2x 4090", engine="vllm", symptom="one_card_idle",
                      seen={"tokens_per_s": 29})  # fmt: skip
    assert found.causes[0].id == "one_card_serves"
    assert found.causes[0].setting == "--tensor-parallel-size 2"


def test_what_does_not_fit_says_what_more_cards_would_give() -> None:
    found = explained(model="llama-3.3-70b", cards="RTX 4090", engine="ollama", weight_format="q4_k_m",
                      seen={"tokens_per_s": 2.1})  # fmt: skip
    assert (found.answer.verdict, found.binds) == ("normal", "host_bandwidth")
    assert found.answer.cause == "everything_on_cards"
    assert found.changes[0].effect.value > 5 * 2.1


def test_every_result_of_a_fault_has_a_check_and_a_fix() -> None:
    found = explained(model="qwen3-8b", task="lora", cards="RTX 4090", micro_batch_size=2, sequence_tokens=2048,
                      seen={"step_s": 30})  # fmt: skip
    assert found.causes
    assert all(one.check.command and one.check.look_for and one.fix.en and one.fix.zh for one in found.causes)
    assert all(one.figure_after == found.answer.expected for one in found.causes if one.share_ratio)


def test_card_names_are_read_as_people_write_them() -> None:
    one = explained(model="Qwen3-14B Q4_K_M", cards="2x 3090", engine="llama.cpp", seen={"tokens_per_s": 50})
    assert (one.gpu, one.gpus, one.model) == ("rtx-3090-24gb", 2, "Qwen/Qwen3-14B")
