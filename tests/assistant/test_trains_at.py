"""Who asks whether cards train a model is told yes or no first, then how fast."""

import pytest

from assistant.ground.check import ground
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "opening"),
    [
        ("can 8×A100 PCIe train a 13B?", "**Yes: full fine-tuning"),
        ("8 张 A800 能训练 13B 吗", "**能**。"),
        ("can a 3090 qlora an 8B?", "**Yes: QLoRA"),
    ],
)
def test_the_verdict_comes_first_and_the_pace_after_it(text: str, opening: str) -> None:
    _, records, draft = turn(text)
    first = draft.answer.split("\n")[0]
    assert first.startswith(opening)
    assert first.index("tokens/s") > first.index("GiB")
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize("text", ["can one 4090 fully fine-tune a 13B?", "can a 4090 train YOLOv8x?"])
def test_no_pace_where_it_does_not_fit_or_reads_no_text(text: str) -> None:
    assert "tokens/s" not in turn(text)[2].answer.split("\n")[0]
