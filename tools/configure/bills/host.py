"""The machine around the cards: a workstation or a rack server from parts, or a system sold whole."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache

from kb.catalog import gpus, servers
from kb.machines.power import HostKind, power_facts
from kb.market.components import components, of_kind
from kb.records.component import Component
from kb.records.gpu import Gpu
from kb.records.server import Server
from kb.units import GB
from tools.configuration import Item
from tools.configure.bills.parts import (
    cheapest,
    line,
    memory_modules,
    priced,
    priced_line,
    round_memory,
    supplies,
    unpriced_line,
)
from tools.configure.market.suitable import reads_files, sold_in_systems
from tools.power.feed import comfortable_w, rating_w

REDUNDANT_SHARE = 0.75
"""Share of a rack server's supplies that must carry the load alone: one of four may fail."""
YUAN = "CNY"
NEWEST_PCIE = 5.0
"""Newest generation that boards for cards are sold with."""
RACK_CARDS = 16
"""A machine of more cards is a rack itself."""
BOARD_HOSTS: dict[str, HostKind] = {
    "Ampere": "board_ampere", "Hopper": "board_hopper", "Blackwell": "board_blackwell"
}  # fmt: skip
DESKTOP_CARDS = 2
"""Cards in a closed tower when each fills three slots or more."""
WORKSTATION_CARDS = 4
FRAME_CARDS = 8
"""Cards that stand in an open frame, on risers."""
WHOLE = {"module", "laptop"}
"""Markets of chips that come on a board or in a computer of their own."""
NEWEST_BLOWN = 2018
"""Newest cards of servers that private people put into towers (Tesla M40, P40, P100, V100); newer ones cost as much as
the server around them."""
SLOT_W = 75
"""What a PCIe slot of 16 lanes gives without a cable (PCI Express Card Electromechanical Specification)."""
LEAST_CORES = 6
"""Of a computer with one card: one process feeds it."""
HOT_W = 180
"""A desktop processor that draws more gets a liquid cooler."""
SERVER_DRIVES = 2
BYTES_PER_CARD = 960 * GB
"""Local storage for models and checkpoints, in the steps that drives for data centres come in: 1 TB beside one card,
4 TB beside four, 8 TB beside eight, as published lists of such machines have. Flash is a fifth of a bill since 2026."""


@dataclass(frozen=True, slots=True, eq=False)
class Host:
    """One machine and what it adds to the bill."""

    machine: str | None
    """Catalog id of a server, else null."""
    name: str
    cards: int
    """Cards it holds."""
    items: tuple[Item, ...]
    draw_w: int
    """What it draws itself, without the cards."""
    supply_w: int | None
    rack_units: int | None
    """Nothing for a machine that stands on the floor or is a rack itself; null where the height is not known."""
    with_cards: bool = False
    """Whether its price holds the cards."""
    with_network: bool = False
    """Whether it comes with the network cards of its rails."""
    channels: int | None = None
    """Memory channels of the processor; null where they are not told."""

    @property
    def known(self) -> Decimal:
        """Middle of the prices of the lines that have one."""
        return sum((item.subtotal for item in self.items if item.subtotal is not None), Decimal(0))

    @property
    def amount(self) -> Decimal | None:
        """The same; null when a line has none."""
        return self.known if all(item.subtotal is not None for item in self.items) else None


@lru_cache(maxsize=8192)
def hosts(
    gpu_id: str, cards: int, memory_bytes: int, *, domestic: bool, filled: bool = False
) -> tuple[Host, ...]:  # fmt: skip
    """Every machine for `cards` of a card with at least `memory_bytes` of memory, known prices and cheap ones first.

    `domestic`: in mainland China, where servers priced in yuan are sold. `filled`: with a module in every channel of
    towers, for models that are read from there.
    """
    gpu = gpus()[gpu_id]
    found = list(_whole(gpu, cards, domestic=domestic))
    if not sold_in_systems(gpu) and not reads_files(gpu) and gpu.market not in WHOLE:
        found += _rack_servers(gpu, cards, memory_bytes)
        found += _workstations(gpu, cards, memory_bytes, filled=filled)
        found = found or list(_chassis(gpu, cards, domestic=domestic))
    return tuple(sorted(found, key=lambda host: (host.amount is None, host.known, host.name)))


def passive(gpu: Gpu) -> bool:
    """Whether the card has no fan of its own and needs a server's airflow."""
    return gpu.market == "data_center" or "Server Edition" in gpu.name


def blown(gpu: Gpu) -> bool:
    """Whether a card without a fan is so old that it goes second-hand into a tower, behind a blower of its own."""
    return passive(gpu) and gpu.status == "discontinued" and (gpu.year or NEWEST_BLOWN + 1) <= NEWEST_BLOWN


def cool(gpu: Gpu) -> bool:
    """Whether a card without a fan takes no more than its slot gives (T4, L4, A2): fans of any tower cool it."""
    return passive(gpu) and gpu.tdp_w is not None and gpu.tdp_w <= SLOT_W


