"""Starting the server: the address it tells, and the refusals that help."""

import gc
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assistant.agent import Advisor
from assistant.line import Line
from kb.base import BadInput, IndexUnavailable
from ui.cli import main
from ui.serve import address, listen, settle
from ui.worker import YOUNG_OBJECTS

ROOT = Path(__file__).parents[2]


def test_a_port_in_use_is_named_with_another_to_try(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert main(["chat", "--port", str(port)]) == 2
    said = capsys.readouterr().err
    assert f"port: {port} is already in use." in said
    assert "--port" in said


@pytest.mark.parametrize(
    ("host", "port", "field"), [("127.0.0.1", 70_000, "port"), ("203.0.113.7", 0, "host")], ids=["port", "host"]
)
def test_an_address_that_cannot_be_had_names_the_field(host: str, port: int, field: str) -> None:
    with pytest.raises(BadInput) as refusal:
        listen(host, port)
    assert refusal.value.field == field


@pytest.mark.parametrize(
    ("host", "shown"),
    [("127.0.0.1", "http://127.0.0.1:7860"), ("0.0.0.0", "http://127.0.0.1:7860"), ("::1", "http://[::1]:7860")],
)
def test_the_address_is_one_a_browser_opens(host: str, shown: str) -> None:
    assert address(host, 7860) == shown


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
def test_the_server_tells_its_address_when_it_answers_and_stops_when_told(advisor: Advisor, shared_home: Path) -> None:
    code = "from ui.cli import main; raise SystemExit(main(['chat', '--port', '0']))"
    environment = {**os.environ, "GPU_ADVISOR_HOME": str(shared_home)}
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        lines = iter(server.stdout.readline, "")
        where = next(match[1] for line in lines if (match := re.search(r"GPU Advisor: (\S+)", line)))
        with urllib.request.urlopen(f"{where}/readyz", timeout=10) as answer:
            assert json.load(answer)["status"] == "ready"
        server.send_signal(signal.SIGTERM)
        assert server.wait(20) in {0, -signal.SIGTERM}


@pytest.fixture
def collector() -> Iterator[None]:
    """The collector as it was, afterwards."""
    thresholds = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*thresholds)
    gc.enable()


def alone(line: Line) -> Any:
    """What settles of an advisor that has no process beside it."""
    return SimpleNamespace(line=line, apart=None, prepare=list)


@pytest.mark.usefixtures("collector")
@pytest.mark.parametrize("broken", [False, True], ids=["loads", "does not load"])
def test_torch_is_loaded_once_nobody_waits_and_the_collector_works_from_then_on(
    monkeypatch: pytest.MonkeyPatch, broken: bool
) -> None:
    line, loaded = Line(), []

    class Embedder:
        def stay(self) -> None:
            loaded.append(line.held)
            if broken:
                raise IndexUnavailable("no torch here")

    monkeypatch.setattr("kb.embedder.embedder", Embedder)
    monkeypatch.setattr("ui.serve.LOOK_S", 0.005)
    gc.disable()
    with line.place():
        settling = threading.Thread(target=settle, args=(alone(line), 60.0))
        settling.start()
        settling.join(0.2)
        assert (loaded, gc.isenabled()) == ([], False)
    settling.join(60)
    assert loaded == [0]
    assert gc.isenabled()
    assert gc.get_threshold()[0] == YOUNG_OBJECTS
    assert gc.get_freeze_count() > 0


@pytest.mark.usefixtures("collector")
def test_torch_is_loaded_in_the_end_where_somebody_always_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    line, loaded = Line(), []

    class Embedder:
        def stay(self) -> None:
            loaded.append(line.held)

    monkeypatch.setattr("kb.embedder.embedder", Embedder)
    monkeypatch.setattr("ui.serve.LOOK_S", 0.005)
    with line.place():
        settle(alone(line), 0.05)
    assert loaded == [1]
