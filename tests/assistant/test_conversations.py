"""Turns survive, stay in order, and one conversation answers one question at a time."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from assistant.answer import Answer
from assistant.conversations import Conversations
from kb.base import BadInput, ConversationBusy
from tools.need import Need


def answer(conversation_id: str, question: str) -> Answer:
    return Answer(
        id=question,
        conversation_id=conversation_id,
        question=question,
        language="en",
        verdict="fact",
        answer="…",
        need=Need(),
        engine="planner",
        elapsed_s=0.0,
    )


@pytest.fixture
def store(tmp_path: Path) -> Conversations:
    return Conversations(tmp_path / "c.sqlite")


def test_history_returns_turns_in_order(store: Conversations) -> None:
    for number in range(5):
        store.append(answer("a", f"q{number}"))
    assert [turn.question for turn in store.history("a")] == ["q0", "q1", "q2", "q3", "q4"]
    assert [turn.question for turn in store.history("a", last=2)] == ["q3", "q4"]


def test_concurrent_appends_lose_nothing(store: Conversations) -> None:
    def append(name: int) -> None:
        for number in range(10):
            store.append(answer("a", f"{name}-{number}"))

    threads = [threading.Thread(target=append, args=(name,)) for name in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    questions = [turn.question for turn in store.history("a")]
    assert sorted(questions) == sorted(f"{name}-{number}" for name in range(6) for number in range(10))


def test_second_turn_waits_and_is_refused_when_the_first_does_not_end(store: Conversations) -> None:
    waiting = store.turn("a", wait_s=0.01)
    with store.turn("a"), pytest.raises(ConversationBusy):
        waiting.__enter__()
    with store.turn("a", wait_s=0.01):
        pass


def test_other_conversations_do_not_wait(store: Conversations) -> None:
    entered = []
    with store.turn("a"), store.turn("b", wait_s=0.01):
        entered.append("b")
    assert entered == ["b"]


@pytest.mark.parametrize("name", ["", "-a", "a b", "a/b", "x" * 129, "é"])
def test_unusable_id_is_refused(store: Conversations, name: str) -> None:
    with pytest.raises(BadInput) as refusal:
        store.history(name)
    assert refusal.value.field == "conversation_id"


def test_deleted_conversation_is_gone_with_its_turns(store: Conversations) -> None:
    store.append(answer("a", "q"))
    assert store.delete("a")
    assert store.history("a") == []
    assert not store.delete("a")


def test_killed_process_loses_no_acknowledged_turn(tmp_path: Path) -> None:
    script = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from assistant.conversations import Conversations
from assistant.answer import Answer
from tools.need import Need
store = Conversations(Path(sys.argv[1]))
for number in range(20):
    store.append(Answer(id=str(number), conversation_id="a", question=str(number), language="en", verdict="fact",
                        answer="x", need=Need(), engine="planner", elapsed_s=0.0))
    print(number, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    path = tmp_path / "c.sqlite"
    root = str(Path(__file__).parents[2])
    done = subprocess.run([sys.executable, "-c", script, str(path), root], capture_output=True, text=True, check=False)
    acknowledged = done.stdout.split()
    assert acknowledged
    assert [turn.question for turn in Conversations(path).history("a")] == acknowledged


def test_a_share_shows_the_turns_there_were_and_no_later_one(store: Conversations) -> None:
    store.append(answer("a", "first"))
    token = store.share("a")
    store.append(answer("a", "second"))
    assert token is not None
    assert [turn.question for turn in store.shared(token)] == ["first"]
    assert store.share("a") != token
    assert store.share("nobody") is None
    assert store.shared("no-such-token") == []


def test_the_same_turns_keep_their_link_and_deletion_closes_it(store: Conversations) -> None:
    store.append(answer("a", "first"))
    token = store.share("a")
    assert token == store.share("a")
    store.delete("a")
    assert store.shared(str(token)) == []


def test_links_can_be_closed_while_the_conversation_stays(store: Conversations) -> None:
    store.append(answer("a", "first"))
    token = str(store.share("a"))
    assert store.unshare("a") == 1
    assert store.shared(token) == []
    assert len(store.history("a")) == 1


def test_a_title_can_be_changed_but_not_emptied(store: Conversations) -> None:
    store.append(answer("a", "first"))
    assert store.rename("a", "  Our\n cluster ")
    assert store.listing()[0]["title"] == "Our cluster"
    assert not store.rename("nobody", "x")
    with pytest.raises(BadInput):
        store.rename("a", "  ")


def test_the_last_judgement_of_an_answer_counts_and_goes_with_the_conversation(store: Conversations) -> None:
    store.append(answer("a", "first"))
    store.judge("a", "first", helpful=True)
    store.judge("a", "first", helpful=False, note="wrong card")
    assert store.judgements("a") == {"first": False}
    store.delete("a")
    assert store.judgements("a") == {}
