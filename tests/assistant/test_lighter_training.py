"""How long a training takes on cards that do not hold it: the time of the lighter one that they hold."""

import pytest

from assistant.ground.check import ground
from tests.assistant.planning import turn

TIME = "estimate_training_time"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("how long to LoRA fine-tune a 7B on a 3060 12GB with 50k samples?", id="lora"),
        pytest.param("一张 3060 12G 用 LoRA 微调 7B，5 万条数据要多久？", id="lora-zh"),
        pytest.param("How long would full fine-tuning Llama 3.1 8B on a 4090 take for 100M tokens?", id="full"),
    ],
)
def test_the_time_told_is_of_what_the_card_holds(text: str) -> None:
    _, records, draft = turn(text)
    timed = {one.request.get("task", "full_finetune"): one.result for one in records if one.tool == TIME}
    assert "qlora" in timed
    first = draft.answer.split("\n")[0]
    assert "QLoRA" in first
    assert "does not fit" in first or "放不下" in first
    assert draft.verdict == "fits_with_changes"
    hours = timed["qlora"]["time_s"]["value"] / 3600
    assert f"{hours:.0f} " in first or f"{hours:.1f} " in first
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def test_who_wants_no_adapters_is_told_why_not() -> None:
    _, records, draft = turn("How long does full fine-tuning of a 7B, not LoRA, take on a 4090 with 100M tokens?")
    assert {one.request.get("task", "full_finetune") for one in records if one.tool == TIME} == {"full_finetune"}
    assert draft.verdict == "does_not_fit"


def test_what_fits_has_its_own_time() -> None:
    _, records, draft = turn("How long to QLoRA a 7B on a 4090 with 50k samples?")
    assert [one.request.get("task", "full_finetune") for one in records if one.tool == TIME] == ["qlora"]
    assert draft.verdict == "estimate"
