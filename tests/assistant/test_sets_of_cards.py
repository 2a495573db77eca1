"""So many of one card or so many of another for a training, and cards said to cost the same: which to take, and why."""

import pytest

from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("question", "card"),
    [
        ("2x A6000 with NVLink worth it over one H100 for finetuning Llama 3.1 8B?", "H100 SXM5 80GB"),
        ("两张 A6000 (NVLink) 值得吗，还是一张 H100，微调 Llama 3.1 8B", "H100 SXM5 80GB"),
        ("H100 with nvlink bridge vs A100 80GB for serving Qwen2.5-32B", "H100 SXM5 80GB"),
    ],
)
def test_nvlink_is_no_form_of_a_card(question: str, card: str) -> None:
    assert card in turn(question)[2].answer
    assert "NVL 94GB" not in turn(question)[2].answer


@pytest.mark.usefixtures("fresh_prices")
@pytest.mark.parametrize(
    "question",
    [
        "2x A6000 with NVLink worth it over one H100 for finetuning Llama 3.1 8B?",
        "2x A6000 or one H100 for finetuning Llama 3.1 8B?",
        "2x L40S vs 1x A100 80GB for finetuning Mistral 7B with LoRA?",
        "8x 4090 or one H200 for QLoRA of Llama 3.1 70B, which should I get?",
        "2 张 A100 还是 1 张 H100 微调 14B，选哪个？",
        "两张 3090 还是一张 A100 80G，LoRA 微调 Qwen2.5-7B？",
    ],
)
def test_unequal_sets_are_raced_by_what_all_their_cards_train_and_one_is_taken(question: str) -> None:
    _, records, draft = turn(question)
    first = draft.answer.split("\n")[0]
    assert "all cards together" in first or "所有卡合计" in first
    assert "$" in first
    assert any(word in first for word in ("ake ", "Worth it", "选", "值得"))
    assert "What you could order" not in draft.answer
    timed = [one for one in records if one.tool == "estimate_training_time"]
    assert len({one.request["gpu"] for one in timed}) == 2
    assert {one.result["task"] for one in timed} <= {"lora", "qlora"}


def test_a_set_that_holds_it_only_when_sharded_is_timed_so() -> None:
    _, records, draft = turn("8x 4090 or one H200 for QLoRA of Llama 3.1 70B, which should I get?")
    timed = {one.request["gpu"]: one.request.get("sharding") for one in records if one.tool == "estimate_training_time"}
    assert timed == {"rtx-4090-24gb": "fsdp", "h200-sxm-141gb": None}
    assert "Each holds it in a way of its own" in draft.answer


def test_of_a_set_that_holds_it_only_just_the_roomier_is_taken() -> None:
    first = turn("2x 5090 or 1x RTX PRO 6000 for finetuning Qwen3-14B")[2].answer.split("\n")[0]
    assert "Take 1×RTX PRO 6000" in first
    assert "only just on 2×RTX 5090" in first


@pytest.mark.parametrize(
    ("question", "taken", "judged"),
    [
        ("RTX 4090 vs RTX 5090 similar price, which is better for Qwen3 32B?", "1×RTX 5090", "not similar"),
        ("A100 80G 和 L40S 价格差不多，跑 Qwen2.5-32B 选哪个？", "1×A100 SXM4 80GB", "也相近"),
        ("H100 and H200 are at a similar price, which for Llama 3.1 70B serving?", "1×H200 SXM 141GB", "similar, too"),
        ("I can get an A6000 or an L40S for the same money, for LoRA on Qwen2.5-14B?", "1×L40S", "not similar"),
    ],
)
def test_a_like_price_is_taken_as_said_and_held_against_the_prices_known(
    question: str, taken: str, judged: str
) -> None:
    understanding, _, draft = turn(question)
    first = draft.answer.split("\n")[0]
    assert understanding.need.intent == "compare"
    assert f"At a like price take {taken}" in first or f"价格差不多就选 {taken}" in first
    assert judged in first


@pytest.mark.parametrize(
    "question", ["4090 和 3090 价格差不多吗？", "4090 and 3090 don't have a similar price, which for 8B?"]
)
def test_who_asks_or_denies_a_like_price_does_not_say_it(question: str) -> None:
    answer = turn(question)[2].answer
    assert "like price" not in answer
    assert "价格差不多就选" not in answer
    assert "$" in answer


@pytest.mark.parametrize(
    "question",
    [
        "One H200 or two H100 for Llama 3.1 70B FP8 at 32 concurrent users?",
        "一张 H200 还是两张 H100 跑 Llama 3.1 70B FP8，32 并发？",
    ],
)
def test_neither_of_two_sets_to_choose_from_is_in_hand(question: str) -> None:
    understanding, _, draft = turn(question)
    first = draft.answer.split("\n")[0]
    assert not understanding.need.gpus_owned
    assert "take 1×H200" in first or "选 1×H200" in first


def test_serving_is_taken_off_the_set_that_holds_it_only_just_unless_that_costs_far_less() -> None:
    first = turn("Is it better to buy one 5090 now or two 4080 for local LLM 32B with 20k context?")[2].answer.split(
        "\n"
    )[0]
    assert "only just on 2×RTX 4080" in first
    assert "Take 2×RTX 4080 while every context stays this short" in first
