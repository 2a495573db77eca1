"""Where to rent: the cloud, the instance, the price an hour and its date come first, for a card and for stated work."""

import pytest

from assistant.ground.check import ground
from kb.market.offers import current_offers
from tests.assistant.planning import turn
from tools.configuration import Configuration


def _cheapest_dated(gpu: str, provider: str = "") -> tuple[str, float, str]:
    """The cloud, price and date of the cheapest dated instance of a card, by the file of offers."""
    rows = [
        (float(one.on_demand_usd_per_hour), one.provider, one.as_of)
        for one in current_offers()
        if one.gpu == gpu and one.as_of and one.on_demand_usd_per_hour and one.provider.startswith(provider)
    ]
    price, cloud, date = min(rows)
    return cloud, price, str(date)


@pytest.mark.parametrize(
    ("text", "gpu"),
    [
        ("Which cloud is cheapest to rent an H100?", "h100-sxm-80gb"),
        ("cheapest cloud for an A100 80GB?", "a100-sxm-80gb"),
        ("Who rents B200s by the hour and for how much?", "b200-sxm-180gb"),
        ("What does an H100 cost per hour?", "h100-sxm-80gb"),
        ("which cloud has the RTX 5090?", "rtx-5090-32gb"),
        ("租 H100 哪家云最便宜？", "h100-sxm-80gb"),
        ("4090 租哪个平台便宜？", "rtx-4090-24gb"),
        ("想租 A100 80G 做实验，推荐哪家云？", "a100-sxm-80gb"),
        ("H100 一小时多少钱", "h100-sxm-80gb"),
    ],
)
def test_the_cheapest_cloud_of_a_card_is_named_first(text: str, gpu: str) -> None:
    _, records, draft = turn(text)
    cloud, price, date = _cheapest_dated(gpu)
    first = draft.answer.split("\n")[0]
    assert cloud in first
    assert f"${price:.2f}" in first
    assert date in first
    assert "to buy" not in draft.answer
    assert "买一张" not in draft.answer
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize("text", ["Which cloud is cheapest to rent an H100?", "租 H100 哪家云最便宜？"])
def test_what_would_change_a_rent_is_told_with_the_spot_price_read(text: str) -> None:
    spot = min(
        float(one.spot_usd_per_hour / one.gpu_count)
        for one in current_offers()
        if one.gpu == "h100-sxm-80gb" and one.as_of and one.spot_usd_per_hour
    )
    answer = turn(text)[2].answer
    line = next(one for one in answer.split("\n") if one.startswith(("- Spot", "- 竞价")))
    assert f"${spot:.2f}" in line


@pytest.mark.parametrize(
    ("text", "cloud"), [("cheapest 4090 rental on AWS?", "AWS"), ("AWS 上租 4090 最便宜多少钱一小时", "AWS")]
)
def test_a_cloud_that_does_not_let_a_card_is_said_not_to_and_another_named(text: str, cloud: str) -> None:
    assert not any(one.gpu == "rtx-4090-24gb" and one.provider.startswith(cloud) for one in current_offers())
    first = turn(text)[2].answer.split("\n")[0]
    assert first.startswith(("**No offer", "**没有读到"))
    assert _cheapest_dated("rtx-4090-24gb")[0] in first


@pytest.mark.parametrize(
    "text",
    [
        "Is it cheaper to rent an H100 from AWS or Lambda?",
        "rent or buy an H100?",
        "H100 spot price?",
        "I have two 4090s, where can I rent a third?",
        "租一张 H20 一个月多少钱",
    ],
)
def test_other_questions_about_rent_keep_their_answers(text: str) -> None:
    assert not any(one.request.get("purchase") == "reserved" for one in turn(text)[1])


@pytest.mark.parametrize(
    "text",
    [
        "Where should I rent GPUs for Qwen3-32B for 20 users?",
        "Qwen3-32B 给 20 个人用，租哪家云的机器？",
        "跑 Llama 3.3 70B 去哪家云租最便宜？",
        "cheapest GPU rental for Llama 3.3 70B?",
        "where do I rent a GPU to run SDXL?",
        "在哪租显卡微调 Qwen2.5-7B？",
    ],
)
def test_the_cloud_for_stated_work_is_named_with_the_memory_of_the_same_instance(text: str) -> None:
    _, records, draft = turn(text)
    first = draft.answer.split("\n")[0]
    found = [
        Configuration.model_validate(row)
        for one in records
        if one.tool == "configure"
        for row in one.result["configurations"]
    ]
    named = [
        one
        for one in found
        if one.provider and f"{one.provider}," in first.replace("，", ",") and f"${one.price.amount:.2f}" in first
    ]
    assert named
    held = [one for one in records if one.tool == "estimate_memory" and one.request.get("gpu") == named[0].gpu]
    assert held
    assert held[-1].result["fit"]["verdict"] != "no"
    assert f"{held[-1].result['fit']['usable_bytes'] / 2**30:.1f}" in draft.answer
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    "text",
    ["I want to rent for a week to run DeepSeek-R1, which provider?", "租一周跑 DeepSeek-R1，哪家云便宜？"],
)
def test_a_rent_over_a_time_names_the_cloud_in_its_first_line(text: str) -> None:
    _, records, draft = turn(text)
    rent = next(one for one in records if one.tool == "estimate_cost").result["rent"][0]
    first = draft.answer.split("\n")[0]
    assert rent["cheapest"] in first
    assert rent["as_of"] in first


def test_the_price_of_one_card_of_many_is_traced_by_itself() -> None:
    text = "where can I rent 8x H200 cheapest"
    _, records, draft = turn(text)
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded
