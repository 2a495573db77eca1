"""Conversations of several turns: each answer says what changed, points back to what was told, and repeats nothing."""

import pytest

from assistant.answer import Draft
from assistant.ground.check import ground
from assistant.understand import understand
from assistant.understanding import Asked
from tests.assistant.planning import turn


def conversation(*texts: str) -> list[tuple[Asked, Draft]]:
    """Every turn's need, with what its answer told put into it, and its answer."""
    previous: Asked | None = None
    told = []
    for text in texts:
        understanding, records, draft = turn(text, previous)
        words = [*texts, (understanding.need.shown and understanding.need.shown.said) or ""]
        assert not ground(draft.answer, records, words, draft.citations).ungrounded
        previous = understanding.need.model_copy(update={"shown": draft.shown})
        told.append((previous, draft))
    return told


def first(draft: Draft) -> str:
    """The first line of an answer."""
    return draft.answer.split("\n")[0]


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (("Can a Mac Studio M3 Ultra 256GB run DeepSeek V3?", "and with 4-bit?"), ("With INT4 it still", "before: ")),
        (("Can a Mac Studio M3 Ultra 256GB run DeepSeek V3 in 4-bit?", "the 512GB one then"), ("it fits", "before: ")),
        (("8张H100能跑满血R1 FP8吗", "换成 H200 呢"), ("改为 8×H200 SXM 141GB 后放得下了", "之前：")),
        (("微调7B LoRA 需要什么显卡？", "那全参呢"), ("全参微调", "之前：1×RTX")),
        (("70B 需要多少显存", "4bit 呢"), ("INT4", "（之前：144 GB")),
        (("How fast is Qwen2.5-32B int4 on a 4090?", "and on a 5090"), ("RTX 5090", "(before: ")),
    ],
)
def test_a_follow_up_says_first_what_changed(texts: tuple[str, ...], said: tuple[str, ...]) -> None:
    _, draft = conversation(*texts)[-1]
    for words in said:
        assert words in first(draft)


def test_what_was_assumed_already_is_said_to_change_nothing() -> None:
    told = conversation(
        "CUDA out of memory when I LoRA fine-tune Llama 3.1 8B on my 4090, batch size 4, seq len 4096",
        "gradient checkpointing is already on",
    )
    assert "nothing changes" in first(told[-1][1])


def test_a_follow_up_repeats_no_assumption_and_no_parts() -> None:
    (_, one), (_, other) = conversation("Can 2×4090 run Qwen2.5-32B in int4?", "and with 16k context?")
    assert "A context of 4,096 tokens." in one.answer
    assert "Run with vLLM." in one.answer
    assert "Run with vLLM." not in other.answer
    assert other.assumptions
    assert "| Weights |" not in other.answer


@pytest.mark.parametrize(
    "thanks", ["thanks!", "ok", "great, that helps a lot", "thanks, super helpful", "好的谢谢", "明白了"]
)
def test_thanks_are_answered_in_a_line_and_change_nothing(thanks: str) -> None:
    (before, _), (need, draft) = conversation("Can 2×4090 run Qwen2.5-32B in int4?", thanks)
    assert need.shown == before.shown
    assert not understand(thanks, before).changed
    assert len(draft.answer) < 120


@pytest.mark.parametrize("more", ["那用一台行不行", "what about one server", "单机呢"])
def test_one_machine_of_two_holds_half_of_the_cards(more: str) -> None:
    before = understand("两台服务器，每台8张H20，想跑满血DeepSeek R1", None).need
    need = understand(more, before).need
    assert [(card.gpu, card.count) for card in need.gpus_owned] == [("h20-96gb", 8)]


@pytest.mark.usefixtures("fresh_prices")
@pytest.mark.parametrize(
    ("pointing", "place"),
    [("how fast is the second one", 1), ("第一个能放几路并发", 0), ("the third option, how fast", 2)],
)
def test_one_may_point_at_what_was_put_forward(pointing: str, place: int) -> None:
    (before, _) = conversation("which GPU should I buy for Qwen2.5-72B in int4, budget $20k")[-1]
    assert before.shown is not None
    need = understand(pointing, before).need
    assert need.gpus_proposed == (before.shown.offered[place],)


def test_what_is_asked_of_hardware_is_asked_of_what_was_put_forward_until_another_choice() -> None:
    (before, _), (need, draft) = conversation("which GPU should I buy for Qwen2.5-72B in int4, budget $20k", "speed?")
    assert before.shown is not None
    assert need.gpus_proposed == before.shown.offered[:1]
    assert "tokens/s" in first(draft)
    assert understand("and with a budget of $40k, which should I buy?", need).need.gpus_asked == ()