def wide(gpu: Gpu) -> bool:
    """Whether the card fills more than two slots."""
    width = (gpu.slot_width or "").lower()
    return width.startswith(("tri", "quad", "3", "4", "2.5"))


def _whole(gpu: Gpu, cards: int, *, domestic: bool) -> Iterator[Host]:
    """Servers of the catalog that are sold filled with the card; for boards of several, those of unknown price too."""
    for server in servers().values():
        if server.discontinued or server.takes(gpu.id) != cards or not orderable(server):
            continue
        price = server.system_price(gpu.id)
        if price is not None and (domestic or price.currency != YUAN):
            item = priced_line("system", f"{server.vendor} {server.name} with {cards} × {gpu.name}", price)
            yield _system(server, gpu, cards, item, with_cards=True)
        elif sold_in_systems(gpu) and not server.prices:
            yield _system(server, gpu, cards, unpriced_line("server", f"{server.vendor} {server.name}"))


def _chassis(gpu: Gpu, cards: int, *, domestic: bool) -> Iterator[Host]:
    """Servers sold without cards, for those that no barebone or tower takes."""
    for server in servers().values():
        price = server.chassis_price
        if server.discontinued or server.takes(gpu.id) < cards or not orderable(server) or price is None:
            continue
        if domestic or price.currency != YUAN:
            item = priced_line("server", f"{server.vendor} {server.name}", price)
            host = _system(server, gpu, cards, item)
            yield replace(host, items=(*host.items, *_drives("U.2 NVMe", cards)))


def orderable(server: Server) -> bool:
    """Whether the record is a machine somebody sells, not a board or somebody's own build."""
    return not server.id.startswith("diy-") and "baseboard" not in server.id


def _system(server: Server, gpu: Gpu, cards: int, item: Item, *, with_cards: bool = False) -> Host:
    on_board = sold_in_systems(gpu)
    draw = power_facts().hosts[BOARD_HOSTS.get(gpu.architecture.split()[0], "board_other") if on_board else "server"]
    return Host(
        server.id, f"{server.vendor} {server.name}", cards, (item,), int(draw.max_w + draw.card_w * cards),
        server.psu_w,
        0 if server.tower or server.max_gpus > RACK_CARDS else server.rack_units, with_cards=with_cards,
        with_network=on_board,
    )  # fmt: skip


def _rack_servers(gpu: Gpu, cards: int, memory_bytes: int) -> Iterator[Host]:
    """Barebones of two processors for double-width cards, filled with the cheapest parts that go in."""
    if wide(gpu):
        return
    for bare in priced("barebone"):
        if (bare.gpu_slots or 0) < cards or (cards > WORKSTATION_CARDS) != ((bare.gpu_slots or 0) > WORKSTATION_CARDS):
            continue
        if not _fast_enough(bare, gpu, cards):
            continue
        processor = _processor(bare, cores=4 * cards, lanes=8 * cards)
        modules = processor and _modules(bare, processor, memory_bytes)
        if processor is None or modules is None:
            continue
        sockets = bare.sockets or 1
        draw = _draw("server", (processor.power_w or 0) * sockets, cards)
        if not _carries(bare, draw, (gpu.tdp_w or 0) * cards):
            continue
        items = (
            line("server", bare, 1),
            line("cpu", processor, sockets),
            line("memory", *modules),
            line("boot_ssd", components()["ssd-m2-960gb-boot"], 1),
            *_drives("U.2 NVMe", cards),
            line("nic", components()["nic-cx6-lx-25g"], 1),
        )
        yield Host(None, f"{bare.vendor} {bare.name}", cards, items, draw, bare.supply_w, bare.rack_units)


def _carries(bare: Component, draw_w: int, cards_w: int) -> bool:
    """Whether its supplies do, or, where they are not known, whether such a machine was seen with as much of cards."""
    if bare.supply_w is None:
        return cards_w <= (bare.cards_w or 0)
    return bare.supply_w * REDUNDANT_SHARE >= draw_w + cards_w


