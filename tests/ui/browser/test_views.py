"""What stands beside the chat: documents, forms, cards, shared and saved conversations, languages and light."""

from pathlib import Path

import pytest
from looking import CHINESE, ENGLISH, WIDTHS, again, ask, both_widths, flaws, picture
from playwright.sync_api import Page, expect


def test_a_document_is_judged_added_and_removed(page: Page) -> None:
    page.locator("nav [data-view=documents]").click()
    page.fill("#document-text", "The RTX 6000 Ada supports NVLink.")
    page.locator("[data-document=check]").click()
    expect(page.locator(".finding.wrong")).to_be_visible()
    page.locator("[data-document=documents]").click()
    expect(page.locator("[data-remove]")).to_be_visible()
    page.locator("[data-remove]").click()
    expect(page.locator("[data-remove]")).to_have_count(0)


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


def test_a_link_that_was_closed_opens_nothing(page: Page, complaints: list[str]) -> None:
    ask(page, CHINESE)
    page.locator("#export summary").click()
    page.locator("[data-share]").click()
    link = str(page.locator("#shared-link a").get_attribute("href"))
    page.locator("[data-unshare]").click()
    expect(page.locator("#shared-link")).to_have_text("The link no longer works.")
    refused = page.goto(link)
    assert refused is not None
    assert refused.status == 404
    complaints[:] = [one for one in complaints if link not in one and "404" not in one]


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


def test_the_description_of_the_api_runs_a_tool(page: Page, address: str, width: str) -> None:
    page.wait_for_load_state("networkidle")
    page.goto(f"{address}/docs")
    page.locator("summary", has_text="/v1/tools/estimate_memory").click()
    area = page.locator("details[open]")
    area.locator("textarea").fill('{"model": "Qwen2.5-72B"}')
    area.locator("button").click()
    expect(area.locator("pre")).to_contain_text("total_bytes")
    picture(page, "docs", width)
