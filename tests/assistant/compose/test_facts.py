from collections.abc import Callable
from typing import Any

import pytest

from assistant.answer import Draft, ToolCallRecord
from assistant.compose import compose
from assistant.understanding import Understanding
from tools.compare_gpus import ComparisonRequest, compare_gpus
from tools.find_gpus import GpuQuery, find_gpus
from tools.find_offers import OfferQuery, find_offers
from tools.need import Need


def ran(tool: Callable[[Any], Any], request: Any) -> ToolCallRecord:
    return ToolCallRecord(
        tool=tool.__name__, request=request.model_dump(mode="json"), result=tool(request).model_dump(mode="json")
    )


def answered(text: str, *calls: ToolCallRecord, language: str = "en", **need: Any) -> Draft:
    return compose(Understanding(text=text, language=language, need=Need.model_validate(need)), calls)


def first(draft: Draft) -> str:
    return draft.answer.splitlines()[0]


def test_a_missing_link_is_denied_whatever_a_document_says(passages: Callable[..., ToolCallRecord]) -> None:
    call = ran(find_gpus, GpuQuery(names=("rtx-6000-ada-48gb",)))
    wrong = passages("The RTX 6000 Ada supports NVLink at full speed.", language="en")
    draft = answered(
        "Does the RTX 6000 Ada support NVLink?", call, wrong, intent="spec", gpus_asked=["rtx-6000-ada-48gb"]
    )
    assert draft.verdict == "fact"
    assert first(draft).startswith("**No: the RTX 6000 Ada")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_cards_with_and_without_are_told_apart(language: str) -> None:
    names = ("rtx-3090-24gb", "rtx-a6000-48gb", "rtx-4090-24gb")
    call = ran(find_gpus, GpuQuery(names=names))
    draft = answered("NVLink 3090 A6000 4090", call, language=language, intent="interconnect", gpus_asked=list(names))
    have, lack = first(draft).split({"zh": "不带", "en": "Without"}[language])
    assert "3090" in have
    assert "A6000" in have
    assert "4090" in lack


def test_the_aspect_asked_about_comes_first() -> None:
    call = ran(find_gpus, GpuQuery(names=("rtx-3090-24gb",)))
    draft = answered("what memory bandwidth has a 3090?", call, intent="spec", gpus_asked=["rtx-3090-24gb"])
    assert "936 GB/s" in draft.answer
    assert draft.citations[0].kind == "catalog"


def test_a_comparison_names_the_winner_for_the_work() -> None:
    call = ran(compare_gpus, ComparisonRequest(gpus=("h20-96gb", "a800-sxm-80gb"), workload="llm_decode"))
    draft = answered("H20 还是 A800？", call, language="zh", intent="compare", task="inference",
                     gpus_asked=["h20-96gb", "a800-sxm-80gb"])  # fmt: skip
    assert draft.verdict == "comparison"
    assert first(draft).startswith("**选 H20")
    assert "训练" in draft.answer


def test_memory_decides_a_comparison_before_speed(estimate: Callable[..., ToolCallRecord]) -> None:
    call = ran(compare_gpus, ComparisonRequest(gpus=("rtx-4090-24gb", "rtx-a6000-48gb"), workload="lora"))
    calls = [
        call,
        estimate(28, gpus=1, task="lora", gpu="rtx-4090-24gb", usable=23.5),
        estimate(28, gpus=1, task="lora", gpu="rtx-a6000-48gb", usable=47.0),
        estimate(9, gpus=1, task="qlora", weight_format="nf4", gpu="rtx-4090-24gb", usable=23.5),
    ]
    draft = answered("4090 or A6000 for LoRA on a 13B?", *calls, intent="compare", task="lora",
                     gpus_asked=["rtx-4090-24gb", "rtx-a6000-48gb"])  # fmt: skip
    assert "A6000" in first(draft)
    assert "QLoRA" in first(draft)
    assert draft.verdict == "comparison"


def test_board_power_is_summed_and_held_against_the_supply() -> None:
    call = ran(find_gpus, GpuQuery(names=("rtx-3090-24gb",)))
    draft = answered("4 张 3090，1200W 电源够吗", call, language="zh", intent="power",
                     gpus_owned=[{"gpu": "rtx-3090-24gb", "count": 4}])  # fmt: skip
    assert "4 × 350 W = 1,400 W" in first(draft)
    assert "带不动" in draft.answer


def test_offers_come_with_price_and_date() -> None:
    call = ran(find_offers, OfferQuery(gpu="h100-sxm-80gb", limit=3))
    draft = answered("rent an H100", call, intent="cloud_or_buy", gpus_asked=["h100-sxm-80gb"])
    assert "/h" in first(draft)
    assert any(citation.date for citation in draft.citations)
