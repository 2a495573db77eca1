"""The page in a real browser, wide and narrow: asked in both languages, with nothing loaded from elsewhere."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

pytestmark = [
    pytest.mark.browser,
    # Gradio's queue sums up its own timings in a way that pandas is about to drop.
    pytest.mark.filterwarnings("ignore::pandas.errors.Pandas4Warning"),
]
PICTURES = Path(os.environ.get("SCREENSHOTS") or Path(__file__).parents[2] / "build" / "screenshots")
"""Kept to be looked at: CI names a folder of its own, whose pictures it keeps."""
AXE = (Path(__file__).parent / "assets" / "axe.min.js").read_text(encoding="utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
WIDTHS = {"desktop": (1280, 900), "phone": (400, 860)}
ENGLISH = "What GPU do I need to QLoRA Llama-3.1-70B at 4k context?"
CHINESE = "4 张 3090 能跑 Qwen2.5-72B 吗？"
PATIENCE_MS = 60_000
expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield running
        running.close()


both_widths = pytest.mark.parametrize("width", WIDTHS, indirect=True)
"""For what a narrow page might break; the rest is looked at on a wide one."""


@pytest.fixture
def width(request: pytest.FixtureRequest) -> str:
    return str(getattr(request, "param", "desktop"))


CUT = ("AbortError", "Unexpected error Connection errored out")
"""What the page's framework says of a stream that is cut by leaving the page."""
LOST = ("Failed to load resource: net::ERR_INTERNET_DISCONNECTED", "TypeError: Failed to fetch")
"""What the browser says besides when there is no network."""


@pytest.fixture
def complaints() -> list[str]:
    """What the browser complained of, or asked of another host."""
    return []


@pytest.fixture
def page(browser: Browser, address: str, width: str, complaints: list[str]) -> Iterator[Page]:
    """The page, freshly opened in an English browser; a complaint fails the test."""
    wide, high = WIDTHS[width]
    context = browser.new_context(viewport={"width": wide, "height": high}, locale="en-US", accept_downloads=True)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: _foreign(request.url, address, complaints))
    page.on(
        "response", lambda answer: complaints.append(f"{answer.status} {answer.url}") if answer.status > 399 else None
    )
    page.goto(address)
    expect(page.locator("#question textarea")).to_be_visible()
    yield page
    context.close()
    assert complaints == []


def _foreign(url: str, address: str, complaints: list[str]) -> None:
    if not url.startswith((address, "data:", "blob:")):
        complaints.append(f"foreign: {url}")


def again(page: Page, complaints: list[str]) -> None:
    """Load the page anew; a stream that this cuts complains in its own words, and of nothing else."""
    page.reload()
    expect(page.locator("#question textarea")).to_be_visible()
    complaints[:] = [one for one in complaints if not one.startswith(CUT)]


def ask(page: Page, question: str) -> Any:
    """Type, send, wait; gives the reply."""
    before = page.locator(".reply").count()
    page.fill("#question textarea", question)
    page.keyboard.press("Enter")
    expect(page.locator(".reply")).to_have_count(before + 1)
    return page.locator(".reply").last


def flaws(page: Page) -> list[str]:
    """What axe finds against WCAG 2.2 AA that is serious or worse, in all that is on show."""
    page.evaluate(AXE)
    found = page.evaluate("(tags) => axe.run(document, {runOnly: tags, resultTypes: ['violations']})", RULES)
    return [
        f"{one['id']}: {one['nodes'][0]['html'][:160]}"
        for one in found["violations"]
        if one["impact"] in {"serious", "critical"}
    ]


def picture(page: Page, name: str, width: str) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=PICTURES / f"{name}-{width}.png", full_page=False)


@both_widths
def test_a_question_in_each_language_is_answered_and_survives_a_reload(
    page: Page, complaints: list[str], width: str
) -> None:
    picture(page, "welcome", width)
    reply = ask(page, ENGLISH)
    expect(reply.locator(".words")).to_contain_text("GiB")
    expect(reply.locator(".card").first).to_be_visible()
    picture(page, "english", width)
    reply = ask(page, CHINESE)
    expect(reply.locator(".words")).to_contain_text("3090")
    expect(page.locator("#question textarea")).to_have_value("")
    picture(page, "chinese", width)
    assert re.search(r"[?&]c=[0-9a-f]{32}", page.url)
    again(page, complaints)
    expect(page.locator(".reply")).to_have_count(2)
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDTHS[width][0]


