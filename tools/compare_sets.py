"""Sets of cards side by side for one work: each with its best way and its figure, by the matter asked."""

from collections.abc import Callable
from typing import Literal

from kb.base import BadInput, Frozen
from kb.catalog import gpus
from kb.lexicon import CardCount, read_cards
from kb.records.source import Source
from kb.units import format_bytes
from tools.named import cited, vouching
from tools.need import GpuCount
from tools.power.draw import draw_of
from tools.power.machine import machine_of
from tools.power.request import PowerRequest
from tools.prices import card_price, middle_price
from tools.speed.result import Interval
from tools.ways_to_run.find import find_ways_to_run
from tools.ways_to_run.request import WaysToRunRequest
from tools.ways_to_train.find import find_ways_to_train
from tools.ways_to_train.request import WaysToTrainRequest

Matter = Literal["speed", "first_token", "context", "users", "memory", "bandwidth", "cost", "power", "speed_per_cost"]
ESTIMATED = frozenset({"speed", "first_token"})
"""Matters that are estimated, not read."""
ALIKE = 1.15
"""Times the figure within which two estimates do not tell sets apart."""
USABLE = ("yes", "fits", "fits_with_changes")


class SetCompared(Frozen):
    """One set of cards, and the best it does at the work."""

    name: str
    """As it was written."""
    cards: tuple[GpuCount, ...]
    memory_bytes: int
    """Usable, of all cards."""
    bandwidth_bytes_per_s: float | None
    """Of all cards together; what one answer sees is in the speed. null = of one it is not stated."""
    power_w: float | None
    """At the wall while it works, the machine included; null = a card's power is not stated."""
    cards_w: int | None
    """Board power of the cards alone; null = one's is not stated."""
    price_usd: float | None
    """The cards (of a Mac or a small computer: all of it); null = a price is not known."""
    price_as_of: str | None
    """Of the oldest of these prices."""
    verdict: str | None = None
    """fits, fits_with_changes or does_not_fit; null without a work."""
    way: str | None = None
    """The best way in a few words."""
    weight_format: str | None = None
    tokens_per_s: Interval | None = None
    """Of one user; of a training: of all cards."""
    first_token_s: Interval | None = None
    max_context_tokens: int | None = None
    max_concurrent_sequences: int | None = None
    time_s: Interval | None = None
    """Of a whole training, where its data are given."""
    changed: tuple[str, ...] = ()
    """What of the work had to be changed for it."""


class SetsCompared(Frozen):
    """All of them, and which is best at the matter."""

    sets: tuple[SetCompared, ...]
    by: Matter
    values: dict[str, float | None]
    """Set → the figure that decides; null = it does not run there, or a figure lacks."""
    winner: str | None
    """Null when two tie, or fewer than two have a figure and none runs."""
    reason: str
    assumptions: tuple[str, ...]
    sources: tuple[Source, ...]


_VALUES: dict[Matter, tuple[bool, Callable[[SetCompared], float | None]]] = {
    "speed": (True, lambda one: one.tokens_per_s.value if one.tokens_per_s else None),
    "first_token": (False, lambda one: one.first_token_s.value if one.first_token_s else None),
    "context": (True, lambda one: one.max_context_tokens),
    "users": (True, lambda one: one.max_concurrent_sequences),
    "memory": (True, lambda one: one.memory_bytes),
    "bandwidth": (True, lambda one: one.bandwidth_bytes_per_s),
    "cost": (False, lambda one: one.price_usd),
    "power": (False, lambda one: one.cards_w),
    "speed_per_cost": (True, lambda one: one.tokens_per_s.value / one.price_usd
                       if one.tokens_per_s and one.price_usd else None),
}  # fmt: skip
"""Whether more is better, and the figure."""
_UNITS: dict[Matter, str] = {
    "speed": "tokens/s", "first_token": "s", "context": "tokens", "users": "at once", "cost": "USD", "power": "W",
    "speed_per_cost": "tokens/s per USD",
}  # fmt: skip
OF_WORK: tuple[Matter, ...] = ("speed", "first_token", "context", "users", "speed_per_cost")


