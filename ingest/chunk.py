"""Lines → chunks: sections kept together while they are short, tables whole or by rows under their header."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ingest.convert import Converted, Line
from kb.base import BadDocument
from kb.index.archive import Chunk
from kb.index.index_words import language_of

CHUNKS_MAX = 10_000
"""Passages one document may make: some 3,000 pages of prose; what makes more is data, and drowns every other."""
TABLE_MAX = 1500
"""Characters up to which a table stays whole."""
LINE_MAX = 4000
"""Characters of one line in a chunk; a longer one is cut into windows of the same line."""
FOREIGN_LETTERS_MIN, FOREIGN_SHARE = 200, 0.03
"""From how many letters, with how small a share of Han, a part of a Chinese document counts as English."""
TEXT_MAX = {"zh": 300, "en": 600}
"""Characters a chunk of prose may reach; a Han character says as much as two or three letters."""
SEPARATOR = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*")
_MARKDOWN_HEADING = re.compile(r"(#{1,6})\s+(.+?)\s*#*\s*")
_FENCE = re.compile(r"\s*(```|~~~)")
_LIST = re.compile(r"\s*(?:[-*+•·✅→]|\d{1,3}[.)、])\s")
_SIGN = r"[\U0001F000-\U0001FAFF\u2460-\u27BF\u2B00-\u2BFF\uFE0F\s]*"
_NUMBERED = (
    (1, re.compile(rf"{_SIGN}(?:第[一二三四五六七八九十百\d]+[章节部分篇]|Chapter \d+|Part \d+)[\s：:.、]?.*")),
    (1, re.compile(rf"{_SIGN}[一二三四五六七八九十]+、.*")),
    (3, re.compile(rf"{_SIGN}\d+\.\d+(?:\.\d+)?[\s、.：:]+\S.*")),
    (2, re.compile(rf"{_SIGN}\d+[.、)]\s*\S.*")),
)
PLAIN_HEADING_MAX = 40
HEADING_MAX = 120
_ENDS_SENTENCE = re.compile(r"[。.!！?？；;，,:：|、)）]$")


@dataclass
class _Section:
    number: int
    heading: str
    blocks: list["_Block"] = field(default_factory=list)


@dataclass
class _Block:
    """Lines that belong together: a paragraph, a list item, a fenced listing or a table."""

    lines: list[Line]
    is_table: bool = False
    level: int = 0
    """Level of the heading that the block is; 0 for none."""

    @property
    def size(self) -> int:
        return sum(len(line.text) + 1 for line in self.lines)


def chunk(document: Converted, name: str) -> tuple[Chunk, ...]:
    """The chunks of a document, in order; every line of text is in one, and every heading with text below it.

    Raises:
        BadDocument: it would make more chunks than any document needs.
    """
    context = " ".join([document.title_other or "", *document.keywords]).strip()
    blank = {line.number for line in document.lines if not line.text.strip()}
    chunks: list[Chunk] = []
    sections = list(_sections(document))
    # A heading without text of its own lives on in the path of those below it.
    spoken = [section for section in sections if len(section.blocks) > 1 or not section.blocks[0].level] or sections
    for section in spoken:
        for heading, lines, caption in _groups(section):
            text = _verbatim(document, lines, blank).strip("\n")
            if not text.strip():
                continue
            chunks.append(
                Chunk(
                    section=section.number,
                    heading=heading,
                    text=text,
                    line_start=_first(lines),
                    line_end=lines[-1].number,
                    page=next((line.page for line in lines if line.number == _first(lines)), None),
                    language=_language(text, document.language),
                    context=" ".join(part for part in (context, caption) if part),
                )
            )
            if len(chunks) > CHUNKS_MAX:
                raise BadDocument(name, f"would make more than {CHUNKS_MAX:,} passages; split it.")
    return tuple(chunks)


def _verbatim(document: Converted, lines: Sequence[Line], blank: set[int]) -> str:
    """The lines as they stand in the file, blank ones between them included, so that the text can be found there."""
    text, former = lines[0].text, lines[0].number
    for line in lines[1:]:
        between = range(former + 1, line.number)
        joint = "\n" * (1 + len(between)) if all(number in blank for number in between) else "\n"
        # Pieces of one long line join without a seam; lines of other kinds may share their number.
        seamless = line.number == former and document.kind in {"markdown", "text"}
        text += ("" if seamless else joint) + line.text
        former = line.number
    return text


def _first(lines: Sequence[Line]) -> int:
    """Line the chunk starts at; a header repeated above later rows of a table does not count."""
    repeated = len(lines) > 2 and is_separator(lines[1].text) and lines[2].number > lines[1].number + 1
    return lines[2].number if repeated else lines[0].number


def _language(text: str, of_document: str) -> str:
    """The document's, unless the text is long and plainly in the other: tables and names are Latin everywhere."""
    letters = [character for character in text if character.isalpha()]
    han = sum("\u4e00" <= character <= "\u9fff" for character in letters)
    if of_document == "zh":
        return "en" if len(letters) >= FOREIGN_LETTERS_MIN and han <= FOREIGN_SHARE * len(letters) else "zh"
    return "zh" if han >= (1 - FOREIGN_SHARE) * len(letters) / 2 > 0 else of_document


def _sections(document: Converted) -> Iterator[_Section]:
    path: list[tuple[int, str]] = []
    section = _Section(0, "")
    for block in _blocks(document):
        if not block.level:
            section.blocks.append(block)
            continue
        if section.blocks:
            yield section
        path = [*(one for one in path if one[0] < block.level), (block.level, _heading_text(block))]
        heading = " › ".join(text for _, text in path if text != document.title)
        section = _Section(section.number + 1, heading, [block])
    if section.blocks:
        yield section


