"""The real server in a process of its own, started, watched and stopped."""

import ctypes
import os
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
COMMAND = """\
import sys
from kb.settings import settings
from ui.serving.serve import serve
sys.exit(serve(settings().host, settings().port))
"""


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
        """Resident memory now, of the server and the processes beside it; what they share is counted once."""
        return sum(_share_of(pid) for pid in self.pids())

    def anonymous_bytes(self) -> int:
        """Memory of their own, now: without files, whose pages are shared with whoever else maps them."""
        return sum(_share_of(pid, "Pss_Anon:") for pid in self.pids())

    def pids(self) -> list[int]:
        """The server's process and those it started."""
        threads = Path(f"/proc/{self.process.pid}/task").iterdir()
        return [self.process.pid, *(int(child) for one in threads for child in _read(one / "children").split())]

    def descriptors(self) -> int:
        """Open files and sockets now, of all of them."""
        return sum(len(_entries(Path(f"/proc/{pid}/fd"))) for pid in self.pids())

    def threads(self) -> int:
        """Threads now."""
        return sum(len(_entries(Path(f"/proc/{pid}/task"))) for pid in self.pids())

    def processor_s(self) -> float:
        """Processor time that those running have used so far."""
        fields = [_read(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split() for pid in self.pids()]
        return sum((int(one[11]) + int(one[12])) / os.sysconf("SC_CLK_TCK") for one in fields if one)

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


def _share_of(pid: int, kind: str = "Pss:") -> int:
    """Bytes of memory a process holds, shared ones divided by those who share them; none once it is gone."""
    lines = _read(Path(f"/proc/{pid}/smaps_rollup")).splitlines()
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith(kind))


def _read(path: Path) -> str:
    """What a file of a process says; nothing once the process is gone."""
    try:
        return path.read_text()
    except OSError:
        return ""


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


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
    known = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GPU_ADVISOR_") or name == "GPU_ADVISOR_TODAY"
    }
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
