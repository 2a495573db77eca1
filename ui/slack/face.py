"""The whole face over one advisor: what arrives, what is done with it, and an orderly end."""

import threading
from urllib.parse import urlsplit

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from starlette.types import ASGIApp

from assistant.agent import Advisor
from kb.base import BadInput
from ui.slack.bolt import create_bolt, dispatch
from ui.slack.calls import PACE_S, Calls, refusal
from ui.slack.command import HOOKS, Command
from ui.slack.credentials import BOT, WHERE, Credentials
from ui.slack.gate import door
from ui.slack.inbox import Inbox, Job
from ui.slack.surfaces import Surfaces
from ui.slack.turns import NotInThread, Turns
from ui.slack.words import words
from ui.slack.workers import GRACE_S, WORKERS, Workers

INBOX, LOCK = "slack.sqlite", "slack.lock"


class Face:
    """Slack over one advisor; `start` connects the workers, `stop` ends them."""

    def __init__(
        self, advisor: Advisor, credentials: Credentials, *, pace_s: float = PACE_S, workers: int = WORKERS
    ) -> None:
        options = advisor.options
        self.credentials = credentials
        self._advisor = advisor
        self._stop = threading.Event()
        client = WebClient(credentials.bot_token, base_url=options.slack_api_url, retry_handlers=[])
        self.calls = Calls(client, self._stop, pace_s)
        identity = identified(self.calls)
        self.inbox = Inbox(options.home / INBOX)
        self.lock = options.home / LOCK
        self.turns = Turns(advisor, self.calls, self.inbox, options.public_url)
        hooks = HOOKS | {str(urlsplit(options.slack_api_url).hostname)}
        self.command = Command(self.turns, hooks)
        surfaces = Surfaces(self.calls, advisor.conversations.shared, options.public_url)
        handlers = {
            "ask": self.turns.ask, "follow_up": self.turns.follow_up, "button": self._button,
            "example": self.turns.example, "command": self.command.run, "share": self.command.share,
            "feedback": self._feedback, "home": surfaces.home, "prompts": surfaces.prompts, "unfurl": surfaces.unfurl,
        }  # fmt: skip
        self._workers = Workers(self.inbox, handlers, self._stop, workers)
        self.app = create_bolt(client, identity, self.inbox)

    def http(self) -> ASGIApp:
        """Where Slack posts events, commands and interactions.

        Raises:
            BadInput: there is no signing secret to check them with.
        """
        secret = self.credentials.signing_secret
        if not secret:
            raise BadInput("GPU_ADVISOR_SLACK_SIGNING_SECRET", "is not set, which HTTP needs.")
        return door(secret, dispatch(self.app))

    def start(self) -> None:
        """Begin to work on what has arrived, first of all on what a former process left undone."""
        self.inbox.resume()
        self._workers.start()

    def stop(self, grace_s: float = GRACE_S) -> None:
        """Finish what runs, as far as `grace_s` allows."""
        self._workers.stop(grace_s)
        if self._workers.idle():
            self.inbox.close()

    def _button(self, job: Job) -> None:
        try:
            self.turns.button(job)
        except NotInThread as private:
            self.command.answer(job, private.conversation, private.question)

    def _feedback(self, job: Job) -> None:
        """Keep the judgement beside those of the other faces, and say so to the one who gave it."""
        value = job.data["value"]
        wording = words(str(value.get("l")))
        answer = self.turns.found(job.data)
        if answer is None:
            self.command.thank(job, wording("gone"))
            return
        helpful = bool(value.get("v"))
        self._advisor.conversations.judge(answer.conversation_id, answer.id, helpful=helpful)
        self.command.thank(job, wording("thanks_good" if value.get("v") else "thanks_bad"))


def identified(calls: Calls) -> dict[str, object]:
    """Who the token belongs to, asked once at the start.

    Raises:
        BadInput: Slack does not know the token, or cannot be reached; names the variable.
    """
    try:
        return dict(calls("auth.test"))
    except SlackApiError as error:
        raise BadInput(BOT, f"was refused by Slack ({refusal(error)}).", WHERE[BOT]) from None
    except OSError as problem:
        raise BadInput("GPU_ADVISOR_SLACK_API_URL", f"cannot be reached: {problem}.", "Check the network.") from None
