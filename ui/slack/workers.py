"""A bounded pool that takes jobs from the inbox: each thread in order, none twice, and nothing lost when it stops."""

import threading
import time
from collections.abc import Callable, Mapping

from slack_sdk.errors import SlackApiError

from kb.base import AdvisorError
from ui.slack.calls import Stopped, refusal
from ui.slack.credentials import quiet_logger
from ui.slack.inbox import Inbox, Job

logger = quiet_logger(__name__)
WORKERS = 8
TRIES = 3
AGAIN_AFTER_S = 5.0
GRACE_S = 10.0
FINAL = frozenset({
    "channel_not_found", "not_in_channel", "is_archived", "account_inactive", "token_revoked", "invalid_auth",
    "missing_scope", "user_not_found", "restricted_action", "msg_too_long", "cannot_unfurl_url", "cannot_find_message",
})  # fmt: skip
"""Refusals that another try would only repeat."""
Handlers = Mapping[str, Callable[[Job], None]]


class Workers:
    """Threads that do jobs until they are told to stop."""

    def __init__(self, inbox: Inbox, handlers: Handlers, stop: threading.Event, count: int = WORKERS) -> None:
        self._inbox, self._handlers, self._stop = inbox, handlers, stop
        self._threads = [
            threading.Thread(target=self._work, name=f"slack-{number}", daemon=True) for number in range(count)
        ]

    def start(self) -> None:
        """Begin."""
        for thread in self._threads:
            thread.start()

    def stop(self, grace_s: float = GRACE_S) -> None:
        """End: nothing new is begun, what runs may finish; what does not is taken up again at the next start."""
        self._stop.set()
        self._inbox.wake()
        until = time.monotonic() + grace_s
        for thread in self._threads:
            if thread.ident is not None:
                thread.join(max(0.0, until - time.monotonic()))

    def idle(self) -> bool:
        """Whether every thread has ended."""
        return not any(thread.is_alive() for thread in self._threads)

    def _work(self) -> None:
        while (job := self._inbox.claim(self._stop)) is not None:
            self._do(job)

    def _do(self, job: Job) -> None:
        try:
            self._handlers[job.kind](job)
        except Stopped:
            self._inbox.later(job.key, 0.0)
            return
        except (AdvisorError, LookupError) as problem:
            logger.warning("a %s was passed over: %s", job.kind, problem)
        except SlackApiError as error:
            logger.warning("Slack refused the answer to a %s: %s", job.kind, refusal(error))
            if refusal(error) not in FINAL and self._again(job):
                return
        except Exception:  # the thread's own border: the other jobs must go on
            logger.exception("a %s failed", job.kind)
            if self._again(job):
                return
        self._inbox.done(job.key)

    def _again(self, job: Job) -> bool:
        if job.tries >= TRIES:
            logger.error("a %s was given up after %d tries", job.kind, job.tries)
            return False
        self._inbox.later(job.key, AGAIN_AFTER_S * job.tries)
        return True
