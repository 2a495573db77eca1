"""The answer to a message that holds a set-up with something wrong in it."""

import re
import time
import uuid
from collections.abc import Iterator, Sequence
from difflib import unified_diff
from pathlib import Path

from assistant.answer import Answer, AnswerVerdict, Grounding, ToolCallRecord
from assistant.finish import since
from assistant.grounding.wording.figures import figures
from assistant.grounding.wording.statements import statements
from assistant.llm.situation import need_of
from assistant.reading.held import written_in
from assistant.writing.words import LANGUAGES, Words
from kb.artifacts import Found, find_artifacts
from kb.artifacts.mask import masked
from kb.base import AdvisorError
from kb.lexicon import CardCount, read_cards
from kb.units import GIB
from tools.check_setup.result import Finding, SetupCheck
from tools.check_setup.result import Words as Said
from tools.registry import tool

FOLDER = Path(__file__).parent
ENGINE = "pasted"
FINDINGS_MAX = 8
CHANGED_MAX = 12
"""Lines of the corrected text that are shown."""
TELLS = frozenset({"stops", "wrong"})
"""Severities that answer a question; waste alone is no reason to leave what else was asked."""
CLAUSE = re.compile(r"[,，。;；\n?？!！:：()（）]")
"""Where a clause of the words beside a set-up ends."""
MEMORY = "memory."
"""What the ids of rules about memory begin with."""
STILL_MAX = 3
FENCE = "```"


def answered(question: str, conversation_id: str, history: Sequence[Answer] = ()) -> Answer | None:
    """What is wrong with the set-ups of a message; None where it holds none, or nothing of them is wrong.

    Cards are those that the set-up, a table beside it or the words name.
    """
    started = time.perf_counter()
    found = find_artifacts(question)
    language = written_in("\n".join(question[one.start : one.end] for one in found.prose) or question)
    if language not in LANGUAGES or not any(one.family == "setup" for one in found.artifacts):
        return None
    cards = _cards(question, found)
    check = _checked(question, cards)
    if check is None or not any(one.severity in TELLS for one in check.findings):
        return None
    again = _checked(check.corrected_text, cards) if check.corrected_text else None
    still = [one for one in again.findings if one.severity in TELLS] if again else []
    text = _text(check, still, question, Words(FOLDER, language))
    numbers = sum(len(figures(one)) for one in statements(text))
    asked = {"text": masked(question), **({"cards": [one.model_dump(mode="json") for one in cards]} if cards else {})}
    return Answer(
        id=uuid.uuid4().hex,
        conversation_id=conversation_id,
        question=question,
        language=language[:2],
        verdict=_verdict(check),
        answer=text,
        need=need_of((), history[-1].need if history else None),
        tool_calls=(ToolCallRecord(tool="check_setup", request=asked, result=check.model_dump(mode="json")),),
        grounding=Grounding(numbers=numbers, grounded=numbers),
        engine=ENGINE,
        elapsed_s=since(started),
    )


def _checked(text: str, cards: tuple[CardCount, ...]) -> SetupCheck | None:
    try:
        found = tool("check_setup").call({"text": text, **({"cards": cards} if cards else {})})
    except AdvisorError:
        return None
    return found if isinstance(found, SetupCheck) else None


def _verdict(check: SetupCheck) -> AnswerVerdict:
    first = check.findings[0]
    return "does_not_fit" if first.severity == "stops" and first.rule.startswith(MEMORY) else "diagnosis"


def _cards(question: str, found: Found) -> tuple[CardCount, ...]:
    """The cards that the words beside the set-up name, or whose memory they add to the one name that a log holds."""
    read = [cards for clause in _clauses(question, found) if (cards := _read(clause))]
    named = next((cards for cards in read if all(one.gpu for one in cards)), ())
    sizes = {one.memory_bytes for cards in read for one in cards if one.gpu is None and one.memory_bytes}
    names = {str(fact.value) for one in found.artifacts for fact in one.facts if fact.name == "gpu_name"}
    if named or len(sizes) != 1 or len(names) != 1:
        return named
    return _read(f"{names.pop()} {sizes.pop() / GIB:g}GB")


def _clauses(question: str, found: Found) -> Iterator[str]:
    for span in found.prose:
        yield from CLAUSE.split(question[span.start : span.end])


def _read(clause: str) -> tuple[CardCount, ...]:
    try:
        return read_cards(clause)
    except AdvisorError:
        return ()


def _text(check: SetupCheck, still: Sequence[Finding], question: str, words: Words) -> str:
    """The worst finding first, with its fix; the others by line; the lines that change, what is wrong even then, and
    what was not read."""
    told = check.findings[:FINDINGS_MAX]
    first = told[0]
    lead = words.say("stops" if first.severity == "stops" else "wrong", why=_in(first.why, words), line=first.line)
    blocks = [f"**{lead}**", words.say("fix", fix=_in(first.fix, words))]
    if len(told) > 1:
        blocks.append("\n".join([words.say("others"), *(_row(one, words) for one in told[1:])]))
    if len(check.findings) > len(told):
        blocks.append(words.say("more", number=len(check.findings) - len(told)))
    blocks += _changed(question, check.corrected_text, words) if check.corrected_text else []
    if still and check.corrected_text:
        blocks.append("\n".join([words.say("still"), *(_row(one, words) for one in still[:STILL_MAX])]))
    return "\n\n".join([*blocks, words.say("checked", rules=check.rules_checked, on=_on(check, words))])


def _in(said: Said, words: Words) -> str:
    return str(getattr(said, words.language))


def _row(one: Finding, words: Words) -> str:
    quote = one.quote.replace("`", "'")
    return words.say("row", line=one.line, quote=quote, why=_in(one.why, words), fix=_in(one.fix, words))


def _on(check: SetupCheck, words: Words) -> str:
    cards = list(dict.fromkeys(one.cards for one in check.programs if one.cards))
    return words.listed(cards) if cards else words.say("no_cards")


def _changed(before: str, after: str, words: Words) -> list[str]:
    """The lines of the corrected text that differ, as a block; the whole of it is in the result."""
    differ = unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0)
    lines = [line[1:] for line in differ if line.startswith("+") and not line.startswith("+++")]
    block = "\n".join(lines[:CHANGED_MAX]).replace(FENCE, "'''")
    return [words.say("corrected"), f"{FENCE}\n{block}\n{FENCE}"] if lines else []
