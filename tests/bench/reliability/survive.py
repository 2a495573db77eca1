"""Kill the server in the middle of turns, fill its disk, take away its right to write; then count what was lost.

    python tests/bench/reliability/survive.py --kills 50

An answer with status 200 is a promise: after a kill every promised turn must be in its conversation, once. With a full
disk or a read-only home the tools must go on answering, and a turn that cannot be kept must say so instead of failing.
"""

import argparse
import json
import random
import resource
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from questions import POPULAR
from server import Server, prepared, serving, start, without_rights

TOOL = json.dumps({"model": "Qwen2.5-72B", "gpu": "rtx-3090"}).encode()


def ask(server: Server, conversation: str, question: str) -> str | None:
    """The id of a promised answer; None when there was none."""
    body = json.dumps({"question": question, "conversation_id": conversation}).encode()
    try:
        status, answer = server.post("/v1/ask", body)
    except OSError:
        return None
    return str(json.loads(answer)["id"]) if status == 200 else None


def kept(server: Server, conversation: str) -> list[str]:
    """Ids of the turns that a conversation holds."""
    try:
        held = json.loads(server.get(f"/v1/conversations/{conversation}"))
    except OSError:
        return []
    turns = held if isinstance(held, list) else held["turns"]
    return [str(one["id"]) for one in turns]


def kills(home: Path, times: int, seed: int = 1) -> tuple[int, int, int]:
    """Promised turns, those lost, and those kept twice, over so many kills at random moments."""
    order = random.Random(seed)
    promised: dict[str, list[str]] = {}
    lost = twice = 0
    for number in range(times):
        server = start(home)
        for conversation, identifiers in promised.items():
            found = kept(server, conversation)
            lost += sum(one not in found for one in identifiers)
            twice += len(found) - len(set(found))
        promised.clear()
        askers = []
        for client in range(2):

            def work(name: str = f"kill-{number}-{client}", server: Server = server) -> None:
                while identifier := ask(server, name, order.choice(POPULAR)):
                    promised.setdefault(name, []).append(identifier)

            askers.append(threading.Thread(target=work, daemon=True))
            askers[-1].start()
        time.sleep(order.uniform(0.3, 1.5))
        server.kill()
        for asker in askers:
            asker.join(60)
    with serving(home) as server:
        for conversation, identifiers in promised.items():
            lost += sum(one not in kept(server, conversation) for one in identifiers)
    return times, lost, twice


def hampered(home: Path, name: str, before: Callable[[], None]) -> list[str]:
    """What a server answers that cannot write: the status of a tool, a turn and a search."""
    try:
        server = start(home, before=before, until="/healthz")  # such a server is never ready, and says so
    except RuntimeError as problem:
        return [f"{name}: does not start: {str(problem).strip().splitlines()[-1][:160]}"]
    try:
        lines = []
        for what, path, body in (
            ("tool", "/v1/tools/estimate_memory", TOOL),
            ("turn", "/v1/ask", json.dumps({"question": POPULAR[0]}).encode()),
            ("search", "/v1/kb/search", b'{"query": "NVLink"}'),
        ):
            status, answer = server.post(path, body)
            lines.append(f"{name}: {what} {status} {answer[:120].decode(errors='replace') if status != 200 else ''}")
        try:
            lines.append(f"{name}: readyz {json.loads(server.get('/readyz')).get('status')}")
        except OSError as problem:
            lines.append(f"{name}: readyz {problem}")
        return lines
    finally:
        server.kill()


def small_files() -> None:
    """No file may grow beyond what it is now, as far as a process can be told: 4 KiB."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


def open_to_read(folder: Path) -> None:
    """Everybody may read, nobody may write."""
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)


HAMPERED = 2
"""Homes that cannot be written; a server that does not start over one of them answers nothing there."""


def main() -> int:
    """Print what was lost; fail when anything was."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = prepared(Path(folder) / "home")
        done, lost, twice = kills(home, options.kills)
        print(f"{done} kills: {lost} promised turns lost, {twice} kept twice")
        lines = hampered(home, "disk full", before=small_files)
        read_only = Path(folder) / "read-only"
        shutil.copytree(home, read_only)
        open_to_read(read_only)
        lines += hampered(read_only, "read-only home", before=without_rights)
        print("\n".join(lines))
    told = [line for line in lines if ": tool" in line or ": turn" in line]
    all_answer = len(told) == 2 * HAMPERED and all(" 200" in line for line in told)
    no_failure = not any(f" {status} " in line for line in lines for status in (500, 502))
    return 0 if not lost and not twice and all_answer and no_failure else 1


if __name__ == "__main__":
    sys.exit(main())
