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
_BRACKETED = re.compile(r"\[(\d+)\]")


def guidance(material: Material) -> Section:
    """An answer that rests on the documents alone."""
    quotes = quoted(material, QUOTED_ALONE_MAX)
    if not quotes:
        return Section("clarification", material.say("guidance.nothing"))
    return Section("fact", quotes[0].removeprefix("- "), ["\n".join(quotes[1:])])


def quoted(material: Material, most: int = QUOTED_MAX) -> list[str]:
    """Bullets, each a statement of a passage with its marker; a disputed one with the right figure."""
    passages = [passage for passage in material.passages if passage.language == material.say.language]
    found = statements.best(passages or material.passages, material.understanding.text, most)
    return [
        "- "
        + _BRACKETED.sub(r"(\1)", one.text)
        + joined([cite(material, one.passage, one.text)])
        + _dispute(material, one)
        for one in found
    ]


def cite(material: Material, passage: Passage, quote: str) -> str:
    """The marker of a passage, to the line."""
    locator = f"{passage.document}:{passage.line_start}-{passage.line_end}"
    locator = f"{locator} › {passage.heading}" if passage.heading else locator
    return material.cites.cite("document", passage.title, locator, quote, date=passage.date)


def _dispute(material: Material, statement: statements.Statement) -> str:
    """The correction of a passage judged wrong, when a check of its claims found one."""
    disputes = getattr(statement.passage, "disputes", ())
    return "".join(material.say("guidance.disputed", why=str(dispute)) for dispute in disputes)
