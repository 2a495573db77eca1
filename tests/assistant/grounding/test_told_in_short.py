"""What people leave out or round where they tell a result, each beside a swap of the same shape, which is found."""

import pytest

from tests.assistant.grounding.results import CARDS, RUN, found, looked_up

WAY = {
    "title": "GPTQ in vLLM on 4 × GeForce RTX 3090", "weight_format": "gptq",
    "memory": {"needed_per_gpu": "84.9 GiB", "high_per_gpu": "105 GiB", "usable_per_gpu": "39.5 GiB"},
    "speed": {"time": "50.6 min (30.5–127)", "tokens_per_s_per_user": "37 tokens/s (28–54)"},
}  # fmt: skip
TRAIN = looked_up(
    "R3", "find_ways_to_train",
    {
        "answer": {"method": "full"}, "ways": [WAY], "live": {"streams_batched": "29.2 (17.2–49.7)"},
        "limits": {"max_context_tokens": 51968},
        "textbook": {"rule": "16 B × 32.8B (weights 2, gradients 2, AdamW 12) = 524.8 GB"},
        "warnings": ["With the switch it makes about 30.3 tokens a second (21.3 to 43).", "Needs driver 572 or newer."],
    },
    model="Qwen2.5-32B", cards="4x 3090",
)  # fmt: skip
COST = looked_up(
    "R4", "cost",
    {"break_even": {"months": "70.2 (53.4–116)", "hours_per_month": "541 h/month (492–612)"}, "rent": "$2.50/h"},
)  # fmt: skip
FILES = looked_up("R5", "launch_files", {"files": [{"name": "a.yaml", "content": "lora_rank: 48\nlora_alpha: 96\n"}]})
HELD = (RUN, CARDS, TRAIN, COST, FILES)
WORDS = ("My vram shows 31.2/31.5 and the pictures are 4000×3000. I use it 40% of 730 hours, 8 cards, 36 months.",)


@pytest.mark.parametrize(
    ("true", "false", "wrong"),
    [
        pytest.param("It needs 84.9 GiB against {} usable.", ("39.5", "59.5"), "59.5", id="unit-once"),
        pytest.param("It needs 84.9 GiB (up to 105) of {} usable.", ("39.5", "59.5"), "59.5", id="behind-a-bracket"),
        pytest.param("The run takes 51 min ({}–127).", ("31", "13"), "13", id="interval-rounded"),
        pytest.param("It carries {} streams (17–50).", ("29", "39"), "39", id="interval-of-no-unit"),
        pytest.param("约 {} 个月（53–116）。", ("70", "90"), "90", id="months-rounded"),
        pytest.param("With it you get 30 tokens/s ({}–43).", ("21", "25"), "25", id="interval-in-prose"),
        pytest.param("要 30–127 分钟，按 {} 分钟计划。", ("127", "172"), "172 分钟", id="end-to-plan-with"),
        pytest.param("Below 492 hours rent, above {} hours buy.", ("612", "712"), "712 hours", id="ends-as-bounds"),
        pytest.param("Rent is 8 × $2.50 × 730 h × 40% = ${}.", ("5,840", "6,840"), "$6,840", id="percent-in-a-sum"),
        pytest.param("On 8: 525 ÷ 8 ≈ {} GB each.", ("65.6", "75.6"), "75.6 GB", id="term-without-its-unit"),
        pytest.param("524.8 GB = 16 B × 32.8B (weights 2, gradients 2, AdamW {}).", ("12", "13"), "13", id="parts"),
        pytest.param("One photo of 4000×3000 has {}00 万 pixels.", ("12", "17"), "1700 万", id="product"),
        pytest.param("The card has {} GB used.", ("31.2", "33.2"), "33.2 GB", id="the-persons-without-unit"),
        pytest.param("上下文最多约 {} 万 token。", ("5.1", "6.1"), "6.1 万", id="told-rounded-down"),
        pytest.param("With {} it makes 37 tokens/s.", ("int4", "int8 W8A8"), "37 tokens/s", id="width-for-a-format"),
        pytest.param("共需 84.9 GiB，两卡各 {} GiB。", ("42.5", "32.5"), "32.5 GiB", id="each"),
        pytest.param("Train at rank {}.", ("48", "56"), "56", id="setting-in-a-file"),
    ],
)  # fmt: skip
def test_what_is_told_in_short_holds_and_its_swap_does_not(true: str, false: tuple[str, str], wrong: str) -> None:
    assert found(true.format(false[0]), *HELD, words=WORDS) == []
    assert wrong in found(true.format(false[1]), *HELD, words=WORDS)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("At 100% it still needs 84.9 GiB.", id="all-of-it"),
        pytest.param("Check yours in two minutes.", id="how-long-a-check-takes"),
        pytest.param("驱动要 572 或更新。", id="driver"),
        pytest.param("It makes 37 tokens/s at 32k (28–54).", id="length-before-the-interval"),
        pytest.param("The 40-core chip is enough.", id="cores-in-a-name"),
        pytest.param("- Start at 38. Then go down one at a time. [own]", id="setting-before-the-mark"),
        pytest.param("**Set this** (each boot) [own]\n- a CPU limit of 150–180 W", id="bold-line-with-a-note"),
        pytest.param("**Start so** [own]\n```\nrun\n```\nThen raise it to 0.94.", id="text-right-behind-code"),
    ],
)
def test_what_needs_no_source_is_left_alone(text: str) -> None:
    assert found(text, *HELD, words=WORDS) == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        pytest.param("The run takes 127 min.", "127 min", id="an-end-that-nobody-plans-with"),
        pytest.param("It takes 116 months.", "116", id="end-of-the-months"),
        pytest.param("It takes 541 months.", "541", id="hours-for-months"),
        pytest.param("- It needs 88.8 GiB. Then go down. [own]", "88.8 GiB", id="no-setting"),
    ],
)
def test_what_only_looks_so_is_found(text: str, wrong: str) -> None:
    assert wrong in found(text, *HELD, words=WORDS)
