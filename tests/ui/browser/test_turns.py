"""Questions and answers on the page: asked in both languages, corrected, opened, compared, kept."""

import re

from looking import CHINESE, CUT, ENGLISH, LOST, WIDTHS, again, ask, both_widths, flaws, picture
from playwright.sync_api import Page, expect


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
    reply = ask(page, ENGLISH)
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


def test_an_answer_that_arrives_late_is_not_taken_away_by_a_reload(page: Page) -> None:
    """The server has kept it already and says so; the page waits for it a little before it loads anew."""

    def live(inside: str) -> None:
        page.evaluate("(html) => { document.querySelector('#live').innerHTML = html; }", inside)
        page.clock.run_for(200)

    def looked_for() -> None:
        with page.expect_response("**/page/turns/*"):
            page.clock.run_for(2100)

    page.route("**/page/turns/*", lambda route: route.fulfill(json={"turns": 1}))
    page.clock.install()
    page.evaluate("window.first = true")
    live('<article class="turn pending"></article>')
    page.clock.run_for(3900)
    looked_for()
    live('<article class="turn"><div class="reply"></div></article>')
    page.clock.run_for(20_000)
    assert page.evaluate("window.first")
    live('<article class="turn pending"></article>')
    page.clock.run_for(3900)
    with page.expect_navigation():
        for _ in range(3):
            looked_for()


def test_what_was_typed_is_there_again_after_a_reload(page: Page, complaints: list[str]) -> None:
    page.fill("#question textarea", CHINESE)
    again(page, complaints)
    expect(page.locator("#question textarea")).to_have_value(CHINESE)


def test_an_example_is_asked_at_a_click(page: Page) -> None:
    page.locator(".welcome .chip").first.click()
    expect(page.locator(".reply")).to_have_count(1)
    expect(page.locator(".welcome")).to_be_hidden()


def test_what_is_hostile_is_shown_as_text(page: Page) -> None:
    ask(page, "<img src=x onerror=window.hit=1> {{7*7}} ${7*7} <script>window.hit=1</script> 4090 显存多大？")
    expect(page.locator(".asked").last).to_contain_text("<img src=x onerror=window.hit=1> {{7*7}} ${7*7}")
    assert page.evaluate("window.hit") is None
