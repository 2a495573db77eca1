from collections.abc import Callable

import pytest

from assistant.answer import ToolCallRecord
from assistant.compose import compose
from assistant.compose.orders import own
from assistant.understanding import Understanding

Estimate = Callable[..., ToolCallRecord]
Asked = Callable[..., Understanding]


def test_too_large_in_the_published_format_but_fitting_in_four_bit_fits_with_changes(
    estimate: Estimate, asked: Asked
) -> None:
    draft = compose(asked(), [estimate(34), estimate(10, weight_format="int4")])
    assert draft.verdict == "fits_with_changes"
    first = draft.answer.splitlines()[0]
    assert first.startswith("**能，但要用 INT4")
    assert "BF16 放不下" in first


def test_adapters_that_fit_lead_where_no_method_was_insisted_on(estimate: Estimate, asked: Asked) -> None:
    calls = [estimate(34, task="full_finetune", sharding="zero3"), estimate(10, task="lora", sharding="zero3")]
    open_, full = (asked(text, "en", task="full_finetune") for text in ("Fine-tune it?", "Full fine-tune of it?"))
    assert compose(open_, calls).answer.startswith("**Yes, with LoRA")
    assert compose(full, calls).answer.startswith("**No: full fine-tuning")


def test_cards_in_hand_are_used_and_come_first(estimate: Estimate, asked: Asked, configured: ToolCallRecord) -> None:
    owned = configured.model_copy(deep=True)
    first, *others = owned.result["configurations"]
    mine = first | {"gpu": "rtx-3090-24gb", "gpu_count": 4, "owned_count": 4, "acquisition": "buy"}
    mine["price"] = first["price"] | {"amount": None, "low": None, "high": None, "asked_price": None}
    owned.result["configurations"] = [first | {"gpu": "l40s-48gb"}, mine, *others]
    draft = compose(asked("Can 4x 3090 run it?", "en"), [estimate(34), owned])
    listed = [line for line in draft.answer.splitlines() if line.startswith("- **")]
    assert listed[0].startswith("- **On** 4×RTX 3090;")
    assert not any("Buy** 4×RTX 3090" in line for line in listed)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Can 2x 4090 run it?", False),
        ("Would a 3090 do for this?", False),
        ("Is an L40S enough for our model?", True),
        ("I have two 3090s, enough?", True),
        ("can my 4060 Ti handle it", True),
        ("we own 8 A100s", True),
        ("两张 4090 能跑吗", False),
        ("我有两张 4090，能跑吗", True),
        ("手上 4 张 A10，够吗", True),
    ],
)
def test_cards_are_the_askers_only_where_that_is_said(text: str, said: bool) -> None:
    assert own(text) is said


def test_the_longest_context_is_told_where_the_one_asked_for_does_not_fit(estimate: Estimate, asked: Asked) -> None:
    call = estimate(34)
    call.result["fit"]["max_context_tokens"] = 51_255
    draft = compose(asked("128k?", "en", context_tokens=131_072, intent="context_length"), [call])
    assert "hold a context of about 51,250 tokens" in draft.answer


def test_a_stated_format_that_does_not_fit_is_a_plain_no(estimate: Estimate, asked: Asked) -> None:
    draft = compose(asked(weight_format="bf16"), [estimate(34), estimate(10, weight_format="int4")])
    assert draft.verdict == "does_not_fit"


def test_what_fits_is_said_to_fit(estimate: Estimate, asked: Asked) -> None:
    draft = compose(asked("Can 4x 3090 run it?", "en"), [estimate(10)])
    assert draft.verdict == "fits"
    assert draft.answer.startswith("**Yes")


def test_a_tight_fit_says_that_no_margin_is_left(estimate: Estimate, asked: Asked) -> None:
    draft = compose(asked("Can 4x 3090 run it?", "en"), [estimate(21.6)])
    assert draft.answer.startswith("**Just about")


def test_the_table_has_a_column_for_each_format_and_adds_up(estimate: Estimate, asked: Asked) -> None:
    draft = compose(asked(), [estimate(34), estimate(10, weight_format="int4")])
    table = [line for line in draft.answer.splitlines() if line.startswith("|")]
    assert "BF16" in table[0]
    assert "INT4" in table[0]
    assert any(line.startswith("| 权重 | 34.0 | 10.0 |") for line in table)
    assert any("35" in line and "合计" in line for line in table)


def test_every_marker_has_a_citation_and_every_citation_a_marker(
    estimate: Estimate, asked: Asked, configured: ToolCallRecord, passages: Callable[..., ToolCallRecord]
) -> None:
    calls = [
        estimate(34),
        estimate(10, weight_format="int4"),
        configured,
        passages("四比特量化之后能跑，放得进四张卡。"),
    ]
    draft = compose(asked(gpus_owned=(), gpus_asked=("rtx-3090-24gb", "rtx-a6000-48gb")), calls)
    assert draft.citations
    for citation in draft.citations:
        assert f"[{citation.marker}]" in draft.answer
    assert {citation.kind for citation in draft.citations} == {"calculation", "catalog", "document"}
    assert f"[{len(draft.citations) + 1}]" not in draft.answer


