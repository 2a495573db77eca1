"""A real Chromium; every page that is opened in it must load nothing from elsewhere and complain of nothing."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

sys.path.insert(0, str(Path(__file__).parent))
from looking import PATIENCE_MS, WIDTHS

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All of this folder needs a browser, and Gradio's queue sums its timings in a way that pandas is about to drop."""
    for item in items:
        if item.path.parent == HERE:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.filterwarnings("ignore::pandas.errors.Pandas4Warning"))


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture
def width(request: pytest.FixtureRequest) -> str:
    return str(getattr(request, "param", "desktop"))


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
