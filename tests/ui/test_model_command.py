"""`gpu-advisor model`: what is found, tried, chosen and forgotten, and what the rest of the advisor makes of it."""

import json
import threading
from collections.abc import Iterator
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from assistant.agent import Advisor
from assistant.answer import Answer
from assistant.llm.choosing import finding
from assistant.llm.choosing.finding import Connection, Providers, providers
from assistant.llm.choosing.trial import questions, tried
from kb.base import BadInput
from kb.clock import today
from kb.model_choice import FILE, Models, ModelTrial, read_models, write_models
from kb.settings import Settings, settings
from ui.cli import main
from ui.cli.model import at_start

NAME = "ollama:qwen3:32b"
KEY = "sk-secret-of-a-test"


class Handler(BaseHTTPRequestHandler):
    """Lists one model, which answers every question with the same words and calls nothing."""

    def do_GET(self) -> None:
        self._send({"models": [{"name": "qwen3:32b", "size": 20_000_000_000, "details": {"parameter_size": "32.8B"}}]})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.keys.append(self.headers["Authorization"])  # type: ignore[attr-defined]
        message = {"role": "assistant", "content": "Perhaps."}
        usage = {"prompt_tokens": 70, "completion_tokens": 7, "total_tokens": 77}
        choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
        self._send(
            {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": choices, "usage": usage}
        )

    def _send(self, body: Any) -> None:
        written = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(written)))
        self.end_headers()
        self.wfile.write(written)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Say nothing."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ThreadingHTTPServer]:
    """Ollama on a free port, and nobody else."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.keys = []  # type: ignore[attr-defined]
        row = next(one for one in providers().servers if one.name == "ollama")
        rows = Providers(servers=(row.model_copy(update={"port": running.server_port}),), services=providers().services)
        monkeypatch.setattr(finding, "providers", lambda: rows)
        threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True).start()
        yield running
        running.shutdown()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of the test's own, without keys."""
    for service in providers().services:
        monkeypatch.delenv(service.key_variable, raising=False)
    monkeypatch.setenv("GPU_ADVISOR_HOME", str(tmp_path / "own"))
    settings.cache_clear()
    return tmp_path / "own"


