"""Cards whose number is asked, taken over from others, shared out, or not known at all; loads in every wording."""

import pytest

from assistant.understand import understand
from assistant.understanding import Asked
from tests.assistant.planning import turn


def _after(first: str) -> Asked:
    understood, _, draft = turn(first)
    return understood.need.model_copy(update={"shown": draft.shown})


@pytest.mark.parametrize("card", ["H100s", "A100s", "4090s"])
def test_cards_whose_number_is_asked_are_not_in_hand(card: str) -> None:
    need = understand(f"How many {card} and how long to continue pretraining qwen2.5-7b on 50B tokens?").need
    assert need.gpus_owned == ()


def test_time_is_told_for_several_numbers_of_cards_where_that_is_open() -> None:
    _, records, draft = turn("How many H100s and how long to pretrain qwen2.5-7b on 50B tokens?")
    counts = {one.result["gpu_count"] for one in records if one.tool == "estimate_training_time"}
    assert counts >= {8, 16}
    assert "8×H100" in draft.answer.split("\n")[0]
    assert "16×H100" in draft.answer.split("\n")[0]


@pytest.mark.parametrize("word", ["switching our", "migrating from", "moving from"])
def test_cards_that_replace_others_are_counted_not_those(word: str) -> None:
    _, _, draft = turn(f"{word} 4x A100 40GB to H100, how many H100s do we need for mixtral 8x22b?")
    first = draft.answer.split("\n")[0]
    assert "×H100" in first
    assert "A100" not in first


@pytest.mark.parametrize("name", ["5070 ti super", "5080 super", "5070 super 18gb"])
def test_a_card_with_a_suffix_of_its_own_is_not_the_one_without(name: str) -> None:
    understood = understand(f"is a used 3090 a good buy or should I wait for the {name}?")
    assert not any("50" in card.split("-")[1] for card in understood.need.gpus_asked if card.startswith("rtx-50"))
    assert any(doubt.unknown for doubt in understood.ambiguities)


@pytest.mark.parametrize("name", ["4070 super", "4080 super", "4070 ti super", "2070 super"])
def test_known_suffixes_stay_names(name: str) -> None:
    understood = understand(f"is a {name} good for sdxl?")
    assert "super" in "".join([*understood.need.gpus_asked, *(one.gpu for one in understood.need.gpus_owned)])


@pytest.mark.parametrize("text", ["at 64 concurrency", "with 64 concurrent requests", "concurrency 64"])
def test_a_load_is_read_in_every_wording(text: str) -> None:
    assert understand(f"4x A100 80GB vllm llama 70b awq {text}, speed?").need.concurrent_sequences == 64


@pytest.mark.parametrize("text", ["fine tune llama 3.1 8b full on 1x h100", "finetuning qwen2.5 7b full, 2x A100 80GB"])
def test_full_may_stand_behind_the_model(text: str) -> None:
    assert understand(text).need.task == "full_finetune"


def test_a_full_day_is_no_full_fine_tuning() -> None:
    assert understand("fine tune llama 3.1 8b lora for a full day on 1x 4090").need.task == "lora"


def test_another_card_is_weighed_in_the_number_in_hand() -> None:
    before = _after("4x A100 80GB serve llama 70b awq with 64 concurrent requests, how fast?")
    _, _, draft = turn("would h100 be better", before)
    assert draft.verdict == "comparison"
    assert "4×H100" in draft.answer.split("\n")[0]


@pytest.mark.parametrize("who", ["4 teams", "three projects", "5 users"])
def test_a_card_shared_out_gives_each_a_part(who: str) -> None:
    _, records, draft = turn(f"how to share one A100 80GB between {who} each running an 8B model")
    assert any(one.request.get("instances") for one in records if one.tool == "configure")
    assert "MIG" in draft.answer.split("\n")[0]


@pytest.mark.parametrize(("rate", "said"), [(4200, "A little low"), (6000, "That is normal"), (2000, "Slower")])
def test_a_rate_is_judged_by_where_it_lies(rate: int, said: str) -> None:
    _, _, draft = turn(f"8xH100 full sft llama 3.1 8b packed 8k, getting {rate} tok/s per gpu, is that ok?")
    assert draft.answer.lstrip("*").startswith(said)


