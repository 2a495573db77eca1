"""The bill of materials names every pin, and no pin lies below the version that closed a known hole."""

import json
from pathlib import Path

import pytest
from packaging.version import Version

from ui.reference.sbom import LOCK, bill, main, pinned

FLOORS = {
    "gradio": ("6.20", "CVE-2026-59806: open redirect and request forgery in /gradio_api/file="),
    "starlette": ("0.40", "CVE-2024-47874: form parts of any size"),
    "python-multipart": ("0.0.26", "CVE-2026-40347: slow on large preambles and epilogues"),
    "h11": ("0.16", "CVE-2025-43859: chunked bodies read leniently"),
    "aiohttp": ("3.13.4", "CVE-2026-34516: multipart headers without bound"),
    "jinja2": ("3.1.6", "CVE-2025-27516: sandbox left through |attr"),
    "langchain-core": ("1.3.3", "CVE-2026-44843 and CVE-2025-68664: secrets and objects through load"),
    "langgraph-checkpoint": ("4.0", "CVE-2025-64439: code run while JSON checkpoints are read"),
    "requests": ("2.32.4", "CVE-2024-47081: credentials of .netrc sent to another host"),
    "urllib3": ("2.7", "CVE-2026-44432, CVE-2026-21441: decompression bombs"),
    "torch": ("2.6", "CVE-2025-32434: code run by torch.load(weights_only=True)"),
    "setuptools": ("78.1.1", "CVE-2025-47273: files written outside the folder"),
    "pillow": ("12.2", "GHSA-wjx4-4jcj-g98j: integer overflow in the advance of glyphs"),
}
"""Distribution → the first version without the hole, and which hole; only holes that are closed."""
PINS = {name: version for name, version, _ in pinned(LOCK.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("name", FLOORS)
def test_no_pin_is_below_its_floor(name: str) -> None:
    floor, hole = FLOORS[name]
    assert name in PINS, f"{name} is no longer locked: drop its floor"
    assert Version(PINS[name]) >= Version(floor), hole


def test_chroma_whose_server_has_an_open_hole_is_never_served() -> None:
    root = Path(LOCK).parent
    texts = [path.read_text(encoding="utf-8") for room in ("kb", "ingest", "assistant", "tools", "ui")
             for path in (root / room).rglob("*.py")]  # fmt: skip
    assert not any("chroma run" in text or "HttpClient" in text for text in texts)


def test_the_bill_names_every_pin_once(tmp_path: Path) -> None:
    assert main([str(tmp_path / "sbom.json")]) == 0
    written = json.loads((tmp_path / "sbom.json").read_text(encoding="utf-8"))
    assert written["bomFormat"] == "CycloneDX"
    assert {(one["name"], one["version"]) for one in written["components"]} >= set(PINS.items())
    references = [one["bom-ref"] for one in written["components"]]
    assert len(references) == len(set(references))
    assert set(written["dependencies"][0]["dependsOn"]) == set(references)


def test_the_same_lock_gives_the_same_bill() -> None:
    lock = "a==1.0  # via x\nb-c[extra]==2 ; sys_platform == 'linux'\n# d==3\n"
    assert bill(lock) == bill(lock)
    assert list(pinned(lock)) == [("a", "1.0", ""), ("b-c", "2", "sys_platform == 'linux'")]
    assert bill(lock)["serialNumber"] != bill(lock + "e==1\n")["serialNumber"]
