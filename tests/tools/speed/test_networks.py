"""Sums between machines: the wait of each message and the bytes that the network carries, once for every doubling."""

import pytest

from kb.machines.links import networks
from tools.named import read_card
from tools.speed.allreduce import all_reduce_s
from tools.speed.network import ethernet, infiniband

CARD = read_card("rtx-3090-24gb")[0]
SPARK = read_card("dgx-spark-gb10")[0]


def test_a_sum_over_machines_adds_messages_and_bytes_to_the_sum_within() -> None:
    joined = ethernet(1.25e9, 4)
    within = all_reduce_s(CARD, 4, 1e6)
    beyond = all_reduce_s(CARD, 8, 1e6, network=joined) - within

    assert beyond == pytest.approx(2 * joined.wait_s + 1e6 / 4 / joined.bytes_per_s, rel=0.3)


def test_every_doubling_of_machines_adds_a_wait() -> None:
    two, four, eight = (all_reduce_s(SPARK, count, 8, network=ethernet(12.5e9, 1)) for count in (2, 4, 8))

    assert four - two == pytest.approx(eight - four, rel=0.05)
    assert two > networks().rdma.wait_s


def test_slow_ethernet_goes_through_sockets_and_fast_through_rdma() -> None:
    slow, fast = ethernet(3.125e9, 2), ethernet(12.5e9, 2)

    assert slow.wait_s == networks().sockets.wait_s > fast.wait_s == networks().rdma.wait_s
    assert slow.doubted is None
    assert fast.over_sockets().wait_s == slow.wait_s
    assert fast.over_sockets().bytes_per_s * 2 == networks().sockets.most_bytes_per_s


def test_cards_of_a_machine_share_its_ethernet_and_have_infiniband_each() -> None:
    assert ethernet(12.5e9, 8).bytes_per_s * 8 == pytest.approx(infiniband(12.5e9, 8).bytes_per_s)
    assert ethernet(12.5e9, 8).of(2).bytes_per_s == pytest.approx(ethernet(12.5e9, 2).bytes_per_s)


@pytest.mark.parametrize(
    ("machines", "stated", "wait_s"),
    # a token beyond its reading, by its sums: 94 layers of Qwen3-235B, 60 of Qwen3.5-397B
    [(2, 25e9, 104e-6), (4, 12.5e9, 86e-6)],
    ids=["conselara", "forum-362368"],
)
def test_sparks_wait_as_long_as_was_measured(machines: int, stated: float, wait_s: float) -> None:
    assert all_reduce_s(SPARK, machines, 2 * 4096, network=ethernet(stated, 1)) == pytest.approx(wait_s, rel=0.5)