@pytest.mark.parametrize(
    ("question", "reply", "field", "value"),
    [
        ("serve Qwen2.5-72B to 100 people, what hardware should I buy?", "about 50", "concurrent_sequences", 50),
        ("给200人部署Qwen2.5-72B，买什么卡", "大概30个", "concurrent_sequences", 30),
        ("推荐张显卡跑大模型", "一万五左右", "budget", 15_000),
    ],
)
def test_a_bare_reply_settles_what_was_asked_back(question: str, reply: str, field: str, value: float) -> None:
    need, _ = conversation(question, reply)[-1]
    found = getattr(need, field)
    assert getattr(found, "amount", found) == value


def test_who_cannot_say_more_gets_a_choice() -> None:
    told = conversation("Help me choose a GPU", "don't know")
    assert told[-1][1].shown is not None
    assert "32B" in first(told[-1][1])


@pytest.mark.parametrize("choice", ["ok which would you buy?", "what would you pick", "那该买哪个"])
def test_which_would_you_buy_asks_for_a_choice_again(choice: str) -> None:
    before = understand(
        "and the electricity?", understand("what to buy to serve Llama 3.3 70B to 40 people", None).need
    )
    assert understand(choice, before.need).need.intent == "which_to_buy"


def test_cards_that_are_not_owned_yet_are_asked_about() -> None:
    before = understand("Is a 4090 enough for QLoRA of a 13B?", None).need
    need = understand("no, I'd buy it, not owned", before).need
    assert (need.gpus_owned, need.gpus_asked) == ((), ("rtx-4090-24gb",))


def test_another_maker_means_its_cards_of_that_size() -> None:
    before = understand("What's better for LLM inference, 4090 or RTX 6000 Ada?", None).need
    need = understand("what about AMD", before).need
    assert need.gpus_asked[2:] == ("rx-7900-xtx-24gb", "radeon-pro-w7900-48gb")


def test_an_amount_in_both_units_is_no_card() -> None:
    _, records, draft = turn("how much memory for qwen2.5 72b with 50 requests at once?")
    assert "GB (200 GiB)" in first(draft)
    assert not ground(draft.answer, records, ["50 72b"], draft.citations).ungrounded


def test_a_turn_that_changes_nothing_is_told_so() -> None:
    (_, one), (_, other) = conversation("do I need NVLink for 2x4090 on a 34B", "inference only")
    assert first(other).startswith("**As before: ")
    assert first(one).removeprefix("**").lower() in first(other).lower()


def test_who_tells_the_data_wants_the_time_and_other_cards_are_timed_too() -> None:
    told = conversation("can i train a 3B from scratch on one 4090?", "10B tokens", "what if I had four")
    assert "Training time" in first(told[1][1])
    assert "(before: " in first(told[2][1])
    assert "days" in first(told[2][1])


def test_a_model_named_after_a_question_for_advice_is_sized() -> None:
    need, draft = conversation("I need to run RAG for a law firm, 30 lawyers, on-prem", "llama 3.3 70b I guess")[-1]
    assert need.intent == "which_to_buy"
    assert "GiB" in first(draft)


def test_another_number_of_rented_cards_is_priced() -> None:
    need, _ = conversation("rent 8xH100 for pretraining a 3B on 60B tokens, cost?", "on 16 instead")[-1]
    assert [(card.gpu, card.count) for card in need.gpus_proposed] == [("h100-sxm-80gb", 16)]


def test_other_cards_join_a_comparison() -> None:
    need, _ = conversation("4090 vs 5090 for FLUX?", "what about a 3090 used")[-1]
    assert {card.gpu for card in need.gpus_proposed} | set(need.gpus_asked) >= {"rtx-5090-32gb", "rtx-3090-24gb"}


@pytest.mark.parametrize("text", ["4090行吗", "5090 行不行"])
def test_a_card_that_will_do_is_no_number_of_rows(text: str) -> None:
    before = understand("视频生成 Wan2.1 14B 要什么卡", None).need
    need = understand(text, before).need
    assert [*need.gpus_asked, *(card.gpu for card in need.gpus_owned)]


def test_one_user_is_said_in_the_singular() -> None:
    texts = ("I have an RTX 4080 16GB", "can it run qwen3 14b?", "in fp8 with 32k context, single user")
    assert "one user" in first(conversation(*texts)[-1][1])
