"""Models whose attention needs kernels that an engine has for some cards only."""

import pytest

from tests.tools.ways_to_train.problems import found as training
from tools.ways_to_run import find_ways_to_run
from tools.ways_to_run.request import WaysToRunRequest
from tools.ways_to_run.result import WaysToRun


def found(model: str, cards: str, **fields: object) -> WaysToRun:
    return find_ways_to_run(WaysToRunRequest.model_validate({"model": model, "cards": cards, **fields}))


@pytest.mark.parametrize("model", ["DeepSeek-V3.2", "GLM-5", "GLM-5.2"])
@pytest.mark.parametrize("card", ["A800 80GB", "A100 80GB"])
def test_sparse_attention_runs_in_no_serving_engine_before_hopper(model: str, card: str) -> None:
    answer = found(model, f"16x {card}")
    assert {way.engine for way in answer.ways} <= {"llama.cpp"}
    for engine in ("vLLM", "SGLang"):
        reasons = [one.reason for one in answer.rejected if f"in {engine} on" in one.way and one.kind == "engine"]
        assert len(reasons) == 1
        assert "9.0" in reasons[0]
    assert any("llama.cpp" in one and "indexer" in one for one in answer.warnings)
    assert {"vllm-attention-backends", "sglang-35420", "llama-cpp-23346"} <= {one.id for one in answer.sources}


def test_an_engine_that_was_asked_for_and_cannot_is_said_to_be_changed() -> None:
    answer = found("DeepSeek-V3.2", "16x A100 80GB", engine="vllm")
    assert answer.answer.verdict != "fits"
    assert any("vLLM" in one.way and one.kind == "engine" for one in answer.rejected)


@pytest.mark.parametrize(("model", "cards"), [("DeepSeek-V3.2", "8x H200"), ("GLM-5.2", "8x B200")])
def test_sparse_attention_runs_on_cards_it_was_written_for(model: str, cards: str) -> None:
    answer = found(model, cards)
    assert "vllm" in {way.engine for way in answer.ways}
    assert not any(one.kind == "engine" for one in answer.rejected)


def test_models_that_attend_to_everything_are_not_concerned() -> None:
    answer = found("DeepSeek-V3.1", "16x A100 80GB")
    assert {"vllm", "sglang"} & {way.engine for way in answer.ways}
    assert not any("indexer" in one for one in answer.warnings)


@pytest.mark.parametrize("engine", [None, "unsloth"])
def test_four_bit_adapters_of_a_mixture_are_warned_of_experts_left_wide(engine: str | None) -> None:
    fields = {"cards": "1x H100", "method": "qlora", "engine": engine}
    mixture, dense = training({**fields, "model": "Qwen3-30B-A3B"}), training({**fields, "model": "qwen3 8b"})
    said = [one for one in mixture.warnings if "bitsandbytes" in one]
    assert len(said) == 1
    assert "bitsandbytes-1849" in {one.id for one in mixture.sources}
    assert not any("bitsandbytes" in one for one in dense.warnings)
