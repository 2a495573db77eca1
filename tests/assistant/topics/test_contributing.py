"""The worked example of CONTRIBUTING.md is the topic that runs, and its command answers."""

import io
import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from ui.cli import main

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
FILE = re.compile(r"^`(?P<path>assistant/topics/\S+)`\n\n```\w+\n(?P<code>.*?)\n```$", re.MULTILINE | re.DOTALL)


def shown() -> list[tuple[str, str]]:
    return [(match["path"], match["code"]) for match in FILE.finditer(TEXT)]


def test_every_file_of_the_topic_is_shown() -> None:
    folders = {Path(path).parent for path, _ in shown()}
    assert len(folders) == 1
    files = {file.name for file in (ROOT / folders.pop()).iterdir() if file.is_file() and file.name != "__init__.py"}
    assert {Path(path).name for path, _ in shown()} == files


@pytest.mark.parametrize(("path", "code"), shown(), ids=[path for path, _ in shown()])
def test_what_is_shown_is_what_runs(path: str, code: str) -> None:
    assert (ROOT / path).read_text(encoding="utf-8").rstrip() == code


def test_its_command_is_answered_by_the_topic(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], guidance_home: Path, advisor_home: Path
) -> None:
    shutil.copytree(guidance_home, advisor_home)
    command = TEXT[TEXT.index("echo '") :].split("```", 1)[0]
    line = shlex.split(command)[1].replace("\n", "")
    monkeypatch.setattr("sys.stdin", io.StringIO(line + "\n"))
    assert main(["ask", "--batch", "-"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["engine"].startswith("reading")
    assert "H100" in answer["answer"]
