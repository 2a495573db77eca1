"""Models that generate no tokens run whole on each card, or are dealt out by layers where none holds them."""

import pytest

from tools.memory import estimate_memory
from tools.memory.request import MemoryRequest
from tools.speed.estimate import estimate_inference_speed
from tools.speed.request import InferenceSpeedRequest

WHOLE = (
    "BAAI/bge-m3",
    "BAAI/bge-reranker-v2-m3",
    "google-bert/bert-base-uncased",
    "yolov8n",
    "openai/whisper-large-v3",
)


@pytest.mark.parametrize("model", WHOLE)
def test_a_layout_asked_for_is_left_out_and_said(model: str) -> None:
    alone = estimate_memory(MemoryRequest(model=model, gpu="rtx-4090"))
    asked = estimate_memory(MemoryRequest(model=model, gpu="rtx-4090", tensor_parallel=4))
    assert (asked.gpus, asked.per_gpu) == (1, alone.per_gpu)
    assert any("runs whole on each card" in line for line in asked.assumptions)


def test_what_no_card_holds_is_dealt_out_by_its_layers() -> None:
    """40.3 billion weights of 16 bits are 80.6 GB: a quarter is 20.2 of a 4090's 24."""
    found = estimate_memory(MemoryRequest(model="evo2 40b", gpu="rtx-4090", tensor_parallel=4))
    assert found.gpus == 4
    assert found.fit is not None
    assert found.fit.verdict in ("yes", "tight")
    assert found.per_gpu.total_bytes == pytest.approx(40.3e9 * 2 / 4, rel=0.1)
    alone = estimate_memory(MemoryRequest(model="evo2 40b", gpu="rtx-4090"))
    assert {one.gpu: one.count for one in alone.minimum_gpus}["rtx-4090-24gb"] == 4


def test_an_embedding_model_that_is_a_decoder_is_split_like_any() -> None:
    found = estimate_memory(MemoryRequest(model="Qwen/Qwen3-Embedding-8B", engine="vllm", tensor_parallel=2))
    assert found.gpus == 2


def test_four_cards_read_four_times_as_many_texts_however_they_are_asked_for() -> None:
    asked = {"model": "BAAI/bge-m3", "gpu": "rtx-4090", "input_tokens": 512, "concurrent_sequences": 64}
    one, four, shared = (
        estimate_inference_speed(InferenceSpeedRequest.model_validate({**asked, **cards}))
        for cards in ({}, {"gpu_count": 4}, {"gpu_count": 4, "tensor_parallel": 4})
    )
    assert one.documents_per_s is not None
    assert four.documents_per_s is not None
    assert four.documents_per_s == shared.documents_per_s
    assert 2 < four.documents_per_s.value / one.documents_per_s.value <= 4.01


def test_an_assumed_context_is_none_that_the_model_lacks() -> None:
    """GPT-J reads 2,048 tokens."""
    found = estimate_memory(MemoryRequest(model="EleutherAI/gpt-j-6b"))
    assert any("2,048 tokens a sequence assumed" in line for line in found.assumptions)
