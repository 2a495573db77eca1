"""Names with digits that nothing holds: a product of no catalog, a model nobody asked of, a secret."""

import re
from collections.abc import Iterator

from assistant.grounding.standing.evidence import Evidence
from assistant.grounding.wording.cues import says
from assistant.grounding.wording.figures import figures, unnamed
from assistant.grounding.wording.mentions import products
from assistant.grounding.wording.quantities import PLAIN
from assistant.grounding.wording.statements import Statement

NAME = re.compile(r"(?<![\w./@$#+-])[A-Za-z][A-Za-z]*(?:[-_]?[A-Za-z0-9]+)*(?![\w/])")
DIGITS_MIN = 2
"""Fewer digits are those of a generation or a part: "Gen5", "SXM4"."""
SECRET_MIN, SECRET_DIGITS_MIN, SECRET_LETTERS_MIN = 12, 3, 4
"""Characters, digits and letters from which on a name may be a key."""


def strangers(statement: Statement, evidence: Evidence) -> Iterator[tuple[str, str]]:
    """Names of a statement that no result, no catalog and no word of the person holds, with the reason.

    A name is a stranger where it is recommended or figures are said of it; of parts that no tool chooses (boards,
    supplies) the writer may speak from own knowledge. What looks like a key may stand nowhere.
    """
    if statement.kind == "code":
        return
    recommends = says("recommends", statement.text)
    measured = not statement.own and any(one.readings and one.readings[0].kind != PLAIN for one in figures(statement))
    spared = statement.own and says("parts", statement.text)
    named = products(statement.text)
    blank = unnamed(statement.text, named)
    for match in NAME.finditer(unnamed(statement.text, ())):
        if statement.own or not _secret(match[0], blank[match.start() : match.end()]):
            continue
        if not evidence.writes(match[0], quoted=True):
            yield match[0], "nobody gave it"
    for match in NAME.finditer(blank) if (recommends or measured) and not spared else ():
        if sum(map(str.isdigit, match[0])) >= DIGITS_MIN and not evidence.writes(match[0], quoted=not recommends):
            yield match[0], "no result and no catalog holds it"


def _secret(name: str, unnamed_part: str) -> bool:
    """Whether a name looks like a key, `unnamed_part` being what of it is no product's."""
    digits = sum(map(str.isdigit, unnamed_part))
    return len(name) >= SECRET_MIN and digits >= SECRET_DIGITS_MIN and sum(map(str.isalpha, name)) >= SECRET_LETTERS_MIN
