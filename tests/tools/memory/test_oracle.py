"""Parts of the calculator against real architectures: Transformers, PEFT and autograd themselves, over no weights."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
from oracle import ARCHITECTURES, Architecture, Step, adapter_rows, cache_rows, step_rows, weight_rows

BY_ID = {architecture.id: architecture for architecture in ARCHITECTURES}
FEW = tuple(
    BY_ID[name]
    for name in (
        "meta-llama/Meta-Llama-3.1-8B", "Qwen/Qwen2.5-7B", "Qwen/Qwen3-30B-A3B", "google/gemma-2-9b",
        "deepseek-ai/DeepSeek-V3", "openai/gpt-oss-20b", "mistralai/Mistral-7B-v0.1",
    )
)  # fmt: skip


@pytest.mark.parametrize("architecture", FEW, ids=lambda one: one.id)
def test_weights_and_cache_are_those_of_the_real_model(architecture: Architecture) -> None:
    rows = [*weight_rows((architecture,)), *cache_rows((architecture,))]
    assert len(rows) == 3
    for row in rows:
        assert abs(row.error) < 0.001, row


def test_adapters_are_those_peft_makes() -> None:
    rows = list(adapter_rows((BY_ID["Qwen/Qwen3-0.6B"], BY_ID["google/gemma-3-1b-it"])))
    assert len(rows) == 6
    assert all(row.real == row.ours for row in rows)


@pytest.mark.parametrize(
    "step",
    [
        pytest.param(Step(BY_ID["Qwen/Qwen2.5-7B"], "full_finetune", False, layers=2), id="full"),
        pytest.param(Step(BY_ID["Qwen/Qwen2.5-7B"], "full_finetune", True, layers=2, tokens=8192), id="checkpointed"),
        pytest.param(Step(BY_ID["Qwen/Qwen2.5-7B"], "full_finetune", False, layers=2, precision="bf16"), id="autocast"),
        pytest.param(Step(BY_ID["Qwen/Qwen2.5-7B"], "full_finetune", True, layers=2, precision="fp32"), id="fp32"),
        pytest.param(Step(BY_ID["Qwen/Qwen3-8B"], "lora", False, layers=2), id="lora"),
        pytest.param(Step(BY_ID["Qwen/Qwen3-8B"], "lora", True, layers=3), id="lora-checkpointed"),
        pytest.param(Step(BY_ID["Qwen/Qwen3-8B"], "lora", False, layers=2, precision="bf16"), id="lora-autocast"),
        pytest.param(Step(BY_ID["google/gemma-2-9b"], "full_finetune", True, tokens=512, attention="eager"), id="tied"),
        pytest.param(Step(BY_ID["Qwen/Qwen2.5-7B"], "full_finetune", True, tokens=4096, attention="eager"), id="eager"),
        pytest.param(Step(BY_ID["Qwen/Qwen3-30B-A3B"], "full_finetune", False, layers=2), id="experts"),
        pytest.param(
            Step(BY_ID["deepseek-ai/DeepSeek-V3"], "full_finetune", False, layers=3, tokens=1024), id="latent"
        ),
    ],
)
def test_training_step_peaks_where_autograd_does(step: Step) -> None:
    rows = list(step_rows((step,)))
    assert {row.what.split(": ")[1] for row in rows} >= {"forward and backward", "optimizer states"}
    for row in rows:
        assert abs(row.error) < 0.02, row
