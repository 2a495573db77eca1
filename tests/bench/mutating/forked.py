"""Runs of pytest, each in a fork of a process that has read the libraries and the facts already."""

import contextlib
import importlib
import os
import pickle
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

LIBRARIES = ("hypothesis", "pydantic", "yaml", "numpy", "torch", "transformers", "peft", "accelerate", "kb.catalog",
             "kb.models", "kb.market.offers", "kb.machines.power", "kb.market.tariffs", "kb.lexicon.fields",
             "kb.constants.measured_speed")  # fmt: skip


@dataclass(frozen=True)
class Run:
    """Tests to be run: files or folders, or single ones in this order."""

    folder: Path
    tests: list[str]
    trace: str | None = None
    """Note which test enters which function of the files below this path."""


@dataclass
class Done:
    """What came of it."""

    outcome: str = "stopped"
    """passed, failed, or stopped by the limit of time."""
    first: str = ""
    """The first test that failed."""
    told: str = ""
    took: dict[str, float] = field(default_factory=dict)
    entered: dict[str, set[tuple[str, str]]] = field(default_factory=dict)


def warmed(folder: Path) -> None:
    """Read what every run needs, from the copy in `folder`, but none of the tools, which faults are made in."""
    # The checkout itself must not be found: an editable install puts it on the path.
    here = Path(__file__).parents[3]
    sys.path[:] = [
        str(folder),
        str(folder / "tests/bench"),
        *(one for one in sys.path if Path(one or ".").resolve() != here),
    ]
    os.chdir(folder)
    for name in LIBRARIES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    from kb.catalog import gpus
    from kb.models import models

    gpus(), models()
    if any(name == "tools" or name.startswith("tools.") for name in sys.modules):
        raise AssertionError("tools were read before the first fault was made")


def in_fork(run: Run, limit_s: float) -> Done:
    """Run the tests in a child, which is ended after `limit_s` seconds."""
    with tempfile.TemporaryDirectory() as made:
        told, result = Path(made) / "told", Path(made) / "result"
        child = os.fork()
        if not child:
            _child(run, told, result)
        ends = time.monotonic() + limit_s
        while time.monotonic() < ends:
            if os.waitpid(child, os.WNOHANG)[0]:
                break
            time.sleep(0.02)
        else:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
        done: Done = pickle.loads(result.read_bytes()) if result.exists() else Done()
        done.told = told.read_text(errors="replace") if told.exists() else ""
        return done


def _child(run: Run, told: Path, result: Path) -> None:
    code = 1
    try:
        os.setpgid(0, 0)
        out = os.open(told, os.O_WRONLY | os.O_CREAT)
        os.dup2(out, 1)
        os.dup2(out, 2)
        _without_shrinking()
        watch = Watch(run)
        files = list(dict.fromkeys(one.split("::")[0] for one in run.tests))
        code = pytest.main(
            [*files, "-q", "-x", "-p", "no:cacheprovider", "--tb=short", "-W", "ignore:Module already imported"],
            plugins=[watch],
        )
        watch.done.outcome = "passed" if code == 0 else "failed"
        result.write_bytes(pickle.dumps(watch.done))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(int(code != 0))


def _without_shrinking() -> None:
    """Random examples are the same in every run, and one that fails is enough."""
    from hypothesis import Phase, settings

    settings.register_profile("faults", database=None, derandomize=True, phases=(Phase.explicit, Phase.generate))
    settings.load_profile("faults")


class Watch:
    """A plugin of pytest: keeps to the tests wanted, and notes times, failures, and functions entered."""

    def __init__(self, run: Run) -> None:
        self.run, self.done = run, Done()
        self.order = {name: place for place, name in enumerate(run.tests) if "::" in name}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        if self.order:
            items[:] = sorted(
                (one for one in items if one.nodeid in self.order), key=lambda one: self.order[one.nodeid]
            )

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[Any]:
        began = time.monotonic()
        if self.run.trace is not None:
            sys.settrace(_Entered(self.done.entered.setdefault(item.nodeid, set()), self.run))
        try:
            return (yield)
        finally:
            sys.settrace(None)
            self.done.took[item.nodeid] = time.monotonic() - began

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.done.first:
            self.done.first = report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and not self.done.first:
            self.done.first = report.nodeid


class _Entered:
    """Notes every function entered; no line is followed."""

    def __init__(self, found: set[tuple[str, str]], run: Run) -> None:
        self.found, self.below, self.root = found, run.trace or "", f"{run.folder}/"

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        file = frame.f_code.co_filename
        if file.startswith(self.below):
            # Lambdas and comprehensions bear the name of the function around them before theirs.
            names = (
                frame.f_code.co_qualname.split(".") if hasattr(frame.f_code, "co_qualname") else [frame.f_code.co_name]
            )
            whole = [name for name in names if not name.startswith("<")]
            for name in whole:
                self.found.add((file.removeprefix(self.root), name))