def _workstations(gpu: Gpu, cards: int, memory_bytes: int, *, filled: bool = False) -> Iterator[Host]:
    """Boards in a tower or frame for cards with fans of their own, a blower put before them, or no need of one."""
    if (passive(gpu) and not (blown(gpu) or cool(gpu))) or cards > (FRAME_CARDS if wide(gpu) else WORKSTATION_CARDS):
        return
    case = _case(gpu, cards)
    for board in priced("motherboard"):
        if _room(board, gpu, cards) < cards or (board.sockets or 1) > 1 or case is None:
            continue
        if not _fast_enough(board, gpu, cards):
            continue
        cores = max(LEAST_CORES, 4 * min(cards, WORKSTATION_CARDS))
        processor = _processor(board, cores=cores, lanes=8 * cards)
        modules = processor and _modules(board, processor, memory_bytes, filled=filled)
        if processor is None or modules is None:
            continue
        kind: HostKind = "workstation" if cards > DESKTOP_CARDS else "desktop"
        draw = _draw(kind, processor.power_w or 0, cards)
        boards = [float(gpu.tdp_w or 0)] * cards
        rating = rating_w(boards, boards, draw, min(draw, power_facts().hosts[kind].typical_w))
        vendor = (gpu.suggested_psu_w or 0) + sum(boards[1:]) if gpu.suggested_psu_w else 0
        needed = comfortable_w(max(rating, vendor), sum(boards) + draw)
        supply = supplies(math.ceil(needed), 2 if cards > DESKTOP_CARDS else 1)
        cooler = _cooler(processor)
        if supply is None or cooler is None:
            continue
        items = (
            line("motherboard", board, 1),
            line("cpu", processor, 1),
            line("cpu_cooler", cooler, 1),
            line("memory", *modules),
            *_drives("M.2 NVMe", cards),
            line("psu", *supply),
            line("case", case, 1),
        )
        watts = (supply[0].supply_w or 0) * supply[1]
        name, channels = f"{board.vendor} {board.name} workstation", processor.memory_channels
        yield Host(None, name, cards, items, draw, watts, 0, channels=channels)


def _room(board: Component, gpu: Gpu, cards: int) -> int:
    """Cards that a board takes: beside each other, or those of three slots in a frame, on risers from every slot.

    More than there are slots share them in halves of eight lanes.
    """
    if not (wide(gpu) and cards > DESKTOP_CARDS and board.slots):
        return board.gpu_slots or 0
    return board.slots if cards <= board.slots else 2 * board.slots


def _draw(kind: HostKind, processors_w: int, cards: int) -> int:
    """The usual machine of this kind with these processors instead of its own."""
    usual = power_facts().hosts[kind]
    return int(usual.max_w - usual.cpu_w + usual.card_w * cards) + processors_w


def _fast_enough(board: Component, gpu: Gpu, cards: int) -> bool:
    """Whether several cards can exchange data at their own generation of PCIe; alone a card hardly notices."""
    return cards == 1 or _generation(board.pcie) >= min(_generation(gpu.pcie), NEWEST_PCIE)


def _generation(pcie: str | None) -> float:
    """`4.0 x8` is 4; not stated is 0."""
    return float(re.split(r"[ /]", pcie)[0]) if pcie else 0.0


def _processor(board: Component, *, cores: int, lanes: int) -> Component | None:
    """The cheapest for the socket that has the lanes and cores; two of them share both.

    One of which a figure the bill needs is unknown is passed over rather than taken to be harmless.
    """
    sockets = board.sockets or 1
    return cheapest(
        one
        for one in priced("cpu")
        if one.socket == board.socket
        and (one.sockets or 1) >= sockets
        and one.module == board.module
        and one.power_w
        and one.memory_channels
        and (one.pcie_lanes or 0) * sockets >= lanes
        and (one.cores or 0) * sockets >= cores
    )


def _modules(
    board: Component, processor: Component, memory_bytes: int, *, filled: bool = False
) -> tuple[Component, int] | None:  # fmt: skip
    """The cheapest modules that fill the processor's channels; null where the channels are not known."""
    channels = processor.memory_channels
    if not channels:
        return None
    return memory_modules(board.id, channels * (2 if filled else 1), round_memory(memory_bytes))


def _cooler(processor: Component) -> Component | None:
    """A cooler made for the socket, by the socket its name tells."""
    socket = (processor.socket or "").removeprefix("s")
    hot = (processor.power_w or 0) > HOT_W
    return cheapest(
        one
        for one in priced("cpu_cooler")
        if socket and socket in one.name and ("liquid" in one.name or not (hot and "AM5" in one.name))
    )


def _case(gpu: Gpu, cards: int) -> Component | None:
    """The cheapest with room, else one nobody was read to sell; three-slot cards beyond two stand in a frame with
    risers."""
    slots = FRAME_CARDS if wide(gpu) and cards > DESKTOP_CARDS else cards
    roomy = [one for one in of_kind("case") if (one.gpu_slots or 0) >= slots]
    if slots < FRAME_CARDS:  # what fits a case is not put in the open
        roomy = [one for one in roomy if (one.gpu_slots or 0) < FRAME_CARDS] or roomy
    unpriced = min((one for one in roomy if not one.price), key=lambda one: (one.gpu_slots or 0, one.id), default=None)
    return cheapest(one for one in roomy if one.price) or unpriced


def _drives(interface: str, cards: int) -> Iterator[Item]:
    """One drive in a workstation, two in a server, with about a terabyte for every card together."""
    number = SERVER_DRIVES if interface.startswith("U.2") else 1
    need = BYTES_PER_CARD * cards / number
    fitting = [one for one in priced("ssd") if one.interface == interface and "boot" not in one.id]
    large = [one for one in fitting if (one.capacity_bytes or 0) >= need]
    drive = cheapest(large)
    if drive is None:
        drive = max(fitting, key=lambda one: one.capacity_bytes or 0)
        number = -(-int(need * number) // (drive.capacity_bytes or 1))
    yield line("ssd", drive, number)
