"""What holds is left alone however people say it: units said once, shares, money in words, two sides of a comparison.

Each way of saying stands beside swaps of the same shape, which are found.
"""

import pytest

from tests.assistant.grounding.results import CARDS, RUN, check, found, looked_up

TRAIN = looked_up(
    "R4", "find_ways_to_train",
    {
        "answer": {"verdict": "fits", "cards": "1 × GeForce RTX 4090"},
        "ways": [
            {
                "memory": {
                    "needed_per_gpu": "14.5 GiB", "high_per_gpu": "18.8 GiB", "usable_per_gpu": "23.5 GiB",
                    "parts": {
                        "weights": "2.1 GiB", "optimizer": "4.2 GiB", "gradients": "2.1 GiB", "activations": "2.9 GiB",
                        "logits": "1.1 GiB", "buffers": "665.7 MiB",
                    },
                    "host": "31.4 GiB",
                },
                "speed": {"model_flops_utilisation": "0.65", "time": "4.02 days (4.02–5.32)"},
            }
        ],
    },
    model="0.56B", cards="1x 4090",
)  # fmt: skip
HOURS = looked_up(
    "R5", "cost",
    {
        "hours_per_month": "60.8", "break_even": {"hours_per_month": "209 (52.4–611)", "busy": "28.7 %"},
        "energy": {"daily_cost": "$3.31/day"},
        "rent": [{"hourly_cost": "$2.04/h"}],
    },
)  # fmt: skip
STEP = looked_up("R6", "work_out", {"value": "13.9", "steps": "25.3 - 1000 / 87.99 = 13.9"}, unit="none")
DATED = looked_up("R7", "look_up", {"as_of": "2026-06"})
HELD = (RUN, CARDS, TRAIN, HOURS, STEP, DATED)
WORDS = ("I have at most 3000 Euros; batch 16, 8 users, 87.99 tok/s", "预算 8000 块，每天跑 6 小时")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Weights 2.1 + optimizer 4.2 + gradients 2.1 + the rest = 14.5 GiB.", id="unit-at-the-end"),
        pytest.param("权重 2.1 + 优化器 4.2 + 激活 2.9 + 缓冲 0.65 + 其余 ≈ 14.5 GiB。", id="unit-at-the-end-zh"),
        pytest.param("4.2 + 2.1 = 6.3 GiB for optimizer and gradients.", id="short-sum"),
        pytest.param("显存：14.5 GiB − 4.2 GiB = 10.3 GiB。", id="true-minus-zh"),
        pytest.param("4090 还多出 23.5 GiB − 14.5 GiB = 9.0 GiB。", id="figure-before-the-sum-zh"),
        pytest.param("That leaves 23.5 − 14.5 = 9.0 GiB.", id="true-minus"),
        pytest.param("训成 1 轮，4.02 days / 3 = 1.34 days。", id="divided-by-a-count"),
        pytest.param("4 × 24.0 = 96.0 GiB.", id="times-a-count"),
        pytest.param("In all 5.32 × $3.31 = $17.61.", id="days-times-a-daily-cost"),
        pytest.param("60.8 h × $2.04/h = $124.03 a month.", id="hours-times-a-rent"),
        pytest.param("A step costs 25.3 - 1000 / 87.99 = 13.9 ms more.", id="calculation-without-a-unit"),
        pytest.param("Weights 2.1 GiB + optimizer 4.2 GiB + 8.2 GiB for the rest = 14.5 GiB.", id="what-a-sum-leaves"),
        pytest.param("每卡权重 2.1 GiB、优化器 4.2 GiB，合计 14.5 GiB。", id="what-the-parts-of-a-card-come-to"),
        pytest.param("It takes 4.02 days (4.02–5.32).", id="interval-of-a-result"),
        pytest.param("还剩 23.5 GiB - 14.5 GiB = 9.0 GiB。", id="a-difference-is-no-range"),
        pytest.param("8 路同时、每路 32k。", id="a-number-that-is-shared-out"),
        pytest.param("配 fp8 缓存每卡约需 14.5 GiB。", id="what-goes-along-with-it"),
        pytest.param("It needs 14.5 GiB (up to 18.8), or 14.5–18.8 GiB.", id="upper-end-as-such"),
        pytest.param("Rents by the hour: $2.04 at most.", id="a-rent-whose-hour-stands-before"),
        pytest.param("| | $/h |\n|---|---|\n| rent | 2.04 |", id="a-rent-whose-hour-heads-the-column"),
        pytest.param("About 14 ms a token, read in June 2026.", id="calculation-rounded"),
        pytest.param("At a context of 32k with batch 16.", id="what-numbers-count"),
        pytest.param("A utilisation of 65 % leaves 23.5 GiB − 14.5 GiB = 9.0 GiB.", id="sum-behind-a-share"),
        pytest.param("It needs 14.5 GiB, and your RTX 3090 holds 24.0 GiB.", id="a-name-of-the-next-clause"),
        pytest.param("It assumes 65 % utilisation.", id="share-as-percent"),
        pytest.param("利用率按 65% 算。", id="share-as-percent-zh"),
        pytest.param("Busy at least 0.287 of the time.", id="percent-as-share"),
        pytest.param("Your €3,000 are enough.", id="euros-by-their-sign"),
        pytest.param("Within 3,000 euros it is the RTX 3090 at $1,207.", id="euros-in-words"),
        pytest.param("您的 ¥8,000 够了。", id="yuan-by-its-sign"),
        pytest.param("8000 元以内。", id="yuan"),
        pytest.param("八千块以内。", id="yuan-in-words"),
        pytest.param("Take a card of 16 or 24 GiB.", id="list-with-or"),
        pytest.param("选 16、24 GiB 的都行。", id="list-zh"),
        pytest.param("16 或 24 GiB 都行。", id="list-with-or-zh"),
        pytest.param("Cards here hold 16/24 GiB.", id="list-with-a-slash"),
        pytest.param("内存约需 31.4 GiB。", id="host-memory-needed-zh"),
        pytest.param("It needs 31.4 GiB of RAM.", id="ram"),
        pytest.param("Host memory needed: 31.4 GiB.", id="host-memory-needed"),
        pytest.param("Weights need 2.1 GiB.", id="a-part-needed"),
        pytest.param("Owning pays from 209 h a month (52.4–611 h).", id="hours-of-a-field"),
        pytest.param("每月 60.8 小时，209 小时起回本。", id="hours-of-a-field-zh"),
        pytest.param("About 209 (52.4–611) hours a month.", id="unit-behind-the-interval"),
        pytest.param(
            "The RTX 3090 draws 350 W, against 165 W and 288 GB/s on the RTX 4060 Ti 16GB.", id="two-sides"
        ),
        pytest.param("RTX 4090 有 1.01 TB/s，而 RTX 4060 Ti 16GB 只有 288 GB/s。", id="two-sides-zh"),
        pytest.param("At 450 W the RTX 4090 costs $2,977 versus $1,207 for the RTX 3090.", id="two-prices"),
        pytest.param("It runs at batch 2. Restart after 30 minutes. [own]", id="digit-before-a-full-stop"),
    ],
)  # fmt: skip
def test_what_holds_is_left_alone(text: str) -> None:
    assert found(text, *HELD, words=WORDS) == []


