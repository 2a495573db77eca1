"""Numbers of names, settings, rails and fields that were taken for figures; beside each a swap, which is found."""

import pytest

from tests.assistant.grounding.results import found, looked_up

WAY = looked_up(
    "R1", "find_ways_to_run",
    {
        "answer": {"verdict": "fits", "model": "Qwen/Qwen3-30B-A3B"},
        "ways": [
            {
                "title": "Q6_K in llama.cpp on 1 × GeForce RTX 3090", "context_tokens": 16384,
                "memory": {"needed_per_gpu": "21.7 GiB", "host": "37.2 GiB"},
                "speed": {"tokens_per_s_per_user": "61.3 tokens/s (47.2–79.9)"},
                "flags": "--gpu-memory-utilization 0.94 --max-num-seqs 48",
            }
        ],
    },
    model="Qwen3-30B-A3B", cards="1x 3090",
)  # fmt: skip
BIG = looked_up(
    "R2", "find_ways_to_run",
    {"ways": [{"title": "Q4_K_M on 1 × Apple M3 Ultra 256GB", "speed": {"tokens_per_s_per_user": "33.4 tokens/s"}}]},
    model="Qwen3.5-122B-A10B", cards="M3 Ultra 256GB",
)  # fmt: skip
DRAW = looked_up("R3", "cost", {"power": {"ten_ms": "1,310 W", "wall_max": "870 W"}}, cards="2x 3090")
WORDS = ("I have a 5090D 24G in a box, the log asks for 730GiB, and I get ~18-19 t/s; before 50 and 45 t/s.",)
HELD = (WAY, BIG, DRAW)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Qwen3.5-122B-A10B makes 33.4 tokens/s.", id="parameters-at-work"),
        pytest.param("Set the utilisation to 0.94 there.", id="setting-with-a-point"),
        pytest.param("Your 5090D is the one with 24G.", id="name-without-its-memory"),
        pytest.param("Why 730? Your 18–19 lies below.", id="without-the-unit"),
        pytest.param("It may draw 1,310 W at its peak for 10 ms.", id="time-in-a-field"),
        pytest.param(
            "(1/19 − 1/50) / 4 = 8.16 ms a step, (1/18 − 1/45) / 2 = 16.7 ms a step.", id="second-of-two-sums"
        ),
        pytest.param("Use one 12 V rail; 两根 12V 供电。", id="rail"),
        pytest.param("| | RAM for weights |\n|---|---|\n| Q6_K | 37.2 GiB |", id="host-memory-of-weights"),
    ],
)
def test_what_holds_is_left_alone(text: str) -> None:
    assert found(text, *HELD, words=WORDS) == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        pytest.param("An A10 makes 33.4 tokens/s.", "33.4 tokens/s", id="a-card"),
        pytest.param("Set the utilisation to 0.87 there.", "0.87", id="other-setting"),
        pytest.param("Buy a 5080 instead.", "5080", id="other-name"),
        pytest.param("Why 760?", "760", id="other-number"),
        pytest.param("It may draw 1,310 W at its peak for 30 ms.", "30 ms", id="other-time"),
        pytest.param("(1/19 − 1/50) / 4 = 8.16 ms, (1/18 − 1/45) / 2 = 18.7 ms.", "18.7 ms", id="second-is-wrong"),
        pytest.param("It stands 12 W under the limit.", "12 W", id="no-rail"),
        pytest.param("| | weights |\n|---|---|\n| Q6_K | 37.2 GiB |", "37.2 GiB", id="weights-alone"),
    ],
)
def test_swaps_of_the_same_shape_are_found(text: str, wrong: str) -> None:
    assert wrong in found(text, *HELD, words=WORDS)
