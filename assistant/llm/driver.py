"""Turns that a language model drives: it reads, calls, writes; what it wrote is checked, mended and shown."""

import time
import uuid
from collections.abc import Generator, Iterator, Sequence
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from assistant.answer import Answer, Grounding, ModelTokens
from assistant.finish import since
from assistant.grounding.check import checked
from assistant.grounding.standing.evidence import Evidence
from assistant.llm.answering import Judged, marked, moved, without
from assistant.llm.citing import cited, records_of
from assistant.llm.guard import MODEL_CALLS_MAX, Guard, Turn, Unanswered
from assistant.llm.history import messages_of
from assistant.llm.prompts import system
from assistant.llm.provider import Breaker, Deadline
from assistant.llm.situation import configurations_of, need_of, unused_of
from assistant.llm.toolbox import toolbox
from assistant.llm.verdict import decided
from assistant.phrases import phrases
from assistant.step import Step
from assistant.understand.language import language_of, speaks
from kb.clock import today
from kb.lexicon.text import SIMPLIFIED
from kb.naming.names import gpu_names, model_names
from tools.agent_tools.ledger import Ledger, LookedUp

LEFT_MIN = 12
"""Characters from which on something is left of an answer."""
GRAPH_STEPS_MAX = 4 * MODEL_CALLS_MAX + 8
UNUSED_TOLD = 3
TRADITIONAL_MIN = 3
"""Characters that only traditional script has, from which on a text is in it."""


class Driver:
    """One model over the nine tools; it remembers nothing, the conversation is handed to it each time.

    Args:
        model: who reads and speaks.
        engine: what answers call it.
        within_s: longest time of a turn, all calls together; a third of it for one call.
        breaker: leaves a provider that is down alone for a while.
        strict: whether sentences of the model's own knowledge are left out.
        by_reference: whether figures of results are to be references, none written out.
    """

    def __init__(
        self,
        model: BaseChatModel,
        engine: str,
        within_s: float,
        breaker: Breaker,
        *,
        strict: bool = False,
        by_reference: bool = False,
    ) -> None:
        self._model, self.engine, self._within_s, self._breaker = model, engine, within_s, breaker
        self._strict, self._by_reference, self._deadline = strict, by_reference, Deadline()

    def turn(self, question: str, conversation_id: str, history: Sequence[Answer]) -> Generator[Step, None, Answer]:
        """Let the model answer; yields what is being looked up, and returns the checked answer.

        Raises:
            Unanswered: the provider fails, or nothing is left of what it wrote.
        """
        started = time.perf_counter()
        turn = self._begun(question, history)
        guard = Guard(turn, max(self._within_s / 3, min(self._within_s, 30.0)), self._breaker, self._deadline)
        graph: Any = create_agent(
            self._model,
            tools=toolbox(turn.ledger, turn.words),
            system_prompt=system(today(), strict=self._strict, by_reference=self._by_reference),
            middleware=[guard],
            name="gpu_advisor",
        )
        messages = [*messages_of(history), HumanMessage(question)]
        said: list[BaseMessage] = []
        yield Step("understood", data={"language": turn.language})
        updates = graph.stream({"messages": messages}, {"recursion_limit": GRAPH_STEPS_MAX}, stream_mode="updates")
        for update in updates:
            for change in update.values():
                for message in (change or {}).get("messages", []):
                    said.append(message)
                    yield from steps_of(message)
        if turn.best is None:
            raise Unanswered("no answer within its calls")
        answer = self._answer(question, conversation_id, turn, turn.best, history, started)
        return answer.model_copy(update={"model_tokens": tokens_of(said)})

    def _begun(self, question: str, history: Sequence[Answer]) -> Turn:
        words = (*(answer.question for answer in history), question)
        former = tuple(answer.answer for answer in history)
        ledger = Ledger(one for answer in history for one in answer.looked_up)
        until_s = time.monotonic() + self._within_s
        said_in = language(question, history)
        return Turn(ledger, words, former, said_in, self._strict, self._by_reference, until_s)

    def _answer(
        self, question: str, conversation_id: str, turn: Turn, found: Judged, history: Sequence[Answer], started: float
    ) -> Answer:
        """The answer less what does not hold, with its sources.

        Raises:
            Unanswered: nothing is left of it.
        """
        say = phrases(turn.language)
        text = without(found.said.text, found.bad)
        if len(text) < LEFT_MIN:
            raise Unanswered("nothing was left that holds")
        evidence = Evidence.of(turn.ledger.all, turn.words, turn.former)
        final = checked(text, evidence, moved(found.by_reference, found.said.text, text))
        text, citations = cited(text, final, turn.ledger.all)
        if final.own:
            told = say("driven.own_traditional") if traditional(question) else say("driven.own")
            text = f"{marked(text, say('driven.mark'))}\n\n{told}"
        warnings = []
        if found.bad:
            warnings.append(say("driven.cut"))
        unused = unused_of(question, turn.ledger.new, text)
        if telling := [f"“{one.quote}”" for one in unused if one.decides]:
            warnings.append(say("driven.unused", quotes=say.listed(telling[:UNUSED_TOLD])))
        loose = final.loose
        return Answer(
            id=uuid.uuid4().hex,
            conversation_id=conversation_id,
            question=question,
            language=turn.language,
            verdict=decided(found.said, turn.ledger.new or turn.ledger.all),
            answer=text,
            need=need_of(turn.ledger.new, history[-1].need if history else None),
            configurations=configurations_of(turn.ledger.new),
            tool_calls=records_of(turn.ledger.new),
            looked_up=turn.ledger.new,
            citations=citations,
            warnings=tuple(warnings),
            unused=unused,
            grounding=Grounding(
                numbers=final.figures, grounded=final.figures - len(loose), ungrounded=loose,
                own=tuple(marked(one, "").strip() for one in final.own),
            ),
            engine=self.engine,
            elapsed_s=since(started),
        )  # fmt: skip


def traditional(text: str) -> bool:
    """Whether a text is written in traditional characters."""
    return sum(ord(character) in SIMPLIFIED for character in text) >= TRADITIONAL_MIN


def language(question: str, history: Sequence[Answer]) -> str:
    """The language an answer is written in: the question's, or the conversation's where it is of none."""
    plain = question
    for names in (gpu_names(), model_names()):
        for one in reversed(names.scan(plain)):
            plain = plain[: one.start] + " " * (one.end - one.start) + plain[one.end :]
    prose = plain.lower()
    return history[-1].language if history and not speaks(prose) else language_of(prose)


def steps_of(message: BaseMessage) -> Iterator[Step]:
    """What a message of the agent shows a person who is waiting."""
    if isinstance(message, AIMessage):
        for wanted in message.tool_calls:
            yield Step("tool", wanted["name"], dict(wanted["args"]))
    elif isinstance(message, ToolMessage):
        found = message.artifact
        yield Step("result", message.name or "", found.shown if isinstance(found, LookedUp) else None)


def tokens_of(said: Sequence[BaseMessage]) -> ModelTokens | None:
    """What the model said it used, summed over its calls of the turn."""
    used = [message.usage_metadata for message in said if isinstance(message, AIMessage) and message.usage_metadata]
    if not used:
        return None
    return ModelTokens(prompt=sum(one["input_tokens"] for one in used),
                       completion=sum(one["output_tokens"] for one in used))  # fmt: skip