def test_a_document_is_quoted_word_for_word(
    estimate: Estimate, asked: Asked, passages: Callable[..., ToolCallRecord]
) -> None:
    text = "先看带宽。四比特量化之后能跑，放得进四张卡。电源另算。"
    draft = compose(asked(), [estimate(10), passages(text)])
    quoted = [citation for citation in draft.citations if citation.kind == "document"]
    assert quoted[0].quote in text
    assert quoted[0].quote in draft.answer
    assert quoted[0].locator.startswith("guide.md:10 ")


def test_old_prices_are_flagged_and_carry_their_date(
    estimate: Estimate, asked: Asked, configured: ToolCallRecord
) -> None:
    draft = compose(asked(), [estimate(40), configured])
    assert "2020-01-02" in draft.answer
    assert "旧价" in draft.answer
    assert len(draft.configurations) == 2


def test_more_of_the_same_card_is_offered_when_it_would_fit(estimate: Estimate, asked: Asked) -> None:
    draft = compose(asked(), [estimate(34, minimum={"rtx-3090-24gb": 8})])
    assert "8×" in draft.answer


def test_without_a_card_every_format_gets_its_total(estimate: Estimate, asked: Asked) -> None:
    need = asked("70B 推理显存下限", intent="min_vram", gpus_owned=[])
    calls = [estimate(34, usable=None), estimate(10, weight_format="int4", usable=None)]
    draft = compose(need, calls)
    assert draft.verdict == "estimate"
    assert "BF16" in draft.answer.splitlines()[0]
    assert "INT4" in draft.answer.splitlines()[0]
    assert draft.clarifying_questions


def test_counts_of_the_card_asked_about_are_the_answer(estimate: Estimate, asked: Asked) -> None:
    need = asked("要几张 3090？", intent="how_many_gpus", gpus_owned=[{"gpu": "rtx-3090-24gb"}])
    calls = [
        estimate(134, gpus=1, minimum={"rtx-3090-24gb": 8}),
        estimate(40, weight_format="int4", gpus=1, minimum={"rtx-3090-24gb": 2}),
    ]
    draft = compose(need, calls)
    first = draft.answer.splitlines()[0]
    assert "8×" in first
    assert "2×" in first
    assert draft.verdict == "recommendation"


def test_what_was_not_stated_is_said_to_be_assumed(estimate: Estimate, asked: Asked) -> None:
    taken = (
        "context_tokens not stated: 8,192 tokens a sequence assumed.",
        "concurrent_sequences not stated: 1 assumed.",
    )
    draft = compose(asked(), [estimate(10, assumptions=taken)])
    assert any("8,192" in line for line in draft.assumptions)
    assert not any("8,192" in line for line in compose(asked(), [estimate(10)]).assumptions)


def test_the_longest_context_is_given_when_asked(estimate: Estimate, asked: Asked) -> None:
    draft = compose(asked("上下文最长多少", intent="context_length"), [estimate(10)])
    assert "20,000" in draft.answer.splitlines()[0]


def test_the_answer_to_the_same_material_is_the_same(
    estimate: Estimate, asked: Asked, configured: ToolCallRecord
) -> None:
    calls = [estimate(34), estimate(10, weight_format="int4"), configured]
    assert compose(asked(), calls) == compose(asked(), calls)


def test_a_way_that_fits_is_named_once_and_with_room_before_the_tight(estimate: Estimate, asked: Asked) -> None:
    ways = [estimate(21.8, weight_format="int8"), estimate(10, weight_format="int4")]
    twice = estimate(10, weight_format="int4", host_memory_bytes=2**36)
    draft = compose(
        asked("Can 4x 3090 run it?", "en"), [estimate(34), *ways, twice, estimate(5, weight_format="gguf:Q2_K")]
    )
    first = draft.answer.splitlines()[0]
    assert first.startswith("**Yes, in INT4 (about 11.0 GiB per GPU) [1], but not in BF16")
    assert "Q2_K" not in first


def test_what_an_engine_reserves_is_told_from_what_a_model_needs(estimate: Estimate, asked: Asked) -> None:
    call = estimate(10, weight_format="int4", usable=None)
    call.result["engine"] = "vllm"
    text = "Why does vLLM fill all 24 GB though it is quantised?"
    assert "vLLM" in compose(asked(text, "en", intent="guidance", gpus_owned=()), [call]).answer.splitlines()[0]


def test_many_times_the_cards_in_hand_are_no_advice(estimate: Estimate, asked: Asked) -> None:
    few, many = (estimate(34, gpus=1, minimum={"rtx-3090-24gb": count}) for count in (8, 48))
    question = asked("Can a 3090 run it?", "en", gpus_owned=[{"gpu": "rtx-3090-24gb", "count": 1}])
    assert "8×RTX 3090 would hold it" in compose(question, [few]).answer
    assert "would hold it" not in compose(question, [many]).answer
