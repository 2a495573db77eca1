"""Whether something runs if its launch settings are tuned is no wish for launch files."""

import pytest

from assistant.understand import understand


@pytest.mark.parametrize(
    "text",
    [
        "我是 4070，Qwen3-14B 调一下启动参数能不能凑合",
        "3060 12G 改改启动参数能跑 Qwen3-14B 吗",
        "调整运行参数后 4090 能跑 70B 吗",
    ],
)
def test_tuning_what_is_there_asks_whether_it_runs(text: str) -> None:
    assert understand(text).need.intent == "can_it_run"


@pytest.mark.parametrize("text", ["给我 Qwen3-8B 在 4090 上的启动参数", "4090 上 Qwen3-8B 的 vllm 启动参数怎么写"])
def test_settings_that_are_wanted_are_written(text: str) -> None:
    assert understand(text).need.intent == "launch_files"
