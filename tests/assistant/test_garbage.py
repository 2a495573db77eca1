"""A turn leaves nothing behind that only the collector could free: a server lets it come around rarely."""

import gc
from pathlib import Path

import pytest

from assistant.agent import Advisor
from kb.settings import Settings

WARM, NEW = "Can 2×A6000 run Qwen2.5-7B for 3 users?", "Can 4×L40S serve Qwen2.5-32B to 37 users at 5,100 tokens?"


@pytest.mark.parametrize(
    "question", [pytest.param(NEW, id="new"), pytest.param("预算 9 万，跑 Qwen2.5-14B 买什么？", id="zh")]
)
def test_a_new_turn_makes_no_cycles(question: str, tmp_path: Path) -> None:
    advisor = Advisor(Settings(home=tmp_path))
    advisor.ask(WARM)
    gc.collect()
    gc.disable()
    try:
        advisor.ask(question)
        assert gc.collect() == 0
    finally:
        gc.enable()
