"""Turns survive, stay in order, and one conversation answers one question at a time."""

import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from assistant.answer import Answer
from assistant.conversations import Conversations, Receipt, owner
from assistant.schema import MIGRATIONS
from kb.base import BadInput, ConversationBusy, StateUnavailable
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


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Conversations]:
    """Every promise holds on both databases."""
    if request.param == "sqlite":
        made = Conversations(tmp_path / "c.sqlite")
    else:
        made = Conversations(tmp_path / "unused", request.getfixturevalue("postgres"))
        made.forget()
    yield made
    made.close()


def test_history_returns_turns_in_order(store: Conversations) -> None:
    for number in range(5):
        store.append(answer("a", f"q{number}"))
    assert [turn.question for turn in store.history("a")] == ["q0", "q1", "q2", "q3", "q4"]
    assert [turn.question for turn in store.history("a", last=2)] == ["q3", "q4"]


def test_what_was_kept_before_answers_were_packed_is_read_and_backed_up_like_the_rest(store: Conversations) -> None:
    former, later = answer("a", "former"), answer("a", "later")
    store.append(former)
    with store._database.transaction() as execute:
        execute("UPDATE turn SET answer = ?, packed = NULL", former.model_dump_json())
    store.append(later)
    token = store.share("a")
    assert store.history("a") == [former, later]
    assert store.shared(str(token)) == [former, later]
    (kept,) = store.export()
    assert [Answer.model_validate_json(turn["answer"]) for turn in kept["turn"]] == [former, later]
    store.delete("a")
    store.restore(kept)
    assert store.history("a") == [former, later]


def test_a_long_answer_takes_a_fraction_of_its_length(store: Conversations) -> None:
    long = answer("a", "q").model_copy(update={"answer": "Two RTX 4090 hold it. " * 4000})
    store.append(long)
    with store._database.reading() as execute:
        ((kept, packed),) = execute("SELECT answer, packed FROM turn")
    assert len(kept) + len(packed) < len(long.answer) / 7
    assert store.history("a") == [long]


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


def test_each_turn_has_its_own_number_whoever_writes(store: Conversations) -> None:
    assert [store.append(answer("a", str(number))) for number in range(3)] == [1, 2, 3]
    assert store.append(answer("b", "0")) == 1


@contextmanager
def asking(name: str | None) -> Iterator[None]:
    """As the person of this name."""
    before = owner.set(name)
    try:
        yield
    finally:
        owner.reset(before)


def test_a_conversation_is_not_there_for_another_person(store: Conversations) -> None:
    with asking("ann"):
        store.append(answer("a", "q"))
    with asking("bob"):
        assert store.history("a") == []
        assert store.listing() == []
        assert not store.rename("a", "mine")
        assert not store.delete("a")
        with pytest.raises(BadInput), store.turn("a"):
            pass
    with asking("ann"):
        assert [turn.question for turn in store.history("a")] == ["q"]
        assert [row["id"] for row in store.listing()] == ["a"]


def test_a_repeated_request_finds_its_answer(store: Conversations) -> None:
    receipt = Receipt.of("key", {"question": "q"})
    assert store.answered(receipt) is None
    store.append(answer("a", "q"), receipt)
    kept = store.answered(Receipt.of("key", {"question": "q"}))
    assert kept is not None
    assert kept.question == "q"
    with pytest.raises(BadInput) as refusal:
        store.answered(Receipt.of("key", {"question": "other"}))
    assert refusal.value.field == "Idempotency-Key"
    with asking("ann"):
        assert store.answered(Receipt.of("key", {"question": "q"})) is None
    store.delete("a")
    assert store.answered(receipt) is None


def test_a_request_repeated_while_it_runs_waits(store: Conversations) -> None:
    receipt = Receipt.of("key", {})
    waiting = store.receiving(receipt, wait_s=0.01)
    with store.receiving(receipt), pytest.raises(ConversationBusy):
        waiting.__enter__()


def test_what_was_not_used_for_long_is_forgotten_and_the_rest_kept(
    store: Conversations, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now - 40 * 86_400)
    store.append(answer("old", "q"))
    monkeypatch.setattr(time, "time", lambda: now)
    store.append(answer("new", "q"))
    assert store.forget(unused_days=30) == 1
    assert [row["id"] for row in store.listing()] == ["new"]


def test_all_of_one_person_is_forgotten_on_request(store: Conversations) -> None:
    for name in ("ann", "bob"):
        with asking(name):
            store.append(answer(f"of-{name}", "q"))
    assert store.forget(owned_by="ann") == 1
    assert [row["id"] for row in store.listing()] == ["of-bob"]


