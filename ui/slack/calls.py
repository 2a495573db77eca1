"""Calls of Slack's Web API at the pace Slack allows: one queue a channel, and `Retry-After` obeyed to the second."""

import logging
import threading
import time
from collections.abc import Callable
from http.client import HTTPException
from typing import Any, cast

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from ui.slack.credentials import quiet_logger

logger = quiet_logger(__name__)
PACE_S = 1.1
"""A little slower than one new message a second in a channel. Source: https://docs.slack.dev/apis/web-api/rate-limits/"""
LONGEST_WAIT_S = 300.0
REPEATS = 3
POSTING = frozenset({"chat.postMessage", "chat.startStream", "chat.postEphemeral"})
REPEATABLE = frozenset({
    "auth.test", "chat.update", "chat.stopStream", "chat.unfurl", "views.publish", "users.info",
    "assistant.threads.setStatus", "assistant.threads.setSuggestedPrompts",
})  # fmt: skip
"""Calls that do no harm when they are made twice, so that they may be repeated when no answer came."""
AS_FORM = frozenset({"users.info", "auth.test"})
MOST_LANES = 5000


class Stopped(Exception):
    """The process is ending; what is being done will be taken up again at the next start."""


class Busy(Exception):
    """Slack asks for a pause, and what was to be said is not worth one."""


class Lane:
    """One queue: whoever holds the lock is at the front, and nobody passes before `free_s`."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.free_s = 0.0


class Calls:
    """The Web API for many threads at once."""

    def __init__(self, client: WebClient, stop: threading.Event, pace_s: float = PACE_S) -> None:
        self.client, self._stop, self._pace_s = client, stop, pace_s
        self._lanes: dict[str, Lane] = {}
        self._guard = threading.Lock()

    def __call__(self, method: str, **arguments: Any) -> dict[str, Any]:
        """The answer of one method.

        Raises:
            SlackApiError: Slack refused, for another reason than the pace.
            Stopped: the process is ending.
        """
        given = {name: value for name, value in arguments.items() if value is not None}
        form, body = (given, None) if method in AS_FORM else (None, given)
        channel = str(given.get("channel", ""))
        return self.paced(method, channel, lambda: self.client.api_call(method, params=form, json=body))

    def hurried(self, method: str, **arguments: Any) -> dict[str, Any]:
        """A call that is only a courtesy: made at once or not at all.

        Raises:
            Busy: Slack asks for a pause.
        """
        lane = self._lane(method, "")
        if lane.free_s > time.monotonic():
            raise Busy(method)
        try:
            return cast(dict[str, Any], self.client.api_call(method, json=arguments).data)
        except SlackApiError as error:
            if error.response.status_code != 429:
                raise
            self._hold(method, "", _retry_after(error))
            raise Busy(method) from None

    def paced(self, method: str, channel: str, send: Callable[[], Any]) -> dict[str, Any]:
        """Send in turn, wait where Slack says so, and repeat what may be repeated when the line breaks."""
        until, failures = time.monotonic() + LONGEST_WAIT_S, 0
        while True:
            self._take_turn(method, channel)
            try:
                return cast(dict[str, Any], send().data)
            except SlackApiError as error:
                if error.response.status_code != 429 or time.monotonic() > until:
                    raise
                self._hold(method, channel, _retry_after(error))
            except (OSError, HTTPException):
                failures += 1
                if method not in REPEATABLE or failures > REPEATS:
                    raise
                self._wait(0.5 * 2**failures)

    def _take_turn(self, method: str, channel: str) -> None:
        lane = self._lane(method, channel)
        with lane.lock:
            self._wait(lane.free_s - time.monotonic())
            if method in POSTING:
                lane.free_s = time.monotonic() + self._pace_s

    def _hold(self, method: str, channel: str, delay_s: float) -> None:
        lane = self._lane(method, channel)
        lane.free_s = max(lane.free_s, time.monotonic() + delay_s)
        logger.info("Slack asks for a pause of %.0f s in %s", delay_s, method)

    def _lane(self, method: str, channel: str) -> Lane:
        name = f"post {channel}" if method in POSTING else method
        with self._guard:
            if len(self._lanes) > MOST_LANES:
                now = time.monotonic()
                busy = {key: lane for key, lane in self._lanes.items() if lane.free_s > now or lane.lock.locked()}
                self._lanes = busy
            return self._lanes.setdefault(name, Lane())

    def _wait(self, delay_s: float) -> None:
        if self._stop.is_set() or (delay_s > 0 and self._stop.wait(delay_s)):
            raise Stopped


def refusal(error: SlackApiError) -> str:
    """Slack's own word for what was wrong, e.g. `channel_not_found`."""
    return str(error.response.get("error") or "") if isinstance(error.response.data, dict) else ""


def _retry_after(error: SlackApiError) -> float:
    said = {str(name).lower(): value for name, value in (error.response.headers or {}).items()}.get("retry-after", 1)
    text = str(said[0] if isinstance(said, list) else said)
    return float(text) if text.isdigit() else 1.0


logging.getLogger("slack_sdk").addFilter(logger.filters[0])
