"""What each turn of a conversation changes of the Need, and that it changes nothing else."""

from typing import Any

import pytest

from assistant.understand import understand
from assistant.understanding import Asked, Understanding

KEPT_FOR_LATER = {"doubts", "language"}


def talk(*turns: str) -> list[Understanding]:
    """The readings of a conversation, as the advisor makes them."""
    needs: list[Asked] = []
    readings = []
    for turn in turns:
        readings.append(understand(turn, needs[-1] if needs else None, needs[:-1]))
        needs.append(readings[-1].need)
    return readings


def changed(before: Asked, after: Asked) -> dict[str, Any]:
    """Fields that differ, cards as "2 x id", further models by id."""
    return {
        name: _plain(getattr(after, name))
        for name in Asked.model_fields
        if name not in KEPT_FOR_LATER and getattr(before, name) != getattr(after, name)
    }


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    if hasattr(value, "gpu"):
        return f"{value.count} x {value.gpu}"
    if hasattr(value, "role"):
        return value.model or value.params
    return value.amount if hasattr(value, "amount") else value


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        # another number of the cards spoken of
        (("Can an RTX 4090 run Qwen2.5-32B in 8-bit?", "make it two"), {"gpus_owned": ["2 x rtx-4090-24gb"]}),
        (("一张 L40S 能跑 Qwen2.5-32B 吗", "翻倍呢"), {"gpus_owned": ["2 x l40s-48gb"]}),
        (("一张 L40S 能跑 Qwen2.5-32B 吗", "用四张呢"), {"gpus_owned": ["4 x l40s-48gb"]}),
        (("Can an A40 run Gemma 2 27B?", "and a pair?"), {"gpus_owned": ["2 x a40-48gb"]}),
        (("Qwen3-32B int8 on two 4060 Ti 16GB?", "add a third one"), {"gpus_owned": ["3 x rtx-4060-ti-16gb"]}),
        (("全参微调 7B 一张 H100 要多久，3 亿 token", "加到 8 张"), {"gpus_owned": ["8 x h100-sxm-80gb"]}),
        # a load as twice the one before
        (
            ("How many L40S for Mixtral 8x7B at 100 concurrent users?", "double the users"),
            {"concurrent_sequences": 200},
        ),
        (("Qwen2.5-32B 给 60 个用户用，两张 L20 够吗", "用户数翻倍呢"), {"users": 120}),
        # another size of a card without a name
        (("两张 24G 的卡能微调多大的模型", "如果是 48G 的呢"), {"memory_bytes_per_gpu": 48 * 2**30}),
        # a member of the family, by what tells it from the others
        (
            ("Is an L4 enough for whisper-large-v3?", "and the turbo model?"),
            {"model": "openai/whisper-large-v3-turbo", "model_text": "whisper-large-v3-turbo", "params": 808878080},
        ),
        (
            ("FLUX.1-dev 用 4080 能出图吗", "换成 schnell 呢"),
            {"model": "black-forest-labs/FLUX.1-schnell", "model_text": "FLUX.1-schnell", "params": 16860369379},
        ),
        (
            ("Qwen2.5-7B 用一张 4090 能跑吗", "Qwen 换成 14B 呢"),
            {"model": "Qwen/Qwen2.5-14B", "params": 14770033664},
        ),
        # figures without their names
        (("Llama-3.1-8B on an A10 for 40 concurrent requests?", "make that 90 users"), {"concurrent_sequences": 90}),
        (
            ("Qwen2.5-7B LoRA 序列长度 8192，4090 够吗", "降到 2048 呢"),
            {"sequence_tokens": 2048, "context_tokens": 2048},
        ),
        (("LoRA of Qwen2.5-7B on a 4090 with batch 8?", "down to 2"), {"batch_size": 2}),
        # money
        (("预算 5 万，跑 32B 推理买什么卡", "不考虑预算呢"), {"budget": None}),
        (("Best card for SDXL under $900?", "forget the budget"), {"budget": None}),
        (("Best card for SDXL under $900?", "double the budget"), {"budget": 1800.0}),
        # time there is, not time to pay for
        (
            ("Full fine-tune Llama-3.1-8B on 8 H100 with 2B tokens, how long?", "what if I only have three days"),
            {"deadline_s": 3 * 86400.0},
        ),
        (("全参微调 7B，10 亿 token，8 张 H100 多久", "一周之内要训完"), {"deadline_s": 7 * 86400.0}),
        # owning and renting held against each other
        (("Cheapest way to rent for Qwen2.5-7B on AWS", "would buying be cheaper?"), {"acquisition": None}),
        # what is kept in host memory is a matter of the training spoken of before
        (
            ("Full fine-tune Llama-3.1-8B on 4 A100 40GB?", "with ZeRO-3 and CPU offload"),
            {"sharding": "zero3", "offload": "optimizer"},
        ),
    ],
)
def test_a_follow_up_changes_what_it_says_and_nothing_else(turns: tuple[str, str], expected: dict[str, Any]) -> None:
    first, second = talk(*turns)
    assert second.follow_up
    found = changed(first.need, second.need)
    for asked in ("asks", "asking", "in_hand"):  # what is asked and what was there, not what is needed
        found.pop(asked, None)
    assert found == expected


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        (("两张 4090 能跑 Qwen2.5-72B 吗", "换成两张 L40S 呢", "还是用回原来的卡"), ["2 x rtx-4090-24gb"]),
        (("Qwen2.5-72B on 4x A6000?", "and on 2 H100?", "back to the former cards"), ["4 x rtx-a6000-48gb"]),
        (("Qwen2.5-72B on 4x A6000?", "and on 2 H100?", "back to the A6000s"), ["4 x rtx-a6000-48gb"]),
        (("4x V100 16GB: Llama 2 13B?", "what about 4x 3090?", "back to the V100s"), ["4 x v100-sxm2-16gb"]),
        (
            ("8×H20 部署 DeepSeek-V3", "换成 8×H200", "再换 8 张 B200", "还是最初的卡吧"),
            ["8 x h20-96gb"],
        ),
        (("8×H20 部署 DeepSeek-V3", "换成 8×H200", "还是 H20 吧，算下电费"), ["8 x h20-96gb"]),
        (
            ("Can 2x 4090 run Llama 3.3 70B?", "and 2 5090?", "go back to the 4090s but 8k context"),
            ["2 x rtx-4090-24gb"],
        ),
    ],
)
def test_a_turn_goes_back_to_cards_of_an_earlier_one(turns: tuple[str, ...], expected: list[str]) -> None:
    assert _plain(talk(*turns)[-1].need.gpus_owned) == expected


