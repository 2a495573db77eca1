"""Load the real server from one process beside it: tool requests, whole turns, and conversations that think.

    python tests/bench/reliability/load.py --seconds 20 --conversations 50 500
    python tests/bench/reliability/load.py --seconds 300 --conversations 500 --only-conversations
    python tests/bench/reliability/load.py --chunks 10000       beside so many passages more than the guidance has

Requests recur ("popular": the server may remember) or are new every time ("new"). Prints requests a second, p50, p95
and p99 in milliseconds, answers other than 200, and the server's memory. The generator runs on the same cores.
"""

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from questions import novel, recurring
from server import Server, prepared, serving

REQUEST = "\r\n".join(
    (
        "POST {path} HTTP/1.1",
        "Host: 127.0.0.1:{port}",
        "Content-Type: application/json",
        "Content-Length: {length}",
        "",
        "",
    )
)


@dataclass
class Tally:
    """What came back."""

    times_s: list[float] = field(default_factory=list)
    statuses: dict[int, int] = field(default_factory=dict)
    hurried: int = 0
    """Refusals that do not say when to come again."""

    def line(self, name: str, elapsed_s: float) -> str:
        """One row of the table."""
        good = sorted(self.times_s)
        other = sum(count for status, count in self.statuses.items() if status != 200)
        return (
            f"{name:46} {len(good) / elapsed_s:8.1f} {_at(good, 0.5):8.1f} {_at(good, 0.95):8.1f}"
            f" {_at(good, 0.99):8.1f} {other:6}"
        )


