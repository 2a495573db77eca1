"""One turn from a reading: topics answer what was asked, their figures are checked, and an answer is made.

annotation → situation → a topic an ask → solver calls → sections → checked text
"""

import time
import uuid
from collections.abc import Sequence

from assistant.answer import Answer, Grounding, Section
from assistant.finish import since
from assistant.grounding.check import checked
from assistant.grounding.standing.evidence import Evidence
from assistant.llm.answering import without
from assistant.llm.citing import cited, records_of
from assistant.llm.situation import need_of, unused_of
from assistant.phrases import phrases
from assistant.reading.annotation import Annotation
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic, topics_for
from assistant.writing.accounts.worked.wholes import with_wholes
from assistant.writing.words import LANGUAGES, Words
from tools.agent_tools.ledger import Ledger

DECIDES = frozenset({"model", "cards", "card_memory", "format", "method", "activity"})
"""Slots without which an answer would be to another question: one that could not be read leaves the turn to others."""
SEEN_BY = {"card_memory": ("card_memory", "cards")}
"""Slots that tell as much as one that could not be read."""
WEIGHS = frozenset({"which_hardware", "which_model", "compare", "worth", "break_even", "buy_or_rent"})
"""Asks for which one of several that could not be read is too much."""
ASIDE = frozenset({"aside", "about_answer"})


def taken(annotation: Annotation, situation: Situation) -> list[list[Topic]] | None:
    """The topics that may take each ask, or None where one has none or what decides could not be read."""
    if annotation.language not in LANGUAGES or _undecided(annotation):
        return None
    asks = [one for one in situation.asks if one.ask not in ASIDE]
    found = [topics_for(ask, situation) for ask in asks]
    return found if found and all(found) else None


def _undecided(annotation: Annotation) -> bool:
    """Whether what decides could not be read: where options are weighed any of it, else what was not read elsewhere."""
    lost = {one.slot for one in annotation.dropped if one.slot in DECIDES}
    if any(one.ask in WEIGHS for one in annotation.asks):
        return bool(lost)
    held = {one.slot for one in annotation.facts}
    return any(held.isdisjoint(SEEN_BY.get(slot, (slot,))) for slot in lost if slot)


def answered(
    question: str, annotation: Annotation, situation: Situation, conversation_id: str, history: Sequence[Answer]
) -> Answer | None:
    """The answer of the topics; None where one of them can say nothing true, or the words do not hold."""
    started = time.perf_counter()
    topics = taken(annotation, situation)
    if topics is None or annotation.language is None:
        return None
    words = (*(answer.question for answer in history), question)
    ledger = Ledger(one for answer in history for one in answer.looked_up)
    calls, told = Calls(ledger, words), list[tuple[str, SectionTold]]()
    for ask, able in zip((one for one in situation.asks if one.ask not in ASIDE), topics, strict=True):
        section = (one.answer(ask, situation, calls, Words(one.folder, annotation.language or "en")) for one in able)
        if (said := next(filter(None, section), None)) is None:
            return None
        told.append((ask.ask, said))
    evidence = Evidence.of(with_wholes(ledger.all), words, tuple(answer.answer for answer in history))
    text = _text([said for _, said in told])
    loose = checked(text, evidence).findings
    text = without(text, [(one.statement.start, one.statement.end) for one in loose])
    if told[0][1].lead not in text:
        return None  # what answers the question does not hold
    final = checked(text, evidence)
    text, citations = cited(text, final, ledger.all)
    return Answer(
        id=uuid.uuid4().hex,
        conversation_id=conversation_id,
        question=question,
        language=annotation.language[:2],
        verdict=told[0][1].verdict,
        answer=text,
        need=need_of(ledger.new, history[-1].need if history else None),
        tool_calls=records_of(ledger.new),
        looked_up=ledger.new,
        citations=citations,
        warnings=_unused(question, ledger, text, annotation),
        unused=unused_of(question, ledger.new, text),
        sections=tuple(Section(ask=ask, lead=said.lead) for ask, said in told),
        reading=annotation,
        grounding=Grounding(numbers=final.figures, grounded=final.figures - len(final.loose), ungrounded=final.loose),
        engine=f"reading:{annotation.reader}",
        elapsed_s=since(started),
    )


def _text(told: Sequence[SectionTold]) -> str:
    """Sections one after the other, the first lead in bold; what two say the same is said once."""
    blocks: list[str] = []
    for one in told:
        blocks += [block for block in (one.lead, *one.lines) if block not in blocks]
    blocks[0] = f"**{blocks[0]}**"
    return "\n\n".join(blocks)


def _unused(question: str, ledger: Ledger, text: str, annotation: Annotation) -> tuple[str, ...]:
    """What could have decided and was not used, told."""
    say = phrases((annotation.language or "en")[:2])
    telling = [f"“{one.quote}”" for one in unused_of(question, ledger.new, text) if one.decides]
    return (say("driven.unused", quotes=say.listed(telling[:3])),) if telling else ()
