"""What a language model asks about running reaches the solver as it was said."""

from typing import Any

import pytest

from tools.agent_tools.desk import Desk
from tools.agent_tools.ledger import Ledger
from tools.agent_tools.run import RunRequest, find_ways_to_run


def ask(**fields: Any) -> dict[str, Any]:
    """The agent's tool on a fresh desk."""
    return find_ways_to_run(RunRequest(**fields), Desk(Ledger()))


def test_the_format_of_the_name_is_a_constraint() -> None:
    found = ask(model="DeepSeek-R1 FP8", cards="M3 Ultra 512GB")

    assert found["answer"]["verdict"] == "fits_with_changes"
    assert list(found["answer"]["changed"]) == ["weight_format"]
    assert any("FP8" in one["said"] for one in found["binds"])


@pytest.mark.parametrize(
    ("link", "told"),
    [("PCIe 4.0 x4", "PCIe 4.0 x4: 7.9 GB/s"), ("x8", "PCIe 4.0 x8: 15.8 GB/s"), ("no nvlink", "PCIe 4.0 x16")],
)
def test_the_link_is_passed_on_as_it_was_said(link: str, told: str) -> None:
    found = ask(model="Qwen3-32B", cards="2x 3090", link=link)

    assert any(told in line for line in found["assumptions"])


def test_doubts_and_the_prompt_that_was_taken_are_seen() -> None:
    found = ask(model="Qwen3-30B-A3B", cards="2x B580", host_memory="48GB")

    assert any("of this engine on this card" in line for line in found["warnings"])
    assert any("first_token_s is for a prompt of" in line for line in found["assumptions"])
