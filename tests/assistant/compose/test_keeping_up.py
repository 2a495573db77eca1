"""Cards for texts that come at a rate: candidates times queries, a day's load, a deadline."""

import pytest

from assistant.compose import compose
from assistant.ground import ground
from assistant.plan.amounts import texts
from assistant.step import by_planner
from assistant.understand import understand
from tests.assistant.planning import turn
from tools.speed import estimate_inference_speed
from tools.speed.request import InferenceSpeedRequest


@pytest.mark.parametrize(
    ("text", "rate", "tokens"),
    [
        pytest.param("bge-reranker-v2-m3: 40 docs x 256 tokens at 12.5 TPS, how many T4", 500, 256, id="candidates"),
        pytest.param(
            "rerank 100 passages of 300 tokens with bge-reranker-large, 20 queries per second", 2000, 300, id="queries"
        ),
        pytest.param("bge-m3 每天 864 万篇文档，平均 400 token，L4 要几张", 100, 400, id="a-day"),
        pytest.param("embed 60.48M chunks of 512 tokens with bge-m3 within a week", 100, 512, id="deadline"),
    ],
)  # fmt: skip
def test_what_there_is_to_keep_up_with(text: str, rate: float, tokens: int) -> None:
    found = texts(understand(text, None).need, text)
    assert found["documents_per_s"] == pytest.approx(rate)
    assert found["input_tokens"] == tokens


def test_twice_the_rate_takes_twice_the_cards() -> None:
    def needed(rate: float) -> float:
        request = InferenceSpeedRequest(
            model="BAAI/bge-reranker-v2-m3", gpu="l4-24gb", weight_format="fp16", input_tokens=512, documents_per_s=rate
        )
        found = estimate_inference_speed(request).gpus_needed
        assert found is not None
        assert found.low <= found.value <= found.high
        return found.value

    one, two = needed(1000), needed(2000)
    assert 2 * one - 1 <= two <= 2 * one


def test_no_rate_no_cards() -> None:
    request = InferenceSpeedRequest(model="BAAI/bge-m3", gpu="l4-24gb", input_tokens=512)
    assert estimate_inference_speed(request).gpus_needed is None


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("sdxl出图，一天要出5万张，需要几张4090", "每天 50,000 张图：要 3×RTX 4090"),
        ("whisper large v3 做会议转写，每天500小时录音，要几张4090", "每天 500 小时语音：要 1×RTX 4090"),
        ("部署whisper large v3给客服中心，200路电话实时转写，要几张4090", "200 路实时语音：要 3×RTX 4090"),
    ],
)
def test_a_days_pictures_and_speech_are_told_in_cards(text: str, first: str) -> None:
    read = understand(text)
    assert first in compose(read, by_planner(read)).answer.split("\n")[0]


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("一张 4090 能同时实时转写多少路 Paraformer？", "5,000 路实时语音"),
        ("How many live streams of Whisper large-v3 can one 4090 do?", "71 live streams at once (9–121)"),
    ],
)
def test_live_streams_are_told_to_what_they_support_and_traced(question: str, says: str) -> None:
    _, records, draft = turn(question)
    assert says in draft.answer.split("\n")[0]
    assert not ground(draft.answer, records, (question,), draft.citations).ungrounded