def test_steps_are_seen_before_the_answer(page: Page) -> None:
    page.fill("#question textarea", CHINESE)
    page.evaluate(
        "window.seen = []; new MutationObserver(() => window.seen.push(document.querySelector('#live .steps.live') ? "
        "'steps' : document.querySelector('#live .reply') ? 'reply' : '')).observe(document.body, "
        "{childList: true, subtree: true})"
    )
    page.keyboard.press("Enter")
    expect(page.locator("#live .reply")).to_be_visible()
    seen = [kind for kind in page.evaluate("window.seen") if kind]
    assert seen[0] == "steps"
    assert seen[-1] == "reply"


@both_widths
def test_a_citation_opens_its_source_and_the_arithmetic_unfolds(page: Page) -> None:
    reply = ask(page, CHINESE)
    reply.locator("a.cite").first.click()
    expect(reply.locator(".sources li.shown blockquote")).to_be_visible()
    reply.locator(".arithmetic > summary").click()
    expect(reply.locator(".arithmetic code").first).to_be_visible()


@both_widths
def test_a_chip_corrects_exactly_its_field(page: Page, width: str) -> None:
    reply = ask(page, CHINESE)
    reply.locator("[data-edit=gpus_owned]").click()
    editor = page.locator(".editor")
    expect(editor).to_be_visible()
    editor.locator("input.count").fill("8")
    picture(page, "editor", width)
    editor.locator("[type=submit]").click()
    expect(page.locator(".reply")).to_have_count(2)
    assert page.locator(".asked").last.inner_text().startswith("把")
    chips = page.locator(".reply").last.locator(".chip.need:not(.add)")
    assert "8 × RTX 3090" in " ".join(chips.all_inner_texts())
    assert chips.count() == page.locator(".reply").first.locator(".chip.need:not(.add)").count()


def test_an_editor_closes_by_escape_and_names_what_it_cannot_use(page: Page) -> None:
    reply = ask(page, CHINESE)
    reply.locator(".chip.add").click()
    page.locator(".editor select").first.select_option("context_tokens")
    page.locator(".editor .parts input").fill("many")
    page.keyboard.press("Enter")
    expect(page.locator(".editor .refused")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".editor")).to_have_count(0)
    expect(reply.locator(".chip.add")).to_be_focused()


def test_an_unknown_card_in_a_correction_is_refused_in_the_askers_language(page: Page) -> None:
    reply = ask(page, CHINESE)
    reply.locator("[data-edit=gpus_owned]").click()
    page.locator(".editor .parts input").nth(1).fill("RTX 9999 Turbo")
    page.locator(".editor [type=submit]").click()
    expect(page.locator(".refused[role=alert]")).to_contain_text("没有找到叫“RTX 9999 Turbo”的显卡")


@both_widths
def test_a_document_opens_at_the_cited_lines(page: Page, width: str) -> None:
    reply = ask(page, CHINESE)
    reply.locator(".sources > summary").click()
    reply.locator("[data-open]").first.click()
    expect(page.locator("#panel mark").first).to_be_in_viewport()
    picture(page, "source", width)
    assert flaws(page) == []
    page.keyboard.press("Escape")
    expect(page.locator("#panel")).to_be_hidden()
    expect(reply.locator("[data-open]").first).to_be_focused()


@both_widths
def test_charts_are_walked_by_keyboard_switched_and_read_as_tables(page: Page, width: str) -> None:
    reply = ask(page, CHINESE)
    bar = reply.locator(".breakdown svg [role=img]")
    bar.first.focus()
    expect(page.locator("#tip")).to_contain_text("GiB")
    page.keyboard.press("ArrowRight")
    expect(bar.nth(1)).to_be_focused()
    reply.locator(".frontier > summary").click()
    picture(page, "frontier", width)
    reply.locator("[data-show=rent]").click()
    expect(reply.locator("[data-shown=rent] circle").first).to_be_visible()
    expect(reply.locator("[data-shown=buy]")).to_be_hidden()
    shown = reply.locator("[data-shown=rent]")
    shown.locator(".data > summary").click()
    expect(shown.locator("tbody tr")).to_have_count(shown.locator("circle").count())


def test_configurations_are_compared_side_by_side(page: Page, width: str) -> None:
    reply = ask(page, ENGLISH)
    expect(reply.locator("[data-compare]")).to_be_disabled()
    reply.locator("[data-pick]").nth(0).check()
    reply.locator("[data-pick]").nth(1).check()
    reply.locator("[data-compare]").click()
    expect(reply.locator(".side thead th")).to_have_count(2)
    picture(page, "compare", width)


