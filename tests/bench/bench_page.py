"""How long a person looks at an unmoved page: first step, whole answer, and what jumps about, in a real browser.

    python tests/bench/bench_page.py [--rounds 2] [--width desktop|phone]

Times run from the Enter key to what is painted, seen by the page itself at every frame. Layout shift is what browsers
report as such: the share of the page that moved without being asked to (0.1 is the bound of a page that "feels" still).
Every question is put to a conversation of its own, so that nothing but the catalog and the index is warm.
"""

import argparse
import shutil
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parent / "reliability"))
from server import prepared, serving

QUESTIONS = (
    "Can I run Qwen2.5-32B on one RTX 4090?",
    "两张 3090 能微调 Llama-3.1-8B 吗？",
    "What GPU do I need to serve Llama-3.3-70B to 50 users?",
    "预算 20 万，部署 Qwen2.5-72B 给 100 人用，买什么？",
    "Is NVLink worth it for two RTX 3090?",
    "H20 和 H100 跑推理差多少？",
    "How long does a LoRA of Mistral-7B on 10M tokens take on one A100 80GB?",
    "租 8 张 A100 一个月要多少钱？",
)
WIDTHS = {"desktop": (1280, 900), "phone": (400, 860)}
FIRST_STEP_S, ANSWER_S, SHIFT = 0.3, 1.0, 0.1
WATCH = """
window.watch = { shift: 0, step: 0, answer: 0, from: 0 };
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.watch.shift += entry.value;
}).observe({ type: 'layout-shift', buffered: true });
addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || window.watch.from) return;
  window.watch.from = performance.now();
  const look = () => {
    const watch = window.watch;
    if (!watch.step && document.querySelector('#live .steps.live, #live .reply')) watch.step = performance.now();
    if (!watch.answer && document.querySelector('#live .reply .words')) { watch.answer = performance.now(); return; }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}, true);
"""


def main() -> int:
    """Print the table; 1 when a median misses its bound."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--width", choices=WIDTHS)
    options = parser.parse_args()
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        sys.exit("no Chromium is installed (Debian: apt-get install chromium fonts-noto-cjk)")
    missed = False
    print(f"{'page':8s} {'turns':>5s} {'first step':>20s} {'whole answer':>20s} {'layout shift':>20s}")
    print(f"{'':14s} {'median   worst':>20s} {'median   worst':>20s} {'median   worst':>20s}")
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(prepared(Path(folder) / "home")) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for width in [options.width] if options.width else WIDTHS:
            wide, high = WIDTHS[width]
            seen: list[dict[str, float]] = []
            for number in range(-1, options.rounds * len(QUESTIONS)):
                context = browser.new_context(viewport={"width": wide, "height": high}, locale="en-US")
                question = QUESTIONS[number % len(QUESTIONS)]
                watched = turn(context.new_page(), f"http://127.0.0.1:{server.port}", question)
                context.close()
                if number >= 0:  # the very first turn of a server loads what later ones share
                    seen.append(watched)
            missed |= told(width, seen)
        browser.close()
    return int(missed)


def turn(page: Page, address: str, question: str) -> dict[str, float]:
    """Seconds to the first step and to the answer, and the layout shift of page and turn together."""
    page.add_init_script(WATCH)
    page.goto(address)
    page.wait_for_selector("#question textarea")
    page.fill("#question textarea", question)
    page.keyboard.press("Enter")
    page.wait_for_function("window.watch.answer > 0", timeout=60_000)
    page.wait_for_timeout(500)  # what comes late moves things too
    watch: Any = page.evaluate("window.watch")
    return {
        "step": (watch["step"] - watch["from"]) / 1e3,
        "answer": (watch["answer"] - watch["from"]) / 1e3,
        "shift": watch["shift"],
    }


def told(width: str, seen: list[dict[str, float]]) -> bool:
    """Print one line; true when a median is over its bound."""
    medians = {name: statistics.median(one[name] for one in seen) for name in seen[0]}
    cells = [f"{medians[name]:10.3f} {max(one[name] for one in seen):9.3f}" for name in medians]
    print(f"{width:8s} {len(seen):5d} " + " ".join(cells), flush=True)
    return medians["step"] > FIRST_STEP_S or medians["answer"] > ANSWER_S or medians["shift"] > SHIFT


if __name__ == "__main__":
    sys.exit(main())
