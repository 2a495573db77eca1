"""Training from nothing without a word on the data: reckoned with the compute-optimal amount, and told so."""

import pytest

from assistant.ground.check import ground
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "params"),
    [
        ("训练一个1B的模型从头开始，需要多少显卡多长时间", 10**9),
        ("pretrain a 3B model from scratch, what hardware", 3 * 10**9),
        ("从零预训练7B要几张卡", 7 * 10**9),
    ],
)
def test_hardware_and_time_are_told_on_the_usual_amount(text: str, params: int) -> None:
    _, records, draft = turn(text)
    search = next(one for one in records if one.tool == "configure")
    assert search.request["dataset_tokens"] == 20 * params
    assert any((one.get("speed") or {}).get("time_s") for one in search.result["configurations"])
    assert any("Hoffmann" in one.title for one in draft.citations)
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def test_data_that_was_stated_is_taken_as_it_is() -> None:
    _, records, draft = turn("how many h100s to train a 7b model from scratch on 1T tokens")
    search = next(one for one in records if one.tool == "configure")
    assert search.request["dataset_tokens"] == 10**12
    assert not any("Hoffmann" in one.title for one in draft.citations)
    assert "90 days" in draft.answer.split("\n")[0]
    assert draft.answer.startswith("**Pre-training")


@pytest.mark.parametrize("text", ["微调 7B 要多久", "how much memory does pretraining a 7B take"])
def test_fine_tuning_and_memory_alone_want_no_data(text: str) -> None:
    _, records, _ = turn(text)
    assert not any(one.request.get("dataset_tokens") for one in records)
