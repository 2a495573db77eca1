"""A service that is set up, with no model and no question: hardware for it is what is asked."""

import pytest

from assistant.ground.check import ground
from assistant.understand import understand
from tests.assistant.planning import talk, turn


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("想部署一个大模型客服", id="zh"),
        pytest.param("We want to set up an internal coding assistant", id="en"),
        pytest.param("想搭一个法律问答机器人,每天2000次提问", id="a-field-that-is-none-of-ours"),
        pytest.param("我们想上一个内部知识库", id="documents"),
    ],
)
def test_service_gets_hardware_and_is_asked_for_what_is_missing(text: str) -> None:
    understanding, _, draft = turn(text)
    assert not understanding.out_of_scope
    assert draft.configurations
    assert draft.clarifying_questions


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("How do I build a RAG knowledge base with good retrieval?", id="how"),
        pytest.param("写一篇关于客服机器人的作文", id="essay"),
    ],
)
def test_how_it_is_done_is_another_question(text: str) -> None:
    assert not turn(text)[2].configurations


@pytest.mark.parametrize(
    ("text", "daily"),
    [
        pytest.param("每天大概5000个会话", 5000, id="zh"),
        pytest.param("一个客服系统,日均 2 万次咨询", 20000, id="zh-scaled"),
        pytest.param("a help desk with 3,000 questions a day", 3000, id="en"),
        pytest.param("our chatbot gets 40,000 messages a day, growth is 8% a month for a year", 100_727, id="growing"),
        pytest.param("每天 5000 份文档要做 embedding", None, id="documents"),
        pytest.param("客服,每天5000个会话,峰值并发 30", None, id="said-at-once"),
    ],
)
def test_conversations_a_day_are_read(text: str, daily: int | None) -> None:
    assert understand(text).need.conversations_per_day == daily


def test_load_of_a_day_stays_through_the_talk() -> None:
    texts = ("想部署一个大模型客服", "每天大概5000个会话,高峰在上午", "模型用Qwen2.5-14B吧", "最便宜的租用方案是什么")
    _, records, draft = talk(*texts)
    assert {one.request["concurrent_sequences"] for one in records if one.tool == "configure"} == {14}
    assert "5,000 个会话" in draft.answer
    assert not ground(draft.answer, records, texts, draft.citations).ungrounded