def _heading_text(block: _Block) -> str:
    text = block.lines[0].text
    match = _MARKDOWN_HEADING.fullmatch(text)
    return (match[2] if match else text).strip()[:HEADING_MAX]


def _blocks(document: Converted) -> Iterator[_Block]:
    """Cut the lines at blank lines, list items, headings, fences and tables."""
    lines = document.lines
    held: list[Line] = []
    place = 0
    while place < len(lines):
        line = lines[place]
        end, block = place + 1, None
        if _FENCE.match(line.text):
            end = _fence_end(lines, place)
            block = _Block(list(lines[place:end]))
        elif _starts_table(lines, place):
            end = _table_end(lines, place)
            block = _Block(list(lines[place:end]), is_table=True)
        elif level := _level(document, place):
            block = _Block([line], level=level)
        if held and (block or not line.text.strip() or _LIST.match(line.text)):
            yield _Block(held)
            held = []
        if block:
            yield block
        elif line.text.strip():
            held.append(line)
        place = end
    if held:
        yield _Block(held)


def _level(document: Converted, place: int) -> int:
    """Heading level of a line, 0 for none; text files mark theirs by numbering or by standing alone."""
    text = document.lines[place].text
    if match := _MARKDOWN_HEADING.fullmatch(text):
        return len(match[1])
    if document.kind != "text":
        return 0
    stripped = text.strip()
    if not 2 <= len(stripped) <= HEADING_MAX or stripped.startswith(("-", "*", "|", ">", "`")):
        return 0
    for level, pattern in _NUMBERED:
        if len(stripped) <= 60 and pattern.fullmatch(stripped) and not re.search(r"[。；;，,]$", stripped):
            return level
    return 4 if _stands_alone(document.lines, place) else 0


def _stands_alone(lines: Sequence[Line], place: int) -> bool:
    """A short line without punctuation directly above a list or a table."""
    text = lines[place].text.strip()
    if len(text) > PLAIN_HEADING_MAX or _ENDS_SENTENCE.search(text) or "|" in text or text[0] in "→✅":
        return False
    following = next((line.text for line in lines[place + 1 : place + 3] if line.text.strip()), "")
    return following.startswith(("- ", "* ", "** 表")) and not lines[place].text.startswith((" ", "\t"))


def _starts_table(lines: Sequence[Line], place: int) -> bool:
    return place + 1 < len(lines) and "|" in lines[place].text and is_separator(lines[place + 1].text)


def is_separator(text: str) -> bool:
    """Whether a line is the rule under a table's header."""
    return len(text) < 500 and "|" in text and SEPARATOR.fullmatch(text) is not None


def _table_end(lines: Sequence[Line], place: int) -> int:
    end = place + 2
    while end < len(lines) and "|" in lines[end].text and lines[end].text.strip():
        if _starts_table(lines, end):
            break
        end += 1
    return end


def _fence_end(lines: Sequence[Line], place: int) -> int:
    mark = lines[place].text.strip()[:3]
    for end in range(place + 1, min(len(lines), place + 2000)):
        if lines[end].text.strip().startswith(mark):
            return end + 1
    return place + 1


def _groups(section: _Section) -> Iterator[tuple[str, list[Line], str]]:
    """Heading, lines and caption of each chunk in a section."""
    limit = TEXT_MAX[language_of("\n".join(line.text for block in section.blocks for line in block.lines)[:4000])]
    held: list[Line] = []
    size = 0
    for block in section.blocks:
        if block.is_table and block.size > TABLE_MAX:
            caption = held[-1].text if held else ""
            if held:
                yield section.heading, held, ""
                held, size = [], 0
            yield from ((section.heading, rows, caption) for rows in _by_rows(block))
            continue
        bound = TABLE_MAX if block.is_table else limit
        if held and size + block.size > max(bound, limit):
            yield section.heading, held, ""
            held, size = [], 0
        for piece in _pieces(block.lines, limit):
            if held and size + sum(len(line.text) + 1 for line in piece) > max(bound, limit):
                yield section.heading, held, ""
                held, size = [], 0
            held, size = [*held, *piece], size + sum(len(line.text) + 1 for line in piece)
    if held:
        yield section.heading, held, ""


def _pieces(lines: list[Line], limit: int) -> Iterator[list[Line]]:
    """A block in parts no longer than the limit; a single long line is cut at sentence ends."""
    for line in lines:
        if len(line.text) <= max(limit, LINE_MAX if "|" in line.text else limit):
            yield [line]
            continue
        rest = line.text
        while rest:
            cut = len(rest) if len(rest) <= limit else _cut(rest, limit)
            yield [Line(line.number, rest[:cut], line.page)]
            rest = rest[cut:]


def _cut(text: str, limit: int) -> int:
    """Where to cut: after the last sentence end before the limit, else at the limit."""
    best = max(text.rfind(sign, limit // 2, limit) for sign in "。！？；.!?; ")
    return best + 1 if best > 0 else limit


def _by_rows(block: _Block) -> Iterator[list[Line]]:
    """Groups of rows that fit together, each under the table's header."""
    header = [Line(line.number, line.text[:LINE_MAX], line.page) for line in block.lines[:2]]
    held: list[Line] = []
    size = 0
    for row in block.lines[2:]:
        if held and size + len(row.text) > TABLE_MAX:
            yield [*header, *held]
            held, size = [], 0
        held.append(Line(row.number, row.text[:LINE_MAX], row.page))
        size += len(row.text) + 1
    yield [*header, *held]
