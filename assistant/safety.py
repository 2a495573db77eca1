"""Agent middleware: whoever writes, the numbers hold; whatever the language model does, the turn is answered."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from assistant.cite import cited
from assistant.planner import MARK, PlannerModel, read, records_of
from assistant.provider import Breaker, Deadline, ProviderUnavailable
from assistant.reply import malformed, unfit, untraced

logger = logging.getLogger(__name__)
MOST_MODEL_CALLS = 6
"""Rounds a language model gets in one turn before the planner takes over."""
FALLBACK = "fallback"
"""`additional_kwargs` key of a planner message that replaced a language model's; holds the reason."""
WAITED = "waited_s"
"""`additional_kwargs` key of a language model's message: how long the turn waited for it."""
NO_REPLY = "no reply"
NO_ANSWER = frozenset({NO_REPLY, "an empty reply"})
"""Reasons that speak against the provider rather than against what its model wrote."""
Handler = Callable[[ModelRequest[Any]], ModelResponse[Any]]


class Grounded(AgentMiddleware[Any, Any]):
    """Hands the turn to the planner when the language model fails or writes a number nothing vouches for.

    Failure is an exception of any kind (time-out, 429, 500, malformed reply), an empty or cut answer, too many rounds,
    or a final text with an ungrounded number or active content. From then on this turn belongs to the planner, which
    begins anew and never sees what the model did.

    Args:
        planner: who takes over.
        within_s: longest wait for the language model in one turn, all its calls together.
        breaker: leaves a provider that is down alone for a while.
    """

    def __init__(
        self, planner: BaseChatModel | None = None, within_s: float = 60.0, breaker: Breaker | None = None
    ) -> None:
        super().__init__()
        self._planner = planner or PlannerModel()
        self._within_s = within_s
        self._breaker = breaker or Breaker()
        self._deadline = Deadline()

    def wrap_model_call(self, request: ModelRequest[Any], handler: Handler) -> ModelResponse[Any]:
        """Let the model speak, check what it says, and fall back within the same turn."""
        reason = why_planner(request.messages)
        if reason is None and not isinstance(request.model, PlannerModel):
            response, reason = self._by_model(request, handler)
            if response is not None:
                return response
        return self._by_planner(request, handler, reason)

    def _by_model(self, request: ModelRequest[Any], handler: Handler) -> tuple[ModelResponse[Any] | None, str | None]:
        """What the model says if that can stand, else why not."""
        if not self._breaker.allows():
            return None, "it failed several times and is left alone for a while"
        waited_s = sum(
            message.additional_kwargs.get(WAITED, 0.0)
            for message in turn_of(request.messages)
            if isinstance(message, AIMessage)
        )
        started = time.monotonic()
        try:
            response = self._deadline.run(lambda: handler(request), self._within_s - waited_s)
            reason = what_is_wrong(request.messages, response)
        except ProviderUnavailable as problem:
            response, reason = None, str(problem)
        except Exception as problem:  # the providers' exceptions share no base class
            response, reason = None, type(problem).__name__
        if response is None or reason in NO_ANSWER:
            self._breaker.failed()
        else:
            self._breaker.succeeded()
        if reason is not None:
            logger.warning("the language model was replaced in this turn: %s", reason.split(":")[0])
            return None, reason
        if response is not None:
            for message in response.result:
                if isinstance(message, AIMessage):
                    message.additional_kwargs[WAITED] = time.monotonic() - started
        return response, None

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
        return NO_REPLY
    if reason := malformed(last):
        return reason
    turn = turn_of(messages)
    if last.tool_calls:
        rounds = sum(1 for message in turn if isinstance(message, AIMessage))
        return "too many rounds of tool calls" if rounds >= MOST_MODEL_CALLS else None
    understanding, _ = read(messages)
    records = records_of(turn)
    text, citations = cited(str(last.text).strip(), records)
    if reason := unfit(text, understanding.language):
        return reason
    loose = untraced(text, records, asked_words(messages), citations)
    return f"numbers that no tool or source gave: {', '.join(loose[:5])}" if loose else None


def asked_words(messages: Sequence[BaseMessage]) -> list[str]:
    """Everything the person wrote in this conversation."""
    return [str(message.content) for message in messages if isinstance(message, HumanMessage)]
