"""Bills: parts go together, every line is priced and sums up, networks follow from port counts."""

import pytest

from kb.catalog import gpus
from kb.market.components import components
from kb.units import GIB
from tools.configure.bills.bill import bill
from tools.configure.bills.cluster import fat_tree, network_for
from tools.configure.bills.host import hosts, passive, wide
from tools.configure.market.purchases import host_memory, purchases
from tools.configure.market.suitable import machine_sizes, sold_in_systems

WORKSTATION = ("gpu", "motherboard", "cpu", "cpu_cooler", "memory", "ssd", "psu", "case")


@pytest.mark.parametrize(
    ("machines", "rails", "ports", "expected"),
    [
        pytest.param(2, 8, 64, (1, 0, 16), id="one-switch"),
        pytest.param(8, 8, 64, (1, 0, 64), id="one-full-switch"),
        pytest.param(32, 8, 64, (8, 4, 512), id="scalable-unit-of-32"),
        pytest.param(128, 8, 64, (32, 16, 2048), id="four-units"),
        pytest.param(256, 8, 64, (64, 32, 4096), id="largest-of-two-tiers"),
        pytest.param(512, 8, 64, (128, 192, 12288), id="three-tiers"),
    ],
)
def test_switches_follow_from_port_counts(
    machines: int, rails: int, ports: int, expected: tuple[int, int, int]
) -> None:
    assert fat_tree(machines, rails, ports) == expected


@pytest.mark.parametrize("machines", [2, 9, 33, 100, 257, 1000])
def test_a_network_has_a_port_for_every_link(machines: int) -> None:
    leaves, spines, _ = fat_tree(machines, 8, 64)
    assert leaves * (64 if spines == 0 else 32) >= machines * 8
    assert spines == 0 or spines * 64 >= leaves * 32


def test_one_machine_needs_no_network() -> None:
    assert network_for(1, 8, linked=True) is None


def test_a_workstation_has_every_part_priced() -> None:
    found = bill("rtx-5090-32gb", 2, 1, 0, 64 * GIB, domestic=False)
    assert tuple(item.part for item in found.items) == WORKSTATION
    assert found.complete
    assert (found.low or 0) <= (found.amount or 0) <= (found.high or 0)
    assert found.low


@pytest.mark.parametrize("cards", [1, 2, 3, 4])
@pytest.mark.parametrize("name", ["rtx-5090-32gb", "rtx-pro-5000-bw-48gb", "rtx-4000-sff-ada-20gb", "rtx-3090-24gb"])
def test_a_cooler_is_made_for_the_socket_of_its_processor(name: str, cards: int) -> None:
    sockets = {one.name: one.socket for one in components().values() if one.kind == "cpu"}
    found = [host for host in hosts(name, cards, 64 * GIB, domestic=False) if host.machine is None]
    parts = [{item.part: item.product for item in host.items} for host in found]
    cooled = [one for one in parts if "cpu_cooler" in one]
    assert cooled
    for one in cooled:
        socket = next(socket for name, socket in sockets.items() if one["cpu"].endswith(name))
        assert str(socket).removeprefix("s") in one["cpu_cooler"]


def test_host_memory_is_what_was_asked_for_and_more_costs_more() -> None:
    small, large = (bill("rtx-pro-5000-bw-48gb", 4, 1, 0, size * GIB, domestic=False) for size in (384, 768))
    assert small.amount < large.amount  # type: ignore[operator]


@pytest.mark.parametrize("name", ["rtx-5090-32gb", "rtx-pro-5000-bw-48gb", "l40s-48gb", "h200-sxm-141gb"])
def test_more_cards_never_cost_less(name: str) -> None:
    gpu = gpus()[name]
    counts = (
        machine_sizes(gpu) if sold_in_systems(gpu) else [n for n in (1, 2, 3, 4, 6, 8) if n <= machine_sizes(gpu)[-1]]
    )
    amounts = [bill(name, n, 1, 0, host_memory(gpu, n), domestic=False).amount for n in counts]
    assert amounts == sorted(amounts)  # type: ignore[type-var]


