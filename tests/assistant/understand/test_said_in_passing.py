"""Slots that stand beside the question: sizes in millions, bare budgets, a stated supply, times of many steps."""

import pytest

from assistant.understand import understand
from assistant.understand.progress import find_progress
from kb.units import GIB


@pytest.mark.parametrize(
    ("text", "params"),
    [
        ("pre-training a 350M llama on 10B tokens with 8x V100 16GB, weeks or days?", 350e6),
        ("从头训练一个 125M gpt，3B token，一张 3090 要多久", 125e6),
        ("train a 90m llama from scratch on a 4090", 90e6),
    ],
)
def test_a_shape_of_so_many_millions_is_no_model_of_the_catalog(text: str, params: float) -> None:
    understanding = understand(text)
    assert understanding.need.params == params
    assert understanding.need.model is None
    assert not understanding.ambiguities


def test_a_family_in_millions_is_its_smallest_member() -> None:
    assert understand("train a 500M qwen from scratch on 2x 4090").need.model is not None


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("20w 以内搞一台机器推理 DeepSeek-R1 671B", 200_000),
        ("想跑 14B 量化模型，3000 以内", 3000),
        ("5000 以下的显卡，跑 Qwen3-8B", 5000),
    ],
)
def test_a_bare_amount_that_is_to_be_spent_is_a_budget(text: str, amount: float) -> None:
    budget = understand(text).need.budget
    assert budget is not None
    assert (budget.amount, budget.currency) == (amount, "CNY")


@pytest.mark.parametrize(
    "text",
    [
        "上下文 8000 以内，Qwen3-32B 一张 4090 行吗",
        "推荐个功耗 75w 以内的显卡，跑 7B",
        "延迟 2000 以内，Qwen3-8B 用什么卡",
    ],
)
def test_a_length_or_a_draw_is_no_budget(text: str) -> None:
    assert understand(text).need.budget is None


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("ComfyUI Flux, PSU 650W, want to spend ≤ $700. 4070 Super or 5060 Ti 16GB?", "compare"),
        ("650W 电源，4070s 和 5060ti 16g 选哪个跑 14B", "compare"),
        ("Dell R730, passive cooling only: P40, T4 or A2 for a small llama server?", "compare"),
        ("两张 3090 和一张 4090 哪个功耗高，1000W 电源够吗", "power"),
        ("can a 850W PSU handle two 3090s?", "power"),
    ],
)
def test_a_stated_supply_limits_a_choice_and_is_not_asked_about(text: str, intent: str) -> None:
    understanding = understand(text)
    assert understanding.need.intent == intent
    if intent == "compare":
        assert not understanding.need.gpus_owned


def test_a_short_name_is_a_card_in_a_list_of_cards_alone() -> None:
    assert "a2-16gb" in understand("P40, T4 or A2 for a llama server?").need.gpus_asked
    assert "a2-16gb" in understand("A2 还是 T4 跑 whisper 好").need.gpus_asked
    assert "a2-16gb" not in understand("section A2 of the report: is a 3090 enough for 13B?").need.gpus_asked


@pytest.mark.parametrize(
    ("text", "step_s"),
    [
        ("5000 steps takes 14h on a T4", 14 * 3600 / 5000),
        ("each step takes 12 s", 12.0),
        ("一步要 3 秒", 3.0),
    ],
)
def test_the_time_of_many_steps_is_shared_among_them(text: str, step_s: float) -> None:
    assert find_progress(text).step_s == pytest.approx(step_s)


def test_a_packing_named_beside_a_width_says_how_it_is_packed() -> None:
    assert understand("Yi-34B-Chat-4bits AWQ on a 3090 at 8k context, does it fit?").need.weight_format == "awq"


@pytest.mark.parametrize(
    ("text", "gib", "count"),
    [("ChatTTS 语音合成笔记本 4G 行吗", 4, 1), ("DeepSeek-R1 1.58bit with 2x 48GB + 128GB RAM, what speed?", 48, 2)],
)
def test_a_card_known_by_its_size_stands_before_a_question_or_a_sum(text: str, gib: int, count: int) -> None:
    need = understand(text).need
    assert (need.memory_bytes_per_gpu or 0) == gib * GIB
    assert need.gpu_count == count


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("910B 单机八卡跑 DeepSeek-R1 w8a8 两机，首 token 要 20 秒", 16),
        ("910B3 64G 8 卡一台，能跑 DeepSeek-V3 吗，还是得两台", 8),
    ],
)
def test_what_one_machine_is_like_comes_before_how_many_there_are(text: str, cards: int) -> None:
    assert [card.count for card in understand(text).need.gpus_owned] == [cards]


def test_the_concurrency_that_is_hoped_for_is_read() -> None:
    need = understand("两张 L40S 跑 qwen3-30b-a3b fp8，8k 上下文最多多少并发，能到 100 吗").need
    assert need.concurrent_sequences == 100
    assert understand("4 张 L40S，最多多少并发，上下文开到 8192").need.concurrent_sequences is None


@pytest.mark.parametrize(
    ("text", "outside"),
    [
        ("双 4090 工作站放办公室，1300W 金牌够吗，空调要多大", False),
        ("想做个法律问答大模型，预算5万买什么显卡", False),
        ("which gpu for a weather forecasting model, training from scratch?", False),
        ("4060 办公够用吗", True),
        ("今天天气怎么样", True),
        ("what will the weather be like in Paris", True),
        ("what is the capital of Australia", True),
    ],
)
def test_a_place_or_a_field_is_no_other_topic(text: str, outside: bool) -> None:
    assert understand(text).out_of_scope is outside


@pytest.mark.parametrize("text", ["will it fit?", "这样能跑吗", "放得下吗"])
def test_a_question_without_a_subject_is_asked_back(text: str) -> None:
    assert not understand(text).out_of_scope


def test_a_card_named_twice_in_a_sum_is_two() -> None:
    assert [card.count for card in understand("a 70B exl2 4bpw on 3090+3090 dies after 6k tokens").need.gpus_owned] == [
        2
    ]


def test_machines_of_several_cards_are_counted_in_a_follow_up() -> None:
    first = understand("deepseek v3 本地部署")
    assert [card.count for card in understand("只有 3 台 8 卡 4090", first.need).need.gpus_owned] == [24]


def test_money_in_hand_is_a_budget_and_data_in_hand_is_not() -> None:
    budget = understand("手上 2 万出头，想 7B 全参微调，现实吗").need.budget
    assert budget is not None
    assert budget.amount == 20_000
    assert understand("手上 2 万条数据，7B lora 微调要多久").need.budget is None


def test_a_card_thought_of_does_not_become_the_askers() -> None:
    first = understand("my 3090 is too slow for flux")
    need = understand("what would a 5090 bring", first.need).need
    assert [card.gpu for card in need.gpus_owned] == ["rtx-3090-24gb"]
    assert need.gpus_asked == ("rtx-5090-32gb",)
