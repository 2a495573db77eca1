"""The uninterruptible supply that is named carries the load, and is the one a configuration's bill has."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.market.components import of_kind
from tools.configure.bills.cluster import ups_items
from tools.power import plan_power
from tools.power.request import PowerRequest
from tools.power.ups import MARGIN, ups_for


@settings(max_examples=200, deadline=None)
@given(st.integers(100, 100_000))
def test_it_carries_the_load_and_nothing_cheaper_does_alone(watts: int) -> None:
    one, number = ups_for(watts)
    assert (one.supply_w or 0) * number >= watts * MARGIN - 1
    if number > 1:
        assert one.supply_w == max(other.supply_w or 0 for other in of_kind("ups"))
        assert (one.supply_w or 0) * (number - 1) < watts * MARGIN


@pytest.mark.parametrize(("gpu", "count", "nodes"), [("h100-sxm-80gb", 8, 1), ("l40s-48gb", 8, 2), ("h20-96gb", 16, 2)])
def test_every_machine_has_its_own(gpu: str, count: int, nodes: int) -> None:
    found = plan_power(PowerRequest(gpu=gpu, gpu_count=count, nodes=nodes))
    assert found.ups is not None
    assert found.ups.count % nodes == 0
    assert found.ups.count * found.ups.each_w >= found.wall_max_w
    assert found.ups.battery_wh * nodes == pytest.approx(found.ups_wh)
    (line,) = ups_items(nodes, int(found.node_wall_max_w))
    assert (line.product, line.count, line.subtotal) == (found.ups.product, found.ups.count, found.ups.price_usd)


def test_a_desktop_is_offered_none_of_a_machine_room() -> None:
    assert plan_power(PowerRequest(gpu="rtx-4060-8gb", gpu_count=1)).ups is None
