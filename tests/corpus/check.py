"""Hold the corpus of marked-up messages to its own rules.

    python tests/corpus/check.py [FILE.jsonl ...]

A line is one turn: `id`, `turn` (0 = the first of a conversation), `thread` (the public thread it was written after),
`writer`, `marker` (who went through the marks again, if somebody did), `language`, `text`, and the annotation of the
contract (`kind`, `asks`, `facts`, `unread`, `artifacts`).

Errors, each of which makes the check fail: a quotation that is not in the words; quotations that share words, other
than with a claim around them; names outside the closed lists; a number, or the name of a card or a model, that nothing
accounts for; more than four messages after one thread; messages alike but for names and numbers beyond one in twenty;
eight words in a row shared with a judged question. Told beside them: quotations that got no value (the lexicon lacks
something, or the mark is wrong) and what of the contract is not there yet in both languages.
"""

import argparse
import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from assistant.reading.annotation import Annotation, Marked
from assistant.reading.held import SHARED, Span, found, held
from assistant.reading.slots import ASKS, KINDS, QUANTITIES, STANCES, slots
from kb.naming.names import gpu_names, model_names

HERE = Path(__file__).parent
JUDGED = HERE / "judged.sha1"
"""Hashes of eight words in a row of the judged questions, which this project does not hold itself."""
A_THREAD_MAX, ALIKE_MAX, IN_A_ROW = 4, 0.05, 8
OF_QUANTITY = frozenset(
    {"limit", "count", "compare", "spec", "worth", "needed", "normal", "why", "improve", "risk", "plan", "check"}
)
"""Kinds of ask that leave open of what."""
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
TOKEN = re.compile(r"[A-Za-z0-9_.+-]+|[\u3400-\u9fff]")
FIELDS = {
    "id",
    "turn",
    "thread",
    "writer",
    "marker",
    "language",
    "text",
    "kind",
    "asks",
    "facts",
    "unread",
    "artifacts",
}


@dataclass
class Found:
    """What the check says of the corpus."""

    errors: list[str] = field(default_factory=list)
    unparsed: Counter[str] = field(default_factory=Counter)
    """Facts without a value, by slot."""
    facts: int = 0
    seen: dict[str, Counter[str]] = field(default_factory=lambda: {"en": Counter(), "zh": Counter()})


