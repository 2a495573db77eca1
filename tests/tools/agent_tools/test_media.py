"""Pictures and clips on cards that do not hold them whole."""

from typing import Any

import pytest

from tools.agent_tools.ledger import Ledger
from tools.agent_tools.toolset import agent_tool


def ways(**fields: Any) -> dict[str, Any]:
    found = agent_tool("find_ways_to_run").look_up(fields, Ledger())
    assert not found.failed, found.shown
    return found.shown


@pytest.mark.parametrize(
    "fields",
    [
        {"model": "Wan2.2-T2V-A14B", "cards": "1x 3090", "size": "832x480 81 frames", "host_memory": "96GB"},
        {"model": "LTX-2", "cards": "1x 4080 16GB", "size": "1280x704 121 frames", "host_memory": "64GB"},
        {"model": "HunyuanVideo", "cards": "1x 4070 Ti Super", "size": "960x544 129 frames", "host_memory": "64GB"},
        {"model": "Qwen-Image", "cards": "1x 3060 12GB", "host_memory": "64GB", "engine": "comfyui"},
    ],
)
def test_what_people_run_with_weights_in_host_memory_fits(fields: dict[str, Any]) -> None:
    found = ways(**fields)

    assert found["answer"]["verdict"] == "fits_with_changes"
    assert found["speed"]["host"].endswith("GiB")
    assert any("host memory" in way["parts"] and way["fit"] == "yes" for way in found["ways"])


def test_what_fits_whole_is_not_sent() -> None:
    found = ways(model="SDXL", cards="1x 4090", host_memory="64GB")

    assert found["answer"]["verdict"] == "fits"
    assert not any("block by block" in way["parts"] for way in found["ways"])
    assert "streamed" not in found["speed"]


def test_a_host_that_cannot_hold_the_weights_gets_a_narrower_format_or_a_word() -> None:
    fields = {"model": "Wan2.2-T2V-A14B", "cards": "1x 3090", "size": "832x480 81 frames"}

    assert ways(**fields, host_memory="128GB")["answer"]["way"].startswith("bf16")
    assert ways(**fields, host_memory="64GB")["answer"]["way"].startswith("fp8")
    assert any("too small" in one for one in ways(**fields, host_memory="8GB")["warnings"])
    assert any("not stated" in one for one in ways(**fields)["warnings"])
