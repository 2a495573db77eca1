"""Command lines of servers and trainers: what they set."""

from typing import Any

import pytest

from kb.base import BadInput
from tools.observation import explain_observation
from tools.observation.request import ObservationRequest
from tools.observation.said.flags import read_flags


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param("llama-server -m Qwen3-32B-Q4_K_M.gguf -c 65536 -ngl 99",
                     {"engine": "llama.cpp", "model": "Qwen/Qwen3-32B", "weight_format": "gguf:Q4_K_M",
                      "context_tokens": 65536, "gpu_layers": 99}, id="llama-server"),
        pytest.param("./llama-server --ctx-size 32768 --parallel 4 -ctk q8_0 -ctv q8_0",
                     {"engine": "llama.cpp", "context_tokens": 8192, "max_num_sequences": 4, "kv_format": "q8_0"},
                     id="slots-share-the-context"),
        pytest.param("vllm serve Qwen/Qwen3-32B-AWQ --max-model-len 32k --tensor-parallel-size 2 "
                     "--gpu-memory-utilization=0.95 --kv-cache-dtype fp8_e4m3 --enforce-eager",
                     {"engine": "vllm", "model": "Qwen/Qwen3-32B", "weight_format": "awq", "context_tokens": 32768,
                      "tensor_parallel": 2, "gpu_memory_utilization": 0.95, "kv_format": "fp8", "cuda_graphs": False},
                     id="vllm"),
        pytest.param("python -m vllm.entrypoints.openai.api_server --model x --max_model_len 7200 --max-num-seqs 64",
                     {"engine": "vllm", "context_tokens": 7200, "max_num_sequences": 64}, id="vllm-module"),
        pytest.param("OLLAMA_CONTEXT_LENGTH=8192 OLLAMA_KV_CACHE_TYPE=q8_0 ollama run qwen3:32b",
                     {"engine": "ollama", "context_tokens": 8192, "kv_format": "q8_0", "model": "Qwen/Qwen3-32B"},
                     id="ollama"),
        pytest.param("python -m sglang.launch_server --model-path Qwen/Qwen3-8B --tp 2 --mem-fraction-static 0.8",
                     {"engine": "sglang", "model": "Qwen/Qwen3-8B", "tensor_parallel": 2,
                      "gpu_memory_utilization": 0.8}, id="sglang"),
        pytest.param("torchrun --nproc_per_node 8 train.py --per_device_train_batch_size 2 "
                     "--gradient_accumulation_steps 8 --bf16 True --gradient_checkpointing True --optim adamw_bnb_8bit "
                     "--max_seq_length 4096 --attn_implementation eager",
                     {"data_parallel": 8, "micro_batch_size": 2, "accumulation": 8, "precision": "bf16",
                      "gradient_checkpointing": "full", "optimizer": "adamw_8bit", "sequence_tokens": 4096,
                      "attention": "eager"}, id="torchrun"),
        pytest.param("accelerate launch --num_processes 4 --mixed_precision no --use_fsdp --gradient_checkpointing",
                     {"data_parallel": 4, "precision": "fp32", "sharding": "fsdp", "gradient_checkpointing": "full"},
                     id="accelerate"),
        pytest.param("-c 65536 -ngl 99", {"engine": "llama.cpp", "context_tokens": 65536, "gpu_layers": 99},
                     id="options-alone"),
        pytest.param("deepspeed --num_gpus 4 train.py --zero_stage 3 --lora_rank 16",
                     {"data_parallel": 4, "sharding": "zero3", "lora_rank": 16}, id="deepspeed"),
    ],
)  # fmt: skip
def test_a_command_line_sets(line: str, expected: dict[str, Any]) -> None:
    found = read_flags(line)
    assert expected.items() <= found.items()


@pytest.mark.parametrize(
    "line", ["", "vllm serve", "--max-model-len", "llama-server -c 0 -ngl -1", "vllm serve 'open quote", "ls -la -c 5"]
)
def test_lines_in_part_are_read_as_far_as_they_go(line: str) -> None:
    found = read_flags(line)
    assert "context_tokens" not in found


def test_lines_broken_by_a_backslash_are_one() -> None:
    assert read_flags("vllm serve m \\\n  --max-model-len 4096")["context_tokens"] == 4096


def test_a_value_that_the_option_does_not_take_is_refused() -> None:
    with pytest.raises(BadInput) as refusal:
        read_flags("vllm serve m --gpu-memory-utilization 90")
    assert refusal.value.field == "flags"


def test_what_is_stated_in_a_field_stands_before_the_command_line() -> None:
    found = explain_observation(
        ObservationRequest.model_validate(
            {
                "model": "qwen3-1.7b", "cards": "RTX 4090", "engine": "vllm", "gpu_memory_utilization": 0.5,
                "flags": "vllm serve m --gpu-memory-utilization 0.9", "seen": {"memory_bytes": "12GB"},
            }
        )
    )  # fmt: skip
    assert found.answer.verdict == "normal"


def test_layers_left_to_the_processor_are_part_of_what_is_expected() -> None:
    asked = {"cards": "RTX 3090", "seen": {"tokens_per_s": 6}}
    whole, half = (
        explain_observation(
            ObservationRequest.model_validate(
                {**asked, "flags": f"llama-server -m Qwen3-32B-Q4_K_M.gguf -ngl {layers}"}
            )
        )
        for layers in (99, 32)
    )
    assert whole.answer.verdict == "low"
    assert half.answer.verdict == "normal"
    assert half.binds == "host_bandwidth"
