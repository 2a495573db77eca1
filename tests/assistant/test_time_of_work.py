"""The time of a stated amount of work, where it is asked together with the cards for it."""

import pytest

from assistant.answer import ToolCallRecord
from assistant.plan.amounts import amounts
from assistant.plan.duration import to_write, work
from tests.assistant.planning import talk, turn
from tools.need import Need
from tools.speed.estimate import estimate_inference_speed
from tools.speed.request import InferenceSpeedRequest

TOGETHER = [
    pytest.param("转写 800 小时会议录音，whisper large v3，选什么显卡，大概要多久？", id="speech-zh"),
    pytest.param("which GPU to transcribe 300 hours of calls with whisper large v3, and how long", id="speech"),
    pytest.param("Embed 6M documents with bge-m3: what card and how many hours?", id="texts"),
    pytest.param("用 SDXL 出 3 万张图，买什么卡，几天能跑完？", id="pictures-zh"),
    pytest.param("embed 200k pages with bge-m3 on a rented GPU: which one, how many minutes?", id="rented"),
    pytest.param("把 2 亿 token 用 Qwen3-14B 翻译一遍，要几张卡，要多长时间", id="tokens-zh"),
    pytest.param("Qwen3-32B has to write 300M tokens of summaries: how many GPUs, how many days?", id="tokens"),
]  # fmt: skip


def _timed(records: list[ToolCallRecord]) -> list[ToolCallRecord]:
    return [one for one in records if one.tool == "estimate_inference_speed" and one.result["time_s"]]


@pytest.mark.parametrize("question", TOGETHER)
def test_the_headline_holds_the_card_and_its_time_and_every_row_its_own(question: str) -> None:
    _, records, draft = turn(question)
    headline, *rest = draft.answer.split("\n")
    rows = [line for line in rest if line.startswith(("- **Buy", "- **Rent", "- **购买", "- **租用"))]
    assert draft.verdict == "recommendation"
    assert len(_timed(records)) >= len(rows) > 0
    assert all("the whole job ≈" in row or "全部做完 ≈" in row for row in rows)
    assert "takes about" in headline or "约需" in headline.split("**")[-1]
    assert " – " in headline
    assert draft.configurations[0].gpu in {one.request["gpu"] for one in _timed(records)}


@pytest.mark.parametrize(
    ("first", "then"),
    [
        pytest.param("What card for whisper large v3?", "and how long for 700 hours?", id="speech"),
        pytest.param("出图用 SDXL，买什么卡？", "出 4 万张要多久", id="pictures-zh"),
    ],
)
def test_the_time_of_work_is_told_when_it_is_asked_afterwards(first: str, then: str) -> None:
    assert not _timed(turn(first)[1])
    _, records, draft = talk(first, then)
    assert _timed(records)
    assert "takes about" in draft.answer or "约需" in draft.answer


def test_the_amount_is_neither_a_length_nor_a_term() -> None:
    pictures = turn("generate 40k SDXL images: what card, how long")
    heard = turn("转写 800 小时会议录音，whisper large v3，选什么显卡，大概要多久？")
    assert "tokens each" not in pictures[2].answer
    assert all(one.request.get("input_tokens") is None for one in pictures[1] if one.tool == "estimate_inference_speed")
    assert all(one.request.get("term_s") is None for one in heard[1])


def test_who_does_not_ask_how_long_is_not_told() -> None:
    assert not _timed(turn("which GPU to transcribe 300 hours of calls with whisper large v3")[1])


def test_tokens_to_write_of_a_named_card_are_timed() -> None:
    draft = turn("2×H100 跑 Qwen3-32B，生成 3 亿 token 要多久")[2]
    assert draft.verdict == "estimate"
    assert draft.answer.startswith("**全部做完约")


@pytest.mark.parametrize(
    "question",
    [
        pytest.param("LoRA 8B on 60k samples of 1k tokens: which card and how many hours", id="adapters"),
        pytest.param("full fine-tune of Llama 3.1 8B on 90M tokens: what hardware, how long?", id="whole"),
    ],
)
def test_a_training_is_timed_on_the_cards_put_forward_for_it(question: str) -> None:
    _, records, draft = turn(question)
    timed = next(one for one in records if one.tool == "estimate_training_time")
    best = draft.configurations[0]
    assert (timed.request["gpu"], timed.request["gpu_count"]) == (best.gpu, best.gpu_count)
    assert timed.result["time_s"]["value"] == pytest.approx((best.speed or {})["time_s"], rel=0.1)


@pytest.mark.parametrize(
    ("need", "text", "expected"),
    [
        pytest.param(Need(model="Qwen/Qwen3-8B", dataset_tokens=10**9), "how long", 10**9, id="asked"),
        pytest.param(Need(model="Qwen/Qwen3-8B", dataset_tokens=10**9), "which card", None, id="not-asked"),
        pytest.param(Need(model="Qwen/Qwen3-8B", dataset_tokens=10**9), "how long a day", None, id="often"),
        pytest.param(Need(model="Qwen/Qwen3-8B", dataset_tokens=10**9, task="lora"), "how long", None, id="training"),
        pytest.param(Need(model="BAAI/bge-m3", dataset_tokens=10**9), "how long", None, id="read-only"),
    ],
)
def test_tokens_to_write_are_those_of_serving_once(need: Need, text: str, expected: int | None) -> None:
    assert to_write(need, text).get("tokens") == expected


def test_hours_without_a_word_are_those_of_speech_where_their_time_is_asked() -> None:
    heard = Need(model="openai/whisper-large-v3")
    assert amounts(heard, "how long for 50 hours")["audio_s"] == 180_000
    assert "audio_s" not in amounts(heard, "rent it for 50 hours")
    assert work(heard, "transcribe 50 hours") == {}


def test_the_time_of_all_tokens_is_their_number_by_the_rate_of_all() -> None:
    asked = {"model": "Qwen/Qwen3-8B", "gpu": "h100-sxm-80gb", "concurrent_sequences": 64}
    found = estimate_inference_speed(InferenceSpeedRequest.model_validate(asked | {"tokens": 10**8}))
    rate, taken = found.tokens_per_s_total, found.time_s
    assert rate is not None
    assert taken is not None
    assert taken.value * rate.value == pytest.approx(10**8)
    assert taken.low * rate.high == pytest.approx(10**8)
    assert taken.high * rate.low == pytest.approx(10**8)
    assert estimate_inference_speed(InferenceSpeedRequest.model_validate(asked)).time_s is None
