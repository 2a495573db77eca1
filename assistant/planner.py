"""The deterministic planner as a chat model: it reads the conversation, calls tools, and composes the answer."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable

from assistant.answer import Draft, ToolCallRecord
from assistant.compose import compose
from assistant.plan import PlannedCall, plan, plan_more
from assistant.understand import understand
from assistant.understand.correction import corrected
from assistant.understanding import Asked, Understanding

MOST_WAVES = 2
"""Rounds of tool calls in one turn: what the question needs, then what the first results call for."""
MARK = "planner"
"""Set in `additional_kwargs` of every message the planner writes."""
CHANGES = "changes"
"""In `additional_kwargs` of a question that corrects what was understood: fields of the Need with their values."""


class PlannerModel(BaseChatModel):
    """A chat model whose every word follows from the messages: same conversation, same answer.

    It remembers nothing: the need of the turn before rides in the `need` of the last AI message, what the tools said
    in the artifacts of this turn's tool messages.
    """

    @property
    def _llm_type(self) -> str:
        return "gpu-advisor-planner"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, AIMessage]:
        """The planner knows the registry already; it is returned as it is."""
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=next_message(messages))])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        message = next_message(messages)
        text = str(message.content)
        yield ChatGenerationChunk(
            message=AIMessageChunk(
                content="",
                additional_kwargs=message.additional_kwargs,
                tool_calls=message.tool_calls,
                tool_call_chunks=[
                    {
                        "name": call["name"],
                        "args": json.dumps(call["args"], ensure_ascii=False),
                        "id": call["id"],
                        "index": index,
                        "type": "tool_call_chunk",
                    }
                    for index, call in enumerate(message.tool_calls)
                ],
            )
        )
        for line in text.splitlines(keepends=True):
            chunk = ChatGenerationChunk(message=AIMessageChunk(content=line))
            if run_manager:
                run_manager.on_llm_new_token(line, chunk=chunk)
            yield chunk


def next_message(messages: Sequence[BaseMessage]) -> AIMessage:
    """What the planner says next: tool calls while results are wanting, the composed answer after."""
    understanding, turn = read(messages)
    records = records_of(turn)
    waves = sum(1 for message in turn if isinstance(message, AIMessage) and message.tool_calls)
    calls: list[PlannedCall] = []
    if waves == 0:
        calls = plan(understanding)
    elif waves < MOST_WAVES:
        calls = plan_more(understanding, records)
    if calls:
        return AIMessage(
            content="",
            tool_calls=[
                {"name": call.tool, "args": call.request, "id": f"call_{waves}_{index}", "type": "tool_call"}
                for index, call in enumerate(calls)
            ],
            additional_kwargs={MARK: True},
        )
    return written(compose(understanding, records))


def written(draft: Draft) -> AIMessage:
    """The draft as the final message: its text to read, the whole beside it."""
    return AIMessage(content=draft.answer, additional_kwargs={MARK: True, "draft": draft.model_dump(mode="json")})


def read(messages: Sequence[BaseMessage]) -> tuple[Understanding, list[BaseMessage]]:
    """The reading of the last question in the light of the turn before, and the messages since it."""
    asked = max(index for index, message in enumerate(messages) if isinstance(message, HumanMessage))
    kept = [message.additional_kwargs.get("need") for message in messages[:asked] if isinstance(message, AIMessage)]
    needs = [Asked.model_validate(need) for need in kept if need]
    previous = needs[-1] if needs else None
    text, changes = str(messages[asked].content), messages[asked].additional_kwargs.get(CHANGES)
    understanding = corrected(text, previous, changes) if changes else understand(text, previous, needs[:-1])
    return understanding, list(messages[asked + 1 :])


def records_of(messages: Sequence[BaseMessage]) -> list[ToolCallRecord]:
    """The tool calls that these messages carry as artifacts, in order."""
    return [
        message.artifact
        for message in messages
        if isinstance(message, ToolMessage) and isinstance(message.artifact, ToolCallRecord)
    ]
