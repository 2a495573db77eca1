"""The machine in hand: every card with the memory left on it, and the host's memory."""

from typing import NamedTuple

from kb.base import BadInput
from kb.catalog import gpus
from kb.constants.memory_constants import constants as memory_constants
from kb.lexicon.cards.rules import CardCount
from kb.lexicon.link.rules import Link
from kb.machines.links import LANES, lanes_bytes_per_s, pcie_slot, pooled, stands_alone
from kb.machines.mig import cuts
from kb.machines.topology import topology_facts
from kb.records.gpu import Gpu
from kb.units import format_bytes
from tools.named import read_card
from tools.nameless_card import middling
from tools.speed.capacity import SHARED
from tools.speed.host_only import host_bandwidth
from tools.speed.network import Network
from tools.ways_to_run.request import WaysToRunRequest
from tools.ways_to_run.space.joined import CABLED_BYTES_PER_S, NETWORKS, between_computers, joined_by

MOST_CARDS = 4096
RATES = ("fp32_flops", "tf32_flops", "fp16_flops", "bf16_flops", "fp8_flops", "int8_ops", "fp4_flops")
USUAL_PCIE = 4
"""Generation of PCI Express where no source states a card's."""
SLOTS: dict[str, tuple[int, int] | None] = {"pcie": None, "thunderbolt": (3, 4)}
"""Links through the card's slot → generation and lanes, where the link says them by itself."""


class Card(NamedTuple):
    """One card as it stands in the machine."""

    gpu: Gpu
    """With its memory and its links as they are here."""
    usable: int
    """What a program can use, less what others hold."""

    @property
    def shared(self) -> bool:
        """Whether its memory is the host's."""
        return SHARED in (self.gpu.memory_type or "")


class Host(NamedTuple):
    """The host's memory."""

    stated: int | None
    usable: int | None
    """Less what the system keeps; null = not stated."""
    bandwidth: float
    """Of one socket, bytes/s."""


class Machine(NamedTuple):
    """Cards of one node, how many nodes, and the host of each."""

    cards: tuple[Card, ...]
    nodes: int
    host: Host
    said: tuple[str, ...]
    near: int | None = None
    """Cards that are joined well enough to share layers, as the links were stated; null = all of a node."""
    apart: bool = False
    """Whether the cards are instances that nothing joins: a model is held by one of them, others by copies."""
    network: float | None = None
    """Bytes a second between computers of one memory each, which hold a model together; null = no such ones."""
    hosted: bool = False
    """Whether the cards reach each other through the host's root complex, as the links were stated."""
    joined: Network | None = None
    """What joins machines whose cards share layers; null = one machine, or the network usual of the cards."""

    @property
    def kinds(self) -> dict[str, list[Card]]:
        """Cards by kind, the roomiest of each first."""
        found: dict[str, list[Card]] = {}
        for card in self.cards:
            found.setdefault(card.gpu.id, []).append(card)
        return {kind: sorted(cards, key=lambda card: -card.usable) for kind, cards in found.items()}

    @property
    def unlike(self) -> bool:
        """Whether there are cards of several kinds."""
        return len({card.gpu.id for card in self.cards}) > 1

    @property
    def name(self) -> str:
        """Cards in words: `2 × GeForce RTX 3090`."""
        shown = " + ".join(f"{len(cards)} × {cards[0].gpu.name}" for cards in self.kinds.values()) or "processor"
        return f"{self.nodes} nodes of {shown}" if self.nodes > 1 else shown


def machine_of(request: WaysToRunRequest) -> Machine:
    """Read the cards and the host's memory of a request.

    Raises:
        UnknownName: a card the catalog does not have.
        BadInput: memory taken that no card has, a link the cards lack, or more cards than a machine.
    """
    said: list[str] = []
    several = request.nodes > 1
    gpus = [gpu for cards in request.cards for gpu in _alike(cards, None if several and _networked(request.link) else
                                                             request.link, said)]  # fmt: skip
    if len(gpus) * request.nodes > MOST_CARDS:
        raise BadInput("cards", f"{len(gpus) * request.nodes:,} cards are too many.", f"Give at most {MOST_CARDS:,}.")
    taken = _taken(request, len(gpus))
    cards = []
    for gpu, held in zip(gpus, taken, strict=True):
        if held >= gpu.usable_bytes:
            raise BadInput(
                "memory_taken_bytes", f"{held:,} bytes leave nothing of {gpu.name}, which has {gpu.usable_bytes:,}.",
                "Give what others hold on each card, or leave the card out.",
            )  # fmt: skip
        cards.append(Card(gpu, gpu.usable_bytes - held))
    apart = any(one.profile for one in request.cards)
    host, near = _host(request, len(gpus), said), _near(request.link, len(cards), said)
    if len(cards) * request.nodes > 1 and all(stands_alone(card.gpu) for card in cards):
        return _computers(request, cards * request.nodes, host, said)
    joined = joined_by(request.link, request.nodes, [card.gpu for card in cards], said)
    hosted = request.link is not None and request.link.path == "PHB"
    return Machine(tuple(cards), request.nodes, host, tuple(said), near, apart, hosted=hosted, joined=joined)


