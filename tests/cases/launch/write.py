"""Write the launch files on record anew: `python tests/cases/launch/write.py`; then look at the difference."""

from pathlib import Path

import yaml

from tools.launch.result import LaunchFiles
from tools.registry import tool

HERE = Path(__file__).parent

if __name__ == "__main__":
    for name, fields in yaml.safe_load((HERE / "configurations.yaml").read_text(encoding="utf-8")).items():
        found = tool("make_launch_files").call(fields)
        assert isinstance(found, LaunchFiles)
        kept = "".join(f"=== {one.name}\n{one.content}" for one in found.files if one.name != "train.py")
        (HERE / f"{name}.txt").write_text(kept, encoding="utf-8")
