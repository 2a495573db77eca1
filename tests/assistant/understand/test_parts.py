"""Several models in one question: which run together, which are asked about one by one, and in what format each."""

import pytest

from assistant.understand import understand
from assistant.understanding import Workload

EMBEDDER, RERANKER, WHISPER = "BAAI/bge-m3", "BAAI/bge-reranker-v2-m3", "openai/whisper-large-v3"
SDXL = "stabilityai/stable-diffusion-xl-base-1.0"


def _told(works: tuple[Workload, ...]) -> list[tuple[object, object]]:
    return [(one.model or one.params, one.weight_format) for one in works]


@pytest.mark.parametrize(
    ("text", "main", "beside"),
    [
        (
            "RAG box: Llama 3.1 8B + an embedding model + a reranker on one RTX 4000 Ada",
            "Llama-3.1-8B",
            [EMBEDDER, RERANKER],
        ),
        ("一张 4090 同时跑 whisper 和 qwen3-8b 做语音助手，够吗", "Qwen3-8B", [WHISPER]),
        ("can a 5060 Ti 16GB host gpt-oss-20b together with SDXL at the same time?", "gpt-oss-20b", [SDXL]),
        ("部署 qwen3-32b，再挂一个向量模型和重排，A6000 够不够", "Qwen3-32B", [EMBEDDER, RERANKER]),
        ("Phi-4 plus speech-to-text on an RTX A5000?", "phi-4", [WHISPER]),
        ("5090 上同时开 ComfyUI 和 ollama 跑 gemma3 27b 可以吗", "gemma-3-27b", [SDXL]),
        ("70B q4 with a 1B draft model on 2x3090?", None, [10**9]),
    ],
)
def test_what_runs_at_the_same_time_stands_beside_the_language_model(text: str, main: str | None, beside: list) -> None:
    found = understand(text)
    assert main is None or main in str(found.need.model)
    assert [key for key, _ in _told(found.beside)] == beside
    assert found.apart == ()
    assert found.need.task in {"inference", "rag"}


@pytest.mark.parametrize(
    ("text", "apart"),
    [
        ("vram for 8b in bf16 vs 32b in q4?", [(8 * 10**9, "bf16"), (32 * 10**9, "gguf:Q4_K_M")]),
        ("3090 上 7B 的 fp16 和 32B 的 int4 哪个能放下？", [(7 * 10**9, "fp16"), (32 * 10**9, "int4")]),
        (
            "7B fp16, 13B int8 and 34B int4 on a 24GB card?",
            [(7 * 10**9, "fp16"), (13 * 10**9, "int8"), (34 * 10**9, "int4")],
        ),
        ("4090 能跑 7B、13B、34B 里的哪些？", [(7 * 10**9, None), (13 * 10**9, None), (34 * 10**9, None)]),
        (
            "Qwen2.5-72B int4 还是 Qwen2.5-32B fp16，两张 4090 跑哪个",
            [("Qwen/Qwen2.5-72B", "int4"), ("Qwen/Qwen2.5-32B", "fp16")],
        ),
    ],
)
def test_things_of_one_list_are_looked_at_one_by_one_each_in_its_format(text: str, apart: list) -> None:
    found = understand(text)
    assert _told(found.apart) == apart
    assert found.beside == ()


@pytest.mark.parametrize(
    "text",
    [
        "Qwen3-235B-A22B 激活 22B，4 张 H20 能跑吗",
        "R1 671B 用 1.58bit，8 张 3090 行吗",
        "Is 2x3090 fine for 70B int4? 70B is 35GB right",
        "蒸馏：teacher 70B 推理 + student 7B 全参训练，8 张 A100 80G 放得下吗",
        "Llama 3.1 70B in fp16 or int4 on 2x A6000?",
        "知识库用 Qwen3-14B，embedding 放 CPU，一张 4080 够吗",
    ],
)
def test_one_model_stays_one(text: str) -> None:
    found = understand(text)
    assert found.apart == ()
    assert found.beside == ()


def test_a_size_that_runs_already_is_not_the_one_asked_about() -> None:
    assert understand("I run 13B fine on my 3090, can I run 34B too?").need.params == 34 * 10**9
    assert understand("7B 没问题，14B 呢？显卡 3060").need.params == 14 * 10**9
