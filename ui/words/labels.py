"""The page's own words, in both languages at once: the reader's choice decides which is shown."""

import re
from functools import lru_cache
from html import escape
from typing import cast

from kb.snapshot import parse_yaml
from ui.assets import asset


@lru_cache(maxsize=1)
def labels() -> dict[str, tuple[str, str]]:
    """Key → English, Chinese."""
    rows = cast(dict[str, list[str]], parse_yaml(asset("labels.yaml")))
    return {key: (english, chinese) for key, (english, chinese) in rows.items()}


def label(key: str) -> str:
    """The words for `key` as HTML that holds both languages; an unknown key is shown as it is, without underscores."""
    if key not in labels():
        return escape(key.replace("_", " "))
    english, chinese = labels()[key]
    return english if english == chinese else both(english, chinese)


def both(english: str, chinese: str) -> str:
    """Text in both languages, of which the page shows one."""
    return f'<span lang="en">{escape(english)}</span><span lang="zh">{escape(chinese)}</span>'


def labelled(html: str) -> str:
    """HTML with every `[[key]]` replaced by its words."""
    return re.sub(r"\[\[(\w+)\]\]", lambda match: label(match[1]), html)
