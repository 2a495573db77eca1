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
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assistant.agent import Advisor
from assistant.apart import PLACES
from assistant.line import Line
from kb.base import BadInput, IndexUnavailable
from kb.settings import Settings
from ui.cli import main
from ui.serving.serve import address, listen, settle
from ui.serving.worker import YOUNG_OBJECTS, beside, warm

ROOT = Path(__file__).parents[3]


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


@pytest.mark.skipif(sys.platform != "linux", reason="looks processes up in /proc")
@pytest.mark.usefixtures("advisor")
def test_a_process_beside_the_server_works_questions_out_and_ends_with_it(shared_home: Path) -> None:
    code = "from ui.cli import main; raise SystemExit(main(['chat', '--port', '0']))"
    environment = {**os.environ, "GPU_ADVISOR_HOME": str(shared_home), "GPU_ADVISOR_PROCESSES": "2"}
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        lines = iter(server.stdout.readline, "")
        where = next(match[1] for line in lines if (match := re.search(r"GPU Advisor: (\S+)", line)))
        threads = Path(f"/proc/{server.pid}/task").iterdir()
        (other,) = (int(child) for one in threads for child in (one / "children").read_text().split())
        before = processor_ticks(other)
        body = json.dumps({"question": "Can 3×L40S run Qwen2.5-72B in int4 for 7 users?"}).encode()
        request = urllib.request.Request(f"{where}/v1/ask", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            assert json.load(answer)["need"]["model"] == "Qwen/Qwen2.5-72B"
        assert processor_ticks(other) > before
        server.kill()
        server.wait(20)
    until = time.monotonic() + 20
    while Path(f"/proc/{other}").exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert not Path(f"/proc/{other}").exists()


def processor_ticks(pid: int) -> int:
    """Processor time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


@pytest.mark.parametrize(
    ("given", "cores", "beside_it"),
    [({}, 2, 1), ({}, 16, 1), ({}, 1, 0), ({"processes": 1}, 8, 0), ({"processes": 4}, 2, 3), ({"llm": "x:y"}, 8, 0)],
    ids=["two cores", "many cores", "one core", "one wanted", "four wanted", "a language model"],
)
def test_a_second_process_is_started_where_a_core_is_there_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: dict[str, Any], cores: int, beside_it: int
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    made = beside(Settings(home=tmp_path, **given))
    assert (made.places if made else 0) == beside_it * PLACES


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The collector as it was, afterwards; holds what was loaded meanwhile, which is not."""
    thresholds, loaded = gc.get_threshold(), list[str]()
    monkeypatch.setattr("tools.capacity_forecast.model.load", lambda: loaded.append("forecasts"))
    yield loaded
    gc.unfreeze()
    gc.set_threshold(*thresholds)
    gc.enable()


class Settling(SimpleNamespace):
    """What settles of an advisor, and how many were waiting when it prepared its answers."""

    def prepare(self, questions: list[str]) -> None:
        assert questions
        self.waiting.append(self.line.held)


def alone(line: Line) -> Any:
    """An advisor that has no process beside it."""
    return Settling(line=line, apart=None, waiting=[])


@pytest.mark.usefixtures("collector")
def test_suggestions_are_answered_once_nobody_waits_and_the_collector_works_from_then_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    service = alone(Line())
    monkeypatch.setattr("ui.serving.serve.LOOK_S", 0.005)
    gc.disable()
    with service.line.place():
        settling = threading.Thread(target=settle, args=(service, 60.0))
        settling.start()
        settling.join(0.2)
        assert (service.waiting, gc.isenabled()) == ([], False)
    settling.join(60)
    assert service.waiting == [0]
    assert gc.isenabled()
    assert gc.get_threshold()[0] == YOUNG_OBJECTS
    assert gc.get_freeze_count() > 0


def test_suggestions_are_answered_in_the_end_where_somebody_always_waits(
    monkeypatch: pytest.MonkeyPatch, collector: list[str]
) -> None:
    service = alone(Line())
    monkeypatch.setattr("ui.serving.serve.LOOK_S", 0.005)
    with service.line.place():
        settle(service, 0.05)
    assert service.waiting == [1]
    assert collector == ["forecasts"]


@pytest.mark.usefixtures("collector")
def test_suggestions_are_answered_at_once_where_another_process_works_them_out() -> None:
    service = alone(Line())
    service.apart = SimpleNamespace(ready=lambda: True)
    with service.line.place():
        settle(service, 60.0)
    assert service.waiting == [1]


def test_an_index_that_cannot_be_read_does_not_hinder_the_start(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(query: str) -> None:
        raise IndexUnavailable("no such table")

    monkeypatch.setattr("kb.retrieval.search.search", broken)
    warm()
    assert "without documents" in caplog.text
