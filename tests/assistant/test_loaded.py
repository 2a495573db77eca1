"""Sets of cards weighed for a stated load are raced under it: who holds it, how fast each is served, for what money."""

import pytest

from assistant.answer import ToolCallRecord
from assistant.compose import names, numbers
from assistant.ground.check import ground
from assistant.plan import loaded
from tests.assistant.planning import turn


def served(records: list[ToolCallRecord], gpu: str) -> list[dict[str, str]]:
    """The figures of a set as they are told, one row for each format that was timed under the load."""
    return [
        {
            "each": numbers.figure(one.result["tokens_per_s_per_user"]["value"]),
            "whole": numbers.figure(one.result["tokens_per_s_total"]["value"]),
            "wait": numbers.duration(one.result["time_to_first_token_s"]["value"])[0],
            "at_once": str(one.request["concurrent_sequences"]),
        }
        for one in records
        if one.tool == "estimate_inference_speed" and one.result["gpu"] == gpu
    ]


@pytest.mark.usefixtures("fresh_prices")
@pytest.mark.parametrize(
    ("text", "active", "first", "second"),
    [
        ("8 H100 or 4 B200 to serve Qwen3-235B to 300 users?", 60, ("b200-sxm-180gb", 4), ("h100-sxm-80gb", 8)),
        ("8 张 H100 和 4 张 B200 哪个更适合给 300 人用 Qwen3-235B？", 60, ("b200-sxm-180gb", 4), ("h100-sxm-80gb", 8)),
        ("8 H100 or 4 B200 to serve 300 users?", 60, ("b200-sxm-180gb", 4), ("h100-sxm-80gb", 8)),
        ("8×4090 和 2×H100 部署 Qwen3-32B，并发 100 选哪个？", 100, ("h100-sxm-80gb", 2), ("rtx-4090-24gb", 8)),
        ("2x 4090 or 1x L40S to serve Qwen3-14B to 20 people?", 4, ("rtx-4090-24gb", 2), ("l40s-48gb", 1)),
    ],
)
def test_both_sets_are_raced_for_the_load_and_it_is_said(
    text: str, active: int, first: tuple[str, int], second: tuple[str, int]
) -> None:
    _, records, draft = turn(text)
    verdict = draft.answer.split("\n\n")[0]
    for gpu, count in (first, second):
        rows = served(records, gpu)
        assert {row["at_once"] for row in rows} == {str(active)}
        told = verdict[: verdict.index("[2]")].rpartition(names.cards(gpu, count) + " ")[2]
        assert any(all(row[key] in told for key in ("each", "whole", "wait")) for row in rows)
    assert verdict.index(names.cards(*first)) < verdict.index(names.cards(*second))
    assert "for one user" not in draft.answer
    assert "$" in verdict
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def test_who_would_hold_them_all_at_once_is_said() -> None:
    _, records, draft = turn("8 H100 or 4 B200 to serve Qwen3-235B to 300 users?")
    held = [one.result["fit"] for one in records if one.tool == "estimate_memory"]
    able = {one["gpu"] for one in held if one["max_concurrent_sequences"] >= 300}
    assert able == {"b200-sxm-180gb"}
    assert "All 300 at once would fit only 4×B200" in draft.answer


@pytest.mark.parametrize(
    ("text", "holds", "less"),
    [
        ("4090 x8 or A100 x4 for a 70B FP8 chat with 200 concurrent requests?", "4×A100 SXM4 80GB", "8×RTX 4090"),
        ("4 张 A100 还是 8 张 4090，70B FP8 并发 200 选哪个？", "4×A100 SXM4 80GB", "8×RTX 4090"),
    ],
)
def test_who_does_not_hold_it_is_told_with_how_many_it_holds(text: str, holds: str, less: str) -> None:
    _, records, draft = turn(text)
    only, rest = draft.answer.split("\n\n")[0].split("[1]", 1)
    fits = [
        one.result["fit"]["max_concurrent_sequences"]
        for one in records
        if one.tool == "estimate_memory" and one.request.get("gpu") == "rtx-4090-24gb" and one.result.get("fit")
        if one.request.get("engine") != "llama.cpp"  # which does not serve so many
    ]
    assert max(fits) < 200
    assert holds in only
    assert less not in only
    assert less in rest
    assert str(max(fits)) in rest
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    ("text", "keeps"),
    [
        ("8x H100 vs 4x B200 for Llama 3.1 70B at 50 QPS?", "none of them keeps up"),
        ("4x L40S or 2x H100 at 2 requests per second for Qwen3-32B FP8?", "only 2×H100 SXM5 80GB keeps up"),
        ("4 张 A100 和 2 张 H200 哪个更适合 500 RPM 跑 Qwen2.5-72B？", "都跟不上"),
        ("4 张 A100 和 2 张 H200 哪个更适合每分钟 60 个请求跑 Qwen2.5-72B？", "都跟得上"),
    ],
)
def test_a_rate_of_requests_is_held_against_what_each_set_finishes(text: str, keeps: str) -> None:
    _, records, draft = turn(text)
    verdict = draft.answer.split("\n\n")[0]
    assert keeps in verdict
    full = [
        one.result["requests_per_s"]["value"]
        for one in records
        if one.tool == "estimate_inference_speed" and (one.request.get("concurrent_sequences") or 1) > 1
    ]
    assert len(full) == 2
    assert all(numbers.figure(one) in verdict for one in full)
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("50 QPS", 50),
        ("at 2.5 requests per second", 2.5),
        ("600 rpm", 10),
        ("1.2k requests a minute", 20),
        ("每秒 30 个请求", 30),
        ("每分钟 1200 次", 20),
        ("每分钟 1.2 万个请求", 200),
        ("2000 TPS", None),
        ("300 users", None),
        ("50 tokens per second", None),
        ("20 requests per month", None),
    ],
)
def test_requests_a_second_are_read(text: str, rate: float | None) -> None:
    assert loaded.rate(text) == rate


@pytest.mark.parametrize(
    "text", ["8 H100 or 4 B200?", "8 H100 or 4 B200 for Qwen3-235B?", "8 张 H100 和 4 张 B200 跑 Qwen3-235B 选哪个？"]
)
def test_without_a_load_sets_are_compared_as_before(text: str) -> None:
    answer = turn(text)[2].answer
    assert "busy moment" not in answer
    assert "keeps up" not in answer
    assert "在途" not in answer


def test_a_race_of_single_cards_under_a_load_says_the_load() -> None:
    _, records, draft = turn("H100 or B200 to serve Qwen3-32B to 300 users, which is faster?")
    at_once = {one.request["concurrent_sequences"] for one in records if one.tool == "estimate_inference_speed"}
    assert at_once == {60}
    assert "60" in draft.answer.split("\n\n")[0]
    assert "for one user" not in draft.answer.split("\n\n")[0]


@pytest.mark.parametrize(
    ("text", "none"),
    [
        ("8×4090 还是 8×5090 服务 400 并发的 Qwen3-32B AWQ？", "都放不下"),
        ("8x 4090 or 8x 5090 to serve Qwen3-32B AWQ to 400 concurrent requests?", "None of them holds 400"),
    ],
)
def test_where_none_holds_it_the_most_of_each_is_told(text: str, none: str) -> None:
    _, records, draft = turn(text)
    verdict = draft.answer.split("\n\n")[0]
    most = [
        one.result["fit"]["max_concurrent_sequences"]
        for one in records
        if one.tool == "estimate_memory" and one.request.get("weight_format") == "awq"
    ]
    assert none in verdict
    assert max(most) < 400
    assert all(str(count) in verdict for count in most)
    assert "GGUF" not in verdict
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded
