"""Answers about power and cost: what was asked leads, both languages, every number from a tool."""

import re
from typing import Any

import pytest

from assistant.answer import Draft, ToolCallRecord
from assistant.compose import compose
from assistant.ground.check import ground
from assistant.plan.money import asks_cost, asks_energy, asks_power
from assistant.understanding import Understanding
from tools.cost import estimate_cost
from tools.cost.request import CostRequest
from tools.need import Need
from tools.power import plan_power
from tools.power.request import PowerRequest

FOUR = {"gpu": "rtx-4090-24gb", "gpu_count": 4}
NODE = {"gpu": "h100-sxm-80gb", "gpu_count": 8}


def planned(**fields: Any) -> ToolCallRecord:
    result = plan_power(PowerRequest.model_validate(fields))
    return ToolCallRecord(tool="plan_power", request=fields, result=result.model_dump(mode="json"))


def costed(**fields: Any) -> ToolCallRecord:
    result = estimate_cost(CostRequest.model_validate(fields))
    return ToolCallRecord(tool="estimate_cost", request=fields, result=result.model_dump(mode="json"))


def answered(text: str, record: ToolCallRecord, language: str, intent: str) -> Draft:
    need = Need.model_validate({"intent": intent, "gpus_asked": [record.request["gpu"]]})
    return compose(Understanding(language=language, need=need, text=text), [record])


def first(draft: Draft) -> str:
    return draft.answer.splitlines()[0]


@pytest.mark.parametrize(
    ("text", "language", "fields", "says"),
    [
        pytest.param("16A 插座带得动吗", "zh", {"country": "CN", "circuit_amps": 16}, r"能.*2,556 .*2,816",
                     id="socket-carries"),
        pytest.param("1600W 电源够吗", "zh", {"psu_w": 1600}, r"不够.*2,300 W", id="supply-short"),
        pytest.param("is a 3000W supply enough", "en", {"psu_w": 3000}, r"Enough.*2,481 W", id="supply-enough"),
        pytest.param("what PSU?", "en", {}, r"2 × 1,300 W", id="supply-asked"),
        pytest.param("limit to 300 W?", "en", {"power_limit_w": 300}, r"93 % of the speed at generating", id="limit"),
        pytest.param("一个月电费多少", "zh", {"country": "CN", "currency": "CNY"}, r"1,501.*度电.*¥818", id="bill"),
        pytest.param("what UPS?", "en", {}, r"2,690 VA.*426 Wh", id="ups"),
        pytest.param("how many BTU of cooling?", "en", {}, r"8,720 BTU/h", id="heat"),
        pytest.param("the PC powers off when training starts", "en", {}, r"supply is the first suspect.*3\.3 kW",
                     id="shutdown"),
    ],
)  # fmt: skip
def test_what_was_asked_about_power_leads(text: str, language: str, fields: dict[str, Any], says: str) -> None:
    draft = answered(text, planned(**FOUR, **fields), language, "power")
    assert re.search(says, first(draft)), first(draft)
    assert draft.verdict == "estimate"
    assert draft.citations


def test_a_limit_that_fits_the_outlet_is_offered() -> None:
    draft = answered("20 A?", planned(**FOUR, country="US", circuit_amps=20), "en", "power")
    assert "300 W" in first(draft)


def test_racks_are_counted_and_their_limit_judged() -> None:
    draft = answered("10kW 机柜放几台", planned(**NODE, country="CN", rack_limit_w=10_000), "zh", "power")
    assert "放不下" in first(draft)
    assert "380 V 32 A" in draft.answer


@pytest.mark.parametrize(
    ("text", "language", "fields", "says"),
    [
        pytest.param("rent or buy?", "en", {}, r"It turns on the hours: buy .* from about \d+ ", id="hours-unsaid"),
        pytest.param("rent or buy?", "en", {"hours_per_day": 24}, r"(Buying|Renting) is cheaper at 730", id="always"),
        pytest.param("租还是买", "zh", {"hours_per_day": 24 * 240 / 730}, r"先租.*240 小时", id="close"),
        pytest.param("租还是买", "zh", {"hours_per_day": 2}, r"租更划算", id="seldom-used"),
        pytest.param("spot or on demand?", "en", {"acquisition": "rent"}, r"Spot saves \d+–\d+ %", id="spot"),
        pytest.param("每百万 token 成本", "zh", {"model": "Llama-3.1-70B"}, r"每百万输出 token 约自有 .*租用",
                     id="tokens"),
        pytest.param("cost of the run?", "en", {"model": "Llama-3.1-8B", "task": "lora", "dataset_tokens": 10**8},
                     r"the run takes about .* GPU-hours", id="run"),
        pytest.param("TCO", "en", {"acquisition": "buy"}, r"Owning .* costs about", id="owning"),
    ],
)  # fmt: skip
def test_what_was_asked_about_cost_leads(text: str, language: str, fields: dict[str, Any], says: str) -> None:
    draft = answered(text, costed(**NODE, **fields), language, "cloud_or_buy")
    if "buy" not in text and "买" not in text and not asks_cost(text) and "run" not in text:
        pytest.fail("the question would not be answered with the cost")
    assert re.search(says, first(draft)), first(draft)


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("text", ["buy, TCO, circuits?", "what UPS?", "一个月电费多少", "BTU of heat", "spot"])
@pytest.mark.parametrize(
    "record",
    [
        pytest.param(planned(**FOUR, country="CN", currency="CNY", circuit_amps=16), id="desk"),
        pytest.param(planned(**NODE, country="DE", currency="EUR", utilisation=0.5), id="node"),
        pytest.param(planned(server="gb200-nvl72", gpu="gb200"), id="rack"),
        pytest.param(costed(**FOUR, country="CN", currency="CNY", model="Qwen2.5-32B", weight_format="awq"), id="own"),
        pytest.param(costed(**NODE, years=4, hours_per_day=7, site="colocation"), id="colocation"),
    ],
)
def test_every_number_comes_from_the_tool(record: ToolCallRecord, text: str, language: str) -> None:
    intent = "power" if record.tool == "plan_power" else "cloud_or_buy"
    draft = answered(text if intent == "power" else f"buy? {text}", record, language, intent)
    found = ground(draft.answer, [record], [], draft.citations)
    assert found.numbers > 20
    assert found.ungrounded == ()


def test_a_missing_price_is_said_beside_the_verdict() -> None:
    record = costed(**FOUR)
    record.result["own"]["complete"] = False
    record.result["warnings"].append("No price is known of the machine around the cards.")
    draft = answered("rent or buy?", record, "en", "cloud_or_buy")
    assert "no price is known of the machine" in first(draft)
    assert "not included" in draft.answer


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        pytest.param("每百万 token 成本多少", (True, False, False), id="tokens"),
        pytest.param("TCO over 3 years", (True, False, False), id="tco"),
        pytest.param("一个月电费多少", (True, True, False), id="bill"),
        pytest.param("16A 插座带得动吗", (False, False, True), id="socket"),
        pytest.param("机柜要多少千瓦", (False, False, True), id="rack"),
        pytest.param("4090 显存多大", (False, False, False), id="memory"),
        pytest.param("can I run Llama 70B on this", (False, False, False), id="fit"),
    ],
)
def test_words_tell_cost_bill_and_power_apart(text: str, asked: tuple[bool, bool, bool]) -> None:
    assert (asks_cost(text), asks_energy(text), asks_power(text)) == asked
