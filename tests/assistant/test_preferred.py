"""Buying, renting, cheapest: which configuration answers which words."""

from typing import Any

import pytest

from assistant.compose.orders import chosen
from assistant.plan.preferred import pace_of, preferred
from assistant.plan.ways import asks_for_cheapest, asks_the_least, only
from tests.assistant.planning import turn
from tools.configuration import Configuration
from tools.need import Need


def configuration(acquisition: str, amount: float | None, verdict: str = "yes") -> Configuration:
    row: dict[str, Any] = {
        "rank": 1, "title": "t", "acquisition": acquisition, "gpu": "l40s-48gb", "gpu_count": 1, "nodes": 1,
        "memory": {"needed_bytes_per_gpu": 1, "usable_bytes_per_gpu": 2, "verdict": verdict},
        "price": {"amount": amount, "complete": True},
    }  # fmt: skip
    return Configuration.model_validate(row)


FOUND = [configuration("rent", 2), configuration("buy", 900), configuration("rent", 1), configuration("buy", 500)]


@pytest.mark.parametrize(
    ("text", "way"),
    [
        ("要买什么卡", "buy"),
        ("在家跑 7B", "buy"),
        ("租哪种云主机", "rent"),
        ("cheapest cloud gpu", "rent"),
        ("rent or buy?", None),
        ("4 张 3090 够吗", None),
        ("公司内部部署 70B", "buy"),
        ("an in-house assistant", "buy"),
    ],
)
def test_the_words_say_whether_to_buy_or_to_rent(text: str, way: str | None) -> None:
    assert only(text, Need()) == way


def test_only_what_is_to_be_bought_answers_a_buyer() -> None:
    assert preferred(FOUND, "which card should i buy", Need()) == [FOUND[1], FOUND[3]]


def test_the_cheapest_leads_when_the_price_decides() -> None:
    assert preferred(FOUND, "最便宜的云主机", Need())[0] == FOUND[2]
    assert asks_for_cheapest("the cheapest card")
    assert not asks_for_cheapest("a good card")


def test_the_cheapest_leaves_a_margin_in_memory() -> None:
    found = [configuration("rent", 0.3, "tight"), configuration("rent", 1)]
    assert preferred(found, "cheapest", Need())[0] == found[1]


def test_a_rent_that_only_just_fits_leads_where_a_sure_one_costs_many_times_as_much() -> None:
    found = [configuration("rent", 0.2, "tight"), configuration("rent", 4)]
    assert preferred(found, "rent which?", Need())[0] == found[0]
    bought = [configuration("buy", 2_000, "tight"), configuration("buy", 40_000)]
    assert preferred(bought, "cheapest", Need())[0] == bought[1]


def test_without_such_a_configuration_the_others_still_answer() -> None:
    assert preferred(FOUND[:1], "what to buy", Need()) == FOUND[:1]


def purchase(form: str, amount: float, pace: float, *codes: str) -> Configuration:
    row = configuration("buy", amount).model_dump() | {
        "weight_format": form,
        "speed": {"tokens_per_s_per_user": pace},
        "reasons": [{"kind": "availability", "code": code} for code in codes],
    }
    return Configuration.model_validate(row)


PUBLISHED, EIGHT = purchase("bf16", 25_000, 29), purchase("fp8", 13_000, 19)
FOUR, USED = purchase("awq", 6_000, 25), purchase("awq", 2_400, 60, "second_hand")
LADDER = [PUBLISHED, EIGHT, FOUR, USED]


@pytest.mark.parametrize(
    ("text", "need", "lead"),
    [
        ("what GPU for 70B?", Need(), EIGHT),
        ("which card at home for 70B?", Need(), USED),
        ("70B 给 30 个人用，需要什么显卡", Need(), EIGHT),
        ("what GPU to train 70B?", Need(task="full_finetune"), PUBLISHED),
    ],
)
def test_formats_as_good_as_published_lead_where_they_cost_much_less(
    text: str, need: Need, lead: Configuration
) -> None:
    """Eight bits for anybody, four bits and second-hand cards at home; a training keeps its precision."""
    assert preferred(LADDER, text, need)[0] == lead


@pytest.mark.parametrize(("amount", "way"), [(20_000, "buy"), (90_000, "rent")])
def test_a_purchase_leads_unless_years_of_rent_cost_as_much(amount: float, way: str) -> None:
    found = [configuration("rent", 1), configuration("buy", amount)]
    assert preferred(found, "13B for us", Need())[0].acquisition == way


@pytest.mark.parametrize(
    ("text", "ordered"),
    [
        ("Is 24GB enough for 32B models?", False),
        ("how much vram for qwen3 32b", False),
        ("I have 2x4090, can they run Qwen3-32B?", False),
        ("How much VRAM does Qwen3-32B need, and which card should I buy?", True),
        ("跑 Qwen2.5-32B 需要什么显卡", True),
    ],
)
def test_what_could_be_bought_is_told_to_who_asks_for_it(text: str, ordered: bool) -> None:
    _, _, draft = turn(text)
    assert ("**Buy**" in draft.answer or "**购买**" in draft.answer) is ordered


