"""What the documents say: statements quoted word for word, the closest first, wrong ones corrected."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from assistant.compose import statements
from assistant.compose.bearing import bears, other_work
from assistant.compose.citations import joined
from assistant.compose.corrections import corrections
from assistant.compose.material import Material
from assistant.compose.section import Section
from kb.records.passage import Passage

QUOTED_MAX = 2
"""Statements quoted under a computed answer."""
QUOTED_ALONE_MAX = 7
"""Statements quoted when the documents are the answer."""
LOOKED_AT = 2 * QUOTED_MAX
"""Statements looked at for those that bear on the answer."""
DISPUTED_MAX = 2
"""Corrections of documents in one answer."""


class Bar(NamedTuple):
    """What a statement has to reach to be quoted."""

    coverage: float
    """Share of the question it speaks to."""
    worth: float = 0.0
    """How well it ranks."""
    sure: bool = False
    """Whether a very close passage is quoted whatever words it shares, in any language."""
    alone: bool = False
    """Whether the quotes are an answer: one section in its order, rather than the closest statements of several."""


ASIDE = Bar(coverage=0.4, worth=0.29)
"""Beside a computed answer: only what is clearly about the question."""
REMEDY = Bar(coverage=0.3, worth=0.2)
"""Beside a diagnosis, which lives on advice."""
CAUSE = Bar(coverage=0.19, alone=True)
"""As the reason why something is so."""
DECISION = Bar(coverage=0.3, worth=0.2, sure=True, alone=True)
"""As the answer whether something is worth it, before the figures."""
OPEN = Bar(coverage=0.35, worth=0.3, alone=True)
"""As the answer to a question without a workload, before a starting point."""
TOPIC = Bar(coverage=0.55, worth=0.4, alone=True)
"""As the answer to which card to take for something that the calculators do not size."""
ALONE = Bar(coverage=0.05, sure=True, alone=True)
"""As the answer itself."""
_BRACKETED = re.compile(r"\[(\d+)\]")


def guidance(material: Material) -> Section:
    """An answer that rests on the documents alone: what the closest section opens with is the verdict."""
    quotes = quoted(material, QUOTED_ALONE_MAX, ALONE)
    if not quotes:
        return Section("clarification", material.say("guidance.nothing"))
    return Section("fact", quotes[0].removeprefix("- "), ["\n".join(quotes[1:])], rests_on_documents=True)


def heard(material: Material, said: Sequence[str] = (), bar: Bar = ASIDE) -> str:
    """What the documents add, under its heading; empty when they add nothing to what was `said`."""
    quotes = [
        line
        for line in quoted(material, QUOTED_MAX, bar, beside=True)
        if not any(line.removeprefix("- ") in block for block in said)
    ]
    return "\n".join([f"**{material.say('heading.guidance')}**", "", *quotes]) if quotes else ""


def quoted(material: Material, most: int = QUOTED_MAX, bar: Bar = ASIDE, *, beside: bool = False) -> list[str]:
    """Bullets, each a statement of a passage with its marker; `beside` an answer only what bears on it."""
    sound = [passage for passage in material.passages if not passage.disputes]
    own = [passage for passage in sound if passage.language == material.say.language]
    searched, question = own if own or not bar.sure else sound, material.understanding.text
    if bar.alone:
        searched = [one for one in searched if not other_work(f"{one.heading} {one.text}", question)]
        told = statements.account(searched, question)[:most]
        found = told if told and any(_passes(one, bar) for one in told) else []
    else:
        ranked = statements.best(searched, question, most if not beside else LOOKED_AT)
        apt = [one for one in ranked if not beside or (bears(one.text, material) and not statements.leans(one.text))]
        found = [one for one in apt if _passes(one, bar)][:most]
    return [
        "- " + _BRACKETED.sub(r"(\1)", one.text.replace("**", "")) + joined([_cite_line(material, one)])
        for one in found
    ]


def _cite_line(material: Material, one: statements.Statement) -> str:
    """The marker of the line a statement stands on."""
    on_line = one.passage.model_copy(update={"line_start": one.line, "line_end": one.line})
    return cite(material, on_line, one.text)


def _passes(one: statements.Statement, bar: Bar) -> bool:
    if bar.sure and one.passage.score >= statements.SURE_SCORE:
        return True
    return one.coverage >= bar.coverage and statements.worth(one) >= bar.worth


def cite(material: Material, passage: Passage, quote: str) -> str:
    """The marker of a passage, to the line."""
    lines = f"{passage.line_start}-{passage.line_end}"
    locator = f"{passage.document}:{passage.line_start if passage.line_start == passage.line_end else lines}"
    locator = f"{locator} › {passage.heading}" if passage.heading else locator
    return material.cites.cite("document", passage.title, locator, quote, date=passage.date)


def disputed(material: Material) -> list[str]:
    """What passages close to the question get wrong, with the right figure."""
    lines = []
    for passage in material.passages:
        for dispute in corrections(material, passage):
            locator = f"{passage.document}:{passage.line_start}-{passage.line_end}"
            marker = material.cites.cite("catalog", passage.title, locator, dispute, date=passage.date)
            lines.append(material.say("guidance.disputed", document=passage.title, why=dispute) + joined([marker]))
    return lines[:DISPUTED_MAX]
