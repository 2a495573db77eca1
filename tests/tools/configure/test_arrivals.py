"""Requests a day as a load: Little's law by hand, in the words people use."""

import pytest

from tools.agent_tools.ledger import Ledger
from tools.agent_tools.toolset import agent_tool
from tools.configure.load.arrivals import read_arrivals


@pytest.mark.parametrize(
    ("said", "per_s", "tokens"),
    [
        ("20k requests/day, 500 tokens", 4 * 20_000 / 86_400, 500),
        ("every day 43,200 requests per day with 250 tokens out", 2, 250),
        ("每天2万次请求", 4 * 20_000 / 86_400, 500),
        ("90 requests per minute", 1.5, 500),
        ("12 rps", 12, 500),
        ("7200 calls an hour, 100 tokens", 2, 100),
        ("8,640 docs per day: 2000 in / 300 out", 0.4, 300),
    ],
)
def test_a_rate_is_read_as_people_write_it(said: str, per_s: float, tokens: int) -> None:
    found = read_arrivals(said)
    assert found is not None
    assert found.per_s == pytest.approx(per_s, rel=0.01)
    assert found.answer_tokens == tokens


def test_as_many_are_answered_at_once_as_come_while_one_is() -> None:
    """43,200 a day are 2/s in the busy hour; 500 tokens at 25/s and a second are 21 s: 42 at once, 1,000 tok/s."""
    found = read_arrivals("43200 requests/day, 500 tokens", 25)
    assert found is not None
    assert found.at_once == 42
    assert "1,000 tokens/s in all" in found.said


@pytest.mark.parametrize("said", ["500", "200 people", "8 users at 20 tokens/s", "32 at once", "30 tokens per second"])
def test_a_number_of_people_or_a_speed_is_no_rate_of_requests(said: str) -> None:
    assert read_arrivals(said) is None


def test_an_order_is_sized_for_the_requests_of_a_day_with_the_arithmetic_told() -> None:
    shown = (
        agent_tool("configure")
        .look_up({"model": "Qwen3-8B", "users": "86,400 requests a day, 300 tokens", "acquisition": "buy"}, Ledger())
        .shown
    )
    assert "4 requests/s in the busy hour" in shown["load"]
    assert shown["orders"]


def test_long_prompts_take_more_than_their_answers_do() -> None:
    """What is recommended reads the prompts in time, too, and the load says for how many at once it was sized."""
    asked = {"model": "Qwen3-32B", "users": "20k requests/day, 2000 in 500 out", "acquisition": "buy", "country": "US"}
    shown = agent_tool("configure").look_up(asked, Ledger()).shown
    assert "1,852 tokens/s to be read" in shown["load"]
    assert shown["orders"][0]["keeps_up"].endswith("enough")


def test_a_few_short_requests_need_no_more_than_their_answers() -> None:
    asked = {"model": "Qwen3-8B", "users": "500 requests/day, 200 in 200 out", "acquisition": "buy", "country": "US"}
    shown = agent_tool("configure").look_up(asked, Ledger()).shown
    assert "sized for" not in shown["load"]
