"""The face's own words, in Chinese and English, and the labels it shares with the page."""

from functools import lru_cache
from pathlib import Path
from typing import cast

from kb.snapshot import parse_yaml
from ui.assets import asset

Row = tuple[str, str]


@lru_cache(maxsize=1)
def _rows() -> dict[str, Row]:
    own = (Path(__file__).parent / "words.yaml").read_text(encoding="utf-8")
    rows = cast(dict[str, list[str]], parse_yaml(asset("labels.yaml")) | parse_yaml(own))
    return {key: (english, chinese) for key, (english, chinese) in rows.items()}


class Words:
    """The words of one language; call it with a key and what goes into the gaps."""

    def __init__(self, language: str) -> None:
        self.language = "zh" if language.startswith("zh") else "en"

    def __call__(self, key: str, **values: object) -> str:
        """The words for `key`; one that has none is shown as it is, without underscores."""
        if key not in _rows():
            return key.replace("_", " ")
        text = _rows()[key][self.language == "zh"]
        return text.format_map(values) if values else text

    def numbered(self, key: str) -> list[str]:
        """`key_1`, `key_2`, … as long as there are."""
        found: list[str] = []
        while f"{key}_{len(found) + 1}" in _rows():
            found.append(self(f"{key}_{len(found) + 1}"))
        return found


@lru_cache(maxsize=4)
def words(language: str) -> Words:
    """The wording for a person of this language or locale: Chinese for zh…, English for every other."""
    return Words(language)
