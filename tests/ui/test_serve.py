"""Starting the server: the address it tells, and the refusals that help."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from assistant.agent import Advisor
from kb.base import BadInput
from ui.cli import main
from ui.serve import address, listen

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
