"""What this project writes passes its own check."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tools.check_setup import SetupRequest, check_setup
from tools.launch.result import LaunchFiles
from tools.registry import tool

CASES = Path(__file__).parents[2] / "cases" / "launch"
CONFIGURATIONS: dict[str, dict[str, Any]] = yaml.safe_load((CASES / "configurations.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", sorted(CONFIGURATIONS))
def test_launch_files_have_no_finding(name: str) -> None:
    made = tool("make_launch_files").call(CONFIGURATIONS[name])
    assert isinstance(made, LaunchFiles)
    files = [one for one in made.files if one.language in {"bash", "yaml", "json"}]
    for one in files:
        found = check_setup(SetupRequest.model_validate({
            "text": one.content, "name": one.name, "beside": [each.content for each in files if each is not one],
            "cards": [{"gpu": made.gpu, "count": made.gpu_count // made.nodes}], "nodes": made.nodes,
        }))  # fmt: skip
        assert not found.findings, (one.name, found.findings)
