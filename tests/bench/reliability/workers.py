"""Two servers over one state, asked in turn as a proxy would: a conversation goes on whichever of them answers.

    python tests/bench/reliability/workers.py
    python tests/bench/reliability/workers.py --database postgresql://advisor@127.0.0.1/advisor

Without a database both share one home (SQLite); with one, each has a home of its own. Every conversation names a model
in its first turn and only changes the cards in the next, at the other server, so that an answer about the right model
shows that the turn before was seen. Then both are asked by the same conversation at once.
"""

import argparse
import json
import sys
import tempfile
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from server import Server, prepared, serving

OPENINGS = ("Can 4×3090 run Qwen2.5-72B?", "4 张 3090 能跑 Llama-3.1-70B 吗？", "Can 2×4090 run Qwen2.5-32B?")
FOLLOWING = ("And on 2×H100?", "换成 2 张 H100 呢？", "And with 1×A100 80GB?")


def ask(server: Server, conversation: str, question: str) -> dict[str, Any]:
    """The answer; empty when it was refused."""
    body = json.dumps({"question": question, "conversation_id": conversation}).encode()
    status, answer = server.post("/v1/ask", body)
    data: dict[str, Any] = json.loads(answer) if status == 200 else {}
    return data


def continuity(servers: list[Server], conversations: int) -> int:
    """Conversations whose second turn, at the other server, knew the model of the first."""
    good = 0
    for number in range(conversations):
        name, place = f"round-{number}", number % len(OPENINGS)
        first = ask(servers[number % 2], name, OPENINGS[place])
        second = ask(servers[(number + 1) % 2], name, FOLLOWING[place])
        good += bool(first) and bool(second) and first["need"]["model"] == second["need"]["model"]
    return good


def at_once(servers: list[Server], turns: int) -> tuple[int, int]:
    """Turns promised to one conversation by both servers together, and those that it holds."""
    promised: list[str] = []

    def work(server: Server) -> None:
        answers = (ask(server, "shared", OPENINGS[number % len(OPENINGS)]) for number in range(turns))
        promised.extend(answer["id"] for answer in answers if answer)

    workers = [threading.Thread(target=work, args=(server,)) for server in servers]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    held = json.loads(servers[0].get("/v1/conversations/shared"))
    kept = {str(one["id"]) for one in (held if isinstance(held, list) else held["turns"])}
    return len(promised), len(kept & set(promised))


def main() -> int:
    """Print what was kept; fail when a turn was not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", default="", help="postgresql://… that both keep conversations in")
    parser.add_argument("--conversations", type=int, default=12)
    parser.add_argument("--turns", type=int, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        extra = {"GPU_ADVISOR_DATABASE_URL": options.database} if options.database else {}
        homes = [Path(folder) / ("home" if not options.database else f"home-{number}") for number in range(2)]
        for home in set(homes):
            prepared(home)
        servers = [stack.enter_context(serving(home, extra)) for home in homes]
        good = continuity(servers, options.conversations)
        promised, kept = at_once(servers, options.turns)
    print(f"{good}/{options.conversations} conversations went on at the other server")
    print(f"{kept}/{promised} turns of one conversation kept, asked of both at once")
    return 0 if good == options.conversations and kept == promised == 2 * options.turns else 1


if __name__ == "__main__":
    sys.exit(main())
