"""Agent middleware: bounds on calls and time, and answers that do not hold go back to the model, twice at most."""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse, hook_config
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from assistant.llm.answering import Judged, judged
from assistant.llm.prompts import ANSWER_NOW, CUT_SHORT, NO_CALL, repair
from assistant.llm.provider import Breaker, Deadline, ProviderUnavailable
from assistant.llm.toolbox import KEY
from kb.base import AdvisorError
from tools.agent_tools.ledger import Ledger

logger = logging.getLogger(__name__)
MODEL_CALLS_MAX, REPAIRS_MAX = 8, 2
CALLS_AT_ONCE_MAX, ARGUMENTS_MAX, REPLY_MAX = 24, 24_000, 24_000
"""Tool calls in one reply; characters of the arguments of one call; characters of an answer."""
CUT = frozenset({"length", "max_tokens", "content_filter"})
"""Finish reasons of a reply that is not whole."""
Handler = Callable[[ModelRequest[Any]], ModelResponse[Any]]


class Unanswered(AdvisorError):
    """The model gave no answer that can stand: it failed, or nothing was left of what it wrote."""

    code = "model_unanswered"

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass
class Turn:
    """What one turn knows while it lasts."""

    ledger: Ledger
    words: tuple[str, ...]
    """What the person wrote in this conversation, the question last."""
    former: tuple[str, ...]
    """What former answers told."""
    language: str
    strict: bool = False
    by_reference: bool = False
    until_s: float = 0.0
    """When the turn has to end, of the monotonic clock."""
    calls: int = 0
    repairs: int = 0
    last: Judged | None = None
    """The newest answer, and what was found of it."""
    best: Judged | None = field(default=None)
    """Of the answers so far, the one with least that does not hold."""

    def judge(self, text: str) -> Judged:
        """Hold an answer against what the turn knows, and remember it."""
        self.last = judged(
            text, self.ledger, self.words, self.former, self.language,
            strict=self.strict, by_reference=self.by_reference,
        )  # fmt: skip
        if self.best is None or len(self.last.problems) <= len(self.best.problems):
            self.best = self.last
        return self.last


class Guard(AgentMiddleware[Any, Any]):
    """Bounds a turn and has its answer mended.

    No rule reads the question here: an answer is held against results, passages and the person's words alone.

    Args:
        turn: what is known of this turn.
        call_s: longest wait for one reply of the model.
        breaker: leaves a provider that is down alone for a while.
        deadline: waits for calls that may hang.
    """

    def __init__(self, turn: Turn, call_s: float, breaker: Breaker, deadline: Deadline) -> None:
        super().__init__()
        self._turn, self._call_s, self._breaker, self._deadline = turn, call_s, breaker, deadline
        self._keys: dict[str, str] = {}

    def wrap_model_call(self, request: ModelRequest[Any], handler: Handler) -> ModelResponse[Any]:
        """Ask the model, within what is left of calls and time.

        Raises:
            Unanswered: the provider fails, or is left alone for a while.
        """
        turn = self._turn
        if not self._breaker.allows():
            raise Unanswered("it failed several times and is left alone for a while")
        turn.calls += 1
        if turn.calls >= MODEL_CALLS_MAX or turn.until_s - time.monotonic() < self._call_s / 4:
            request = request.override(messages=[*request.messages, HumanMessage(ANSWER_NOW)])
        left_s = min(self._call_s, turn.until_s - time.monotonic())
        try:
            response = self._deadline.run(lambda: handler(request), left_s)
        except ProviderUnavailable as problem:
            self._breaker.failed()
            raise Unanswered(str(problem)) from None
        except Exception as problem:  # the providers' exceptions share no base class
            self._breaker.failed()
            logger.warning("the language model failed: %s", type(problem).__name__)
            raise Unanswered(type(problem).__name__) from None
        last = response.result[-1] if response.result else None
        if not isinstance(last, AIMessage) or not (
            last.tool_calls or last.invalid_tool_calls or str(last.text).strip()
        ):
            self._breaker.failed()
            raise Unanswered("an empty reply")
        self._breaker.succeeded()
        return response

    @hook_config(can_jump_to=["model", "end"])
    def after_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Let calls run and answers that hold end the turn; what does not hold goes back."""
        messages: Sequence[AnyMessage] = state["messages"]
        last = messages[-1]
        if not isinstance(last, AIMessage):
            return {"jump_to": "end"}
        if last.tool_calls:
            return self._calls(last)
        if last.invalid_tool_calls:
            return self._again(NO_CALL.format(problem=str(last.invalid_tool_calls[0].get("error") or "no JSON")[:120]))
        if str(last.response_metadata.get("finish_reason") or "") in CUT or len(str(last.text)) > REPLY_MAX:
            return self._again(CUT_SHORT)
        found = self._turn.judge(str(last.text))
        if not found.problems or self._turn.repairs >= REPAIRS_MAX:
            return {"jump_to": "end"}
        return self._again(repair(found.problems))

    def _calls(self, last: AIMessage) -> dict[str, Any] | None:
        """Whether the calls of a reply may run."""
        identifiers = [call["id"] for call in last.tool_calls]
        if len(last.tool_calls) > CALLS_AT_ONCE_MAX or len(set(identifiers)) < len(identifiers):
            raise Unanswered("too many tool calls at once")
        if any(len(str(call["args"])) > ARGUMENTS_MAX for call in last.tool_calls):
            raise Unanswered("overlong arguments")
        if self._turn.calls >= MODEL_CALLS_MAX:
            return {"jump_to": "end"}
        self._keys = {str(call["id"]): self._turn.ledger.next_key() for call in last.tool_calls}
        return None

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Work a call out under the key that its place in the reply gives it."""
        token = KEY.set(self._keys.get(str(request.tool_call["id"])))
        try:
            return handler(request)
        finally:
            KEY.reset(token)

    def _again(self, feedback: str) -> dict[str, Any]:
        """Have the model try again, where calls and time are left."""
        turn = self._turn
        if turn.calls >= MODEL_CALLS_MAX or turn.repairs >= REPAIRS_MAX or time.monotonic() >= turn.until_s:
            return {"jump_to": "end"}
        turn.repairs += 1
        return {"messages": [HumanMessage(feedback)], "jump_to": "model"}
