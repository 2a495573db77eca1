"""What a turn brings along beside its question: a topology, a table of nvidia-smi, measured use as CSV."""

import re

from assistant.plan.call import PlannedCall, planned
from assistant.understanding import Understanding
from tools.need import Need
from tools.topology.matrix import plain, read_matrix, read_nvlinks
from tools.topology.smi import read_table

_CSV_ROW = re.compile(
    r"^\s*\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}[^,;\t\n]{0,30}[,;\t]\s*[\d.]+[^\n]*$|^\s*\d{9,13}[,;\t]\s*[\d.]+[^\n]*$",
    re.M,
)
_CSV_HEAD = re.compile(r"^[^\n,;\t]{1,40}(?:[,;\t][^\n,;\t]{1,60}){1,12}$")
ROWS_MIN = 3
"""Rows of times and numbers that make a table rather than a sentence."""
_HAVE = re.compile(
    r"(\d{1,6})\s*(?:张|块|片|个|×|x)?\s*(?:gpus?|cards?|卡|显卡)|(?:capacity|容量|总共|共有|have|own|现有|目前有)\D{0,12}(\d{1,6})",
    re.I,
)
_DAYS = re.compile(r"(\d{1,3})\s*(?:天|days?)", re.I)
_MONTHS = re.compile(r"(\d{1,2})\s*(?:个月|months?)", re.I)
_WEEKS = re.compile(r"(\d{1,2})\s*(?:周|星期|weeks?)", re.I)
_LEAD = re.compile(
    r"(?:交货|交期|到货|采购周期|lead ?time|deliver\w*)\D{0,12}(\d{1,3})\s*(天|周|个月|days?|weeks?|months?)", re.I
)
_LOTS = re.compile(r"(?:每台|每次|一台|per server|at a time|lots? of|servers? of|machines? of)\D{0,6}(\d{1,3})", re.I)
LENGTHS = {"天": 1, "d": 1, "周": 7, "w": 7, "个": 30, "m": 30}


def pasted(understanding: Understanding, need: Need) -> list[PlannedCall | None]:
    """The calls that what was pasted asks for; none for a turn of words alone."""
    return [topology(understanding.text, need), forecast(understanding.text)]


def topology(text: str, need: Need) -> PlannedCall | None:
    """The reading of a matrix or table; the card named beside it says how fast its links are."""
    shown = plain(text)
    if read_matrix(shown) is None and not read_nvlinks(shown):
        table = read_table(shown)
        if table is None or not table.cards:
            return None
    named = [card.gpu for card in need.gpus_owned] or list(need.gpus_asked)
    return planned("read_topology", text=text, gpu=named[0] if len(set(named)) == 1 else None,
                   tensor_parallel=need.tensor_parallel)  # fmt: skip


def forecast(text: str) -> PlannedCall | None:
    """The forecast of a pasted table of use, against what the words around it say there is."""
    rows = list(_CSV_ROW.finditer(text))
    if len(rows) < ROWS_MIN:
        return None
    before = text[: rows[0].start()].rstrip("\n").rsplit("\n", 1)
    head = before[-1].strip() if _CSV_HEAD.match(before[-1].strip()) else ""
    table = "\n".join([*([head] if head else []), *(row[0].strip() for row in rows)])
    words = text[: rows[0].start()].removesuffix("\n").removesuffix(head) + " " + text[rows[-1].end() :]
    lots = _LOTS.search(words)
    return planned("forecast_capacity", usage_csv=table, capacity=_have(words), lead_time_days=_lead(words),
                   gpus_per_order=int(lots[1]) if lots else None, horizon_days=_horizon(words))  # fmt: skip


def _have(words: str) -> float | None:
    match = _HAVE.search(words)
    return float(match[1] or match[2]) if match else None


def _lead(words: str) -> float | None:
    match = _LEAD.search(words)
    return float(int(match[1]) * LENGTHS[match[2][0].lower()]) if match else None


def _horizon(words: str) -> float | None:
    """The time asked about: what stands outside the words on delivery."""
    rest = _LEAD.sub(" ", words)
    for rule, days in ((_MONTHS, 30), (_WEEKS, 7), (_DAYS, 1)):
        if match := rule.search(rest):
            return float(int(match[1]) * days) or None
    return None
