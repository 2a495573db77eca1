"""The Bolt application: what arrives becomes a job on disk and is acknowledged; the work comes later."""

import json
import logging
import re
from collections.abc import Callable, Mapping
from typing import Any

from slack_bolt import Ack, App, BoltRequest
from slack_bolt.authorization import AuthorizeResult
from slack_sdk import WebClient

from ui.slack import arrivals
from ui.slack.credentials import quiet_logger
from ui.slack.gate import Reply
from ui.slack.inbox import Inbox, Job
from ui.slack.words import words

logger = quiet_logger(__name__)
SETTLE_S = 0.3
"""How long a reply in a thread waits for an earlier one that was delivered later."""
MOST_WAITING = 5000
"""Deliveries beyond this are refused until some are answered: Slack keeps them and tries again."""
ANYTHING = re.compile(r"")


class Full(Exception):
    """Too much is waiting; Slack should come again."""


def create_bolt(client: WebClient, identity: Mapping[str, Any], inbox: Inbox) -> App:
    """Listeners that only keep what arrives.

    `identity` is what `auth.test` said at the start, so that no acknowledgement waits for the network.
    """
    bot_user = str(identity.get("user_id") or "")
    known = AuthorizeResult(
        enterprise_id=None, team_id=str(identity.get("team_id") or ""), bot_user_id=bot_user,
        bot_id=identity.get("bot_id"), bot_token=client.token,
    )  # fmt: skip
    # Bolt would warn at every start that the token is given twice, and log bodies that nobody listens for.
    chatter = quiet_logger("ui.slack.bolt.app")
    chatter.setLevel(logging.ERROR)
    app = App(
        client=client,
        authorize=lambda: known,
        signing_secret="checked at the door",  # noqa: S106 - ui.slack.gate does it, and refuses cleanly what is malformed
        request_verification_enabled=False,
        process_before_response=True,  # a listener takes a millisecond; a thread and a poll for it would take ten
        attaching_conversation_kwargs_enabled=False,
        logger=chatter,
    )

    def keep(job: Job | None, hold_s: float = 0.0) -> None:
        if job is None:
            return
        if inbox.waiting() >= MOST_WAITING:
            raise Full
        inbox.put(job, hold_s)

    def spoken(body: dict[str, Any]) -> None:
        job = arrivals.message(body, bot_user)
        is_reply = job is not None and job.data["thread"] != job.data["ts"]
        keep(job, SETTLE_S if is_reply else 0.0)

    def command(ack: Ack, body: dict[str, Any]) -> None:
        job = arrivals.command(body)
        keep(job)
        ack(text=words(arrivals_language(job))("working"), response_type="ephemeral")

    def pressed(ack: Ack, body: dict[str, Any]) -> None:
        keep(arrivals.pressed(body))
        ack()

    for event in ("app_mention", "message"):
        app.event(event)(_taking_body(spoken))
    for event in ("app_home_opened", "assistant_thread_started"):
        app.event(event)(_taking_body(lambda body: keep(arrivals.opened(body))))
    app.event("link_shared")(_taking_body(lambda body: keep(arrivals.links(body))))
    app.command(ANYTHING)(command)
    app.action(ANYTHING)(pressed)
    app.event(ANYTHING)(_taking_body(lambda body: None))  # else Slack would send what nobody listens for again
    app.error(_failed)
    return app


def _taking_body(function: Callable[[dict[str, Any]], None]) -> Callable[..., None]:
    def listener(body: dict[str, Any]) -> None:
        function(body)

    return listener


def _failed(error: Exception) -> None:
    raise error


def arrivals_language(job: Job) -> str:
    """The language to acknowledge in, from the words alone: Chinese when there is a Chinese character."""
    return "zh" if re.search(r"[一-鿿]", str(job.data.get("text"))) else "en"


def dispatch(app: App) -> Callable[[str, Mapping[str, str]], Reply]:
    """What the HTTP door calls."""

    def run(body: str, headers: Mapping[str, str]) -> Reply:
        answer = app.dispatch(BoltRequest(body=body, headers={name: [value] for name, value in headers.items()}))
        if answer is None or answer.status == 404:  # nobody listens for it: acknowledged all the same
            return Reply()
        text = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
        return Reply(answer.status, text or "", (answer.headers.get("content-type") or ["text/plain"])[0])

    return run