def test_what_is_found_is_listed_with_what_is_used(
    server: ThreadingHTTPServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DEEPSEEK_API_KEY", KEY)
    assert main(["model"]) == 0
    said = capsys.readouterr().out
    assert f"{NAME}: Ollama" in said
    assert "32.8B" in said
    assert "deepseek:MODEL" in said
    assert KEY not in said
    assert main(["model", "--json"]) == 0
    state = json.loads(capsys.readouterr().out)
    assert state["used"] is None
    assert [one["name"] for one in state["found"]] == [NAME, "deepseek:"]
    assert server.keys == []  # type: ignore[attr-defined]


def test_a_choice_is_kept_used_and_forgotten(
    server: ThreadingHTTPServer, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["model", "choose", NAME]) == 0
    assert "not tried" in capsys.readouterr().out
    used = settings()
    assert (used.llm, used.llm_base_url) == ("openai:qwen3:32b", f"http://127.0.0.1:{server.server_port}/v1")
    assert at_start().startswith(f"Language model: {NAME}")
    assert main(["model", "forget"]) == 0
    assert settings().llm is None
    assert main(["model", "forget"]) == 0
    assert "None was chosen" in capsys.readouterr().out


def test_the_environment_comes_before_a_choice(
    server: ThreadingHTTPServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GPU_ADVISOR_LLM", "openai:other")
    settings.cache_clear()
    assert main(["model", "choose", NAME]) == 0
    assert "GPU_ADVISOR_LLM names another" in capsys.readouterr().err
    assert (settings().llm, settings().llm_base_url) == ("openai:other", None)


def test_a_key_is_kept_nowhere_and_follows_its_variable(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DEEPSEEK_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-another")
    assert main(["model", "choose", "deepseek:deepseek-chat"]) == 0
    kept = (home / FILE).read_text(encoding="utf-8")
    assert "DEEPSEEK_API_KEY" in kept
    assert KEY not in kept + capsys.readouterr().out
    assert settings().llm_api_key == KEY
    monkeypatch.delenv("DEEPSEEK_API_KEY")
    settings.cache_clear()
    assert settings().llm_api_key == "none"  # and not the key of somebody else
    assert "DEEPSEEK_API_KEY is not set" in at_start()


def test_a_trial_is_shown_kept_and_decides_who_drives(
    server: ThreadingHTTPServer, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    few = questions().model_copy(update={"questions": questions().questions[:2]})
    monkeypatch.setattr("assistant.llm.choosing.trial.questions", lambda: few)
    monkeypatch.setattr("ingest.apart.ensure_bundled_apart", lambda: None)
    assert main(["model", "try", NAME]) == 1
    said = capsys.readouterr().out
    assert said.count("WRONG") == 2
    assert "failed: 0 of 2 right" in said
    trial = read_models(home).trials[0]
    assert (trial.name, trial.passed, trial.of, trial.day) == (NAME, False, 2, today())
    assert set(trial.failed) == {one.id for one in few.questions}
    assert [path.name for path in home.iterdir() if path.suffix == ".sqlite"] == []  # no conversation of the person's
    assert set(server.keys) == {"Bearer none"}  # type: ignore[attr-defined]
    assert main(["model", "choose", NAME]) == 0
    assert "only reads" in capsys.readouterr().out
    assert main(["model", "try", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["name"] == NAME


@pytest.mark.parametrize(
    "arguments",
    [["try"], ["choose", "qwen3"], ["choose", "ollama:qwen3:33b"], ["choose", "openai:gpt-x"], ["choose", "mistral:"]],
    ids=" ".join,
)
def test_bad_names_are_refused_with_a_remedy(
    server: ThreadingHTTPServer, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["model", *arguments]) == 2
    assert capsys.readouterr().err.startswith("gpu-advisor: ")


@pytest.mark.parametrize("text", ["{", "[]", '{"chosen": {"name": 5}}', '{"more": 1}'])
def test_a_broken_file_is_named(home: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    home.mkdir()
    (home / FILE).write_text(text, encoding="utf-8")
    assert main(["model"]) == 2
    assert FILE in capsys.readouterr().err


def test_what_is_kept_is_read_again(home: Path) -> None:
    trial = ModelTrial(name="a:b", llm="a:b", passed=True, right=9, of=10, seconds=1.5, day=date(2026, 5, 1))
    write_models(home, Models(trials=(trial,)))
    assert read_models(home) == Models(trials=(trial,))
    assert [path.name for path in home.iterdir()] == [FILE]


def test_a_home_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="GPU_ADVISOR_HOME"):
        write_models(tmp_path / "file", Models())


@pytest.mark.parametrize(
    ("variable", "value", "field", "expected"),
    [
        ("GPU_ADVISOR_LLM_ROLE", "read", "llm_role", "read"),
        ("GPU_ADVISOR_LLM_ROLE", "", "llm_role", "auto"),
        ("GPU_ADVISOR_STRICT", "1", "strict", True),
        ("GPU_ADVISOR_STRICT", "", "strict", False),
        ("GPU_ADVISOR_LLM_TIMEOUT_S", "", "llm_timeout_s", 300.0),
    ],
)
def test_the_settings_are_read(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, field: str, expected: object
) -> None:
    monkeypatch.setenv(variable, value)
    assert getattr(Settings.from_environment(), field) == expected


class Relabelled:
    """An answer of the planner as though a model had given it: what is judged besides is real."""

    engine = "llm:openai:m"

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._answer, name)


def test_the_checks_can_be_met_with_the_real_tools(home: Path) -> None:
    advisor = Advisor(Settings(home=home))
    model = Connection(name="ollama:m", llm="openai:m")
    trial = tried(model, lambda question, conversation: Relabelled(advisor.ask(question, conversation)), today())
    advisor.conversations.close()
    assert trial.right >= 8, trial.failed
