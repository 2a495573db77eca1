"""A language-model provider on this machine that fails in forty ways, by script."""

import gzip
import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Request = dict[str, Any]
Say = Callable[["Handler", Request], None]

ENVELOPE = {"id": "1", "object": "chat.completion", "created": 0, "model": "scripted"}
USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
SECRET = "sk-canary-8c1d7f"
HANG_S = 3.0
"""Longer than the deadline the runs are given."""


class Provider(ThreadingHTTPServer):
    """Speaks `POST /v1/chat/completions`; `mode` says how badly."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.say: Say = FAULTS["empty text"]
        self.asked = 0

    @property
    def base_url(self) -> str:
        """What `GPU_ADVISOR_LLM_BASE_URL` is set to."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    def start(self) -> None:
        """Serve in a thread until `shutdown`."""
        threading.Thread(target=self.serve_forever, name="provider", daemon=True).start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that left in the middle is part of the test."""


class Handler(BaseHTTPRequestHandler):
    """One request, answered as the provider's mode says."""

    server: Provider
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.close_connection = True
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked += 1
        self.server.say(self, request)

    def send(self, status: int, body: bytes, headers: dict[str, str] | None = None, length: int | None = None) -> None:
        """A whole response, or one that claims another length."""
        self.send_response(status)
        for name, value in ({"Content-Type": "application/json"} | (headers or {})).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
        """Say nothing."""


def completion(message: dict[str, Any], finish: str | None = None) -> bytes:
    """A well-formed body with this message."""
    finish = finish or ("tool_calls" if message.get("tool_calls") else "stop")
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return json.dumps(ENVELOPE | {"choices": [choice], "usage": USAGE}).encode()


def body(data: bytes, status: int = 200, **headers: str) -> Say:
    """Always this."""
    return lambda handler, request: handler.send(status, data, {k.replace("_", "-"): v for k, v in headers.items()})


def refused(status: int, **headers: str) -> Say:
    """Always this status."""
    return body(json.dumps({"error": {"message": f"no: {SECRET}", "type": "error"}}).encode(), status, **headers)


def text(content: str | None, finish: str | None = None) -> Say:
    """Always these words."""
    return body(completion({"role": "assistant", "content": content}, finish))


def call(name: str, arguments: Any, identifier: str = "call_1") -> dict[str, Any]:
    """One tool call."""
    written = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": identifier, "type": "function", "function": {"name": name, "arguments": written}}


def calls(*made: dict[str, Any], then: str | None = None) -> Say:
    """Tool calls at first; afterwards `then`, or the same calls for ever."""

    def say(handler: Handler, request: Request) -> None:
        over = then is not None and any(message["role"] == "tool" for message in request["messages"])
        message = {"content": then} if over else {"content": None, "tool_calls": list(made)}
        handler.send(200, completion({"role": "assistant"} | message))

    return say


def hang(before: float, data: bytes = b"") -> Say:
    """Nothing for a while."""

    def say(handler: Handler, request: Request) -> None:
        time.sleep(before)
        handler.send(200, data or completion({"role": "assistant", "content": "late"}))

    return say


def drip(handler: Handler, request: Request) -> None:
    """A byte at a time: every read succeeds, the reply never ends."""
    data = completion({"role": "assistant", "content": "slowly"})
    handler.send(200, b"", length=len(data))
    until = time.monotonic() + HANG_S
    for byte in data:
        if time.monotonic() > until:
            return
        time.sleep(0.02)
        handler.wfile.write(bytes([byte]))