def offered(acquisition: str, amount: float, pace: float, filled: float = 0.5, **fields: Any) -> Configuration:
    row = configuration(acquisition, amount).model_dump() | {
        "weight_format": "fp8",
        "speed": {"tokens_per_s_per_user": pace},
        "memory": {"needed_bytes_per_gpu": int(100 * filled), "usable_bytes_per_gpu": 100, "verdict": "yes"},
        "items": [{"part": "gpu", "product": "card", "count": 1, "unit_price": amount, "subtotal": amount,
                   "source": "s", "price_date": "2026-09"}],
    }  # fmt: skip
    return Configuration.model_validate(row | fields)


@pytest.mark.parametrize("text", ["跑 Qwen3-32B 最少多少钱？买什么卡", "Cheapest card to buy for Qwen3-32B?"])
def test_who_asks_for_the_least_is_not_asked_for_a_budget(text: str) -> None:
    assert asks_the_least(text)
    _, _, draft = turn(text)
    assert not any("预算" in one or "budget" in one for one in draft.clarifying_questions)
    assert not asks_the_least("性价比高的卡")


ALONE = offered("buy", 2_000, 37, reasons=[{"kind": "trade_off", "code": "host_must_take"}])
WHOLE = offered("buy", 2_400, 40)


@pytest.mark.parametrize(
    ("text", "lead"),
    [
        ("a home pc for 32B models", WHOLE),
        ("家用主机怎么配", WHOLE),
        ("a workstation to buy", WHOLE),
        ("which card should i buy", ALONE),
        ("买什么显卡", ALONE),
    ],
)
def test_who_wants_a_machine_is_not_told_of_cards_alone_first(text: str, lead: Configuration) -> None:
    assert preferred([ALONE, WHOLE], text, Need())[0] == lead


BUDGET = {"budget": {"amount": 1_500_000, "currency": "CNY"}, "task": "inference"}
FULL, ROOMY = offered("buy", 190_000, 82, 0.92), offered("buy", 203_000, 82, 0.62)


@pytest.mark.parametrize(
    ("changes", "found", "lead"),
    [
        pytest.param({}, [FULL, ROOMY], ROOMY, id="room-for-more-requests"),
        pytest.param({"concurrent_sequences": 4}, [FULL, ROOMY], FULL, id="their-number-is-counted"),
        pytest.param({"budget": None}, [FULL, ROOMY], FULL, id="no-budget"),
        pytest.param({}, [FULL, offered("buy", 260_000, 82, 0.62)], FULL, id="too-dear"),
        pytest.param({}, [FULL, offered("buy", 203_000, 40, 0.62)], FULL, id="slower"),
        pytest.param({}, [offered("buy", 190_000, 82, 0.7), ROOMY], offered("buy", 190_000, 82, 0.7), id="room-there"),
    ],
)
def test_memory_to_spare_is_bought_for_a_little_more(
    changes: dict[str, Any], found: list[Configuration], lead: Configuration
) -> None:
    assert preferred(found, "buy a server", Need.model_validate(BUDGET | changes))[0] == lead


SLOW, FAST = offered("rent", 0.44, 18), offered("rent", 0.46, 41)


@pytest.mark.parametrize(
    ("text", "found", "lead"),
    [
        pytest.param("rent a gpu", [SLOW, FAST], FAST, id="about-as-dear"),
        pytest.param("the cheapest to rent", [SLOW, FAST], SLOW, id="price-decides"),
        pytest.param("the cheapest to rent", [SLOW, offered("rent", 0.44, 41)], offered("rent", 0.44, 41), id="same"),
        pytest.param("rent a gpu", [SLOW, offered("rent", 0.6, 41)], SLOW, id="dearer"),
        pytest.param("rent a gpu", [SLOW, offered("rent", 0.46, 20)], SLOW, id="hardly-faster"),
    ],
)
def test_of_rents_that_cost_about_the_same_the_fast_one_leads(
    text: str, found: list[Configuration], lead: Configuration
) -> None:
    assert preferred(found, text, Need(task="inference"))[0] == lead


def test_what_is_dearer_and_slower_is_not_told_beside_the_best() -> None:
    best, worse = offered("buy", 6_000, 160), offered("buy", 8_500, 37, gpu="l4-24gb")
    faster = offered("buy", 8_500, 200, gpu="l4-24gb")
    assert chosen([best, worse]) == [best]
    assert chosen([best, faster]) == [best, faster]


OLD = offered("buy", 2_000, 27, reasons=[{"kind": "availability", "code": "second_hand"}])
CARD = offered(
    "buy", 740, 41, reasons=[{"kind": "trade_off", "code": "host_must_take"}], price={"amount": 740, "complete": False}
)


