"""A number behind a card's name is that card's, and a server's name means all of its cards."""

import pytest

from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("V100 32G 比 T4 两张 哪个好", {"v100-sxm2-32gb": None, "t4-16gb": 2}),
        ("V100 32G 跟 T4 两张比哪个好", {"v100-sxm2-32gb": None, "t4-16gb": 2}),
        ("T4 四张 vs V100 32G 两张", {"t4-16gb": 4, "v100-sxm2-32gb": 2}),
        ("P40 比 3060 两张", {"p40-24gb": None, "rtx-3060-12gb": 2}),
        ("A100 40G 一张还是 3090 四张，跑 70B", {"a100-sxm-40gb": 1, "rtx-3090-24gb": 4}),
    ],
)
def test_a_number_behind_a_name_is_of_that_card(text: str, cards: dict[str, int | None]) -> None:
    need = turn(text)[0].need
    said = {one.gpu: one.count for one in need.gpus_proposed}
    assert {name: said.get(name) for name in need.gpus_asked} == cards


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("一台 Atlas 800 A3 能跑 DeepSeek-R1 吗", 8),
        ("两台 Atlas 800I A3 跑 DeepSeek-V3 BF16 够吗", 16),
        ("One Atlas 800T A3 server: can it serve DeepSeek R1?", 8),
        ("910C 一张能跑 Qwen3-32B 吗", 1),
    ],
)
def test_a_server_of_npus_means_all_of_them(text: str, count: int) -> None:
    (owned,) = turn(text)[0].need.gpus_owned
    assert (owned.gpu, owned.count) == ("ascend-910c-128gb", count)
