"""The command line: fields typed as people type them, tables at a terminal, JSON in pipes, completion in shells."""

import io
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from assistant.agent import Advisor
from kb.base import BadInput, Frozen, UnknownName
from tools.need import Budget, GpuCount
from tools.registry import HOMES, tool, tools
from ui.cli import completion, main, parser
from ui.cli.fields import read
from ui.cli.terminal import safe, show_answer, show_result

ROOT = Path(__file__).parents[2]
REQUEST = {"model": "Qwen2.5-72B", "gpu": "4090", "weight_format": "int4"}


class Shape(Frozen):
    """A request with every kind of field."""

    name: str | None = None
    count: int | None = None
    fused: bool = False
    names: tuple[str, ...] = ()
    owned: tuple[GpuCount, ...] = ()
    budget: Budget | None = None


@pytest.mark.parametrize(
    ("arguments", "given"),
    [
        pytest.param(["--name", "a b"], {"name": "a b"}, id="text"),
        pytest.param(["--name=--x"], {"name": "--x"}, id="equals"),
        pytest.param(["--count", "-1"], {"count": "-1"}, id="negative number"),
        pytest.param(["--count", "null"], {"count": None}, id="null"),
        pytest.param(["--name", "none"], {"name": "none"}, id="none is a word where text is wanted"),
        pytest.param(["--fused"], {"fused": "true"}, id="switch"),
        pytest.param(["--fused", "false"], {"fused": "false"}, id="switch off"),
        pytest.param(["--names", "a,b"], {"names": ["a", "b"]}, id="commas"),
        pytest.param(["--names", "a", "b", "--names", "c"], {"names": ["a", "b", "c"]}, id="several"),
        pytest.param(["--names", '["a, b"]'], {"names": ["a, b"]}, id="list in JSON"),
        pytest.param(["--owned", '{"gpu": "x", "count": 2}'], {"owned": [{"gpu": "x", "count": 2}]}, id="one object"),
        pytest.param(["--budget", '{"amount": 5}'], {"budget": {"amount": 5}}, id="object"),
        pytest.param(
            ["--budget.amount", "5", "--budget.mode", "buy"], {"budget": {"amount": "5", "mode": "buy"}}, id="parts"
        ),
        pytest.param([], {}, id="nothing"),
    ],
)
def test_fields_are_read_as_they_are_written(arguments: list[str], given: dict[str, Any]) -> None:
    assert read(Shape, arguments) == given


def test_dashes_and_underscores_are_alike() -> None:
    request = tool("estimate_memory").request
    assert read(request, ["--context-tokens", "8"]) == read(request, ["--context_tokens", "8"])


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (["text"], "arguments"),
        (["--name"], "name"),
        (["--name", "a", "b"], "name"),
        (["--name", "a", "--name", "b"], "name"),
        (["--budget", "{broken"], "budget"),
    ],
)
def test_what_cannot_be_read_names_the_field(arguments: list[str], field: str) -> None:
    with pytest.raises(BadInput) as refusal:
        read(Shape, arguments)
    assert refusal.value.field == field


def test_an_unknown_option_names_the_closest() -> None:
    with pytest.raises(UnknownName) as refusal:
        read(Shape, ["--nmes", "a"])
    assert "--names" in refusal.value.close


def test_a_text_may_come_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("a log\nof two lines"))
    assert read(Shape, ["--name", "-"]) == {"name": "a log\nof two lines"}


