"""The advisor: one LangChain agent over the registry's tools, driven by the planner or by any language model."""

import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Literal

from langchain.agents import create_agent
from langchain.chat_models import init_chat_model
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from assistant.answer import Answer, Draft, ToolCallRecord
from assistant.cite import cited
from assistant.compose import compose
from assistant.conversations import Conversations, Receipt
from assistant.ground import ground, without_loose_lines
from assistant.plan import plan, plan_more
from assistant.planner import CHANGES, PlannerModel, read, records_of
from assistant.prompts import SYSTEM
from assistant.provider import Breaker, bounded_client
from assistant.reply import about, contradicts, subjects, untraced
from assistant.safety import FALLBACK, Grounded, asked_words
from assistant.toolbox import call, toolbox
from assistant.trace import traced
from assistant.understand import stated
from assistant.understanding import Understanding
from kb.base import BadInput, ModelFailed
from kb.settings import Settings, settings, stay_offline
from tools.registry import tool

LONGEST_QUESTION = 20_000
"""Characters; enough for a pasted log, far below what would stall a reader."""
REMEMBERED_TURNS = 8
"""Former turns a model is shown; the need of the last one carries the rest."""


@dataclass(frozen=True, slots=True)
class Step:
    """Something that happened on the way to the answer."""

    kind: Literal["understood", "tool", "result", "answer"]
    name: str = ""
    """The tool, for `tool` and `result`."""
    data: dict[str, Any] | None = None
    """The need, the request, or the result."""
    answer: Answer | None = None
    """For the last step."""


class Advisor:
    """Answers questions, remembers conversations; the same object serves every face.

    Args:
        options: settings; read from the environment when absent.
        model: a chat model to drive the agent, for tests and embedding; else the one the settings name, or the
            planner.
    """

    def __init__(self, options: Settings | None = None, model: BaseChatModel | None = None) -> None:
        stay_offline()
        self.options = options or settings()
        self.conversations = Conversations(self.options.home / "conversations.sqlite", self.options.database_url)
        self._model = model or chat_model(self.options)
        self.engine = "planner" if isinstance(self._model, PlannerModel) else f"llm:{self.options.llm or 'custom'}"
        self.breaker = Breaker()
        guard = Grounded(within_s=self.options.llm_timeout_s, breaker=self.breaker)
        self._graph = create_agent(
            self._model, tools=toolbox(), system_prompt=SYSTEM, middleware=[guard], name="gpu_advisor"
        )

    def ask(self, question: str, conversation_id: str | None = None, receipt: Receipt | None = None) -> Answer:
        """One answer; stored before it is returned. A request whose receipt is known gets the answer it got before.

        Raises:
            BadInput: an empty or overlong question, or an id that cannot be kept.
            ConversationBusy: another turn of the conversation did not end in time.
        """
        for step in self.stream(question, conversation_id, receipt=receipt):
            if step.answer is not None:
                return step.answer
        raise ModelFailed("the turn ended without an answer")

    @traced
    def stream(
        self,
        question: str,
        conversation_id: str | None = None,
        changes: Mapping[str, Any] | None = None,
        receipt: Receipt | None = None,
    ) -> Iterator[Step]:
        """The steps of one turn as they happen; the last carries the answer, already stored.

        Text is not streamed word by word: no word leaves before its numbers are checked. With `changes` the turn
        corrects exactly those fields of what was understood before; the question then says so in words.
        """
        question = check_question(question)
        conversation_id = conversation_id or uuid.uuid4().hex
        with ExitStack() as held:
            if receipt is not None:
                held.enter_context(self.conversations.receiving(receipt))
                if (before := self.conversations.answered(receipt)) is not None:
                    yield Step("answer", answer=before)
                    return
            held.enter_context(self.conversations.turn(conversation_id))
            started = time.perf_counter()
            history = self.conversations.history(conversation_id, last=REMEMBERED_TURNS)
            extra = {CHANGES: dict(changes)} if changes else {}
            messages = [*as_messages(history), HumanMessage(question, additional_kwargs=extra)]
            understanding, _ = read(messages)
            yield Step("understood", data=understanding.model_dump(mode="json", exclude_none=True))
            turn: list[BaseMessage] = []
            for message in self._run(messages):
                turn.append(message)
                yield from steps_of(message)
            answer = self._answer(messages, understanding, in_call_order(turn), conversation_id, started)
            self.conversations.append(answer, receipt)
        yield Step("answer", answer=answer)

    def _run(self, messages: list[BaseMessage]) -> Iterator[BaseMessage]:
        state: Any = {"messages": messages}
        updates = self._graph.stream(state, {"recursion_limit": 60}, stream_mode="updates")
        for update in updates:
            for change in update.values():
                yield from (change or {}).get("messages", [])

    def _answer(
        self,
        messages: list[BaseMessage],
        understanding: Understanding,
        turn: list[BaseMessage],
        conversation_id: str,
        started: float,
    ) -> Answer:
        last = turn[-1]
        words = asked_words(messages)
        fallback = last.additional_kwargs.get(FALLBACK)
        if draft_data := last.additional_kwargs.get("draft"):
            engine, draft = "planner", Draft.model_validate(draft_data)
            records = own_records(turn)
        else:
            engine = self.engine
            records = records_of(turn)
            mine = by_planner(understanding)
            draft = compose(understanding, mine)
            relevant = about(records, subjects(words, mine))
            text, citations = cited(str(last.text), relevant)
            fallback = contradicts(text, draft, words)
            if fallback is None and (loose := untraced(text, [*relevant, *mine], words, citations)):
                fallback = f"numbers of something else than was asked: {', '.join(loose[:5])}"
            if fallback is None:
                draft = draft.model_copy(update={"answer": text, "citations": citations})
                records += [record for record in mine if record not in records]
            else:
                engine, records = "planner", mine
        grounding = ground(draft.answer, records, words, draft.citations)
        warnings = list(draft.warnings)
        if grounding.ungrounded:
            kept = without_loose_lines(draft.answer, records, words, draft.citations)
            warnings.append(f"Removed lines whose numbers could not be traced: {', '.join(grounding.ungrounded[:5])}.")
            draft = draft.model_copy(update={"answer": kept})
            grounding = ground(kept, records, words, draft.citations)
        if fallback:
            # Only the kind of the reason: what follows the colon is the model's own words.
            kind = str(fallback).split(":")[0]
            warnings.append(f"The language model did not answer usably ({kind}); the planner answered instead.")
        return Answer(
            id=uuid.uuid4().hex,
            conversation_id=conversation_id,
            question=str(messages[-1].content),
            language=understanding.language,
            need=stated(understanding.need),
            tool_calls=tuple(records),
            grounding=grounding,
            engine=engine,
            elapsed_s=round(time.perf_counter() - started, 4),
            **{name: getattr(draft, name) for name in Draft.model_fields if name != "warnings"},
            warnings=tuple(warnings),
        )


