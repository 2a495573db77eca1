"""Figures that no source is asked for: small numerals, procedures, and what a writer may say of own knowledge."""

import re

from assistant.grounding.standing.sums import SMALL_MAX, converts, is_width
from assistant.grounding.wording.cues import COUNTED, says
from assistant.grounding.wording.figures import Figure
from assistant.grounding.wording.mentions import products
from assistant.grounding.wording.quantities import BYTES, FLOPS, PERCENT, PLAIN, POWER, RATE, TIME
from assistant.grounding.wording.statements import Statement

HARDWARE = re.compile(
    r"\s?(?:(?:x|×|\*)(?!\s?[\d$¥€(])|GPUs?\b|cards?\b|nodes?\b|servers?\b|machines?\b|boxes\b|racks?\b|heads?\b|layers?\b|instances?\b"
    r"|张|块|卡|台|颗|份|节点|机柜|层|个? ?(?:KV ?)?头)",
    re.I,
)
"""What makes a small number one of things that are bought."""
CARDS, CARD_TIME = (
    re.compile(r"\s?(?:GPUs?\b|cards?\b|张|張|块|卡(?!时|時|小))", re.I),
    re.compile(r"GPU|card|卡", re.I),
)
FEW = 2
"""So many users or layers are said as words are."""
LAYERS = "layers"
RESULTS_COUNT = frozenset({"tokens", "requests", LAYERS})
FREE_KINDS = frozenset({PLAIN, PERCENT, TIME})
"""What may be said of one's own knowledge whatever it is about: settings, shares, times."""
GENERAL_KINDS = frozenset({BYTES, RATE, FLOPS, POWER})
"""What may be, where no product is named: a tool gives it of products."""
PARTS = frozenset({
    "weights", "cache", "optimizer", "gradients", "activations", "logits", "adapters", "spare", "usable",
})  # fmt: skip
"""What a tool gives of memory."""
WHOLE, NEARLY = 100.0, 99.0
"""In percent: all of anything, and from where on three digits are said."""
REMEMBERED_DIGITS = 2
"""So many digits of a figure are known by heart; one with more was worked out or looked up somewhere."""
SETTING_STEP, MODULE_STEP, ROUND_STEP, COUNT_MAX = 64, 16, 5, 1000
"""Steps in which sizes of blocks and pictures, memory, and other figures are said, and how far the last two reach."""
DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?")
CLAUSE = re.compile(r"(?:[,;:]\s|[，；：]|\b(?:and|then)\s)(?!\d)")
POLITE = re.compile(
    r"(?:please|also|then|next|first|now|or|you can|can you|could you|kindly|再|并|另外|麻烦|也)[ ,，]*", re.I
)
"""Before the word that tells to do something."""
APART = re.compile(r"(?:[,;:]\s|[，；：])(?!\d)")
"""What parts clauses, and not what one verb names: "send the command and the last 30 lines"."""
LISTED = re.compile(r"[;:]\s|[；：]")
"""What parts a sentence where a verb names a list: "send the version, the driver, and the last 30 lines"."""
HEAD_ZH = 4
"""Characters of a Chinese clause in which a verb tells to do something; of an English one it is the first word."""
TRIED_BEFORE, TRIED_BEHIND = 40, 18
"""Characters around a figure in which a word tells what is tried with it."""


def needs_nothing(figure: Figure, statement: Statement) -> bool:
    """Whether a figure is one that no source is asked for: a small numeral, or general knowledge marked as such."""
    main = figure.readings[0]
    behind = statement.text[figure.end - statement.start :]
    whole = main.kind == PLAIN and main.values[0] == int(main.values[0])
    if whole and main.values[0] <= SMALL_MAX and not figure.counts and not HARDWARE.match(behind):
        return len(figure.readings) == 1 and (main.values[0] <= FEW or not _counted(figure))
    if main.kind == PERCENT and main.values[0] == WHOLE:
        return True
    if (figure.counts and main.values[0] == 1) or converts(figure, statement) or is_width(figure):
        return True
    return _in_a_procedure(figure, statement) or (statement.own and _may_be_own(figure, statement))


