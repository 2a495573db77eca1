"""Logs and tables of programs: the figures they state."""

from typing import Any

import pytest

from tools.observation import explain_observation
from tools.observation.request import ObservationRequest, Seen
from tools.observation.said.logs import read_log

SMI = """
|   0  NVIDIA GeForce RTX 4090        Off |   00000000:01:00.0 Off |                  Off |
| 30%   84C    P2             351W / 450W |   23012MiB /  24564MiB |     97%      Default |
|   1  NVIDIA GeForce RTX 4090        Off |   00000000:02:00.0 Off |                  Off |
| 30%   45C    P8              16W / 450W |     412MiB /  24564MiB |      0%      Default |
"""


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        pytest.param("llama3:70b be39eb53a197 41 GB 42%/58% CPU/GPU", {"cpu_share_ratio": 0.42}, id="ollama-ps"),
        pytest.param("llama3:latest a6990ed6be41 5.4 GB 100% GPU 4 minutes", {"cpu_share_ratio": 0.0}, id="ollama-gpu"),
        pytest.param("qwen3:8b 500a1f067a9f 5.9 GB 100% CPU 4096", {"cpu_share_ratio": 1.0}, id="ollama-cpu"),
        pytest.param("load_tensors: offloaded 27/43 layers to GPU", {"cpu_share_ratio": 1 - 27 / 43}, id="layers"),
        pytest.param("prompt eval time = 1712.75 ms / 15 tokens ( 114.18 ms per token, 8.76 tokens per second)\n"
                     "eval time = 9521.36 ms / 127 runs ( 74.97 ms per token, 13.34 tokens per second)",
                     {"prefill_tokens_per_s": 8.76, "tokens_per_s": 13.34}, id="llama.cpp"),
        pytest.param("prompt eval rate: 310.52 tokens/s\neval rate:            9.31 tokens/s",
                     {"prefill_tokens_per_s": 310.52, "tokens_per_s": 9.31}, id="ollama-verbose"),
        pytest.param("INFO GPU KV cache size: 302,921 tokens", {"kv_pool_tokens": 302921}, id="pool"),
        pytest.param("# GPU blocks: 1952, # CPU blocks: 2048", {"kv_pool_tokens": 31232}, id="blocks"),
        pytest.param("Avg generation throughput: 2.2 tokens/s, Avg generation throughput: 45.1 tokens/s, "
                     "Avg generation throughput: 0.0 tokens/s", {"tokens_per_s_total": 45.1}, id="vllm"),
        pytest.param("0%|          | 1/61500 [00:48<827:56:03, 48.47s/it]", {"step_s": 48.47}, id="slow-bar"),
        pytest.param("100%|####| 20/20 [00:04<00:00,  4.60it/s]", {"it_per_s": 4.6}, id="fast-bar"),
        pytest.param(SMI, {"temperature_c": 84.0, "power_w": 351.0, "memory_bytes": 23012 * 2**20,
                           "utilisation_ratio": 0.97}, id="nvidia-smi"),
        pytest.param("everything is fine", {}, id="nothing"),
    ],
)  # fmt: skip
def test_a_log_states(text: str, seen: dict[str, Any]) -> None:
    found = read_log(text)[0]
    assert found == pytest.approx(seen)
    Seen.model_validate(found)


def test_the_context_of_a_log_is_part_of_the_set_up() -> None:
    assert read_log("llama_context: n_ctx = 32768 llama_context: n_ctx_per_seq = 8192")[1] == {"context_tokens": 32768}


def test_a_log_is_enough_to_judge() -> None:
    found = explain_observation(
        ObservationRequest.model_validate(
            {
                "model": "qwen3:32b", "cards": "RTX 3090", "engine": "ollama",
                "error_text": "qwen3:32b 030ee887880f 28 GB 21%/79% CPU/GPU 32768\neval rate: 9.31 tokens/s",
            }
        )
    )  # fmt: skip
    assert (found.answer.of, found.answer.seen) == ("tokens_per_s", 9.31)
    assert found.answer.verdict == "low"
    assert (found.causes[0].id, found.causes[0].basis) == ("layers_on_cpu", "seen")
    assert any("as the text states it" in one for one in found.assumptions)
    assert not any("no wording" in one for one in found.warnings)


def test_a_figure_that_no_card_has_is_left_out() -> None:
    found = explain_observation(
        ObservationRequest.model_validate({"error_text": "| 30% 999C P2 351W / 450W |\nXid 79", "cards": "RTX 4090"})
    )
    assert {figure.name for figure in found.figures} == {"power_w"}


def test_a_figure_that_was_given_stands_before_the_log() -> None:
    found = explain_observation(
        ObservationRequest.model_validate(
            {
                "model": "qwen3-8b", "cards": "RTX 4090", "engine": "ollama", "seen": {"tokens_per_s": 120},
                "error_text": "eval rate: 3.0 tokens/s",
            }
        )
    )  # fmt: skip
    assert found.answer.seen == 120
