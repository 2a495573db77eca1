"""The advisor: questions in, checked answers out, by a language model that drives the tools, or by the planner."""

import logging
import time
import uuid
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from assistant import pasted
from assistant.answer import PLANNER, Answer
from assistant.apart import Apart, Missing
from assistant.compose.before import apart
from assistant.conversations import Conversations, Receipt, Said
from assistant.finish import since
from assistant.line import Line
from assistant.llm.provider import Breaker
from assistant.llm.roles import role
from assistant.reading.annotation import Annotation, Marked
from assistant.reading.build import after
from assistant.reading.held import held
from assistant.reading.situation import Situation
from assistant.recall import Recall
from assistant.step import Step, taken, understood
from assistant.told import Kept, Told
from assistant.trace import traced
from assistant.turn import answered, situation_of
from assistant.understand import refers_back, understand
from assistant.understand.correction import corrected
from assistant.understanding import Asked, Understanding
from assistant.work import Job, Worked, work
from kb.artifacts.mask import masked
from kb.base import BadInput, ModelFailed, StateUnavailable
from kb.settings import Settings, settings, stay_offline

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from assistant.llm.driver import Driver
    from assistant.reading.by_model import ModelReader
    from assistant.reading.embedded import EmbeddedReader

__all__ = ["Advisor", "Step", "check_question"]
logger = logging.getLogger(__name__)
LONGEST_QUESTION = 20_000
"""Characters; enough for a pasted log, far below what would stall a reader."""
REMEMBERED_TURNS = 8
"""Former turns a model is shown; the need of the last one carries the rest."""

ONLY_SHOWN = {"spans"}
"""What a reading tells a person who waits; neither tools nor words depend on it."""


