"""Which member of a family cards run: the model comes first, then its speed, then the next larger that does not fit."""

import pytest

from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("question", "model", "beyond"),
    [
        ("My 3080 10GB: which Qwen3 fits, and how fast?", "Qwen3-8B", "Qwen3-14B"),
        ("我的 4060 8G 能跑哪个 Qwen3，速度多少", "Qwen3-8B", "Qwen3-14B"),
        ("which Llama runs on my 4070 12GB?", "Llama-3.1-8B", "Llama-3.3-70B"),
        ("Which Gemma 3 runs on my 4060 Ti 16GB and at what speed?", "gemma-3-12b", "gemma-3-27b"),
        ("我的 3060 12G 能跑多大的 Qwen2.5？速度怎么样", "Qwen2.5-14B", "Qwen2.5-32B"),
        ("which size of Qwen3 should I run on my 5090, and what speed will I get?", "Qwen3-32B", "Qwen3-235B"),
        ("M2 Max 64GB which Llama fits and how many tokens/s?", "Llama-3.3-70B", "Llama-3.2-90B"),
        ("4090 上跑 DeepSeek 选哪个，能有多快", "DeepSeek-R1-Distill-Qwen-32B", "DeepSeek-R1-Distill-Llama-70B"),
    ],
)
def test_the_member_leads_with_format_and_speed_and_the_next_larger_is_told(
    question: str, model: str, beyond: str
) -> None:
    understanding, _, draft = turn(question)
    first = draft.answer.split("\n")[0]
    verdict = first.split("**")[1]
    assert understanding.need.intent == "what_fits"
    assert model in verdict
    assert "GGUF" in verdict
    assert "tokens/s" in verdict
    assert "GiB" in verdict
    assert beyond in first


@pytest.mark.parametrize("question", ["which Llama 4 fits on my RTX 3060 12GB?", "我的 3060 12G 能跑哪个 Llama 4"])
def test_no_member_that_fits_is_said_with_what_the_smallest_takes(question: str) -> None:
    _, records, draft = turn(question)
    least = next(record.result["beyond"] for record in records if record.tool == "what_fits")
    first = draft.answer.split("\n")[0]
    assert draft.verdict == "does_not_fit"
    assert least["model"].endswith("Llama-4-Scout-17B-16E-Instruct")
    assert least["name"] in first
    assert "Llama 4" in first
    assert "GiB" in first


def test_the_member_to_fine_tune_is_told_by_its_method_without_a_speed_of_writing() -> None:
    _, _, draft = turn("which Qwen3 can I finetune with QLoRA on my 4090?")
    first = draft.answer.split("\n")[0]
    assert "Qwen3-14B with QLoRA" in first
    assert "Qwen3-30B-A3B" in first
    assert "okens/s" not in draft.answer


@pytest.mark.parametrize(
    "question",
    [
        "which GPU for Qwen3 at 30 tokens/s?",
        "what Qwen3-8B speed do I get on a 4090?",
        "Qwen3 用哪张显卡好？",
        "how fast is Qwen3 on my 4090?",
        "跑 Qwen3 要多大显存？",
    ],
)
def test_what_asks_for_a_card_or_a_speed_is_no_question_for_a_member(question: str) -> None:
    understanding, _, _ = turn(question)
    assert understanding.need.intent != "what_fits"


@pytest.mark.parametrize(
    "question",
    [
        "I have a 3090 and a 4060 Ti 16GB: which Qwen3 can I run across both and how fast?",
        "一张 3090 加一张 4060 Ti 16G 能一起跑哪个 Qwen3，多快",
    ],
)
def test_unlike_cards_hold_a_member_together_and_its_speed_is_told(question: str) -> None:
    first = turn(question)[2].answer.split("\n")[0]
    assert "Qwen3-32B" in first
    assert "39.2 GiB" in first
    assert "tokens/s" in first


@pytest.mark.parametrize(
    "question",
    [
        "I bought an RTX 5070 Ti 16GB. What's the best coding model and what context can I use?",
        "My 3090: which Qwen3 fits and what's the max context?",
        "我的 4060 8G 能跑哪个 Qwen3，上下文能开多大",
        "what's the biggest model for my 3060 12GB and how much context",
    ],
)
def test_the_context_is_that_of_the_model_told_first(question: str) -> None:
    _, records, draft = turn(question)
    lead = next(one for one in records if one.tool == "what_fits").result["candidates"][0]
    placed = next(one for one in records if one.tool == "estimate_memory")
    first = draft.answer.split("\n")[0]
    assert placed.request["model"] == lead["model"]
    assert lead["name"] in first
    assert "context of about" in first or "上下文最长约" in first


@pytest.mark.parametrize(
    ("question", "model"),
    [
        ("how fast is Qwen3 on my 4090?", "Qwen3-32B"),
        ("I have a 4080 Super. Which Mistral models run on it and how fast would they be?", "Mistral-7B"),
        ("3090 跑 Llama 多快", "Llama"),
    ],
)
def test_a_speed_of_a_family_names_the_model_it_is_of(question: str, model: str) -> None:
    assert model in turn(question)[2].answer.split("**")[1]
