"""Text within Slack's limits: cut between words, never inside a number or between a number and its unit."""

import re

LONGEST_SECTION = 2900
"""Slack takes 3,000 characters of text in one object; escapes are counted."""
_BREAKS = " \n\t，。；、！？"
_OPEN_END = re.compile(r"[\s$¥€£≈~<>=]*[\d][\d.,  ×/–%-]*$")
"""A number at the very end may have lost its unit, or its other half."""
_SENTENCE = re.compile(r"(?<=[。！？；])|(?<=[.!?;])\s+|\n")


def cut(text: str, most: int) -> str:
    """At most `most` characters; what is cut off is whole words, and an ellipsis says so."""
    if len(text) <= most:
        return text
    head = text[: most - 1]
    if text[most - 1] not in _BREAKS:
        last = max(head.rfind(mark) for mark in _BREAKS)
        head = head[: last + 1] if last >= 0 else re.sub(r"[\d.,%]+$", "", head)
    return _OPEN_END.sub("", head.rstrip(_BREAKS)).rstrip(_BREAKS) + "…"


def joined(parts: list[str], most: int, mark: str = " · ") -> str:
    """As many whole parts as fit, in order; a part that does not fit is left out entirely."""
    text = ""
    for part in parts:
        longer = f"{text}{mark}{part}" if text else part
        if part and len(longer) <= most:
            text = longer
    return text


def pieces(text: str, most: int = LONGEST_SECTION) -> list[str]:
    """The whole text in pieces of at most `most` characters, parted between sentences, else between words."""
    found: list[str] = []
    for sentence in filter(None, _SENTENCE.split(text)):
        if found and len(found[-1]) + 1 + len(sentence) <= most:
            found[-1] += ("" if found[-1][-1] in "。！？；" else " ") + sentence
        else:
            found += _hard(sentence, most)
    return found


def _hard(text: str, most: int) -> list[str]:
    parts = []
    while len(text) > most:
        last = max(text.rfind(mark, most // 2, most) for mark in _BREAKS)
        if last < 0:
            last = most - 1
            while last > most // 2 and text[last].isascii() and text[last].isalnum():
                last -= 1
        parts.append(text[: last + 1].rstrip())
        text = text[last + 1 :].lstrip()
    return [*parts, text] if text else parts


def escaped(text: str) -> str:
    """Text for a field that Slack parses: nothing in it can become a mention, a link or a channel.

    Source: https://docs.slack.dev/messaging/formatting-message-text/ (the three characters to escape)
    """
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
