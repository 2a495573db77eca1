"""So much memory for the least money, whatever runs on it: "cheapest way to 96 GB of VRAM", 「凑 64G 显存怎么买」."""

import re
from collections.abc import Sequence

from assistant.plan import requests
from assistant.plan.call import PlannedCall, planned
from assistant.plan.market import ordinary, recent, sold_alone
from assistant.plan.ways import rents
from assistant.understanding import Understanding
from kb.units import GIB
from tools.find_gpus import GpuQuery, find_gpus
from tools.gpu_row import GpuRow
from tools.need import Need

SHOWN_MAX = 6
DESKTOP_CARDS = 4
"""Most cards that a workstation takes; more are looked at where that many do not reach."""
SERVER_CARDS = 8
"""Most cards of one server."""
_WANTS = (
    r"cheap\w{0,4}|low(?:est)?[- ](?:cost|price)|least (?:money|expensive)|get(?:ting)?|reach|build|want|way to"
    r"|best (?:value|buy)|value for|how (?:can|do) (?:i|we)|for (?:under|less)"
    r"|便宜|最省|凑|攒|组|配|想要|想搞|弄|搞|上到|买"
)
_MEMORY = (
    r"(?P<n>\d{2,4})\s?gi?b?\s?\+?\s?(?:of |的|以上)?\s?(?:total |gpu |video |大)?"
    r"(?:v?ram|memory|显存|cards?|gpus?|显卡)"
)
_CARD_WITH = r"(?:gpus?|cards?|显卡|卡) (?:with|that has|having|of) (?P<n>\d{2,4})\s?gi?b?(?![a-z])"
_TARGETS = tuple(
    re.compile(rule, re.I)
    for rule in (
        rf"(?:{_WANTS})[^.?!。？！]{{0,40}}?{_MEMORY}",
        rf"{_MEMORY}[^.?!。？！]{{0,40}}?(?:{_WANTS})",
        rf"(?:{_WANTS})[^.?!。？！]{{0,20}}?{_CARD_WITH}",
    )
)
_ONE = re.compile(r"(?<![a-z])(?:single|one)?[ -]?(?:card|gpu)(?!s|[a-z]| memory| ram)|单卡|一张|显卡", re.I)
MACHINE = "apu"
"""Market of chips that come as whole machines: two of those are two machines."""
_NOT_CARDS = {"laptop", "module", "cloud_only"}
_HAS = re.compile(
    r"我(?:有|的)|手里|手上|现有|(?<![a-z])(?:i|we) (?:have|own|got)(?![a-z])|(?<![a-z])(?:my|our)(?![a-z])", re.I
)
_SYSTEM = re.compile(r"系统内存|主机内存|system (?:ram|memory)|host (?:ram|memory)", re.I)


def wanted_bytes(text: str) -> int | None:
    """The memory that is to be reached; None where no amount is wanted for money."""
    if _HAS.search(text) or _SYSTEM.search(text):
        return None
    match = next((found for rule in _TARGETS if (found := rule.search(text))), None)
    return int(match["n"]) * GIB if match else None


def asked(understanding: Understanding) -> bool:
    """Whether memory itself is what is to be bought: no model, no card, no budget, no rent."""
    need, text = understanding.need, understanding.text
    named = requests.sized(need) or requests.named_gpus(need) or need.budget or need.purpose
    if named or understanding.error_text or rents(text) or requests.is_training(need):
        return False
    return not (understanding.command and understanding.follow_up) and wanted_bytes(text) is not None


def query(text: str) -> dict[str, object]:
    """The search for cards that reach it together, the cheapest first."""
    return {
        "together_bytes": wanted_bytes(text), "sort": "price_together", "limit": 40,
        "max_together": 1 if _ONE.search(text) else SERVER_CARDS, "where": ("year >= 2016", "bandwidth > 0"),
    }  # fmt: skip


def ranked(rows: Sequence[GpuRow], text: str) -> list[GpuRow]:
    """Those sold card by card at a price of today's market, the cheapest together first, as few as a desk takes.

    Whole machines of one memory are among them, unless a card is what is asked for.
    """
    sold = [one for one in rows if recent(one.price) and sold_alone(one) and one.market not in _NOT_CARDS]
    sold = [one for one in sold if one.market != MACHINE or (one.together_count == 1 and not _ONE.search(text))]
    return [one for one in sold if (one.together_count or 0) <= DESKTOP_CARDS] or sold


def lead(rows: Sequence[GpuRow]) -> GpuRow:
    """The cheapest that ordinary software runs on, else the cheapest."""
    return next((one for one in rows if ordinary(one)), rows[0])


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """The cards, and the machine around those that lead."""
    asked_for = query(understanding.text)
    rows = ranked(find_gpus(GpuQuery.model_validate(asked_for)).gpus, understanding.text)
    best = lead(rows) if rows else None
    machine = (
        None
        if best is None or best.market == MACHINE
        else planned("estimate_cost", gpu=best.id, gpu_count=best.together_count, acquisition="buy", currency="USD")
    )
    return [planned("find_gpus", **asked_for), machine]
