"""An amount of work without a model is done by the one most people mean by the words, which is said."""

import pytest

from assistant.ground.check import ground
from assistant.plan.usual import with_usual
from assistant.understand import understand
from tests.assistant.planning import talk, turn

SPEED = "estimate_inference_speed"


@pytest.mark.parametrize(
    ("text", "model", "field", "amount"),
    [
        pytest.param("How long does it take to embed 5 million documents on a 4090?", "BAAI/bge-m3",
                     "documents", 5_000_000, id="texts"),
        pytest.param("要把 2000 万篇文档做向量化，一张 3090 要多久？", "BAAI/bge-m3",
                     "documents", 20_000_000, id="texts-zh"),
        pytest.param("I have 2M PDF pages to embed on 2x L4, how long?", "BAAI/bge-m3", "documents", 2_000_000,
                     id="pages"),
        pytest.param("How long does it take to transcribe 1000 hours of audio on a 4090?", "openai/whisper-large-v3",
                     "audio_s", 3_600_000, id="speech"),
        pytest.param("转写 5000 小时录音，一张 3090 要几天？", "openai/whisper-large-v3", "audio_s", 18_000_000,
                     id="speech-zh"),
    ],
)  # fmt: skip
def test_the_time_of_the_work_is_told(text: str, model: str, field: str, amount: int) -> None:
    _, records, draft = turn(text)
    paced = [one for one in records if one.tool == SPEED]
    assert paced[0].request["model"] == model
    assert paced[0].request[field] == amount
    first = draft.answer.split("\n")[0]
    assert first.startswith(("**The whole job", "**全部做完"))
    assert model.split("/")[1] in draft.answer
    assert "Training time" not in draft.answer
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        pytest.param("Is a T4 enough for embedding 10 million documents in a week?", "Yes, within", id="yes"),
        pytest.param("Can one T4 embed 900 million documents within a week?", "No, not within", id="no"),
        pytest.param("一张 T4 一周内能把 1000 万篇文档向量化吗？", "够，期限内", id="yes-zh"),
    ],
)
def test_the_time_is_held_against_the_time_that_was_set(text: str, verdict: str) -> None:
    _, records, draft = turn(text)
    assert any(one.tool == SPEED and one.request["documents"] for one in records)
    assert draft.answer.lstrip("*").startswith(verdict)


@pytest.mark.parametrize(
    ("text", "model"),
    [
        pytest.param("Which GPU to embed 100 million passages in a day?", "bge-m3", id="embed"),
        pytest.param("How many GPUs to rerank 500 documents per query at 20 qps?", "bge-reranker-v2-m3", id="rank"),
        pytest.param("Which GPU to transcribe 300 hours of calls a day?", "whisper-large-v3", id="calls"),
    ],
)
def test_cards_that_keep_up_are_told_with_the_model_taken(text: str, model: str) -> None:
    _, records, draft = turn(text)
    assert len({one.request["gpu"] for one in records if one.tool == SPEED and one.result.get("gpus_needed")}) == 3
    assert f"No model was named: {model} stands in" in draft.answer


def test_a_later_turn_is_of_the_same_work() -> None:
    _, records, draft = talk("What card do I need to embed 50 million chunks in two weeks?", "and on an L40S?")
    needed = [one for one in records if one.tool == SPEED and one.result.get("gpus_needed")]
    assert {one.request["gpu"] for one in needed} == {"l40s-48gb"}
    assert "1×L40S" in draft.answer.split("\n")[0]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("embedding 模型要多大显存？", id="no-amount"),
        pytest.param("How long to fine-tune an embedding model on 100k documents on a 4090?", id="training"),
        pytest.param("Embed 5 million documents with Qwen3-Embedding-0.6B on a 4090, how long?", id="named"),
        pytest.param("RAG over 200k documents with Qwen3-32B, which card?", id="language"),
    ],
)
def test_what_names_its_model_or_no_amount_is_left_as_it_is(text: str) -> None:
    reading = understand(text, None)
    assert with_usual(reading) is reading
