"""What Slack's payloads mean to the advisor: which of them is a job, and which job."""

import json
import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from ui.slack.inbox import Job

Payload = Mapping[str, Any]
ASKING = ("ask", "follow_up", "button")
"""Kinds whose answer goes into a thread."""
_MARKUP = re.compile(r"<([^<>]*)>")
_SPOKEN_SUBTYPES = frozenset({None, "file_share", "thread_broadcast"})


def plain(text: str, bot_user: str = "") -> str:
    """Slack's wire text as a person typed it: mentions of the bot go, links and names become words.

    Source: https://docs.slack.dev/messaging/formatting-message-text/
    """

    def words(match: re.Match[str]) -> str:
        target, _, label = match[1].partition("|")
        if target.startswith("@"):
            return "" if target[1:] == bot_user else f"@{label or target[1:]}"
        if target.startswith("#"):
            return f"#{label or target[1:]}"
        if target.startswith("!"):
            return label or f"@{target[1:].partition('^')[0]}"
        return label or target.removeprefix("mailto:")

    unmarked = _MARKUP.sub(words, text)
    return unmarked.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").strip()


def microseconds(ts: object) -> int:
    """A Slack timestamp such as `1721609600.123456`, exactly; 0 when it is none."""
    try:
        return int(Decimal(str(ts)) * 1_000_000)
    except (InvalidOperation, ValueError, OverflowError):
        return 0


def conversation_of(team: str, channel: str, thread: str) -> str:
    """The conversation that holds a thread's memory."""
    return f"{team}:{channel}:{thread}"


def message(body: Payload, bot_user: str) -> Job | None:
    """A mention, a direct message, or a reply in a thread that may be one of ours; else null.

    A mention in a channel is delivered twice, as `app_mention` and as `message`: only the former counts, and both
    bear the same `ts`, so that neither order nor retries can make two answers of it.
    """
    event = body.get("event") or {}
    if event.get("bot_id") or event.get("subtype") not in _SPOKEN_SUBTYPES or event.get("hidden"):
        return None
    user, channel, ts = event.get("user"), event.get("channel"), event.get("ts")
    if not (isinstance(user, str) and isinstance(channel, str) and isinstance(ts, str)):
        return None
    if user in (bot_user, "USLACKBOT"):
        return None
    mentioned, direct = event.get("type") == "app_mention", event.get("channel_type") == "im" or channel.startswith("D")
    thread = str(event.get("thread_ts") or ts)
    text = str(event.get("text") or "")
    if not mentioned and not direct and (f"<@{bot_user}" in text or thread == ts):
        return None
    team = str(body.get("team_id") or event.get("team") or "")
    kind = "ask" if mentioned or direct else "follow_up"
    data = {"team": team, "channel": channel, "thread": thread, "ts": ts, "user": user, "text": plain(text, bot_user)}
    # The sender's own workspace, which is another one's in a shared channel, is who a stream is addressed to.
    data["user_team"] = str(event.get("user_team") or event.get("team") or team)
    return Job(
        key=f"message:{team}:{channel}:{ts}", kind=kind, thread=conversation_of(team, channel, thread),
        channel=channel, ts_us=microseconds(ts), data=data,
    )  # fmt: skip


def opened(body: Payload) -> Job | None:
    """The home tab or the messages of the app were opened, or a thread of the older assistant view was begun."""
    event = body.get("event") or {}
    user: object
    thread: object
    tab: object
    if event.get("type") == "assistant_thread_started":
        begun = event.get("assistant_thread") or {}
        user, channel, thread, tab = begun.get("user_id"), begun.get("channel_id"), begun.get("thread_ts"), "messages"
    else:
        user, channel, thread, tab = event.get("user"), event.get("channel"), None, event.get("tab")
    if tab not in ("home", "messages") or not isinstance(user, str):
        return None
    key = f"event:{body.get('event_id') or (user, event.get('event_ts'))}"
    data = {"user": user, "channel": str(channel or ""), "thread": thread}
    return Job(key=key, kind="home" if tab == "home" else "prompts", thread=f"opened:{user}:{tab}",
               channel=f"opened:{user}", ts_us=microseconds(event.get("event_ts")), data=data)  # fmt: skip


def links(body: Payload) -> Job | None:
    """Links were written that may be answers shared from here."""
    event = body.get("event") or {}
    urls = [link["url"] for link in event.get("links") or [] if isinstance(link, Mapping) and "url" in link]
    if not urls:
        return None
    names = ("channel", "message_ts", "unfurl_id", "source", "user")
    data: dict[str, Any] = {name: event.get(name) for name in names} | {"urls": urls}
    channel = str(event.get("channel") or "")
    return Job(key=f"event:{body.get('event_id')}", kind="unfurl", thread=f"unfurl:{channel}:{event.get('message_ts')}",
               channel=channel, ts_us=microseconds(event.get("event_ts")), data=data)  # fmt: skip


def command(body: Payload) -> Job:
    """`/gpu …`: answered to the one who typed it, with a memory of their own in the channel."""
    team, channel, user = (str(body.get(name) or "") for name in ("team_id", "channel_id", "user_id"))
    thread = conversation_of(team, channel, user)
    data = {"team": team, "channel": channel, "user": user, "text": plain(str(body.get("text") or "")),
            "command": str(body.get("command") or "/gpu"), "response_url": body.get("response_url"),
            "conversation": thread}  # fmt: skip
    return Job(key=f"trigger:{body.get('trigger_id')}", kind="command", thread=thread, channel=channel, data=data)


def pressed(body: Payload) -> Job | None:
    """A button of ours was pressed."""
    action = (body.get("actions") or [{}])[0]
    name, _, rest = str(action.get("action_id") or "").partition(":")
    kind = {"follow_up": "button", "feedback": "feedback", "share": "share", "example": "example"}.get(name)
    if kind is None:
        return None
    container, said = body.get("container") or {}, body.get("message") or {}
    channel = str((body.get("channel") or {}).get("id") or container.get("channel_id") or "")
    team, user = str((body.get("team") or {}).get("id") or ""), dict(body.get("user") or {})
    thread = str(container.get("thread_ts") or said.get("thread_ts") or container.get("message_ts") or "")
    try:
        value = json.loads(action.get("value") or "{}")
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    data = {"team": team, "channel": channel, "thread": thread, "user": str(user.get("id") or ""), "which": rest,
            "user_team": str(user.get("team_id") or team), "value": value, "ts": str(action.get("action_ts") or ""),
            "response_url": body.get("response_url"), "ephemeral": bool(container.get("is_ephemeral"))}  # fmt: skip
    where = channel or str(user.get("id") or "")
    place = str(value.get("c") or conversation_of(team, where, thread))
    pressing = f"trigger:{body.get('trigger_id') or action.get('action_ts')}:{action.get('action_id')}"
    return Job(key=pressing, kind=kind, thread=place, channel=where,
               ts_us=microseconds(action.get("action_ts")), data=data)  # fmt: skip
