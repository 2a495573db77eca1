"""Ways of saying that were taken for figures nothing holds; beside each a swap of the same shape, which is found."""

import pytest

from tests.assistant.grounding.results import CARDS, RUN, found, looked_up

FAST = looked_up(
    "R3", "find_ways_to_run",
    {
        "answer": {"verdict": "fits", "model": "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B", "weight_format": "awq"},
        "ways": [
            {
                "title": "AWQ in vLLM on 2 × GeForce RTX 4090, FP8 cache", "context_tokens": 8192,
                "concurrent_sequences": 4,
                "memory": {"needed_per_gpu": "14.3 GiB", "high_per_gpu": "16.1 GiB"},
                "speed": {"tokens_per_s_per_user": "23.4 tokens/s (17.1–31.8)"},
                "limits": {"max_context_tokens": 40960, "max_concurrent_sequences": 22},
            }
        ],
        "rejected": ["Q8_0 in llama.cpp: needs 38.6 GiB, 23.5 GiB are usable"],
        "changes": [{"change": "512 GiB of host memory", "effect": "fits as BF16, 4.37 tokens a second"}],
    },
    model="DeepSeek-R1-Distill-Qwen-32B", cards="2x 4090", nodes="1",
)  # fmt: skip
TEXTBOOK = looked_up(
    "R4", "find_ways_to_train",
    {
        "answer": {"method": "lora"},
        "textbook": {
            "rule": "2 B × 14.8B of frozen base; ours first, GiB: weights 27.6, logits 4.64, framework 1.73",
            "needed_per_gpu": "38.2 GiB",
        },
    },
    model="Qwen2.5-14B", method="lora", cards="1x 4090",
)  # fmt: skip
POWER = looked_up("R5", "cost", {"power_limit": {"limit": "280 W", "decode": "0.934", "prefill": "0.812"}})
VOLUME = looked_up(
    "R6", "cost",
    {"volume": {"tokens_per_month": "9,200,000 tokens/month", "api_cost": "¥17.31", "purchase_cost": "¥31,400"}},
)  # fmt: skip
STEPS = looked_up(
    "R7", "work_out", {"value": "6.1 GiB", "steps": "44 * 2 * 6 * 96 * 1 bytes * 129000 = 6.1 GiB"},
    values={"layers": "44", "heads": "6"},
)  # fmt: skip
NODES = looked_up("R9", "find_ways_to_run", {"answer": {"verdict": "fits"}}, cards="48x A100", nodes="6")
LOG = (
    'My log says peak_torch_memory=19.37GiB, memory.graph="7.21 GiB" and I get 27ish on it; 20A, 230V. '
    "I run FP16 elsewhere. I waited 14 minutes; it has 300G."
)
HELD = (RUN, CARDS, FAST, TEXTBOOK, POWER, VOLUME, STEPS, NODES)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("With two, 23.4 for each (17.1–31.8) is what you get.", id="interval-without-unit"),
        pytest.param("Expected is 23.4 tokens/s, the range 17.1–31.8; fine.", id="ends-apart"),
        pytest.param("权重 27.6 + logits 4.64 + 框架 1.73 + 其余 4.23 = 38.2 GiB。", id="unit-at-the-head-of-a-list"),
        pytest.param("其中 logits 4.64，比框架 1.73 多。", id="item-of-that-list-alone"),
        pytest.param("Peak 19.37 GiB, with a graph of 7.21 GiB, and your 27 on it.", id="glued-in-a-log"),
        pytest.param("A 20 A circuit at 230 V is what you have.", id="glued-volts"),
        pytest.param("Q8_0 需要 38.6 GiB，放不下；AWQ 放得下。", id="format-of-a-rejected-way"),
        pytest.param("With 512 GiB of host memory it runs BF16 at 4.37 tokens/s.", id="format-in-the-effect"),
        pytest.param("If you see 17.1 tokens/s or more, all is well.", id="end-as-a-bound"),
        pytest.param("每卡 14.3 GiB，高可到 16.1 GiB。", id="end-as-a-bound-zh"),
        pytest.param("Context ends at 40,960 tokens.", id="limit-that-it-ends-at"),
        pytest.param("4 requests of 8k at once.", id="length-of-each"),
        pytest.param("Distill-Qwen-32B makes 23.4 tokens/s on two RTX 4090.", id="shortened-name"),
        pytest.param("The FP8 cache helps: with FP8 it needs 14.3 GiB.", id="format-of-the-cache"),
        pytest.param("6.1 GiB with 44 layers.", id="what-a-term-counts"),
        pytest.param("At 280 W generation loses about 7 % and prompts 19 %.", id="share-told-as-a-loss"),
        pytest.param("9.2M token 约 ¥17.31/月。", id="cost-of-a-months-volume"),
        pytest.param("每卡总共需要 14.3 GiB。", id="in-all-per-card"),
        pytest.param("加缓存后每卡 14.3 GiB。", id="added-to"),
        pytest.param("They cost 2 × $1,207 = $2,414, against $2,977 for the RTX 4090.", id="pronoun"),
        pytest.param("RTX 4060 Ti 16GB 输给 RTX 3090（165 W against 350 W）。", id="two-in-order"),
        pytest.param("An answer is 23.4 tokens/s × 840 = 19,656 tokens.", id="minutes-as-seconds"),
        pytest.param("6 × 1,500 × 20 天 = 0.18M token。", id="days-count"),
        pytest.param("Your NEMA 14-50 and a 40-series card, CUDA 13.x.", id="numbers-in-names"),
        pytest.param("6 nodes of 8 GPUs, 48 GPUs.", id="cards-of-a-node"),
        pytest.param("您的 300G 够用，FP16 也行。", id="the-persons-in-another-format"),
        pytest.param("每卡 14.3 GiB + 8k 的 6.1 GiB = 20.4 GiB。", id="term-with-a-condition"),
    ],
)
def test_what_holds_is_left_alone(text: str) -> None:
    assert found(text, *HELD, words=(LOG, "每天 6 次，每次 1500，20 天")) == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        pytest.param("With two, 23.4 for each (17.1–33.8).", "33.8", id="end-of-another"),
        pytest.param("With two, 26.4 for each (17.1–31.8).", "26.4", id="middle-of-another"),
        pytest.param("权重 27.6 + logits 4.84 + 框架 1.73 = 38.2 GiB。", "4.84", id="item-of-the-list"),
        pytest.param("Peak 18.37 GiB.", "18.37 GiB", id="log"),
        pytest.param("AWQ 需要 38.6 GiB。", "38.6 GiB", id="format-of-another"),
        pytest.param("Each runs at 31.8 tokens/s.", "31.8 tokens/s", id="end-told-as-value"),
        pytest.param("It serves 8k requests at once.", "8k", id="length-as-a-load"),
        pytest.param("Distill-Llama-70B makes 23.4 tokens/s.", "23.4 tokens/s", id="other-name"),
        pytest.param("With BF16 it needs 14.3 GiB.", "14.3 GiB", id="neither-format"),
        pytest.param("At 280 W generation keeps 7 %.", "7 %", id="loss-as-a-share"),
        pytest.param("It costs ¥31,400/月.", "¥31,400", id="paid-once"),
        pytest.param("The RTX 4090 costs $1,207, against $2,977 before.", "$1,207", id="no-pronoun"),
        pytest.param("The wait is 9.1 s (3 s × 4).", "9.1 s", id="sum-behind-is-wrong"),
    ],
)
def test_swaps_of_the_same_shape_are_found(text: str, wrong: str) -> None:
    assert wrong in found(text, *HELD, words=(LOG,))


def test_a_result_may_stand_before_its_sum() -> None:
    words = ("clips of 21 s, 4 at a time",)
    assert found("The wait is 84 s (21 s × 4).", RUN, words=words) == []
    assert found("The wait is 95 s (21 s × 4).", RUN, words=words) == ["95 s"]


def test_what_was_worked_out_before_may_be_told_again() -> None:
    words = ("it ran 52 h at $3 an hour",)
    text = "On four: 52 h / 4 = 13 h, i.e. 13 h × $3 = {}."
    assert found(text.format("$39.00"), *HELD, words=words) == []
    assert found(text.format("$49.00"), *HELD, words=words) != []