def _at(ordered: list[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1e3 if ordered else float("nan")


class Client:
    """One keep-alive connection."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self.told_when = False
        """Whether the last answer named a time to come again."""

    async def post(self, path: str, body: bytes) -> int:
        """The status; the body is read to its end. A connection that the server closed while idle is opened anew."""
        if self._streams is not None:
            try:
                return await self._post(*self._streams, path, body)
            except (asyncio.IncompleteReadError, ConnectionError):
                self.close()
        self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        return await self._post(*self._streams, path, body)

    async def _post(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str, body: bytes) -> int:
        writer.write(REQUEST.format(path=path, port=self._port, length=len(body)).encode() + body)
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
        await reader.readexactly(length)
        self.told_when = b"retry-after:" in head
        if b"connection: close" in head:
            self.close()
        return int(head[9:12])

    def close(self) -> None:
        """Hang up."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


async def loop(port: int, path: str, bodies: Iterator[bytes], tally: Tally, until_s: float, think_s: float) -> None:
    """One client: ask, wait for the answer, think, ask again."""
    client = Client(port)
    if think_s:
        await asyncio.sleep(random.uniform(0, think_s))
    while time.monotonic() < until_s:
        started = time.monotonic()
        status = await client.post(path, next(bodies))
        elapsed_s = time.monotonic() - started
        tally.statuses[status] = tally.statuses.get(status, 0) + 1
        if status == 200:
            tally.times_s.append(elapsed_s)
        else:
            tally.hurried += not client.told_when
        pause_s = random.uniform(0.5, 1.5) * think_s
        if time.monotonic() + pause_s >= until_s:
            break  # what is slept through after the last question is no time of the server's
        await asyncio.sleep(pause_s)
    client.close()


def drive(
    port: int, path: str, bodies: Callable[[int], Iterator[bytes]], clients: int, seconds: float, think_s: float = 0
) -> tuple[Tally, float]:
    """So many clients for so long; each has its own stream of bodies."""
    tally = Tally()

    async def all_at_once() -> None:
        until_s = time.monotonic() + seconds
        await asyncio.gather(*(loop(port, path, bodies(seed), tally, until_s, think_s) for seed in range(clients)))

    started = time.monotonic()
    asyncio.run(all_at_once())
    return tally, time.monotonic() - started


def popular_tools(seed: int) -> Iterator[bytes]:
    """Three dozen memory requests over and over."""
    order = random.Random(seed)
    models, cards = (
        ("Qwen2.5-7B", "Qwen2.5-72B", "Llama-3.1-8B", "Llama-3.1-70B"),
        ("rtx-3090", "rtx-4090", "l40s", "h100-sxm-80gb"),
    )
    while True:
        request = {
            "model": order.choice(models),
            "gpu": order.choice(cards),
            "context_tokens": order.choice((4096, 8192)),
        }
        yield json.dumps(request).encode()


def new_tools(seed: int) -> Iterator[bytes]:
    """A memory request that was never made before."""
    order = random.Random(seed)
    while True:
        request = {
            "model": "Qwen2.5-72B", "gpu": "h100-sxm-80gb",
            "context_tokens": order.randrange(1000, 120_000), "concurrent_sequences": order.randrange(1, 500),
        }  # fmt: skip
        yield json.dumps(request).encode()


def turns(
    questions: Callable[[int], Iterator[str]], salt: int = 0, *, continued: bool = False
) -> Callable[[int], Iterator[bytes]]:
    """Questions as bodies; continued, every client keeps to one conversation for five turns."""

    def bodies(seed: int) -> Iterator[bytes]:
        for number, question in enumerate(questions(seed + salt)):
            body = {"question": question}
            if continued:
                body["conversation_id"] = f"load-{salt}-{seed}-{number // 5}"
            yield json.dumps(body).encode()

    return bodies


def stocked(home: Path, chunks: int) -> Path:
    """The home, its index holding so many passages more, made of the guidance's lines."""
    program = (
        "import random, sys; from pathlib import Path; from bench_retrieval import use; "
        "from bench_retrieval_scale import fill; home = Path(sys.argv[1]); use(home); "
        "fill(home, int(sys.argv[2]), random.Random(3))"
    )
    places = [str(Path(__file__).parents[1]), *filter(None, (os.environ.get("PYTHONPATH"),))]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(places)}
    subprocess.run([sys.executable, "-c", program, str(home), str(chunks)], env=environment, check=True)
    return home


def measure(
    server: Server, seconds: float, conversations: list[int], think_s: float, *, alone: bool = False
) -> list[str]:
    """The table's rows; `alone`: those of conversations only."""
    memory, ask = "/v1/tools/estimate_memory", "/v1/ask"
    drive(server.port, ask, turns(recurring, 7), 2, min(seconds, 6))
    rows = []

    def row(name: str, tally: Tally, elapsed_s: float) -> None:
        rows.append(tally.line(name, elapsed_s) + f" {server.memory_bytes() / 2**20:8.0f}")
        print(rows[-1], flush=True)

    if not alone:
        row("tool, popular, 16 clients", *drive(server.port, memory, popular_tools, 16, seconds))
        row("tool, new, 16 clients", *drive(server.port, memory, new_tools, 16, seconds))
        row("turn, popular, 1 client", *drive(server.port, ask, turns(recurring), 1, seconds))
        row("turn, new, 1 client", *drive(server.port, ask, turns(novel, 100), 1, seconds))
        row("turn, popular, 8 clients", *drive(server.port, ask, turns(recurring), 8, seconds))
        row("turn, new, 8 clients", *drive(server.port, ask, turns(novel, 1000), 8, seconds))
    for count in conversations:
        bodies = turns(recurring, 10_000 * count, continued=True)
        name = f"{count} conversations, {think_s:g} s think, popular"
        row(name, *drive(server.port, ask, bodies, count, max(seconds, 3 * think_s), think_s))
    return rows


def _home(folder: Path, chunks: int) -> Path:
    return stocked(prepared(folder), chunks) if chunks else prepared(folder)


def main() -> int:
    """Print the table; fail when anything but 200 and 503 came back."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10, help="of each row")
    parser.add_argument("--conversations", type=int, nargs="*", default=[50])
    parser.add_argument("--only-conversations", action="store_true", help="none of the rows before them")
    parser.add_argument("--chunks", type=int, default=0, help="passages besides the guidance")
    parser.add_argument("--think", type=float, default=5.0, help="mean seconds between a client's turns")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, serving(_home(Path(folder) / "home", options.chunks)) as server:
        print(f"ready after {server.started_s:.1f} s, {server.memory_bytes() / 2**20:.0f} MiB")
        print(f"{'':46} {'1/s':>8} {'p50 ms':>8} {'p95 ms':>8} {'p99 ms':>8} {'other':>6} {'MiB':>8}")
        measure(server, options.seconds, options.conversations, options.think, alone=options.only_conversations)
    return 0


if __name__ == "__main__":
    sys.exit(main())
