"""An answer taken apart: sentences, table cells and code, each with where it stands and what it is about."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

Kind = Literal["sentence", "cell", "heading", "code"]
OWN = re.compile(r"\s?\[(?:own|OWN|Own)\]")
"""What a model puts behind a sentence of its own knowledge."""
FENCE = re.compile(r"^\s*(?:```|~~~)")
TABLE_ROW = re.compile(r"^\s*\|.*\|\s*$")
TABLE_RULE = re.compile(r"^\s*\|?[\s:|-]+\|?\s*$")
END = re.compile(
    r"(?:[。！？]|[.!?](?=\s|$|\[|\*))(?:\*\*|”|\"|\))?(?:\s?\[own\])?(?:\s?\[\[?[^\]\n]{1,24}\]\]?)*", re.I
)
ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|vs|approx|ca|fig|resp|incl|bzw|z\.B|(?P<word>no|max|min|etc))\.|^\d{1,2}\.)$", re.I
)
"""A full stop that ends no sentence: an abbreviation's, or that of a numbered list. Words end one before a capital."""
OWN_AT_END = re.compile(r"\s?\[own\](?=[\s*:：]*\Z)", re.I)
BOLD_LINE = re.compile(r"\*\*[^*\n]+\*\*(?:\s?[(（][^()（）\n]*[)）])?[:：]?")
BULLETED = re.compile(r"\s*(?:[-*+•]|\d{1,2}[.)、])\s+")
HEADING, ITEM = re.compile(r"^\s*#{1,6}\s"), re.compile(r"^\s*(?:[-*+•>]\s|\d{1,2}[.)、])|^\s{2,}\S")
BULLET = re.compile(r"^\s*(?:[-*+•>]\s+|#{1,6}\s+|\d{1,2}(?:[.)](?=\s)|、)\s*)*")


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that an answer says."""

    kind: Kind
    text: str
    start: int
    """Where `text` begins in the answer."""
    row: str = ""
    """For a cell: the first cell of its row."""
    column: str = ""
    """For a cell: the head of its column."""
    beside: str = ""
    """For a cell: the whole row it stands in."""
    corner: str = ""
    """For a cell: the head of the first column, which may name what the whole table is of."""
    own: bool = False
    """Whether it is marked as the writer's own knowledge."""
    covered: bool = False
    """Whether the mark stands at the end of its line only."""

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)


def statements(answer: str) -> tuple[Statement, ...]:
    """What `answer` (Markdown) says, in order; together they cover every character that is no white space."""
    return tuple(_statements(answer))


def _statements(answer: str) -> Iterator[Statement]:
    position, fenced, header, block = 0, False, None, _Block()
    for line in answer.splitlines(keepends=True):
        bare = line.rstrip("\n")
        if not fenced:
            block.takes(bare)
        if FENCE.match(bare):
            fenced = not fenced
            yield Statement("code", bare, position, own=block.own)
            block.own = block.own and (fenced or block.headed)
        elif fenced:
            yield Statement("code", bare, position, own=block.own)
        elif TABLE_ROW.match(bare):
            if not TABLE_RULE.match(bare):
                cells = list(_cells(bare, position))
                yield from _in_table(cells, header, own=block.own or OWN.search(bare) is not None)
                header = header if header is not None else [cell.text for cell in cells]
            position += len(line)
            continue
        elif bare.strip():
            told = list(_sentences(bare, position))
            for said in told:
                covered = told[-1].own and not said.own
                yield replace(said, own=True) if block.own else replace(said, covered=covered)
        header = None
        position += len(line)


@dataclass(slots=True)
class _Block:
    """Whether the lines that are read are covered by the mark of the line that heads them."""

    own: bool = False
    begun: bool = False
    """Whether a line of the block was read; blank lines before it end nothing."""
    blank: bool = False
    headed: bool = False
    """Whether a heading does, and not a line that announces what follows: "Try this:"."""
    depth: int = -1
    """Columns before the item that heads it, which its next neighbours end; -1 where no item does."""

    def takes(self, line: str) -> None:
        """Go on to a line: it heads a block, belongs to one, or ends it."""
        if not line.strip():
            self.blank = self.begun
        elif _heads_block(line):
            self.own, self.begun, self.blank = True, False, False
            self.headed = HEADING.match(line) is not None or _bold(OWN_AT_END.sub("", line).strip())
            self.depth = _depth(line) if BULLETED.match(line) else -1
        else:
            ended = HEADING.match(line) or (self.blank and not ITEM.match(line)) or _depth(line) <= self.depth
            self.own, self.begun, self.blank = self.own and not ended, True, False


def _heads_block(line: str) -> bool:
    """Whether a line ends with the mark and heads what stands under it: a heading, a bold line, "Try this: [own]"."""
    said = OWN_AT_END.sub("", line).strip()
    if said == line.strip():
        return False
    return HEADING.match(line) is not None or _bold(said) or said.rstrip("* ").endswith((":", "："))


def _bold(said: str) -> bool:
    """Whether a line is bold, but for a note in brackets behind it."""
    bullet = BULLETED.match(said)
    return BOLD_LINE.fullmatch(said, bullet.end() if bullet else 0) is not None


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _cells(line: str, position: int) -> Iterator[Statement]:
    """The cells of a row between its first and last bar, empty ones too."""
    parts = line.split("|")
    offset = position + len(parts[0]) + 1
    for part in parts[1:-1]:
        yield Statement("cell", part, offset)
        offset += len(part) + 1


def _in_table(cells: list[Statement], header: list[str] | None, *, own: bool) -> Iterator[Statement]:
    for index, cell in enumerate(cells):
        if not cell.text.strip():
            continue
        column = header[index] if header and index < len(header) else ""
        row = cells[0].text if header is not None and index else ""
        beside = " | ".join(each.text for each in cells) if header is not None else ""
        corner = header[0] if header else ""
        yield replace(
            cell,
            row=row,
            column=column,
            beside=beside,
            corner=corner,
            own=own,
            kind="cell" if header is not None else "heading",
        )


def _sentences(line: str, position: int) -> Iterator[Statement]:
    begin = BULLET.match(line)
    start = begin.end() if begin else 0
    heading = line.lstrip().startswith("#")
    for match in END.finditer(line, start):
        said = line[start : match.end()]
        short = ABBREVIATION.search(line[start : match.start() + 1])
        if short and not (short["word"] and line[match.end() :].lstrip()[:1].isupper()):
            continue
        if said.strip():
            yield _sentence(said, position + start, heading=heading)
        start = match.end()
    if line[start:].strip():
        yield _sentence(line[start:], position + start, heading=heading)


def _sentence(text: str, start: int, *, heading: bool) -> Statement:
    blank = len(text) - len(text.lstrip())
    own = OWN.search(text) is not None
    return Statement("heading" if heading else "sentence", text[blank:], start + blank, own=own)
