"""What stands without a result of its own: what a call was given, what one tries, what parts leave, one card's total.

Each beside a swap of the same shape, which is found.
"""

import pytest

from tests.assistant.grounding.results import check, looked_up

COSTED = looked_up(
    "R1", "cost",
    {"power": {"card_w": "450 W", "system_w": "980 W"}, "per_month": {"energy": "$41.7"}},
    cards="2x 4090", psu_w="1300", voltage="230 V", electricity="0.27 $/kWh", hours_per_day="6", utilisation="0.45",
)  # fmt: skip
ONE = looked_up(
    "R2", "find_ways_to_run",
    {
        "ways": [{
            "title": "AWQ in vLLM on 1 × GeForce RTX 4090",
            "memory": {"needed_per_gpu": "20.9 GiB", "usable_per_gpu": "23.6 GiB", "parts": {
                "weights": "17.2 GiB", "kv_cache": "2.6 GiB"}},
            "speed": {"tokens_per_s_per_user": "44 tokens/s (35–53)"},
        }]
    },
    model="Qwen3-32B", cards="RTX 4090",
)  # fmt: skip
TWO = looked_up(
    "R3", "find_ways_to_run",
    {"ways": [{"title": "AWQ in vLLM on 2 × GeForce RTX 3090", "memory": {"needed_per_gpu": "19.4 GiB"}}]},
    model="Llama-3.3-70B", cards="2x 3090",
)  # fmt: skip
TOLD = looked_up(
    "R4", "explain",
    {
        "answer": {"verdict": "low", "expected": "44 tokens/s (35–53)", "seen": "6 tokens/s", "ratio": "0.136"},
        "causes": [{"id": "layers_on_cpu", "setting": "-ngl 99 -c 12288"}],
        "reason": "kernels begin with compute capability 8.9; the card has compute capability 7.5",
    },
    cards="RTX 4090",
)  # fmt: skip
HELD = (COSTED, ONE, TWO, TOLD)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("I assume a 1300 W supply on 230 V.", id="input-assumed"),
        pytest.param("Assuming $0.27/kWh and 6 hours a day it is $41.7 a month.", id="inputs-beside-a-result"),
        pytest.param("假设电价 $0.27/kWh、利用率 45 %，每月电费 $41.7。", id="inputs-zh"),
        pytest.param("Run 200 steps and read the last 50 lines of the log.", id="procedure"),
        pytest.param("先跑 50 步，再看日志前 30 行。", id="procedure-zh"),
        pytest.param("Watch nvidia-smi for 15 minutes.", id="time-of-watching"),
        pytest.param("Try batch sizes of 16, 48 and 96.", id="several-tried"),
        pytest.param("Weights 17.2 GiB + cache 2.6 GiB + the rest 1.1 GiB ＝ 20.9 GiB.", id="full-width-sum"),
        pytest.param("Of the 20.9 GiB, 17.2 GiB are weights, 2.6 GiB cache and 1.1 GiB the rest.", id="rest-in-words"),
        pytest.param("It needs 20.9 GiB (weights 17.2, cache 2.6, rest 1.1).", id="units-once-before-a-bracket"),
        pytest.param("It needs 20.9 GiB in total on one RTX 4090.", id="total-of-one-card"),
        pytest.param("总共需要 20.9 GiB。", id="total-of-one-card-zh"),
        pytest.param("On the RTX 4090 it takes 20.9 GiB of 23.6 GiB.", id="part-of-a-whole"),
        pytest.param("Expect 35–53 tokens/s, about 44.", id="unit-before"),
        pytest.param("Lower the context to 12,288 tokens.", id="value-of-a-flag-with-its-comma"),
        pytest.param("Kernels begin with compute capability 8.9, and the card has 7.5.", id="capability-told-twice"),
        pytest.param("That is 7.4 times slower than usual.", id="ratio-the-other-way"),
        pytest.param("Qwen3-32B logits take more memory than those of Falcon. [own]", id="model-in-own-words"),
    ],
)  # fmt: skip
def test_it_is_left_alone(text: str) -> None:
    assert check(text, *HELD).findings == ()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("The supply delivers 1300 W.", id="input-told-as-a-fact"),
        pytest.param("I assume a 1350 W supply.", id="another-figure-assumed"),
        pytest.param("The run takes 200 steps.", id="steps-told-of-a-run"),
        pytest.param("It runs 15 minutes.", id="time-told-of-a-run"),
        pytest.param("Of the 20.9 GiB, 17.2 GiB are weights, 2.6 GiB cache and 1.9 GiB the rest.", id="false-rest"),
        pytest.param("It needs 20.9 GiB (weights 16.1, cache 2.6, rest 1.1).", id="false-part"),
        pytest.param("Llama-3.3-70B needs 19.4 GiB in total on two RTX 3090.", id="share-told-as-total-of-two"),
        pytest.param("Expect 35–53 tokens/s, about 61.", id="false-middle"),
        pytest.param("Lower the context to 13,288 tokens.", id="no-value-of-a-flag"),
        pytest.param("Kernels begin with compute capability 8.9, and the card has 6.5.", id="false-capability"),
        pytest.param("That is 9.4 times slower than usual.", id="false-ratio"),
    ],
)  # fmt: skip
def test_its_swap_is_found(text: str) -> None:
    assert check(text, *HELD).findings