def chat_model(options: Settings) -> BaseChatModel:
    """The model the settings name, or the planner.

    Raises:
        BadInput: the setting names no provider, or one that is not installed.
    """
    if not options.llm:
        return PlannerModel()
    extra: dict[str, Any] = {"timeout": options.llm_timeout_s, "max_retries": 1}
    if options.llm_base_url:
        extra["base_url"] = options.llm_base_url
    if options.llm_api_key:
        extra["api_key"] = options.llm_api_key
    if options.llm.startswith("openai:"):
        extra["http_client"] = bounded_client(options.llm_timeout_s)
    try:
        model: BaseChatModel = init_chat_model(options.llm, temperature=0, **extra)
    except (ValueError, ImportError) as problem:
        raise BadInput(
            "GPU_ADVISOR_LLM", str(problem)[:300], "Write provider:model, e.g. openai:gpt-4o-mini."
        ) from None
    return model


def check_question(question: str) -> str:
    """The question, stripped.

    Raises:
        BadInput: it is empty, longer than 20,000 characters, or holds what no text may.
    """
    cleaned = question.strip().replace("\x00", "")
    if not cleaned:
        raise BadInput("question", "is empty.", "Ask something, e.g. “Can 2×3090 run Qwen2.5-72B?”")
    if len(cleaned) > LONGEST_QUESTION:
        raise BadInput(
            "question", f"is {len(cleaned):,} characters long; at most {LONGEST_QUESTION:,} are read.",
            "Shorten it, or ingest the document and ask about it.",
        )  # fmt: skip
    if any(0xD800 <= ord(character) <= 0xDFFF for character in cleaned):
        raise BadInput("question", "holds half a surrogate pair, which is not text.", "Send valid UTF-8.")
    return cleaned


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


def by_planner(understanding: Understanding) -> list[ToolCallRecord]:
    """What the planner's own tool calls say, whatever a language model chose to call."""
    records = [call(tool(planned.tool), planned.request) for planned in plan(understanding)]
    return records + [call(tool(planned.tool), planned.request) for planned in plan_more(understanding, records)]
