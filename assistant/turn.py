"""One turn from a reading: topics answer what was asked, their figures are checked, and an answer is made.

annotation → situation → a topic an ask → solver calls → sections → checked text
"""

import time
import uuid
from collections.abc import Sequence
from typing import NamedTuple

from assistant.answer import Answer, Grounding, Section, Unused
from assistant.finish import since
from assistant.grounding.check import Checked, checked
from assistant.grounding.standing.evidence import Evidence
from assistant.llm.answering import without
from assistant.llm.citing import KEY, cited, records_of
from assistant.llm.situation import configurations_of, need_of, unused_of
from assistant.phrases import phrases
from assistant.reading.annotation import Annotation, Ask
from assistant.reading.build import after
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic, topics_for
from assistant.writing.accounts.worked.wholes import with_wholes
from assistant.writing.telling.left_open import intent_of, open_lead, open_questions, unknown_names
from assistant.writing.telling.sections import Block, bare, beside, text_of
from assistant.writing.words import LANGUAGES, Words
from tools.agent_tools.ledger import Ledger


class Said(NamedTuple):
    """What is said to one ask."""

    ask: Ask
    topic: Topic | None
    """None: no topic and no document answers it, and the section says so."""
    told: SectionTold
    words: Words


def situation_of(history: Sequence[Answer]) -> Situation | None:
    """What is known of the turns so far that were marked up."""
    situation = None
    for answer in history:
        if answer.reading is not None:
            situation = after(situation, answer.reading)
    return situation


def taken(situation: Situation) -> list[Topic | None]:
    """The closest topic for every ask; None where there is none."""
    return [next(iter(topics_for(ask, situation)), None) for ask in situation.asks]


def answered(
    question: str, annotation: Annotation, situation: Situation, conversation_id: str, history: Sequence[Answer]
) -> Answer | None:
    """The answer of the topics, whatever is asked; None where they do not speak the language.

    An ask that nothing answers is named in a sentence, and so is a name that decides and is not known.
    """
    started = time.perf_counter()
    language = annotation.language
    if language not in LANGUAGES or language is None:
        return None
    words = (*(answer.question for answer in history), question)
    ledger = Ledger(one for answer in history for one in answer.looked_up)
    calls = Calls(ledger, words)
    asks = situation.asks or situation.standing or (Ask(ask="aside", quote=question[:80], start=0),)
    said = [_said(ask, situation, calls, language) for ask in asks]
    evidence = Evidence.of(with_wholes(ledger.all), words, tuple(answer.answer for answer in history))
    said, text, final = _held(said, annotation, situation, evidence, history)
    text, citations = cited(text, final, ledger.all)
    unused = unused_of(question, ledger.new, text)
    before = history[-1].need if history else None
    return Answer(
        id=uuid.uuid4().hex, conversation_id=conversation_id, question=question, language=language[:2],
        verdict=said[0].told.verdict, answer=text, need=need_of(ledger.new, before, intent_of(asks[0])),
        configurations=configurations_of(ledger.new), tool_calls=records_of(ledger.new), looked_up=ledger.new,
        citations=citations,
        assumptions=beside((line for one in said for line in one.words.assumed), text),
        clarifying_questions=beside((line for one in said for line in one.words.asked), text),
        warnings=(*beside((line for one in said for line in one.words.minded), text), *_unused(language, unused)),
        unused=unused, sections=tuple(Section(ask=one.ask.ask, lead=KEY.sub("", one.told.lead)) for one in said),
        reading=annotation,
        grounding=Grounding(numbers=final.figures, grounded=final.figures - len(final.loose), ungrounded=final.loose),
        engine=f"reading:{annotation.reader}", elapsed_s=since(started),
    )  # fmt: skip


def _said(ask: Ask, situation: Situation, calls: Calls, language: str) -> Said:
    """What the first topic that can says to an ask, else that it stays open."""
    for topic in topics_for(ask, situation):
        words = Words(topic.folder, language)
        if (told := topic.answer(ask, situation, calls, words)) is not None:
            return Said(ask, topic, told, words)
    return _open(ask, situation, language)


def _open(ask: Ask, situation: Situation, language: str) -> Said:
    words = Words.shared(language)
    lines = tuple(open_questions(ask, situation, words))
    return Said(ask, None, SectionTold(open_lead(ask, words), lines, "clarification"), words)


def _held(
    said: list[Said], annotation: Annotation, situation: Situation, evidence: Evidence, history: Sequence[Answer]
) -> tuple[list[Said], str, Checked]:
    """Sections whose figures hold, their text, and the check of it; an ask whose lead does not hold is left open."""
    language = annotation.language or "en"
    notes_in = Words.shared(language)
    notes = unknown_names(annotation, situation, notes_in)
    for again in (False, True):
        said = _answers_first(said)
        text = _text(said, notes, history)
        loose = checked(text, evidence).findings
        text = without(text, [(one.statement.start, one.statement.end) for one in loose])
        held = bare(text)
        lost = [one for one in said if one.topic is not None and bare(one.told.lead) not in held]
        if again or not lost:
            break
        said = [_open(one.ask, situation, language) if one in lost else one for one in said]
    said[0].words.asked.extend(notes_in.asked)
    return said, text, checked(text, evidence)


def _answers_first(said: list[Said]) -> list[Said]:
    """What is answered before what is left open, each in the order of its weight."""
    return sorted(said, key=lambda one: one.topic is None)


def _text(said: Sequence[Said], notes: Sequence[str], history: Sequence[Answer]) -> str:
    """The sections; what was asked back in a turn before is not asked again."""
    before = {line for answer in history for line in answer.clarifying_questions}
    blocks = [
        Block(
            one.topic.name if one.topic else "",
            one.told.lead,
            tuple(line for line in one.told.lines if line not in before),
        )
        for one in said
    ]
    asked = {line for one in said for line in one.words.asked} - before
    questions = [line for block in blocks for line in block.lines if line in asked]
    return text_of(blocks, [one for one in notes if one not in before], questions)


def _unused(language: str, unused: Sequence[Unused]) -> tuple[str, ...]:
    """What could have decided and was not used, told."""
    say = phrases(LANGUAGES[language])
    telling = [f"“{one.quote}”" for one in unused if one.decides]
    return (say("driven.unused", quotes=say.listed(telling[:3])),) if telling else ()
