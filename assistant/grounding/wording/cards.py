"""Numbers of cards in a text: "2×RTX 3090", 「四张 4090」."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from assistant.understand.numbers import number
from kb.naming.name_index import Mention
from kb.naming.names import gpu_names

_BEFORE = re.compile(
    r"(?:(?<![\d.])(?<!\d,)(?P<n>\d{1,6}|[一两二三四五六七八九十])\s?(?:[x×*]|张|块|片|卡)"
    r"|\b(?P<word>two|three|four|five|six|seven|eight|nine|ten|twelve|sixteen)\s?(?:[x×*]|more|further|used)?)\s?\Z",
    re.I,
)
_AFTER = re.compile(
    r"s?\s?(?:[x×*]\s?(?P<n>\d{1,6})(?![\d.,]|\s?gi?b)|(?P<z>\d{1,6}|[一两二三四五六七八九十])\s?(?:张|块|片))", re.I
)
_REACH = 16
"""Characters before a name in which its number stands."""


@dataclass(frozen=True, slots=True)
class Counted:
    """So many of one card, or of one of several that bear the name."""

    count: int
    cards: tuple[str, ...]
    start: int
    """Where the number begins."""
    end: int


def counted_cards(text: str, mentions: Iterable[Mention] | None = None) -> Iterator[Counted]:
    """Every card of the text that is counted; `mentions`: its names, where they were read already."""
    for mention in gpu_names().scan(text) if mentions is None else mentions:
        start = max(0, mention.start - _REACH)
        found = _BEFORE.search(text[start : mention.start])
        if found is None:
            after = _AFTER.match(text, mention.end)
            if after and (count := number(after["n"] or after["z"])):
                said = "n" if after["n"] else "z"
                yield Counted(int(count), mention.ids, after.start(said), after.end(said))
            continue
        said = "n" if found["n"] else "word"
        count = number(found[said].lower())
        if count:
            yield Counted(int(count), mention.ids, start + found.start(said), start + found.end(said))
