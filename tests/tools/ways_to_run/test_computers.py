"""Several computers of one memory each: their memory is pooled over a network, which every token waits for."""

import pytest

from kb.machines.links import pooled
from tools.registry import tool
from tools.ways_to_run.result import Way, WaysToRun


def find(**fields: object) -> WaysToRun:
    found = tool("find_ways_to_run").call(dict(fields))
    assert isinstance(found, WaysToRun)
    return found


def rate(way: Way) -> float:
    assert way.speed is not None
    return way.speed.tokens_per_s_per_user.value


def test_what_one_mac_cannot_hold_two_hold_together() -> None:
    """70.6 billion weights of 8.5 bits are 75 GB: 64 GB with 48 for the GPU do not hold them, twice 48 do."""
    asked = {"model": "Llama-3.3-70B", "weight_format": "gguf:Q8_0"}
    assert find(**asked, cards="Mac mini M4 Pro 64GB").answer.verdict != "fits"
    found = find(**asked, cards="2x Mac mini M4 Pro 64GB")
    assert found.answer.verdict == "fits"
    assert found.ways[0].memory.needed_bytes_per_gpu * 2 > 75e9
    assert "--rpc HOST2:50052" in found.ways[0].command
    assert "pooled over the network" in found.ways[0].title


def test_computers_are_counted_the_same_as_cards_and_as_nodes() -> None:
    one, other = (find(model="DeepSeek-R1", weight_format="gguf:Q8_0", **machine)
                  for machine in ({"cards": "2x M3 Ultra 512GB"}, {"cards": "M3 Ultra 512GB", "nodes": 2}))  # fmt: skip
    assert one.ways == other.ways
    assert one.answer.verdict == "fits"


@pytest.mark.parametrize("computers", [2, 3, 4])
def test_every_further_computer_adds_its_step_to_a_token(computers: int) -> None:
    """The same layers, read at the same pace, and 6 ms a step."""
    asked = {"model": "Qwen3-235B-A22B", "weight_format": "gguf:Q4_K_M", "parallel": {"pp": computers}}
    alone = rate(find(**{**asked, "parallel": {"pp": 1}}, cards="M3 Ultra 512GB").ways[0])
    shared = rate(find(**asked, cards=f"{computers}x M3 Ultra 512GB").ways[0])
    assert 1 / shared - 1 / alone == pytest.approx((computers - 1) * pooled().hop_s[0], rel=0.02)


def test_a_slow_link_is_felt_by_prompts() -> None:
    """8,192 tokens of 8,192 numbers of four bytes are 268 MB: 2.1 s at 1 Gbit/s, 0.2 s at 10."""
    asked = {"model": "Llama-3.3-70B", "weight_format": "gguf:Q8_0", "cards": "2x Mac mini M4 Pro 64GB",
             "input_tokens": 8192, "output_tokens": 256}  # fmt: skip
    slow, fast = (find(**asked, link=link).ways[0].speed for link in ("1GbE", "10GbE"))
    assert slow is not None
    assert fast is not None
    assert slow.first_token_s is not None
    assert fast.first_token_s is not None
    assert slow.first_token_s.value - fast.first_token_s.value == pytest.approx(268.4e6 * (8 - 0.8) / 1e9, rel=0.1)


def test_what_is_not_estimated_is_said_with_what_reports_tell() -> None:
    found = find(model="DeepSeek-R1", cards="4x M3 Ultra 512GB", link="thunderbolt 5")
    assert any("exo" in line and "Not estimated" in line for line in found.warnings)
    assert any(one.id == "geerling-mac-cluster" for one in found.sources)
    assert not any("exo" in line for line in find(model="Qwen3-32B", cards="2x DGX Spark").warnings)


def test_the_wired_limit_of_each_mac_may_be_raised() -> None:
    found = find(model="DeepSeek-R1", cards="2x M3 Ultra 512GB", objective="best_quality", weight_format="gguf:BF16")
    raised = [one for one in found.changes if "iogpu.wired_limit_mb" in one.change]
    assert all("of each" in one.change for one in raised)


def test_cards_of_one_machine_are_no_computers() -> None:
    found = find(model="Llama-3.3-70B", weight_format="gguf:Q8_0", cards="4x 3090")
    assert "pooled" not in found.ways[0].title
    assert "--rpc" not in found.ways[0].command
