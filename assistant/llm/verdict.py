"""The verdict of a model's answer: what it says itself, held against the result it rests on."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

from assistant.answer import AnswerVerdict
from assistant.grounding.wording.cues import is_bare, says
from assistant.grounding.wording.figures import figures
from assistant.grounding.wording.mentions import products
from assistant.grounding.wording.quantities import PLAIN
from assistant.grounding.wording.statements import Statement, statements
from tools.agent_tools.ledger import LookedUp

LINE = re.compile(
    r"\n?\s*[*_`#>]*\s*VERDICT\s*[:：]\s*[*_`]*\s*([a-z_]+)[*_`]*\s*(?:[,(;]?\s*\[{0,2}(R\d{1,4})\]{0,2}\)?)?[^\n]*\s*$",
    re.I,
)
BY_TOOL: dict[str, AnswerVerdict] = {
    "configure": "recommendation", "look_up": "fact", "explain": "diagnosis", "cost": "estimate",
    "find_ways_to_train": "estimate", "find_ways_to_run": "estimate", "launch_files": "recommendation",
    "search_guidance": "fact", "work_out": "estimate",
}  # fmt: skip
SOLVERS = ("find_ways_to_run", "find_ways_to_train", "configure", "explain")
LEAD_MAX = 220
PRODUCTS_MAX = 2
"""Names in the first sentence up to which it speaks of one thing that fits or does not."""


@dataclass(frozen=True, slots=True)
class Said:
    """What the last line of an answer says."""

    text: str
    """The answer without that line."""
    verdict: AnswerVerdict | None
    key: str | None


DENIES = re.compile(r"'(?:verdict|fits|surety)': '(?:no|does_not_fit)'")
"""What a part of a result says that does not hold: one of several ways, the configuration that textbooks mean."""


def parted(answer: str) -> Said:
    """The answer and its last line, which names the verdict and what it rests on."""
    match = LINE.search(answer)
    if match is None:
        return Said(answer.strip(), None, None)
    word = match[1].lower()
    verdict: AnswerVerdict | None = word if word in get_args(AnswerVerdict) else None  # type: ignore[assignment]
    return Said(answer[: match.start()].strip(), verdict, match[2].upper() if match[2] else None)


def decided(said: Said, looked_up: Sequence[LookedUp]) -> AnswerVerdict:
    """The verdict: as it was said, else that of the last solver's result, else by the kind of what was called."""
    if said.verdict is not None:
        return said.verdict
    rests = resting(said, looked_up)
    if rests is None:
        return "clarification" if said.text.rstrip().endswith(("?", "？")) else "fact"
    found = verdict_of(rests)
    return found if found is not None else BY_TOOL.get(rests.tool, "fact")


def resting(said: Said, looked_up: Sequence[LookedUp]) -> LookedUp | None:
    """The result a verdict rests on: the one it names, else the last solver's, else the last."""
    good = [one for one in looked_up if not one.failed]
    named = next((one for one in good if one.key == said.key), None)
    solved = [one for one in good if one.tool in SOLVERS]
    return named or (solved[-1] if solved else good[-1] if good else None)


def verdict_of(one: LookedUp) -> AnswerVerdict | None:
    """What a result itself decides."""
    answer = one.shown.get("answer")
    word = answer.get("verdict") if isinstance(answer, dict) else None
    return word if word in {"fits", "does_not_fit", "fits_with_changes", "recommendation"} else None


def contradiction(said: Said, looked_up: Sequence[LookedUp]) -> str | None:
    """How the verdict departs from the result that it names itself, or from its own first words, if it does.

    Without a named result nothing is held against it: which of several an answer rests on is the model's to say.
    """
    one = next((one for one in looked_up if one.key == said.key and not one.failed), None)
    if one is not None and said.verdict == "fits" and verdict_of(one) == "does_not_fit":
        return f"the verdict is fits, and {one.key} says does_not_fit"
    if len(products(said.text[:LEAD_MAX])) > PRODUCTS_MAX:
        return None
    lead = re.split(r"[。！!\n]|\.\s", said.text.strip(), maxsplit=1)[0][:LEAD_MAX]
    if said.verdict == "fits" and says("fits_not", lead) and not says("fits", lead):
        return "the first sentence says that it does not fit, and the verdict is fits"
    if said.verdict == "does_not_fit" and says("fits", lead) and not says("fits_not", lead):
        return "the first sentence says that it fits, and the verdict is does_not_fit"
    return None


def bare_answers(text: str, looked_up: Sequence[LookedUp], *, before: bool) -> Iterator[tuple[Statement, str]]:
    """A yes or no and nothing else, told before anything that can be held against results, which every solver denies.

    Where solvers disagree nothing is held against it. Where nothing was looked up, neither now nor `before`, it
    rests on nothing.
    """
    first = next(
        (one for one in statements(text) if one.kind in ("sentence", "heading") and _says_something(one)), None
    )
    if first is None or first.own:
        return
    yes, no = is_bare("bare_yes", first.text), is_bare("bare_no", first.text)
    if not (yes or no):
        return
    decided_by = {str(verdict_of(one)): one.key for one in looked_up if not one.failed and one.tool in SOLVERS}
    decided_by.pop("None", None)
    words = set(decided_by)
    denied = any(one.tool in SOLVERS and DENIES.search(str(one.shown)) for one in looked_up if not one.failed)
    if no and words and "does_not_fit" not in words and not denied:
        yield first, f"{decided_by[min(words)]} says that it works"
    elif yes and words == {"does_not_fit"}:
        yield first, f"{decided_by['does_not_fit']} says that it does not fit"
    elif not looked_up and not before:
        yield first, "nothing was looked up that decides it"


def _says_something(one: Statement) -> bool:
    """Whether it can be held against results: a yes or no, a figure with a unit, a product, whether it fits."""
    if is_bare("bare_yes", one.text) or is_bare("bare_no", one.text) or products(one.text):
        return True
    measured = any(figure.readings and figure.readings[0].kind != PLAIN for figure in figures(one))
    return measured or says("fits", one.text) or says("fits_not", one.text)
