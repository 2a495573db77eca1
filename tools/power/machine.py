"""The machine around the cards: which kind of host, how many nodes, what each part draws at most."""

import math
import re
from dataclasses import dataclass

from kb.base import BadInput
from kb.catalog import gpus as catalog
from kb.catalog import server as find_server
from kb.machines.power import WHOLE, Host, HostKind, Supply, SupplyKind, power_facts
from kb.market.components import of_desktop, processor_in
from kb.records.gpu import Gpu
from kb.records.server import Server
from tools.named import read_card
from tools.power.request import MachineFields

RACK_GPUS = 16
"""A server with more cards than this is a whole rack, and its stated power the rack's."""
LEAST_LIMIT_RATIO = 0.2
"""No driver accepts a limit below about this share of the board power."""
TYPICAL_RATIO = 0.61
"""Of a server's maximum what it usually draws: 855 of 1,400 W."""
SECOND_HAND_BEFORE = 2019
"""Cards of data centres first sold before: no server is sold with them (P40, P100, V100 PCIe, MI50)."""
SEVERAL = re.compile(r"\b(?:2\s*[x×]|dual)|[x×]\s*2\b|双路|两颗", re.I)
"""How two processors are written."""
_ARCHITECTURES: tuple[tuple[str, HostKind], ...] = (
    ("Ampere", "board_ampere"), ("Hopper", "board_hopper"), ("Blackwell", "board_blackwell"),
)  # fmt: skip
_CONSUMER: tuple[HostKind, ...] = ("desktop", "workstation", *sorted(WHOLE))
_MARKETS: dict[str, HostKind] = {"apu": "integrated", "laptop": "laptop", "module": "module"}


@dataclass(frozen=True, slots=True)
class Machine:
    """Some nodes of one kind with cards in them."""

    cards: tuple[tuple[Gpu, int], ...]
    """Each kind of card and how many over all nodes."""
    nodes: int
    kind: HostKind
    host: Host
    """One node without its cards; scaled to the cards it holds."""
    server: Server | None
    limit_w: float | None
    assumptions: tuple[str, ...]

    @property
    def gpus(self) -> int:
        """Cards in all."""
        return sum(count for _, count in self.cards)

    @property
    def board_w(self) -> float:
        """Board power of all cards."""
        return float(sum((gpu.tdp_w or 0) * count for gpu, count in self.cards))

    @property
    def cards_w(self) -> float:
        """What all cards draw at most: the board power, or the limit set."""
        return sum(min(gpu.tdp_w or 0, self.limit_w or math.inf) * count for gpu, count in self.cards)

    @property
    def on_board(self) -> bool:
        """Whether the cards are modules on a board of their own."""
        return self.kind.startswith("board")

    @property
    def supply_kind(self) -> SupplyKind:
        """Which class of power supply such a machine has."""
        return "consumer" if self.kind in _CONSUMER else "server"

    @property
    def supply(self) -> Supply:
        """Its power supply's class."""
        return power_facts().supplies[self.supply_kind]

    @property
    def efficiency(self) -> float:
        """Direct over alternating current; 1 where the host's watts are already the wall's."""
        return 1.0 if self.host.at_wall else self.supply.efficiency_ratio

    @property
    def rack_w(self) -> float | None:
        """Stated power of one node that is a whole rack."""
        whole = self.server is not None and self.server.max_gpus > RACK_GPUS
        return float(self.server.psu_w) if whole and self.server and self.server.psu_w else None

    @property
    def consumer(self) -> bool:
        """Whether it stands on or under a desk."""
        return self.kind in _CONSUMER


