"""Beyond one machine: rails, leaves and spines, cables, shared storage, racks and power distribution."""

from functools import lru_cache

from kb.market.components import components
from kb.units import TB
from tools.configuration import Item, Network
from tools.configure.bills.parts import cheapest, line, priced
from tools.power.ups import ups_for

RACK_LOAD_W = 40_000
"""Most one air-cooled rack is planned for."""
RACK_FILL = 0.8
"""Share of a rack's height that machines take; switches, cables and air need the rest."""
STORAGE_BYTES_PER_S_PER_GPU = 500_000_000
"""Reading bandwidth of the shared storage for one GPU: 4 GB/s a node of eight, the standard tier of NVIDIA's
DGX SuperPOD reference architecture (from general knowledge, not read for this)."""
FLASH_BYTES_PER_GPU = 5 * TB
"""Shared flash for checkpoints and data in use: about five petabytes for a thousand GPUs (storage-geometry); where the
data themselves are kept is another matter, and nothing of it is known here."""
OWN_UPS = 4
"""So many machines get a UPS each; more of them stand in rooms that have theirs."""
FABRIC, FRONT, MANAGEMENT = "switch-qm9700", "switch-generic-100g-32", "switch-sn2201"
STORAGE = "storage-flash-100tb"
LINK_BITS_PER_S = 400_000_000_000


@lru_cache(maxsize=1024)
def fat_tree(machines: int, rails: int, ports: int) -> tuple[int, int, int]:
    """(leaf switches, spine switches, cables) of a rail-optimised network without oversubscription.

    Up to `ports` links one switch does. Beyond, half of a leaf's ports go down and half up; each rail has its own
    leaves, so that equal cards of all machines are one hop apart:

        leaves = rails · ⌈machines / (ports / 2)⌉,   spines = ⌈leaves / 2⌉

    From more leaves than a spine has ports on there are three tiers, with as many switches in the middle as leaves.
    32 machines of 8 rails on 64 ports: 8 leaves and 4 spines, as in NVIDIA's reference architecture.
    """
    links = machines * rails
    if links <= ports:
        return 1, 0, links
    half = ports // 2
    leaves = rails * -(-machines // half)
    if leaves <= ports:
        return leaves, -(-leaves // 2), 2 * links
    return leaves, leaves + -(-leaves // 2), 3 * links


@lru_cache(maxsize=1024)
def network_for(machines: int, cards: int, *, linked: bool) -> Network | None:
    """The network between `machines` of `cards` cards: a rail a card for what trains together, else one port each."""
    if machines == 1:
        return None
    switch = components()[FABRIC if linked else FRONT]
    rails = min(cards, 8) if linked else 1
    ports = switch.ports or 1
    leaves, spines, cables = fat_tree(machines, rails, ports)
    return Network(
        rails=rails, leaf_switches=leaves, spine_switches=spines, switch_ports=ports,
        link_bits_per_s=switch.rate_bits_per_s or 0, cables=cables,
        storage_read_bytes_per_s=STORAGE_BYTES_PER_S_PER_GPU * machines * cards,
    )  # fmt: skip


@lru_cache(maxsize=1024)
def network_items(network: Network | None, machines: int, *, with_network: bool) -> tuple[Item, ...]:
    """Network cards, switches, optics and fibres, or copper where one switch does at 100 Gbit/s.

    Machines that train together have a second network at 100 Gbit/s, to their shared storage and the outside, and a
    port each in a third for their management.
    """
    if network is None:
        return ()
    known = components()
    switches = network.leaf_switches + network.spine_switches
    if network.rails == 1:
        return (
            line("nic", known["nic-cx6-dx-100g"], machines),
            line("switch", known[FRONT], switches),
            line("cable", known["cable-dac-100g-3m"], network.cables),
        )
    ends = machines * network.rails
    cards = () if with_network else (line("nic", known["nic-cx7-400g"], ends),)
    units = storage_units(network)
    leaves, spines, front = fat_tree(machines + units, 1, known[FRONT].ports or 1)
    return (
        *cards,
        line("switch", known[FABRIC], switches),
        line("transceiver", known["xcvr-400g-dr4-osfp"], ends),
        line("transceiver", known["xcvr-800g-2xdr4-osfp"], -(-(2 * network.cables - ends) // 2)),
        line("cable", known["cable-mpo12-30m"], network.cables),
        line("nic", known["nic-cx6-dx-100g"], machines),
        line("switch", known[FRONT], leaves + spines),
        line("cable", known["cable-dac-100g-3m"], front),
        line("switch", known[MANAGEMENT], -(-(machines + units + switches) // (known[MANAGEMENT].ports or 1))),
        line("storage", known[STORAGE], units),
    )


def storage_units(network: Network) -> int:
    """How many of the shared storage of the catalog a cluster that trains together takes."""
    cards = network.storage_read_bytes_per_s // STORAGE_BYTES_PER_S_PER_GPU
    return -(-cards * FLASH_BYTES_PER_GPU // (components()[STORAGE].capacity_bytes or 1))


@lru_cache(maxsize=4096)
def rack_items(machines: int, rack_units: int, machine_w: int) -> tuple[Item, ...]:
    """Racks by height and by load, and for each machine its share of power distribution, twice over."""
    total_units = machines * rack_units
    if machines == 1:
        racks, rack = 1, cheapest(one for one in priced("rack") if (one.rack_units or 0) >= total_units / RACK_FILL)
    else:
        rack = components()["rack-48u"]
        per_rack = max(min(int((rack.rack_units or 1) * RACK_FILL) // rack_units, RACK_LOAD_W // max(machine_w, 1)), 1)
        racks = -(-machines // per_rack)
    if rack is None:
        return ()
    load = machine_w * -(-machines // racks)
    pdu = cheapest(one for one in priced("pdu") if (one.supply_w or 0) >= load * 1.25)
    pdu, number = (pdu, 2 * racks) if pdu else (components()["pdu-43kw"], 2 * racks * -(-load * 5 // (4 * 43_000)))
    return line("rack", rack, racks), line("pdu", pdu, number)


@lru_cache(maxsize=4096)
def ups_items(machines: int, machine_w: int) -> tuple[Item, ...]:
    """A UPS for each of a few machines: as many of the smallest that carries it, or of the largest there is."""
    if machines > OWN_UPS:
        return ()
    one, each = ups_for(machine_w)
    return (line("ups", one, each * machines),)
