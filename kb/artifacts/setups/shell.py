"""Shell text as commands whose words keep their places; nothing is run, substitutions stay as they are written."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

WORDS_MAX = 20_000
_BREAKS = "\n;|&()"
_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_]\w*)(?::?-([^}]*))?\}|([A-Za-z_]\w*))")
_PROMPT = re.compile(r"(?:\([\w.-]+\)\s*)?(?:[\w.-]+@[\w.-]+[:\s][^\s$#>]*)?[$#>%]\s+")


@dataclass(frozen=True, slots=True)
class Word:
    """One word with its quotes taken off."""

    text: str
    start: int
    end: int
    quoted: bool = False
    """Whether it began with a quote."""


@dataclass(frozen=True, slots=True)
class Command:
    """Words up to a separator, the assignments before them apart."""

    words: tuple[Word, ...]
    assigned: tuple[Word, ...]
    start: int
    end: int


def commands(text: str, start: int = 0, end: int | None = None) -> Iterator[Command]:
    """Every command of a text; `export A=b` and `A=b` alone are commands without words.

    Linear in the text.
    """
    words: list[Word] = []
    for token in _tokens(text, start, len(text) if end is None else end):
        if token is None:
            if words:
                yield _command(words)
            words = []
        else:
            words.append(token)
    if words:
        yield _command(words)


def assignment(word: Word) -> tuple[str, str] | None:
    """Name and value of `NAME=value`."""
    found = _ASSIGNED.fullmatch(word.text)
    return (found[1], found[2]) if found else None


def expanded(text: str, known: dict[str, str]) -> str:
    """The text with the variables that are known, or have a default there, put in."""
    if "$" not in text:
        return text
    return _VARIABLE.sub(lambda one: known.get(one[1] or one[3], one[2] if one[2] is not None else one[0]), text)


def _command(words: list[Word]) -> Command:
    start, end = words[0].start, words[-1].end
    rest = list(words)
    if rest[0].text in {"export", "set", "env"} or rest[0].text.startswith("$env:"):
        rest = rest[1:]
    assigned = []
    while rest and not rest[0].quoted and assignment(rest[0]):
        assigned.append(rest.pop(0))
    return Command(tuple(rest), tuple(assigned), start, end)


def _tokens(text: str, place: int, end: int) -> Iterator[Word | None]:
    """Words, and None where a command ends."""
    fresh, count, skip_to = True, 0, ""
    while place < end and count < WORDS_MAX:
        sign = text[place]
        if sign == "\n" or fresh:
            if sign == "\n":
                yield None
                place += 1
                fresh = True
                if skip_to:
                    place, skip_to = _after_heredoc(text, place, end, skip_to), ""
                continue
            fresh = False
            found = _PROMPT.match(text, place, end)
            if found and not (sign == "#" and " " in text[place : place + 2]):
                place = found.end()
                continue
        if sign == "\\" and (found := re.compile(r"\\[ \t]*\n[ \t]*").match(text, place, end)):
            place = found.end()
        elif sign in " \t\r":
            place += 1
        elif sign == "#":
            place = _line_end(text, place, end)
        elif sign in _BREAKS:
            yield None
            place += 1
        elif sign in "<>":
            found = _HEREDOC.match(text, place, end)
            if found:
                skip_to, place = found[2], found.end()
            else:
                place += 1
        else:
            word = _word(text, place, end)
            place, count = word.end, count + 1
            yield word


def _line_end(text: str, place: int, end: int) -> int:
    """Of a comment; the line break after it is kept."""
    found = text.find("\n", place, end)
    return end if found < 0 else found


def _after_heredoc(text: str, place: int, end: int, mark: str) -> int:
    found = re.compile(rf"^\s*{re.escape(mark)}\s*$", re.MULTILINE).search(text, place, end)
    return found.end() if found else end


def _word(text: str, start: int, end: int) -> Word:
    parts: list[str] = []
    place = start
    while place < end:
        sign = text[place]
        if sign == "\\" and place + 1 < end:
            if text[place + 1] in "\r\n" or not text[place + 1 : text.find("\n", place + 1)].strip(" \t\r"):
                break
            parts.append(text[place + 1])
            place += 2
        elif sign in "'\"":
            inner, place = _quoted(text, place, end)
            parts.append(inner)
        elif text.startswith(("$(", "${"), place):
            close = _closing(text, place + 1, end)
            parts.append(text[place:close])
            place = close
        elif sign in " \t\r\n;|&()<>":
            break
        else:
            parts.append(sign)
            place += 1
    return Word("".join(parts), start, max(place, start + 1), quoted=text[start] in "'\"")


def _quoted(text: str, start: int, end: int) -> tuple[str, int]:
    """What stands between quotes, and the place after them; up to the end where they are not closed."""
    mark, place, parts = text[start], start + 1, []
    while place < end and text[place] != mark:
        if mark == '"' and text[place] == "\\" and place + 1 < end:
            parts.append(text[place + 1] if text[place + 1] in '"\\$`' else text[place : place + 2])
            place += 2
        else:
            parts.append(text[place])
            place += 1
    return "".join(parts), min(place + 1, end)


def _closing(text: str, start: int, end: int) -> int:
    opened, close = text[start], ")" if text[start] == "(" else "}"
    depth = 0
    for place in range(start, min(end, start + 4000)):
        if text[place] == opened:
            depth += 1
        elif text[place] == close:
            depth -= 1
            if not depth:
                return place + 1
    return min(end, start + 1)
