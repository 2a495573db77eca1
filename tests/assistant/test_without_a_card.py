"""Language models on a processor alone: how much memory, and how fast."""

import pytest

from assistant.ground.check import ground
from assistant.understand.host_memory import bandwidth_bytes_per_s
from tests.assistant.planning import turn
from tools.speed.estimate import estimate_inference_speed
from tools.speed.request import InferenceSpeedRequest


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("CPU only: dual EPYC 9654, 768GB DDR5. What speed will DeepSeek V3 Q4 run at?", "Yes, at about 7"),
        ("I only have a laptop with 16GB RAM and no GPU. what can i run and how fast", "gpt-oss-20b"),
        ("How much DDR5 to run Qwen3-30B-A3B on CPU and how many tok/s with dual channel 5600?", "have 24 GB"),
        ("没有显卡，64G 内存能跑 Qwen3-32B 吗，多快", "可以，不用显卡约 2.6 tokens/s"),
        ("EPYC 7532 with 512GB 8ch DDR4 2933 for DeepSeek V3.1 Q4: what tps without gpu", "Yes, at about 4"),
        ("can i run llama 70b on cpu with 32gb ram?", "No: "),
    ],
)
def test_the_first_line_tells_memory_and_speed(text: str, said: str) -> None:
    _, records, draft = turn(text)
    assert said in draft.answer.split("\n")[0]
    assert "tokens/s" in draft.answer.split("\n")[0]
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    "text", ["no GPU yet, which one should I buy for Llama 3.1 8B?", "offload Qwen3-32B to CPU, I have a 3060 12GB"]
)
def test_who_has_or_wants_a_card_is_answered_with_it(text: str) -> None:
    assert not [one for one in turn(text)[1] if one.request.get("gpu") == "cpu"]


@pytest.mark.parametrize(
    ("text", "bandwidth"),
    [
        ("dual EPYC 9654, 768GB DDR5", 12 * 8 * 4800e6),
        ("双路 EPYC 7763 512G DDR4", 8 * 8 * 3200e6),
        ("i5 with dual channel DDR4-3200 32GB", 2 * 8 * 3200e6),
        ("DDR5 6400, two sticks", 2 * 8 * 6400e6),
        ("八通道 DDR5-4800", 8 * 8 * 4800e6),
        ("a laptop with 16GB RAM", None),
    ],
)
def test_channels_and_modules_give_the_bandwidth(text: str, bandwidth: float | None) -> None:
    assert bandwidth_bytes_per_s(text) == bandwidth


def test_speed_without_a_card_grows_with_bandwidth_and_falls_with_size() -> None:
    def rate(model: str, bandwidth: float) -> float:
        request = InferenceSpeedRequest(model=model, gpu="cpu", host_bandwidth_bytes_per_s=bandwidth)
        found = estimate_inference_speed(request).tokens_per_s_per_user
        assert found is not None
        return found.value

    assert rate("Qwen/Qwen3-8B", 2e11) > rate("Qwen/Qwen3-8B", 9e10) > rate("Qwen/Qwen3-32B", 9e10)
    assert rate("Qwen/Qwen3-30B-A3B", 9e10) > 3 * rate("Qwen/Qwen3-32B", 9e10)


SERVERS = [
    "Recommend hardware for DeepSeek-V3 with ktransformers: is DDR4 ok, do I need AMX?",
    "Kimi K2 在双路 EPYC 加大内存上跑，推荐什么配置，内存要多少通道",
    "纯 CPU 跑 DeepSeek-R1 要什么配置，DDR4 行吗",
    "想用内存跑 GLM-4.5，推荐什么 CPU 和内存",
]


@pytest.mark.parametrize("text", SERVERS)
def test_a_large_model_out_of_memory_is_answered_with_memory_first(text: str) -> None:
    """Servers full of cards come last and for many users, not instead of what was asked about."""
    _, records, draft = turn(text)
    line = draft.answer.split("\n")[0]
    assert "DDR4-3200" in line
    assert "DDR5-4800" in line
    assert "×" not in line
    assert draft.answer.index("DDR5-4800") < draft.answer.index("×")
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded
    paced = [one.result["tokens_per_s_per_user"]["value"] for one in records if one.tool == "estimate_inference_speed"]
    assert len(paced) == 3
    assert paced == sorted(paced)


def test_instruction_sets_and_older_memory_are_answered_where_asked() -> None:
    asked = turn(SERVERS[0])[2].answer
    assert "AMX is no requirement" in asked
    assert "DDR4 will do" in asked
    assert "AMX" not in turn("What server should I get to run DeepSeek-V3 from RAM?")[2].answer


def test_stated_channels_fix_the_bandwidth() -> None:
    records = turn("What server for running Qwen3-235B from RAM, 8 channels of DDR5-6400?")[1]
    paced = [one for one in records if one.tool == "estimate_inference_speed"]
    assert [one.request["host_bandwidth_bytes_per_s"] for one in paced] == [8 * 8 * 6400e6]


@pytest.mark.parametrize(
    "text",
    [
        "Which GPU for DeepSeek-V3, I have 512GB of DDR5?", "推荐跑 DeepSeek-R1 的显卡，内存是 8 通道 DDR5",
        "what hardware for DeepSeek-R1?", "What PC with DDR5 should I get for Llama 3.1 8B?",
    ],
)  # fmt: skip
def test_who_asks_for_cards_or_of_a_small_model_gets_cards(text: str) -> None:
    assert not [one for one in turn(text)[1] if one.request.get("gpu") == "cpu"]
