"""Sections as one text: verdict first, what several parts share said once, the notes at the end."""

import re
from collections.abc import Sequence

from assistant.answer import Draft
from assistant.compose.follow_up import remembered, unsaid
from assistant.compose.material import Material
from assistant.compose.section import Section
from assistant.understanding import Shown

_PLAIN_WORD = re.compile(r"^[a-z]+(?= )|^full fine-tuning")
_FIRST_SENTENCE = re.compile(r".*?(?:[。？！]|[.?!](?= |$))")
_CLOSING = "。？！.?!:： "
_LOOSE_SPACE = re.compile(r"(?<=[。；，：）、一-鿿]) (?=\[\d+\])|(?<=[）。；一-鿿]) (?=[一-鿿])")
"""Spaces that English wants and Chinese does not."""
_MISSING_SPACE = re.compile(r"(?<=[A-Za-z0-9])(?=合计|放不下|放得下|约需|约占|选)")
"""Where a name in Latin script runs into the words after it."""
_BINARY = re.compile(r" \(([\d.,]+ GiB|[¥$€£]?[\d.,]+ ?[^ ()]* ?– ?[¥$€£]?[\d.,]+ ?[^ ()]*)\)")
_SENTENCE_START = re.compile(
    r"((?:^|\n|[.?!]\*{0,2} (?:\[\d+\] ?)*)(?:- )?)([afpt])(?=ull fine-tuning| \d|re-training|raining of)"
)
"""Words of an answer's own that may open a sentence: "a 7B model", "full fine-tuning of"."""
_ARTICLE = re.compile(r"\b([Aa]) (?=(?:8|11|18|8\d)(?:\.\d+)?[BM]\b)")
"""An 8B model, an 11B one."""


_MARKER = re.compile(r" ?\[\d+\]")
_ONCE = ("caveats", "assumptions", "questions")
"""What is told once in a conversation."""


def draft_of(material: Material, sections: Sequence[Section], shown: Shown | None = None) -> Draft:
    """The sections as the draft of an answer; the first one's verdict is the answer's."""
    main, told = sections[0], [line for name in _ONCE for line in _gathered(sections, name)]
    told += [unmarked(block) for section in sections for block in section.body if block]
    text, citations = material.cites.used_in(_text(material, sections))
    found = [one for section in sections for one in section.configurations]
    return Draft(
        verdict=main.verdict,
        answer=text,
        configurations=tuple(one for index, one in enumerate(found) if one not in found[:index]),
        citations=citations,
        assumptions=tuple(dict.fromkeys(one for section in sections for one in section.assumptions)),
        clarifying_questions=tuple(main.questions),
        warnings=tuple(dict.fromkeys(one for section in sections for one in section.warnings)),
        shown=remembered(material, shown, main, told),
    )


def _text(material: Material, sections: Sequence[Section]) -> str:
    """Verdict first, then what it rests on; what several parts share is said once, at the end."""
    say, blocks = material.say, []
    for index, section in enumerate(sections):
        blocks.append(stressed(section.headline) if index == 0 else section.headline)
        blocks += [block for block in section.body if unsaid(material, [unmarked(block)])]
    for heading in ("levers", "caveats"):
        lines = [line for line in _gathered(sections, heading) if line not in sections[0].headline]
        lines = unsaid(material, lines) if heading in _ONCE else lines
        blocks.append(_bullets(say(f"heading.{heading}"), lines))
    blocks.append(_line(material, "assumptions", unsaid(material, _gathered(sections, "assumptions"))))
    blocks.append(_bullets(say("heading.questions"), unsaid(material, _gathered(sections, "questions"))))
    notes = []
    if any("GiB" in block for block in blocks):
        notes.append(say("note.units"))
    told = any(say("note.check_prices") in block for block in blocks)
    if not told and any(re.search(say("note.old_price_marks"), block) for block in blocks):
        notes.append(say("note.old_price"))
    if material.understanding.language not in {"zh", "en"}:
        notes.append(say("note.language"))
    blocks.append(" ".join(f"*{note}*" for note in notes if note))
    text = "\n\n".join(block for block in blocks if block)
    if say.language != "zh":
        return _ARTICLE.sub(r"\1n ", _SENTENCE_START.sub(lambda found: found[1] + found[2].upper(), text))
    return _MISSING_SPACE.sub(" ", _LOOSE_SPACE.sub("", _BINARY.sub(r"（\1）", text)))


def unmarked(block: str) -> str:
    """A list or a table as it is known again: its markers are numbered anew in every answer."""
    return _MARKER.sub("", block)


def stressed(headline: str) -> str:
    """The first sentence in bold, the rest plain.

    The closing stars stand before the full stop: after it, and with no space behind them, Markdown shows them as stars.
    """
    headline = _PLAIN_WORD.sub(lambda word: word[0].capitalize(), headline)
    match = _FIRST_SENTENCE.match(headline)
    sentence = headline[: match.end() if match else len(headline)].rstrip()
    core = sentence.rstrip(_CLOSING)
    return f"**{core}**{headline[len(core) :]}"


def _gathered(sections: Sequence[Section], name: str) -> list[str]:
    return list(dict.fromkeys(line for section in sections for line in getattr(section, name)))


def _bullets(heading: str, lines: Sequence[str]) -> str:
    return "\n".join([f"**{heading}**", "", *(f"- {line}" for line in lines)]) if lines else ""


def _line(material: Material, name: str, sentences: Sequence[str]) -> str:
    if not sentences:
        return ""
    say = material.say
    return f"**{say(f'heading.{name}')}**" + say("list.colon") + say("list.sentence").join(sentences)
