"""A figure is held to the way, length and load that it is told of; and what was worked out from others holds."""

import pytest

from tests.assistant.grounding.results import CARDS, found, looked_up


def _way(title: str, length: int, load: int, needed: str, pace: str, total: str) -> dict[str, object]:
    return {
        "title": title, "context_tokens": length, "concurrent_sequences": load,
        "memory": {"needed_per_gpu": needed, "high_per_gpu": "19.3 GiB", "usable_per_gpu": "23.6 GiB"},
        "limits": {"max_context_tokens": 27136, "max_concurrent_sequences": 7},
        "speed": {"tokens_per_s_per_user": f"{pace} tokens/s (21–44)", "tokens_per_s_total": f"{total} tokens/s"},
    }  # fmt: skip


SHORT = looked_up("R1", "find_ways_to_run", {"ways": [
    _way("AWQ in vLLM on 2 × GeForce RTX 3090, TP 2", 8192, 1, "15.2 GiB", "33.4", "33.4"),
    _way("Q4_K_M in llama.cpp on 2 × GeForce RTX 3090", 8192, 1, "16.9 GiB", "26.1", "26.1"),
]})  # fmt: skip
LONG = looked_up("R2", "find_ways_to_run", {"ways": [
    _way("AWQ in vLLM on 2 × GeForce RTX 3090, TP 2", 16384, 4, "17.8 GiB", "28.3", "113"),
]})  # fmt: skip
POWER = looked_up("R3", "cost", {
    "wall_max": "889 W", "idle": "104 W", "supply": {"rated": "1,200 W"}, "circuits": [{"continuous": "1,440 W"}],
    "monthly_cost": "$58.40/month",
})  # fmt: skip
AUDIO = looked_up("R4", "find_ways_to_run", {"speed": {"audio_s_per_s": "32.6 s of audio/s"}})
SUM = looked_up(
    "R5", "work_out", {"value": "$1,649", "steps": "$2.29/h * 720 h + 0 * 1 h of something written = $1,649"}
)
HELD = (SHORT, LONG, CARDS, POWER, AUDIO, SUM)


@pytest.mark.parametrize(
    ("text", "loose"),
    [
        pytest.param("AWQ needs 16.9 GiB a card.", "16.9 GiB", id="another-format"),
        pytest.param("Q4_K_M 每卡需要 15.2 GiB。", "15.2 GiB", id="another-format-zh"),
        pytest.param("| way | speed |\n|---|---|\n| llama.cpp | 33.4 tokens/s |", "33.4 tokens/s", id="another-engine"),
        pytest.param("| # | way | need |\n|---|---|---|\n| 1 | AWQ | 16.9 GiB |", "16.9 GiB", id="format-in-its-row"),
        pytest.param("At 8k it needs 17.8 GiB a card.", "17.8 GiB", id="another-length"),
        pytest.param("With 4 users it needs 15.2 GiB.", "15.2 GiB", id="another-load"),
        pytest.param("AWQ makes 113 tokens/s.", "113 tokens/s", id="total-unsaid"),
        pytest.param("It makes 44 tokens/s.", "44 tokens/s", id="end-of-an-interval"),
        pytest.param("It needs 19.3 GiB.", "19.3 GiB", id="upper-end-as-need"),
        pytest.param("Each prompt has 27,136 tokens.", "27,136", id="limit-as-length"),
        pytest.param("| way | longest context |\n|---|---|\n| AWQ | 8,192 |", "8,192", id="length-as-limit"),
        pytest.param("A prompt of 1,440 tokens.", "1,440", id="no-number-of-tokens"),
        pytest.param("Idle it draws 889 W.", "889 W", id="peak-as-idle"),
        pytest.param("The power supply is 1,440 W.", "1,440 W", id="circuit-as-supply"),
        pytest.param("It runs 6 layers on the CPU.", "6", id="a-small-number-of-layers"),
    ],
)  # fmt: skip
def test_what_is_told_of_another_is_named(text: str, loose: str) -> None:
    assert loose in found(text, *HELD)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("AWQ needs 15.2 GiB a card, Q4_K_M in llama.cpp 16.9 GiB.", id="each-of-its-own"),
        pytest.param("8k 时 15.2 GiB，16k 时 17.8 GiB。", id="each-of-its-length"),
        pytest.param("With 4 users AWQ makes 113 tokens/s, 28.3 tokens/s for each.", id="total-of-several"),
        pytest.param("It makes 33.4 tokens/s (21–44), at worst 21 tokens/s.", id="ends-as-such"),
        pytest.param("It reaches 27,136 tokens, up to 7 requests.", id="limits-as-such"),
        pytest.param("RTX 3090 对 RTX 4060 Ti 16GB：936 对 288 GB/s。", id="unit-on-the-second-zh"),
        pytest.param("AWQ against Q4_K_M: 33.4 vs 26.1 tokens/s.", id="unit-on-the-second"),
        pytest.param("It needs 15.2–19.3 GiB.", id="unit-behind-the-range"),
        pytest.param("33.4 tokens/s against 26.1 tokens/s is 1.3 times as fast.", id="ratio-in-two-digits"),
        pytest.param("17.8 GiB at 16k against 15.2 GiB at 8k: 2.6 GiB more.", id="difference"),
        pytest.param("16k 需 17.8 GiB，8k 需 15.2 GiB，多出 2.6 GiB。", id="difference-zh"),
        pytest.param("It transcribes 32.6 times real time.", id="time-by-time"),
        pytest.param("Your link moves 150 MB/s.", id="the-persons-bandwidth"),
    ],
)  # fmt: skip
def test_what_holds_or_was_worked_out_is_left_alone(text: str) -> None:
    assert found(text, *HELD, words=("my link does 150M/s",)) == []


def test_a_calculation_is_told_as_what_it_comes_to_where_a_unit_is_asked() -> None:
    assert found("That is {{R5.steps|USD}}.", *HELD) == []
