"""Agent middleware: whoever writes, the numbers hold; whatever the language model does, the turn is answered."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from assistant.cite import cited
from assistant.ground import ground
from assistant.planner import MARK, PlannerModel, records_of

MOST_MODEL_CALLS = 6
"""Rounds a language model gets in one turn before the planner takes over."""
FALLBACK = "fallback"
"""`additional_kwargs` key of a planner message that replaced a language model's; holds the reason."""
Handler = Callable[[ModelRequest[Any]], ModelResponse[Any]]


class Grounded(AgentMiddleware[Any, Any]):
    """Hands the turn to the planner when the language model fails or writes a number nothing vouches for.

    Failure is an exception of any kind (time-out, 429, 500, malformed reply), an empty answer, too many rounds, or an
    ungrounded final text. From then on this turn belongs to the planner, which begins anew and never sees what the
    model did.
    """

    def __init__(self, planner: BaseChatModel | None = None) -> None:
        super().__init__()
        self._planner = planner or PlannerModel()

    def wrap_model_call(self, request: ModelRequest[Any], handler: Handler) -> ModelResponse[Any]:
        """Let the model speak, check what it says, and fall back within the same turn."""
        reason = why_planner(request.messages)
        if reason is None and not isinstance(request.model, PlannerModel):
            try:
                response = handler(request)
                reason = what_is_wrong(request.messages, response)
            except Exception as problem:  # the providers' exceptions share no base class
                reason = f"{type(problem).__name__}"
            if reason is None:
                return response
        return self._by_planner(request, handler, reason)

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """The same for an agent that runs asynchronously."""
        loop = asyncio.get_running_loop()

        def wait(inner: ModelRequest[Any]) -> ModelResponse[Any]:
            async def ask() -> ModelResponse[Any]:
                return await handler(inner)

            return asyncio.run_coroutine_threadsafe(ask(), loop).result()

        return await asyncio.to_thread(self.wrap_model_call, request, wait)

    def _by_planner(self, request: ModelRequest[Any], handler: Handler, reason: str | None) -> ModelResponse[Any]:
        view: Any = planner_view(request.messages)
        response = handler(request.override(model=self._planner, messages=view))
        if reason is not None:
            for message in response.result:
                if isinstance(message, AIMessage):
                    message.additional_kwargs[FALLBACK] = reason
        return response


def turn_of(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """The messages since the last question."""
    asked = max(index for index, message in enumerate(messages) if isinstance(message, HumanMessage))
    return list(messages[asked + 1 :])


def why_planner(messages: Sequence[BaseMessage]) -> str | None:
    """Why this turn already belongs to the planner, or None."""
    for message in turn_of(messages):
        if isinstance(message, AIMessage) and FALLBACK in message.additional_kwargs:
            return str(message.additional_kwargs[FALLBACK])
    return None


def planner_view(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """The conversation less what a language model did in this turn."""
    turn = turn_of(messages)
    head = list(messages[: len(messages) - len(turn)])
    own: set[str] = set()
    kept: list[BaseMessage] = []
    for message in turn:
        if isinstance(message, AIMessage) and message.additional_kwargs.get(MARK):
            own |= {str(call["id"]) for call in message.tool_calls}
            kept.append(message)
        elif isinstance(message, ToolMessage) and message.tool_call_id in own:
            kept.append(message)
    return head + kept


def what_is_wrong(messages: Sequence[BaseMessage], response: ModelResponse[Any]) -> str | None:
    """Why a language model's reply cannot stand, or None."""
    last = response.result[-1] if response.result else None
    if not isinstance(last, AIMessage):
        return "no reply"
    turn = turn_of(messages)
    if last.tool_calls:
        rounds = sum(1 for message in turn if isinstance(message, AIMessage))
        return "too many rounds of tool calls" if rounds >= MOST_MODEL_CALLS else None
    text = str(last.text).strip()
    if not text:
        return "an empty reply"
    records = records_of(turn)
    text, citations = cited(text, records)
    grounding = ground(text, records, asked_words(messages), citations)
    if grounding.ungrounded:
        return f"numbers that no tool or source gave: {', '.join(grounding.ungrounded[:5])}"
    return "active content" if re.search(r"<\s*(?:script|iframe|img|object|svg)|!\[", text, re.I) else None


def asked_words(messages: Sequence[BaseMessage]) -> list[str]:
    """Everything the person wrote in this conversation."""
    return [str(message.content) for message in messages if isinstance(message, HumanMessage)]
