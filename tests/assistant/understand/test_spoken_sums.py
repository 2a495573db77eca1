"""Sums as people say them are read as what they come to, and vague ones are said to be."""

import pytest

from assistant.understand import understand
from assistant.understand.spoken_sums import vague
from tests.assistant.planning import talk, turn


@pytest.mark.parametrize(
    ("text", "amount", "period"),
    [
        ("预算2万1年，跑 Qwen2.5-32B 租什么卡", 20_000, "year"),
        ("预算3万1个月 租卡跑 72B", 30_000, "month"),
        ("预算十来万，跑 DeepSeek-R1 蒸馏 70B", 100_000, None),
        ("十几万能搞一台什么样的AI服务器", 150_000, None),
        ("预算二十多万部署 72B", 200_000, None),
        ("一百多万预算买 8 卡 H20 够吗", 1_000_000, None),
        ("预算小几万跑 32B", 30_000, None),
        ("预算大几千，想本地跑 14B", 8_000, None),
        ("想花几千块搞个跑 14B 的卡", 3_000, None),
        ("老板给了几十万买服务器跑 DeepSeek-R1", 300_000, None),
        ("千把块能买什么卡跑 8B", 1_000, None),
        ("预算 10 个 w 部署 72B", 100_000, None),
        ("预算不到两万，本地跑 32B", 20_000, None),
        ("一万二能不能配一台跑 32B 的主机", 12_000, None),
        ("$500 a month for always-on 70B inference, possible?", 500, "month"),
        ("预算 8-10 万配一台跑 72B 的机器", 100_000, None),
        ("预算一万五到两万 跑 32B", 20_000, None),
        ("预算三五万，跑 Qwen2.5-72B", 50_000, None),
        ("五毛一小时能租到什么卡跑 8B", 0.5, "hour"),
        ("a couple grand for a machine to run 32B models, what do I buy?", 2_000, None),
        ("a few thousand dollars, want to run 70B", 3_000, None),
        ("I've got five thousand euros for a workstation to fine-tune 8B", 5_000, None),
        ("have about two grand to spend on a GPU for LLMs", 2_000, None),
        ("around 15k EUR for a machine to run Llama 3.3 70B", 15_000, None),
        ("we have half a million dollars for a DeepSeek-R1 cluster", 500_000, None),
        ("rent a GPU for less than 50 cents an hour for 8B model", 0.5, "hour"),
        ("GPU under $2/hr for Llama 3.1 8B?", 2.0, "hour"),
        ("around 3 to 4 grand for a home server for 70B", 4_000, None),
    ],
)
def test_a_sum_is_read_as_what_it_comes_to(text: str, amount: float, period: str | None) -> None:
    budget = understand(text).need.budget
    assert budget is not None
    assert (budget.amount, budget.period) == (amount, period)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("4090 两万一一张贵吗", "两万一一张"),
        ("5090 两万三一张值得吗", "两万三一张"),
        ("A100 40G 二手一万八一张 能买吗", "一万八一张"),
        ("3090 六千块一张值得买吗", "六千块"),
        ("should I buy a used 3090 for six hundred dollars", "six hundred dollars"),
        ("H20 服务器 8 卡 一百二十来万一台，贵吗", "一百二十来万一台"),
    ],
)
def test_the_price_of_one_is_judged_and_no_number_of_cards(text: str, words: str) -> None:
    understanding, _, draft = turn(text)
    assert words in draft.answer.split("\n")[0]
    assert all((card.count or 1) <= 8 for card in understanding.need.gpus_proposed)


def test_a_price_that_nothing_read_can_be_held_against_is_said_to_be_so() -> None:
    assert turn("两千块一张的 2080Ti 22G 值得买吗")[2].answer.startswith("**没有查到")


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("十几万 token 上下文 72B 需要多少显存", "context_tokens", 150_000),
        ("几千人用的客服 14B 要几张 4090", "users", 3_000),
    ],
)
def test_vague_numbers_of_other_things_are_read_alike(text: str, slot: str, value: int) -> None:
    assert getattr(understand(text).need, slot) == value


@pytest.mark.parametrize(
    "text",
    [
        "a few thousand documents to embed, T4 enough?",
        "A100 大概几万一张？",
        "买台跑 72B 的机器得几万？",
        "要几张 4090 跑 72B",
    ],
)
def test_what_is_no_money_to_spend_is_no_budget(text: str) -> None:
    assert understand(text).need.budget is None


def test_a_vague_sum_is_told_with_what_it_is_taken_for() -> None:
    assert "“十几万”按 ¥150,000 算" in turn("十几万能跑 72B 的机器有哪些")[2].answer
    assert "“a couple grand” is read as $2,000" in turn("a couple grand for a machine to run 32B models")[2].answer
    assert vague("预算 2 万") == ""


def test_a_sum_said_later_takes_the_place_of_the_first() -> None:
    understanding, _, _ = talk("预算20万左右 10 人用 72B", "加到三十来万呢")
    assert understanding.need.budget is not None
    assert understanding.need.budget.amount == 300_000


@pytest.mark.parametrize(
    ("first", "then", "amount"),
    [
        ("预算 2 万跑 32B", "再加一万呢", 30_000),
        ("5070 Ti 还是二手 3090 跑 32B，预算 6000", "那再加两千呢", 8_000),
        ("budget $3000 for 32B at home", "with another $1,500?", 4_500),
        ("预算 2 万跑 32B", "再加两张卡呢", 20_000),
        ("预算 2 万跑 32B", "加到三万呢", 30_000),
    ],
)
def test_money_that_comes_on_top_is_added(first: str, then: str, amount: float) -> None:
    budget = talk(first, then)[0].need.budget
    assert budget is not None
    assert budget.amount == amount


@pytest.mark.parametrize(
    ("text", "tariff"), [("电费一块二一度，8 卡 4090 一个月电费多少", 1.2), ("电费八毛一度，2 张 4090 一年电费", 0.8)]
)
def test_a_price_of_electricity_in_words_is_read(text: str, tariff: float) -> None:
    assert understand(text).need.tariff_per_kwh == tariff


@pytest.mark.parametrize(
    ("text", "rent"),
    [
        ("买 8 卡 4090 服务器还是租 8 卡 A100，用一年", "8×A100"),
        ("rent 4 H100 or buy 8 4090s for one year", "4×H100"),
    ],
)
def test_as_many_cards_are_hired_as_were_said(text: str, rent: str) -> None:
    assert rent in turn(text)[2].answer


def test_one_name_in_two_sizes_is_two_cards() -> None:
    need = understand("H20 141G 版本和 96G 版本跑 R1 差多少").need
    assert set(need.gpus_asked) == {"h20-141gb", "h20-96gb"}
