"""Checkpoints that makers publish are named, and their blocks are never cut."""

import re
from typing import Any

import pytest

from kb.base import BadInput
from kb.models import models
from kb.programs.launch import launch_facts
from tools.launch.result import LaunchFiles
from tools.memory.request import MemoryRequest
from tools.memory.shape import shape_of
from tools.registry import tool
from tools.shards import block_of, checkpoint_id, cut_layers, experts_whole
from tools.ways_to_run.result import WaysToRun


def find(**fields: Any) -> WaysToRun:
    """Ways to run, by the tool's name."""
    found = tool("find_ways_to_run").call(fields)
    assert isinstance(found, WaysToRun)
    return found


def files(**fields: Any) -> LaunchFiles:
    """Launch files, by the tool's name."""
    found = tool("make_launch_files").call(fields)
    assert isinstance(found, LaunchFiles)
    return found


@pytest.mark.parametrize(
    ("model", "cards", "checkpoint"),
    [
        ("Qwen3-Coder-480B FP8", "8x H100", "Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8"),
        ("GLM-4.6 FP8", "8x H200", "zai-org/GLM-4.6-FP8"),
        ("Qwen3.6-35B-A3B FP8", "L40S", "Qwen/Qwen3.6-35B-A3B-FP8"),
        ("Qwen2.5-72B AWQ", "4x 3090", "Qwen/Qwen2.5-72B-Instruct-AWQ"),
        ("Qwen3-30B-A3B GPTQ", "4090", "Qwen/Qwen3-30B-A3B-GPTQ-Int4"),
    ],
)
def test_the_makers_own_checkpoint_is_served_as_it_is(model: str, cards: str, checkpoint: str) -> None:
    way = find(model=model, cards=cards, engine="vllm").ways[0]

    assert way.command.startswith(f"vllm serve {checkpoint} ")
    assert "--quantization" not in way.flags
    assert way.weight_format != "fp8" or not any("perplexity" in line for line in way.why)


def test_launch_files_serve_it_too() -> None:
    model = "Qwen/Qwen3-Coder-480B-A35B-Instruct"
    for engine, whole in (("vllm", "--enable-expert-parallel"), ("sglang", "--ep-size 8")):
        made = files(model=model, weight_format="fp8", gpu="h200-sxm-141gb", gpu_count=8, engine=engine)
        content = made.files[0].content

        assert f"{model}-FP8" in content
        assert "--quantization" not in content
        assert whole in content


def test_what_nobody_publishes_is_made_while_loading() -> None:
    way = find(model="DeepSeek-R1-Distill-Llama-70B FP8", cards="2x H100", engine="vllm").ways[0]

    assert "--quantization fp8_per_tensor" in way.flags
    assert any("perplexity" in line for line in way.why)


def test_experts_that_would_cut_a_block_stay_whole() -> None:
    found = find(model="Qwen3-Coder-480B FP8", cards="8x H100", engine="vllm")
    row = next(one for one in found.rejected if one.kind == "divisibility")

    assert "2,560 columns over 8 cards are 320 each" in row.reason
    assert all("--enable-expert-parallel" in way.flags for way in found.ways if way.layout.tp == 8)


def test_layers_that_would_cut_a_block_are_not_shared_so_far() -> None:
    found = find(model="Qwen3-4B FP8", cards="8x 4090", engine="vllm", parallel={"tp": 8})

    assert found.answer.changed == ("parallel",)
    assert any("1,216 each" in one.said for one in found.binds)
    with pytest.raises(BadInput, match="1,216"):
        files(model="Qwen/Qwen3-4B", weight_format="fp8", gpu="rtx-4090-24gb", gpu_count=8, tensor_parallel=8)
    made = files(model="Qwen/Qwen3-4B", weight_format="fp8", gpu="rtx-4090-24gb", gpu_count=8)
    assert (made.tensor_parallel * made.data_parallel, made.tensor_parallel < 8) == (8, True)


@pytest.mark.parametrize("ways", [1, 2, 4, 8])
def test_layers_of_whole_blocks_are_cut_nowhere(ways: int) -> None:
    shape = shape_of(MemoryRequest(model="Qwen/Qwen3-32B"))

    assert cut_layers(shape, ways, 128) is None
    assert not experts_whole(shape, ways, "fp8")


def test_every_row_names_models_that_are_known() -> None:
    served = {checkpoint_id(one) for one in models()} | set(models())

    for row in launch_facts().checkpoints:
        assert row.block is None or "fp8" in row.formats
        assert any(re.fullmatch(row.model, one) for one in served), row.model


@pytest.mark.parametrize(
    ("model", "form", "ways", "cut"),
    [  # as servers refused them: "The input size is not aligned with the quantized weight shape"
        ("Qwen/Qwen1.5-32B", "gptq", 4, True),
        ("Qwen/Qwen1.5-32B", "gptq", 2, False),
        ("Qwen/Qwen2.5-14B", "awq", 8, True),
        ("Qwen/Qwen2.5-14B", "awq", 4, False),
        ("Qwen/Qwen2.5-72B", "awq", 8, False),
        ("meta-llama/Llama-3.3-70B-Instruct", "awq", 8, False),
        ("Qwen/Qwen2.5-32B", "gptq", 8, False),
        ("Qwen/Qwen3-30B-A3B", "awq", 4, False),
        ("Qwen/Qwen1.5-32B", "bf16", 4, False),
    ],
)
def test_groups_of_quantised_weights_are_cut_by_no_layout(model: str, form: str, ways: int, cut: bool) -> None:
    shape = shape_of(MemoryRequest(model=model))

    assert (cut_layers(shape, ways, block_of(model, form)) is not None) is cut
