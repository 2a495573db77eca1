"""Ways of saying that were held against a thing that stands beside what is spoken of; and swaps of the same shape."""

import pytest

from tests.assistant.grounding.results import CARDS, found, looked_up

EIGHT = looked_up(
    "R3", "find_ways_to_run",
    {
        "answer": {"verdict": "fits", "model": "Qwen/Qwen3-32B", "weight_format": "q8_0"},
        "ways": [
            {
                "title": "Q8_0 in llama.cpp on 1 × NVIDIA DGX Spark (GB10)", "context_tokens": 16384,
                "concurrent_sequences": 5,
                "memory": {"needed_per_gpu": "43.6 GiB", "usable_per_gpu": "119.7 GiB", "cache_per_gpu": "7.9 GiB",
                           "weights_per_gpu": "33.8 GiB"},
                "speed": {"tokens_per_s_per_user": "13–21 tokens/s", "tokens_per_s_total": "64–110 tokens/s"},
            }
        ],
    },
    model="Qwen3-32B", cards="DGX Spark", input_tokens="9000", context_tokens="16k",
)  # fmt: skip
FOUR = looked_up(
    "R4", "find_ways_to_run",
    {
        "answer": {"verdict": "fits", "model": "Qwen/Qwen3-32B", "weight_format": "q4_k_m"},
        "ways": [
            {
                "title": "Q4_K_M in llama.cpp on 1 × AMD Ryzen AI Max+ 395", "context_tokens": 8192,
                "memory": {"needed_per_gpu": "21.2 GiB", "usable_per_gpu": "96.0 GiB", "host": "609.4 GiB"},
            }
        ],
    },
    model="Qwen3-32B", cards="Ryzen AI Max+ 395",
)  # fmt: skip
SPEC = looked_up(
    "R5", "look_up",
    {
        "found": [
            {"name": "NVIDIA DGX Spark (GB10)", "bandwidth": "273 GB/s", "price_usd": "$3,999"},
            {"name": "AMD Ryzen AI Max+ 395", "bandwidth": "256 GB/s", "price_usd": "$2,459"},
        ]
    },
    kind="spec", names=["DGX Spark", "AI Max+ 395"],
)  # fmt: skip
MOBILE = looked_up(
    "R6", "explain", {"answer": {"expected": "2–3.6 min", "seen": "6.67 min"}},
    model="FLUX.1-dev", cards="RTX 4060 Laptop",
)  # fmt: skip
STATES = looked_up(
    "R7", "find_ways_to_train",
    {
        "textbook": {"rule": "16 B × 72.7B (weights 2, gradients 2, AdamW 12) = 1,163 GB of states"},
        "price": {"run_cost": "$22.54 ($15.03–$39.41)", "median_hourly_cost": "$1.39/h"},
        "limits": {"upgrade_cost": "¥31,030"},
    },
    model="Qwen2.5-72B",
)  # fmt: skip
HELD = (CARDS, EIGHT, FOUR, SPEC, MOBILE, STATES)
WORDS = ("prompts of 9,000 tokens; laptop 4060, 400+ s; 预算三千整机; my 2080 Ti pair and a 395",)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Q8_0 比 Q4_K_M 还大:43.6 GiB。", id="compared-with"),
        pytest.param("Q4_K_M is smaller than Q8_0: it needs 21.2 GiB.", id="than"),
        pytest.param("Q4_K_M needs 21.2 GiB, less than the Q8_0 weights' 33.8 GiB.", id="of-the-compared"),
        pytest.param("About 43.6 GiB of 119.7 usable.", id="unit-before"),
        pytest.param("A 16-bit cache (7.9 GiB) and you need 43.6 GiB.", id="bracket-of-what-is-before"),
        pytest.param("The model itself takes 33.8 GiB.", id="weights-in-words"),
        pytest.param("5 路 16k 时每路 13–21 tokens/s。", id="length-of-each"),
        pytest.param("With a prompt of 9,000 tokens each gets 13–21 tokens/s.", id="length-as-asked"),
        pytest.param("Five users get 13–21 tokens/s each.", id="load-in-words"),
        pytest.param("满载约 64–110 tokens/s。", id="full-load"),
        pytest.param("395 带宽 256 GB/s,Spark 273 GB/s。", id="parts-of-names"),
        pytest.param("A laptop 4060 takes 2–3.6 minutes, not 400+ s.", id="laptop-before"),
        pytest.param("It also runs on your 2080 Tis; GeForce 50 cards have no NVLink.", id="several-and-series"),
        pytest.param("主机内存约 610 GiB。", id="two-digits"),
        pytest.param("It is $15–39 at the provider's $1.39/h.", id="range-before-a-sign"),
        pytest.param("三千块不够,要多花三万元以上。", id="numerals-and-bounds"),
        pytest.param("72.7B × 16 字节(权重 2 + 梯度 2 + AdamW 12)= 1,163 GB。", id="note-in-a-sum"),
        pytest.param("Please send the launch command and the last 30 log lines.", id="request"),
        pytest.param("The RTX 4090 rises only from 936 GB/s to 1,008 GB/s.", id="change"),
    ],
)
def test_what_holds_is_left_alone(text: str) -> None:
    assert found(text, *HELD, words=WORDS) == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        pytest.param("Q8_0 比 Q4_K_M 还大:21.2 GiB。", "21.2 GiB", id="compared-with"),
        pytest.param("Q4_K_M is smaller than Q8_0: it needs 43.6 GiB.", "43.6 GiB", id="than"),
        pytest.param("About 43.6 GiB of 139.7 usable.", "139.7", id="unit-before"),
        pytest.param("The cache (33.8 GiB) is large.", "33.8 GiB", id="bracket-of-what-is-before"),
        pytest.param("支持 16k 路。", "16k", id="length-as-a-load"),
        pytest.param("With a prompt of 90,000 tokens each gets 13–21 tokens/s.", "90,000", id="length"),
        pytest.param("395 带宽 273 GB/s。", "273 GB/s", id="part-of-a-name"),
        pytest.param("Spark 售价 $2,459。", "$2,459", id="word-of-a-name"),
        pytest.param("A desktop RTX 4060 Ti takes 3.6 minutes.", "3.6 minutes", id="no-laptop"),
        pytest.param("主机内存约 640 GiB。", "640 GiB", id="two-digits"),
        pytest.param("要多花四万元以上。", "四万元", id="bound"),
        pytest.param("72.7B × 16 字节(权重 2 + 梯度 2 + AdamW 12)= 1,563 GB。", "1,563 GB", id="note-in-a-sum"),
        pytest.param("I saw 395 tokens/s.", "395 tokens/s", id="number-that-counts"),
    ],
)
def test_swaps_of_the_same_shape_are_found(text: str, wrong: str) -> None:
    assert wrong in found(text, *HELD, words=WORDS)


def test_a_marked_block_frees_no_price_speed_or_specification_of_a_product() -> None:
    block = "## Buying [own]\n\n- The RTX 4090 costs $1,111.\n- The RTX 3090 reads 777 GB/s.\n- It makes 61 tokens/s.\n"
    assert {"$1,111", "777 GB/s"} <= set(found(block, CARDS))
    assert found("## Steps [own]\n\n- Wait 40 minutes.\n- Try a chunk of 37.\n", CARDS) == []