class Advisor:
    """Answers questions, remembers conversations; the same object serves every face.

    Args:
        options: settings; read from the environment when absent.
        model: a chat model to drive the agent, for tests and embedding; else the one the settings name, or the
            planner.
    """

    def __init__(self, options: Settings | None = None, model: "BaseChatModel | None" = None) -> None:
        stay_offline()
        self.options = options or settings()
        self.apart: Apart | None = None
        self.recall, self.line = Recall(), Line()
        self.conversations = Conversations(
            self.options.home / "conversations.sqlite", self.options.database_url, forgotten=self.recall.forget
        )
        self.breaker = Breaker()
        self._driver = _driver(model, self.options, self.breaker)
        self._model = model
        self.engine = PLANNER if self._driver is None else self._driver.engine

    def work_apart(self, apart: Apart) -> None:
        """Have the planner's turns worked out by other processes from here on; before any is asked."""
        self.apart, self.line = apart, Line(apart.places)

    def prepare(self, questions: Iterable[str]) -> None:
        """Have the answers to these ready, as far as the planner gives them; no conversation holds them."""
        if self._driver is None:
            for question in questions:
                for _ in self._by_planner(question, "", (), None, None, steps=False):
                    pass

    @cached_property
    def reader(self) -> "ModelReader | EmbeddedReader":
        """Who marks messages up: the model that is chosen, whatever its role; the embedded reader where none is."""
        if self._model is None and self.options.llm is None:
            from assistant.reading.embedded import EmbeddedReader

            return EmbeddedReader()
        from assistant.llm.chat_model import chat_model
        from assistant.reading.by_model import ModelReader

        model = self._model or chat_model(self.options.llm or "", self.options)
        return ModelReader(model, f"llm:{self.options.llm or 'custom'}", self.options.llm_timeout_s, self.breaker)

    def read(self, message: str, conversation_id: str | None = None, before: Situation | None = None) -> Annotation:
        """A message marked up: what it says and asks, each with its words. Nothing is kept, nothing is answered.

        Raises:
            BadInput: the message is empty or overlong.
            ModelFailed: the model that is chosen did not answer, or wrote no annotation.
        """
        message = check_question(message)
        if before is None and conversation_id is not None:
            before = situation_of(self.conversations.history(conversation_id, last=REMEMBERED_TURNS))
        return self.reader.read(message, before)

    def ask(
        self,
        question: str,
        conversation_id: str | None = None,
        receipt: Receipt | None = None,
        reading: Marked | None = None,
    ) -> Answer:
        """One answer; stored before it is returned. A request whose receipt is known gets the answer it got before.

        A `reading` takes the reader's place: the message marked up by hand or elsewhere.

        Raises:
            BadInput: an empty or overlong question, or an id that cannot be kept.
            ConversationBusy: another turn of the conversation did not end in time.
        """
        return self.told(question, conversation_id, receipt, reading=reading).answer

    def told(
        self,
        question: str,
        conversation_id: str | None = None,
        receipt: Receipt | None = None,
        patience_s: float | None = None,
        reading: Marked | None = None,
    ) -> Told:
        """The same with its JSON, for a face that only passes it on.

        Raises:
            Overloaded: other than `ask` it does not wait longer than `patience_s` to be worked out.
        """
        for step in self.stream(question, conversation_id, None, receipt, patience_s, reading=reading, steps=False):
            if step.told is not None:
                return step.told
        raise ModelFailed("the turn ended without an answer")

    @traced
    def stream(
        self,
        question: str,
        conversation_id: str | None = None,
        changes: Mapping[str, Any] | None = None,
        receipt: Receipt | None = None,
        patience_s: float | None = None,
        *,
        reading: Marked | None = None,
        steps: bool = True,
    ) -> Iterator[Step]:
        """The steps of one turn as they happen; the last carries the answer, already stored.

        Where conversations can be neither read nor kept it says so, and stands alone.

        Who wants no `steps` is spared what a remembered one carries.

        Text is not streamed word by word: no word leaves before its numbers are checked. With `changes` the turn
        corrects exactly those fields of what was understood before; the question then says so in words.
        """
        question = check_question(question)
        conversation_id = conversation_id or uuid.uuid4().hex
        with ExitStack() as held:
            try:
                before, former = self._taken_up(held, conversation_id, receipt)
            except StateUnavailable:
                before, former = None, None
            if before is not None:
                yield Step("answer", told=Told.of(before))
                return
            said = former or ()
            driver = self._driver
            told = None
            if driver is not None and reading is None:
                told = yield from self._by_model(driver, question, conversation_id, said)
            annotation = None
            if told is None and not changes:
                annotation, told = self._by_reading(question, conversation_id, said, reading)
            if told is None and not changes:
                told = self._by_what_was_pasted(question, conversation_id, said)
            if told is None or isinstance(told, str):
                reason = told
                told = yield from self._by_planner(question, conversation_id, said, changes, patience_s, steps=steps)
                told = told.warned("state.planner_instead", kind=reason) if reason else told
                told = Told.of(told.answer.model_copy(update={"reading": annotation})) if annotation else told
            told = told if former is not None and self._kept(told, receipt) else told.warned("state.not_kept")
        yield Step("answer", told=told)

    def _taken_up(
        self, held: ExitStack, conversation_id: str, receipt: Receipt | None
    ) -> tuple[Answer | None, Sequence[Said]]:
        """The answer that the request got before, if it did; and what was said, with the conversation held.

        Raises:
            StateUnavailable: nothing can be read: the turn is answered all the same, and remembers nothing.
        """
        if receipt is not None:
            held.enter_context(self.conversations.receiving(receipt))
            if (before := self.conversations.answered(receipt)) is not None:
                return before, ()
        held.enter_context(self.conversations.turn(conversation_id))
        return None, self.conversations.said(conversation_id, last=REMEMBERED_TURNS)

    def _kept(self, told: Told, receipt: Receipt | None) -> bool:
        """Store a turn; whether it could be."""
        try:
            self.conversations.append(told, receipt)
        except StateUnavailable as problem:
            logger.warning("a turn was not kept: %s", problem.reason)
            return False
        return True

    def _by_planner(
        self,
        question: str,
        conversation_id: str,
        former: Sequence[Said],
        changes: Mapping[str, Any] | None,
        patience_s: float | None,
        *,
        steps: bool,
    ) -> Generator[Step, None, Told]:
        """Reading, tools and words in a row: what the graph would do with `PlannerModel`, without the graph.

        The answer follows from the reading and the state of the world, and is remembered for both.
        """
        started, now = time.perf_counter(), self.recall.now()
        previous = need_of(former[-1].need) if former else None
        earlier = [need_of(one.need) for one in former[:-1]] if refers_back(question) else ()
        reading = corrected(question, previous, changes) if changes else understand(question, previous, earlier)
        bare, before = apart(reading)
        history = None if changes or self.options.reading == "rules" else self._history(conversation_id, former)
        said = (key_of(question, bare), conversation_id if history else history is None)
        known = self.recall.find(said, now, before)
        with nullcontext() if known else self.line.same.turn(said):
            if known is None and (known := self.recall.find(said, now, before)) is None:
                job = Job(question, reading, tuple(one.question for one in former), conversation_id, history)
                with self.line.place(patience_s):
                    yield understood(reading, told=steps)
                    worked = yield from self._worked(job, started, steps=steps)
                if worked.recurs:
                    kept = Kept.of(worked.told, worked.requests)
                    self.recall.keep(said, kept, now, (worked.looks, before.found(worked.looks)))
                return worked.told
        again = known.again(conversation_id, since(started))
        yield understood(reading, told=steps)
        yield from taken(again, known.requests if steps else None)
        return again

    def _by_reading(
        self, question: str, conversation_id: str, former: Sequence[Said], reading: Marked | None
    ) -> tuple[Annotation | None, Told | None]:
        """The turn marked up, and answered by topics where every ask has one that can say something true."""
        reads = reading is not None or (self.options.llm is not None and self._driver is None)
        if not reads:
            return None, None
        history = self._history(conversation_id, former)
        before = situation_of(history)
        try:
            annotation = held(question, reading) if reading is not None else self.read(question, before=before)
        except (ModelFailed, BadInput) as problem:
            logger.warning("a message was not marked up: %s", problem)
            return None, None
        answer = answered(question, annotation, after(before, annotation), conversation_id, history)
        return annotation, None if answer is None else Told.of(answer)

    def _by_what_was_pasted(self, question: str, conversation_id: str, former: Sequence[Said]) -> Told | None:
        """The answer to a message that holds a set-up with something wrong in it."""
        history = self.conversations.history(conversation_id, last=1) if former else []
        answer = pasted.answered(question, conversation_id, history)
        return None if answer is None else Told.of(answer)

    def _history(self, conversation_id: str, former: Sequence[Said]) -> tuple[Answer, ...]:
        return tuple(self.conversations.history(conversation_id, last=REMEMBERED_TURNS)) if former else ()

    def _by_model(
        self, driver: "Driver", question: str, conversation_id: str, former: Sequence[Said]
    ) -> Generator[Step, None, Told | str]:
        """The turn as the language model drives it, or why it gave no answer."""
        from assistant.llm.guard import Unanswered

        history = self.conversations.history(conversation_id, last=REMEMBERED_TURNS) if former else []
        try:
            return Told.of((yield from driver.turn(question, conversation_id, history)))
        except Unanswered as problem:
            logger.warning("the planner answers in the language model's place: %s", problem.reason)
            return problem.reason
        except Exception:  # a fault of ours while it is heard or checked must not cost the person the turn
            logger.exception("the planner answers in the language model's place")
            return "a fault while its answer was checked"

    def _worked(self, job: Job, started: float, *, steps: bool) -> Generator[Step, None, Worked]:
        """A turn worked out in another process, where there is one that can, or here."""
        if self.apart is not None:
            try:
                return (yield from self.apart.work(job, started, steps=steps or self.options.traces != "off"))
            except Missing as problem:
                logger.warning("a turn is worked out here: %s", problem)
        return (yield from work(job, started))


def _driver(model: "BaseChatModel | None", options: Settings, breaker: Breaker) -> "Driver | None":
    """The driver of a language model, where there is one that may drive; without it LangChain is not even loaded."""
    if model is None and (options.llm is None or role(options, options.home) != "drive"):
        return None
    from assistant.llm.chat_model import chat_model
    from assistant.llm.driver import Driver

    return Driver(
        model or chat_model(options.llm or "", options),
        f"llm:{options.llm or 'custom'}", options.llm_timeout_s, breaker,
        strict=options.strict, by_reference=options.llm_figures == "reference",
    )  # fmt: skip


@lru_cache(maxsize=512)
def need_of(text: str) -> Asked:
    """The need of a former turn, as it was kept."""
    return Asked.model_validate_json(text)


def key_of(question: str, bare: Understanding) -> bytes:
    """The question and its reading, short enough to hold thousands."""
    return blake2b(f"{bare.model_dump_json(exclude=ONLY_SHOWN)}\n{question}".encode(), digest_size=20).digest()


def check_question(question: str) -> str:
    """The question, stripped, with its keys, passwords and tokens hidden: nothing of them is kept or sent on.

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
    return masked(cleaned)
