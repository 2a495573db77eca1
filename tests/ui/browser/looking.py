"""The page as a person meets it: asked, judged by axe, photographed."""

import os
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

PICTURES = Path(os.environ.get("SCREENSHOTS") or Path(__file__).parents[3] / "build" / "screenshots")
"""Kept to be looked at: CI names a folder of its own, whose pictures it keeps."""
AXE = (Path(__file__).parents[1] / "assets" / "axe.min.js").read_text(encoding="utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
WIDTHS = {"desktop": (1280, 900), "phone": (400, 860)}
ENGLISH = "What GPU do I need to QLoRA Llama-3.1-70B at 4k context?"
CHINESE = "4 张 3090 能跑 Qwen2.5-72B 吗？"
PATIENCE_MS = 60_000
expect.set_options(timeout=PATIENCE_MS)

both_widths = pytest.mark.parametrize("width", WIDTHS, indirect=True)
"""For what a narrow page might break; the rest is looked at on a wide one."""
CUT = ("AbortError", "Unexpected error Connection errored out")
"""What the page's framework says of a stream that is cut by leaving the page."""
LOST = ("Failed to load resource: net::ERR_INTERNET_DISCONNECTED", "TypeError: Failed to fetch")
"""What the browser says besides when there is no network."""


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