def _computers(request: WaysToRunRequest, cards: list[Card], host: Host, said: list[str]) -> Machine:
    """Computers of one memory each: however they were counted, each is one, and a network joins them."""
    stated = request.link.bytes_per_s if request.link and request.link.kind != "pcie" else None
    cabled = cards[0].gpu.vendor == "NVIDIA"
    network = stated or (CABLED_BYTES_PER_S if cabled else pooled().bytes_per_s)
    unsaid = "the cable of their network cards" if cabled else "a network"
    by = f"by {request.link.name}" if request.link else f"by {unsaid}, which was not said"
    said.append(f"{len(cards)} computers of one memory each, joined {by}: taken to carry {network / 1e9:.3g} GB/s.")
    joined = between_computers(stated, len(cards), cards[0].gpu, said)
    return Machine(tuple(cards), 1, host, tuple(said), network=network, joined=joined)


def _networked(link: Link | None) -> bool:
    """Whether a link joins machines rather than cards."""
    return link is not None and link.kind in NETWORKS


def _near(link: Link | None, cards: int, said: list[str]) -> int | None:
    """How many cards share layers at most, where the stated paths between them say that more are not worth it.

    A path that topology facts call poor for tensor parallelism is crossed by stages and copies alone; of two paths the
    nearer joins the group that was said, else the half of the cards: those of one processor.
    """
    paths = {one.code: one for one in topology_facts().paths}
    codes = [code for code in (link.path, link.beyond) if code] if link else []
    poor = [code for code in codes if not code.startswith("NV") and paths[code].tensor_parallel == "poor"]
    if link is None or not poor or cards < 2:
        return None
    near = 1 if link.path in poor else min(link.together or max(cards // 2, 1), cards)
    far = f"{poor[-1]} ({paths[poor[-1]].name})"
    joined = f"{link.path} joins {near} of them, {far} the rest" if near > 1 else f"{far} joins them"
    said.append(
        f"Stated links: {joined}. Layers are shared by {near} at most, since every layer's sums would cross "
        f"{poor[-1]}; further cards take stages or whole copies, each bound to its processor (numactl)."
    )
    return near


def _alike(cards: CardCount, link: Link | None, said: list[str]) -> list[Gpu]:
    gpu, assumed = _card(cards)
    said += [line for line in (*cards.assumptions, *assumed) if line not in said]
    if cards.profile is not None:
        return [_instance(gpu, cards.profile, said)] * cards.count
    if cards.memory_bytes is not None and cards.memory_bytes != gpu.memory_bytes:
        share = gpu.usable_bytes / gpu.memory_bytes
        usable = int(cards.memory_bytes * share)
        gpu = gpu.model_copy(update={"memory_bytes": cards.memory_bytes, "usable_bytes": usable})
    return [_unfolded(_linked(gpu, link, said), said)] * (cards.count * gpu.devices)


def _instance(gpu: Gpu, name: str, said: list[str]) -> Gpu:
    """One instance of a card that is cut up: its share of memory, bandwidth and multiprocessors, and no link.

    Raises:
        BadInput: the card has no such profile.
    """
    cut = cuts().get(gpu.id)
    profile = next((one for one in cut.profiles if one.name == name), None) if cut else None
    if profile is None:
        raise BadInput("cards", f"{gpu.name} has no MIG profile {name}.", "Name one that what_fits lists.")
    line = (
        f"{name} of {gpu.name}: {format_bytes(profile.usable_bytes)}, {profile.memory_ratio:.3g} of its bandwidth and "
        f"{profile.compute_ratio:.2g} of its compute. Instances do not join: a model is held by one, others copy it."
    )
    said += [line] if line not in said else []
    rates = {field: value * profile.compute_ratio for field in RATES if (value := getattr(gpu, field))}
    return gpu.model_copy(
        update={
            **rates, "name": f"{gpu.name} {name}", "memory_bytes": int(gpu.memory_bytes * profile.memory_ratio),
            "usable_bytes": profile.usable_bytes, "nvlink_bytes_per_s": None, "link_cards": None,
            "bandwidth_bytes_per_s": int((gpu.bandwidth_bytes_per_s or 0) * profile.memory_ratio) or None,
        }
    )  # fmt: skip


def _unfolded(gpu: Gpu, said: list[str]) -> Gpu:
    """One of the devices that software sees of a card: its part of memory, bandwidth, links and rates."""
    if gpu.devices == 1:
        return gpu
    shared = ("memory_bytes", "usable_bytes", "bandwidth_bytes_per_s", "nvlink_bytes_per_s")
    parts = {name: value // gpu.devices for name in shared if (value := getattr(gpu, name))}
    rates = {name: value / gpu.devices for name in RATES if (value := getattr(gpu, name))}
    one = gpu.model_copy(update={**parts, **rates, "name": f"{gpu.name} device"})
    reads = f" and {one.bandwidth_bytes_per_s / 1e9:,.0f} GB/s" if one.bandwidth_bytes_per_s else ""
    each = f"{format_bytes(one.memory_bytes, 0)}{reads} each"
    line = f"{gpu.name} is {gpu.devices} devices of {each}: software sees so many."
    said += [line] if line not in said else []
    return one


def _card(cards: CardCount) -> tuple[Gpu, tuple[str, ...]]:
    """The catalog's card, or for one known by its memory alone the middling one of that size."""
    if cards.gpu is not None:
        return read_card(cards.gpu)
    if cards.memory_bytes is None:
        raise BadInput("cards", "a card has neither name nor memory.", 'Give e.g. "2x 3090" or "one 24GB card".')
    name = middling(cards.memory_bytes)[1]
    gpu = next(one for one in gpus().values() if one.name == name)
    return gpu, (f"A card of {format_bytes(cards.memory_bytes, 0)} is taken to be like {name}.",)


def _linked(gpu: Gpu, link: Link | None, said: list[str]) -> Gpu:
    """The card with the link that was said to join it."""
    if link is None or (stands_alone(gpu) and link.kind != "nvlink"):
        return gpu  # a computer's link is its network
    if link.kind == "nvlink":
        if not gpu.nvlink_bytes_per_s:
            raise BadInput("link", f"{gpu.name} has no NVLink.", "Leave link out, or say pcie.")
        return gpu
    if link.kind not in SLOTS:
        line = (
            f"link {link.name} is not part of the speed: it joins machines, and nodes says one; cards are joined as by"
        )
        said += [line for line in (f"{line} the catalog.",) if line not in said]
        return gpu
    bare: dict[str, object] = {"nvlink_bytes_per_s": None, "link_cards": None}
    own = pcie_slot(gpu)
    asked = SLOTS[link.kind] or (link.generation, link.lanes)
    if any(asked):
        usual = own or (USUAL_PCIE, LANES)
        generation, lanes = min(asked[0] or usual[0], usual[0]), min(asked[1] or usual[1], usual[1])
        bare["pcie"] = f"{generation}.0" + (f" x{lanes}" if lanes < LANES else "")
    changed = {name: value for name, value in bare.items() if getattr(gpu, name) != value}
    found = gpu.model_copy(update=changed) if changed else gpu
    slot = pcie_slot(found)
    if slot is not None:
        rate = lanes_bytes_per_s(*slot)
        line = f"{gpu.name} on PCIe {slot[0]}.0 x{slot[1]}: {rate / 1e9:.1f} GB/s one way, by no other link."
        said += [line] if line not in said else []
    return found


def _taken(request: WaysToRunRequest, cards: int) -> tuple[int, ...]:
    given = request.memory_taken if request.memory_taken is not None else request.memory_taken_bytes
    if isinstance(given, int):
        return (given,) * cards
    if len(given) != cards:
        raise BadInput(
            "memory_taken_bytes", f"{len(given)} figures for {cards} cards.", "Give one for all, or one for each card."
        )
    return given


def _host(request: WaysToRunRequest, cards: int, said: list[str]) -> Host:
    """Size less what the system keeps; bandwidth as stated, by its channels, or by its size and number of cards."""
    words = request.host_memory
    stated = words.bytes if words else request.host_memory_bytes
    said += words.assumptions if words else ()
    keeps = memory_constants().llama_cpp.host_reserve_ratio
    usable = None if stated is None else int(stated * (1 - keeps))
    known = request.host_bandwidth_bytes_per_s or (words.bandwidth_bytes_per_s if words else None)
    if known is not None:
        return Host(stated, usable, known)
    bandwidth, taken = host_bandwidth(stated, request.memory_channels or (words.channels if words else None),
                                      cards)  # fmt: skip
    if stated is not None or request.memory_channels is not None:
        said.append(taken)
    return Host(stated, usable, bandwidth)