def test_a_turn_goes_back_to_an_earlier_model_or_format() -> None:
    models = talk("Qwen2.5-72B on 2 A100 80GB?", "and Llama-3.1-70B?", "back to the first model")
    assert models[-1].need.model == "Qwen/Qwen2.5-72B"
    formats = talk("Qwen2.5-32B 在一张 A100 80G 上跑 FP8 行吗", "INT4 呢", "还是原来的精度")
    assert formats[-1].need.weight_format == "fp8"


@pytest.mark.parametrize(
    ("turns", "cards"),
    [
        (("13B int4 一张 T4 放得下吗", "P40 呢", "哪个快"), ["1 x t4-16gb", "1 x p40-24gb"]),
        (
            (
                "Does a 3090 support FP8?",
                "and the 4090?",
                "what about an A100?",
                "which of these runs Qwen2.5-14B fastest?",
            ),
            ["1 x rtx-3090-24gb", "1 x rtx-4090-24gb", "1 x a100-sxm-80gb"],
        ),
        (
            ("我有一张 3060 12G，能跑 Qwen3-14B 吗", "换 5060 Ti 16G 呢", "值得换吗"),
            ["1 x rtx-3060-12gb", "1 x rtx-5060-ti-16gb"],
        ),
    ],
)
def test_cards_spoken_of_one_after_the_other_are_held_against_each_other(
    turns: tuple[str, ...], cards: list[str]
) -> None:
    need = talk(*turns)[-1].need
    assert (need.intent, _plain(need.gpus_proposed)) == ("compare", cards)


@pytest.mark.parametrize(
    ("turns", "owned", "asked"),
    [
        (("Llama 3.3 70B Q4 on a 5090?", "compare with my 2×3090"), ["1 x rtx-5090-32gb"], ["2 x rtx-3090-24gb"]),
        (("8 张 910B 跑 Qwen2.5-72B", "跟 8 张 A800 比呢"), ["8 x ascend-910b3-64gb"], ["8 x a800-sxm-80gb"]),
        (
            ("Wan2.1 14B 在 4070 Ti Super 上能出视频吗", "换 5090 会快多少"),
            ["1 x rtx-4070-ti-super-16gb"],
            ["None x rtx-5090-32gb"],
        ),
    ],
)
def test_a_card_held_against_the_one_spoken_of_joins_it(
    turns: tuple[str, str], owned: list[str], asked: list[str]
) -> None:
    need = talk(*turns)[-1].need
    assert need.intent == "compare"
    assert _plain(need.gpus_owned) == owned
    counted = {card.gpu: card.count for card in need.gpus_proposed}
    assert [f"{counted.get(key)} x {key}" for key in need.gpus_asked] == asked


