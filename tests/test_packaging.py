"""What is packaged, what is pinned, and that both agree."""

import importlib
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent
PACKAGES = ("kb", "ingest", "assistant", "tools", "ui")
PYPROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
LOCK = [
    line
    for line in (CHECKOUT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    if line.strip() and not line.lstrip().startswith("#")
]
PINNED = re.compile(r"(?P<name>[a-z0-9][a-z0-9.-]*)==(?P<version>[0-9][0-9A-Za-z.]*)( ; [^#]+)?(  # via .+)?")


def canonical(requirement: str) -> str:
    """The normalised name a requirement starts with, as PEP 503 spells it."""
    return re.sub(r"[-_.]+", "-", re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0]).lower()


def locked_names() -> set[str]:
    return {match["name"] for line in LOCK if (match := PINNED.fullmatch(line))}


@pytest.fixture(scope="module")
def wheel_names(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Names in the wheel that hatchling builds from this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)],
        cwd=CHECKOUT,
        check=True,
        capture_output=True,
    )
    (wheel,) = folder.glob("*.whl")
    return zipfile.ZipFile(wheel).namelist()


@pytest.mark.parametrize("package", PACKAGES)
def test_each_package_is_the_one_in_the_checkout(package: str) -> None:
    file = importlib.import_module(package).__file__
    assert file is not None
    assert Path(file).resolve() == CHECKOUT / package / "__init__.py"


def test_the_wheel_ships_the_five_packages_and_no_tests(wheel_names: list[str]) -> None:
    tops = {name.split("/")[0] for name in wheel_names}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(PACKAGES)


def test_the_wheel_ships_every_data_file_of_the_packages(wheel_names: list[str]) -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "--", *PACKAGES], cwd=CHECKOUT, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    present = {name for name in tracked if (CHECKOUT / name).exists()}
    assert present - set(wheel_names) == set()


def test_the_wheel_declares_the_console_script(wheel_names: list[str]) -> None:
    assert PYPROJECT["project"]["scripts"] == {"gpu-advisor": "ui.cli:main"}
    assert any(name.endswith(".dist-info/entry_points.txt") for name in wheel_names)


def test_the_project_cannot_be_uploaded_by_accident() -> None:
    assert "Private :: Do Not Upload" in PYPROJECT["project"]["classifiers"]


@pytest.mark.parametrize("line", LOCK, ids=[line.split(" ")[0] for line in LOCK])
def test_every_line_of_the_lock_is_pinned_and_names_no_place(line: str) -> None:
    assert PINNED.fullmatch(line)
    assert "/" not in line.split("#")[0]


def test_the_lock_says_nothing_of_the_machine_it_was_made_on() -> None:
    text = (CHECKOUT / "requirements.lock").read_text(encoding="utf-8")
    assert re.findall(r"https?:|file:|--index|--find-links|/(?:home|root|tmp|opt|work|usr)\b", text) == []


def test_the_lock_pins_torch_and_none_of_its_cuda_packages() -> None:
    assert any(line.split(" ")[0] == "torch==2.13.0" for line in LOCK)
    assert {name for name in locked_names() if name.startswith(("nvidia-", "cuda-", "triton"))} == set()


def test_the_lock_holds_every_declared_dependency() -> None:
    project = PYPROJECT["project"]
    declared = [
        *project["dependencies"],
        *project["optional-dependencies"]["bench"],
        *project["optional-dependencies"]["dev"],
        *PYPROJECT["build-system"]["requires"],
    ]
    assert {canonical(requirement) for requirement in declared} - locked_names() == {"gpu-advisor"}


def test_no_test_folder_is_a_package() -> None:
    assert list((CHECKOUT / "tests").rglob("__init__.py")) == []


def test_the_import_rules_name_a_line_that_breaks_them(tmp_path: Path) -> None:
    """A copy of the packages' skeleton in which kb reaches up and ingest reaches past the store."""
    for package in PACKAGES:
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text("")
    (tmp_path / "pyproject.toml").write_text((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
    (tmp_path / "kb" / "index").mkdir()
    (tmp_path / "kb" / "index" / "__init__.py").write_text("")
    (tmp_path / "kb" / "index" / "store.py").write_text("import chromadb\n")
    clean = _lint_imports(tmp_path)
    assert clean.returncode == 0, clean.stdout
    (tmp_path / "kb" / "reach.py").write_text("import ui\n")
    (tmp_path / "ingest" / "chunk.py").write_text("import chromadb\n")
    (tmp_path / "tools" / "cost.py").write_text("from langchain_core.tools import tool\n")
    broken = _lint_imports(tmp_path)
    assert broken.returncode == 1
    for culprit in ("kb.reach -> ui", "ingest.chunk -> chromadb", "tools.cost -> langchain_core"):
        assert culprit in broken.stdout


def _lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    code = "from importlinter.cli import lint_imports_command as lint; lint()"
    return subprocess.run(
        [sys.executable, "-P", "-c", code, "--no-cache"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
