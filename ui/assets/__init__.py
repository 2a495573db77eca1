"""Files the page is made of."""

from functools import lru_cache
from pathlib import Path
from typing import Any

from kb.snapshot import parse_yaml

FOLDER = Path(__file__).parent
SCRIPTS = (
    "page.js",
    "chat.js",
    "chips.js",
    "charts.js",
    "sources.js",
    "catalog.js",
    "documents.js",
    "forms.js",
    "start.js",
)
"""In the order they must run: the first makes the object that the others add to, the last sets all going."""


@lru_cache
def asset(name: str) -> str:
    """The text of one of them."""
    return (FOLDER / name).read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def script() -> str:
    """The page's whole script."""
    return "\n".join(asset(name) for name in SCRIPTS)


@lru_cache(maxsize=1)
def requests() -> dict[str, dict[str, Any]]:
    """One request a tool, for the documentation and the tests."""
    found: dict[str, dict[str, Any]] = parse_yaml(asset("requests.yaml"))
    return found
