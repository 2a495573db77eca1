"""A Slack of the tests' own on the loopback: Web API, uploads, response addresses, sockets, in the real wire format."""

import asyncio
import hashlib
import hmac
import itertools
import json
import socket
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, urlencode

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

TOKEN, APP_TOKEN, SECRET = "xoxb-123-secret-of-the-bot", "xapp-1-secret-of-the-app", "8f742231b10e8888abcd99yyyzzz85a5"
TEAM, BOT = "T0ADVISOR", "U0BOT"
KNOWN = {
    "rich_text", "section", "context", "actions", "divider", "header", "image", "table", "carousel", "card",
    "context_actions",
}  # fmt: skip
OLDER = KNOWN - {"table", "carousel", "card", "context_actions", "image"}
MOST_CHARACTERS = 13_000


class Refused(Exception):
    """What Slack answers with `ok: false`."""


class FakeSlack:
    """Keeps every call and what became of it; `fail` makes the next calls of a method fail."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.messages: dict[tuple[str, str], dict[str, Any]] = {}
        self.files: dict[str, bytes] = {}
        self.hooks: list[dict[str, Any]] = []
        self.homes: dict[str, dict[str, Any]] = {}
        self.locales: dict[str, str] = {}
        self.known_blocks = set(KNOWN)
        self.posts_every_s = 0.0
        self.too_fast = 0
        self.acknowledged: dict[str, dict[str, Any]] = {}
        self.sockets_opened = 0
        self._faults: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
        self._last_post: dict[str, float] = {}
        self._ids = itertools.count(1)
        self._lock = threading.Lock()
        self._socket: WebSocket | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._server: uvicorn.Server | None = None
        self.address = ""

    # What a test says beforehand, and reads afterwards

    def fail(self, method: str, error: str, times: int = 1, status: int = 200) -> None:
        """Refuse the next calls of a method; status 429 with the seconds to wait as the error."""
        self._faults[method] += [(status, error)] * times

    def made(self, method: str) -> list[dict[str, Any]]:
        """The arguments of every call of a method that was let in."""
        return [arguments for name, arguments in self.calls if name == method]

    def replies(self, thread: str) -> list[dict[str, Any]]:
        """The messages of a thread that the app wrote, oldest first."""
        found = [message for message in self.messages.values() if message.get("thread_ts") == thread]
        return sorted(found, key=lambda message: float(message["ts"]))

    def expire_streams(self) -> None:
        """What happens some five minutes after a stream began."""
        for message in self.messages.values():
            message["streaming"] = False

    # The wire

    def start(self) -> "FakeSlack":
        """Listen on a free port."""
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        app = Starlette(routes=[
            Route("/api/{method}", self._api, methods=["POST", "GET"]),
            Route("/upload/{name}", self._upload, methods=["POST"]),
            Route("/hooks/{name}", self._hook, methods=["POST"]),
            WebSocketRoute("/socket", self._websocket),
        ])  # fmt: skip
        config = uvicorn.Config(app, log_level="error", ws="websockets-sansio")
        self._server = uvicorn.Server(config)
        threading.Thread(target=self._server.run, kwargs={"sockets": [listener]}, daemon=True).start()
        while not self._server.started:
            time.sleep(0.01)
        return self

    def stop(self) -> None:
        """Close the port."""
        if self._server is not None:
            self._server.should_exit = True

    async def _api(self, request: Request) -> Response:
        method = request.path_params["method"]
        body = await request.body()
        if request.headers.get("content-type", "").startswith("application/json"):
            arguments = json.loads(body or b"{}")
        else:
            arguments = dict(parse_qsl(body.decode())) | dict(request.query_params)
        wanted = APP_TOKEN if method == "apps.connections.open" else TOKEN
        if request.headers.get("authorization") != f"Bearer {wanted}":
            return JSONResponse({"ok": False, "error": "invalid_auth"})
        with self._lock:
            if self._faults[method]:
                status, error = self._faults[method].pop(0)
                if status == 429:
                    return JSONResponse({"ok": False, "error": "ratelimited"}, 429, {"Retry-After": error})
                return JSONResponse({"ok": False, "error": error}, status)
            if self._is_too_fast(method, arguments):
                return JSONResponse({"ok": False, "error": "ratelimited"}, 429, {"Retry-After": "1"})
            try:
                handler: Callable[[dict[str, Any]], dict[str, Any]] = getattr(self, "_" + method.replace(".", "_"))
                answer = handler(arguments)
            except Refused as refused:
                return JSONResponse({"ok": False, "error": str(refused)})
            self.calls.append((method, arguments))
        return JSONResponse({"ok": True} | answer)

    def _is_too_fast(self, method: str, arguments: dict[str, Any]) -> bool:
        if method not in ("chat.postMessage", "chat.startStream") or not self.posts_every_s:
            return False
        channel, now = arguments["channel"], time.monotonic()
        if now - self._last_post.get(channel, 0.0) < self.posts_every_s:
            self.too_fast += 1
            return True
        self._last_post[channel] = now
        return False

    def _auth_test(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return {"user_id": BOT, "bot_id": "B0BOT", "team_id": TEAM, "team": "Test", "url": "https://test.slack.com/"}

    def _chat_startStream(self, arguments: dict[str, Any]) -> dict[str, Any]:  # noqa: N802 - Slack's name
        if "thread_ts" not in arguments:
            raise Refused("missing_thread_ts")
        if arguments["channel"].startswith("C") and not arguments.get("recipient_user_id"):
            raise Refused("missing_recipient_user_id")
        ts = self._new_ts()
        self.messages[arguments["channel"], ts] = {
            "ts": ts, "thread_ts": arguments["thread_ts"], "streaming": True, "cards": {}, "blocks": [], "text": "",
        }  # fmt: skip
        self._take_chunks(self.messages[arguments["channel"], ts], arguments)
        return {"channel": arguments["channel"], "ts": ts}

    def _chat_appendStream(self, arguments: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        self._take_chunks(self._streaming(arguments), arguments)
        return {}

    def _chat_stopStream(self, arguments: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        message = self._streaming(arguments)
        self._check_blocks(arguments.get("blocks", []))
        self._take_chunks(message, arguments)
        message |= {"streaming": False, "blocks": arguments.get("blocks", [])}
        return {}

    def _chat_postMessage(self, arguments: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        channel = arguments["channel"]
        if channel == "C0ABSENT":
            raise Refused("not_in_channel")
        channel = f"D{channel[1:]}" if channel.startswith("U") else channel
        self._check_blocks(arguments.get("blocks", []))
        ts = self._new_ts()
        self.messages[channel, ts] = {**arguments, "ts": ts}
        return {"channel": channel, "ts": ts}

    def _chat_update(self, arguments: dict[str, Any]) -> dict[str, Any]:
        message = self.messages.get((arguments["channel"], arguments["ts"]))
        if message is None:
            raise Refused("message_not_found")
        self._check_blocks(arguments.get("blocks", []))
        message |= {"text": arguments.get("text", ""), "blocks": arguments.get("blocks", [])}
        return {"ts": arguments["ts"]}

    def _chat_unfurl(self, arguments: dict[str, Any]) -> dict[str, Any]:
        for unfurl in arguments["unfurls"].values():
            self._check_blocks(unfurl["blocks"])
        return {}

    def _views_publish(self, arguments: dict[str, Any]) -> dict[str, Any]:
        self._check_blocks(arguments["view"]["blocks"])
        self.homes[arguments["user_id"]] = arguments["view"]
        return {}

    def _users_info(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return {"user": {"id": arguments["user"], "locale": self.locales.get(arguments["user"], "en-US")}}

    def _assistant_threads_setStatus(self, arguments: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        return {}

    def _assistant_threads_setSuggestedPrompts(self, arguments: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        if len(arguments["prompts"]) > 4 or not all(
            prompt.keys() == {"title", "message"} for prompt in arguments["prompts"]
        ):
            raise Refused("invalid_arguments")
        return {}

    def _files_getUploadURLExternal(self, arguments: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        name = f"F{next(self._ids)}"
        return {"file_id": name, "upload_url": f"{self.address}/upload/{name}"}

    def _files_completeUploadExternal(self, arguments: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        files = json.loads(arguments["files"]) if isinstance(arguments["files"], str) else arguments["files"]
        if any(file["id"] not in self.files for file in files):
            raise Refused("file_not_found")
        return {"files": files}

    def _apps_connections_open(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return {"url": f"{self.address.replace('http', 'ws', 1)}/socket?ticket={next(self._ids)}"}

    async def _upload(self, request: Request) -> Response:
        form = request.headers["content-type"].startswith("multipart/")
        body = await request.body() if not form else await (await request.form())["file"].read()  # type: ignore[union-attr]
        self.files[request.path_params["name"]] = bytes(body)
        return Response("OK")

    async def _hook(self, request: Request) -> Response:
        said = await request.json()
        try:
            self._check_blocks(said.get("blocks", []))
        except Refused as refused:
            return Response(str(refused), 400)
        self.hooks.append(said | {"hook": request.path_params["name"]})
        return Response("ok")

    # Sockets

    async def _websocket(self, websocket: WebSocket) -> None:
        await websocket.accept()
        self._loop, self._socket = asyncio.get_running_loop(), websocket
        self.sockets_opened += 1
        await websocket.send_json({"type": "hello", "num_connections": 1, "connection_info": {"app_id": "A1"}})
        try:
            while True:
                said = json.loads(await websocket.receive_text())
                if "envelope_id" in said:
                    self.acknowledged[said["envelope_id"]] = said
        except (WebSocketDisconnect, RuntimeError, ValueError):
            return

    def push(self, kind: str, payload: dict[str, Any], retry: int = 0) -> str:
        """Send an envelope down the socket; gives its id, under which the acknowledgement will be found."""
        envelope = f"envelope-{next(self._ids)}"
        message = {"type": kind, "envelope_id": envelope, "accepts_response_payload": kind != "events_api",
                   "payload": payload, "retry_attempt": retry, "retry_reason": "timeout" if retry else ""}  # fmt: skip
        self._send(message)
        return envelope

    def drop_socket(self) -> None:
        """Ask the app to connect anew, as Slack does every few hours, and close."""
        self._send({"type": "disconnect", "reason": "refresh_requested", "debug_info": {}})

    def _send(self, message: dict[str, Any]) -> None:
        assert self._loop is not None
        assert self._socket is not None
        asyncio.run_coroutine_threadsafe(self._socket.send_json(message), self._loop).result(5)

    # What Slack would not take

    def _streaming(self, arguments: dict[str, Any]) -> dict[str, Any]:
        message = self.messages.get((arguments["channel"], arguments["ts"]))
        if message is None or not message.get("streaming"):
            raise Refused("message_not_in_streaming_state")
        return message

    def _take_chunks(self, message: dict[str, Any], arguments: dict[str, Any]) -> None:
        for chunk in arguments.get("chunks") or []:
            if chunk["type"] != "task_update" or chunk["status"] not in ("pending", "in_progress", "complete", "error"):
                raise Refused("invalid_chunks")
            message["cards"][chunk["id"]] = chunk

    def _new_ts(self) -> str:
        return f"{int(time.time())}.{next(self._ids):06d}"

    def _check_blocks(self, blocks: list[dict[str, Any]]) -> None:
        """Block Kit's limits, as far as they are documented."""
        if len(blocks) > 50:
            raise Refused("invalid_blocks")
        if len(json.dumps(blocks, ensure_ascii=False)) > MOST_CHARACTERS:
            raise Refused("msg_blocks_too_long")
        for block in blocks:
            self._check_block(block)
        if sum(block["type"] == "table" for block in blocks) > 1:
            raise Refused("invalid_attachments")

    def _check_block(self, block: dict[str, Any]) -> None:
        kind = block["type"]
        good = kind in self.known_blocks
        if good and kind == "rich_text":
            good = bool(block["elements"]) and all(_is_rich(element) for element in block["elements"])
        elif good and kind == "table":
            widths = {len(row) for row in block["rows"]}
            cells = [cell for row in block["rows"] for cell in row]
            good = 1 <= len(block["rows"]) <= 100 and len(widths) == 1 and max(widths) <= 20 and len(cells) > 0
            good = good and all(map(_is_cell, cells))
        elif good and kind == "context":
            good = 1 <= len(block["elements"]) <= 10 and all(0 < len(one["text"]) <= 3000 for one in block["elements"])
        elif good and kind == "actions":
            names = [one["action_id"] for one in block["elements"]]
            good = 1 <= len(names) <= 25 and len(names) == len(set(names)) and all(map(_is_button, block["elements"]))
        elif good and kind == "carousel":
            good = 1 <= len(block["elements"]) <= 10 and all(map(_is_card, block["elements"]))
        elif good and kind == "image":
            good = block["slack_file"]["id"] in self.files and 0 < len(block["alt_text"]) <= 2000
        elif good and kind == "header":
            good = block["text"]["type"] == "plain_text" and 0 < len(block["text"]["text"]) <= 150
        if not good:
            raise Refused("invalid_blocks")


