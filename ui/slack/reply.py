"""One reply in a thread: streamed with a card for each step, and made whole again when the stream dies."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from slack_sdk.errors import SlackApiError

from assistant.agent import Step
from ui.slack.calls import Busy, Calls, refusal
from ui.slack.credentials import quiet_logger
from ui.slack.fitting import cut
from ui.slack.rich import Block
from ui.slack.words import Words
from ui.words.quantities import quantity

logger = quiet_logger(__name__)
APPEND_EVERY_S, UPDATE_EVERY_S = 0.7, 3.0
"""Slack takes some 100 appends or 50 updates a minute."""
ENDED_BY_PERSON = "stopped_by_user"
REFUSED_BLOCKS = ("invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "invalid_attachments")
CHART_IN_WORK_S = 1.5
"""A picture just uploaded may not be ready; the message is tried again after this."""
UNPREVIEWED = {"unfurl_links": False, "unfurl_media": False}
"""A preview is fetched without a click, and could carry words out."""
Chunk = dict[str, Any]
Render = Callable[[bool], Sequence[list[Block]]]
"""The messages of the answer; false asks for blocks that every workspace knows."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a reply goes, and to whom."""

    team: str
    channel: str
    thread: str
    user: str


class Reply:
    """Begins, shows steps, finishes; `note` keeps what is posted, so that a restart continues the same message."""

    def __init__(
        self, calls: Calls, place: Place, wording: Words, note: Callable[..., None], noted: dict[str, Any]
    ) -> None:
        self._calls, self._place, self._words, self._note = calls, place, wording, note
        self._ts: str | None = noted.get("reply_ts")
        self._sent = int(noted.get("sent", 0))
        self._streaming = self._ts is not None
        self._resumed = self._ts is not None
        self._pending: list[Chunk] = []
        self._open: list[tuple[str, str]] = []
        self._cards, self._last_s = 0, 0.0
        self.ended_by_person = False

    def begin(self) -> None:
        """Show that somebody is at work: a stream where the workspace has them, else a message to be updated."""
        if self._resumed:
            return
        self._quietly("assistant.threads.setStatus", channel_id=self._place.channel, thread_ts=self._place.thread,
                      status=self._words("status"))  # fmt: skip
        understanding = _card("understood", self._words("step_understood"), "in_progress")
        to = {"recipient_team_id": self._place.team, "recipient_user_id": self._place.user}
        try:
            self._ts = self._started("chat.startStream", task_display_mode="plan", chunks=[understanding], **to)
            self._streaming = True
        except SlackApiError as error:
            logger.info("no stream here (%s): a message that is updated instead", refusal(error))
            self._ts = self._started("chat.postMessage", text=self._words("working"), **UNPREVIEWED)
        self._note(reply_ts=self._ts)
        self._last_s = time.monotonic()

    def step(self, step: Step) -> None:
        """A card for each step; several close together travel in one call."""
        if step.kind == "understood":
            self._pending.append(_card("understood", self._words("step_understood"), "complete"))
        elif step.kind == "tool":
            self._cards += 1
            self._open.append((step.name, f"tool-{self._cards}"))
            self._pending.append(_card(f"tool-{self._cards}", self._words(step.name), "in_progress"))
        elif step.kind == "result":
            self._close(step)
        every_s = APPEND_EVERY_S if self._streaming else UPDATE_EVERY_S
        if not self._resumed and time.monotonic() - self._last_s >= every_s:
            self._flush()

    def finish(self, text: str, render: Render) -> None:
        """Put the answer in place of the steps; what a message cannot hold follows below it.

        Raises:
            SlackApiError: Slack would take it in no form.
        """
        if self.ended_by_person:
            return
        modern = self._first(text, render)
        for number, blocks in enumerate(render(modern)):
            if number > self._sent:
                self._started("chat.postMessage", text=text, blocks=blocks, **UNPREVIEWED)
                self._note(sent=number)

    def _first(self, text: str, render: Render) -> bool:
        """The first message, in the richest form Slack takes; says which that was."""
        for modern, pause_s in ((True, 0.0), (True, CHART_IN_WORK_S), (False, 0.0)):
            blocks = render(modern)[0]
            if pause_s and not any(block["type"] == "image" for block in blocks):
                continue
            time.sleep(pause_s)
            try:
                self._place_whole(text, blocks)
                return modern
            except SlackApiError as error:
                if refusal(error) not in REFUSED_BLOCKS or not modern:
                    raise
                logger.info("Slack refused blocks (%s)", refusal(error))
        raise AssertionError("the last form returns or raises")

    def _place_whole(self, text: str, blocks: list[Block]) -> None:
        """By ending the stream; by updating its message where it has died; by a new message where that is gone."""
        if self._streaming:
            try:
                chunks = self._pending or None
                self._calls("chat.stopStream", channel=self._place.channel, ts=self._ts, chunks=chunks, blocks=blocks)
                return
            except SlackApiError as error:
                if refusal(error) == ENDED_BY_PERSON:
                    self.ended_by_person = True
                    return
                if refusal(error) in REFUSED_BLOCKS:
                    raise
                logger.info("the stream has died (%s): its message is updated instead", refusal(error))
                self._streaming = False
        if self._ts is not None:
            try:
                self._calls("chat.update", channel=self._place.channel, ts=self._ts, text=text, blocks=blocks)
                return
            except SlackApiError as error:
                if refusal(error) in REFUSED_BLOCKS:
                    raise
                logger.info("the message is gone (%s): a new one instead", refusal(error))
                self._ts = None
        self._ts = self._started("chat.postMessage", text=text, blocks=blocks, **UNPREVIEWED)
        self._note(reply_ts=self._ts)

    def _close(self, step: Step) -> None:
        place = next((entry for entry in self._open if entry[0] == step.name), None)
        if place is None:
            return
        self._open.remove(place)
        result = step.data or {}
        card = _card(place[1], self._words(step.name), "error" if "error" in result else "complete")
        if outcome := _outcome(result):
            card["output"] = _plain(outcome)
        self._pending.append(card)

    def _flush(self) -> None:
        """Show what has happened since; steps are a courtesy, so no failure here stops the answer."""
        if not self._pending or self._ts is None:
            return
        here = {"channel": self._place.channel, "ts": self._ts}
        try:
            if self._streaming:
                self._calls.hurried("chat.appendStream", chunks=self._pending, **here)
            else:
                doing = f"{self._words('working')} {self._pending[-1]['title']}"
                self._calls.hurried("chat.update", text=doing, **here)
            self._pending = []
        except SlackApiError as error:
            self.ended_by_person = refusal(error) == ENDED_BY_PERSON
            self._streaming = False
        except (Busy, OSError) as problem:
            logger.info("a step is shown later: %s", type(problem).__name__)
        self._last_s = time.monotonic()

    def _started(self, method: str, **arguments: Any) -> str:
        here = {"channel": self._place.channel, "thread_ts": self._place.thread}
        return str(self._calls(method, **here, **arguments)["ts"])

    def _quietly(self, method: str, **arguments: Any) -> None:
        try:
            self._calls.hurried(method, **arguments)
        except (SlackApiError, Busy, OSError) as problem:
            logger.info("%s was not possible: %s", method, type(problem).__name__)


def _card(name: str, title: str, status: str) -> Chunk:
    return {"type": "task_update", "id": name, "title": _plain(cut(title, 150)), "status": status}


def _outcome(result: dict[str, Any]) -> str:
    if "error" in result:
        return cut(str(result["error"].get("message", "")), 240)
    steps = result.get("derivation") or []
    return f"{steps[-1]['label']}: {quantity(steps[-1].get('value'), steps[-1].get('unit') or '')}" if steps else ""


def _plain(text: str) -> str:
    """Words for a card, whose text Slack may read as markup: the signs that begin a mention or a link are spelt."""
    return cut(text, 250).replace("<", "‹").replace(">", "›").replace("[", "(").replace("]", ")")
