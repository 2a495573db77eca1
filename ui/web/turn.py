"""One turn of a conversation as HTML: the question, the steps, the answer and what it rests on."""

import re
from collections.abc import Sequence
from html import escape
from typing import Any

from assistant.agent import Step
from assistant.answer import Answer
from assistant.compose.arithmetic import locator
from assistant.compose.orders import spoken_of
from assistant.understand.language import language_of
from kb.base import AdvisorError
from ui.entrance.refusals import told
from ui.web import cards, chart, evidence, steps
from ui.web.break_even import break_even
from ui.web.frontier import frontier
from ui.web.prose import prose
from ui.web.understood import understood
from ui.words.follow_ups import follow_ups
from ui.words.labels import label, labels

FOLLOW_UPS = {
    "en": {
        "four_bit": "And with 4-bit?", "cheaper": "What is cheaper?", "cloud": "And in the cloud?",
        "arithmetic": "Show the arithmetic.",
    },
    "zh": {
        "four_bit": "用 4-bit 量化呢？", "cheaper": "有没有更便宜的？", "cloud": "租云呢？",
        "arithmetic": "算式给我看看。",
    },
}  # fmt: skip
_MARKER = re.compile(r"\[(\d{1,4})\]")
LONGEST_SHOWN_QUESTION = 4000


def asked(question: str) -> str:
    """What the person wrote."""
    shown = question if len(question) <= LONGEST_SHOWN_QUESTION else f"{question[:LONGEST_SHOWN_QUESTION]}…"
    return f'<div class="asked"><p>{escape(shown)}</p></div>'


def pending(question: str, so_far: Sequence[Step]) -> str:
    """A turn in work."""
    return f'<article class="turn pending">{asked(question)}{steps.running(so_far)}</article>'


def refused(question: str, error: AdvisorError) -> str:
    """A turn that could not be answered; the question stays so that nothing typed is lost."""
    return _unanswered(question, escape(told(error, language_of(question.lower()))))


def broken(question: str) -> str:
    """A turn over which something failed that is not the question's fault."""
    return _unanswered(question, label("broke"))


def _unanswered(question: str, why: str) -> str:
    retry = f'<button type="button" class="chip" data-fill="{escape(question)}">{label("try_again")}</button>'
    return (
        f'<article class="turn">{asked(question)}<div class="refused" role="alert">'
        f"<b>{label('failed')}</b> {why} {retry}</div></article>"
    )


def answered(answer: Answer, *, read_only: bool = False) -> str:
    """A finished turn; `read_only` leaves out what asks, judges or corrects."""
    turn = answer.id[:8]
    language = "zh" if answer.language == "zh" else escape(answer.language)
    verdict = "fit_verdict" if answer.verdict == "fits" else f"{answer.verdict}_verdict"
    memory = chart.breakdown(_estimate(answer))
    markers = [item.marker for item in answer.citations]
    if answer.verdict == "fact" and not answer.tool_calls:  # thanks and nods: nothing was looked up
        return (
            f'<article class="turn" data-conversation="{escape(answer.conversation_id)}">{asked(answer.question)}'
            f'<div class="reply"><div class="words" lang="{language}">{prose(answer.answer, turn, markers)}</div></div>'
            "</article>"
        )
    parts = [
        steps.finished(answer),
        f'<p class="verdict {answer.verdict}" lang="{language}">{_badge(verdict, answer.language)}</p>',
        f'<div class="words" lang="{language}">{prose(answer.answer, turn, markers)}</div>',
        _notes(answer),
        memory,
        cards.cards(spoken_of(answer), "" if read_only else answer.id),
        next((break_even(call.result) for call in answer.tool_calls if call.tool == "estimate_cost"), ""),
        _frontier(answer),
        evidence.sources(answer.citations, turn, answer.tool_calls),
        evidence.arithmetic(answer.tool_calls),
        _grounding(answer),
        "" if read_only else _next(answer),
        "" if read_only else _feedback(answer),
    ]
    return (
        f'<article class="turn" data-conversation="{escape(answer.conversation_id)}">{asked(answer.question)}'
        f'<div class="reply">{understood(answer.need, answer.language)}{"".join(parts)}</div></article>'
    )


def _badge(verdict: str, language: str) -> str:
    """The verdict in the language of the answer beneath it, whatever that of the page is."""
    english, chinese = labels()[verdict]
    return escape(chinese if language == "zh" else english)


def _frontier(answer: Answer) -> str:
    """Price against speed, where the answer puts hardware forward."""
    searches = (call.result for call in answer.tool_calls if call.tool == "configure")
    return next(map(frontier, searches), "") if spoken_of(answer) else ""


def _estimate(answer: Answer) -> dict[str, Any]:
    """The memory estimate to draw: the first that the text cites, which is what its verdict rests on.

    Where a language model wrote the text and cites none: the first that was made for a card, else the first.
    """
    calls = [call for call in answer.tool_calls if call.tool == "estimate_memory" and "error" not in call.result]
    cited = {item.marker: item.locator for item in answer.citations}
    made = {locator(call.request): call.result for call in calls}
    told = (made.get(cited.get(int(marker), "")) for marker in _MARKER.findall(answer.answer))
    first = next(filter(None, told), None)
    results = [call.result for call in calls]
    return first or next((result for result in results if result.get("fit")), results[0] if results else {})


def turns(history: Sequence[Answer]) -> str:
    """Several finished turns, oldest first."""
    return "".join(map(answered, history))


def _notes(answer: Answer) -> str:
    """Warnings that the text does not say itself."""
    fresh = [line for line in answer.warnings if line not in answer.answer]
    items = "".join(f"<li>{escape(line)}</li>" for line in fresh)
    return f'<div class="warned"><b>{label("warnings")}</b><ul>{items}</ul></div>' if fresh else ""


def _grounding(answer: Answer) -> str:
    counts = answer.grounding
    if not counts.numbers:
        return ""
    return f'<p class="quiet grounding">{counts.grounded}/{counts.numbers} {label("grounded")}</p>'


def _feedback(answer: Answer) -> str:
    """Two quiet buttons: the page sends what is chosen."""
    buttons = "".join(
        f'<button type="button" data-helpful="{value}" data-answer="{escape(answer.id)}" '
        f'data-of="{escape(answer.conversation_id)}">{label(name)}</button>'
        for value, name in (("yes", "helpful"), ("no", "unhelpful"))
    )
    return f'<p class="feedback">{buttons}</p>'


def _next(answer: Answer) -> str:
    language = "zh" if answer.language == "zh" else "en"
    chips = [
        f'<button type="button" class="chip ask" data-fill="{escape(question)} ">{escape(question)}</button>'
        for question in answer.clarifying_questions
    ]
    texts = (FOLLOW_UPS[language][key] for key in follow_ups(answer))
    chips += [f'<button type="button" class="chip" data-ask="{escape(text)}">{escape(text)}</button>' for text in texts]
    return f'<div class="chips" lang="{language}">{"".join(chips)}</div>' if chips else ""