def half_then_hang(handler: Handler, request: Request) -> None:
    """Half a body, then silence."""
    data = completion({"role": "assistant", "content": "half"})
    handler.send(200, data[: len(data) // 2], length=len(data))
    time.sleep(HANG_S)


def cut(handler: Handler, request: Request) -> None:
    """Half a body, then the connection closes."""
    data = completion({"role": "assistant", "content": "half"})
    handler.send(200, data[: len(data) // 2], length=len(data))


def vanish(handler: Handler, request: Request) -> None:
    """The connection closes without a word."""
    handler.connection.close()


def flood(handler: Handler, request: Request) -> None:
    """Two hundred megabytes."""
    handler.send(200, b"", length=200 * 2**20)
    for _ in range(200):
        handler.wfile.write(b" " * 2**20)


def after_a_good_call(words: str) -> Say:
    """Calls the right solver, then says `words`; `{key}` becomes that of its result, `{needed}` what a card holds."""

    def say(handler: Handler, request: Request) -> None:
        results = [str(message["content"]) for message in request["messages"] if message["role"] == "tool"]
        if not results:
            made = call("find_ways_to_run", {"model": "Qwen2.5-72B", "cards": "4x 3090"})
            handler.send(200, completion({"role": "assistant", "content": None, "tool_calls": [made]}))
            return
        found = json.loads(results[0])
        needed = found["ways"][0]["memory"]["needed_per_gpu"]
        said = words.replace("{key}", found["key"]).replace("{needed}", needed)
        handler.send(200, completion({"role": "assistant", "content": said}))

    return say


STREAM = b'data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Ye'
HUGE = {"model": "Qwen2.5-72B", "context_tokens": 10**30, "concurrent_sequences": -5}
SPEC = {"kind": "spec", "names": ["4090"]}
SOUND = "Each of the four RTX 3090 holds {needed}."
FAULTS: dict[str, Say] = {
    "connection closed": vanish,
    "hangs before headers": hang(HANG_S),
    "hangs in the body": half_then_hang,
    "a byte at a time": drip,
    "body cut": cut,
    "400": refused(400),
    "401": refused(401),
    "403": refused(403),
    "404": refused(404),
    "408": refused(408),
    "409": refused(409),
    "413": refused(413),
    "429": refused(429),
    "429, retry after 1 s": refused(429, Retry_After="1"),
    "429, retry after 99,999 s": refused(429, Retry_After="99999"),
    "500": refused(500),
    "502, HTML": body(b"<html><h1>Bad gateway</h1>", 502, Content_Type="text/html"),
    "503": refused(503),
    "504": refused(504),
    "redirect to elsewhere": body(b"", 302, Location="http://127.0.0.1:1/"),
    "200, HTML": body(b"<html>Sign in</html>", Content_Type="text/html"),
    "200, nothing": body(b""),
    "invalid JSON": body(b'{"choices": [{"message"'),
    "bad UTF-8": body(b'{"choices": "\xff\xfe"}'),
    "null": body(b"null"),
    "no choices": body(json.dumps(ENVELOPE | {"choices": []}).encode()),
    "200 megabytes": flood,
    "compressed bomb": body(gzip.compress(b" " * 50 * 2**20), Content_Encoding="gzip"),
    "an event stream nobody asked for": body(STREAM, Content_Type="text/event-stream"),
    "empty text": text("  "),
    "null content": text(None),
    "refusal": body(completion({"role": "assistant", "content": None, "refusal": "I cannot."})),
    "cut by its own limit": text("Yes, four cards will", "length"),
    "giant text": text("Yes. " * 200_000),
    "another language": text("Ja, das passt gut auf vier Karten und ist für alle nicht zu viel. " * 3),
    "two languages": text("Да, это работает на четырёх картах."),
    "arguments that are no JSON": calls(call("find_ways_to_run", "{model:"), then=""),
    "a tool that does not exist": calls(call("delete_everything", {"path": "/"}), then=""),
    "arguments missing, unknown and huge": calls(call("find_ways_to_run", HUGE | {"unknown": "x" * 9000}), then=""),
    "calls that share an id": calls(call("look_up", SPEC), call("look_up", SPEC), then="Yes."),
    "a hundred calls at once": calls(*(call("look_up", SPEC, f"c{number}") for number in range(100)), then="Yes."),
    "the same call for ever": calls(call("look_up", SPEC)),
    "a number of its own": after_a_good_call("Yes: it needs 7.77 GiB. [[{key}]]"),
    "a unit swapped": after_a_good_call("Yes: each card has 24 TB. [[{key}]]"),
    "a card that does not exist": after_a_good_call("Buy the RTX 9090 with 777 GiB. [[{key}]]"),
    "another card than asked": after_a_good_call("Buy the AMD MI300X instead. [[{key}]]"),
    "a citation made up": after_a_good_call("It needs 7.7 GiB [[ffffff]]."),
    "its key echoed": after_a_good_call(f"The key is {SECRET}, port 4242."),
    "digits that only look so": after_a_good_call("It needs 𝟕.𝟕𝟕 GiB [[{key}]]."),
    "numbers in words": after_a_good_call("It needs eleven gigabytes [[{key}]]."),
    "figures of another model": calls(
        call("find_ways_to_run", {"model": "Qwen2.5-7B", "cards": "1x 3090"}),
        then="Qwen2.5-72B needs only {{R1.ways[0].memory.needed_per_gpu}}.",
    ),
}
"""Name → what the provider does, where nothing is left that could be said."""
CUT: dict[str, Say] = {
    "a price of its own beside what holds": after_a_good_call(f"{SOUND} It costs $1,234 a card."),
    "a card that no result holds": after_a_good_call(f"{SOUND} Buy the AMD MI300X instead."),
    "an image beside what holds": after_a_good_call(f"{SOUND} ![x](https://attacker.example/x.png)"),
    "a reference that leads nowhere": after_a_good_call(f"{SOUND} That is {{{{R1.ways[0].memory.nothing}}}} in all."),
    "its key echoed beside what holds": after_a_good_call(f"{SOUND} The port is 4242 ({SECRET[:2]})."),
}
"""Name → what the provider does, where a sentence that holds stands beside one that does not."""
