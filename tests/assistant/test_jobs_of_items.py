"""What a known amount of speech, pictures or texts costs to get through, rented."""

import pytest

from assistant.ground.check import ground
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "field", "amount"),
    [
        ("2000 hours of audio a month through whisper large-v3, what does it cost rented?", "audio_s", 7_200_000),
        ("每天 500 小时会议录音，用 whisper large-v3 转文字，一个月租卡要多少钱", "audio_s", 54_750_000),
        ("用 FLUX.1 dev 出十万张图，租卡大概花多少", "images", 100_000),
        ("how much to generate 1 million SDXL images on rented GPUs?", "images", 1_000_000),
        ("We need to embed 20 million documents of 800 tokens with bge-m3, how much?", "documents", 20_000_000),
        ("cheapest way to embed 51.2B tokens with bge-m3?", "documents", 100_000_000),
    ],
)  # fmt: skip
def test_the_work_is_priced_at_the_least_rent(text: str, field: str, amount: int) -> None:
    _, records, draft = turn(text)
    priced = [one for one in records if one.tool == "estimate_cost"]
    assert {one.request[field] for one in priced} == {amount}
    costs = [one.result["run"]["cheapest_cost"] for one in priced]
    shown = min(costs)
    figure = f"{shown:,.0f}" if shown < 1000 else f"{float(f'{shown:.3g}'):,.0f}"
    assert figure in draft.answer.split("\n")[0] or f"{shown:,.2f}" in draft.answer.split("\n")[0]
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("120k hours of speech to transcribe once with whisper large-v3-turbo, budget $3k, is that enough?", "Yes"),
        ("30M hours of speech to transcribe with whisper large-v3 on rented GPUs, $1,000 enough?", "No"),
    ],
)
def test_a_budget_is_held_against_the_job(text: str, starts: str) -> None:
    _, _, draft = turn(text)
    assert draft.answer.lstrip("*").startswith(starts)


def test_a_billion_documents_is_no_size_of_a_model() -> None:
    understanding, *_ = turn("embedding 1 billion documents with bge-m3, what would it cost?")
    assert understanding.need.model == "BAAI/bge-m3"
    assert not understanding.workloads
