"""Calculations whose figures have a source, and the details of an earlier result."""

from typing import Any

import pytest

from tools.agent_tools.ledger import Ledger, LookedUp, Worked
from tools.agent_tools.toolset import agent_tool

SHOWN = {
    "ways": [
        {"memory": {"needed_per_gpu": "20.5 GiB"}, "speed": {"tokens_per_s_total": "320 tokens/s (250–400)"}},
    ],
    "price": "$1,599",
}  # fmt: skip
STEP = {"label": "KV", "formula": "2 · 80 · 8", "inputs": {}, "value": 2_684_354_560, "unit": "bytes"}
WHOLE = {"derivation": [STEP]}


@pytest.fixture
def ledger() -> Ledger:
    made = Ledger()
    made.keep(
        LookedUp(
            key=made.next_key(), tool="find_ways_to_run", request={"cards": "4x 3090"}, shown=SHOWN,
            worked=(Worked(tool="find_ways_to_run", request={}, result=WHOLE),),
        )
    )  # fmt: skip
    return made


def worked(ledger: Ledger, words: tuple[str, ...] = (), **arguments: Any) -> dict[str, Any]:
    return agent_tool("work_out").look_up(arguments, ledger, words).shown


@pytest.mark.parametrize(
    ("expression", "values", "unit", "value", "source"),
    [
        pytest.param("4 * each", {"each": "R1.ways[0].memory.needed_per_gpu"}, "GiB", "82 GiB", "R1", id="reference"),
        pytest.param("4 * each", {"each": "{{R1.ways[0].memory.needed_per_gpu}}"}, "GiB", "82 GiB", "R1", id="braces"),
        pytest.param(
            "ceil(users * 10 / total)", {"users": "100", "total": "R1.ways[0].speed.tokens_per_s_total"}, "none",
            "4 (3–4)", "R1", id="interval-by-its-middle-and-ends",
        ),
        pytest.param("n * price", {"n": "2", "price": "R1.price"}, "USD", "$3,198", "R1", id="money"),
        pytest.param("a + b", {"a": "R1.price", "b": "$700"}, "USD", "$2,299", "the person", id="the-persons-price"),
        pytest.param("gb * 8", {"gb": "24 GB"}, "GB", "192 GB", "assumed", id="assumed-and-told"),
    ],
)  # fmt: skip
def test_figures_are_taken_from_where_they_stand(
    ledger: Ledger, expression: str, values: dict[str, str], unit: str, value: str, source: str
) -> None:
    told = worked(ledger, ("a used one is $700 here, for 100 users",), expression=expression, values=values, unit=unit)
    assert told["value"] == value
    assert source in told["from"].values()
    assert told["steps"].endswith(f"= {value}")
    assert ("assumed" in told) == (source == "assumed")


@pytest.mark.parametrize("assumed", ["$0.12", "¥5.98/h", "40 tokens/s", "1200 USD", "35 tok/s"])
def test_no_price_and_no_speed_is_assumed(ledger: Ledger, assumed: str) -> None:
    told = worked(ledger, ("what does that cost?",), expression="x * 2", values={"x": assumed})
    assert "look it up" in told["error"]["message"] + told["error"].get("remedy", "")


def test_the_persons_own_price_and_speed_go_in_as_theirs(ledger: Ledger) -> None:
    told = worked(
        ledger,
        ("电价 0.6 元一度，实测 40 tok/s",),
        expression="a / b",
        values={"a": "¥0.6", "b": "40 tokens/s"},
        unit="none",
    )
    assert set(told["from"].values()) == {"the person"}


def test_a_number_in_words_of_the_person_is_theirs(ledger: Ledger) -> None:
    values = {"n": "50000", "each": "R1.price"}
    told = worked(ledger, ("数据5万条",), expression="n * each", values=values, unit="none")
    assert told["from"]["n"] == "the person"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param({"expression": "a * 77", "values": {"a": "R1.price"}}, "77", id="bare-literal"),
        pytest.param({"expression": "a * b", "values": {"a": "R1.price"}}, "b", id="name-without-value"),
        pytest.param({"expression": "a", "values": {"a": "R9.price"}}, "R9", id="no-such-result"),
        pytest.param({"expression": "a", "values": {"a": "R1.ways"}}, "not one figure", id="no-figure"),
        pytest.param({"expression": "a / 0", "values": {"a": "R1.price"}}, "divides by zero", id="zero"),
        pytest.param({"expression": "__import__('os')", "values": {}}, "no arithmetic", id="code"),
        pytest.param({"expression": "2 ** 2 ** 2 ** 2 ** 2", "values": {}}, "power", id="tower"),
        pytest.param({"expression": "a +", "values": {"a": "R1.price"}}, "parse", id="half"),
        pytest.param({"of": "R7"}, "R1", id="details-of-nothing"),
        pytest.param({"of": "R1", "path": "nowhere"}, "Paths begin with", id="path-to-nothing"),
    ],
)
def test_what_has_no_source_or_no_value_is_refused_with_the_way_on(
    ledger: Ledger, arguments: dict[str, Any], said: str
) -> None:
    error = worked(ledger, (), **arguments)["error"]
    assert said in str(error)
    assert error["code"] != "internal_error"


