"""Instances of a card that is cut up (MIG): a share of everything, and nothing joins two of them."""

import pytest

from kb.base import BadInput
from kb.catalog import gpus
from kb.lexicon import read_cards
from kb.machines.mig import cuts
from tools.registry import tool
from tools.ways_to_run.result import Way, WaysToRun

WHOLE = "a100-sxm-80gb"


def find(**fields: object) -> WaysToRun:
    found = tool("find_ways_to_run").call(dict(fields))
    assert isinstance(found, WaysToRun)
    return found


def rate(way: Way) -> float:
    assert way.speed is not None
    return way.speed.tokens_per_s_per_user.value


@pytest.mark.parametrize(("said", "gpu", "profile", "count"), [
    ("1g.10gb", WHOLE, "1g.10gb", 1), ("4x 1g.10gb on A100 40GB", "a100-sxm-40gb", "1g.10gb", 4),
    ("7x 1g.5gb on A100", "a100-sxm-40gb", "1g.5gb", 7), ("H100 MIG 3g.40gb x2", "h100-sxm-80gb", "3g.40gb", 2),
    ("两个 2g.20gb 切片，A100 80G", WHOLE, "2g.20gb", 2), ("14x 1g.10gb on 2x A100 80GB", WHOLE, "1g.10gb", 14),
])  # fmt: skip
def test_profiles_are_read_with_their_card(said: str, gpu: str, profile: str, count: int) -> None:
    (found,) = read_cards(said)
    assert (found.gpu, found.profile, found.count) == (gpu, profile, count)


@pytest.mark.parametrize(("said", "reason"), [
    ("7x 1g.10gb on A100 40GB", "takes 4 at most"), ("RTX 4090 1g.10gb", "no MIG profile of GeForce RTX 4090"),
])  # fmt: skip
def test_what_a_card_cannot_be_cut_into_is_refused_with_what_it_can(said: str, reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        read_cards(said)


def test_an_instance_has_its_share_of_the_card() -> None:
    """An eighth of 80 GB and of 2,039 GB/s: Qwen3-8B in Q4_K_M is 5.0 GB, read some 50 times a second at the most."""
    asked = {"model": "Qwen3-8B", "weight_format": "gguf:Q4_K_M"}
    whole, part = find(**asked, cards="A100 SXM 80GB").ways[0], find(**asked, cards="1g.10gb on A100 SXM 80GB").ways[0]
    profile = next(one for one in cuts()[WHOLE].profiles if one.name == "1g.10gb")
    assert part.memory.usable_bytes_per_gpu == profile.usable_bytes
    assert 2 * rate(part) < rate(whole)
    assert rate(part) < (gpus()[WHOLE].bandwidth_bytes_per_s or 0) * profile.memory_ratio / 5.0e9
    assert part.memory.needed_bytes_per_gpu == whole.memory.needed_bytes_per_gpu


def test_two_instances_hold_no_model_together() -> None:
    """70 billion weights of four bits are 40 GB: two halves of 37.6 GiB each would, one does not."""
    found = find(model="Llama-3.3-70B", weight_format="awq", cards="2x 3g.40gb on H100")
    assert all(way.layout.tp == way.layout.pp == 1 for way in found.ways)
    assert found.answer.verdict != "fits"
    refused = find(model="Llama-3.3-70B", weight_format="awq", cards="2x 3g.40gb on H100", parallel={"tp": 2})
    assert any("do not reach each other" in one.reason for one in refused.rejected)


def test_copies_use_several() -> None:
    found = find(model="Qwen3-4B", cards="7x 1g.10gb on A100 80GB", concurrent_sequences=7, objective="most_users")
    assert found.ways[0].layout.dp == 7
    assert "-mg" not in "".join(way.flags for way in found.ways)
