"""A real Postgres of the tests' own, in a folder of its own, reached through a socket in it."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

DEBIAN = Path("/usr/lib/postgresql")


def programs() -> Path:
    """The folder of initdb and pg_ctl; skips the test where there is none."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else sorted(DEBIAN.glob("*/bin"), reverse=True)
    missing = "" if folders else "no Postgres is installed (Debian: apt-get install postgresql)"
    if not missing and find_spec("psycopg") is None:
        missing = "the driver is not installed (pip install 'gpu-advisor[postgres]')"
    if missing:
        pytest.skip(missing)
    return folders[0]


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a fresh server; it refuses to run as root, so it is run as nobody then."""
    folder, binaries = Path(tempfile.mkdtemp(prefix="pg-")), programs()
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