@pytest.mark.parametrize(
    ("expression", "values", "unit"),
    [
        pytest.param("price * n", {"price": "$2.70/h", "n": "2"}, "USD", id="a rent is no sum"),
        pytest.param("price * n", {"price": "$2.70/h", "n": "2"}, "CNY", id="nor in another currency"),
        pytest.param("price * n", {"price": "$1,599", "n": "2"}, "USD/h", id="a sum is no rent"),
        pytest.param("a * b", {"a": "24 GiB", "b": "100 h"}, "GiB", id="an amount by a time"),
        pytest.param("a / b", {"a": "24 GiB", "b": "100 GB/s"}, "GiB", id="a time is no amount"),
    ],
)
def test_a_value_is_not_told_in_a_unit_of_another_kind(
    ledger: Ledger, expression: str, values: dict[str, str], unit: str
) -> None:
    said = worked(ledger, ("It costs $2.70/h, or $1,599",), expression=expression, values=values, unit=unit)
    assert said["error"]["field"] == "unit"


@pytest.mark.parametrize(
    ("expression", "values", "unit", "value"),
    [
        pytest.param("price * t", {"price": "$2.70/h", "t": "730 h"}, "USD", "$1,971", id="rent by time"),
        pytest.param("price / t", {"price": "$1,599", "t": "1000 h"}, "USD/h", "$1.60/h", id="sum by time"),
        pytest.param("a / b", {"a": "24 GiB", "b": "100 GB/s"}, "s", "0.258 s", id="amount by rate"),
        pytest.param(
            "tariff * p * t", {"tariff": "$0.12/kWh", "p": "300 W", "t": "24 h"}, "USD", "$0.8640", id="power"
        ),
    ],
)
def test_units_of_time_cancel(ledger: Ledger, expression: str, values: dict[str, str], unit: str, value: str) -> None:
    words = ("It costs $2.70/h or $1.70/h, or $1,599; power is $0.12/kWh; 1024 tokens",)
    assert worked(ledger, words, expression=expression, values=values, unit=unit or None)["value"] == value


def test_details_of_a_result_are_told_in_steps(ledger: Ledger) -> None:
    told = worked(ledger, of="r1", path="derivation")
    assert told["details"] == ["KV: 2 · 80 · 8 = 2.5 GiB"]
    assert worked(ledger, of="R1", path="ways[0].memory")["details"] == {"needed_per_gpu": "20.5 GiB"}


@pytest.mark.parametrize(
    ("expression", "values", "unit", "value"),
    [
        pytest.param("a * n", {"a": "500 µs", "n": "32"}, "ms", "16 ms", id="microseconds"),
        pytest.param("a * n", {"a": "80 us", "n": "1000"}, "s", "0.08 s", id="us"),
        pytest.param("n / r", {"n": "9000", "r": "2.5 clips/min"}, "h", "60 h", id="clips-a-minute"),
        pytest.param("n / r", {"n": "4500", "r": "0.5 pictures per second"}, "h", "2.5 h", id="per-second"),
        pytest.param("t * f", {"t": "3 minutes", "f": "25 fps"}, "frames", "4,500 frames", id="fps"),
        pytest.param("t / s", {"t": "90 minutes", "s": "30 sec"}, "none", "180", id="times-of-one-another"),
        pytest.param("t / s", {"t": "2 小时", "s": "40 秒"}, "none", "180", id="chinese"),
        pytest.param("a / r", {"a": "10 hours", "r": "40 s of audio/s"}, "min", "15 min", id="audio"),
        pytest.param("r * t", {"r": "120 requests/h", "t": "0.5 days"}, "requests", "1,440 requests", id="hourly"),
        pytest.param("w * t", {"w": "1.2 kW", "t": "3 weeks"}, "kWh", "605 kWh", id="weeks"),
        pytest.param("n / r", {"n": "1500", "r": "0.25 samples/s"}, "min", "100 min", id="samples"),
    ],
)  # fmt: skip
def test_units_are_read_as_people_write_them(
    ledger: Ledger, expression: str, values: dict[str, str], unit: str, value: str
) -> None:
    told = worked(ledger, (" ".join(values.values()),), expression=expression, values=values, unit=unit)

    assert told["value"] == value
    assert "assumed" not in told


@pytest.mark.parametrize(
    ("text", "value"),
    [("每段二十分钟", "20 min"), ("in twelve hours", "12 h"), ("about 12 GB", "12.0 GB"), ("5万张", "50000"),
     ("8 cards", "8")],
)  # fmt: skip
def test_what_stands_in_the_message_is_the_persons(ledger: Ledger, text: str, value: str) -> None:
    assert worked(ledger, (text,), expression="a * 2", values={"a": value})["from"] == {"a": "the person"}


