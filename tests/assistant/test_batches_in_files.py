"""A batch of texts or pictures on a card that holds the model only as a file, only in few bits, or not at all."""

import pytest

from assistant.understand import understand
from tests.assistant.planning import talk, turn


@pytest.mark.parametrize(
    ("question", "opening"),
    [
        ("how long to classify 100k tweets with Qwen3 30B A3B on a 3090?", "**The whole job: about"),
        ("tag 1M product titles with gemma 3 12b on a P40, how many days?", "**The whole job: about"),
        ("summarize 50k articles with Qwen3-14B on my 3060 12GB, how long will it take?", "**The whole job: about"),
        ("Mac M3 Max 64GB, summarize 20k emails with Qwen2.5-32B, how long?", "**The whole job: about"),
        ("用 P40 跑 Qwen2.5-14B 翻译 5 万段文本要几天", "**全部做完约"),
        ("用 3060 12G 跑 Qwen3-8B 给 20 万条工单分类要多久", "**全部做完约"),
    ],
)
def test_the_time_of_the_batch_leads_in_the_file_that_fits(question: str, opening: str) -> None:
    _, records, draft = turn(question)
    assert draft.answer.startswith(opening)
    timed = [one for one in records if one.tool == "estimate_inference_speed" and one.result.get("time_s")]
    assert any((one.request.get("weight_format") or "").startswith(("gguf", "int4", "awq")) for one in timed)


@pytest.mark.parametrize(
    "question",
    [
        "classify 1 million reviews with Llama 3 70B on a 3090, how long?",
        "translate 200k paragraphs with Qwen2.5 32B on a 4070 12GB, how long",
        "用 Qwen2.5-32B 在 4070 上给 10 万条评论打标签要多久",
    ],
)
def test_a_model_that_no_format_makes_fit_is_said_not_to_fit_before_any_time(question: str) -> None:
    _, _, draft = turn(question)
    assert draft.answer.startswith(("**It does not fit", "**放不下"))
    assert draft.verdict == "does_not_fit"


def test_a_number_of_texts_is_no_length() -> None:
    need = understand("translate 200k paragraphs with Qwen2.5 32B on a 4090, how long", None).need
    assert need.context_tokens is None


@pytest.mark.parametrize(
    ("question", "opening"),
    [
        ("how long for a 4090 to caption 100k images with Qwen2.5-VL-7B?", "**The whole job: about 6.7 hours"),
        ("can a 3090 OCR 50,000 pages with Qwen2.5-VL-7B overnight?", "**No, not within “overnight”"),
        ("4090 用 Qwen2.5-VL-7B 给 10 万张图打标要多久", "**全部做完约 6.7 小时"),
        ("用 3090 跑 Qwen2.5-VL-7B OCR 2 万页，一晚上跑得完吗", "**“一晚上”（按 8 小时算）内多半跑得完"),
    ],
)
def test_pictures_put_to_a_language_model_once_have_their_time(question: str, opening: str) -> None:
    _, _, draft = turn(question)
    assert draft.answer.startswith(opening)
    assert not draft.clarifying_questions


def test_more_pages_in_a_follow_up_keep_the_deadline() -> None:
    _, _, draft = talk("用 3090 跑 Qwen2.5-VL-7B OCR 2 万页，一晚上跑得完吗", "20 万页呢")
    assert draft.answer.startswith("**不够")
