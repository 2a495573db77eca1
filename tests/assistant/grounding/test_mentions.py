"""Products are found by name, and nothing that only looks like one."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.grounding.wording.mentions import ids_of, products


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("RTX 3090", {"rtx-3090-24gb"}),
        ("两张 4090 和一张 L40S", {"rtx-4090-24gb", "l40s-48gb"}),
        ("Qwen2.5-72B on an H20 141GB", {"Qwen/Qwen2.5-72B", "h20-141gb"}),
        ("DeepSeek-R1 and gpt-oss-120b", {"deepseek-ai/DeepSeek-R1", "openai/gpt-oss-120b"}),
    ],
)
def test_names_are_found(text: str, found: set[str]) -> None:
    named = products(text)
    assert found <= ids_of(named, "card") | ids_of(named, "model")
    assert [text[one.start : one.end] for one in named] == [one.text for one in named]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("llama.cpp, llama-server and llama-bench", id="llama-cpp"),
        pytest.param("LLaMA-Factory 的 yaml", id="llama-factory"),
        pytest.param("Ollama and ollama run", id="ollama"),
        pytest.param("about 98 token/s (60–128)", id="token-s-60"),
        pytest.param("5060 GiB, 4090 tokens/s, 3090 W, 5090 元", id="amounts"),
        pytest.param("It holds [[R1]] and [R1.2].", id="key-r1"),
        pytest.param("{{R1.ways[0].memory.needed_per_gpu}}", id="reference-r1"),
        pytest.param("the first token after 2 s; TP 4, 8 GB", id="words"),
    ],
)
def test_what_only_looks_like_one_is_none(text: str) -> None:
    assert products(text) == ()


@settings(deadline=None)
@given(st.text(max_size=300))
def test_any_text_is_read_and_names_stand_in_order(text: str) -> None:
    found = products(text)
    assert [one.start for one in found] == sorted(one.start for one in found)
    assert all(one.ids and text[one.start : one.end] == one.text for one in found)
