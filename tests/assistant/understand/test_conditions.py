"""What every card has to meet: nothing second-hand, one market, error correction, a maker or none of it."""

import pytest

from assistant.understand import understand


@pytest.mark.parametrize(
    ("text", "conditions"),
    [
        ("实验室想部署个大模型给20来个学生用，主要写代码，推荐啥卡，不要二手", ["new"]),
        ("跑32B，只要消费级显卡，必须全新，推荐配置", ["new", "consumer"]),
        ("不要NVIDIA的卡，跑32B模型给10个人用，有什么选择", ["not_nvidia"]),
        ("32B 给 10 个人用，除了英伟达还有什么卡", ["not_nvidia"]),
        ("需要ECC显存的卡，部署70B INT8，两张卡以内", ["ecc"]),
        ("要数据中心级别的卡，不要游戏卡，跑 72B", ["professional"]),
        ("no NVIDIA please, what card for a 32B model?", ["not_nvidia"]),
        ("a card with ECC for a 70B in int8, nothing used? must have ECC, avoid second-hand", ["new", "ecc"]),
        ("70B 有必要上 ECC 吗", []),
        ("二手 3090 能跑 32B 吗", []),
        ("只用AMD的卡，跑gpt-oss-120b，怎么选", ["amd"]),
        ("不装 NVIDIA 驱动能跑 ollama 吗", []),
        ("不用英伟达驱动，用容器部署 7B", []),
    ],
)
def test_conditions_are_what_the_words_rule_out_or_insist_on(text: str, conditions: list[str]) -> None:
    assert list(understand(text).need.conditions) == conditions


def test_a_follow_up_adds_a_condition_and_an_opposite_replaces_one() -> None:
    first = understand("32B 给 20 个人用，推荐什么卡，不要二手").need
    second = understand("只要消费级的卡呢", first).need
    assert set(second.conditions) == {"new", "consumer"}
    assert set(understand("那不要消费级的卡了", second).need.conditions) == {"new", "professional"}


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("部署70B INT8，两张卡以内", 2),
        ("跑 32B，最多插 4 张卡", 4),
        ("at most two cards for a 70B", 2),
        ("4 张 3090 跑 70B", None),
    ],
)
def test_a_limit_on_cards_is_no_number_of_cards_in_hand(text: str, most: int | None) -> None:
    need = understand(text).need
    assert need.max_gpus == most
    assert need.gpu_count is None


@pytest.mark.parametrize(
    ("text", "users", "concurrent"),
    [
        ("现在大概100人用，以后可能到500人，部署 32B 要几张卡", 500, None),
        ("部署32B给50人用，明年翻倍，要几张卡", 100, None),
        ("32B，目前 20 并发，后期扩到 100 并发", None, 100),
        ("70B for 40 users now, doubling next year", 80, None),
        ("72B，30 个用户，规模以后涨到3倍", 90, None),
        ("部署 32B 给 50 人用，上下文翻倍行不行", 50, None),
    ],
)
def test_growth_that_is_spoken_of_counts(text: str, users: int | None, concurrent: int | None) -> None:
    need = understand(text).need
    assert (need.users, need.concurrent_sequences) == (users, concurrent)