def machine_of(request: MachineFields) -> Machine:
    """The request with every default resolved.

    Raises:
        UnknownName: no such card or server.
        BadInput: no card is named, its power is not stated, or the limit is not one it could have.
    """
    server = find_server(request.server) if request.server else None
    cards, said = _cards(request, server)
    _check_limit(request, cards)
    total = sum(count for _, count in cards)
    per_node = _capacity(cards, server)
    nodes = request.nodes or math.ceil(total / per_node)
    if nodes > total:
        raise BadInput("nodes", f"{nodes} nodes cannot share {total} cards.", "Give at least one card a node.")
    request, more = _with_processor(request)
    said += more
    kind = _kind(cards, math.ceil(total / nodes))
    if request.cpu is not None and kind in ("workstation", "desktop"):
        kind = "desktop" if of_desktop(request.cpu) else "workstation"
    host = _host(kind, math.ceil(total / nodes), request, mac_of(cards[0][0]))
    rack = server is not None and server.max_gpus > RACK_GPUS
    if request.host_w is None and request.cpu_w is None and not rack:
        said += (f"One machine without its cards: {host.typical_w:,.0f} to {host.max_w:,.0f} W ({host.note}).",)
    return Machine(cards, nodes, kind, host, server, request.power_limit_w, said)


def _with_processor(request: MachineFields) -> tuple[MachineFields, tuple[str, ...]]:
    """The power of the processors that are named, and what is said of them."""
    if request.cpu is None or request.cpu_w is not None or request.host_w is not None:
        return request, ()
    found = processor_in(request.cpu)
    if found is None or not found.power_w:
        return request, (f"The power of “{request.cpu[:40]}” is not known: usual for such a machine is taken.",)
    number = 2 if SEVERAL.search(request.cpu) else 1
    power = float(found.power_w) * number
    said = f"{'2 × ' if number > 1 else ''}{found.name}: {power:,.0f} W by its maker."
    return request.model_copy(update={"cpu_w": power}), (said,)


def _cards(request: MachineFields, server: Server | None) -> tuple[tuple[tuple[Gpu, int], ...], tuple[str, ...]]:
    if request.gpu and request.gpus:
        raise BadInput("gpus", "stands beside gpu.", "Give one kind of card as gpu, several kinds as gpus.")
    said: list[str] = []
    found: dict[str, int] = {}
    named = [(one.gpu, one.count or 1) for one in request.gpus]
    if request.gpu:
        whole = (server.max_gpus if server else 1) * (request.nodes or 1)
        named = [(request.gpu, request.gpu_count or whole)]
    elif not named and server is not None:
        if not server.gpus:
            raise BadInput("gpu", f"the catalog lists no card for {server.name}.", "Name the card.")
        named = [(server.gpus[0], request.gpu_count or server.max_gpus * (request.nodes or 1))]
        said.append(f"{server.name} with {catalog()[server.gpus[0]].name}.")
    if not named:
        raise BadInput("gpu", "no card is named.", "Name a card (gpu, gpus) or a server.")
    drawing: dict[str, Gpu] = {}
    for name, count in named:
        card, assumed = read_card(name)
        drawing[card.id], more = _with_power(card)
        found[card.id] = found.get(card.id, 0) + count
        said += [*assumed, *more]
    return tuple((drawing[key], count) for key, count in sorted(found.items())), tuple(dict.fromkeys(said))


def _with_power(card: Gpu) -> tuple[Gpu, tuple[str, ...]]:
    """The card with its board power; one whose own nobody states draws as the card it takes the place of, said so.

    Raises:
        BadInput: nobody states that of either.
    """
    if card.tdp_w is not None or mac_of(card) is not None:
        return card, ()
    board = (card.architecture, card.form_factor)
    before = [one for one in catalog().values() if one.successor == card.id]
    like = next((one for one in before if one.tdp_w and (one.architecture, one.form_factor) == board), None)
    if like is None:
        raise BadInput("gpu", f"no source states the power of {card.name}.", "Choose a card whose power is known.")
    said = (
        f"No source states the power of {card.name}: taken as that of {like.name}, {like.tdp_w} W, on the same board."
    )
    return card.model_copy(update={"tdp_w": like.tdp_w}), (said,)


