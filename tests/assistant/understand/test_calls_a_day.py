"""Calls a day, said as a volume, are a load: nobody who gave them is asked how many people there are."""

import pytest

from assistant.understand import understand
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "daily"),
    [
        pytest.param("日调用量 10 万次，Qwen3-32B，要几张 H20", 100_000, id="volume"),
        pytest.param("日均调用 5 万次，Qwen3-32B，要几张 H20 96G", 50_000, id="mean"),
        pytest.param("每日请求量约 20 万，Qwen3-14B 用 L20 要几张", 200_000, id="requests"),
        pytest.param("每天的访问量大概 3000，8B 模型要什么卡", 3_000, id="visits"),
        pytest.param("日咨询量：8000，14B 模型部署要几张 4090", 8_000, id="enquiries"),
        pytest.param("日均对话数 1.2 万，Qwen3-14B 要几张 4090", 12_000, id="chats"),
        pytest.param("日提问次数为 6000，7B 够用的话买什么卡", 6_000, id="asked"),
        pytest.param("每天 10 万次调用，Qwen3-14B 要几张 4090", 100_000, id="plain"),
        pytest.param("日均调用 2 亿 token，买 H20 还是 API", None, id="tokens"),
        pytest.param("日均调用费 300 元，Qwen3-32B 自建划算吗", None, id="money"),
        pytest.param("一个月调用量 1 亿 token，Qwen3-32B 用 API 还是自建", None, id="a-month"),
    ],
)
def test_a_volume_of_calls_is_read(text: str, daily: int | None) -> None:
    assert understand(text).need.conversations_per_day == daily


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("每天 10 万次调用，每次输入 2000 输出 500，Qwen3-14B 要几张 4090", id="zh"),
        pytest.param("日均调用 5 万次，Qwen3-32B，要几张 H20 96G", id="mean"),
        pytest.param("100k requests a day on Qwen3-14B, 2000 in and 500 out, how many 4090s?", id="en"),
    ],
)
def test_who_gave_the_calls_a_day_is_not_asked_for_people(text: str) -> None:
    questions = " ".join(turn(text, None)[2].clarifying_questions)

    assert "多少人用" not in questions
    assert "How many people" not in questions
