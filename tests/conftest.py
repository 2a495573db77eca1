"""What every test gets: a home of its own, no network beyond this machine, a browser where one is installed."""

import ipaddress
import os
import shutil
import socket
from collections.abc import Callable, Iterator
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from filelock import FileLock

from kb.settings import settings, stay_offline

LANGUAGE_MODEL = {name: value for name, value in os.environ.items() if name.startswith("GPU_ADVISOR_LLM") and value}
"""The person's own setting, kept for the tests marked `live` and hidden from all others."""

FRESH = date(2026, 11, 21)
"""A day soon after the newest price of the catalog; to be moved when one is newer."""
DAY = os.environ.get("GPU_ADVISOR_TODAY") or FRESH.isoformat()
"""The day on which all tests run but those that rest on fresh prices; `make test-dates` sets others."""

for name in [name for name in os.environ if name.startswith("GPU_ADVISOR_")]:
    del os.environ[name]
os.environ["GPU_ADVISOR_TODAY"] = DAY  # processes that tests start are told it too
os.environ["LC_ALL"] = "C.UTF-8"  # a refusal speaks the language of the terminal, whoever runs the tests
stay_offline()

# The same examples on every machine and day: what passes here passes there. `make test-random` looks for others.
hypothesis.settings.register_profile("same", derandomize=True, database=None)
hypothesis.settings.register_profile("random", max_examples=500)
hypothesis.settings.load_profile("same")


LONGEST = ("tests/ui/browser/", "tests/reliability/", "tests/ui/", "tests/ingest/")
"""Folders whose files take longest: begun first, so that no processor waits for the other at the end."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest; whatever the order, the tests are the same."""
    items.sort(key=_late)


def _late(item: pytest.Item) -> int:
    return next((n for n, folder in enumerate(LONGEST) if item.nodeid.startswith(folder)), len(LONGEST))


class NetworkBlocked(OSError):
    """A test reached for an address outside this machine."""


def _is_local(sock: socket.socket, address: Any) -> bool:
    if sock.family not in (socket.AF_INET, socket.AF_INET6):
        return True
    host = address[0]
    if host in ("", "localhost"):
        return True
    try:
        ip = ipaddress.ip_address(host.split("%")[0])
    except ValueError:
        return False
    return ip.is_loopback or ip.is_unspecified


def _guarded(original: Callable[..., Any], attempts: list[str]) -> Callable[..., Any]:
    def call(sock: socket.socket, *arguments: Any) -> Any:
        address = arguments[-1]
        if not _is_local(sock, address):
            attempts.append(f"{address[0]}:{address[1]}")
            raise NetworkBlocked(f"tests reach only this machine, not {address[0]}:{address[1]}")
        return original(sock, *arguments)

    return call


def _guarded_lookup(original: Callable[..., Any], attempts: list[str]) -> Callable[..., Any]:
    def getaddrinfo(host: Any, *arguments: Any, **options: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name in (None, "", "localhost", socket.gethostname()) or _is_number(name):
            return original(host, *arguments, **options)
        attempts.append(name)
        raise socket.gaierror(socket.EAI_NONAME, f"tests look up no name outside this machine: {name}")

    return getaddrinfo


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host.split("%")[0])
    except ValueError:
        return False
    return True


@pytest.fixture(scope="session")
def network_attempts() -> Iterator[list[str]]:
    """Block every address outside this machine for the whole run; gives the attempts seen so far."""
    attempts: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        for method in ("connect", "connect_ex", "sendto"):
            patch.setattr(socket.socket, method, _guarded(getattr(socket.socket, method), attempts))
        patch.setattr(socket, "getaddrinfo", _guarded_lookup(socket.getaddrinfo, attempts))
        yield attempts


@pytest.fixture(autouse=True)
def _no_network(network_attempts: list[str], request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test whose code reached out, even where that code swallowed the error."""
    network_attempts.clear()
    yield
    if network_attempts and request.node.get_closest_marker("live") is None:
        reached = ", ".join(sorted(set(network_attempts)))
        network_attempts.clear()
        pytest.fail(f"reached for {reached}")


@pytest.fixture(autouse=True)
def advisor_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A fresh `GPU_ADVISOR_HOME`, so that no test sees another's state or the person's own."""
    home = tmp_path / "gpu-advisor-home"
    monkeypatch.setenv("GPU_ADVISOR_HOME", str(home))
    settings.cache_clear()
    yield home
    settings.cache_clear()


@pytest.fixture(scope="session")
def guidance_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose index holds the bundled guidance, to be copied: building it takes half a minute of a processor.

    The processes of one run share it; whoever comes first builds it.
    """
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    home = shared / "guidance-home"
    with FileLock(shared / "guidance-home.lock"), pytest.MonkeyPatch.context() as patch:
        if not home.exists():
            from ingest.sync import ensure_bundled

            building = shared / "guidance-home-building"
            patch.setenv("GPU_ADVISOR_HOME", str(building))
            settings.cache_clear()
            ensure_bundled()
            building.rename(home)
    settings.cache_clear()
    return home


@pytest.fixture
def on_day(advisor_home: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Makes another day of today, for the rest of the test: `on_day("2027-06-01")`."""

    def set_day(day: str) -> None:
        monkeypatch.setenv("GPU_ADVISOR_TODAY", day)
        settings.cache_clear()

    return set_day


@pytest.fixture
def fresh_prices(on_day: Callable[[str], None]) -> None:
    """For what is answered out of prices of the catalog that are still fresh."""
    on_day(FRESH.isoformat())


@pytest.fixture(autouse=True)
def _language_model(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hand the person's language model to live tests; without one they are skipped."""
    if request.node.get_closest_marker("live") is None:
        return
    if "GPU_ADVISOR_LLM" not in LANGUAGE_MODEL:
        pytest.skip("GPU_ADVISOR_LLM names no language model")
    for name, value in LANGUAGE_MODEL.items():
        monkeypatch.setenv(name, value)


@pytest.fixture(scope="session")
def chromium() -> str:
    """Path of an installed Chromium, to be given to playwright as `executable_path`."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    if os.environ.get("CI") == "true":
        pytest.fail("CI must have Chromium: .ci/run installs it")
    pytest.skip("no Chromium is installed (Debian: apt-get install chromium fonts-noto-cjk)")


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a fresh server; skips the test where none is installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parent / "bench" / "reliability"))
        from postgres import programs, running
    if (binaries := programs()) is None:
        pytest.skip("no Postgres is installed (Debian: apt-get install postgresql)")
    if find_spec("psycopg") is None:
        pytest.skip("the driver is not installed (pip install 'gpu-advisor[postgres]')")
    with running(binaries) as address:
        yield address


@pytest.fixture
def guidance(guidance_home: Path, advisor_home: Path) -> Path:
    """This test's home with the bundled guidance in its index."""
    shutil.copytree(guidance_home, advisor_home)
    return advisor_home
