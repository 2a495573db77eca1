"""Figures in the guidance are the catalog's and the calculator's, so that advice cannot drift from the facts."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from kb.catalog import gpus
from kb.naming.names import gpu_names
from kb.records.gpu import Gpu
from kb.units import GIB
from tools.memory import estimate_memory
from tools.memory.request import MemoryRequest

ROOT = Path(__file__).resolve().parents[2]
GUIDANCE = ROOT / "kb" / "guidance"
SLUGS = sorted(path.stem for path in (GUIDANCE / "en").glob("*.md"))
FITS: list[dict[str, Any]] = yaml.safe_load((ROOT / "tests" / "cases" / "guidance_fits.yaml").read_text("utf-8"))

FIGURE = re.compile(r"(?<![\w.,])(\d[\d,]*(?:\.\d+)?)[ -]?(GB/s|TB/s|TFLOPS|GB|W)(?![\w/])")
COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4, "eight": 8, "两": 2, "三": 3, "四": 4, "八": 8}
COUNT = re.compile(
    r"\b(?:one|two|three|four|eight)\b|[两三四八](?=张|块|卡|个)|\b\d{1,2}(?= ?[×x张块]| (?:h100|h200|a100))"
)
SLACK = 0.006
"""Rounding that a figure may have: 112.5 as 112, 1,008 as 1.01 thousand."""
OF_THE_MACHINE = {"825 W", "1,200 W"}
"""Watts that a statement about a card says of the machine around it."""
FAMILY = re.compile(r"(?:[a-z]+-)*[a-z]*\d{2,}[a-z]*|.*(?=-\d+gb)|.*")
"""The part of a catalog id that variants share: rtx-4090, a100, rtx-pro-6000, apple-m3-ultra."""


def statements(language: str, slug: str) -> list[tuple[str, str]]:
    """Each statement with the heading it stands under."""
    body = (GUIDANCE / language / f"{slug}.md").read_text("utf-8").split("---\n", 2)[2]
    heading, said = "", []
    for line in body.splitlines():
        if line.startswith("## "):
            heading = line[3:]
        elif line.startswith(("- ", "|")):
            said.append((heading, line))
    return said


def marked(language: str, slug: str, marker: str) -> list[tuple[str, str]]:
    return [(heading, line) for heading, line in statements(language, slug) if f"[^{marker}]" in line]


def named(text: str) -> list[Gpu]:
    """The cards a text names, and the variants of each that it may go on to speak of."""
    families = {family(key) for mention in gpu_names().scan(text) for key in mention.ids}
    return [card for card in gpus().values() if family(card.id) in families]


def family(key: str) -> str:
    match = FAMILY.match(key)
    return match[0] if match else key


def known(card: Gpu, unit: str) -> Iterator[float]:
    """What the catalog holds of a card in a unit."""
    if unit == "GB":
        yield card.memory_bytes / GIB
    elif unit in {"GB/s", "TB/s"}:
        scale = 1e9 if unit == "GB/s" else 1e12
        for rate in (card.bandwidth_bytes_per_s, card.nvlink_bytes_per_s):
            if rate:
                yield rate / scale
        if card.nvlink_bytes_per_s:
            yield card.nvlink_bytes_per_s / 2 / scale
    elif unit == "W" and card.tdp_w:
        yield card.tdp_w
    elif unit == "TFLOPS":
        rates = (card.fp32_flops, card.tf32_flops, card.fp16_flops, card.bf16_flops, card.fp8_flops, card.fp4_flops)
        for flops in rates:
            if flops:
                yield flops / 1e12
                yield flops / 1e12 * card.sparsity_ratio


def unfounded(text: str, heading: str) -> list[str]:
    """The figures of a statement that no card named in it has, alone or so many times."""
    cards = named(text) or named(heading)
    counts = {1, *(COUNTS.get(found) or int(found) for found in COUNT.findall(text.lower()))}
    return [
        f"{figure} {unit}"
        for figure, unit in FIGURE.findall(text)
        if cards
        and f"{figure} {unit}" not in OF_THE_MACHINE
        and not any(
            abs(float(figure.replace(",", "")) - stated) <= SLACK * stated
            for card in cards
            for value in known(card, unit)
            for count in counts
            for stated in (count * value, value / count)
        )
    ]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("slug", SLUGS)
def test_every_figure_of_a_card_is_the_catalog_s(slug: str, language: str) -> None:
    wrong = [(line, unfounded(line, heading)) for heading, line in marked(language, slug, "catalog")]
    assert [(line, figures) for line, figures in wrong if figures] == []


def test_the_check_finds_a_wrong_figure() -> None:
    assert unfounded("An RTX 4090 has 24 GB and 1,108 GB/s.", "") == ["1,108 GB/s"]
    assert unfounded("两张 RTX 4090 共 48 GB、900 W。", "") == []
    assert unfounded("RTX 4090 功耗 350 W。", "") == ["350 W"]


@pytest.mark.parametrize("row", [pytest.param(row, id=f"{row['at']}-{row['says'][:24]}") for row in FITS])
def test_what_is_said_to_fit_is_what_the_calculator_finds(row: dict[str, Any]) -> None:
    estimate = estimate_memory(MemoryRequest(**row["request"]))
    assert round(estimate.per_gpu.total_bytes / GIB) == row["gib"]
    assert estimate.fit is not None
    assert estimate.fit.verdict == row["verdict"]
    for language in ("en", "zh"):
        assert f"{row['gib']} GiB" in statement_of(row, language)


def statement_of(row: dict[str, Any], language: str) -> str:
    """The statement a row vouches for; its twin stands at the same place."""
    english = [line for _, line in marked("en", row["at"], "calculator")]
    (place,) = [place for place, line in enumerate(english) if line.startswith(f"- {row['says']}")]
    return marked(language, row["at"], "calculator")[place][1]


def test_every_statement_of_the_calculator_is_recomputed() -> None:
    said = {(slug, line) for slug in SLUGS for _, line in marked("en", slug, "calculator")}
    vouched = {(row["at"], statement_of(row, "en")) for row in FITS}
    assert said - vouched == set()
    assert len(FITS) >= 30
