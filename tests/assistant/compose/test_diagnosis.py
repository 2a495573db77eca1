from collections.abc import Callable

from assistant.answer import ToolCallRecord
from assistant.compose import compose
from assistant.understanding import Understanding

Estimate = Callable[..., ToolCallRecord]
Asked = Callable[..., Understanding]


def test_an_allocation_larger_than_the_card_is_a_runaway_input(estimate: Estimate, asked: Asked) -> None:
    text = "torch.OutOfMemoryError: Tried to allocate 910.00 GiB"
    draft = compose(asked(text, "en", intent="oom"), [estimate(10)])
    assert "910.00 GiB" in draft.answer.splitlines()[0]
    assert "runaway input" in draft.answer


def test_an_ordinary_allocation_is_no_runaway(estimate: Estimate, asked: Asked) -> None:
    draft = compose(asked("Tried to allocate 2.00 GiB", "en", intent="oom"), [estimate(34)])
    assert "runaway" not in draft.answer


def test_what_fits_on_paper_is_looked_for_in_how_it_is_run(estimate: Estimate, asked: Asked) -> None:
    draft = compose(asked("OOM", "en", intent="oom"), [estimate(10)])
    assert draft.answer.startswith("**On paper")
    assert "FlashAttention" in draft.answer


def test_the_largest_item_is_named(estimate: Estimate, asked: Asked) -> None:
    draft = compose(asked("爆显存", intent="oom"), [estimate(34)])
    assert "权重，34.0 GiB" in draft.answer


def test_changes_that_come_to_the_same_are_said_once(estimate: Estimate, asked: Asked) -> None:
    calls = [estimate(34), estimate(10, weight_format="int4"), estimate(10, weight_format="int4", engine="vllm")]
    draft = compose(asked("爆显存", intent="oom"), calls)
    assert sum(line.startswith("| INT4") for line in draft.answer.splitlines()) == 1


def test_without_a_model_the_usual_ways_out_are_listed_in_order(asked: Asked) -> None:
    draft = compose(asked("OOM", "en", intent="oom", model=None, gpus_owned=[]), [])
    assert draft.verdict == "diagnosis"
    assert "gradient checkpointing" in draft.answer
    assert draft.clarifying_questions
