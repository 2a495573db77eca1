"""How equal cards share a model in engines that split every layer: what divides, and every layout that does."""

from collections.abc import Iterator
from typing import NamedTuple

from kb.constants.speed_constants import constants
from kb.records.gpu import Gpu
from tools.memory.shape import Shape
from tools.shards import block_of, cut_layers, experts_whole
from tools.speed.allreduce import switched
from tools.speed.network import Network
from tools.ways_to_run.space.load import Load
from tools.ways_to_run.space.machine import Card, Machine

STAGES = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128)
"""Stages of a pipeline that are tried."""


class Group(NamedTuple):
    """Equal cards, or unlike ones that an engine takes for so many of the least."""

    gpu: Gpu
    usables: tuple[int, ...]
    """Memory of each card of one node, the roomiest first."""
    nodes: int
    cards: tuple[Card, ...]
    """Those of one node."""
    near: int | None = None
    """Cards that are joined well enough to share layers, as the links were stated; null = all."""
    apart: bool = False
    """Whether nothing joins them: copies alone use several."""
    joined: Network | None = None
    """What joins the nodes, where it is known."""

    @property
    def per_node(self) -> int:
        """Cards of one node."""
        return len(self.usables)

    @property
    def size(self) -> int:
        """Cards of all nodes."""
        return self.per_node * self.nodes

    def usable(self, cards: int) -> int:
        """Memory of the fullest when so many are used, the roomiest first."""
        return self.usables[min(cards, self.per_node) - 1]


class Spread(NamedTuple):
    """One layout of equal cards."""

    tp: int
    pp: int
    dp: int
    ep: int

    @property
    def cards(self) -> int:
        """Cards in all."""
        return max(self.tp, self.ep) * self.pp * self.dp

    @property
    def attention_copies(self) -> bool:
        """Whether every card keeps whole attention layers and shares the experts alone."""
        return self.ep > self.tp


def groups(machine: Machine) -> list[Group]:
    """Cards of each kind by themselves, and all together as so many of the least."""
    found = [
        Group(
            cards[0].gpu,
            tuple(card.usable for card in cards),
            machine.nodes,
            tuple(cards),
            machine.near,
            machine.apart,
            _reached(machine, len(cards)),
        )
        for cards in machine.kinds.values()
    ]
    if (
        machine.unlike
        and not machine.apart
        and len({card.gpu.vendor for card in machine.cards}) == 1
        and not _shared(machine)
    ):
        least = min(card.usable for card in machine.cards)
        slowest = min(machine.cards, key=lambda card: (card.gpu.bandwidth_bytes_per_s or 0, card.gpu.id)).gpu
        found.append(Group(slowest, (least,) * len(machine.cards), machine.nodes, machine.cards, machine.near,
                           joined=_reached(machine, len(machine.cards))))  # fmt: skip
    return found


def _reached(machine: Machine, cards: int) -> Network | None:
    """The network where a node uses so many of its cards; of computers, each is a node."""
    joined = machine.joined
    return joined if joined is None or machine.nodes == 1 else joined.of(cards)


def _shared(machine: Machine) -> bool:
    return any(card.shared for card in machine.cards)


def indivisible(shape: Shape, ways: int) -> str | None:
    """Why so many cards cannot share every layer; null when they can.

    Query heads are dealt out whole; key-value heads too, or each is copied to as many cards as divide evenly. A latent
    cache is the same on every card.
    """
    if ways == 1:
        return None
    heads, kv_heads = shape.heads, shape.kv_heads
    if shape.latent is not None or shape.attention == "none":
        return f"{heads} heads are not divisible by {ways}" if heads % ways else None
    if heads % ways:
        return f"{heads} heads / {kv_heads} KV heads are not divisible by {ways}"
    if kv_heads % ways and ways % kv_heads:
        return f"{kv_heads} KV heads are not divisible by {ways}"
    return None


def spreads(load: Load, group: Group, form: str, *, staged: bool = False) -> Iterator[Spread]:
    """Every layout of up to all cards of the group; copies no more than there are sequences.

    `staged`: also stages on cards of a fast link.
    """
    shape, asked, count = load.shape, load.parallel, group.size
    block = block_of(shape.id, form)
    near = 1 if group.apart else min(group.near or group.per_node, group.per_node)
    widths = (asked.tp,) if asked.tp else range(1, near + 1)
    for tp in widths:
        if (
            tp > count
            or (group.apart and tp > 1)
            or indivisible(shape, tp)
            or (tp > group.per_node and tp % group.per_node)
        ):
            continue
        if cut_layers(shape, tp, block):
            continue
        whole = tp > 1 and experts_whole(shape, tp, form)
        experts = shape.experts.experts if shape.experts else 0
        if whole and experts % tp:
            continue
        ep = tp if whole or (asked.ep == tp and experts) else 1
        if asked.ep not in (None, ep):
            continue
        for pp in (asked.pp,) if asked.pp else STAGES:
            if tp * pp > count or pp > shape.layers or (group.apart and pp > 1):
                break
            if staged or asked.pp or asked.tp or not _needless(shape, group, form, tp, pp):
                yield from _copied(Spread(tp, pp, 1, ep), group, load)
    yield from _experts_shared(load, group)


def _needless(shape: Shape, group: Group, form: str, tp: int, pp: int) -> bool:
    """Whether cards on a fast link take layers in turn where as many or more could share them: nobody lays them out so.

    Six of eight cards in three stages hold more than eight that share all, where each keeps a whole latent cache; who
    has such a machine shares over all of it.
    """
    if pp == 1 or not switched(group.gpu, group.per_node):
        return False
    return any(_shares(shape, ways, form) for ways in range(max(tp * pp, tp + 1), group.per_node + 1))


def _shares(shape: Shape, ways: int, form: str) -> bool:
    """Whether so many cards can share every layer in a format, experts shared or whole."""
    if indivisible(shape, ways) or cut_layers(shape, ways, block_of(shape.id, form)):
        return False
    return shape.experts is None or not experts_whole(shape, ways, form) or shape.experts.experts % ways == 0


def _copied(one: Spread, group: Group, load: Load) -> Iterator[Spread]:
    if one.cards > group.per_node and one.cards % group.per_node:
        return  # beyond a node whole nodes are taken
    most = group.size // one.cards
    if load.parallel.dp:
        if load.parallel.dp <= most:
            yield one._replace(dp=load.parallel.dp)
        return
    yield one
    copies = most if load.objective == "most_users" else min(most, load.sequences)
    if copies > 1:
        yield one._replace(dp=copies)


def _experts_shared(load: Load, group: Group) -> Iterator[Spread]:
    """Attention copied to every card, experts shared: mixtures under much load, or as asked."""
    experts, asked = load.shape.experts, load.parallel
    if experts is None or group.apart or (asked.tp or 1) > 1 or (asked.pp or 1) > 1 or asked.dp:
        return
    from_each = constants().decode.attention_copies_from
    ways = (asked.ep,) if asked.ep else (2, 4, 8, 16, 32, 64, 128, 256)
    for each in ways:
        enough = asked.ep is not None or load.sequences >= from_each * each
        if 1 < each <= group.size and experts.experts % each == 0 and enough:
            yield Spread(1, 1, 1, each)
            copies = min(group.size // each, load.sequences // max(each, 1))
            if copies > 1:
                yield Spread(1, 1, copies, each)
