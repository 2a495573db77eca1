"""Figures that are said in another order, as powers of ten, in bytes, behind a stroke or of two things at once."""

from typing import Any

import pytest

from assistant.grounding.check import checked
from assistant.grounding.standing.evidence import Evidence
from tools.agent_tools.ledger import LookedUp


def held(shown: dict[str, Any], *words: str) -> Evidence:
    one = LookedUp(key="R1", tool="find_ways_to_run", request={}, shown=shown)
    return Evidence.of((one,), words, ())


def loose(answer: str, shown: dict[str, Any], *words: str) -> list[str]:
    return [one.text for one in checked(answer, held(shown, *words)).findings]


WAY = {
    "ways": [
        {
            "memory": {"needed_per_gpu": "20.1 GiB", "cache_per_gpu": "549.0 MiB", "host": "341.6 GiB"},
            "speed": {"tokens_per_s_per_user": "43.9 tokens/s (35.1–54.8)"},
        }
    ]
}


@pytest.mark.parametrize(
    "answer",
    [
        "每秒约 43.9 tokens(35.1–54.8)。",
        "主机内存仍需 341.6 GiB。",
        "缓存在卡上只占 549.0 MiB。",
        "The host still needs 341.6 GiB of RAM.",
    ],
)
def test_what_two_words_of_a_clause_tell_is_held_by_either(answer: str) -> None:
    assert loose(answer, WAY) == []


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [("每秒约 53.9 tokens。", "53.9"), ("主机内存仍需 361.6 GiB。", "361.6 GiB"), ("显存需 341.6 GiB。", "341.6 GiB")],
)
def test_another_figure_there_is_loose(answer: str, wrong: str) -> None:
    assert loose(answer, WAY) == [wrong]


@pytest.mark.parametrize(
    "answer",
    [
        "One such matrix: 16 heads × 16384 × 16384 × 4 B = 16 GiB.",
        "状态一共 70.6e9 × 16 字节 / 8 = 132 GiB。",
    ],
)
def test_sums_over_bytes_and_powers_of_ten_are_reckoned(answer: str) -> None:
    asked = "16 heads, 16384 tokens, 70.6e9 parameters, 16 bytes each"
    assert loose(answer, {"value": "1 GiB"}, asked) == []
    assert loose(answer.replace("16 GiB", "61 GiB").replace("132 GiB", "213 GiB"), {"value": "1 GiB"}, asked) != []


def test_both_figures_about_a_stroke_are_the_persons() -> None:
    assert loose("Your limit of 450 W is far off: it draws 72 W.", {"value": "1 GiB"}, "GPU0 72W/450W 3%") == []
    assert loose("Your limit is 550 W.", {"value": "1 GiB"}, "GPU0 72W/450W 3%") == ["550 W"]


@pytest.mark.parametrize(
    "answer",
    [
        "A day costs 24 h × $0.5260/h = $12.62.",
        "每天 24 小时 × $0.5260/小时 = $12.62。",
        "730 h × $0.5260/h = $383.98.",
    ],
)
def test_a_rent_becomes_an_amount_by_a_whole_time(answer: str) -> None:
    rent = {"rent": [{"hourly_cost": "$0.5260/h"}]}
    assert loose(answer, rent) == []
    assert loose(answer.replace("$12.62", "$14.62").replace("$383.98", "$399.98"), rent) != []