@pytest.mark.parametrize(
    ("text", "found", "lead"),
    [
        pytest.param("which gpu should i buy?", [OLD, CARD], CARD, id="a-card-was-asked-for"),
        pytest.param("which pc should i buy?", [OLD, CARD], OLD, id="a-machine-was"),
        pytest.param("which gpu should i buy?", [WHOLE, CARD], WHOLE, id="the-first-is-new"),
    ],
)
def test_a_new_card_comes_before_a_machine_around_an_old_one(
    text: str, found: list[Configuration], lead: Configuration
) -> None:
    need = Need.model_validate({"task": "inference", "budget": {"amount": 2_500, "currency": "USD"}})
    assert preferred(found, text, need)[0] == lead


@pytest.mark.parametrize(
    "text",
    [
        "公司想部署一个内部知识库问答，员工300人，用什么卡合适",
        "we need hardware to serve gpt-oss-120b for a small team",
    ],
)
def test_half_as_many_larger_cards_come_before_many_small_ones(text: str) -> None:
    understanding, records, _ = turn(text)
    need = understanding.need
    rows = [
        Configuration.model_validate(row)
        for one in records
        if one.tool == "configure"
        for row in one.result["configurations"]
    ]
    first = next(one for one in preferred(rows, text, need) if one.acquisition == "buy")
    assert first.gpu_count <= 2, first.title
    many = [one for one in rows if one.acquisition == "buy" and one.gpu_count >= 4 and one.price.amount]
    assert all(
        (first.price.amount or 0) <= 2 * (one.price.amount or 0)
        for one in many
        if one.weight_format == first.weight_format
    )


def served(form: str, amount: float, pace: float, count: int, *codes: str) -> Configuration:
    return purchase(form, amount, pace, *codes).model_copy(update={"gpu_count": count})


MANY_SMALL = served("bf16", 10_000, 30, 4)
TWO_LARGE = served("bf16", 14_000, 18, 2)
TWO_SLOW = served("fp8", 9_000, 14, 2)
TWO_DEAR = served("bf16", 17_000, 40, 2)
TEAM = {"task": "inference", "users": 20}


@pytest.mark.parametrize(
    ("text", "changes", "found", "lead"),
    [
        pytest.param("for 20 of us", {}, [MANY_SMALL, TWO_LARGE], TWO_LARGE, id="brisk-is-fast-enough"),
        pytest.param("公司用", {"users": None}, [MANY_SMALL, TWO_LARGE], TWO_LARGE, id="a-firm-said"),
        pytest.param("for me", {"users": None}, [MANY_SMALL, TWO_LARGE], MANY_SMALL, id="one-person-takes-the-speed"),
        pytest.param("for 20 of us", {}, [MANY_SMALL, TWO_SLOW], MANY_SMALL, id="too-slow"),
        pytest.param("for 20 of us", {}, [MANY_SMALL, TWO_DEAR], MANY_SMALL, id="clearly-dearer"),
        pytest.param("for 20 of us", {}, [TWO_SLOW, TWO_LARGE], TWO_LARGE, id="what-keeps-waiting-does-not-lead"),
        pytest.param("for 20 of us", {}, [TWO_SLOW, TWO_DEAR], TWO_SLOW, id="unless-brisk-is-far-dearer"),
        pytest.param("for 20 of us", {"target_tokens_per_s": 12}, [TWO_SLOW, TWO_LARGE], TWO_SLOW, id="speed-asked"),
        pytest.param(
            "for 20 of us", {}, [TWO_SLOW, served("awq", 9_500, 60, 1)], TWO_SLOW, id="four-bits-are-no-replacement"
        ),
        pytest.param(
            "for 20 of us", {}, [TWO_SLOW, served("fp8", 9_500, 60, 1, "second_hand")], TWO_SLOW, id="nor-is-used"
        ),
    ],
)
def test_a_team_gets_few_cards_that_keep_nobody_waiting(
    text: str, changes: dict[str, Any], found: list[Configuration], lead: Configuration
) -> None:
    assert preferred(found, text, Need.model_validate(TEAM | changes))[0] == lead


def test_what_keeps_a_team_waiting_is_not_the_cheap_one_told_beside_the_best() -> None:
    def shared(amount: float, pace: float, count: int) -> Configuration:
        speed = {"tokens_per_s_per_user": pace, "tokens_per_s_total": 4 * pace}
        return served("awq", amount, pace, count).model_copy(update={"speed": speed})

    best, slow, brisk = shared(6_000, 32, 1), shared(3_000, 11, 2), shared(4_000, 30, 3)
    assert chosen([best, slow, brisk])[1] == brisk
    assert chosen([best, slow])[1] == slow
    alone = [one.model_copy(update={"speed": {"tokens_per_s_per_user": pace_of(one)}}) for one in (best, slow, brisk)]
    assert chosen(alone)[1] == alone[1]


def test_a_rack_of_small_cards_is_not_the_cheap_one_told_beside_a_single_card() -> None:
    single, rack, other = (served("awq", amount, 30, count) for amount, count in ((6_000, 1), (3_000, 4), (4_000, 2)))
    assert chosen([single, rack, other])[1] == other
    assert chosen([single, rack])[1] == rack
    assert chosen([served("awq", 6_000, 30, 4), rack, other])[1] == rack