def test_an_answer_can_be_judged(page: Page) -> None:
    reply = ask(page, CHINESE)
    reply.locator("[data-helpful=yes]").click()
    expect(reply.locator("[data-helpful=yes]")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#said")).to_have_text("Thank you")


def test_a_lost_connection_is_told_and_nothing_typed_is_lost(page: Page, complaints: list[str]) -> None:
    page.fill("#question textarea", CHINESE)
    page.context.set_offline(True)
    expect(page.locator(".lost")).to_be_visible()
    page.context.set_offline(False)
    expect(page.locator(".lost")).to_be_hidden()
    expect(page.locator("#question textarea")).to_have_value(CHINESE)
    complaints[:] = [one for one in complaints if not one.startswith((*CUT, *LOST))]  # the loss that was provoked


def test_what_was_typed_is_there_again_after_a_reload(page: Page, complaints: list[str]) -> None:
    page.fill("#question textarea", CHINESE)
    again(page, complaints)
    expect(page.locator("#question textarea")).to_have_value(CHINESE)


def test_a_document_is_judged_added_and_removed(page: Page) -> None:
    page.locator("nav [data-view=documents]").click()
    page.fill("#document-text", "The RTX 6000 Ada supports NVLink.")
    page.locator("[data-document=check]").click()
    expect(page.locator(".finding.wrong")).to_be_visible()
    page.locator("[data-document=documents]").click()
    expect(page.locator("[data-remove]")).to_be_visible()
    page.locator("[data-remove]").click()
    expect(page.locator("[data-remove]")).to_have_count(0)


def test_an_example_is_asked_at_a_click(page: Page) -> None:
    page.locator(".welcome .chip").first.click()
    expect(page.locator(".reply")).to_have_count(1)
    expect(page.locator(".welcome")).to_be_hidden()


@both_widths
def test_the_page_speaks_the_language_and_shows_the_light_one_chooses(
    page: Page, complaints: list[str], width: str
) -> None:
    expect(page.locator(".welcome h2")).to_contain_text("What do you want to run?")
    page.locator("[data-language]").click()
    expect(page.locator(".welcome h2 [lang=zh]")).to_be_visible()
    expect(page.locator("#send")).to_have_text("发送")
    assert page.evaluate("document.documentElement.lang") == "zh-CN"
    page.locator("[data-theme-switch]").click()
    assert page.evaluate("document.body.classList.contains('dark')")
    ask(page, CHINESE)
    picture(page, "dark", width)
    again(page, complaints)
    expect(page.locator("#send")).to_have_text("发送")


@both_widths
def test_a_conversation_is_saved_as_a_file_listed_and_deleted(page: Page) -> None:
    ask(page, CHINESE)
    page.locator("#export summary").click()
    with page.expect_download() as download:
        page.locator("[data-export=md]").click()
    assert CHINESE in Path(download.value.path()).read_text(encoding="utf-8")
    for form, start in (("pdf", b"%PDF"), ("xlsx", b"PK")):
        with page.expect_download() as download:
            page.locator(f"[data-export={form}]").click()
        assert Path(download.value.path()).read_bytes().startswith(start)
    page.keyboard.press("Escape")
    page.locator("#history summary").click()
    expect(page.locator("#history-list a")).to_have_text(CHINESE)
    page.locator("[data-rename]").click()
    page.keyboard.type("Our cluster")
    page.keyboard.press("Enter")
    expect(page.locator("#history-list a")).to_have_text("Our cluster")
    page.locator("[data-delete]").click()
    expect(page.locator(".welcome")).to_be_visible()
    expect(page.locator(".reply")).to_have_count(0)


@both_widths
def test_a_shared_conversation_is_read_without_its_tools(page: Page, width: str) -> None:
    ask(page, CHINESE)
    page.locator("#export summary").click()
    page.locator("[data-share]").click()
    link = page.locator("#shared-link a")
    expect(link).to_be_visible()
    page.goto(str(link.get_attribute("href")))
    expect(page.locator(".reply .words")).to_contain_text("3090")
    expect(page.locator("#question, [data-helpful], [data-ask]")).to_have_count(0)
    page.locator(".arithmetic > summary").click()
    picture(page, "shared", width)
    assert flaws(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDTHS[width][0]


@both_widths
def test_every_form_works_out_its_result(page: Page, width: str) -> None:
    page.locator("nav [data-view=forms]").click()
    for form in ("memory", "what_fits", "planner", "cost", "power"):
        page.locator(f"[data-tab={form}]").click()
        expect(page.locator(f"#result-{form}").locator("table, .card").first).to_be_attached()
        picture(page, f"form-{form}", width)
        assert flaws(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= WIDTHS[width][0]


def test_the_memory_chart_follows_what_is_filled_in(page: Page, complaints: list[str]) -> None:
    page.locator("nav [data-view=forms]").click()
    total = page.locator("#result-memory figcaption b").last
    expect(total).to_be_visible()
    before = total.inner_text()
    page.locator("[data-form=memory] [name=context_tokens]").fill("131072")
    expect(total).not_to_have_text(before)
    page.locator("[data-form=memory] [name=context_tokens]").fill("-5")
    expect(page.locator("#result-memory .refused")).to_contain_text("context_tokens")
    assert all("422" in one for one in complaints)
    complaints.clear()  # the refusal that was provoked, as the browser words it


@both_widths
@pytest.mark.parametrize(("language", "light"), [("en", "light"), ("zh", "dark")])
def test_axe_finds_nothing_serious(page: Page, complaints: list[str], language: str, light: str) -> None:
    page.evaluate(f"localStorage.setItem('ui', '{language}'); localStorage.setItem('light', '{light}')")
    again(page, complaints)
    assert flaws(page) == []
    reply = ask(page, CHINESE if language == "zh" else ENGLISH)
    page.evaluate("document.querySelectorAll('.reply details').forEach((fold) => { fold.open = true; })")
    reply.locator(".chip.need").first.click()
    assert flaws(page) == []
    for view in ("cards", "documents"):
        page.locator(f"nav [data-view={view}]").click()
        expect(page.locator("#cards-table tbody tr, #document-list li").first).to_be_attached()
        if view == "cards":
            page.fill("#cards-filter", "rtx 40")  # a few rows show what all would, in a tenth of the time
        assert flaws(page) == []


@both_widths
def test_the_cards_are_listed_filtered_and_sorted(page: Page, width: str) -> None:
    page.locator("nav [data-view=cards]").click()
    expect(page.locator("#cards-table tbody tr").first).to_be_visible()
    whole = page.locator("#cards-table tbody tr").count()
    page.fill("#cards-filter", "rtx 4090")
    assert 0 < page.locator("#cards-table tbody tr").count() < whole
    page.fill("#cards-filter", "")
    page.locator("[data-sort='1']").click()
    page.select_option("#cards-vendor", "NVIDIA")
    page.fill("#cards-memory", "80")
    assert 0 < page.locator("#cards-table tbody tr").count() < whole
    for index in range(2):
        page.locator("[data-chosen]").nth(index).check()
    page.locator("#cards-compare").click()
    expect(page.locator("#cards-compared thead th")).to_have_count(3)
    picture(page, "cards", width)
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDTHS[width][0]


def test_the_keyboard_alone_asks_and_opens_the_sources(page: Page) -> None:
    page.keyboard.press("Tab")
    page.locator("[data-skip]").focus()
    page.keyboard.press("Enter")
    page.keyboard.type("Does the RTX 6000 Ada support NVLink?")
    page.keyboard.press("Enter")
    expect(page.locator(".reply")).to_have_count(1)
    page.locator(".reply .sources > summary").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".reply .sources blockquote").first).to_be_visible()


def test_what_is_hostile_is_shown_as_text(page: Page) -> None:
    ask(page, "<img src=x onerror=window.hit=1> {{7*7}} ${7*7} <script>window.hit=1</script> 4090 显存多大？")
    expect(page.locator(".asked").last).to_contain_text("<img src=x onerror=window.hit=1> {{7*7}} ${7*7}")
    assert page.evaluate("window.hit") is None


def test_the_description_of_the_api_runs_a_tool(page: Page, address: str, width: str) -> None:
    page.wait_for_load_state("networkidle")
    page.goto(f"{address}/docs")
    page.locator("summary", has_text="/v1/tools/estimate_memory").click()
    area = page.locator("details[open]")
    area.locator("textarea").fill('{"model": "Qwen2.5-72B"}')
    area.locator("button").click()
    expect(area.locator("pre")).to_contain_text("total_bytes")
    picture(page, "docs", width)
