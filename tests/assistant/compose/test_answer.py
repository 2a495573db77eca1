from collections.abc import Callable
from typing import Any

import pytest

from assistant.answer import ToolCallRecord
from assistant.compose import compose
from assistant.understanding import Ambiguity, Understanding
from tools.need import Need

Asked = Callable[..., Understanding]


def reading(text: str, language: str = "en", **more: Any) -> Understanding:
    need = more.pop("need", {})
    return Understanding(text=text, language=language, need=Need.model_validate(need), **more)


@pytest.mark.parametrize("language", ["zh", "en", "fr"])
def test_what_is_out_of_scope_is_refused_in_one_line_without_numbers(language: str) -> None:
    draft = compose(reading("write a letter", language, out_of_scope=True), [])
    assert draft.verdict == "out_of_scope"
    assert not any(character.isdigit() for character in draft.answer)
    assert not draft.citations
    assert not draft.clarifying_questions


def test_an_unknown_name_is_named_with_the_closest_real_ones() -> None:
    doubt = Ambiguity(kind="model", text="Qwen9-72B", candidates=("Qwen/Qwen2.5-72B-Instruct",), unknown=True)
    draft = compose(reading("run Qwen9-72B?", ambiguities=(doubt,), need={"intent": "can_it_run"}), [])
    assert draft.verdict == "clarification"
    assert "Qwen9-72B" in draft.answer
    assert "Qwen2.5-72B" in draft.answer
    assert draft.clarifying_questions


def test_at_most_two_questions_are_asked() -> None:
    doubts = tuple(Ambiguity(kind="gpu", text=f"card {n}", candidates=(), unknown=True) for n in range(4))
    draft = compose(reading("?", ambiguities=doubts, need={"intent": "which_to_buy"}), [])
    assert 1 <= len(draft.clarifying_questions) <= 2


def test_without_workload_the_workload_is_asked_for() -> None:
    draft = compose(reading("要买显卡，推荐一下", "zh", need={"intent": "which_to_buy"}), [])
    assert draft.verdict == "clarification"
    assert draft.clarifying_questions


def test_a_shopping_answer_says_what_the_budget_is_in_dollars(configured: ToolCallRecord, asked: Asked) -> None:
    need = asked("预算 5 万", intent="budget", gpus_owned=[], budget={"amount": 50000, "currency": "CNY"})
    record = configured.model_copy(update={"result": configured.result | {"budget_usd": 7000.0}})
    draft = compose(need, [record])
    assert draft.verdict == "recommendation"
    assert "¥50,000" in draft.answer
    assert "$7,000" in draft.answer


def test_a_language_other_than_the_two_is_answered_in_english_with_a_note(
    estimate: Callable[..., ToolCallRecord], asked: Asked
) -> None:
    draft = compose(asked("¿Puedo?", "es"), [estimate(10)])
    assert draft.answer.startswith("**Yes")
    assert "English or Chinese" in draft.answer


def test_a_killed_conversion_is_about_host_memory(estimate: Callable[..., ToolCallRecord], asked: Asked) -> None:
    draft = compose(asked("the script got Killed", "en", intent="oom"), [estimate(10)])
    assert draft.verdict == "diagnosis"
    assert "host memory" in draft.answer.splitlines()[0]


def test_a_diagnosis_lists_milder_settings_with_their_estimate(
    estimate: Callable[..., ToolCallRecord], asked: Asked
) -> None:
    calls = [
        estimate(34, task="lora", sharding="ddp"),
        estimate(9, task="lora", sharding="zero3"),
        estimate(12, task="qlora", weight_format="nf4"),
    ]
    draft = compose(asked("OOM", "en", intent="oom", task="lora"), calls)
    rows = [line for line in draft.answer.splitlines() if line.startswith("|")]
    assert any("ZeRO-3" in row and "10" in row for row in rows)
    assert any("QLoRA" in row and "13" in row for row in rows)


def test_asking_for_the_arithmetic_shows_the_steps(estimate: Callable[..., ToolCallRecord], asked: Asked) -> None:
    draft = compose(asked("show the arithmetic", "en", command="arithmetic"), [estimate(10)])
    assert "2 · layers · tokens" in draft.answer


def test_a_speed_that_no_tool_estimates_gets_no_figure(asked: Asked) -> None:
    draft = compose(asked("how fast?", "en", intent="speed"), [])
    assert "no figure" in draft.answer.splitlines()[0]
    assert "tokens/s" not in draft.answer