def test_a_cluster_adds_network_and_racks_and_names_rails() -> None:
    found = bill("h100-sxm-80gb", 8, 32, 0, 1280 * GIB, domestic=False)
    assert found.network is not None
    assert (found.network.rails, found.network.leaf_switches, found.network.spine_switches) == (8, 8, 4)
    parts = {item.part for item in found.items}
    assert {"system", "switch", "transceiver", "cable", "rack", "pdu", "storage", "nic"} <= parts


@pytest.mark.parametrize("machines", [2, 5, 32, 200])
def test_a_cluster_has_shared_storage_a_network_to_it_and_one_for_management(machines: int) -> None:
    found = bill("h100-sxm-80gb", 8, machines, 0, 1280 * GIB, domestic=False)
    count = {item.product: item.count for item in found.items}
    known = {name: components()[name] for name in ("switch-sn2201", "switch-generic-100g-32", "storage-flash-100tb")}

    def number(name: str) -> int:
        return next(number for product, number in count.items() if product.endswith(known[name].name))

    units = number("storage-flash-100tb")
    assert units * 100 >= 5 * 8 * machines > (units - 1) * 100
    assert number("switch-sn2201") * 48 >= machines + units
    assert number("switch-generic-100g-32") * 32 >= machines + units
    assert next(item.count for item in found.items if item.part == "nic") == machines


def test_machines_that_serve_copies_share_no_storage() -> None:
    found = bill("l40s-48gb", 8, 4, 0, 384 * GIB, domestic=False)
    assert found.network is not None
    assert "storage" not in {item.part for item in found.items}


@pytest.mark.parametrize(
    ("card", "cards", "machines", "bridges"),
    [
        pytest.param("a100-pcie-80gb", 2, 1, 3, id="three-a-pair"),
        pytest.param("h100-nvl-94gb", 8, 1, 12, id="pair-by-pair"),
        pytest.param("h100-nvl-94gb", 3, 1, 3, id="one-left-over"),
        pytest.param("h200-nvl-141gb", 2, 1, 1, id="two"),
        pytest.param("h200-nvl-141gb", 8, 2, 4, id="fours-in-each-machine"),
        pytest.param("h200-nvl-141gb", 6, 1, 3, id="six-pair-by-pair"),
        pytest.param("rtx-3090-24gb", 2, 1, 0, id="an-extra-that-no-speed-counts"),
        pytest.param("h100-sxm-80gb", 8, 1, 0, id="switched-on-the-board"),
        pytest.param("l40s-48gb", 4, 1, 0, id="none"),
    ],
)
def test_bridges_are_on_the_bill_where_the_speed_counts_them(
    card: str, cards: int, machines: int, bridges: int
) -> None:
    found = bill(card, cards, machines, 0, host_memory(gpus()[card], cards), domestic=False)
    assert sum(item.count for item in found.items if item.part == "bridge") == bridges


def test_cards_one_has_get_no_bridges() -> None:
    assert not [item for item in bill("a100-pcie-80gb", 2, 1, 2, 0, domestic=False).items if item.part == "bridge"]


def test_a_small_line_without_a_date_leaves_the_date_of_the_others() -> None:
    found = bill("h200-nvl-141gb", 4, 1, 0, 256 * GIB, domestic=False)
    assert any(item.subtotal and not item.price_date for item in found.items)
    assert found.as_of == min(item.price_date for item in found.items if item.price_date)


@pytest.mark.parametrize(("machines", "expected"), [(1, 1), (2, 2), (4, 4), (32, 0)])
def test_few_servers_get_a_ups_each_that_carries_them(machines: int, expected: int) -> None:
    found = bill("l40s-48gb", 8, machines, 0, 384 * GIB, domestic=False)
    supplies = [item for item in found.items if item.part == "ups"]
    assert sum(item.count for item in supplies) == expected
    if supplies:
        name = next(one for one in components().values() if one.name in supplies[0].product)
        assert (name.supply_w or 0) * expected >= (found.power_w or 0)


