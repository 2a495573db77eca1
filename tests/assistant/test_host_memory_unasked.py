"""A mixture on a card too small for it: host memory is proposed though none was told; for dense models it is not."""

import pytest

from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("question", "size"),
    [
        pytest.param("I want to run gpt-oss-120b on a single 24GB card, possible?", "64 GiB", id="nameless"),
        pytest.param("Can an RTX 5090 run GLM-4.5-Air?", "64 GiB", id="named"),
        pytest.param("能不能用一张 4090 跑 Qwen3-235B-A22B？", "192 GiB", id="as-much-as-a-desktop-has"),
    ],
)
def test_experts_go_to_host_memory(question: str, size: str) -> None:
    _, records, draft = turn(question)
    assert draft.verdict == "fits_with_changes"
    assert "tokens/s" in draft.answer.split("\n")[0]
    assert any(size in line for line in draft.assumptions)
    asked = [one.request.get("host_memory_bytes") for one in records if one.tool == "estimate_memory"]
    assert any(asked)


@pytest.mark.parametrize(
    "question",
    [
        pytest.param("Llama 3.3 70B on a single 3090, possible?", id="dense"),
        pytest.param("DeepSeek-V3 on one 4090?", id="more-than-a-desktop-holds"),
        pytest.param("Can an H100 80GB run Qwen3-235B-A22B?", id="server-card"),
        pytest.param("Can a 5090 serve GLM-4.5-Air with vLLM to 20 users?", id="many-users"),
    ],
)
def test_nothing_is_left_to_host_memory_unasked(question: str) -> None:
    _, records, _ = turn(question)
    assert not any(one.request.get("host_memory_bytes") for one in records if one.tool == "estimate_memory")
