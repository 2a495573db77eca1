"""Turns that a language model drives: a LangChain agent over the registry's tools, which the planner can take over."""

import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any

from langchain.agents import create_agent
from langchain.chat_models import init_chat_model
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from assistant.answer import PLANNER, Answer, Draft, ModelTokens, ToolCallRecord
from assistant.cite import cited
from assistant.compose import compose
from assistant.finish import answer_of, checked, counted
from assistant.phrases import phrases
from assistant.planner import CHANGES, read, records_of
from assistant.prompts import SYSTEM
from assistant.provider import Breaker, bounded_client
from assistant.reply import about, contradicts, subjects, untraced
from assistant.safety import FALLBACK, Grounded, asked_words
from assistant.step import Step, by_planner, understood
from assistant.toolbox import toolbox
from assistant.understanding import Understanding
from kb.base import BadInput
from kb.settings import Settings


class Agent:
    """One LangChain agent; it remembers nothing, the conversation is handed to it each time.

    Args:
        model: who chooses tools and words.
        engine: what answers call it.
        within_s: longest wait for it in one turn.
        breaker: leaves a provider that is down alone for a while.
    """

    def __init__(self, model: BaseChatModel, engine: str, within_s: float, breaker: Breaker) -> None:
        self._engine = engine
        guard = Grounded(within_s=within_s, breaker=breaker)
        self._graph: Any = create_agent(
            model, tools=toolbox(), system_prompt=SYSTEM, middleware=[guard], name="gpu_advisor"
        )

    def turn(
        self, question: str, conversation_id: str, history: Sequence[Answer], changes: Mapping[str, Any] | None
    ) -> Generator[Step, None, Answer]:
        """The model chooses tools and words; the planner's figures stand, and it takes over where they do not."""
        started = time.perf_counter()
        extra = {CHANGES: dict(changes)} if changes else {}
        messages = [*as_messages(history), HumanMessage(question, additional_kwargs=extra)]
        understanding, _ = read(messages)
        yield understood(understanding)
        turn: list[BaseMessage] = []
        updates = self._graph.stream({"messages": messages}, {"recursion_limit": 60}, stream_mode="updates")
        for update in updates:
            for change in update.values():
                for message in (change or {}).get("messages", []):
                    turn.append(message)
                    yield from steps_of(message)
        turn, words = in_call_order(turn), asked_words(messages)
        draft, records, fallback = settled(turn, understanding, words)
        engine = PLANNER if fallback else self._engine
        draft, grounding = checked(draft, records, [*words, counted(understanding)], understanding.language)
        if fallback:
            # Only the kind of the reason: what follows the colon is the model's own words.
            kind = fallback.split(":")[0]
            told = phrases(understanding.language)("state.planner_instead", kind=kind)
            draft = draft.model_copy(update={"warnings": (*draft.warnings, told)})
        answer = answer_of(question, draft, grounding, understanding, records, engine, conversation_id, started)
        return answer.model_copy(update={"model_tokens": tokens_of(turn)})


def settled(
    turn: Sequence[BaseMessage], understanding: Understanding, words: Sequence[str]
) -> tuple[Draft, list[ToolCallRecord], str | None]:
    """The answer before its numbers are checked, what it rests on, and why it is the planner's, if it is."""
    last = turn[-1]
    if draft_data := last.additional_kwargs.get("draft"):
        reason = str(last.additional_kwargs.get(FALLBACK) or "no reason")
        return Draft.model_validate(draft_data), own_records(turn), reason
    records = records_of(turn)
    mine = by_planner(understanding)
    draft = compose(understanding, mine)
    relevant = about(records, subjects(words, mine))
    text, citations = cited(str(last.text), relevant)
    fallback = contradicts(text, draft, words)
    if fallback is None and (loose := untraced(text, [*relevant, *mine], words, citations)):
        fallback = f"numbers of something else than was asked: {', '.join(loose[:5])}"
    if fallback is not None:
        return draft, mine, fallback
    draft = draft.model_copy(update={"answer": text, "citations": citations})
    return draft, records + [record for record in mine if record not in records], None


def tokens_of(turn: Sequence[BaseMessage]) -> ModelTokens | None:
    """What the model said it used, summed over those of its calls that stand in the turn."""
    said = [message.usage_metadata for message in turn if isinstance(message, AIMessage) and message.usage_metadata]
    if not said:
        return None
    return ModelTokens(prompt=sum(one["input_tokens"] for one in said),
                       completion=sum(one["output_tokens"] for one in said))  # fmt: skip


def chat_model(name: str, options: Settings) -> BaseChatModel:
    """The model `name` of the settings, `provider:model`.

    Raises:
        BadInput: the setting names no provider, or one that is not installed.
    """
    extra: dict[str, Any] = {"timeout": options.llm_timeout_s, "max_retries": 1}
    if options.llm_base_url:
        extra["base_url"] = options.llm_base_url
    if options.llm_api_key:
        extra["api_key"] = options.llm_api_key
    if name.startswith("openai:"):
        extra["http_client"] = bounded_client(options.llm_timeout_s)
    try:
        model: BaseChatModel = init_chat_model(name, temperature=0, **extra)
    except (ValueError, ImportError) as problem:
        raise BadInput(
            "GPU_ADVISOR_LLM", str(problem)[:300], "Write provider:model, e.g. openai:gpt-4o-mini."
        ) from None
    return model


def as_messages(history: Sequence[Answer]) -> list[BaseMessage]:
    """Former turns as messages; each answer carries its need."""
    messages: list[BaseMessage] = []
    for answer in history:
        messages.append(HumanMessage(answer.question))
        need = answer.need.model_dump(mode="json")
        messages.append(AIMessage(answer.answer, additional_kwargs={"need": need}))
    return messages


def steps_of(message: BaseMessage) -> Iterator[Step]:
    """What a message of the agent shows a person who is waiting."""
    if isinstance(message, AIMessage):
        for wanted in message.tool_calls:
            yield Step("tool", wanted["name"], dict(wanted["args"]))
    elif isinstance(message, ToolMessage):
        record = message.artifact
        yield Step("result", message.name or "", record.result if isinstance(record, ToolCallRecord) else None)


def in_call_order(turn: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Tool results in the order they were called for; parallel calls finish in any order."""
    place: dict[str, int] = {}
    for message in turn:
        if isinstance(message, AIMessage):
            for wanted in message.tool_calls:
                place.setdefault(str(wanted["id"]), len(place))
    results = iter(
        sorted((m for m in turn if isinstance(m, ToolMessage)), key=lambda m: place.get(m.tool_call_id, len(place)))
    )
    return [next(results) if isinstance(message, ToolMessage) else message for message in turn]


def own_records(turn: Sequence[BaseMessage]) -> list[ToolCallRecord]:
    """The planner's tool calls; those of a language model it replaced are left out."""
    own = {
        str(wanted["id"])
        for message in turn
        if isinstance(message, AIMessage) and "planner" in message.additional_kwargs
        for wanted in message.tool_calls
    }
    return records_of([m for m in turn if isinstance(m, ToolMessage) and m.tool_call_id in own])