@pytest.mark.parametrize("name", list(HOMES))
def test_the_help_of_a_tool_names_every_field(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tool", name, "--help"]) == 0
    said = capsys.readouterr().out
    assert all(f"--{field} " in said for field in tool(name).request.model_fields)


def test_fields_and_json_give_the_same_result(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tool", "estimate_memory", *(f"--{name}={value}" for name, value in REQUEST.items())]) == 0
    by_field = capsys.readouterr().out
    assert main(["tool", "estimate_memory", "--json", json.dumps(REQUEST)]) == 0
    assert capsys.readouterr().out == by_field


def console(width: int = 100) -> tuple[Console, io.StringIO]:
    """A terminal without colours, and what is written on it."""
    page = io.StringIO()
    return Console(file=page, force_terminal=False, width=width), page


@pytest.mark.parametrize(
    ("name", "request_"),
    [
        ("estimate_memory", REQUEST),
        ("configure", {"model": "llama-3.1-8b", "task": "inference"}),
        ("compare_gpus", {"gpus": ["4090", "A6000"]}),
        ("find_gpus", {"min_memory_bytes": 80 * 2**30}),
        ("estimate_inference_speed", {"model": "llama-3.1-8b", "gpu": "4090"}),
    ],
)
def test_a_result_is_shown_with_its_arithmetic_and_sources(name: str, request_: dict[str, Any]) -> None:
    terminal, page = console()
    result = tool(name).call(request_).model_dump(mode="json")
    show_result(name, result, terminal)
    said = page.getvalue()
    assert all(len(line) <= 100 for line in said.splitlines())
    assert not result["derivation"] or "Arithmetic" in said
    assert all(source["id"] in said for source in result["sources"])


def test_the_memory_chart_shows_every_part_to_scale() -> None:
    terminal, page = console()
    result = tool("estimate_memory").call(REQUEST).model_dump(mode="json")
    show_result("estimate_memory", result, terminal)
    drawn = {line.split()[0]: line.count("█") for line in page.getvalue().splitlines() if "GiB" in line and "█" in line}
    biggest = max(result["per_gpu"]["parts"], key=lambda part: part["bytes"])["name"]
    assert max(drawn, key=lambda part: drawn[part]) == biggest


def test_an_answer_is_shown_with_a_chart(advisor: Advisor) -> None:
    terminal, page = console()
    show_answer(advisor.ask("Can 4×3090 run Qwen2.5-72B?"), terminal)
    assert "Memory per GPU" in page.getvalue()


def test_what_a_document_holds_does_not_command_the_terminal() -> None:
    assert safe("a\x1b[2Jb\x9b31mc\x07\td\n中文") == "a[2Jb31mc\td\n中文"


def test_a_tool_loads_only_what_it_needs() -> None:
    code = (
        "import sys; from pathlib import Path; from ui.cli import main; main(sys.argv[1:]);"
        "print(*sorted({name.split('.')[0] for name in sys.modules}"
        " | {name for name in sys.modules if name.startswith('tools.')}));"
        "status = Path('/proc/self/status');"
        "print(status.read_text().split('VmHWM:')[1].split()[0] if status.exists() else 0)"
    )
    command = [sys.executable, "-c", code, "tool", "estimate_memory", "--model", "Qwen2.5-72B", "--gpu", "4090"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    *_, loaded, kilobytes = done.stdout.splitlines()
    heavy = {"rich", "httpx", "numpy", "torch", "langchain", "fastapi", "chromadb", "pydantic_settings", "asyncio"}
    assert heavy.isdisjoint(loaded.split())
    assert {"tools.configure", "tools.power", "tools.find_gpus"}.isdisjoint(loaded.split())
    assert int(kilobytes) < 120 * 1024


def test_kb_search_takes_conditions(advisor: Advisor, capsys: pytest.CaptureFixture[str]) -> None:
    conditions = ["--language", "zh", "--source", "guidance/zh/*", "--trust", "bundled", "--since", "2020"]
    assert main(["kb", "search", "NVLink between two 3090", "--json", *conditions]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert found
    assert {one["language"] for one in found} == {"zh"}
    assert main(["kb", "search", "NVLink", "--since", "soon"]) != 0
    assert "since" in capsys.readouterr().err


def test_completion_knows_every_command_tool_and_field() -> None:
    following = completion.words(parser())
    assert {"ask", "tool", "kb", "completion"} <= set(following[""])
    assert set(following["tool"]) == set(tools())
    assert "--context_tokens" in following["tool estimate_memory"]
    assert "qlora" in following["tool estimate_memory --task"]
    assert "--top" in following["kb search"]


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("kb se", "search"),
        ("tool estimate_mem", "estimate_memory"),
        ("tool estimate_memory --gradient_check", "--gradient_checkpointing"),
        ("tool estimate_memory --model x --task qlo", "qlora"),
        ("completion fi", "fish"),
    ],
)
def test_bash_completes(typed: str, offered: str, capsys: pytest.CaptureFixture[str]) -> None:
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    assert main(["completion", "bash"]) == 0
    words = ["gpu-advisor", *typed.split()]
    listed = " ".join(f"'{word}'" for word in words)
    ask = f'COMP_WORDS=({listed}); COMP_CWORD={len(words) - 1}; _gpu_advisor; printf "%s\\n" "${{COMPREPLY[@]}}"'
    done = subprocess.run(
        ["bash", "-c", f"{capsys.readouterr().out}\n{ask}"], capture_output=True, text=True, check=True
    )
    assert offered in done.stdout.split()


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_accept_their_script(shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    text = capsys.readouterr().out
    assert "estimate_memory" in text
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed to read it")
    script = tmp_path / "completion"
    script.write_text(text, encoding="utf-8")
    assert subprocess.run([shell, "-n", str(script)], capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize(
    ("locale", "arguments", "said"),
    [
        ("C.UTF-8", ["--model", "nothing9"], "Unknown model “nothing9”"),
        ("zh_CN.UTF-8", ["--model", "nothing9"], "没有找到叫“nothing9”的模型"),
        ("C.UTF-8", ["--model", "没有这个模型九"], "没有找到叫“没有这个模型九”的模型"),
        ("zh_CN.UTF-8", ["--model", "qwen2.5-7b", "--context_tokens", "-4"], "上下文：必须大于 0。"),
    ],
)
def test_a_refusal_speaks_the_language_of_the_terminal_or_of_what_was_typed(
    locale: str,
    arguments: list[str],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("LC_ALL", locale)
    assert main(["tool", "estimate_memory", *arguments]) == 2
    assert said in capsys.readouterr().err
