"""A month's tokens beside what services ask for the same model, where the asker names no price."""

import pytest

from assistant.ground.check import ground
from kb.market.api_prices import api_prices
from tests.assistant.planning import talk, turn


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        pytest.param("deepseek v3.2 1M tokens per day, is self-hosting cheaper than the API?", "The API is cheaper",
                     id="few"),
        pytest.param("每月 5 亿 token，自建 Qwen3-32B 比调 API 便宜吗？", "用 API 更便宜", id="few-zh"),
        pytest.param("We use 20 billion tokens a month of Llama 3.3 70B. Self-host or API?", "Your own hardware",
                     id="many"),
    ],
)  # fmt: skip
def test_a_service_is_held_against_hardware_without_being_priced_by_the_asker(text: str, verdict: str) -> None:
    understanding, records, draft = turn(text)
    least = api_prices(understanding.need.model)[0]
    volumes = [one.result["volume"] for one in records if one.tool == "estimate_cost"]
    assert volumes
    assert all(one["api"][0]["provider"] == least.provider for one in volumes)
    first = draft.answer.split("\n")[0]
    assert first.lstrip("*").startswith(verdict)
    assert least.provider in first
    assert least.as_of in first
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def test_a_price_that_was_stated_stands() -> None:
    _, records, draft = turn("500M tokens a month, Qwen3-32B, our API provider charges $0.9 per million. Self-host?")
    volume = next(one.result["volume"] for one in records if one.tool == "estimate_cost")
    assert volume["api"] == []
    assert volume["api_cost"] == pytest.approx(450)
    assert "Nscale" not in draft.answer


def test_a_model_that_no_list_has_is_told_by_its_own_price_alone() -> None:
    _, records, draft = turn("300M tokens a month of Qwen2.5-7B on our own GPUs, what would it cost?")
    volume = next(one.result["volume"] for one in records if one.tool == "estimate_cost")
    assert volume["api_cost"] is None
    assert "an API that asks more than this is dearer" in draft.answer


@pytest.mark.parametrize(
    ("turns", "monthly"),
    [
        pytest.param(("self-host Qwen3-32B at 2B tokens a month or API?", "what about 20B tokens?"), 2e10, id="tokens"),
        pytest.param(("self-host Qwen3-32B at 500M tokens a month or API?", "and at 5 billion?"), 5e9, id="bare"),
        pytest.param(("每月 5 亿 token，自建 Qwen3-32B 比调 API 便宜吗？", "每月 100 亿呢"), 1e10, id="zh"),
    ],
)
def test_another_amount_is_another_month(turns: tuple[str, str], monthly: float) -> None:
    understanding, records, draft = talk(*turns)
    assert understanding.need.tokens_per_month == monthly
    assert understanding.need.model == "Qwen/Qwen3-32B"
    assert understanding.need.dataset_tokens is None
    assert {one.result["volume"]["tokens_per_month"] for one in records if one.tool == "estimate_cost"} == {monthly}
    assert "Nscale" in draft.answer.split("\n")[0]
