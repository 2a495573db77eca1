"""What every answer passes before it leaves: its numbers are traced, and what goes with it is put beside it."""

import time
import uuid
from collections.abc import Sequence

from assistant.answer import Answer, Draft, Grounding, ToolCallRecord
from assistant.ground import ground, without_loose_lines
from assistant.phrases import phrases
from assistant.plan import pictured_samples
from assistant.plan.provisional import samples_said
from assistant.plan.requests import PATIENCE_S
from assistant.understand import stated
from assistant.understand.usage import NIGHT_H
from assistant.understand.worded import NIGHTLY
from assistant.understanding import Understanding
from kb.catalog import gpus
from kb.units import DAY_S, HOUR_S
from tools.training_time.request import SAMPLE_TOKENS

TOLD_MAX = 5
"""Numbers that nothing vouches for, as many as a warning names."""


def checked(
    draft: Draft, records: Sequence[ToolCallRecord], words: Sequence[str], language: str
) -> tuple[Draft, Grounding]:
    """The draft less the lines whose numbers nothing vouches for, which it then says, and what was traced."""
    grounding = ground(draft.answer, records, words, draft.citations)
    if not grounding.ungrounded:
        return draft, grounding
    kept = without_loose_lines(draft.answer, records, words, draft.citations)
    told = phrases(language)("state.removed", numbers=", ".join(grounding.ungrounded[:TOLD_MAX]))
    draft = draft.model_copy(update={"answer": kept, "warnings": (*draft.warnings, told)})
    return draft, ground(kept, records, words, draft.citations)


def counted(understanding: Understanding) -> str:
    """The cards as they were understood, which a person sees and may correct: 「多卡」 is two, "the V100s" four.

    And the figure that the former answer told, which a follow-up holds the new one against, the hours taken for words
    that set a time or where none was set, and the tokens taken for a sample or a picture that is trained on.
    """
    need = understanding.need
    cards = (*need.gpus_owned, *need.gpus_proposed)
    told = [f"{card.count}×{gpus()[card.gpu].name}" for card in cards if card.count and card.gpu in gpus()]
    said = need.shown.said if need.shown else None
    due = [need.deadline_s] if need.deadline_s else []
    nights = [NIGHT_H * HOUR_S] if NIGHTLY.search(understanding.text) else []
    each = pictured_samples.each(need)
    of_one = [f"{each:,} tokens"] if each else [f"{SAMPLE_TOKENS} tokens"] if samples_said(understanding) else []
    open_ = [PATIENCE_S] if need.task == "pretrain" and not due else []
    taken = [*of_one, *(f"{one / HOUR_S:g} hours, {one / DAY_S:g} days" for one in (*due, *nights, *open_))]
    return ", ".join([*told, *([said] if said else []), *taken])


def vouched_for(draft: Draft, records: Sequence[ToolCallRecord], words: Sequence[str]) -> Grounding | None:
    """What was traced, if every number was."""
    grounding = ground(draft.answer, records, words, draft.citations)
    return None if grounding.ungrounded else grounding


def answer_of(
    question: str,
    draft: Draft,
    grounding: Grounding,
    understanding: Understanding,
    records: Sequence[ToolCallRecord],
    engine: str,
    conversation_id: str,
    started: float,
) -> Answer:
    """The draft with all that goes with it."""
    return Answer(
        id=uuid.uuid4().hex,
        conversation_id=conversation_id,
        question=question,
        language=understanding.language,
        need=stated(understanding.need).model_copy(update={"shown": draft.shown}),
        tool_calls=tuple(records),
        grounding=grounding,
        engine=engine,
        elapsed_s=since(started),
        **{name: getattr(draft, name) for name in Draft.model_fields if name != "shown"},
    )


def since(started: float) -> float:
    """Seconds since `started` of the performance counter, as answers tell them."""
    return round(time.perf_counter() - started, 4)
