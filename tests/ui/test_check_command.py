"""`gpu-advisor check`: for people, for CI, for programs; and the same over REST."""

import json
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from ui.api import check
from ui.cli import main

WRONG = "vllm serve Qwen/Qwen2.5-7B-Instruct --tensor-parallel-size 8\n"
RIGHT = "vllm serve Qwen/Qwen2.5-7B-Instruct --tensor-parallel-size 4\n"


def written(folder: Path, text: str) -> str:
    file = folder / "serve.sh"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_what_would_not_run_ends_with_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", written(tmp_path, WRONG)]) == 1
    said = capsys.readouterr().out
    assert "serve.sh:1: stops [serve.heads-by-tp] --tensor-parallel-size 8" in said


def test_what_runs_ends_with_zero(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", written(tmp_path, RIGHT)]) == 0
    assert "No rule fired" in capsys.readouterr().out


def test_findings_are_annotations_for_github(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "--format", "github", written(tmp_path, WRONG)])
    line = capsys.readouterr().out.strip()
    assert line.startswith("::error file=")
    assert ",line=1,title=serve.heads-by-tp::28 attention heads" in line


def test_json_holds_the_corrected_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "--format", "json", written(tmp_path, WRONG)])
    (row,) = json.loads(capsys.readouterr().out)
    assert row["corrected_text"] == WRONG.replace("8", "7")


def test_a_missing_file_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tmp_path / "none.sh")]) == 2
    assert "cannot be read" in capsys.readouterr().err


def test_rest_checks_a_text() -> None:
    app = FastAPI()
    app.include_router(check.router())
    answer = TestClient(app).post("/v1/check", json={"text": WRONG, "cards": "8x A100 80GB"})
    assert answer.status_code == 200
    assert [one["rule"] for one in answer.json()["findings"]] == ["serve.heads-by-tp"]
