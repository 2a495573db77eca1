"""What a power limit costs in speed: measured on the card, else on cards limited as far."""

from collections.abc import Sequence
from itertools import pairwise

from kb.catalog import gpus
from kb.machines.power import LimitMeasured, power_facts
from kb.records.gpu import Gpu
from tools.power.machine import Machine
from tools.power.result import LimitEffect
from tools.speed.result import Interval

MEASURES = ("decode_ratio", "prefill_ratio")


def effect(machine: Machine) -> LimitEffect | None:
    """The speed left at the limit set; null when none is set or it is the board power."""
    card, limit = machine.cards[0][0], machine.limit_w
    if limit is None or card.tdp_w is None or limit >= card.tdp_w:
        return None
    rows = power_facts().power_limits
    own = [row for row in rows if row.gpu == card.id]
    used = own or rows
    share = limit / card.tdp_w
    decode, prefill = (_left(used, name, share) for name in MEASURES)
    exact = any(row.limit_w == limit for row in own)
    label = "measured" if exact else "interpolated" if own else "other cards"
    return LimitEffect.model_validate(
        {
            "limit_w": limit, "decode": decode, "prefill": prefill, "label": label,
            "sources": tuple(dict.fromkeys(row.source for row in used)),
        }
    )  # fmt: skip


def _left(rows: Sequence[LimitMeasured], name: str, share: float) -> Interval | None:
    """Speed left at `share` of the board power: straight between measurements, of every card that has them."""
    found = []
    for gpu in dict.fromkeys(row.gpu for row in rows):
        points = sorted(
            (row.limit_w / _board(gpus()[gpu]), float(value))
            for row in rows
            if row.gpu == gpu and (value := getattr(row, name)) is not None
        )
        if points and share >= points[0][0]:
            found.append(_between([*points, (1.0, 1.0)], share))
    if not found:
        return None
    return Interval(value=sum(found) / len(found), low=min(found), high=max(found))


def _between(points: Sequence[tuple[float, float]], share: float) -> float:
    for (x0, y0), (x1, y1) in pairwise(points):
        if x0 <= share <= x1:
            return y0 + (y1 - y0) * (share - x0) / (x1 - x0)
    return points[-1][1]


def _board(card: Gpu) -> float:
    return float(card.tdp_w or 1)
