"""Words → Need: deterministic, every slot with the words it came from.

text ─► names of GPUs and models ─► numbers, formats, task, load, money, place ─► intent ─► whose cards ─► Need
                                                                   folded into the conversation's earlier Need
"""

from collections.abc import Sequence
from functools import lru_cache

from assistant.understand.dialogue import fold
from assistant.understand.former import refers_back
from assistant.understand.planted import without_planted
from assistant.understand.stated import internal, stated
from assistant.understanding import Asked, Shown, Understanding
from tools.need import Need

__all__ = ["refers_back", "stated", "understand"]
_HALF = {code + 0xFEE0: code for code in range(ord("0"), ord("z") + 1) if chr(code).isalnum()}
"""Full-width letters and digits as they are written elsewhere; one character each, so places in the text keep."""


def understand(text: str, previous: Need | None = None, earlier: Sequence[Need] = ()) -> Understanding:
    """Read one turn; with `previous`, the Need of the conversation so far, a follow-up changes only what it says.

    `earlier`: the Needs before that one, oldest first, for a turn that goes back to what was said then.
    """
    narrow = text.translate(_HALF)
    before = tuple(internal(one).model_copy(update={"shown": None}) for one in earlier) if refers_back(text) else ()
    last = internal(previous) if previous else None
    read = _folded(narrow, _less_told(last), before)
    if last is not None and read.need.shown is not None:
        read = read.model_copy(update={"need": read.need.model_copy(update={"shown": last.shown})})
    if narrow == text:
        return read
    quoted = (span.model_copy(update={"text": text[span.start : span.end]}) for span in read.spans)
    return read.model_copy(update={"spans": tuple(quoted)})


_OF_WORDS = ("measure", "said", "language", "fits", "told")
"""What of a former answer only the words of the next one turn on, not its reading."""


def _less_told(previous: Asked | None) -> Asked | None:
    """The Need without what only an answer's words turn on: turns that differ in it alone are read once."""
    if previous is None or previous.shown is None:
        return previous
    less = {name: Shown.model_fields[name].default for name in _OF_WORDS}
    return previous.model_copy(update={"shown": previous.shown.model_copy(update=less)})


@lru_cache(maxsize=2048)
def _folded(text: str, previous: Asked | None, earlier: tuple[Asked, ...]) -> Understanding:
    """The reading follows from the words alone, and a turn asks for it at every step."""
    asked = without_planted(text)
    if asked == text:
        return fold(text, previous, earlier)
    # What was planted states no need; whether it makes the whole none of our business is judged by all the words.
    whole = fold(text, previous, earlier)
    if not any(map(str.isalnum, asked)):
        return whole.model_copy(update={"need": previous or Asked(intent=whole.need.intent), "spans": ()})
    flags = {"out_of_scope": whole.out_of_scope, "dictated": whole.dictated}
    return fold(asked, previous, earlier).model_copy(update=flags)
