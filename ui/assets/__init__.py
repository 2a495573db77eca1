"""Files the page is made of."""

from functools import lru_cache
from pathlib import Path

FOLDER = Path(__file__).parent


@lru_cache
def asset(name: str) -> str:
    """The text of one of them."""
    return (FOLDER / name).read_text(encoding="utf-8")