def test_a_copy_restores_what_was_exported(store: Conversations, tmp_path: Path) -> None:
    with asking("ann"):
        store.append(answer("a", "q1"))
        store.append(answer("a", "q2"))
        store.share("a")
        store.judge("a", "q2", helpful=False)
    with closing(Conversations(tmp_path / "copy.sqlite")) as copy:
        for _ in range(2):  # once more changes nothing
            for conversation in store.export():
                copy.restore(conversation)
        assert list(copy.export()) == list(store.export())


def test_deleted_words_are_not_left_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    with closing(Conversations(path)) as store:
        store.append(answer("a", "an unmistakable question"))
        store.delete("a")
        files = [path.read_bytes() for path in tmp_path.iterdir()]
    assert not any(b"unmistakable" in content for content in files)


def test_a_file_of_the_first_version_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    with closing(sqlite3.connect(path)) as old:
        old.executescript(MIGRATIONS[0].replace("{real}", "REAL").replace("{options}", " STRICT"))
        old.execute("INSERT INTO conversation VALUES ('a', 'q', 1, 1)")
        old.execute("INSERT INTO turn VALUES ('a', 1, ?, 1)", (answer("a", "q").model_dump_json(),))
        old.execute("PRAGMA user_version = 1")
        old.commit()
    with closing(Conversations(path)) as store:
        assert [turn.question for turn in store.history("a")] == ["q"]
        assert store.append(answer("a", "r")) == 2


def test_a_file_of_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    with closing(sqlite3.connect(path)) as newer:
        newer.execute("PRAGMA user_version = 99")
    with pytest.raises(BadInput):
        Conversations(path)


def test_an_address_that_is_none_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(BadInput):
        Conversations(tmp_path / "c.sqlite", "mysql://x/y")


def test_a_database_that_is_away_says_so_whenever_it_is_used(tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    with closing(Conversations(tmp_path / "unused", "postgresql://nobody@127.0.0.1:1/none")) as store:
        with pytest.raises(StateUnavailable):
            store.history("a")
        with pytest.raises(StateUnavailable):
            store.append(answer("a", "q"))


def test_a_file_that_cannot_be_opened_is_as_soon_as_it_can(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    path.mkdir()  # stands for a disk on which nothing can be created
    with closing(Conversations(path)) as store:
        with pytest.raises(StateUnavailable):
            store.append(answer("a", "q"))
        path.rmdir()
        store.append(answer("a", "q"))
        assert [turn.question for turn in store.history("a")] == ["q"]


def test_a_full_disk_is_told_and_what_was_kept_stays(tmp_path: Path) -> None:
    with closing(Conversations(tmp_path / "c.sqlite")) as store:
        store.append(answer("a", "kept"))
        database = store._database
        pages = database._connection.execute("PRAGMA page_count").fetchone()[0]  # type: ignore[attr-defined]
        database._connection.execute(f"PRAGMA max_page_count = {pages}")  # type: ignore[attr-defined]
        with pytest.raises(StateUnavailable):
            store.append(answer("a", "x" * 100_000))
        database._connection.execute("PRAGMA max_page_count = 1000000")  # type: ignore[attr-defined]
        assert store.history("a")[0].question == "kept"
        store.append(answer("a", "after"))


def test_two_workers_on_one_postgres_take_turns_and_lose_nothing(postgres: str, tmp_path: Path) -> None:
    first, second = (Conversations(tmp_path / "unused", postgres) for _ in range(2))
    with closing(first), closing(second):
        first.forget()
        waiting = second.turn("a", wait_s=0.2)
        with first.turn("a"), pytest.raises(ConversationBusy):
            waiting.__enter__()
        with second.turn("a"):
            pass

        def ask(store: Conversations, name: str) -> None:
            for number in range(10):
                with store.turn("a"):
                    store.append(answer("a", f"{name}-{number}"))

        threads = [threading.Thread(target=ask, args=(store, str(id(store)))) for store in (first, second)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len({turn.question for turn in first.history("a")}) == 20


def test_a_postgres_that_dropped_its_connections_answers_again(postgres: str, tmp_path: Path) -> None:
    first, second = (Conversations(tmp_path / "unused", postgres) for _ in range(2))
    with closing(first), closing(second):
        first.append(answer("dropped", "q"))
        with second._database.transaction() as execute:
            execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
            )
        with pytest.raises(StateUnavailable):
            first.history("dropped")
        with first.turn("dropped"):
            assert [turn.question for turn in first.history("dropped")] == ["q"]


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
