"""One candidate: format, cache, engine and cards, and what it holds there."""

from typing import NamedTuple

from kb.programs.software import Rule
from tools.memory.workload import Workload
from tools.speed.work import Layout
from tools.ways_to_run.space.layouts import Group, Spread
from tools.ways_to_run.space.load import Load
from tools.ways_to_run.space.machine import Card, Host
from tools.ways_to_run.weigh.held import Held, held_by_host, held_dealt, held_shared, loaded


class Candidate(NamedTuple):
    """One way that was weighed."""

    engine: str
    form: str
    kv: str
    work: Workload
    """On one card, with the cache's format."""
    group: Group | None
    """Equal cards that split layers; null where layers are dealt out."""
    spread: Spread
    cards: tuple[Card, ...]
    """Cards layers are dealt out to, in that order; of a group those used on one node."""
    host: Host
    held: Held
    condition: Rule | None
    """What must be heeded of the format on the card."""
    network: float | None = None
    """Bytes a second between computers that layers are dealt out to; null where they are cards of one machine."""

    @property
    def offloads(self) -> bool:
        """Whether part of the model lies in the host's memory."""
        return self.held.host_bytes > 0

    @property
    def hops(self) -> int:
        """Steps over a network that every token takes."""
        return len(self.cards) - 1 if self.network and self.group is None else 0

    @property
    def used(self) -> int:
        """Cards used in all."""
        return self.spread.cards if self.group is not None else len(self.cards)

    @property
    def unlike(self) -> bool:
        """Whether cards of several kinds are used."""
        return len({card.gpu.id for card in self.cards}) > 1

    @property
    def room(self) -> float:
        """How many times the cache it holds would fit, about."""
        if not self.cards:
            return 1.0
        free = max(self.held.usable - self.held.high, 0.0)
        if self.offloads and self.held.host_usable is not None:
            free = max(self.held.host_usable - self.held.host_bytes, 0.0)
        return 1 + free / max(self.held.cache, 1.0)

    @property
    def layout(self) -> Layout:
        """As the speed estimator reads it."""
        spread = self.spread
        if spread.attention_copies:
            return Layout(spread.ep, 1, spread.dp, attention_copies=True)
        return Layout(spread.tp, spread.pp, spread.dp)

    def at(self, load: Load, context: int, sequences: int) -> Held | None:
        """What it holds with other lengths or more sequences; null when that does not fit as surely."""
        if self.group is not None:
            held = held_shared(self.work, self.group, self.spread, load, context, sequences)
            return held if _as_sure(held, self.held) else None
        work = loaded(self.work, load, context, sequences)
        if not self.cards:
            alone = held_by_host(work, self.host.usable or 0)
            return alone if alone is not None and _as_sure(alone, self.held) else None
        usables = [card.usable for card in self.cards]
        host = self.host.usable if self.offloads else None
        return next((one for one in held_dealt(work, usables, host, even=not self.unlike)
                     if _as_sure(one, self.held) and (host is None or one.host_bytes)), None)  # fmt: skip


def _as_sure(held: Held, than: Held) -> bool:
    return held.surety == "yes" or (held.surety == "tight" and than.surety == "tight")
