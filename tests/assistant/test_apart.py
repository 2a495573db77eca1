"""Turns worked out in another process are those of this one, and whatever happens over there, they are answered."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from assistant.agent import Advisor
from assistant.answer import Answer
from assistant.apart import Apart, Missing
from assistant.told import FRESH
from assistant.understand import understand
from assistant.work import Job, work
from kb.child import environment
from kb.settings import Settings, settings

COMMAND = (sys.executable, str(Path(__file__).with_name("worker_child.py")))
LOADS_S = 90.0
TALK = (
    ("Can 2×4090 run Qwen2.5-32B in int4?", "and with 20 users?", "and in the cloud?"),
    ("4 张 3090 能跑 Qwen2.5-72B 吗？", "换成 H20 呢", "为什么"),
    ("I have 123 GB of something.", "Write me a poem."),
)


def started(command: Sequence[str] = COMMAND) -> Apart:
    made = Apart(command)
    made.start()
    made.go()
    return made


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Apart]:
    """A process that is ready, with a home that holds no documents."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GPU_ADVISOR_HOME", str(tmp_path_factory.mktemp("beside")))
        settings.cache_clear()
        made = started()
    settings.cache_clear()
    assert made.ready(LOADS_S)
    yield made
    made.stop()


@pytest.fixture
def advisor(tmp_path: Path, beside: Apart) -> Iterator[Advisor]:
    made = Advisor(Settings(home=tmp_path / "beside"))
    made.work_apart(beside)
    yield made
    made.conversations.close()


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Advisor]:
    made = Advisor(Settings(home=tmp_path / "alone"))
    yield made
    made.conversations.close()


@pytest.fixture
def worked_here(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The questions that this process worked out itself."""
    asked: list[str] = []

    def noting(job: Job, started: float) -> object:
        asked.append(job.question)
        return work(job, started)

    monkeypatch.setattr("assistant.agent.work", noting)
    return asked


def told(answer: Answer) -> dict[str, object]:
    return answer.model_dump(exclude=FRESH)


@pytest.mark.parametrize("questions", TALK, ids=["en", "zh", "out of scope"])
def test_the_answers_are_those_of_this_process(
    advisor: Advisor, alone: Advisor, worked_here: list[str], questions: tuple[str, ...]
) -> None:
    apart = [told(advisor.ask(question, "c")) for question in questions]
    assert worked_here == []
    assert apart == [told(alone.ask(question, "c")) for question in questions]
    assert len(worked_here) == len(questions)
    assert [told(one) for one in advisor.conversations.history("c")] == apart


def test_steps_are_heard_of_as_they_happen_where_somebody_listens(advisor: Advisor, alone: Advisor) -> None:
    question = "How much memory does Qwen2.5-14B need in int4?"
    steps, here = ([(one.kind, one.name, one.data) for one in who.stream(question)] for who in (advisor, alone))
    assert steps == here
    assert ("tool", "estimate_memory") in [step[:2] for step in steps]


def test_what_was_worked_out_there_is_remembered_here(
    advisor: Advisor, beside: Apart, worked_here: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    question = "Write me a poem about the sea."
    first = advisor.ask(question)
    monkeypatch.setattr(advisor, "apart", None)
    again = advisor.ask(question)
    assert told(first) == told(again)
    assert first.id != again.id
    assert worked_here == []


def test_answers_are_prepared_without_a_conversation(advisor: Advisor, worked_here: list[str]) -> None:
    question = "Tell me a joke about bees."
    advisor.prepare([question])
    advisor.apart = None
    assert advisor.conversations.listing() == []
    assert advisor.ask(question).verdict == "out_of_scope"
    assert worked_here == []


def test_a_turn_that_fails_there_is_worked_out_here(advisor: Advisor, worked_here: list[str]) -> None:
    answer = advisor.ask("Does Qwen2.5-7B fail on a 3090?")
    assert (answer.need.model, worked_here) == ("Qwen/Qwen2.5-7B", ["Does Qwen2.5-7B fail on a 3090?"])
    advisor.ask("Can a 3090 run Qwen2.5-7B in int4?")
    assert len(worked_here) == 1


def test_who_is_killed_over_a_turn_is_stood_in_for_and_started_anew(
    tmp_path: Path, worked_here: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.apart.REST_S", 0.05)
    made = started()
    advisor = Advisor(Settings(home=tmp_path))
    advisor.work_apart(made)
    assert made.ready(LOADS_S)
    (first,) = made.pids
    threading.Timer(1.0, os.kill, (first, signal.SIGKILL)).start()
    assert advisor.ask("Does Qwen2.5-7B hang on a 3090?").need.model == "Qwen/Qwen2.5-7B"
    assert worked_here == ["Does Qwen2.5-7B hang on a 3090?"]
    until = time.monotonic() + LOADS_S
    while time.monotonic() < until and len(worked_here) < 99:
        before = len(worked_here)
        advisor.ask(f"Can a 3090 run Qwen2.5-7B at {before + 1000} tokens?")
        if len(worked_here) == before:
            break
        time.sleep(0.2)
    assert len(worked_here) == before
    assert made.pids != [first]
    made.stop()
    advisor.conversations.close()


def test_one_that_does_not_answer_is_ended(
    advisor: Advisor, worked_here: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.apart.ANSWERS_WITHIN_S", 0.5)
    made = started()
    assert made.ready(LOADS_S)
    advisor.work_apart(made)
    (first,) = made.pids
    advisor.ask("Does Qwen2.5-7B hang on a 4090?")
    assert worked_here == ["Does Qwen2.5-7B hang on a 4090?"]
    until = time.monotonic() + 20
    while first in made.pids and time.monotonic() < until:
        time.sleep(0.01)
    assert first not in made.pids
    made.stop()


def test_an_answer_nobody_waits_for_is_not_taken_for_the_next(advisor: Advisor, beside: Apart) -> None:
    question = "How much memory does Qwen2.5-32B need in int4 on a 4090?"
    job = Job(question, understand(question))
    running = beside.work(job, 0.0, steps=True)
    next(running)
    running.close()
    answer = advisor.ask("H20 有多少显存？")
    assert (answer.question, answer.language) == ("H20 有多少显存？", "zh")
    assert "H20" in answer.answer


def test_where_none_can_be_started_turns_are_worked_out_here(
    alone: Advisor, worked_here: list[str], tmp_path: Path
) -> None:
    made = started((str(tmp_path / "nothing"),))
    assert not made.ready(30)
    alone.work_apart(made)
    alone.ask("Can a 3090 run Qwen2.5-7B?")
    assert worked_here == ["Can a 3090 run Qwen2.5-7B?"]
    with pytest.raises(Missing):
        next(made.work(Job("q", understand("q")), 0.0, steps=False))
    made.stop()


def test_it_ends_with_whoever_asks() -> None:
    here, there = socket.socketpair()
    process = subprocess.Popen([*COMMAND, str(there.fileno())], pass_fds=[there.fileno()], env=environment())
    there.close()
    here.close()
    assert process.wait(LOADS_S) == 1  # by the error of a connection that ended before it was told to go