def test_a_machine_on_the_floor_gets_none() -> None:
    found = bill("rtx-5090-32gb", 1, 1, 0, 64 * GIB, domestic=False)
    assert "ups" not in {item.part for item in found.items}


def test_cards_without_fans_stand_in_servers_only() -> None:
    assert passive(gpus()["l40s-48gb"])
    for host in hosts("l40s-48gb", 2, 96 * GIB, domestic=False):
        assert host.rack_units != 0


def test_supplies_carry_the_machine_with_a_margin() -> None:
    for name in ("rtx-5090-32gb", "rtx-pro-6000-bw-ws-96gb", "rtx-3090-24gb"):
        for host in hosts(name, 2, 128 * GIB, domestic=False):
            if host.machine is None and host.supply_w is not None and not wide(gpus()[name]):
                cards = 2 * (gpus()[name].tdp_w or 0)
                assert host.supply_w >= host.draw_w + cards  # all at full load at once
                assert host.supply_w * 0.8 >= cards + 100  # steadily, with a processor that waits


def test_servers_priced_in_yuan_are_sold_in_china_only() -> None:
    inside, outside = (hosts("h20-96gb", 8, 0, domestic=domestic) for domestic in (True, False))
    assert inside[0].amount is not None
    assert all(host.amount is None for host in outside)


@pytest.mark.parametrize("card", ["rtx-3090-24gb", "rtx-4090-24gb", "rtx-4080-16gb"])
@pytest.mark.parametrize("cards", [3, 4, 6, 8])
def test_three_slot_cards_stand_in_a_frame_on_risers(card: str, cards: int) -> None:
    """Builders put four to eight of them on one board of seven slots, the eighth by sharing one."""
    found = bill(card, cards, 1, 0, host_memory(gpus()[card], cards), domestic=False)
    assert found.complete
    assert ["frame" in item.product for item in found.items if item.part == "case"] == [True]
    cards_alone = next(item.subtotal for item in found.items if item.part == "gpu")
    assert 2_000 < (found.amount or 0) - (cards_alone or 0) < 9_000


@pytest.mark.parametrize(
    ("card", "cards", "least", "most"),
    [
        pytest.param("rtx-3060-12gb", 1, 800, 1_300, id="a plain computer: gamelandmag read 849 before memory rose"),
        pytest.param("rtx-3090-24gb", 1, 800, 1_300, id="a plain computer with a hungry card"),
        pytest.param("rtx-5060-ti-16gb", 2, 1_500, 2_400, id="two at eight lanes of PCIe 5.0 on a desktop board"),
        pytest.param("rtx-3090-24gb", 2, 1_500, 2_700, id="two that fill three slots"),
    ],
)
def test_the_rest_of_a_computer_costs_what_builders_pay(card: str, cards: int, least: int, most: int) -> None:
    """No server board for what a desktop board takes."""
    found = hosts(card, cards, host_memory(gpus()[card], cards), domestic=False)[0]
    assert least < (found.amount or 0) < most


@pytest.mark.parametrize("card", ["ryzen-ai-max-395-128gb", "gb10-dgx-spark-128gb", "apple-m3-ultra-96gb"])
def test_a_computer_with_one_memory_is_bought_whole(card: str) -> None:
    found = bill(card, 1, 1, 0, 64 * GIB, domestic=False)
    assert {item.part for item in found.items} <= {"gpu", "system"}
    assert not found.own_host
    alone = purchases(gpus()[card], owned=0, asked=True, country=None)
    assert {choice.count for stream in alone for choice in stream.choices} == ({1} if "apple" in card else {1, 2})
    assert all(choice.bill and not choice.bill.own_host for stream in alone for choice in stream.choices)
