"""An amount of memory that something is said to need, against cards: yes or no, and how many."""

import pytest

from assistant.ground.check import ground
from assistant.plan import particular
from assistant.understand import understand
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "verdict", "said"),
    [
        pytest.param('方案写着"模型要350GB显存,4张A100就够了",这个说法对吗?', "does_not_fit", "5×A100", id="zh-no"),
        pytest.param("Our document says 4x A100 is enough for a model that needs 350 GB. Is that right?",
                     "does_not_fit", "316.4 GiB", id="en-no"),
        pytest.param("The deck claims 8 RTX 4090s hold a 200 GB model. Correct?", "fits_with_changes", "9×RTX 4090",
                     id="decimal-only"),
        pytest.param("I have 4x H200, my model takes 500 GB. Enough?", "fits", "558.4 GiB", id="yes"),
        pytest.param("模型权重占140GB,几张4090够?", "recommendation", "6×RTX 4090", id="how-many"),
    ],
)  # fmt: skip
def test_amount_is_held_against_what_is_usable(text: str, verdict: str, said: str) -> None:
    _, records, draft = turn(text)
    assert draft.verdict == verdict
    assert said in draft.answer
    assert not ground(draft.answer, records, [text], draft.citations).ungrounded


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("4 张 A100 80GB 能跑 70B 的模型吗?", id="size-of-the-card"),
        pytest.param("Llama 3.1 405B needs 230 GB in int4, are 4 A100 enough?", id="named-model"),
        pytest.param("4090 24GB 需要 64GB 内存吗?", id="host-memory"),
    ],
)
def test_other_amounts_are_none(text: str) -> None:
    assert particular.shape(understand(text)) != "claimed_room"