def compare_sets(
    names: tuple[str, ...], by: Matter | None, work: WaysToRunRequest | WaysToTrainRequest | None
) -> SetsCompared:
    """Each set at the work, without one by what the cards are; a set that does not run it cannot win.

    Raises:
        BadInput: a set of no cards, a matter that only a work decides, or the same set twice.
        UnknownName: a card that the catalog does not know.
    """
    if by in OF_WORK and work is None:
        raise BadInput("by", f"is {by}, which only a work decides.", "Name the model.")
    matter: Matter = by or ("speed" if work is not None else "memory")
    read = [(name, read_cards(name, "sets")) for name in names]
    if len({tuple(sorted((one.gpu or "", one.count) for one in cards)) for _, cards in read}) < len(read):
        raise BadInput("sets", "name the same cards twice.", "Name another set beside it.")
    said: list[str] = []
    rows = tuple(_set(name, cards, work, said) for name, cards in read)
    more, figure = _VALUES[matter]
    values = {one.name: figure(one) if work is None or one.verdict in USABLE else None for one in rows}
    winner = _best(values, more)
    near = _near(rows, values, winner) if matter in ESTIMATED else []
    plainest = _plainest(near) if near else winner
    ids = [key for _, cards in read for one in cards for key in _sources(one)]
    return SetsCompared(
        sets=rows, by=matter, values=values, winner=plainest,
        reason=_plainer(rows, matter, values, near) if len(near) > 1 else _reason(rows, matter, values, winner),
        assumptions=tuple(dict.fromkeys(said)), sources=cited(ids),
    )  # fmt: skip


def _sources(one: CardCount) -> list[str | None]:
    card = gpus()[one.gpu or ""]
    price = card_price(card)
    return [*vouching(card, ["usable_bytes", "bandwidth_bytes_per_s", "tdp_w"]), price.source if price else None]


def _set(
    name: str, cards: tuple[CardCount, ...], work: WaysToRunRequest | WaysToTrainRequest | None, said: list[str]
) -> SetCompared:
    """What a set is, and what it does."""
    for one in cards:
        if one.gpu is None:
            raise BadInput("sets", f"“{name[:60]}” names no product.", "Name the card.")
    held = [(gpus()[one.gpu or ""], one.count) for one in cards]
    prices = [(card_price(gpu), count) for gpu, count in held]
    bandwidths = [gpu.bandwidth_bytes_per_s for gpu, _ in held]
    priced = [(price, count) for price, count in prices if price is not None]
    whole = len(priced) == len(prices)
    made = SetCompared(
        name=name, cards=tuple(GpuCount(gpu=gpu.id, count=count) for gpu, count in held),
        memory_bytes=sum(gpu.usable_bytes * count for gpu, count in held),
        bandwidth_bytes_per_s=sum(float(gpu.bandwidth_bytes_per_s or 0) * count for gpu, count in held)
        if all(bandwidths) else None,
        cards_w=sum(gpu.tdp_w * count for gpu, count in held if gpu.tdp_w) if all(g.tdp_w for g, _ in held) else None,
        power_w=_watts(cards) if all(gpu.tdp_w for gpu, _ in held) else None,
        price_usd=sum(float(middle_price(gpu) or 0) * count for gpu, count in held) if whole else None,
        price_as_of=min((price.as_of or "" for price, _ in priced), default="") or None,
    )  # fmt: skip
    if isinstance(work, WaysToRunRequest):
        return _run(made, cards, work, said)
    return _trained(made, cards, work, said) if work is not None else made


def _watts(cards: tuple[CardCount, ...]) -> float:
    counted = [{"gpu": one.gpu, "count": one.count} for one in cards]
    return draw_of(machine_of(PowerRequest.model_validate({"gpus": counted}))).sustained_w.value


