"""No command, driver or setting adds memory to a card."""

import pytest

from assistant.ground.check import ground
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    "text",
    [
        "Is it true that running nvidia-smi --unlock-vram gives a 4090 48GB?",
        "can software unlock make a 3080 have 20GB?",
        "Can I flash a 4090 to get 32GB of VRAM?",
        "有没有命令能把 3090 的显存解锁成 48G",
        "改一下驱动设置 4090 能当 48G 用吗",
    ],
)
def test_memory_from_software_is_denied_first(text: str) -> None:
    _, records, draft = turn(text)
    first = draft.answer.split("\n")[0].removeprefix("**")
    assert first.startswith(("No: memory is soldered", "不能：显存焊在板子上"))
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    "text",
    [
        "is the 48GB 4090 any good?", "How much memory does a 4090 have?",
        "which driver does a 4090 need to use its 24GB?",
        "4090 24G 设置 --max-model-len 8192 能跑 Qwen3-14B 吗", "Can I set a 32k context on a 5090 32GB?",
    ],
)  # fmt: skip
def test_other_questions_on_memory_and_settings_are_not_taken_for_it(text: str) -> None:
    answer = turn(text)[2].answer
    assert "soldered onto" not in answer
    assert "焊在板子上" not in answer
