"""What the documents say: statements quoted word for word, the closest first, wrong ones corrected."""

import re

from assistant.compose import statements
from assistant.compose.citations import joined
from assistant.compose.material import Material
from assistant.compose.section import Section
from kb.records.passage import Passage

QUOTED_MAX = 2
"""Statements quoted under a computed answer."""
QUOTED_ALONE_MAX = 5
"""Statements quoted when the documents are the answer."""
DISPUTED_MAX = 2
"""Corrections of documents in one answer."""
_BRACKETED = re.compile(r"\[(\d+)\]")


def guidance(material: Material) -> Section:
    """An answer that rests on the documents alone."""
    quotes = quoted(material, QUOTED_ALONE_MAX)
    if not quotes:
        return Section("clarification", material.say("guidance.nothing"))
    return Section("fact", quotes[0].removeprefix("- "), ["\n".join(quotes[1:])])


def quoted(material: Material, most: int = QUOTED_MAX) -> list[str]:
    """Bullets, each a statement of a passage with its marker; a disputed one with the right figure."""
    sound = [passage for passage in material.passages if not passage.disputes]
    own = [passage for passage in sound if passage.language == material.say.language]
    found = statements.best(own or sound, material.understanding.text, most)
    return ["- " + _BRACKETED.sub(r"(\1)", one.text) + joined([cite(material, one.passage, one.text)]) for one in found]


def cite(material: Material, passage: Passage, quote: str) -> str:
    """The marker of a passage, to the line."""
    locator = f"{passage.document}:{passage.line_start}-{passage.line_end}"
    locator = f"{locator} › {passage.heading}" if passage.heading else locator
    return material.cites.cite("document", passage.title, locator, quote, date=passage.date)


def disputed(material: Material) -> list[str]:
    """What passages close to the question get wrong, with the right figure."""
    lines = []
    for passage in material.passages:
        for dispute in passage.disputes:
            locator = f"{passage.document}:{passage.line_start}-{passage.line_end}"
            marker = material.cites.cite("catalog", passage.title, locator, dispute, date=passage.date)
            lines.append(material.say("guidance.disputed", document=passage.title, why=dispute) + joined([marker]))
    return lines[:DISPUTED_MAX]
