"""A storm of Slack deliveries over real sockets: each event answered once, forgeries refused, and how fast that is.

    python tests/bench/slack_storm.py [--events 300] [--deliveries 1000] [--forged 60] [--questions]

Everything is on this machine: the app on one port, a Slack of the tests' own on another. By default the advisor is
replaced by one that answers at once, so that the figures are those of the face; `--questions` asks the real one.
"""

import argparse
import copy
import json
import random
import socket
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from kb.settings import Settings
from ui.slack.credentials import Credentials
from ui.slack.face import Face
from ui.slack.serve import application

sys.path.insert(0, str(Path(__file__).parents[1] / "ui" / "slack"))
from fake_slack import APP_TOKEN, SECRET, TOKEN, FakeSlack, signed, spoken
from scripted_advisor import Scripted

TOPICS = ("Does the RTX 6000 Ada support NVLink?", "H100 SXM 的显存带宽是多少？", "4090 or A6000 for LoRA on a 13B?")
CLIENTS = 24


def main() -> int:
    """Send, wait, count; 1 when anything was lost, doubled, or let in that Slack never signed."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--events", type=int, default=300)
    options.add_argument("--deliveries", type=int, default=1000)
    options.add_argument("--forged", type=int, default=60)
    options.add_argument("--channels", type=int, default=60)
    options.add_argument("--questions", action="store_true", help="ask the real advisor")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return storm(chosen, Path(folder))


def storm(chosen: argparse.Namespace, home: Path) -> int:
    """One storm."""
    slack = FakeSlack().start()
    slack.posts_every_s = 1.0
    settings = Settings(home=home, slack_api_url=f"{slack.address}/api/")
    engine: Any = Scripted(settings, home)
    if chosen.questions:
        from ui.serving.service import advisor

        engine = copy.copy(advisor())
        engine.options = settings
    face = Face(engine, Credentials(TOKEN, SECRET, APP_TOKEN))
    address = listening(face)
    face.start()
    started = time.perf_counter()
    times, statuses = send(address, deliveries(chosen))
    sent_s = time.perf_counter() - started
    while face.inbox.waiting():
        time.sleep(0.05)
    whole_s = time.perf_counter() - started
    face.stop()
    answered = Counter(
        message["thread_ts"] for message in slack.messages.values() if message.get("blocks") or message.get("text")
    )
    once = sum(count == 1 for count in answered.values())
    good = sorted(seconds for seconds, status in zip(times, statuses, strict=True) if status == 200)
    counts = Counter(statuses)
    rows = (
        ("events", chosen.events),
        ("deliveries, signed", chosen.deliveries),
        ("deliveries, forged", chosen.forged),
        ("answered exactly once", f"{once} of {chosen.events}"),
        ("answered more than once", sum(count > 1 for count in answered.values())),
        ("forged and refused (401)", f"{counts[401]} of {chosen.forged}"),
        ("server errors (5xx)", sum(count for status, count in counts.items() if status >= 500)),
        ("acknowledgement p50", f"{1000 * good[len(good) // 2]:.0f} ms"),
        ("acknowledgement p99", f"{1000 * good[int(len(good) * 0.99)]:.0f} ms of Slack's 3,000"),
        ("acknowledgement longest", f"{1000 * good[-1]:.0f} ms"),
        ("deliveries a second", f"{len(times) / sent_s:.0f}"),
        ("posts Slack found too fast", slack.too_fast),
        ("until the last answer", f"{whole_s:.1f} s"),
    )
    for name, value in rows:
        print(f"{name:28} {value}")
    slack.stop()
    right = once == chosen.events == len(answered) and counts[401] == chosen.forged and counts[200] == chosen.deliveries
    return 0 if right else 1


def deliveries(chosen: argparse.Namespace) -> list[tuple[bytes, dict[str, str]]]:
    """Every event once, then some again with Slack's retry headers, then forgeries; all of it shuffled."""
    chance = random.Random(17)
    again = [chance.randint(1, chosen.events) for _ in range(chosen.deliveries - chosen.events)]
    made = []
    for place, number in enumerate([*range(1, chosen.events + 1), *again]):
        text = TOPICS[number % len(TOPICS)] if chosen.questions else f"question {number}"
        body = json.dumps(spoken(number, f"<@U0BOT> {text}", channel=f"C{number % chosen.channels}")).encode()
        retry = {"X-Slack-Retry-Num": "1", "X-Slack-Retry-Reason": "http_timeout"} if place >= chosen.events else {}
        made.append((body, {"Content-Type": "application/json", **signed(body), **retry}))
    for number in range(chosen.forged):
        body = json.dumps(spoken(9000 + number, "<@U0BOT> forged")).encode()
        wrong = (signed(body, "guessed"), signed(body, at_s=time.time() - 400), {})[number % 3]
        made.append((body, {"Content-Type": "application/json", **wrong}))
    chance.shuffle(made)
    return made


def send(address: str, made: list[tuple[bytes, dict[str, str]]]) -> tuple[list[float], list[int]]:
    """Post from many connections at once; a few are held back for a while, as a network does."""
    chance = random.Random(3)
    delays = [chance.random() * 0.3 if chance.random() < 0.2 else 0.0 for _ in made]
    with httpx.Client(base_url=address, limits=httpx.Limits(max_connections=CLIENTS), timeout=30) as client:

        def post(one: tuple[float, tuple[bytes, dict[str, str]]]) -> tuple[float, int]:
            delay_s, (body, headers) = one
            time.sleep(delay_s)
            began = time.perf_counter()
            status = client.post("/slack/events", content=body, headers=headers).status_code
            return time.perf_counter() - began, status

        with ThreadPoolExecutor(CLIENTS) as pool:
            results = list(pool.map(post, zip(delays, made, strict=True)))
    return [seconds for seconds, _ in results], [status for _, status in results]


def listening(face: Face) -> str:
    """The app on a free port."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(application(face), log_level="error", ws="none"))
    threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True).start()
    while not server.started:
        time.sleep(0.01)
    return f"http://127.0.0.1:{listener.getsockname()[1]}"


if __name__ == "__main__":
    sys.exit(main())
