"""What nothing stands behind is found, with its unit and what it is of; and nothing else is."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.grounding.check import checked
from assistant.grounding.standing.evidence import Evidence
from assistant.grounding.wording.statements import statements
from tests.assistant.grounding.results import (
    ALL,
    CARDS,
    COST,
    FILES,
    OFFERS,
    ORDERS,
    PASSAGE,
    RUN,
    STEPS,
    check,
    found,
    looked_up,
)
from tools.agent_tools.ledger import Ledger
from tools.agent_tools.toolset import agent_tool

ZH = "手里有四百块，数据 5 万条，平均 1500 token；想要 24GB 的卡"
EN = "I have a budget of $1,500 and two 3090s, 8 users; it makes 12 tok/s and 4.2s/it now, a thousand requests a day"
FORMER = "每张 A800 需要 71.7 GiB，吞吐约 6,047 tokens/s，纯训练 4.53 天。"


@pytest.mark.parametrize(
    ("text", "words", "former"),
    [
        pytest.param("数据 5万 条、共 50,000 条。", (ZH,), (), id="wan-is-no-number-of-its-own"),
        pytest.param("约 5 千 条就够看趋势。", ("数据 5000 条",), (), id="qian-is-no-number-of-its-own"),
        pytest.param("您的四百块买不到 24 GB 的卡。", (ZH,), (), id="four-hundred-kuai"),
        pytest.param("预算 400 元。", (ZH,), (), id="four-hundred-kuai-in-digits"),
        pytest.param("A document says 350 GB [[R7.1]].", (), (), id="key-of-a-passage"),
        pytest.param("It needs 12.6 GiB a card [[R1]] [[R7.1]].", (), (), id="keys-are-no-figures"),
        pytest.param("It needs 12.6 GiB a card [R1.1].", (), (), id="the-n-form"),
        pytest.param("仍是 71.7 GiB、6,047 tokens/s、4.53 天。", (), (FORMER,), id="numbers-of-the-former-answer"),
        pytest.param("The file listens on 127.0.0.1 only: `127.0.0.1:8000`.", (), (), id="loopback-of-a-file"),
        pytest.param('```yaml\nports: ["127.0.0.1:8000:8000"]\nshm_size: 16gb\n```', (), (), id="a-file-as-it-is"),
        pytest.param("It sets `--max-model-len 32768` and --gpu-memory-utilization 0.92.", (), (), id="settings"),
        pytest.param("| 卡 | 价格（$） |\n|---|---|\n| RTX 3090 | 1,207 |", (), (), id="money-under-its-column"),
        pytest.param("| card | GiB |\n|---|---|\n| RTX 3090 | 24.0 |", (), (), id="bytes-under-their-column"),
        pytest.param("You see 4.2 s/it where 2.9 s/it is usual.", (EN,), (), id="seconds-a-step"),
        pytest.param("每步 4.2 秒/步。", (EN,), (), id="seconds-a-step-zh"),
        pytest.param("The RTX 3090 has 24 GB.", (), (), id="nominal-24-gb"),
        pytest.param("Two RTX 3090 hold 48 GB together.", (), (), id="nominal-together"),
        pytest.param("A thousand requests a day is little.", (EN,), (), id="a-thousand"),
        pytest.param("Run it with llama.cpp and a llama-server behind it.", (), (), id="llama-cpp-is-no-llama"),
        pytest.param("It makes 41.5 token/s (33–52).", (), (), id="token-s-is-no-s60"),
        pytest.param("About 520,000 tokens/s in total.", (), (), id="rounded-speed"),
        pytest.param("Your 12 tok/s is low.", (EN,), (), id="the-persons-speed"),
        pytest.param("Your budget of $1,500 stands.", (EN,), (), id="the-persons-money"),
        pytest.param("At 32k of context; the limit is 131,072 tokens.", (), (), id="lengths"),
        pytest.param("4 × 24.0 GiB = 96.0 GiB.", (), (), id="product-written-out"),
        pytest.param("$2,977 − $1,207 = $1,770.", (), (), id="difference-written-out"),
        pytest.param("936 GB/s against 288 GB/s: 3.25 times as much.", (), (), id="ratio-of-two"),
        pytest.param("1. First, set it up in 3 steps.", (), (), id="small-numerals"),
        pytest.param("Leave 10 % of headroom; restart after 30 minutes. [own]", (), (), id="own-knowledge"),
        pytest.param("Prices read 2026-09-20.", (), (), id="a-date-of-a-result"),
        pytest.param("用 Q4_K_M、FP8 或 AWQ，TP 2 × PP 2。", (), (), id="formats-and-layouts"),
        pytest.param("| 卡 | Tokens/s |\n|---|---|\n| 4× RTX 3090 | 41.5 (33–52) |", (), (), id="unit-with-a-capital"),
        pytest.param("每个用户约 41.5（33–52）tokens/s。", (), (), id="unit-behind-the-interval"),
        pytest.param("An x86 host that runs 24/7, in 16-bit as in 16ビット.", (), (), id="digits-of-names"),
        pytest.param("It wants an ATX 3.1 supply. [own]", (), (), id="standards"),
        pytest.param("It needs CUDA 12.8, driver 570 and vLLM 0.9.2. [own]", (), (), id="releases"),
        pytest.param("租金 $0.83/小时（A800 80GB）。", (), (), id="rent-of-that-card"),
        pytest.param("714 小时 × ¥5.98 = ¥4,270。", ("一小时 5.98",), (), id="the-steps-of-a-calculation"),
    ],
)
def test_what_something_stands_behind_is_left_alone(text: str, words: tuple[str, ...], former: tuple[str, ...]) -> None:
    assert found(text, *ALL, words=words, former=former) == []


@pytest.mark.parametrize(
    ("text", "loose"),
    [
        pytest.param("It needs 14.6 GiB a card.", "14.6 GiB", id="another-value"),
        pytest.param("It needs 12.6 TB a card.", "12.6 TB", id="another-unit"),
        pytest.param("The RTX 3090 costs ¥1,207.", "¥1,207", id="another-currency"),
        pytest.param("The RTX 3090 costs €1,207.", "€1,207", id="a-third-currency"),
        pytest.param("A800 租金 ¥0.83/小时。", "¥0.83", id="yuan-for-dollars"),
        pytest.param("The RTX 4060 Ti 16GB costs $1,207.", "$1,207", id="one-cards-price-for-anothers"),
        pytest.param("The RTX 4060 Ti 16GB moves 936 GB/s.", "936 GB/s", id="one-cards-bandwidth-for-anothers"),
        pytest.param("| | RTX 4060 Ti 16GB |\n|---|---|\n| bandwidth | 936 GB/s |", "936 GB/s", id="in-its-column"),
        pytest.param("| card | price |\n|---|---|\n| RTX 4060 Ti 16GB | $1,207 |", "$1,207", id="in-its-row"),
        pytest.param("Each user gets 515,300 tokens/s per user.", "515,300 tokens/s", id="total-told-as-per-user"),
        pytest.param("合计 41.5 tokens/s。", "41.5 tokens/s", id="per-user-told-as-total"),
        pytest.param("每卡合计：总共 12.6 GiB。", "12.6 GiB", id="per-card-told-as-total"),
        pytest.param("The A800 80GB rents at $0.83 a month.", "$0.83", id="hour-told-as-month"),
        pytest.param("RTX 4090 每小时 ¥1,980。", "¥1,980", id="month-told-as-hour"),
        pytest.param("You need 3 × RTX 3090.", "3", id="count-of-cards"),
        pytest.param("用五张 RTX 3090。", "五", id="count-in-words"),
        pytest.param("4 × 24.0 GiB = 128.0 GiB.", "128.0 GiB", id="wrong-product"),
        pytest.param("Prices read 2026-09-21.", "2026-09-21", id="another-day"),
        pytest.param("It makes 900 tokens/s.", "900 tokens/s", id="invented-speed"),
        pytest.param("It is 95 % as fast.", "95 %", id="invented-share"),
        pytest.param("The RTX 4090 draws 600 W. [own]", "600 W", id="specification-as-own-knowledge"),
        pytest.param("The RTX 4090 costs $1,700. [own]", "$1,700", id="price-as-own-knowledge"),
        pytest.param("花三百块就行。", "三百块", id="money-in-words"),
        pytest.param("The first token comes after 41.5 s.", "41.5 s", id="digits-of-another-figure"),
    ],
)
def test_what_nothing_stands_behind_is_named(text: str, loose: str) -> None:
    assert loose in found(text, *ALL, words=("4×3090, Qwen2.5-72B",))


def test_a_figure_of_a_request_vouches_for_nothing() -> None:
    asked = CARDS.model_copy(update={"request": {"names": ["4090"], "max_price": "$77", "min_memory": "777 GB"}})
    assert found("A 4090 costs $77.", asked) == ["$77"]
    assert found("It has 777 GB.", asked) == ["777 GB"]
    assert found("A 4090 costs $77.", asked, words=("I can get a 4090 for $77",)) == []


def test_a_refusal_vouches_for_what_it_says_would_do_and_not_for_what_was_asked() -> None:
    refused = looked_up(
        "R1", "find_ways_to_run", {"error": {"code": "bad_input", "message": "holds at most 131,072 tokens"}},
        model="Qwen2.5-72B", context_tokens="777k",
    )  # fmt: skip
    assert found("It holds 131,072 tokens.", refused) == []
    assert found("It holds 777,000 tokens.", refused) == ["777,000"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        pytest.param("work_out", {"expression": "x * 2", "values": {"x": "$77"}}, id="assumed-price"),
        pytest.param("configure", {"conditions": ["a 4090 costs $77"]}, id="condition"),
        pytest.param("look_up", {"kind": "spec at $77", "names": ["4090"]}, id="kind"),
        pytest.param("look_up", {"kind": "spec", "names": ["Acme X900 at $77"]}, id="name"),
    ],
)
def test_a_refusal_that_repeats_what_was_asked_vouches_for_nothing(tool: str, arguments: dict[str, Any]) -> None:
    refused = agent_tool(tool).look_up(arguments, Ledger(), ("what does a 4090 cost?",))
    assert refused.failed
    assert "$77" in str(refused.shown)
    assert "$77" in found("A 4090 costs $77.", refused)


@pytest.mark.parametrize(
    ("text", "product"),
    [
        pytest.param("Buy the RTX 5060 Ti 16GB.", "RTX 5060 Ti 16GB", id="no-result-holds-it"),
        pytest.param("推荐买 MI300X。", "MI300X", id="no-result-holds-it-zh"),
        pytest.param("Buy the Gaudi 3.", "Gaudi 3", id="only-a-document-names-it"),
        pytest.param("建议选 Gaudi 3。", "Gaudi 3", id="only-a-document-names-it-zh"),
        pytest.param("Buy the MI300X. [own]", "MI300X", id="recommended-as-own-knowledge"),
        pytest.param("The MI300X does it as well.", "MI300X", id="asserted"),
    ],
)
def test_a_product_that_no_result_holds_is_not_recommended(text: str, product: str) -> None:
    assert product in found(text, *ALL)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Buy two RTX 3090.", id="a-result-holds-it"),
        pytest.param("The notes speak of a Gaudi 3 [[R7.1]].", id="quoted"),
        pytest.param("The MI300X is AMD's. [own]", id="mentioned-as-own-knowledge"),
        pytest.param("Your L40S will do.", id="the-persons"),
    ],
)
def test_a_product_that_is_known_may_be_named(text: str) -> None:
    assert found(text, *ALL, words=("I have one L40S",)) == []


def test_every_source_of_a_figure_is_told() -> None:
    said = check("The RTX 3090 costs $1,207, and it needs 12.6 GiB a card.", CARDS, RUN)
    assert [sources for _, sources in said.sources] == [("R2",), ("R1",)]
    assert said.figures == 2


def test_own_statements_are_told_once_and_headings_are_none() -> None:
    said = check("# Notes\n\nUse x8 risers. [own] Use x8 risers. [own] It fits.", RUN)
    assert said.own == ("Use x8 risers. [own]",)


def test_a_sentence_by_reference_is_held_against_what_it_is_of() -> None:
    assert found("Each card needs {{R1.ways[0].memory.needed_per_gpu}}.", RUN) == []
    assert found("The RTX 4060 Ti 16GB costs {{R2.found[0].price_usd}}.", CARDS) == ["$1,207"]


@pytest.mark.parametrize("held", [COST, STEPS, FILES, OFFERS, ORDERS, PASSAGE])
def test_no_result_vouches_for_a_figure_that_it_does_not_hold(held: object) -> None:
    assert found("It costs $123,456 and holds 777 GiB.", held) == ["$123,456", "777 GiB"]  # type: ignore[arg-type]


@settings(deadline=None)
@given(st.text(max_size=400))
def test_any_text_is_checked_without_failing_and_its_findings_lie_in_it(text: str) -> None:
    evidence = Evidence.of(ALL, (ZH, EN), (FORMER,))
    said = checked(text, evidence)
    for one in said.findings:
        assert text[one.statement.start : one.statement.end] == one.statement.text
    assert all(0 < end <= len(text) for end, _ in said.sources)


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["It needs 12.6 GiB a card. ", "It costs $9.99 a card. ", "够用。", "\n\n", "- ", "| a | b |\n"]
        ),
        max_size=12,
    )
)
def test_what_stands_alone_stands_in_company(parts: list[str]) -> None:
    text = "".join(parts)
    wrong = [one.statement.text for one in check(text, RUN).findings]
    assert all("9.99" in one for one in wrong)
    assert len(wrong) == sum("9.99" in one.text for one in statements(text))
