"""A first token wanted sooner than any card gives one is told as that, at once, and possible times are still read."""

import time

import pytest

from assistant.ground.check import ground
from assistant.understand.load import find_load
from assistant.understand.text import Text
from tests.assistant.planning import turn
from tools.configure import configure
from tools.configure.request import ConfigureRequest


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("first token within 0.0000001 s", 1e-7),
        ("first token within 1e-100 s", 1e-100),
        ("TTFT < 0.5 ms", 0.0005),
        ("first token within 0.5 ms", 0.0005),
        ("first token in 5 microseconds", 5e-6),
        ("TTFT under 1 ns", 1e-9),
        ("latency under 200ms", 0.2),
        ("首字延迟 1.5 秒", 1.5),
        ("300 毫秒内出首字", 0.3),
        ("首 token 1 微秒内", 1e-6),
    ],
)
def test_a_wait_is_read_however_short(text: str, seconds: float) -> None:
    found = find_load(Text.of(text).plain).latency_s
    assert found is not None
    assert found.value == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["首字延迟 0，用什么卡", "first token in 0 s", "TTFT = 0", "首字延迟为零"])
def test_no_time_at_all_is_read_as_less_than_any(text: str) -> None:
    found = find_load(Text.of(text).plain).latency_s
    assert found is not None
    assert 0 < found.value <= 1e-9


@pytest.mark.parametrize(
    "text",
    [
        "4090 with 24 GB, what is the latency?",
        "首字延迟怎么降低",
        "TTFT and 10 users",
        "first token comes slowly at 08:30",
    ],
)
def test_other_numbers_are_no_wait(text: str) -> None:
    assert find_load(Text.of(text).plain).latency_s is None


@pytest.mark.parametrize(
    "text",
    [
        "Llama 3.1 8B for 10 users, first token within 0.0000001 s, which GPU?",
        "Llama 3.1 8B for 10 users, first token within 1e-100 s, which GPU?",
        "Llama 3.1 8B for 10 users, first token within 0.5 ms, which GPU?",
        "Llama 3.1 8B 10 个用户，首字延迟 0，用什么显卡？",
        "Qwen3-32B，首字延迟 1 毫秒，租什么卡？",
        "Can a 4090 run Qwen3-8B with first token within 1 microsecond?",
    ],
)
def test_what_no_card_gives_is_told_with_the_least_that_one_may(text: str) -> None:
    _, records, draft = turn(text)
    first = next(one for one in records if one.tool == "configure").result
    line = draft.answer.split("\n")[0]
    assert line.startswith(("**Below what", "**任何显卡都做不到"))
    assert f"{first['least_first_s'] * 1000:.1f} ms" in line
    assert any(one.startswith(("Without that limit", "不限首字延迟")) for one in draft.answer.split("\n"))
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def test_cards_that_were_named_are_judged_by_themselves() -> None:
    line = turn("RTX 4090 or RTX 5090 for Qwen3-8B with TTFT under 0.1 ms, which to buy?")[2].answer.split("\n")[0]
    assert "any hardware" not in line


@pytest.mark.parametrize("seconds", [1e-300, 1e-9, 0.0005])
def test_nothing_is_searched_for_a_wait_below_the_bounds(seconds: float) -> None:
    asked = ConfigureRequest(task="inference", model="meta-llama/Meta-Llama-3.1-8B", users=10)
    configure(asked)
    begun = time.perf_counter()
    found = configure(asked.model_copy(update={"target_latency_s": seconds}))
    assert time.perf_counter() - begun < 0.5
    assert found.least_first_s is not None
    assert found.least_first_s > seconds
    assert not found.combinations


@pytest.mark.parametrize("model", ["meta-llama/Meta-Llama-3.1-8B", "Qwen/Qwen3-0.6B", "Qwen/Qwen3-30B-A3B"])
def test_what_some_cards_reach_is_never_below_the_bound(model: str) -> None:
    asked = ConfigureRequest(task="inference", model=model, users=10)
    least = configure(asked.model_copy(update={"target_latency_s": 1e-9})).least_first_s
    reached = [
        (one.speed or {}).get("time_to_first_token_s")
        for one in configure(asked.model_copy(update={"target_latency_s": 0.05})).configurations
    ]
    assert reached
    assert least is not None
    assert all(isinstance(one, float) and one >= least for one in reached)


@pytest.mark.parametrize("text", ["Qwen3-32B，首字延迟 4 毫秒，租什么卡？", "Qwen3-32B, TTFT 4 ms, which GPU to rent?"])
def test_a_wait_that_bounds_allow_and_nothing_reaches_is_told_by_what_comes_nearest(text: str) -> None:
    answer = turn(text)[2].answer
    assert "T4" not in answer
    assert any(("first token after" in one or "首 token" in one) and " ms" in one for one in answer.split("\n"))
