"""Two servers over one state: a conversation goes on whichever of them answers, and when one of them dies.

    python tests/bench/reliability/workers.py
    python tests/bench/reliability/workers.py --postgres
    python tests/bench/reliability/workers.py --database postgresql://advisor@127.0.0.1/advisor

Without a database both share one home (SQLite); with one, or with a fresh one of `--postgres`, each has a home of its
own. Every conversation names a model in its first turn and only changes the cards in the next, at the other server, so
that an answer about the right model shows that the turn before was seen. Then both are asked by the same conversation
at once; then a proxy stands before them, and one is killed while it is asked: whatever was answered must be kept.
"""

import argparse
import json
import sys
import tempfile
import threading
from contextlib import ExitStack
from dataclasses import replace
from http.client import HTTPException
from pathlib import Path
from typing import Any

from postgres import programs, running
from proxy import balancing
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
    kept = {str(one["id"]) for one in turns_of(servers[0], "shared")}
    return len(promised), len(kept & set(promised))


def outlived(servers: list[Server], askers: int, turns: int) -> tuple[int, int, int]:
    """Turns promised through a proxy while the first server is killed, those kept, and those that never were answered
    although they were sent up to three times."""
    promised: dict[str, list[str]] = {}
    failed = [0]
    asked = threading.Barrier(askers + 1)
    with balancing([server.port for server in servers]) as port:
        proxied = replace(servers[0], port=port)

        def work(name: str) -> None:
            for number in range(turns):
                if number == 1:
                    asked.wait(120)
                for _ in range(3):
                    try:
                        answer = ask(proxied, name, OPENINGS[number % len(OPENINGS)])
                    except (OSError, HTTPException):  # the server that was asked has died
                        continue
                    if answer:
                        promised.setdefault(name, []).append(str(answer["id"]))
                        break
                else:
                    failed[0] += 1

        workers = [threading.Thread(target=work, args=(f"outlived-{number}",)) for number in range(askers)]
        for worker in workers:
            worker.start()
        asked.wait(300)
        servers[0].kill()
        for worker in workers:
            worker.join()
    kept = sum(
        identifier in {str(one["id"]) for one in turns_of(servers[1], name)}
        for name, identifiers in promised.items()
        for identifier in identifiers
    )
    return sum(map(len, promised.values())), kept, failed[0]


def turns_of(server: Server, conversation: str) -> list[dict[str, Any]]:
    """The turns a conversation holds."""
    held: Any = json.loads(server.get(f"/v1/conversations/{conversation}"))
    turns: list[dict[str, Any]] = held if isinstance(held, list) else held["turns"]
    return turns


def main() -> int:
    """Print what was kept; fail when a turn was not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", default="", help="postgresql://… that both keep conversations in")
    parser.add_argument("--postgres", action="store_true", help="the same in a fresh one, where it is installed")
    parser.add_argument("--conversations", type=int, default=12)
    parser.add_argument("--turns", type=int, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        database = options.database
        if options.postgres:
            if (binaries := programs()) is None:
                print("no Postgres is installed; passed over")
                return 0
            database = stack.enter_context(running(binaries))
        extra = {"GPU_ADVISOR_DATABASE_URL": database} if database else {}
        homes = [Path(folder) / ("home" if not database else f"home-{number}") for number in range(2)]
        for home in dict.fromkeys(homes):
            prepared(home)
        servers = [stack.enter_context(serving(home, extra)) for home in homes]
        good = continuity(servers, options.conversations)
        promised, kept = at_once(servers, options.turns)
        sent, found, failed = outlived(servers, 4, options.turns)
    print(f"{'Postgres' if database else 'SQLite'}:")
    print(f"{good}/{options.conversations} conversations went on at the other server")
    print(f"{kept}/{promised} turns of one conversation kept, asked of both at once")
    print(
        f"{found}/{sent} turns kept that were answered through the proxy while one server was killed; {failed} failed"
    )
    fine = good == options.conversations and kept == promised == 2 * options.turns and found == sent and not failed
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