def _check_limit(request: MachineFields, cards: tuple[tuple[Gpu, int], ...]) -> None:
    limit = request.power_limit_w
    for card, _ in cards:
        board = float(card.tdp_w or 0)
        if limit is not None and not LEAST_LIMIT_RATIO * board <= limit <= board:
            raise BadInput(
                "power_limit_w",
                f"{limit:g} W is no limit for {card.name}, whose board power is {board:g} W.",
                f"Give {LEAST_LIMIT_RATIO * board:g} to {board:g} W.",
            )


def _capacity(cards: tuple[tuple[Gpu, int], ...], server: Server | None) -> int:
    if server is not None:
        return server.max_gpus
    facts = power_facts()
    integrated = all(_integrated(card) for card, _ in cards)
    return 1 if integrated else facts.board_gpus if any(_module(card) for card, _ in cards) else facts.server_gpus


def _kind(cards: tuple[tuple[Gpu, int], ...], per_node: int) -> HostKind:
    facts = power_facts()
    sold = [card for card, _ in cards if not _second_hand(card)]
    if not sold and per_node < facts.server_gpus_from:
        return "workstation" if per_node >= facts.workstation_gpus_from else "desktop"
    module = next((card for card, _ in cards if _module(card)), None)
    if module is not None:
        return next((kind for name, kind in _ARCHITECTURES if module.architecture.startswith(name)), "board_other")
    if all(_integrated(card) for card, _ in cards):
        first = cards[0][0]
        return "mac" if first.tdp_w is None else _MARKETS[str(first.market)]
    if per_node >= facts.server_gpus_from or any(card.market in {"data_center", "cloud_only"} for card, _ in cards):
        return "server" if per_node > facts.single_gpus else "server_single"
    return "workstation" if per_node >= facts.workstation_gpus_from else "desktop"


def mac_of(card: Gpu) -> str | None:
    """The computer whose power is stated, of a chip whose own is not."""
    return next((start for start in power_facts().macs if card.id.startswith(start)), None)


def _host(kind: HostKind, per_node: int, request: MachineFields, mac: str | None) -> Host:
    """The host of one node; a board's grows with its cards, from a plain server upwards, so that none draws less."""
    facts = power_facts()
    host = facts.hosts[kind]
    if kind == "mac" and mac is not None:
        host = facts.macs[mac]
    if host.card_w:
        more = host.card_w * per_node
        host = host.model_copy(update={"max_w": host.max_w + more, "typical_w": host.typical_w + more * TYPICAL_RATIO})
    if kind.startswith("board"):
        share, plain = per_node / facts.board_gpus, facts.hosts["server"]
        fans = plain.card_w * facts.board_gpus
        host = host.model_copy(
            update={
                "max_w": max(plain.max_w + fans, host.max_w * share),
                "typical_w": max(plain.typical_w + fans * TYPICAL_RATIO, host.typical_w * share),
            }
        )
    if request.host_w is not None:
        return host.model_copy(update={"max_w": request.host_w, "typical_w": request.host_w, "note": "as given"})
    if request.cpu_w is not None:
        rest = host.max_w - host.cpu_w
        busy = facts.processor_busy.ratio if kind in _CONSUMER else 0.5
        typical = max(host.typical_w - host.cpu_w * busy, rest / 2) + request.cpu_w * busy
        top = rest + request.cpu_w
        return host.model_copy(
            update={"max_w": top, "typical_w": min(typical, top), "note": "with the processors given"}
        )
    return host


def _module(card: Gpu) -> bool:
    form = card.form_factor.upper()
    return card.market == "data_center" and ("SXM" in form or "OAM" in form or "SUPERCHIP" in form or "MODULE" in form)


def _second_hand(card: Gpu) -> bool:
    """Whether a data centre's card is so old that it is only had used: people put such cards into their own computers.

    Modules stay on their boards, which only servers have.
    """
    old = card.status == "discontinued" and (card.year or 0) < SECOND_HAND_BEFORE
    return card.market == "data_center" and old and not _module(card)


def _integrated(card: Gpu) -> bool:
    return card.market in {"apu", "module", "laptop"}
