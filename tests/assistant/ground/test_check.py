"""The check traces every number, and names those it cannot trace."""

import pytest

from assistant.answer import Citation, ToolCallRecord
from assistant.ground import ground, without_loose_lines

MEMORY = ToolCallRecord(
    tool="estimate_memory",
    request={"task": "inference", "context_tokens": 8192},
    result={
        "gpus": 4,
        "params": 72_706_203_648,
        "per_gpu": {"total_bytes": 38_654_705_664, "low_bytes": 36_507_222_016, "high_bytes": 41_875_931_136},
        "derivation": [{"label": "KV", "formula": "2 · 80 · 8", "inputs": {}, "value": 2_684_354_560, "unit": "bytes"}],
    },
)
OFFER = ToolCallRecord(
    tool="find_offers",
    request={},
    result={"offers": [{"instance": "x", "on_demand_usd_per_hour": 27.44, "as_of": "2026-07-20"}]},
)
PASSAGE = ToolCallRecord(tool="search_guidance", request={"query": "q"}, result={"passages": [{"text": "needs 350GB"}]})
QUOTE = Citation(marker=1, kind="document", title="t", locator="f:1", quote="needs 350GB")


def loose(
    text: str, *records: ToolCallRecord, words: tuple[str, ...] = (), cited: tuple[Citation, ...] = ()
) -> list[str]:
    return list(ground(text, records, words, cited).ungrounded)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("每卡约 36 GiB", id="rounded-gib"),
        pytest.param("≈ 38.7 GB per card", id="decimal-gb"),
        pytest.param("between 34 and 39 GiB per GPU, context 8k", id="interval-and-context"),
        pytest.param("in all 154.6 GB over four", id="times-gpus"),
        pytest.param("KV cache 2.5 GiB", id="derivation-step"),
        pytest.param("72.7B parameters", id="parameters"),
        pytest.param("4 × 36 GiB = 144 GiB", id="product"),
        pytest.param("| part | GiB |\n|---|---|\n| total | 36.0 |", id="unit-in-table-header"),
    ],
)
def test_number_from_a_result_is_grounded(text: str) -> None:
    assert loose(text, MEMORY) == []


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("每卡约 48 GiB", id="wrong-total"),
        pytest.param("it costs $27.44 an hour", id="price-without-offer"),
        pytest.param("4 × 36 GiB = 200 GiB", id="wrong-product"),
        pytest.param("about 900 tokens per second", id="invented-speed"),
        pytest.param("95% of users", id="invented-percent"),
    ],
)
def test_number_nobody_gave_is_named(text: str) -> None:
    assert loose(text, MEMORY) != []


def test_price_and_its_date_come_from_the_offer() -> None:
    assert loose("$27.44 an hour as of 2026-07-20", OFFER) == []
    assert loose("$27.44 an hour as of 2026-09-01", OFFER) == ["2026-09-01"]


def test_chinese_date_is_the_same_date() -> None:
    assert loose("2026 年 7 月 20 日的价格", OFFER) == []


def test_passage_counts_only_when_cited() -> None:
    assert loose("a document says 350 GB", PASSAGE) == ["350 GB"]
    assert loose("a document says 350 GB [1]", PASSAGE, cited=(QUOTE,)) == []


def test_askers_own_words_are_grounded() -> None:
    assert loose("预算 50 万元", words=("预算50万人民币",)) == []


def test_names_markers_ordinals_and_bit_widths_are_no_numbers() -> None:
    text = "1. RTX 4090 and Qwen2.5-72B in 4-bit [2] fit with a 90% interval"
    assert ground(text, ()).numbers == 0


def test_lines_with_loose_numbers_are_removed_and_the_rest_kept() -> None:
    text = "It fits.\nIt makes 900 tokens/s.\nEach holds 36 GiB."
    assert without_loose_lines(text, [MEMORY]) == "It fits.\nEach holds 36 GiB."


SPEED = ToolCallRecord(
    tool="estimate_inference_speed",
    request={"gpu": "rtx-4090-24gb", "gpu_count": 2},
    result={
        "gpu": "rtx-4090-24gb", "gpu_count": 2,
        "tokens_per_s_per_user": {"value": 98.2, "low": 76.4, "high": 128.4},
        "tokens_per_s_total": {"value": 515_300.0, "low": 400_000.0, "high": 600_000.0},
    },
)  # fmt: skip
PRICE = ToolCallRecord(
    tool="configure",
    request={},
    result={
        "configurations": [{"gpu": "rtx-4090-24gb", "gpu_count": 4, "price": {"amount": 8542.0, "currency": "USD"}}]
    },
)


