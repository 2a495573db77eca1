"""Cards cut into instances: what each profile has and holds, and when the card cannot be cut."""

import pytest

from kb.catalog import gpus
from kb.machines.mig import cuts
from kb.units import GIB
from tools.memory import estimate_memory
from tools.memory.request import MemoryRequest
from tools.need import GpuCount
from tools.what_fits import what_fits
from tools.what_fits_request import WhatFitsRequest

PUBLISHED = {
    "a100-sxm-40gb": {"1g.5gb": 7, "1g.10gb": 4, "2g.10gb": 3, "3g.20gb": 2, "4g.20gb": 1},
    "h100-sxm-80gb": {"1g.10gb": 7, "1g.20gb": 4, "2g.20gb": 3, "3g.40gb": 2, "4g.40gb": 1},
    "h200-sxm-141gb": {"1g.18gb": 7, "1g.35gb": 4, "2g.35gb": 3, "3g.71gb": 2, "4g.71gb": 1},
    "b200-sxm-180gb": {"1g.23gb": 7, "1g.45gb": 4, "2g.45gb": 3, "3g.90gb": 2, "4g.90gb": 1},
    "a30-24gb": {"1g.6gb": 4, "2g.12gb": 2},
    "rtx-pro-6000-bw-server-96gb": {"1g.24gb": 4, "2g.48gb": 2},
}


@pytest.mark.parametrize("gpu", PUBLISHED)
def test_profiles_are_those_published(gpu: str) -> None:
    assert {one.name: one.most for one in cuts()[gpu].profiles} == PUBLISHED[gpu]


@pytest.mark.parametrize("gpu", sorted(cuts()))
def test_instances_stay_within_the_card_and_its_name(gpu: str) -> None:
    card = gpus()[gpu]
    assert max(one.most for one in cuts()[gpu].profiles) == card.mig_instances
    for one in cuts()[gpu].profiles:
        named = int(one.name.split(".")[1].removesuffix("gb")) * GIB
        assert 0.85 * named <= one.usable_bytes <= named


@pytest.mark.parametrize(("gpu", "tenants"), [("h100-sxm-80gb", 4), ("a100-pcie-80gb", 7), ("a30-24gb", 2)])
def test_what_an_instance_is_said_to_hold_fits_it(gpu: str, tenants: int) -> None:
    found = what_fits(WhatFitsRequest(gpus=(GpuCount(gpu=gpu),), task="inference", instances=tenants))
    assert [one.profile for one in found.slices] == list(PUBLISHED.get(gpu, {})) or gpu not in PUBLISHED
    assert any(one.enough for one in found.slices)
    for one in found.slices:
        assert one.enough == (one.instances >= tenants)
        for row in one.rows:
            for example in row.examples:
                held = estimate_memory(
                    MemoryRequest(task="inference", model=example.model, weight_format=row.weight_format)
                )
                assert held.per_gpu.total_bytes <= one.usable_bytes
    largest = [max((row.max_params or 0) for row in one.rows) for one in found.slices]
    assert largest == sorted(largest)
    assert largest[-1] < max((row.max_params or 0) for row in found.rows)


def test_two_cards_have_twice_the_instances() -> None:
    found = what_fits(WhatFitsRequest(gpus=(GpuCount(gpu="h100-sxm-80gb", count=2),), task="inference", instances=10))
    assert {one.profile: (one.instances, one.enough) for one in found.slices}["1g.10gb"] == (14, True)
    assert {one.profile: one.enough for one in found.slices}["3g.40gb"] is False
    assert any("MIG" in said for said in found.assumptions)


def test_a_card_without_instances_is_told_so() -> None:
    found = what_fits(WhatFitsRequest(gpus=(GpuCount(gpu="l40s-48gb"),), task="inference", instances=3))
    assert not found.slices
    assert "L40S" in found.warnings[0]