WHISPER, MAIN = "openai/whisper-large-v3", "Qwen/Qwen2.5-72B"


@pytest.mark.parametrize(
    ("turns", "main", "others"),
    [
        (("两张 4090 能跑 Qwen2.5-72B 吗", "再加个 whisper 呢"), MAIN, [WHISPER]),
        (("两张 4090 能跑 Qwen2.5-72B 吗", "再加个 whisper 呢", "那就 32B 吧"), "Qwen/Qwen2.5-32B", [WHISPER]),
        (("两张 4090 能跑 Qwen2.5-72B 吗", "再加个 whisper 呢", "还是不要 whisper 了"), MAIN, []),
        (("Qwen2.5-72B on 2 H100?", "add SDXL next to it"), MAIN, ["stabilityai/stable-diffusion-xl-base-1.0"]),
        (("Qwen2.5-72B on 2 H100?", "and an embedding model alongside"), MAIN, ["BAAI/bge-m3"]),
        (("whisper-large-v3 on an L4?", "could it share the card with Qwen2.5-7B?"), "Qwen/Qwen2.5-7B", [WHISPER]),
        (
            ("知识库问答用 Qwen3-30B-A3B，200 人，买什么卡", "embedding 用 bge-m3"),
            "Qwen/Qwen3-30B-A3B",
            ["BAAI/bge-m3"],
        ),
        (("Qwen2.5-72B 和 whisper 同时跑，4 张 4090 行吗", "100 个用户呢"), MAIN, [WHISPER]),
        (
            ("给实验室买训练服务器，主要 7B LoRA", "偶尔还要跑 SDXL"),
            None,
            ["stabilityai/stable-diffusion-xl-base-1.0"],
        ),
        # a model that is asked about instead takes the place of the one before
        (("Can 2x 4090 run Llama-3.1-70B?", "and Qwen2.5-72B?"), MAIN, []),
    ],
)
def test_companions_join_the_model_spoken_of_and_stay(
    turns: tuple[str, ...], main: str | None, others: list[str]
) -> None:
    said = talk(*turns)[-1]
    assert (said.need.model, _plain(said.need.others)) == (main, others)
    assert [one.model for one in (*said.beside, *said.workloads[1:])] == others


def test_a_change_of_topic_forgets_companions_cards_and_money() -> None:
    said = talk(
        "两张 4090 能跑 Qwen2.5-72B 吗", "再加个 whisper 呢",
        "How much memory does a LoRA of Llama-3.1-8B take on an RTX 3090 at 4k context?",
    )[-1]  # fmt: skip
    assert not said.follow_up
    assert said.need.others == ()
    assert [card.gpu for card in said.need.gpus_owned] == ["rtx-3090-24gb"]


@pytest.mark.parametrize(
    ("turns", "way"),
    [
        (("CUDA OOM training SDXL LoRA on a 3060 12GB at batch 4", "batch 1 then"), "lora"),
        (("yolov8x 训练用 3090 够吗", "换 4070 呢"), "full_finetune"),
        (("yolov8x 训练用 3090 够吗", "只做推理呢"), None),
        (("Can a 3060 draw SDXL pictures?", "and on a 2060?"), None),
    ],
)
def test_how_pictures_and_networks_that_see_are_trained_is_remembered(turns: tuple[str, str], way: str | None) -> None:
    assert talk(*turns)[-1].need.trained == way


@pytest.mark.parametrize(
    ("turns", "language"),
    [
        (("Qwen2.5-72B 要几张 4090", "8bit?"), "zh"),
        (("Qwen2.5-72B 要几张 4090", "2×H100"), "zh"),
        (("Qwen2.5-72B 要几张 4090", "and with 8 bit?"), "en"),
        (("How many 4090s for Qwen2.5-72B?", "int4"), "en"),
        (("How many 4090s for Qwen2.5-72B?", "那 int4 呢"), "zh"),
    ],
)
def test_a_turn_of_no_language_is_answered_in_that_of_the_conversation(turns: tuple[str, str], language: str) -> None:
    assert talk(*turns)[-1].language == language


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("what did you assume?", "assumed"),
        ("Assumptions?", "assumed"),
        ("前提是什么", "assumed"),
        ("show the math", "arithmetic"),
        ("怎么算的", "arithmetic"),
        ("anything cheaper?", "cheaper"),
        ("would buying be cheaper?", None),
        ("哪个更便宜", None),
        ("why?", "why"),
        ("依据是什么", "sources"),
    ],
)
def test_turns_about_the_last_answer_are_told_from_questions(text: str, command: str | None) -> None:
    said = talk("Can 2x 4090 run Qwen2.5-72B?", text)[-1]
    assert said.command == command