def test_a_loss_that_is_no_number_is_no_question_of_memory() -> None:
    understood, _, draft = turn("loss goes NaN after 200 steps, llama 3 8b fp16 lora on 2x V100 32GB")
    assert understood.fault
    assert "GiB per GPU" not in draft.answer


def test_three_bits_that_just_fit_come_before_two() -> None:
    _, _, draft = turn("what quant of gemma 3 27b should i use on a 16gb card")
    assert "Q3_K_M" in draft.answer.split("\n")[0]


def test_texts_of_a_day_are_held_against_usual_cards() -> None:
    _, records, draft = turn("we embed 2 million documents per day with bge-m3, avg 400 tokens, gpu sizing?")
    assert any(one.result.get("gpus_needed") for one in records if one.tool == "estimate_inference_speed")
    assert draft.verdict == "recommendation"


def test_a_purpose_settles_what_cards_are_compared_for() -> None:
    _, _, draft = turn("mac mini m4 pro 64gb vs 5090 for local coding models")
    assert "depends on the work" not in draft.answer.split("\n")[0]


@pytest.mark.parametrize("text", ["4090 + 192gb", "4090 and 128gb", "3090 plus 256gb"])
def test_memory_set_beside_a_card_is_the_machines(text: str) -> None:
    assert understand(f"qwen3 235b q4 on {text}, how fast?").need.host_memory_bytes


@pytest.mark.parametrize("text", ["4090 and 80gb a100", "3090 + 24gb card", "2x 3090 48gb"])
def test_memory_of_another_card_is_not_the_machines(text: str) -> None:
    assert understand(f"qwen3 32b on {text}, how fast?").need.host_memory_bytes is None


@pytest.mark.parametrize("text", ["llama 3.1 405b on prem, what do we need", "what would it take to run qwen3 235b"])
def test_what_is_needed_is_hardware(text: str) -> None:
    _, _, draft = turn(text)
    assert draft.verdict == "recommendation"


def test_the_power_of_cards_compared_may_follow() -> None:
    understood, records, _ = turn("what about power", _after("8b model, 4090 or l40s?"))
    assert understood.need.intent == "power"
    assert len([one for one in records if one.tool == "plan_power"]) == 2


def test_a_card_that_stands_there_already_is_asked_whether_it_does() -> None:
    before = _after("what gpu for qwen3-30b-a3b for 5 people in my office")
    _, _, draft = turn("ok but we already have a 3090", before)
    assert draft.verdict == "fits_with_changes"
    assert "RTX 3090" in draft.answer


def test_as_many_are_rented_as_are_said() -> None:
    understood, _, _ = turn(
        "what if I rent 4", _after("lora mistral 24b on 1x a100 40gb, 20M tokens, what does it cost?")
    )
    cards = (*understood.need.gpus_owned, *understood.need.gpus_proposed)
    assert {card.count for card in cards} == {4}


def test_the_speed_told_is_of_the_format_that_fits() -> None:
    _, _, draft = turn("how fast is gpt-oss-120b on 2x 5090 with 96gb ram?")
    assert "GGUF MXFP4" in draft.answer.split("\n")[0]


def test_software_does_not_leave_a_card_of_today_out() -> None:
    _, _, draft = turn("is a 5090 still worth it for qwen3-32b?")
    assert "leave" not in draft.answer.split("\n")[0]


@pytest.mark.parametrize(
    "question",
    [
        "Serving an LLM to 5000 users: 4 H100 or 8?",
        "Say I deploy a TGI model for 10 000 users, what hardware? 8 A100 vs 2?",
        "给 3000 人用大模型，4 张 H20 还是 8 张？",
    ],
)
def test_which_number_serves_a_crowd_asks_for_the_model(question: str) -> None:
    _, _, draft = turn(question)
    assert any("model" in one or "模型" in one for one in draft.clarifying_questions)
    assert draft.verdict != "fact"
