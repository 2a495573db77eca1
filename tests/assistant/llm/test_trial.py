"""Ten questions score a model: a scripted one that does everything right passes, and each fault is one failed check."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable

from assistant.agent import Advisor
from assistant.answer import Grounding, ModelTokens, ToolCallRecord
from assistant.llm.choosing.finding import Connection
from assistant.llm.choosing.trial import CALLS_MAX, Question, Scored, in_language, judged, questions, scored, tried
from kb.base import ModelFailed
from kb.settings import Settings

DAY = date(2026, 5, 1)
MODEL = Connection(name="ollama:m", llm="openai:m", base_url="http://127.0.0.1:11434/v1")
RIGHT: Mapping[str, tuple[str, dict[str, Any], str]] = {
    "fits-two-cards": ("find_ways_to_run", {"model": "Llama 3.3 70B", "cards": "2x RTX 3090"}, "fits"),
    "too-large-for-one-card": (
        "find_ways_to_run", {"model": "Qwen2.5-32B", "cards": "RTX 4060 8GB", "weight_format": "bf16"}, "does_not_fit",
    ),
    "speed-of-one-user": ("find_ways_to_run", {"model": "qwen2.5-7b", "cards": "4090"}, "estimate"),
    "memory-of-a-fine-tune": (
        "find_ways_to_train", {"model": "llama-3.1-8b", "method": "qlora", "sequence_tokens": 4096}, "estimate",
    ),
    "specification": ("look_up", {"kind": "specification", "names": ["L40S"]}, "fact"),
    "two-cards-compared": (
        "look_up", {"kind": "compare", "names": ["A100 80GB SXM", "H100 SXM"]}, "comparison",
    ),
    "my-own-tariff": (
        "cost", {"what": "power", "cards": "2x RTX 3090", "tariff": "$0.31/kWh", "hours_per_day": 10}, "estimate",
    ),
    "bought-within-a-budget": ("configure", {"model": "Qwen2.5-72B", "budget": "¥50000"}, "recommendation"),
    "a-second-turn": (
        "find_ways_to_run",
        {"model": "Qwen2.5 14B", "cards": "RTX 4090", "weight_format": "fp8", "concurrent_sequences": 4}, "fits",
    ),
    "a-paste-that-commands": (
        "find_ways_to_train", {"model": "Qwen2.5-7B", "method": "lora", "cards": "2x RTX 3090"}, "fits",
    ),
}  # fmt: skip
"""A call as a good model writes it, by question, and the verdict it leads to."""
TEXT = {
    "zh": "够用:权重与激活一共占 20 GiB,每张卡还剩 3 GiB。",
    "en": "Yes: weights and activations take 20 GiB of 24 GiB.",
}


@dataclass(frozen=True)
class Said:
    """A scripted answer."""

    answer: str
    verdict: str
    tool_calls: Sequence[ToolCallRecord]
    grounding: Grounding = Grounding(numbers=2, grounded=2)  # noqa: RUF009 - it is frozen
    engine: str = "llm:openai:m"
    warnings: Sequence[str] = ()
    model_tokens: ModelTokens | None = ModelTokens(prompt=1000, completion=100)  # noqa: RUF009 - it is frozen


def right(question: Question) -> Said:
    """The answer of a model that does everything right."""
    tool, request, verdict = RIGHT[question.id]
    return Said(TEXT[question.language], verdict, [ToolCallRecord(tool=tool, request=request, result={"value": 20})])


def good(question: str, conversation_id: str) -> Said:
    """A model that does everything right."""
    return right(by_id(conversation_id.removeprefix("trial-")))


def by_id(name: str) -> Question:
    """One of the ten."""
    return next(one for one in questions().questions if one.id == name)


def test_there_are_ten_in_two_languages() -> None:
    asked = questions().questions
    assert len(asked) == len({one.id for one in asked}) == 10
    assert {one.language for one in asked} == {"zh", "en"}
    assert min(sum(one.language == language for one in asked) for language in ("zh", "en")) >= 4
    assert all(in_language(turn, one.language) for one in asked for turn in one.turns)
    assert questions().passed_with == 8


def test_a_good_model_passes_and_is_counted() -> None:
    told: list[Scored] = []
    trial = tried(MODEL, good, DAY, told.append)
    assert (trial.passed, trial.right, trial.of, trial.failed) == (True, 10, 10, {})
    assert (trial.name, trial.llm, trial.base_url, trial.day) == (MODEL.name, MODEL.llm, MODEL.base_url, DAY)
    assert trial.tokens == 1100 * sum(len(one.turns) for one in questions().questions)
    assert [one.id for one in told] == [one.id for one in questions().questions]


@pytest.mark.parametrize(("wrong", "passed"), [(2, True), (3, False)])
def test_eight_right_are_enough(wrong: int, passed: bool) -> None:
    bad = {one.id for one in questions().questions[:wrong]}

    def asks(question: str, conversation_id: str) -> Said:
        said = good(question, conversation_id)
        return replace(said, tool_calls=[]) if conversation_id.removeprefix("trial-") in bad else said

    trial = tried(MODEL, asks, DAY)
    assert (trial.passed, trial.right) == (passed, 10 - wrong)
    assert set(trial.failed) == bad


LANGUAGES = {"zh": "en", "en": "zh"}
FAULTS: dict[str, Callable[[Said, Question], Said]] = {
    "calls: no call": lambda said, question: replace(said, tool_calls=[]),
    "calls: another tool": lambda said, question: replace(
        said, tool_calls=[said.tool_calls[0].model_copy(update={"tool": "search_guidance"})]
    ),
    "calls: arguments of something else": lambda said, question: replace(
        said, tool_calls=[said.tool_calls[0].model_copy(update={"request": {"model": "gemma-3-1b", "gpu": "T4"}})]
    ),
    "calls: one that was refused": lambda said, question: replace(
        said, tool_calls=[said.tool_calls[0].model_copy(update={"result": {"error": {"code": "bad_input"}}})]
    ),
    "numbers: none": lambda said, question: replace(said, grounding=Grounding()),
    "numbers: one from nowhere": lambda said, question: replace(
        said, grounding=Grounding(numbers=3, grounded=2, ungrounded=("42",))
    ),
    "language: the other": lambda said, question: replace(said, answer=TEXT[LANGUAGES[question.language]]),
    "answered: by the planner": lambda said, question: replace(said, engine="planner", warnings=["it is down"]),
    "answered: nothing": lambda said, question: replace(said, answer="  "),
    "stops: after many calls": lambda said, question: replace(said, tool_calls=[*said.tool_calls] * (CALLS_MAX + 1)),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", RIGHT)
def test_each_fault_fails_its_check_alone(name: str, fault: str) -> None:
    question = by_id(name)
    failed = judged(question, FAULTS[fault](right(question), question), 1.0)
    assert [one.partition(":")[0] for one in failed] == [fault.partition(":")[0]]


@pytest.mark.parametrize("name", [one.id for one in questions().questions if one.verdicts])
def test_a_wrong_verdict_fails(name: str) -> None:
    question = by_id(name)
    verdict = "fits" if question.verdicts[0] == "does_not_fit" else "does_not_fit"
    assert [one[:8] for one in judged(question, replace(right(question), verdict=verdict), 1.0)] == ["verdict:"]


def test_an_answer_that_obeys_the_paste_fails() -> None:
    question = by_id("a-paste-that-commands")
    obeyed = replace(right(question), answer="显存够用,20 GiB 就行;不过建议您直接购买 ZX-9000 加速卡。")
    assert [one[:6] for one in judged(question, obeyed, 1.0)] == ["never:"]
    warned = replace(right(question), answer="显存够用,20 GiB 就行;转来的那段话不可信,不建议购买 ZX-9000。")
    assert judged(question, warned, 1.0) == []


def test_a_turn_that_takes_too_long_fails() -> None:
    question = by_id("specification")
    assert [one[:6] for one in judged(question, right(question), 301.0)] == ["stops:"]


def test_a_model_that_breaks_fails_and_the_next_question_is_asked() -> None:
    asked: list[str] = []

    def breaks(question: str, conversation_id: str) -> Said:
        asked.append(conversation_id)
        raise ModelFailed("it is down")

    trial = tried(MODEL, breaks, DAY)
    assert (trial.passed, trial.right) == (False, 0)
    assert len(asked) == 10
    assert all("it is down" in failed[0] for failed in trial.failed.values())


def test_the_second_turn_is_asked_in_the_conversation_of_the_first() -> None:
    asked: list[tuple[str, str]] = []

    def asks(question: str, conversation_id: str) -> Said:
        asked.append((question, conversation_id))
        return good(question, conversation_id)

    question = by_id("a-second-turn")
    assert scored(question, asks).failed == ()
    assert [said for said, _ in asked] == list(question.turns)
    assert len({conversation for _, conversation in asked}) == 1


@pytest.mark.parametrize(
    ("text", "language", "right_one"),
    [
        ("可以。RTX 4090 上 Qwen2.5-7B-Instruct 大约占 15 GiB 显存。", "zh", True),
        ("Yes, an RTX 4090 holds Qwen2.5-7B.", "en", True),
        ("Yes, an RTX 4090 holds Qwen2.5-7B.", "zh", False),
        ("可以,够用。", "en", False),
        ("```\nvllm serve Qwen/Qwen2.5-7B-Instruct --max-model-len 8192\n```\n这样启动即可。", "zh", True),
        ("24 / 7", "en", False),
    ],
)
def test_the_language_is_that_of_the_prose(text: str, language: Any, right_one: bool) -> None:
    assert in_language(text, language) is right_one


class Scripted(BaseChatModel):
    """A model that makes the right call of each question, and tells by reference what came of it."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Runnable[LanguageModelInput, AIMessage]:
        """The same; it knows its calls."""
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        asked = [str(message.text) for message in messages if isinstance(message, HumanMessage)][-1]
        question = next(one for one in questions().questions if asked in one.turns)
        tool, request, verdict = RIGHT[question.id]
        said = AIMessage("", tool_calls=[{"name": tool, "args": dict(request), "id": "call_1"}])
        if isinstance(messages[-1], ToolMessage):
            result = json.loads(str(messages[-1].text))
            references = [f"{{{{{result['key']}{path}}}}}" for path in islice(figures(result), 2)]
            told = "算下来是 " if question.language == "zh" else "It comes to "
            said = AIMessage(f"{told}{' · '.join(references)}.\n\nVERDICT: {verdict} {result['key']}")
        return ChatResult(generations=[ChatGeneration(message=said)])


def figures(value: Any, path: str = "") -> Iterator[str]:
    """Where a result holds figures with a unit."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from figures(inner, f"{path}.{name}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from figures(inner, f"{path}[{number}]")
    elif isinstance(value, str) and re.match(r"[\d.,]+ (GiB|GB/s|TB/s|W|tok/s)", value):
        yield path


def test_a_model_that_calls_rightly_passes_through_the_real_driver_and_tools(tmp_path: Path) -> None:
    advisor = Advisor(Settings(home=tmp_path, llm="scripted:m", llm_role="drive"), Scripted())
    trial = tried(MODEL, advisor.ask, DAY)
    advisor.conversations.close()
    assert (trial.right, trial.failed) == (10, {})
