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
            "ceil(users * 10 / total)", {"users": "100", "total": "R1.ways[0].speed.tokens_per_s_total"}, "none", "4",
            "R1", id="interval-by-its-middle",
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


def test_details_of_a_result_are_told_in_steps(ledger: Ledger) -> None:
    told = worked(ledger, of="r1", path="derivation")
    assert told["details"] == ["KV: 2 · 80 · 8 = 2.5 GiB"]
    assert worked(ledger, of="R1", path="ways[0].memory")["details"] == {"needed_per_gpu": "20.5 GiB"}