def _is_rich(element: dict[str, Any]) -> bool:
    if element["type"] == "text":
        return 0 < len(element["text"]) <= 4000
    kinds = ("rich_text_section", "rich_text_list", "rich_text_preformatted", "rich_text_quote")
    return element["type"] in kinds and bool(element["elements"]) and all(map(_is_rich, element["elements"]))


def _is_cell(cell: dict[str, Any]) -> bool:
    if cell["type"] == "raw_text":
        return len(cell["text"]) > 0
    return cell["type"] == "rich_text" and all(map(_is_rich, cell["elements"]))


def _is_button(button: dict[str, Any]) -> bool:
    return 0 < len(button["text"]["text"]) <= 75 and len(button.get("value", "")) <= 2000


def _is_card(card: dict[str, Any]) -> bool:
    most = {"title": 150, "subtitle": 150, "body": 200}
    return any(card.get(part) for part in ("title", "body")) and all(
        0 < len(card[part]["text"]) <= limit for part, limit in most.items() if part in card
    )


def signed(body: bytes, secret: str = SECRET, at_s: float | None = None) -> dict[str, str]:
    """The headers Slack signs a body with."""
    timestamp = str(int(time.time() if at_s is None else at_s))
    mac = hmac.new(secret.encode(), b"v0:" + timestamp.encode() + b":" + body, hashlib.sha256).hexdigest()
    return {"X-Slack-Request-Timestamp": timestamp, "X-Slack-Signature": f"v0={mac}"}


def event(kind: str, number: int, **fields: Any) -> dict[str, Any]:
    """An Events API payload; the same number is the same event."""
    inner = {"type": kind, "user": "U0ASKER", "event_ts": f"1764000000.{number:06d}", **fields}
    return {"token": "gone", "team_id": TEAM, "api_app_id": "A1", "event": inner, "type": "event_callback",
            "event_id": f"Ev{kind}{number}", "event_time": 1764000000, "authorizations": []}  # fmt: skip


def spoken(
    number: int, text: str, *, kind: str = "app_mention", channel: str = "C0GPU", **fields: Any
) -> dict[str, Any]:
    """A message; its `ts` follows from its number."""
    return event(kind, number, text=text, channel=channel, ts=f"1764000000.{number:06d}", **fields)


def as_form(**fields: str) -> bytes:
    """A slash command or an interaction as Slack posts it."""
    return urlencode(fields).encode()
