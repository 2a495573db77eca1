"""Unlike cards as unequal stages, a format that was insisted on, weights for Ascend chips, links by the host."""

from tools.ways_to_run.find import find_ways_to_run
from tools.ways_to_run.request import WaysToRunRequest
from tools.ways_to_run.result import WaysToRun


def find(**fields: object) -> WaysToRun:
    return find_ways_to_run(WaysToRunRequest.model_validate(fields))


def test_unlike_cards_take_as_many_layers_as_they_hold() -> None:
    asked = {"model": "Qwen/Qwen2.5-72B", "cards": "4090 48GB + 4060 Ti 16GB", "engine": "vllm"}
    split = find(**asked, weight_format="awq", context_tokens=32768, parallel={"pp": 2}).ways[0]
    assert split.layout.pp == 2
    first, second = (int(one) for one in split.command.partition("PARTITION=")[2].split()[0].split(","))
    assert first + second == 80
    assert first > 2 * second
    assert split.memory.needed_bytes_per_gpu <= split.memory.usable_bytes_per_gpu


def test_alike_cards_are_split_evenly() -> None:
    found = find(model="Qwen/Qwen3-32B", cards="2x 3090", engine="vllm", weight_format="awq")
    assert not any("PARTITION" in way.command for way in found.ways)


def test_a_format_that_was_insisted_on_is_laid_in_stages_where_sharing_does_not_hold_it() -> None:
    asked = {"model": "deepseek-ai/DeepSeek-V3", "cards": "8x H20 96GB", "context_tokens": 16384,
             "concurrent_sequences": 16}  # fmt: skip
    assert find(**asked, weight_format="fp8").ways[0].layout.pp > 1


def test_weights_of_eight_bits_on_ascend_are_made_beforehand() -> None:
    way = find(model="Qwen/Qwen3-14B", cards="1x Ascend 910B3", weight_format="int8", engine="vllm").ways[0]
    assert "vllm serve MODEL" in way.command
    assert "ModelSlim" in way.command


def test_many_cards_through_the_host_are_doubted() -> None:
    said = find(model="Qwen/Qwen3-32B", cards="4x 3090", link="no p2p").warnings
    assert any("root complex" in one for one in said)
    assert not any("root complex" in one for one in find(model="Qwen/Qwen3-32B", cards="4x 3090").warnings)
