"""Sums of one currency and with terms as people write them, names with digits, and what may be one's own knowledge."""

import pytest

from assistant.grounding.references import rendered
from tests.assistant.grounding.results import CARDS, RUN, found, looked_up
from tools.agent_tools.ledger import Ledger

PAIR = looked_up(
    "R3", "find_ways_to_run",
    {
        "answer": {"model": "Qwen/Qwen3-32B", "cards": "2 × GeForce RTX 3090"},
        "ways": [
            {
                "title": "AWQ in vLLM on 2 × GeForce RTX 3090", "context_tokens": 16384, "concurrent_sequences": 4,
                "memory": {
                    "needed_per_gpu": "17.1 GiB", "usable_per_gpu": "23.6 GiB", "weights_per_gpu": "9.3 GiB",
                    "cache_per_gpu": "4.6 GiB", "buffers_per_gpu": "1.9 GiB", "framework_per_gpu": "1.3 GiB",
                },
                "limits": {"max_context_tokens": 35072, "max_concurrent_sequences": 13},
            },
            {
                "title": "Q4_K_M in llama.cpp on the processor", "context_tokens": 16384, "concurrent_sequences": 1,
                "memory": {"host": "21.7 GiB"}, "speed": {"tokens_per_s_per_user": "1.3 tokens/s (0.9–2.2)"},
            },
        ],
    },
    model="Qwen3-32B", cards="2x 3090",
)  # fmt: skip
POWER = looked_up(
    "R4", "cost",
    {
        "sustained": "912 W (803–1,064)", "circuits": [{"name": "NEMA 5-15, 120 V", "continuous": "1,440 W"}],
        "own": {"parts": [
            {"name": "energy", "monthly_cost": "$61.20/month"}, {"name": "maintenance", "monthly_cost": "$9.10/month"},
        ]},
        "kwh_per_month": "204", "rate": "1 USD = 6.8 CNY (2026-10-02)",
    },
    cards="2x 3090",
)  # fmt: skip
LEFT = looked_up(
    "R5", "work_out", {"value": "7.8 GiB", "steps": "17.1 GiB - 9.3 GiB = 7.8 GiB"},
    expression="n - w",
    values={"n": "R3.ways[0].memory.needed_per_gpu", "w": "R3.ways[0].memory.weights_per_gpu"},
)  # fmt: skip
FILES = looked_up(
    "R6", "look_up", {"models": [{"checkpoint_bytes": {"fp8": 688586727753}, "ratio": "3,897"}]}, kind="model"
)
WORDS = ("两张 3090，租过 52 h，每小时 ¥6；首 token 要在 2 s 以内，12 个人用，预算三万五。230b a10b 呢？",)
HELD = (RUN, CARDS, PAIR, POWER, LEFT, FILES)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("租金 52 h × ¥6 = ¥312。", id="one-currency"),
        pytest.param("Two come to $1,207 × 6.8 = ¥8,208 at that rate.", id="at-a-rate-of-exchange"),
        pytest.param("The RTX 4090 costs $2,977 − $1,207 = $1,770 more than the RTX 3090.", id="of-two-cards"),
        pytest.param("9.3 GiB (the weights) + 4.6 GiB (cache for 4 × 16k) + 3.2 GiB = 17.1 GiB.", id="notes-on-terms"),
        pytest.param("912 W (803–1,064 W) + 100 W = 1,012 W with the screen. [own]", id="interval-on-a-term"),
        pytest.param("权重 9.3 + 缓存 4.6 + buffers and framework 3.2 = 17.1 GiB。", id="term-of-two-parts"),
        pytest.param("9.3 GiB weights + 4.6 GiB cache = 13.9 GiB, plus 3.2 GiB = 17.1 GiB.", id="sign-in-words"),
        pytest.param("With the rest as r: 9.3 + r + 4.6 = 17.1 GiB.", id="unknown-in-a-sum"),
        pytest.param("(17.1 − 9.3) GiB ÷ 936 GB/s ≈ 8.9 ms.", id="unit-behind-the-bracket"),
        pytest.param("At the outlet it draws 912 W (803–1,064).", id="place-of-measuring"),
        pytest.param("4 路 16k 放得下，最多 13 路 16k。", id="two-loads"),
        pytest.param("Only 10B are at work for a token.", id="active-parameters"),
        pytest.param("预算三万五够了。", id="numeral-without-a-unit"),
        pytest.param("It takes 204 kWh a month.", id="unit-of-the-field"),
        pytest.param("| Run | RAM |\n|---|---|\n| without a card | 21.7 GiB, 1.3 tokens/s (0.9–2.2) |", id="processor"),
        pytest.param("Use a 12V-2x6 plug, Above 4G Decoding and a 120 V, 20 A circuit for GPU0-1. [own]", id="names"),
        pytest.param("Send the version, the driver, and the last 30 lines.", id="last-of-a-list"),
        pytest.param("NVMe reads some 7 GB/s; get 192 GB of RAM and set the port to 11434. [own]", id="known-by-heart"),
    ],
)
def test_what_holds_is_left_alone(text: str) -> None:
    assert found(text, *HELD, words=WORDS) == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        pytest.param("租金 52 h × ¥6 = $312。", "$312", id="two-currencies"),
        pytest.param("It costs $2,977 − ¥1,207 = $1,770 more.", "$1,770", id="difference-of-two-currencies"),
        pytest.param("Two come to $1,207 × 6.8 = €8,208.", "€8,208", id="rate-of-another-currency"),
        pytest.param("9.3 GiB (the weights) + 4.6 GiB (cache for 4 × 16k) + 3.2 GiB = 19.1 GiB.", "19.1 GiB", id="sum"),
        pytest.param("8 × 2,253 × 152,064 × 4 bytes = 9.97 GB.", "2,253", id="factor-of-an-exact-sum"),
        pytest.param("You want the first token within 2 ms.", "2 ms", id="own-limit-in-another-unit"),
        pytest.param("预算四万五够了。", "四万五", id="numeral-without-a-unit"),
        pytest.param("Energy is $9.10 a month.", "$9.10", id="part-of-a-bill"),
        pytest.param("Its cache takes 17.1 GiB.", "17.1 GiB", id="term-of-a-calculation"),
        pytest.param("16 路 8k 时 **14 个并发请求**。", "14", id="measure-word"),
        pytest.param("The RTX 4090 reads about 1.3 TB/s. [own]", "1.3 TB/s", id="own-rate-of-a-card"),
        pytest.param("The cache takes about 6 GiB more. [own]", "6 GiB", id="own-part-of-memory"),
        pytest.param("这张卡的带宽约 700 GB/s。[own]", "700 GB/s", id="own-rate-of-the-card"),
        pytest.param("It runs for 3.72 days. [own]", "3.72 days", id="own-and-too-exact"),
    ],
)
def test_swaps_of_the_same_shape_are_found(text: str, wrong: str) -> None:
    assert wrong in found(text, *HELD, words=WORDS)


def test_bytes_of_a_field_are_told_in_a_unit() -> None:
    said = rendered("{{R6.models[0].checkpoint_bytes.fp8|GB}}", Ledger(HELD)).text
    assert said == "689 GB"
    assert found(f"The files have {said}.", *HELD) == []


def test_key_of_a_result_in_a_call_names_no_model() -> None:
    assert found("Beside its weights it needs 7.8 GiB on each RTX 3090.", *HELD) == []
