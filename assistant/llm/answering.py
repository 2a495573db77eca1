"""A model's words on their way to the person: checked, told what does not hold, and cut of what still does not."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from assistant.grounding.check import Checked, Finding, checked
from assistant.grounding.claims import false_superlatives
from assistant.grounding.references import rendered
from assistant.grounding.standing.evidence import BEFORE, CATALOG, PERSON, Evidence
from assistant.grounding.wording.letters import folded
from assistant.grounding.wording.statements import OWN, Statement, statements
from assistant.llm.unfit import unfit_statements
from assistant.llm.verdict import Said, bare_answers, contradiction, parted
from tools.agent_tools.ledger import Ledger

BLANK_LINES = re.compile(r"\n{3,}")
EMPTY_ITEM = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,2}[.)])[ \t]*(?:\*\*[^*\n]*\*\*[:：]?)?[ \t]*$\n?", re.M)
TABLE = re.compile(r"(?:^[ \t]*\|.*\|[ \t]*$\n?)+", re.M)
RULE = re.compile(r"^[ \t]*\|?[\s:|-]+\|?[ \t]*$")
BRACES = re.compile(r"\{\{[^{}\n]{0,160}\}\}")
ELSEWHERE = frozenset({PERSON, BEFORE, CATALOG})
"""Sources that no reference can name."""
WRITTEN = re.compile(r"[\d.,]+\s?[A-Za-z%/]*\Z")
SMALL = re.compile(r"\d{1,2}")
QUOTED_MAX = 120
ASIDE = re.compile(r"[ \t]?[(（][^()（）\n]*[)）]")
"""An aside in brackets: what is loose there goes without the sentence around it."""
BESIDE_MIN = 3
"""Characters of a statement beside its asides from which on it says something."""
_UNNUMBERED = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|\{\{[^{}\n]*\}\}|( ?\[[1-9]\d{0,2}\])(?!\[(?!\d)|[(\w]|\.\w)", re.S
)
"""Code and references, which stay, or a number in brackets that is no index of a path."""


@dataclass(frozen=True, slots=True)
class Judged:
    """An answer with what was found of it."""

    said: Said
    """The words with references filled in, and the verdict line."""
    checked: Checked
    problems: tuple[str, ...]
    """What the model is told to mend."""
    bad: tuple[tuple[int, int], ...] = field(default=())
    """Spans that do not hold."""
    by_reference: tuple[tuple[int, int, str], ...] = field(default=())
    """Spans that references filled in, each with the key of its result."""


def judged(
    text: str,
    ledger: Ledger,
    words: Sequence[str],
    former: Sequence[str],
    language: str,
    *,
    strict: bool = False,
    by_reference: bool = False,
) -> Judged:
    """Hold an answer against everything it may rest on."""
    said = parted(without_markers(folded(text, language)))
    filled = rendered(said.text, ledger)
    said = Said(filled.text, said.verdict, said.key)
    evidence = Evidence.of(ledger.all, words, former)
    found = checked(filled.text, evidence, filled.spans)
    problems = [*filled.problems, *_told(found.findings)]
    bad = _spans(filled.text, found.findings)
    for statement, reason in (
        *unfit_statements(filled.text, language, evidence.texts()),
        *bare_answers(said.text, ledger.new or ledger.all, before=bool(former)),
    ):
        problems.append(f"“{_short(statement.text)}”: {reason}")
        bad.append((statement.start, statement.end))
    for claim, reason in false_superlatives(filled.text, ledger.all):
        problems.append(f"“{_short(claim)}”: {reason}")
        start = filled.text.index(claim)
        bad.append((start, start + len(claim)))
    if by_reference:
        for one, reason in _typed(found, filled.spans, filled.text):
            problems.append(f"“{_short(one.text)}”: {reason}")
            bad.append((one.start, one.end))
    if strict:
        for one in statements(filled.text):
            if one.own:
                problems.append(f"“{_short(one.text)}”: own knowledge is not wanted here")
                bad.append((one.start, one.end))
    if (against := contradiction(said, ledger.all)) is not None:
        problems.append(against)
    bad += [_statement_span(filled.text, broken.start()) for broken in BRACES.finditer(filled.text)]
    return Judged(said, found, tuple(dict.fromkeys(problems)), tuple(bad), filled.spans)


def _spans(text: str, findings: Iterable[Finding]) -> list[tuple[int, int]]:
    """What goes of each statement: the brackets where all that is loose stands in some, else the whole."""
    by_statement: dict[tuple[int, int], list[Finding]] = {}
    for one in findings:
        by_statement.setdefault((one.statement.start, one.statement.end), []).append(one)
    spans: list[tuple[int, int]] = []
    for (start, end), held in by_statement.items():
        asides = [aside.span() for aside in ASIDE.finditer(text, start, end)]
        loose = [next((aside for aside in asides if one.at is not None and aside[0] < one.at < aside[1]), None)
                 for one in held]  # fmt: skip
        left = end - start - sum(last - first for first, last in asides)
        spans += [(start, end)] if None in loose or left < BESIDE_MIN else [aside for aside in loose if aside]
    return spans


def _typed(found: Checked, spans: Sequence[tuple[int, int, str]], text: str) -> Iterable[tuple[Statement, str]]:
    """Statements that type a figure which only a result holds, where references are wanted."""
    for end, sources in found.sources:
        if any(source in ELSEWHERE for source in sources) or any(start < end <= stop for start, stop, _ in spans):
            continue
        one = next((one for one in statements(text) if one.start < end <= one.end), None)
        written = WRITTEN.search(text[:end])
        if one is not None and not one.own and written and not SMALL.fullmatch(written[0]):
            yield one, f"write {written[0].strip()} as a reference to {sources[0]}"


def _told(findings: Iterable[Finding]) -> list[str]:
    """Findings by sentence, in words."""
    by_statement: dict[str, list[str]] = {}
    for one in findings:
        by_statement.setdefault(_short(one.statement.text), []).append(f"{one.text} ({one.reason})")
    return [f"“{text}”: {'; '.join(dict.fromkeys(said))}" for text, said in by_statement.items()]


def without_markers(text: str) -> str:
    """`text` less the numbers in brackets that a writer puts for sources: the advisor numbers its own."""
    return _UNNUMBERED.sub(lambda found: found[0] if found[1] is None else "", text)


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= QUOTED_MAX else plain[: QUOTED_MAX - 1] + "…"


def _statement_span(text: str, position: int) -> tuple[int, int]:
    return next(
        ((one.start, one.end) for one in statements(text) if one.start <= position < one.end), (position, position + 1)
    )


def without(text: str, bad: Iterable[tuple[int, int]]) -> str:
    """`text` less these statements: sentence by sentence, of a table the whole row.

    List items and tables that are left empty go too.
    """
    spans = sorted({_row_span(text, start, end) for start, end in bad})
    parts: list[str] = []
    position = 0
    for start, end in spans:
        if start < position:
            position = max(position, end)
            continue
        parts.append(text[position:start])
        position = end
    parts.append(text[position:])
    kept = EMPTY_ITEM.sub("", "".join(parts))
    kept = TABLE.sub(lambda table: table[0] if _has_rows(table[0]) else "", kept)
    return BLANK_LINES.sub("\n\n", kept).strip()


def moved(spans: Iterable[tuple[int, int, str]], before: str, after: str) -> tuple[tuple[int, int, str], ...]:
    """Where these spans of `before` stand in `after`, which is the same less some of its statements."""
    was, now = statements(before), statements(after)
    same = SequenceMatcher(None, [one.text for one in was], [one.text for one in now], autojunk=False)
    pairs = [
        (was[block.a + step], now[block.b + step]) for block in same.get_matching_blocks() for step in range(block.size)
    ]
    return tuple(
        (start + new.start - old.start, end + new.start - old.start, key)
        for old, new in pairs
        for start, end, key in spans
        if old.start <= start < old.end
    )


def _row_span(text: str, start: int, end: int) -> tuple[int, int]:
    """The line of a table that a cell stands in; any other span, brackets too, as it is."""
    if ASIDE.fullmatch(text, start, end):
        return (start, end)
    line = text.rfind("\n", 0, start) + 1
    stop = text.find("\n", end)
    stop = len(text) if stop < 0 else stop + 1
    return (line, stop) if text[line:stop].lstrip().startswith("|") else (start, end)


def _has_rows(table: str) -> bool:
    rows = [row for row in table.splitlines() if row.strip() and not RULE.match(row)]
    return len(rows) > 1


def marked(text: str, mark: str) -> str:
    """`text` with the mark that people see in place of the model's own."""
    return OWN.sub(mark, text)