def _run(made: SetCompared, cards: tuple[CardCount, ...], work: WaysToRunRequest, said: list[str]) -> SetCompared:
    found = find_ways_to_run(work.model_copy(update={"cards": cards}))
    said += found.assumptions
    best = found.ways[found.answer.way] if found.answer.way is not None else None
    told: dict[str, object] = {"verdict": found.answer.verdict, "changed": found.answer.changed}
    if best is not None:
        told |= {
            "way": best.title, "weight_format": best.weight_format,
            "tokens_per_s": best.speed.tokens_per_s_per_user if best.speed else None,
            "first_token_s": best.speed.first_token_s if best.speed else None,
            "max_context_tokens": best.limits.max_context_tokens,
            "max_concurrent_sequences": best.limits.max_concurrent_sequences,
        }  # fmt: skip
    return made.model_copy(update=told)


def _trained(made: SetCompared, cards: tuple[CardCount, ...], work: WaysToTrainRequest, said: list[str]) -> SetCompared:
    found = find_ways_to_train(work.model_copy(update={"cards": cards}))
    said += found.assumptions
    best = found.ways[0] if found.ways else None
    told: dict[str, object] = {"verdict": found.answer.verdict}
    if best is not None:
        told |= {
            "way": best.title, "weight_format": best.weight_format,
            "tokens_per_s": best.speed.tokens_per_s if best.speed else None,
            "time_s": best.speed.time_s if best.speed else None,
        }  # fmt: skip
    return made.model_copy(update=told)


def _best(values: dict[str, float | None], more: bool) -> str | None:
    held = {name: value for name, value in values.items() if value is not None}
    if not held:
        return None
    best = (max if more else min)(held.values())
    first = [name for name, value in held.items() if value == best]
    return first[0] if len(first) == 1 else None


def _near(rows: tuple[SetCompared, ...], values: dict[str, float | None], winner: str | None) -> list[SetCompared]:
    """The sets whose figure is as good as the best within what estimates are off, that itself included.

    An advantage smaller than the error decides nothing, whichever of them has it.
    """
    best = values.get(winner or "")
    if not best:
        return []
    return [one for one in rows if (value := values[one.name]) and 1 / ALIKE <= value / best <= ALIKE]


def _plainest(near: list[SetCompared]) -> str:
    """Fewer cards first, then less power."""
    return min(near, key=lambda one: (_count(one), one.power_w or 0, one.name)).name


def _count(one: SetCompared) -> int:
    return sum(card.count or 1 for card in one.cards)


def _plainer(
    rows: tuple[SetCompared, ...], by: Matter, values: dict[str, float | None], near: list[SetCompared]
) -> str:  # fmt: skip
    """That several are alike, what the one named has for it, and what the others do."""
    name = _plainest(near)
    one = next(row for row in near if row.name == name)
    told = ", ".join(f"{row.name} {_figure(by, value)}" for row in near if (value := values[row.name]) is not None)
    far = [f"{row.name} {_figure(by, value)}" for row in rows if row not in near and (value := values[row.name])]
    others = f" Others: {', '.join(far)}." if far else ""
    power = f" and {one.power_w:,.0f} W at the wall" if one.power_w else ""
    return (
        f"Alike by {by} within what estimates are off ({told}); {name} is plainer: {_count(one)} "
        f"card{'s' if _count(one) > 1 else ''}{power}.{others}{_lost(rows)}"
    )


def _lost(rows: tuple[SetCompared, ...]) -> str:
    out = [one.name for one in rows if one.verdict == "does_not_fit"]
    return f" {', '.join(out)}: does not run it." if out else ""


def _reason(
    rows: tuple[SetCompared, ...], by: Matter, values: dict[str, float | None], winner: str | None
) -> str:  # fmt: skip
    if winner is None:
        return f"No single best by {by}.{_lost(rows)}"
    told = {name: _figure(by, value) for name, value in values.items() if value is not None}
    others = ", ".join(f"{name} {value}" for name, value in told.items() if name != winner)
    beside = f" (others: {others})" if others else ""
    return f"{winner}: best by {by}, {told[winner]}{beside}.{_lost(rows)}"


def _figure(by: Matter, value: float) -> str:
    """The figure that decides, with its unit."""
    if by == "memory":
        return format_bytes(value)
    return f"{value / 1e9:.4g} GB/s" if by == "bandwidth" else f"{value:.4g} {_UNITS[by]}"