@pytest.mark.parametrize(
    ("text", "loose"),
    [
        pytest.param("Weights 3.1 + optimizer 4.2 + gradients 2.1 + the rest = 14.5 GiB.", "3.1", id="a-term"),
        pytest.param("权重 2.1 + 优化器 5.2 + 其余 ≈ 14.5 GiB。", "5.2", id="a-term-zh"),
        pytest.param("4.2 + 2.1 = 7.3 GiB.", "7.3 GiB", id="a-result"),
        pytest.param("4090 还多出 23.5 GiB − 14.5 GiB = 10.0 GiB。", "10.0 GiB", id="a-difference-zh"),
        pytest.param("60.8 h × $2.04/h = $424.03 a month.", "$424.03", id="a-bill"),
        pytest.param(
            "Weights 2.1 GiB + optimizer 4.2 GiB + 7.2 GiB for the rest = 14.5 GiB.", "7.2 GiB", id="what-no-sum-leaves"
        ),
        pytest.param("Weights 4.2 GiB + 2.1 GiB = 14.5 GiB.", "14.5 GiB", id="a-sum-that-comes-to-something-else"),
        pytest.param("A run of 209 h / (16 × 12) = 1.25 h.", "1.25 h", id="a-quotient-by-another-count"),
        pytest.param("It takes 4.02 days (4.02–60.8).", "4.02", id="end-of-another-interval"),
        pytest.param("It takes 5.32 days (4.02–4.02).", "4.02", id="outside-its-interval"),
        pytest.param("It takes 5.32–4.02 days.", "5.32", id="from-high-to-low"),
        pytest.param("Optimizer states take 2.9 GiB.", "2.9 GiB", id="another-part"),
        pytest.param("| | 优化器 |\n|---|---|\n| 每卡 | 2.9 GiB |", "2.9 GiB", id="another-parts-column"),
        pytest.param("Per month it costs $2.04.", "$2.04", id="a-rent-an-hour-for-a-sum"),
        pytest.param("A used RTX 3090 rents at $1,207/h.", "$1,207", id="a-price-for-a-rent"),
        pytest.param("It needs 18.8 GiB.", "18.8 GiB", id="the-upper-end-for-what-is-needed"),
        pytest.param("At rank 32k it fits.", "32k", id="a-length-for-a-rank"),
        pytest.param("| card | GiB |\n|---|---|\n| RTX 3090 | 16.0 |", "16.0", id="another-cards-memory-in-its-row"),
        pytest.param("Read in July 2026.", "July 2026", id="another-month"),
        pytest.param("It assumes 75 % utilisation.", "75 %", id="another-share"),
        pytest.param("It assumes 6.5 % utilisation.", "6.5 %", id="a-tenth-of-the-share"),
        pytest.param("Your $3,000 are enough.", "$3,000", id="another-currency"),
        pytest.param("您的 €8,000 够了。", "€8,000", id="another-currency-zh"),
        pytest.param("您的 $8,000 够了。", "$8,000", id="dollars-for-yuan-zh"),
        pytest.param("Take a card of 18 or 24 GiB.", "18", id="a-member-of-a-list"),
        pytest.param("选 18、24 GiB 的都行。", "18", id="a-member-of-a-list-zh"),
        pytest.param("Cards here hold 18/24 GiB.", "18", id="before-a-slash"),
        pytest.param("内存约需 14.5 GiB。", "14.5 GiB", id="the-cards-memory-for-the-hosts-zh"),
        pytest.param("It needs 14.5 GiB of RAM.", "14.5 GiB", id="the-cards-memory-for-the-hosts"),
        pytest.param("权重占 14.5 GiB。", "14.5 GiB", id="all-for-a-part-zh"),
        pytest.param("Owning pays from 309 h a month.", "309 h", id="other-hours"),
        pytest.param("每月 60.8 天。", "60.8 天", id="days-for-hours-zh"),
        pytest.param(
            "The RTX 3090 draws 350 W, against 165 W and 936 GB/s on the RTX 4060 Ti 16GB.", "936 GB/s",
            id="the-other-sides-figure",
        ),
        pytest.param(
            "RTX 4090 有 288 GB/s，而 RTX 4060 Ti 16GB 只有 288 GB/s。", "288 GB/s", id="the-other-sides-figure-zh"
        ),
        pytest.param("The RTX 4090 costs $1,207 versus $1,207 for the RTX 3090.", "$1,207", id="the-other-sides-price"),
        pytest.param("It took 777 steps at batch 2. Restart after 30 minutes. [own]", "777", id="not-marked-as-own"),
    ],
)  # fmt: skip
def test_a_swap_of_the_same_shape_is_found(text: str, loose: str) -> None:
    assert loose in found(text, *HELD, words=WORDS)


def test_the_flags_of_any_way_may_be_referred_to() -> None:
    flags = "--tensor-parallel-size 2 --max-model-len 32768 --max-num-seqs 16 --gpu-memory-utilization 0.97"
    way = looked_up("R1", "find_ways_to_run", {"ways": [{"flags": flags}]})
    assert found("Run it with {{R1.ways[0].flags}}.", way) == []
    assert check("Run it with {{R1.ways[0].flags}}.", way).figures == 0