def lines(paths: Iterable[Path]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every line with where it stands."""
    for path in paths:
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if line.strip():
                yield f"{path.name}:{number}", json.loads(line)


def words_in_a_row(text: str) -> Iterator[str]:
    """Hashes of every eight words in a row; a Chinese character counts as one."""
    tokens = [token.lower() for token in TOKEN.findall(text)]
    for start in range(len(tokens) - IN_A_ROW + 1):
        yield hashlib.sha1(" ".join(tokens[start : start + IN_A_ROW]).encode(), usedforsecurity=False).hexdigest()[:16]


def masked(text: str) -> str:
    """The words less names and numbers: what is left of a template."""
    spans = sorted((one.start, one.end) for names in (gpu_names(), model_names()) for one in names.scan(text))
    for start, end in reversed(spans):
        text = f"{text[:start]}#{text[end:]}"
    return " ".join(TOKEN.findall(re.sub(r"[#\d][#\d.,]*", "0", text.lower())))


def check_line(row: dict[str, Any], said: Found) -> Iterator[str]:
    """What is wrong with one line."""
    if missing := {"id", "turn", "thread", "writer", "language", "text"} - row.keys():
        yield f"lacks {', '.join(sorted(missing))}"
        return
    if unknown := row.keys() - FIELDS:
        yield f"has {', '.join(sorted(unknown))}, which is none of the fields"
    if row["language"] not in said.seen:
        yield f"language {row['language']!r} is neither en nor zh"
        return
    if not str(row["thread"]).startswith("https://"):
        yield "thread is no address"
    try:
        marked = Marked.model_validate(row)
    except ValidationError as problem:
        for one in problem.errors():
            yield f"{'.'.join(map(str, one['loc']))}: {one['msg']}"
        return
    text, annotation = row["text"], held(row["text"], marked)
    yield from _placed(annotation)
    yield from _open(marked)
    yield from _unaccounted(text, marked, annotation)
    said.facts += len(marked.facts)
    said.unparsed.update(one.slot for one in annotation.dropped if one.slot)
    seen = said.seen[row["language"]]
    seen.update(f"slot {one.slot}" for one in marked.facts)
    seen.update(f"stance {one.stance}" for one in marked.facts)
    seen.update(f"ask {one.ask}" for one in marked.asks)
    seen.update(f"quantity {one.quantity}" for one in marked.asks if one.quantity)
    seen[f"kind {marked.kind}"] += 1


def _placed(annotation: Annotation) -> Iterator[str]:
    """Quotations that are not there, or share words."""
    for one in annotation.dropped:
        if one.slot is None or "not in the message" in one.why or one.why == SHARED:
            yield f"“{one.quote[:60]}”{f' ({one.slot})' if one.slot else ''} {one.why}"


def _open(marked: Marked) -> Iterator[str]:
    """Asks whose quantity is left out, or given where there is none."""
    for one in marked.asks:
        if one.quantity and one.ask not in OF_QUANTITY:
            yield f"{one.ask} has no quantity ({one.quantity})"
        if one.ask in ("limit", "count") and not one.quantity:
            yield f"{one.ask} needs a quantity: the most of what?"


def _unaccounted(text: str, marked: Marked, annotation: Annotation) -> Iterator[str]:
    """Numbers, cards and models that no mark holds."""
    quotes = [*marked.facts, *marked.asks]
    spans = [span for one in quotes for span in found(text, one.quote, one.nth)[:1]]
    spans += [span for one in marked.facts if one.nth is None for span in found(text, one.quote)]
    spans += [span for one in marked.unread for span in found(text, one.quote)]
    spans += [Span(one.start, one.end) for one in annotation.artifacts]
    wanted = [Span(*one.span()) for one in NUMBER.finditer(text)]
    wanted += [
        Span(one.start, one.end) for names in (gpu_names(), model_names()) for one in names.scan(text) if one.exact
    ]
    told = set[str]()
    for one in wanted:
        quote = text[one.start : one.end]
        if quote not in told and not any(span.meets(one) for span in spans):
            told.add(quote)
            yield f"“{quote}” is in no fact, ask or `unread`"


def check(paths: Iterable[Path], judged: frozenset[str]) -> tuple[Found, list[dict[str, Any]]]:
    """Everything that is wrong with the corpus, and its lines."""
    said, rows, ids = Found(), list[dict[str, Any]](), set[tuple[str, int]]()
    threads, shapes = dict[str, set[str]](), Counter[str]()
    for place, row in lines(paths):
        said.errors += [f"{place} {row.get('id')}: {problem}" for problem in check_line(row, said)]
        if FIELDS - {"marker", "kind", "asks", "facts", "unread", "artifacts"} - row.keys():
            continue
        rows.append(row)
        key = (row["id"], row["turn"])
        if key in ids:
            said.errors.append(f"{place}: {row['id']} turn {row['turn']} is there twice")
        if row["turn"] and (row["id"], row["turn"] - 1) not in ids:
            said.errors.append(f"{place}: turn {row['turn']} of {row['id']} has no turn before it")
        ids.add(key)
        threads.setdefault(row["thread"], set()).add(row["id"])
        shapes[masked(row["text"])] += 1
        if judged & set(words_in_a_row(row["text"])):
            said.errors.append(f"{place} {row['id']}: {IN_A_ROW} words in a row are those of a judged question")
    said.errors += [
        f"{thread}: {len(after)} messages after one thread" for thread, after in threads.items()
        if len(after) > A_THREAD_MAX
    ]  # fmt: skip
    alike = sum(count - 1 for count in shapes.values())
    if rows and alike > ALIKE_MAX * len(rows):
        said.errors.append(f"{alike} of {len(rows)} messages differ from another in names and numbers alone")
    return said, rows


def missing(said: Found) -> dict[str, list[str]]:
    """What of the contract no message shows yet, by language."""
    every = [f"slot {one}" for one in slots()] + [f"stance {one}" for one in STANCES] + [f"ask {one}" for one in ASKS]
    every += [f"quantity {one}" for one in QUANTITIES] + [f"kind {one}" for one in KINDS]
    return {language: [one for one in every if not seen[one]] for language, seen in said.seen.items()}


def main() -> int:
    """Check the files named, or the whole corpus."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--unparsed", action="store_true", help="list the quotations that got no value")
    options = parser.parse_args()
    paths = options.files or sorted(HERE.rglob("*.jsonl"))
    judged = frozenset(JUDGED.read_text("ascii").split()) if JUDGED.exists() else frozenset()
    said, rows = check(paths, judged)
    for one in said.errors:
        print(one)
    if options.unparsed:
        for place, row in lines(paths):
            for one in held(row["text"], Marked.model_validate(row)).dropped:
                print(f"{place} {row['id']}: {one.slot} “{one.quote}” {one.why}")
    conversations, threads = {row["id"] for row in rows}, {row["thread"] for row in rows}
    zh = sum(row["language"] == "zh" for row in rows)
    print(
        f"{len(rows)} turns ({zh} zh) of {len(conversations)} messages after {len(threads)} threads; "
        f"{said.facts} facts, {sum(said.unparsed.values())} without a value; {len(said.errors)} errors"
    )
    for language, names in missing(said).items():
        if names:
            print(f"not there yet in {language}: {', '.join(names)}")
    return 1 if said.errors else 0


if __name__ == "__main__":
    sys.exit(main())
