"""A question from Slack to its answer: in a thread, from a button, from an example."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from slack_sdk.errors import SlackApiError

from assistant.agent import Advisor, Step
from assistant.answer import Answer
from assistant.conversations import check_id
from assistant.told import Told
from assistant.understand.language import language_of
from kb.base import AdvisorError, ModelFailed
from ui.entrance.refusals import told
from ui.serving.turn import steps
from ui.slack import message, rich
from ui.slack.arrivals import conversation_of
from ui.slack.calls import Calls
from ui.slack.chart import memory_chart, shown_estimate
from ui.slack.credentials import quiet_logger
from ui.slack.fitting import cut, escaped
from ui.slack.inbox import Inbox, Job
from ui.slack.reply import UNPREVIEWED, Place, Reply
from ui.slack.rich import Block
from ui.slack.words import Words, words

logger = quiet_logger(__name__)
LONGEST_REFUSAL = 1000


@dataclass(frozen=True, slots=True)
class Turns:
    """What answering needs."""

    advisor: Advisor
    calls: Calls
    inbox: Inbox
    public_url: str | None = None

    def ask(self, job: Job) -> None:
        """A mention or a direct message."""
        data = job.data
        place = Place(data["user_team"], data["channel"], data["thread"], data["user"])
        question = data["text"] or words("en")("prompt_1")
        self.answer(job, place, job.thread, question, asked="" if data["text"] else question)

    def follow_up(self, job: Job) -> None:
        """A reply without a mention: ours only in a thread we were asked in."""
        if self.inbox.holds(job.thread, ("ask", "button")) or self.advisor.conversations.history(job.thread, last=1):
            self.ask(job)

    def button(self, job: Job) -> None:
        """A follow-up by its button, in the language of the answer it stands below."""
        data, value = job.data, job.data["value"]
        conversation = own_conversation(value.get("c"), data["channel"])
        question = words(str(value.get("l")))(f"ask_{data['which']}")
        if data["ephemeral"] or not data["thread"]:
            raise NotInThread(conversation, question)
        place = Place(data["user_team"], data["channel"], data["thread"], data["user"])
        self.answer(job, place, conversation, question, asked=question)

    def example(self, job: Job) -> None:
        """An example of the home tab: the question goes into the person's messages, and its answer below it."""
        data = job.data
        question = str(data["value"].get("q") or "")
        root = job.noted.get("root")
        if root is None:
            posted = self.calls("chat.postMessage", channel=data["user"], text=escaped(question),
                                blocks=[rich.quoted(question)], **UNPREVIEWED)  # fmt: skip
            root = [posted["channel"], posted["ts"]]
            self.inbox.note(job.key, root=root)
        channel, thread = root
        place = Place(data["user_team"], channel, thread, data["user"])
        self.answer(job, place, conversation_of(data["team"], channel, thread), question, asked="")

    def answer(self, job: Job, place: Place, conversation: str, question: str, asked: str) -> None:
        """Stream the steps, then the answer; what is refused is said in the same place."""
        wording = words(language_of(question))
        reply = Reply(self.calls, place, wording, lambda **facts: self.inbox.note(job.key, **facts), job.noted)
        reply.begin()
        try:
            for step in self.turn(job, question, conversation):
                if step.answer is None:
                    reply.step(step)
                else:
                    self._finish(reply, step.answer, asked)
        except AdvisorError as error:
            _say(reply, refused(error, wording))
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            # A mistake of ours in setting the answer must not leave a person before an endless “working”.
            logger.exception("an answer could not be set")
            _say(reply, wording("broke"))

    def turn(self, job: Job, question: str, conversation: str) -> Iterator[Step]:
        """The steps of the turn; one that was answered before the process was stopped is not asked again."""
        check_id(conversation)
        history = self.advisor.conversations.history(conversation)
        before = job.noted.get("turns")
        if before is None:
            self.inbox.note(job.key, turns=len(history))
        elif len(history) > before and history[before].question == question.strip():
            yield Step("answer", told=Told.of(history[before]))
            return
        yield from steps(self.advisor, question, conversation, face="slack")

    def chart(self, answer: Answer) -> Block | None:
        """The memory breakdown, uploaded and ready to stand in a message; a picture is a courtesy, never a failure."""
        made = memory_chart(shown_estimate(answer.tool_calls), words(answer.language))
        if made is None:
            return None
        try:
            done = self.calls.paced("files.upload", "", lambda: self.calls.client.files_upload_v2(
                file=made.png, filename="memory.png", title="memory.png", alt_txt=made.alt))  # fmt: skip
            return {"type": "image", "slack_file": {"id": done["files"][0]["id"]}, "alt_text": made.alt}
        except (SlackApiError, OSError, KeyError, IndexError) as problem:
            logger.info("the chart could not be uploaded: %s", type(problem).__name__)
            return None

    def page(self, answer: Answer) -> str | None:
        """Where the conversation can be read in a browser."""
        return f"{self.public_url.rstrip('/')}/?c={answer.conversation_id}" if self.public_url else None

    def found(self, data: Mapping[str, Any]) -> Answer | None:
        """The answer whose button was pressed; null when it was deleted since."""
        history = self.advisor.conversations.history(own_conversation(data["value"].get("c"), data["channel"]))
        return next((one for one in history if one.id == data["value"].get("a")), None)

    def _finish(self, reply: Reply, answer: Answer, asked: str) -> None:
        chart, page = self.chart(answer), self.page(answer)

        def render(modern: bool) -> Sequence[list[Block]]:
            return message.messages(answer, asked=asked, chart=chart, page=page, modern=modern)

        reply.finish(message.headline(answer), render)


def _say(reply: Reply, text: str) -> None:
    reply.finish(escaped(text), lambda modern: [[rich.paragraph(text)]])


class NotInThread(Exception):
    """A follow-up to an answer that only its asker sees."""

    def __init__(self, conversation: str, question: str) -> None:
        super().__init__(question)
        self.conversation, self.question = conversation, question


def refused(error: AdvisorError, wording: Words) -> str:
    """A refusal for a person: what was wrong and what would do; of what broke here, only that it did."""
    if isinstance(error, ModelFailed):
        return wording("broke")
    between = "：" if wording.language == "zh" else ": "
    return f"{wording('failed')}{between}{cut(told(error, wording.language), LONGEST_REFUSAL)}"


def own_conversation(conversation: object, channel: str) -> str:
    """The conversation a button names, when it is one of the channel that the button was pressed in.

    Raises:
        LookupError: it is another's.
    """
    if not isinstance(conversation, str) or conversation.split(":")[1:2] != [channel]:
        raise LookupError("a conversation of another channel")
    return conversation
