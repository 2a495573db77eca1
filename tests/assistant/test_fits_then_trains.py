"""Whether cards train a model, and how long: yes or no first with the way that fits, then the time of that way."""

import pytest

from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("question", "opening", "task"),
    [
        ("两张 4090 能微调 14B 吗，要多久？数据 5 万条", "**能，用", "qlora"),
        ("can two 3090s finetune Llama 3.1 8B, and how long for 100k samples?", "**Just about: LoRA", "lora"),
        ("8xH100 full finetune 8B on 1B tokens, possible? how long?", "**Yes: full fine-tuning", "full_finetune"),
        ("can a 3060 12G train a 7B lora, 20k samples how long?", "**Yes, with QLoRA", "qlora"),
    ],
)
def test_the_verdict_leads_and_the_time_is_of_the_way_that_fits(question: str, opening: str, task: str) -> None:
    _, records, draft = turn(question)
    first = draft.answer.split("\n")[0]
    timed = [one for one in records if one.tool == "estimate_training_time"]
    assert first.startswith(opening)
    assert [one.result["task"] for one in timed] == [task]
    assert "raining takes" in first or "训练约要" in first


def test_what_does_not_fit_says_so_first_and_nothing_of_a_time_that_cannot_be_had() -> None:
    _, records, draft = turn("一张 4090 能微调 32B 吗？3 万条数据要几天")
    assert draft.answer.startswith("**不能**")
    assert "如果显存够" not in draft.answer
    assert not any(one.tool == "estimate_training_time" for one in records)
    assert any("512" in line for line in draft.assumptions)


@pytest.mark.parametrize(
    ("question", "sharding"),
    [
        ("4×H100 finetune 70B", "zero3"),
        ("4 张 A100 80G 微调 72B", "zero3"),
        ("Can 8x A100 40GB LoRA Qwen2.5-72B?", "zero3"),
    ],
)
def test_a_training_that_fits_only_sharded_is_told_with_its_speed(question: str, sharding: str) -> None:
    _, records, draft = turn(question)
    timed = next(one for one in records if one.tool == "estimate_training_time")
    assert timed.request["sharding"] == sharding
    assert "tokens/s" in draft.answer.split("\n")[0]


def test_a_part_left_to_the_host_gets_no_speed_for_none_is_known() -> None:
    _, records, _ = turn("8×H100 全参微调 Llama 3.1 70B")
    assert not any(one.request.get("offload") for one in records if one.tool == "estimate_training_time")


def test_who_insists_on_fully_fine_tuning_gets_a_no_where_only_adapters_fit() -> None:
    assert turn("can one 4090 fully fine-tune a 13B?")[2].verdict == "does_not_fit"


def test_the_speed_beside_a_verdict_is_that_of_its_number_of_cards() -> None:
    _, records, draft = turn("Do I need NVLink for 2x3090 to fine-tune 13B with QLoRA?")
    timed = {one.result["gpu_count"]: one.result for one in records if one.tool == "estimate_training_time"}
    one, both = (timed[count]["tokens_per_s_total"]["value"] for count in (1, 2))
    told = next(line for line in draft.answer.split("\n") if "trains at about" in line)
    assert f"{both:,.0f}"[:3] in told
    assert f"about {one:,.0f}" not in told