def test_an_unsettled_name_stays_in_doubt_until_it_is_settled() -> None:
    doubted = talk("A800 上部署 Qwen2.5-72B", "16k 上下文")
    assert [one.text for one in doubted[-1].ambiguities] == [one.text for one in doubted[0].ambiguities]
    settled = talk("A800 上部署 Qwen2.5-72B", "是 A800 PCIe 40G")
    assert not [one for one in settled[-1].ambiguities if one.text == "A800"]


def test_parts_of_a_question_are_asked_again_by_a_turn_that_only_changes_something() -> None:
    first, second = talk(
        "Which is better for Llama-3.1-8B at 100 concurrent users: 1×H100 or 2×L40S?", "make that 300 users"
    )
    assert "compare" in first.asks
    assert second.asks == first.asks


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("Does the RTX 6000 Ada support NVLink?", "Can 8×H100 serve DeepSeek-R1 to 40 users?"),
        ("Is an L40S faster than an A10?", "预算 20 万，全参微调一个 13B 模型，买什么服务器？"),
        ("全参微调一个 7B 模型要多大显存？", "预算 6 万元，给 30 个人用 Qwen2.5-32B，需要买什么显卡？"),
        ("LoRA on a 13B model: how much memory?", "What GPU should I buy to QLoRA Llama-3.1-70B at 4k context?"),
        ("Can 4×3090 run Qwen2.5-72B for 20 users?", "I have a single 16 GB card, how large a model can I fine-tune?"),
        ("4 张 3090 能跑 Qwen2.5-72B 吗？", "手上有两张 2080 Ti，最大能跑多大的模型？"),
    ],
)
def test_a_question_that_states_all_it_needs_is_read_as_in_no_conversation(before: str, now: str) -> None:
    """So that it is answered as it would be alone, and as soon, where it was asked before."""
    assert understand(now, understand(before).need) == understand(now)


@pytest.mark.parametrize(
    ("before", "now", "kept"),
    [
        ("Can 4×3090 run Qwen2.5-72B?", "How many H100 would serve 50 users with 8k tokens of context each?", "model"),
        ("Can 4×3090 run Qwen2.5-72B?", "预算 3 万元，还能买什么更合适的卡？", "model"),
        ("I have 2×3090.", "What can I do to fine-tune Qwen2.5-7B with long sequences?", "gpus_owned"),
        ("Does the RTX 6000 Ada support NVLink?", "Can the RTX 6000 Ada run Qwen2.5-32B for 10 users?", "gpus_asked"),
        (
            "What should I buy for Qwen2.5-32B? Budget 9000 USD.",
            "And how about Qwen2.5-72B with that budget?",
            "budget",
        ),
    ],
)
def test_a_question_that_leans_on_what_was_said_keeps_it(before: str, now: str, kept: str) -> None:
    first = understand(before).need
    second = understand(now, first).need
    assert getattr(second, kept) == getattr(first, kept)
    assert getattr(second, kept) is not None
    assert getattr(second, kept) != ()


@pytest.mark.parametrize(
    ("said", "slot", "value"),
    [
        pytest.param("What if the context doubles?", "context_tokens", 16384, id="context-doubles"),
        pytest.param("and if the users double?", "users", 40, id="users-double"),
        pytest.param("and half the users?", "users", 10, id="half-the-users"),
        pytest.param("上下文翻倍呢", "context_tokens", 16384, id="zh-context"),
        pytest.param("用户减半呢", "users", 10, id="zh-users-halved"),
    ],
)
def test_multiple_of_what_was_said_changes_that_alone(said: str, slot: str, value: int) -> None:
    before = understand("Llama 3.1 8B at 8k context on an L4 for 20 users").need
    after = understand(said, before).need
    assert getattr(after, slot) == value
    assert after.gpus_owned == before.gpus_owned


@pytest.mark.parametrize("said", ["We can only get A100s.", "And on H20s?"])
def test_card_named_after_how_many_is_asked_about_not_owned(said: str) -> None:
    after = understand(said, understand("How many GPUs for DeepSeek-V3?").need).need
    assert after.gpus_owned == ()
    assert len(after.gpus_asked) == 1