@pytest.mark.parametrize(("value", "source"), [("20.5 GiB", "R1"), ("24", "assumed"), ("20.5 s", "assumed")])
def test_a_figure_is_a_results_only_by_its_unit(ledger: Ledger, value: str, source: str) -> None:
    found = worked(ledger, expression="a * 2", values={"a": value})["from"]["a"]

    assert found == ("a result" if source == "R1" else source)


def test_a_rate_of_a_result_goes_with_times(ledger: Ledger) -> None:
    ledger.keep(
        LookedUp(key=ledger.next_key(), tool="find_ways_to_train", request={}, worked=(),
                 shown={"samples_per_s": "0.344 samples/s (0.2–0.5)"})
    )  # fmt: skip
    told = worked(
        ledger, ("1500 pictures",), expression="n / r", values={"n": "1500", "r": "R2.samples_per_s"}, unit="h"
    )

    assert told["value"] == "1.21 h (0.833–2.08)"


def test_a_figure_of_the_person_may_stand_in_the_expression() -> None:
    asked = {"expression": "hours * 120 / 8", "values": {"hours": "2 h"}, "unit": "h"}
    assert agent_tool("work_out").look_up(asked, Ledger(), ("about 120 runs on 8 cards",)).shown["value"] == "30 h"
    assert agent_tool("work_out").look_up(asked, Ledger(), ("about 130 runs",)).failed


@pytest.mark.parametrize(
    ("expression", "values", "unit", "value"),
    [
        pytest.param("6 * n * d / (cards * peak * mfu)", {"n": "7B", "d": "2T", "cards": "64", "peak": "989 TFLOPS",
                     "mfu": "40 %"}, "days", "38.4 days", id="training-time-from-a-rate-of-operations"),
        pytest.param("cards * peak / (6 * n)", {"cards": "8", "peak": "400 TFLOP/s", "n": "32B"}, "tokens/s",
                     "16,667 tokens/s", id="tokens-a-second"),
        pytest.param("work / peak", {"work": "8.4e22 FLOPs", "peak": "1 EFLOPS"}, "h", "23.3 h", id="work-is-counted"),
        pytest.param("seen / peak", {"seen": "450 TFLOP/s", "peak": "1.8 PFLOPS"}, "%", "25 %", id="a-share"),
        pytest.param("seen / peak * 100", {"seen": "450 TFLOPS", "peak": "1.8 PFLOPS"}, "%", "25 %",
                     id="a-share-that-was-made-percent-already"),
        pytest.param("n * long / rate", {"n": "80", "long": "20 s", "rate": "160 (100–320)"}, "s", "10 s (5–16)",
                     id="a-range-is-kept"),
        pytest.param("a - b", {"a": "30 GiB (28 GiB–34 GiB)", "b": "10 GiB (9.0 GiB–11 GiB)"}, "GiB",
                     "20 GiB (17–25)", id="ranges-of-two"),
    ],
)  # fmt: skip
def test_operations_and_ranges_go_through_a_calculation(
    expression: str, values: dict[str, str], unit: str, value: str
) -> None:
    told = worked(Ledger(), (" ".join(values.values()),), expression=expression, values=values, unit=unit)
    assert told["value"] == value


def test_a_unit_that_the_value_has_is_told_though_none_was_asked_for(ledger: Ledger) -> None:
    told = worked(
        ledger, ("$21,000 for 730 h",), expression="a / h", values={"a": "$21,000", "h": "730 h"}, unit="none"
    )

    assert told["value"] == "$28.77/h"


@pytest.mark.parametrize(
    ("words", "values", "unit", "value"),
    [
        ("we spend $6.2k on it", {"a": "$6.2k"}, "usd", "$3,100"),
        ("중고 61만", {"a": "61만원"}, "KRW", "KRW 305,000"),
        ("CHF 12,400 for it", {"a": "CHF 12,400"}, "CHF", "CHF 6,200"),
        ("€900 per month", {"a": "900 EUR/month"}, "EUR", "€450.00/month"),
        ("$32,000", {"a": "$32,000"}, "TWD", "TWD 512,000"),
    ],
)  # fmt: skip
def test_money_is_read_as_people_write_it(words: str, values: dict[str, str], unit: str, value: str) -> None:
    assert worked(Ledger(), (words,), expression="a / 2", values=values, unit=unit)["value"] == value


def test_a_share_in_the_expression_is_told_as_assumed_and_a_speed_in_a_sentence_is_the_results() -> None:
    made = Ledger()
    shown = {"changes": [{"effect": "8.8 → 10.9 tokens a second"}]}
    made.keep(LookedUp(key=made.next_key(), tool="find_ways_to_run", request={}, shown=shown))
    told = worked(made, expression="a * 0.85", values={"a": "10.9 tokens/s"})
    assert told["from"]["a"] == "a result"
    assert told["assumed"] == ["0.85"]
