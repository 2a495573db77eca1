"""Whether an older card is still worth buying: one of it, in the format that fits, against what does as well."""

import pytest

from assistant.ground.check import ground
from assistant.plan import market, worth
from kb.catalog import gpu
from tests.assistant.planning import turn
from tools.need import GpuCount


@pytest.mark.usefixtures("fresh_prices")
@pytest.mark.parametrize(
    ("text", "starts", "told"),
    [
        ("is a P40 still worth buying for a 7B chat model?", "Only", "$150"),
        ("Tesla P100 过时了吗，想买来跑 8B", "", "P100"),
        ("V100 32G 还值得买吗，跑 14B", "一般不值得", "V100"),
        ("A6000 现在还能买吗，想跑 32B", "", "A6000"),
        ("are two 3090s still worth buying for Llama 70B?", "Yes", "2×RTX 3090"),
        ("Is the T4 still worth it for running Mistral 7B?", "", "T4"),
        ("3060 12G 还值得入手吗，跑 70B", "不值得", "放不下"),
        ("is a 2080 Ti worth buying in 2026 for Qwen3-8B?", "", "2080 Ti"),
    ],
)
def test_one_card_is_judged_without_a_server_of_eight(text: str, starts: str, told: str) -> None:
    _, records, draft = turn(text)
    first = draft.answer.split("\n")[0]
    assert first.lstrip("*").startswith(starts)
    assert told in first
    assert "configure" not in {one.tool for one in records}
    assert "8×" not in draft.answer
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize("text", ["is a P40 still worth buying for a 7B chat model?", "V100 32G 还值得买吗，跑 14B"])
def test_software_that_leaves_the_card_out_is_told(text: str) -> None:
    draft = turn(text)[2]
    assert "CUDA 12.8" in draft.answer
    assert "FlashAttention" in draft.answer
    assert "BF16" in draft.answer


@pytest.mark.parametrize(
    "text",
    [
        "我有一张 2080 Ti，过时了吗，跑 8B",
        "is it worth buying a 4090 or a 5090 for a 32B?",
        "4090 还值得租吗，微调 7B",
        "is NVLink worth it for two 3090s running a 70B?",
    ],
)
def test_other_questions_of_worth_are_not_taken_for_it(text: str) -> None:
    understanding, _, _ = turn(text)
    assert not worth.asked(understanding)


@pytest.mark.usefixtures("fresh_prices")
@pytest.mark.parametrize("card", ["p40-24gb", "rtx-3090-24gb", "v100-sxm2-32gb", "rtx-a6000-48gb", "p100-pcie-16gb"])
def test_the_rival_is_newer_holds_it_and_is_no_slower(card: str) -> None:
    needed = int(0.6 * gpu(card).usable_bytes)
    other = worth.rival(GpuCount(gpu=card, count=1), needed)
    assert other is not None
    found = gpu(other)
    assert (found.year or 0) > (gpu(card).year or 0)
    assert found.usable_bytes >= needed
    assert (found.bandwidth_bytes_per_s or 0) >= worth.AS_FAST * (gpu(card).bandwidth_bytes_per_s or 0)
    assert worth.priced(found) is not None
    assert float(found.compute_capability or 0) >= market.CURRENT


ALONE = [
    "V100 32G 还值得买吗",
    "is a P40 still worth it in 2026",
    "is it worth buying a used A100 40GB",
    "2026 年 P40 还值得入手吗",
    "T4 worth buying in 2026?",
    "L40 现在值得入手吗",
    "is the RTX 6000 Ada outdated",
    "should I still buy a V100 16GB?",
]


@pytest.mark.usefixtures("fresh_prices")
@pytest.mark.parametrize("text", ALONE)
def test_a_card_judged_without_work_is_set_against_newer_ones_and_no_server(text: str) -> None:
    understanding, records, draft = turn(text)
    assert worth.asked_alone(understanding)
    assert "configure" not in {one.tool for one in records}
    assert "×" not in draft.answer
    rows = {row["id"] for one in records if one.tool == "find_gpus" for row in one.result["gpus"]}
    assert {worth.in_its_place(worth.card(understanding.need)), *understanding.need.gpus_asked} <= rows
    assert draft.clarifying_questions
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.usefixtures("fresh_prices")
@pytest.mark.parametrize("card", ["rtx-3090-24gb", "a100-sxm-80gb", "p40-24gb", "rtx-2080-ti-11gb"])
def test_what_stands_in_its_place_is_of_a_later_generation(card: str) -> None:
    one = GpuCount(gpu=card, count=1)
    found = [gpu(other) for other in (worth.in_its_place(one), worth.peer(one)) if other]
    assert found
    for other in found:
        assert other.architecture != gpu(card).architecture
        assert (other.year or 0) > (gpu(card).year or 0)


@pytest.mark.usefixtures("fresh_prices")
def test_a_card_as_good_for_the_same_money_says_no() -> None:
    first = turn("A100 80G 现在还值得买吗")[2].answer.split("\n")[0]
    assert first.startswith("**不太值得")
    assert "RTX PRO 6000" in first


@pytest.mark.parametrize(
    "text",
    ["4090 还值得租吗", "is a new GPU worth buying", "预算 3 万，4090 还值得买吗", "are 8 V100 still worth buying"],
)
def test_renting_budgets_and_many_cards_are_not_one_card_alone(text: str) -> None:
    assert not worth.asked_alone(turn(text)[0])


@pytest.mark.parametrize(
    "text",
    [
        "AI Max 395 128G 跑 gpt-oss-120b 能有多快，值得买吗",
        "Is a Strix Halo 128GB worth buying for gpt-oss-120b?",
        "Is an RX 7900 XTX worth it for a 32B?",
        "7900XTX 值得买来跑 14B 吗",
        "Is an Arc Pro B60 worth buying for a 14B?",
    ],
)
def test_a_card_of_its_own_wheels_is_not_left_out_by_software(text: str) -> None:
    answer = turn(text)[2].answer
    assert "leave it out" not in answer
    assert "leave AMD" not in answer
    assert "已经不支持" not in answer
