"""The generated pages: in step with the code, and checked to be."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from kb.catalog import gpus
from tools.registry import tools
from ui.assets import asset
from ui.reference.docs import PAGES, kind, main, table


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """The pages, written anew."""
    assert main(["--folder", str(tmp_path)]) == 0
    return tmp_path


def test_pages_just_written_are_in_step(written: Path) -> None:
    assert sorted(path.name for path in written.iterdir()) == sorted(PAGES)
    assert main(["--folder", str(written), "--check"]) == 0


def test_a_page_changed_by_hand_is_named(written: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (written / "tools.md").write_text("mine", encoding="utf-8")
    assert main(["--folder", str(written), "--check"]) == 1
    assert "docs/tools.md" in capsys.readouterr().err
    assert (written / "tools.md").read_text(encoding="utf-8") == "mine"


def test_every_tool_every_field_and_every_gpu_is_described(written: Path) -> None:
    page = (written / "tools.md").read_text(encoding="utf-8")
    for tool in tools().values():
        assert f"## {tool.name}\n" in page
        assert all(f"| `{name}` |" in page for name in tool.request.model_fields)
    catalog = (written / "catalog.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in catalog for name in gpus())


@pytest.mark.parametrize("command", ["ask", "tool", "ingest", "kb search", "kb check", "chat", "mcp"])
def test_every_command_is_described(written: Path, command: str) -> None:
    assert f"## gpu-advisor {command}\n" in (written / "cli.md").read_text(encoding="utf-8")


def test_every_address_is_described(written: Path) -> None:
    page = (written / "api.md").read_text(encoding="utf-8")
    for address in ("POST /v1/ask", "POST /v1/tools/estimate_memory", "GET /v1/catalog/{kind}", "GET /metrics"):
        assert f"`{address}`" in page


def test_cells_hold_neither_bars_nor_line_breaks() -> None:
    assert table(("a",), [("x | y\nz",)]).splitlines()[-1] == "| x \\| y z |"


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ({"type": "integer", "exclusiveMinimum": 0, "maximum": 10}, "integer, > 0, ≤ 10"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "string"),
        ({"enum": ["a", "b"]}, "`a` `b`"),
        ({"type": "array", "items": {"type": "number"}}, "list of number"),
    ],
)
def test_types_are_put_in_words(field: dict[str, object], words: str) -> None:
    assert kind(field, {}) == words


EXAMPLES = re.findall(r"```(\w+)\n(.*?)```", asset("examples.md"), re.DOTALL)
RUNNERS = {
    "bash": ["bash", "-ec"],
    "python": [sys.executable, "-c"],
    "javascript": ["node", "--input-type=module", "-e"],
}
NEEDED = {"bash": "curl", "python": sys.executable, "javascript": "node"}


@pytest.mark.parametrize(("language", "code"), EXAMPLES, ids=[f"{kind}-{n}" for n, (kind, _) in enumerate(EXAMPLES)])
def test_the_examples_of_the_page_run_as_they_stand(address: str, language: str, code: str) -> None:
    if shutil.which(NEEDED[language]) is None:
        pytest.skip(f"{NEEDED[language]} is not installed")
    command = [*RUNNERS[language], code.replace("http://127.0.0.1:7860", address)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert "4090" in done.stdout or "3090" in done.stdout


NOT_TRIED = {"/v1/feedback", "/v1/kb/documents", "/v1/read"}
"""One judges an answer that was given before, one adds a document that others would find, one needs a language model;
tested elsewhere."""


def test_every_request_of_the_openapi_document_has_an_example_that_runs(site: TestClient) -> None:
    spec = site.get("/openapi.json").json()
    schemas = spec["components"]["schemas"]
    for path, verbs in spec["paths"].items():
        for verb, operation in verbs.items():
            shape = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
            if not shape or "{" in path:
                continue
            schema = shape["schema"]
            schema = schema | schemas.get(schema.get("$ref", "").rsplit("/", 1)[-1], {})
            named = {name: field["examples"][0] for name, field in schema["properties"].items() if "examples" in field}
            whole = (shape.get("examples") or schema.get("examples") or [named])[0]
            if path in NOT_TRIED:
                continue
            assert whole, path
            assert site.request(verb, path, json=whole).status_code in {200, 201}, (path, whole)
