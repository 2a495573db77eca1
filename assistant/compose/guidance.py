"""What the documents say: one verbatim sentence each, the closest first, wrong ones corrected."""

import re
from collections.abc import Iterable

from assistant.compose.citations import joined
from assistant.compose.material import Material
from assistant.compose.section import Section
from kb.names import normalise
from kb.records.passage import Passage

QUOTED_MAX = 2
"""Passages quoted under a computed answer."""
QUOTED_ALONE_MAX = 4
"""Passages quoted when the documents are the answer."""
CLOSE_ENOUGH_SCORE = 0.35
"""Below this a passage is about something else."""
SENTENCE_MIN, SENTENCE_MAX = 15, 320
"""Characters of a sentence worth quoting."""
_SENTENCE = re.compile(r"[^。！？!?\n]+?(?:[。！？!?]|(?<=[^\d\s])\.(?=\s|$)|\n|$)")
_WORD = re.compile(r"[a-z0-9][a-z0-9.+\-]*|[一-鿿]{2}")


def guidance(material: Material) -> Section:
    """An answer that rests on the documents alone."""
    quotes = quoted(material, QUOTED_ALONE_MAX)
    if not quotes:
        return Section("clarification", material.say("guidance.nothing"))
    return Section("fact", material.say("guidance.headline"), ["\n".join(quotes)])


def quoted(material: Material, most: int = QUOTED_MAX) -> list[str]:
    """Bullets, each a sentence of a passage with its marker; a disputed one with the right figure."""
    lines: list[str] = []
    for passage in _closest(material):
        sentence = _best_sentence(passage, material.text, lines)
        if sentence is None:
            continue
        lines.append("- " + sentence + joined([cite(material, passage, sentence)]) + _dispute(material, passage))
        if len(lines) == most:
            break
    return lines


def _closest(material: Material) -> Iterable[Passage]:
    """Close passages, those in the asker's language and the bundled ones first among equals."""
    close = [passage for passage in material.passages if passage.score >= CLOSE_ENOUGH_SCORE]
    language = material.say.language
    return sorted(close, key=lambda one: (one.language != language, -one.score))


def cite(material: Material, passage: Passage, quote: str) -> str:
    """The marker of a passage, to the line."""
    locator = f"{passage.document}:{passage.line_start}-{passage.line_end}"
    locator = f"{locator} › {passage.heading}" if passage.heading else locator
    return material.cites.cite("document", passage.title, locator, quote, date=passage.date)


def _best_sentence(passage: Passage, question: str, taken: list[str]) -> str | None:
    """The sentence of the passage that shares most words with the question; verbatim, so that it can be checked."""
    wanted = set(_WORD.findall(normalise(question)))
    best, best_score = None, 0.0
    for match in _SENTENCE.finditer(passage.text):
        sentence = match.group().strip().lstrip("-*#> ").strip()
        if not SENTENCE_MIN <= len(sentence) <= SENTENCE_MAX or "|" in sentence or "[" in sentence:
            continue
        if any(sentence in line for line in taken) or sentence.endswith((":", "：")):
            continue
        words = set(_WORD.findall(normalise(sentence)))
        score = len(words & wanted) / (len(words) + 5) ** 0.5
        if best is None or score > best_score:
            best, best_score = sentence, score
    return best


def _dispute(material: Material, passage: Passage) -> str:
    """The correction of a passage judged wrong, when a check of its claims found one."""
    disputes = getattr(passage, "disputes", ())
    return "".join(material.say("guidance.disputed", why=str(dispute)) for dispute in disputes)
