"""The real server in a process of its own, started, watched and stopped."""

import ctypes
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

START_S = 300.0
IDLE_S = 0.06
"""Processor time in a second below which a server does nothing."""
COMMAND = (
    "import sys; from kb.settings import settings as s; from ui.serve import serve; sys.exit(serve(s().host, s().port))"
)


@dataclass(frozen=True, slots=True)
class Server:
    """A running server."""

    process: "subprocess.Popen[bytes]"
    port: int
    home: Path
    started_s: float
    """Seconds from the start of the process to the first answer of /readyz."""

    def get(self, path: str, timeout_s: float = 30.0) -> bytes:
        """The body of a page."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=timeout_s) as answer:
            return bytes(answer.read())

    def post(self, path: str, body: bytes, timeout_s: float = 60.0) -> tuple[int, bytes]:
        """Status and body."""
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", body, headers)
        try:
            with urllib.request.urlopen(request, timeout=timeout_s) as answer:
                return answer.status, bytes(answer.read())
        except urllib.error.HTTPError as refused:
            return refused.code, bytes(refused.read())

    def memory_bytes(self) -> int:
        """Resident memory now."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * resource.getpagesize()

    def descriptors(self) -> int:
        """Open files and sockets now."""
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))

    def threads(self) -> int:
        """Threads now."""
        return len(list(Path(f"/proc/{self.process.pid}/task").iterdir()))

    def processor_s(self) -> float:
        """Processor time it has used so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def settled(self, within_s: float = 120.0) -> "Server":
        """Itself, once it idles: what it loads after its start would be counted as the cost of the first questions."""
        until = time.monotonic() + within_s
        while time.monotonic() < until:
            before = self.processor_s()
            time.sleep(1)
            if self.processor_s() - before < IDLE_S:
                break
        return self

    def kill(self) -> None:
        """End it as a power cut would, as far as a process can tell."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(30)


def without_rights() -> None:
    """Give up, before a program begins, what lets root write where the file's rights say no."""
    drop = 24  # PR_CAPBSET_DROP
    for capability in (1, 2, 3):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER
        ctypes.CDLL(None).prctl(drop, capability, 0, 0, 0)


def prepared(home: Path) -> Path:
    """The home, with the index of an earlier run where `RELIABILITY_INDEX` names one: building it takes most time."""
    if source := os.environ.get("RELIABILITY_INDEX"):
        shutil.copytree(source, home / "index", dirs_exist_ok=True)
    return home


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start(
    home: Path,
    extra: dict[str, str] | None = None,
    before: Callable[[], None] | None = None,
    *,
    until: str = "/readyz",
) -> Server:
    """Start a server over this home and wait until it is ready, or answers another page.

    Raises:
        RuntimeError: it ended, or was not ready in time; holds what it printed.
    """
    port = free_port()
    known = {name: value for name, value in os.environ.items() if not name.startswith("GPU_ADVISOR_")}
    environment = known | {"GPU_ADVISOR_HOME": str(home), "GPU_ADVISOR_PORT": str(port)} | (extra or {})
    log = (home.parent / f"server-{port}.log").open("wb")
    started = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND], env=environment, stdout=log, stderr=log, preexec_fn=before
    )
    log.close()
    server = Server(process, port, home, 0.0)
    while time.monotonic() - started < START_S:
        if process.poll() is not None:
            break
        try:
            server.get(until, timeout_s=5)
        except OSError:
            time.sleep(0.05)
            continue
        return Server(process, port, home, time.monotonic() - started)
    process.kill()
    process.wait(30)
    raise RuntimeError(Path(log.name).read_text(errors="replace")[-2000:])


@contextmanager
def serving(home: Path, extra: dict[str, str] | None = None) -> Iterator[Server]:
    """A server for the length of a block."""
    server = start(home, extra)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.process.terminate()
            try:
                server.process.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()
