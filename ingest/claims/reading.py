"""A document as clauses: a sentence, a list item or a table cell, each with what gives it its subject."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

from ingest.chunk import is_separator
from ingest.claims.finding import Finding, Verdict
from ingest.convert import Converted
from kb.naming.names import Mention, gpu_names, model_names

_MAKER = re.compile(r"NVIDIA|英伟达|AMD|Intel|英特尔|华为|Huawei|GeForce|显卡|GPU", re.IGNORECASE)
_BARE_NUMBER = re.compile(r"[~≈约]?\s*\d[\d,]*(?:\.\d+)?")
_UNIT_OF_COLUMN = re.compile(r"(?<![A-Za-z])(TB/s|GB/s|GiB|GB|TFLOPS|PFLOPS|TOPS|W)(?![A-Za-z/])", re.IGNORECASE)
_RANK = re.compile(r"\W*\d{0,3}\W*")
SPARSE = re.compile(r"稀疏|sparse|sparsity", re.IGNORECASE)
_NOTE = re.compile(r"\W{0,3}(?:[*†‡¹²³]|\[?\d\]|注|备注|说明|notes?\b|all\b)", re.IGNORECASE)
"""How a note under a table begins."""
LINE_MAX = 2000
"""Characters of a line that are read for claims."""
QUOTE_MAX = 300
RIG_REACH_LINES = 8
"""How far below its naming a machine is still what a list is about."""
_SECTION = re.compile(r"[^\w\s]?\s*[一二三四五六七八九十]{1,3}\s*[、.．]")
"""How a section begins in a text without marks of its own: 「三、应避免的配置」."""
_BULLET = re.compile(r"^[^\w(（「“\"]*(?:\d+[.、)]\s*)*")
_SENTENCE = re.compile(r"(?:[^。！？!?；;.]|\.(?!\s+(?:[A-Z]|[a-z]{1,4}\d)))+(?:[。！？!?；;]|\.(?=\s))?")
"""A full stop ends a sentence where a capital or an instance type follows."""
RIG_MOST = 200_000
"""Cards of the largest cluster that a document may speak of."""
_COUNT_BEFORE = re.compile(
    r"((?<![\d.])(?<!\d,)(?:\d{1,3}(?:,\d{3})+|\d{1,5}))\s*(?:[x×*✕]|张|块|卡|片|颗|个)?\s*(?:NVIDIA|英伟达|AMD|华为)?\s*$",
    re.IGNORECASE,
)
_COUNTS = {
    "one": 1, "a single": 1, "two": 2, "a pair of": 2, "pair of": 2, "dual": 2, "three": 3, "four": 4, "quad": 4,
    "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12, "sixteen": 16, "单": 1, "一": 1,
    "两": 2, "双": 2, "一对": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10, "十二": 12,
    "十六": 16,
}  # fmt: skip
_COUNT_WORD = re.compile(
    rf"(?<![A-Za-z二三四五六七八九])({'|'.join(sorted(_COUNTS, key=len, reverse=True))})\s*(?:张|块|片|卡|个)?\s*"
    r"(?:NVIDIA|英伟达|AMD|used|new|\d{1,3}\s*GB)?\s*$",
    re.IGNORECASE,
)
_STANDARD = re.compile(
    r"(?:\bthan|\bvs\.?|\bversus|\bcompared (?:to|with)|\brelative to|\bunlike|\bover|\bsimilar to|\breplac(?:es|ing)"
    r"|\bsucce(?:eds|eding)|\bsuccessor (?:of|to)|相比(?:于|之下)?|对比|比起|[比较]|优于|超过|不如|不同于|接替|取代"
    r"|替代)"
    r"\s*(?:the|an?|its|previous|older|predecessor|前代|上一代|前辈|旧款)?\s*(?:NVIDIA|英伟达|AMD|the)?\s*[(（]?\s*$",
    re.IGNORECASE,
)
"""What stands before a name that only serves as the standard of a comparison."""
_PRONOUN = re.compile(r"\bit\b|\bits\b|\bth(?:is|e) model\b|它|该模型|这个模型", re.IGNORECASE)
_SIZES = re.compile(r"\d+\s*(?:GB|G)?\s*[/、]\s*\d+\s*(?:GB|G)\b", re.IGNORECASE)
"""Sizes of several cards, one after the other: none of them belongs to the name before."""
_COUNT_AFTER = re.compile(r"^\s*(?:GPU)?\s*[（(]?\s*(?:[x×*✕]\s*(\d{1,4})\b|(\d{1,2})\s*卡(?!\s*GB))", re.IGNORECASE)


@dataclass(frozen=True)
class Rig:
    """A number of cards named together."""

    count: int
    gpus: tuple[str, ...]
    """Catalog ids the card may be."""
    text: str
    line: int
    end: int = 0
    """Where its name ends in the text it was read from."""


@dataclass(frozen=True)
class Clause:
    """A piece of text that makes a claim or two."""

    document: str
    line: int
    text: str
    label: str = ""
    """Row label or column header of a table cell, key of a `key: value` line."""
    row: str = ""
    """The whole line."""
    subject: tuple[Mention, ...] = ()
    """GPUs that a header, a heading or the sentence before give it when it names none."""
    rig: Rig | None = None
    """Cards named last, at most a few lines above."""
    heading: str = ""
    cells: tuple[str, ...] = ()
    """All cells of its table row."""
    headers: tuple[str, ...] = ()
    sparse_noted: bool = False
    """Whether a note of the document says that its rates count structured sparsity."""
    written: str = ""
    """The cell as it stands, where its unit is that of its header."""
    told: tuple[Mention, ...] = ()
    """Models of the sentence before, on the same line."""

    @cached_property
    def gpus(self) -> list[Mention]:
        """GPUs it names itself."""
        return gpus_in(self.text)

    @cached_property
    def own(self) -> list[Mention]:
        """Those of its GPUs that it is about, without those it only compares them with."""
        return [one for one in self.gpus if not is_standard(self.text, one)]

    @cached_property
    def models(self) -> list[Mention]:
        """Models it names itself."""
        return models_in(self.text)

    @cached_property
    def about_models(self) -> list[Mention]:
        """Models it names itself; else the one of the sentence before, where a pronoun stands for it."""
        return self.models or (list(self.told) if len(self.told) == 1 and _PRONOUN.search(self.text) else [])

    def finding(
        self,
        *,
        subject: str,
        attribute: str,
        claimed_value: str,
        verdict: Verdict,
        correct_value: str | None = None,
        source: str | None = None,
        number: float | None = None,
        quote: str | None = None,
    ) -> Finding:
        """What a judge says about a claim of this clause; it quotes the clause unless told otherwise."""
        return Finding(
            document=self.document,
            line=self.line,
            quote=(quote or self.written or self.text).strip()[:QUOTE_MAX],
            subject=subject,
            attribute=attribute,
            claimed_value=claimed_value,
            verdict=verdict,
            correct_value=correct_value,
            source=source,
            number=number,
        )

    @property
    def said(self) -> str:
        """Label and text together, in lower case."""
        return f"{self.label} {self.text}".lower()


def count_before(text: str, mention: Mention) -> int:
    """How many of the card a text speaks of: 「8× H100」, 「两张 RTX 5090」, "eight H100"; 1 when it does not say."""
    before = text[max(0, mention.start - 16) : mention.start]
    if match := _COUNT_BEFORE.search(before):
        return min(int(match[1]), 10_000)
    return _worded_count(text, mention) or 1


def _worded_count(text: str, mention: Mention) -> int | None:
    """A number written as a word before a name; null when there is none."""
    worded = _COUNT_WORD.search(text[max(0, mention.start - 24) : mention.start])
    return _COUNTS[worded[1].lower()] if worded else None


def is_standard(text: str, mention: Mention) -> bool:
    """Whether a name is only what another card is compared with: "faster than the A100", 「相比前代 A100」."""
    return bool(_STANDARD.search(text[max(0, mention.start - 40) : mention.start]))


@lru_cache(maxsize=4096)
def gpus_in(text: str) -> list[Mention]:
    """Exact GPU names in a text; a slash separates names there."""
    apart = _SIZES.sub(lambda sizes: re.sub(r"\d", "_", sizes[0]), text).replace("/", "、")
    return [replace(one, text=text[one.start : one.end]) for one in gpu_names().scan(apart) if one.exact]


def models_in(text: str) -> list[Mention]:
    """Exact model names in a text."""
    return [mention for mention in model_names().scan(text) if mention.exact]


def rigs_in(text: str, line: int) -> list[Rig]:
    """Numbers of cards: 「8× H100」, 「4张A100 80GB」, 「A100 80GB ×16」."""
    found = []
    for mention in gpus_in(text):
        count = stated_count(text, mention)
        if count and 1 <= count <= RIG_MOST:
            found.append(Rig(count, mention.ids, f"{count} × {mention.text}", line, mention.end))
    return found


def stated_count(text: str, mention: Mention) -> int | None:
    """How many of a card a text expressly speaks of, before or after its name; null when it does not say."""
    before = _COUNT_BEFORE.search(text[max(0, mention.start - 16) : mention.start])
    after = _COUNT_AFTER.match(text[mention.end : mention.end + 12])
    match = after or before
    return int(next(filter(None, match.groups())).replace(",", "")) if match else _worded_count(text, mention)


@dataclass
class _State:
    """What carries over from line to line."""

    document: str
    heading: str = ""
    subject: tuple[Mention, ...] = ()
    rigs: list[Rig] = field(default_factory=list)
    sparse_noted: bool = False

    def rig(self, line: int) -> Rig | None:
        near = [rig for rig in self.rigs if 0 <= line - rig.line <= RIG_REACH_LINES and rig.count > 1]
        return max(near, key=lambda rig: (rig.line, rig.count)) if near else None


def clauses(document: Converted, name: str) -> Iterator[Clause]:
    """Every clause of a document, in order."""
    lines = document.lines
    noted = any(SPARSE.search(line.text) and _NOTE.match(line.text) for line in lines)
    state = _State(name, sparse_noted=noted)
    place = 0
    while place < len(lines):
        number, text = lines[place].number, lines[place].text[:LINE_MAX]
        if place + 1 < len(lines) and "|" in text and is_separator(lines[place + 1].text):
            end = place + 2
            while end < len(lines) and "|" in lines[end].text:
                end += 1
            rows = [(line.number, _cells(line.text[:LINE_MAX])) for line in lines[place + 2 : end]]
            yield from _table(_cells(text), rows, state)
            place = end
            continue
        if text.strip():
            yield from _prose(number, text, state)
        place += 1


def _prose(number: int, text: str, state: _State) -> Iterator[Clause]:
    stripped = _BULLET.sub("", text).strip()
    if text.startswith("#") or _SECTION.match(text):
        state.rigs.clear()  # what was counted above belongs to another section
    if _is_title(stripped, text):
        state.heading = stripped
        named = gpus_in(stripped)
        state.subject = (named[0],) if len(named) == 1 and _names(named[0], stripped) else ()
    state.rigs.extend(rigs_in(text, number))
    carried: tuple[Mention, ...] = ()
    told: tuple[Mention, ...] = ()
    for match in _SENTENCE.finditer(text):
        sentence = match.group()
        key, colon, _ = sentence.partition(":" if ":" in sentence else "：")
        clause = Clause(
            document=state.document,
            line=number,
            text=sentence,
            label=key.strip().lstrip("-*• ") if colon and len(key) <= 24 else "",
            row=text,
            subject=carried or state.subject,
            rig=state.rig(number),
            heading=state.heading,
            sparse_noted=state.sparse_noted,
            told=told,
        )
        yield clause
        carried = _goes_on(clause, carried)
        told = tuple(clause.models) or told


def _goes_on(clause: Clause, carried: tuple[Mention, ...]) -> tuple[Mention, ...]:
    """What the next sentence is about if it names nothing: the one card of this one; of several nobody can say."""
    if not clause.gpus:
        return carried
    about = {mention.ids: mention for mention in clause.own}
    return tuple(about.values()) if len(about) == 1 else ()


def _table(headers: list[str], rows: Sequence[tuple[int, list[str]]], state: _State) -> Iterator[Clause]:
    columns = [gpus_in(header) for header in headers]
    named = sum(len(column) == 1 for column in columns)
    state.subject = ()
    for number, cells in rows:
        row = " | ".join(cells)
        place, first = _named_in(cells)
        state.rigs.extend(rigs_in(row, number))
        for index, cell in enumerate(cells):
            header = headers[index] if index < len(headers) else ""
            across = index > 0 and index < len(columns) and named >= 1 and len(columns[index]) == 1
            label = cells[0] if across else f"{header} {cells[0]}" if index else header
            unit = _UNIT_OF_COLUMN.search(cells[0] if across else header) if _BARE_NUMBER.fullmatch(cell) else None
            yield Clause(
                document=state.document,
                line=number,
                text=f"{cell} {unit[1]}" if unit else cell,
                written=cell,
                label=label,
                row=row,
                subject=tuple(columns[index]) if across else first if index > place else (),
                rig=state.rig(number),
                heading=state.heading,
                cells=tuple(cells),
                headers=tuple(headers),
                sparse_noted=state.sparse_noted,
            )


def _named_in(cells: Sequence[str]) -> tuple[int, tuple[Mention, ...]]:
    """What a row is about, and in which column that stands: the first, or the second after a rank."""
    for place, cell in enumerate(cells[:2]):
        if named := gpus_in(cell):
            return place, tuple(named)
        if place == 0 and not _RANK.fullmatch(cell):
            break
    return 0, ()


def _cells(text: str) -> list[str]:
    inner = text.strip()
    inner = inner.removeprefix("|")
    inner = inner.removesuffix("|")
    return [cell.strip() for cell in inner.split("|")]


def _is_title(stripped: str, text: str) -> bool:
    return 0 < len(stripped) <= 40 and not text.lstrip().startswith(("-", "*", "•")) and stripped[-1] not in "。；;,，"


def _names(mention: Mention, text: str) -> bool:
    """Whether a title is little but the name and its maker's, or ends in it after a colon."""
    before, after = _MAKER.sub("", text[: mention.start]).strip(), _MAKER.sub("", text[mention.end :]).strip()
    return len(before + after) <= 0.4 * len(text) or (len(after) <= 3 and before.endswith((":", "：")))
