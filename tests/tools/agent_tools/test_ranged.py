"""Figures that are told as a range without a middle, in calculations."""

from typing import Any

import pytest

from tools.agent_tools.ledger import Ledger, LookedUp
from tools.agent_tools.ranged import middle, parted
from tools.agent_tools.toolset import agent_tool


def worked(words: tuple[str, ...] = (), **arguments: Any) -> dict[str, Any]:
    ledger = Ledger()
    shown = {"time": "7.1–22 min", "speed": "25–49 tokens/s", "ratio": "0.9–1.1"}
    ledger.keep(LookedUp(key=ledger.next_key(), tool="find_ways_to_train", request={}, shown=shown))
    return agent_tool("work_out").look_up(arguments, ledger, words).shown


@pytest.mark.parametrize(
    ("said", "ends"),
    [
        ("7.1–22 min", ("7.1 min", "22 min")), ("25-49 tok/s", ("25 tok/s", "49 tok/s")),
        ("$2–3/h", ("$2 /h", "$3 /h")), ("20 到 30 小时", ("20 小时", "30 小时")), ("3 h", None), ("30–20 h", None),
        ("RTX 3090", None), ("3e-5", None), ("2026-09-20", None), ("2.08 h (1.18–3.67)", None),
    ],
)  # fmt: skip
def test_a_range_has_two_ends_of_one_unit(said: str, ends: tuple[str, str] | None) -> None:
    assert parted(said) == ends


def test_a_range_is_reckoned_with_by_its_ends() -> None:
    told = worked(expression="n * each", values={"n": "10", "each": "R1.time"}, unit="h")

    assert told["value"] == "2.08 h (1.18–3.67)"
    assert middle(4, 9) == 6


def test_a_range_of_a_result_may_be_written_out_and_one_of_nobody_may_not() -> None:
    assert worked(expression="n / s", values={"n": "9800", "s": "25–49 tokens/s"})["value"].endswith("(200–392)")
    assert worked(("I get 45 to 90 tok/s",), expression="n / s", values={"n": "900", "s": "45-90 tok/s"})["value"]
    assert "error" in worked(expression="n / s", values={"n": "900", "s": "45-90 tokens/s"})


def test_of_two_estimates_of_one_card_and_model_the_ratio_is_known_better_than_either() -> None:
    ledger = Ledger()
    for time, speed in (("11 h (4–30)", "60–140 tokens/s"), ("22 h (8–60)", "30–70 tokens/s")):
        ledger.keep(LookedUp(
            key=ledger.next_key(), tool="find_ways_to_train", request={"model": "8B", "cards": "2x 4090"},
            shown={"time": time, "speed": speed},
        ))  # fmt: skip

    def said(**arguments: Any) -> str:
        return str(agent_tool("work_out").look_up(arguments, ledger, ()).shown["value"])

    assert said(expression="b / a", values={"a": "R1.time", "b": "R2.time"}) == "2 (1.61–2.48)"
    assert said(expression="a + b", values={"a": "R1.time", "b": "R2.time"}, unit="h") == "33 h (12–90)"
    work = said(
        expression="a * s", values={"a": "R1.time", "s": "R1.speed"}, unit="none"
    )  # a rate falls as a time grows
    low, high = (float(one) for one in work.partition(" (")[2].rstrip(")").replace(",", "").split("–"))
    assert high / low < 6
