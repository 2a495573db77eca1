"""Cards hired for a time: the total of that time, of the nearest card where nobody lets the one asked about."""

import pytest

from assistant.ground.check import ground
from assistant.plan import particular
from tests.assistant.planning import talk, turn


@pytest.mark.parametrize(
    ("text", "hours", "cards"),
    [
        ("包年租 4 张 L40S", 8760, "4×L40S"),
        ("周租一张 4090", 168, "1×RTX 4090"),
        ("月租 8 卡 H100", 730, "8×H100"),
        ("rent 4 L40S for a year", 8760, "4×L40S"),
        ("we want to rent 8xH100 for 2 weeks", 336, "8×H100"),
        ("想租 2 张 4090 三个月", 2190, "2×RTX 4090"),
        ("按年租 8 卡 A100 和按小时租差多少", 8760, "8×A100"),
    ],
)
def test_the_total_of_the_time_comes_first(text: str, hours: int, cards: str) -> None:
    understanding, records, draft = turn(text)
    first = draft.answer.split("\n")[0]
    assert particular.shape(understanding) == "bill"
    assert understanding.need.term_s == pytest.approx(hours * 3600)
    assert cards in first
    assert "¥" in first or "$" in first
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def test_a_card_that_nobody_lets_is_priced_by_the_nearest_that_is_let() -> None:
    first = turn("包月租一台 8 卡 A800 多少钱")[2].answer.split("\n")[0]
    assert "没有读到 A800 SXM4 80GB 的租用报价" in first
    assert "8×A100 SXM4 80GB 共一个月" in first


def test_by_the_year_is_the_price_of_a_year_and_against_the_hour_each_is_told() -> None:
    assert "spot" not in turn("包年租 4 张 L40S")[2].answer.split("\n")[0].lower()
    first = turn("按年租 8 卡 A100 和按小时租差多少")[2].answer.split("\n")[0]
    assert "按需" in first
    assert "包一年" in first


def test_another_time_later_is_another_total() -> None:
    understanding, _, _ = talk("月租 8 卡 H100", "包年呢")
    assert understanding.need.term_s == pytest.approx(8760 * 3600)


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("four servers with 8 H20 each vs two servers with 8 H200 each for DeepSeek-R1", {32, 16}),
        ("4 台 8 卡 H20 和 2 台 8 卡 H200 跑 DeepSeek-R1 哪个好", {32, 16}),
        ("2x 8xA100 80GB or 1x 8xH100 for fine-tuning 70B?", {16, 8}),
        ("8 卡 H100 机器三台能跑 Kimi K2 吗", {24}),
        ("8卡H20服务器四台，训练 Qwen2.5-72B 要多久，数据 1B tokens", {32}),
        ("4 台 8 卡 H20 能跑 DeepSeek-R1 吗", {32}),
        ("3 nodes with 8×H200 each, can I serve DeepSeek-R1 for 500 users?", {24}),
        ("2x DGX H100 for Llama 3.1 405B, does it fit?", {16}),
    ],
)
def test_all_cards_of_all_machines_count(text: str, counts: set[int]) -> None:
    need = turn(text)[0].need
    assert {card.count for card in (*need.gpus_owned, *need.gpus_proposed)} == counts


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("got a 4070 12GB, thinking of adding a 3060 12GB to run 32B models", ["rtx-4070-12gb", "rtx-3060-12gb"]),
        (
            "I have a 4090 24GB and I'm considering adding a used 3090 for Llama 70B Q4",
            ["rtx-4090-24gb", "rtx-3090-24gb"],
        ),
        ("have a 5070 Ti, want to add a 4060 Ti 16GB for 32B", ["rtx-5070-ti-16gb", "rtx-4060-ti-16gb"]),
    ],
)
def test_a_card_to_be_added_counts_with_the_one_in_hand(text: str, cards: list[str]) -> None:
    understanding, _, draft = turn(text)
    assert [card.gpu for card in understanding.need.gpus_owned] == cards
    assert "dealt out by llama.cpp" in draft.answer.split("\n")[0]
