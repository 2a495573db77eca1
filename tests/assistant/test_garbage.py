"""A turn leaves nothing behind that only the collector could free: a server lets it come around rarely."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import gc, sys
from pathlib import Path
from assistant.agent import Advisor
from kb.settings import Settings

advisor = Advisor(Settings(home=Path(sys.argv[1])))
advisor.ask(sys.argv[2])
gc.collect()
gc.disable()
advisor.ask(sys.argv[3])
print(gc.collect())
"""
WARM, NEW = "Can 2×A6000 run Qwen2.5-7B for 3 users?", "Can 4×L40S serve Qwen2.5-32B to 37 users at 5,100 tokens?"


@pytest.mark.parametrize(
    "question", [pytest.param(NEW, id="new"), pytest.param("预算 9 万，跑 Qwen2.5-14B 买什么？", id="zh")]
)
def test_a_new_turn_makes_no_cycles(question: str, tmp_path: Path) -> None:
    """In a process of its own: what other tests left in caches is built anew, with whatever cycles that takes."""
    command = [sys.executable, "-c", SCRIPT, str(tmp_path), WARM, question]
    environment = {**os.environ, "GPU_ADVISOR_HOME": str(tmp_path), "PYTHONUTF8": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, encoding="utf-8")
    assert done.stdout.split()[-1] == "0"
