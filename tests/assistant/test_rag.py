"""Answering from documents: what finds them runs beside the language model and is counted with it, named or not."""

import pytest

from assistant.ground.check import ground
from assistant.understand import understand
from tests.assistant.planning import talk, turn

EMBEDDER, RERANKER = "BAAI/bge-m3", "BAAI/bge-reranker-v2-m3"


@pytest.mark.parametrize(
    ("text", "model", "beside"),
    [
        ("bge-m3 + Qwen3-8B for a RAG over our docs, which GPU?", "Qwen/Qwen3-8B", [EMBEDDER]),
        ("用 bge-m3 做向量、Qwen2.5-14B 回答，需要什么显卡", "Qwen/Qwen2.5-14B", [EMBEDDER]),
        (
            "bge-large-zh 加重排，Qwen2.5-32B 的知识库，买什么卡",
            "Qwen/Qwen2.5-32B",
            ["BAAI/bge-large-zh-v1.5", RERANKER],
        ),
        ("budget $4k: Llama 3.1 8B plus an embedding model for RAG", "meta-llama/Meta-Llama-3.1-8B", [EMBEDDER]),
    ],
)
def test_hardware_is_wanted_for_all_of_it_at_once(text: str, model: str, beside: list[str]) -> None:
    understanding, records, draft = turn(text)
    assert understanding.need.model == model
    assert [one.model for one in understanding.beside] == beside
    assert understanding.need.task == "rag"
    assert understanding.workloads == ()
    found = next(one for one in records if one.tool == "configure")
    assert found.request["frozen_params"] == understanding.need.frozen_params
    assert "beside it" in draft.answer.split("\n")[0] or "另跑" in draft.answer.split("\n")[0]
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    "text",
    [
        "RAG with Llama 3.1 8B: how much VRAM?",
        "企业知识库，Qwen3-14B，20 人用，买什么卡",
        "Can a 4090 run a RAG with Mistral Small 24B?",
        "RAG chatbot for 50 employees, what GPU should I buy?",
    ],
)
def test_an_embedder_that_nobody_named_is_counted_and_said(text: str) -> None:
    understanding, records, draft = turn(text)
    assert [one.role for one in understanding.need.others] == ["implied"]
    assert understanding.beside == ()
    assert understanding.need.frozen_params
    assert any("bge-m3" in one for one in draft.assumptions)
    held = next(one for one in records if one.tool == "estimate_memory")
    assert held.request["frozen_params"] == understanding.need.frozen_params


def test_the_embedder_takes_room() -> None:
    alone, with_documents = (
        next(one for one in turn(text)[1] if one.tool == "estimate_memory").result["per_gpu"]["total_bytes"]
        for text in ("Qwen3-14B: how much VRAM?", "Qwen3-14B for RAG: how much VRAM?")
    )
    assert 1.5e9 < with_documents - alone < 4e9


@pytest.mark.parametrize(
    "text",
    [
        "知识库用 Qwen3-14B，embedding 放 CPU，买什么卡",
        "RAG with Llama 3.1 8B, no embedding model on the card, how much VRAM?",
        "Qwen3-14B chatbot, which GPU?",
        "LoRA of Qwen3-8B for our knowledge base, which GPU?",
    ],
)
def test_nothing_is_counted_that_runs_elsewhere_or_is_not_needed(text: str) -> None:
    assert understand(text).need.frozen_params is None


def test_the_one_named_later_takes_the_place_of_the_one_assumed() -> None:
    understanding, _, _ = talk("知识库问答用 Qwen3-32B，200 人，买什么卡", "embedding 用 Qwen3-Embedding-8B")
    assert [(one.model, one.role) for one in understanding.need.others] == [("Qwen/Qwen3-Embedding-8B", "beside")]
