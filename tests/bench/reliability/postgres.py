"""A fresh Postgres of this machine's own, for as long as a block lasts."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PROGRAMS = Path("/usr/lib/postgresql")


def programs() -> Path | None:
    """The folder of initdb and pg_ctl; none where no Postgres is installed."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    return next(iter(sorted(PROGRAMS.glob("*/bin"), reverse=True)), None)


@contextmanager
def running(binaries: Path) -> Iterator[str]:
    """The address of a server; it refuses to run as root, so it is run as nobody then.

    Raises:
        RuntimeError: it does not start; holds what it said.
    """
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    user = "nobody" if os.geteuid() == 0 else None
    if user:
        shutil.chown(folder, user)
    command = ["setpriv", "--reuid", user, "--clear-groups", "--"] if user else []

    def run(*arguments: str) -> None:
        done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False, cwd=folder)
        if done.returncode:
            raise RuntimeError(f"{arguments[0]}: {done.stdout}{done.stderr}")

    data = str(folder / "data")
    control = [str(binaries / "pg_ctl"), "--pgdata", data, "--wait", "--log", str(folder / "log")]
    try:
        run(str(binaries / "initdb"), "--pgdata", data, "--auth", "trust", "--username", "advisor", "--no-sync")
        run(*control, "--options", f"-k {folder} -c listen_addresses='' -c max_connections=40", "start")
        try:
            yield f"postgresql://advisor@/postgres?host={folder}"
        finally:
            run(*control, "--mode", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