def _may_be_own(figure: Figure, statement: Statement) -> bool:
    """Whether a figure may be the writer's own knowledge: a rough one that no tool gives.

    A size, rate or power of something that is named, a part of a model's memory, its layers, and whatever is told more
    finely than anybody remembers are looked up.
    """
    kinds = {one.kind for one in figure.readings}
    named = bool(figure.cards or figure.models)
    if figure.counts or not kinds <= FREE_KINDS | GENERAL_KINDS or not _remembered(figure):
        return False
    if _of_cards(figure, statement):
        return False
    if kinds <= FREE_KINDS:
        if figure.roles.get(COUNTED) == LAYERS:
            return not (figure.models or says("machines", statement.text))
        return not (_counted(figure) and named)
    return not (named or products(statement.text) or _given_by_tools(figure, statement))


def _of_cards(figure: Figure, statement: Statement) -> bool:
    """Whether it is a larger number of cards, or of hours of cards: how many something takes, a tool says."""
    if any(one.kind == TIME for one in figure.readings):
        return CARD_TIME.search(figure.text) is not None
    behind = CARDS.match(statement.text, figure.end - statement.start)
    return behind is not None and figure.readings[0].values[0] > SMALL_MAX


def _given_by_tools(figure: Figure, statement: Statement) -> bool:
    """Whether a size or rate is of a model's memory, of each card or user, or of the machine that is spoken of."""
    return (
        figure.roles.get("memory") in PARTS
        or figure.roles.get("share") is not None
        or says("machines", statement.text)
        or says("machines", f"{statement.row} {statement.column}")
    )


def _remembered(figure: Figure) -> bool:
    """Whether a figure is told as roughly as what one knows by heart, or is a setting."""
    match = DIGITS.search(figure.text)
    if match is None:
        return True
    digits = match[0].replace(",", "")
    told = digits.replace(".", "").lstrip("0") if "." in digits else digits.rstrip("0")
    if len(told) <= REMEMBERED_DIGITS:
        return True
    main = figure.readings[0]
    if main.kind == PERCENT:
        return NEARLY <= main.values[0] <= WHOLE
    if "." in digits:
        return False
    number = int(digits)
    if main.kind == PLAIN:  # a code, a port, a name, or a setting
        return "," not in match[0] or not number % SETTING_STEP
    return number < COUNT_MAX and not (number % MODULE_STEP if main.kind == BYTES else number % ROUND_STEP)


def _in_a_procedure(figure: Figure, statement: Statement) -> bool:
    """Whether a figure says how one should try something: 100 steps, the last 20 lines, five minutes, port 8000."""
    main = figure.readings[0]
    if figure.counts or _counted(figure) or main.kind not in {PLAIN, TIME}:
        return False
    start, end = figure.start - statement.start, figure.end - statement.start
    clauses = [pattern.split(statement.text[:end])[-1].lstrip(" *_") for pattern in (CLAUSE, APART, LISTED)]
    around = statement.text[max(0, start - TRIED_BEFORE) : start] + " " + statement.text[end : end + TRIED_BEHIND]
    instructs = any(
        says("instructs", _head(head)) for clause in clauses for head in (clause, POLITE.sub("", clause, count=1))
    )
    if main.kind == TIME and instructs and not any(map(str.isdigit, figure.text)):
        return True  # how long a check takes, in words: "check yours in two minutes"
    return instructs and says("waits" if main.kind == TIME else "tried", around)


def _head(clause: str) -> str:
    return clause[:HEAD_ZH] if clause[:1] > "一" else clause.split(maxsplit=1)[0] if clause.strip() else ""


def _counted(figure: Figure) -> bool:
    """Whether it counts what results count: tokens, requests at once, layers."""
    return figure.roles.get(COUNTED) in RESULTS_COUNT