@pytest.mark.parametrize(
    "text",
    [
        "2×RTX 4090: about 98 tokens/s for one user (76–128)",
        "每路约 98 tokens/s（76–128），合计约 520,000 tokens/s",
        "4×RTX 4090 ≈ $8,542",
        "加购 2×RTX 4090（共 4 张）",
        "two RTX 4090s",
    ],
)
def test_speeds_prices_and_numbers_of_cards_are_traced_by_what_they_are(text: str) -> None:
    assert loose(text, SPEED, PRICE) == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("98 GiB", "98 GiB"),
        ("76 tokens/s for $98", "$98"),
        ("$8,542 tokens/s", "$8,542 tokens/s"),
        ("¥8,542", "¥8,542"),
        ("€8,542", "€8,542"),
        ("3×RTX 4090", "3"),
        ("6×RTX 4090", "6"),
        ("五张 RTX 4090", "五"),
        ("eight RTX 4090s", "eight"),
        ("99 tokens/s", "99 tokens/s"),
        ("about 98 tokens/s for one user (66–128)", "66"),
    ],
)
def test_a_number_of_one_thing_does_not_vouch_for_another(text: str, wrong: str) -> None:
    assert wrong in loose(text, SPEED, PRICE if "$8,542 tokens" not in text else SPEED)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("4 卡 3090 够吗", "4×RTX 3090"),
        ("two 3090s for a 70B?", "2×RTX 3090"),
        ("3090 x 8", "8×RTX 3090"),
        ("我有三张 3090", "3×RTX 3090"),
    ],
)
def test_cards_that_the_asker_counts_vouch_for_that_number(words: str, text: str) -> None:
    assert loose(text, words=(words,)) == []
    assert loose(text.replace("×", "7×", 1), words=(words,)) != []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("约 12,000 tokens", []),  # lengths are rounded down to whole thousands
        ("a context of about 113,000 tokens", []),
        ("约 14,000 tokens", ["14,000"]),
        ("about 116,000 tokens", ["116,000"]),
        ("≈ 140 GB", []),
        ("≈ 150 GB", ["150 GB"]),
    ],
)
def test_thousands_may_be_rounded_down_by_less_than_one(text: str, wrong: list[str]) -> None:
    fits = ToolCallRecord(
        tool="estimate_memory", request={},
        result={"fit": {"max_context_tokens": 12_740, "other_tokens": 113_900, "total_bytes": 141_200_000_000}},
    )  # fmt: skip
    assert loose(text, fits) == wrong


def test_a_speed_of_the_frontier_is_traced_by_what_it_counts() -> None:
    point = {"title": "8 × H100", "measure": "tokens_per_s_total", "speed": 12931.4, "price": 301000}
    record = ToolCallRecord(tool="configure", request={}, result={"frontier": [point]})
    assert not ground("About 12,900 tokens/s in all.", [record], ()).ungrounded
    assert ground("About 13,900 tokens/s in all.", [record], ()).ungrounded


def test_lengths_told_to_half_a_per_cent_are_traced() -> None:
    record = ToolCallRecord(tool="estimate_memory", request={}, result={"fit": {"max_context_tokens": 93268}})
    assert not ground("Room for about 93,250 tokens.", [record], ()).ungrounded
    assert ground("Room for about 92,250 tokens.", [record], ()).ungrounded


def test_name_as_the_asker_wrote_it_states_no_number() -> None:
    said = "I know no model called “GLM-5.3-Flash”."
    assert loose(said, words=("does GLM-5.3-Flash fit?",)) == []
    assert loose(said) == ["5.3"]
    assert loose("It takes “5.3” GB.", words=("does GLM-5.3-Flash fit?",)) != []


def test_numbers_of_notes_are_traced_wherever_they_stand_and_beside_numbers_of_fields() -> None:
    """Texts of results are read last, some at a time; what was read for one number vouches for those after it."""
    notes = [f"note {number}: measured on {1000 + 7 * number} samples" for number in range(90)]
    record = ToolCallRecord(tool="find_gpus", request={}, result={"rows": [{"gpus": 3517}], "notes": notes})
    told = [1000, 1623, 3517, 1322, 1000 + 7 * 89]
    assert loose(" and ".join(f"{one} samples" for one in told), record) == []
    assert loose("1000 and 1003 samples, 3525 cards, 1623 more", record) == ["1003", "3525"]
