"""A turn is answered from memory only where the same words in the same world must give the same answer."""

import json
import random
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from assistant.agent import Advisor
from assistant.answer import Answer, Draft, ToolCallRecord
from assistant.call import call
from assistant.compose import compose
from assistant.compose.before import Before
from assistant.recall import Recall
from assistant.step import worked_out
from assistant.told import FRESH, Kept, Told
from assistant.understanding import Shown, Understanding
from kb.base import Overloaded
from kb.index.index_stamp import index_stamp
from kb.settings import Settings
from tools.need import Need
from tools.registry import Tool

QUESTIONS = (
    "How much memory does an A100 80GB have?",
    "Can 2×4090 run Qwen2.5-32B in int4?",
    "H20 有多少显存？",
    "Write me a poem.",
)


def told(question: str = "q", conversation_id: str = "a", words: int = 3) -> Told:
    return Told.of(
        Answer(
            id="1", conversation_id=conversation_id, question=question, language="zh", verdict="fact",
            answer="字 " * words, need=Need(), engine="planner", elapsed_s=0.5,
        )
    )  # fmt: skip


@pytest.fixture
def advisor(tmp_path: Path) -> Iterator[Advisor]:
    """One whose tools work; documents there are none, so that turns about them are not remembered."""
    made = Advisor(Settings(home=tmp_path))
    yield made
    made.conversations.close()


@pytest.fixture
def composed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The questions that were worked out and not remembered."""
    asked: list[str] = []

    def counting(reading: Understanding, records: Sequence[ToolCallRecord], before: Before) -> Draft:
        asked.append(reading.text)
        return compose(reading, records, before)

    monkeypatch.setattr("assistant.work.compose", counting)
    return asked


def test_the_json_is_that_of_the_answer_and_another_turn_shares_all_but_its_own() -> None:
    first = told("“quoted” \\ \n 问")
    assert json.loads(first.text) == first.answer.model_dump(mode="json")
    second = Kept.of(first).again("b", 0.25)
    assert json.loads(second.text) == second.answer.model_dump(mode="json")
    assert second.answer.id != first.answer.id
    assert (second.answer.conversation_id, second.answer.elapsed_s) == ("b", 0.25)
    assert second.answer.model_dump(exclude=FRESH) == first.answer.model_dump(exclude=FRESH)


def test_everything_is_forgotten_when_the_world_changes() -> None:
    world = ["today"]
    recall = Recall(world=lambda: world[0])
    recall.keep("q", Kept.of(told()), recall.now())
    assert recall.find("q", recall.now()) is not None
    world[0] = "tomorrow"
    assert recall.find("q", recall.now()) is None
    assert len(recall) == 0


def test_what_was_worked_out_while_the_world_changed_is_not_kept() -> None:
    world = ["today"]
    recall = Recall(world=lambda: world[0])
    before = recall.now()
    world[0] = "tomorrow"
    recall.keep("q", Kept.of(told()), before)
    assert recall.find("q", recall.now()) is None


def test_no_more_is_held_than_the_bound_and_the_least_used_goes_first() -> None:
    recall = Recall(most_bytes=40_000, world=lambda: 0)
    for number in range(50):
        recall.keep(number, Kept.of(told(words=100)), 0)
        recall.find(0, 0)
    assert 1 < len(recall) < 30
    assert recall.find(0, 0) is not None
    assert recall.find(1, 0) is None
    recall.keep("huge", Kept.of(told(question=random.Random(1).randbytes(80_000).hex())), 0)
    assert recall.find("huge", 0) is None


def test_a_turn_whose_tool_failed_is_not_remembered(advisor: Advisor) -> None:
    answer = advisor.ask("How do I cool eight servers in one room?")
    assert any("error" in call.result for call in answer.tool_calls)
    assert len(advisor.recall) == 0


def test_the_same_question_is_worked_out_once_and_answered_with_its_own_ids(
    advisor: Advisor, composed: list[str]
) -> None:
    first, second = advisor.ask(QUESTIONS[-1], "ann"), advisor.ask(QUESTIONS[-1], "bob")
    assert composed == [QUESTIONS[-1]]
    assert first.id != second.id
    assert (first.conversation_id, second.conversation_id) == ("ann", "bob")
    assert first.model_dump(exclude=FRESH) == second.model_dump(exclude=FRESH)
    assert [one.id for one in advisor.conversations.history("bob")] == [second.id]


def crowd(advisor: Advisor, patience_s: float | None, size: int = 8) -> list[str | None]:
    """The ids of what so many hear who ask the same at once, in conversations of their own; null for a refusal."""
    heard: list[str | None] = []

    def ask(number: int) -> None:
        try:
            heard.append(advisor.told(QUESTIONS[-1], f"c{number}", patience_s=patience_s).gist.id)
        except Overloaded:
            heard.append(None)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return heard


def test_what_many_ask_at_once_is_worked_out_once(
    advisor: Advisor, composed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def slowly(reading: Understanding) -> Any:
        for _ in range(10_000):
            if advisor.line.same.following == 7:
                break
            threading.Event().wait(0.001)
        return worked_out(reading)

    monkeypatch.setattr("assistant.work.worked_out", slowly)
    heard = crowd(advisor, patience_s=None)
    assert composed == [QUESTIONS[-1]]
    assert len(set(heard)) == 8
    assert advisor.line.asked == 1
    assert advisor.line.held == 0


def test_where_the_first_of_many_is_refused_so_are_the_others(
    advisor: Advisor, composed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(advisor.line, "_too_long_s", lambda patience_s, coming: 9.0)
    assert crowd(advisor, patience_s=0.1) == [None] * 8
    assert (composed, advisor.line.held) == ([], 0)


def test_the_same_words_after_others_are_another_question(advisor: Advisor, composed: list[str]) -> None:
    advisor.ask("Can 2×4090 run Qwen2.5-32B?", "a")
    advisor.ask("Can 2×H20 run Qwen2.5-7B?", "b")
    first, second = advisor.ask("and with 4-bit?", "a"), advisor.ask("and with 4-bit?", "b")
    assert composed.count("and with 4-bit?") == 2
    assert (first.need.model, second.need.model) == ("Qwen/Qwen2.5-32B", "Qwen/Qwen2.5-7B")


def test_a_question_that_stands_by_itself_is_known_in_any_conversation(advisor: Advisor, composed: list[str]) -> None:
    advisor.ask(QUESTIONS[-1], "a")
    advisor.ask("Tell me a joke.", "b")
    second = advisor.ask(QUESTIONS[-1], "b")
    assert composed.count(QUESTIONS[-1]) == 1
    assert second.conversation_id == "b"


def test_numbers_that_only_the_conversation_vouches_for_stay_in_it(
    advisor: Advisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def telling(reading: Understanding, records: Sequence[ToolCallRecord], before: Before) -> Draft:
        return Draft(verdict="fact", answer="It is 123.45 GB.")

    monkeypatch.setattr("assistant.work.compose", telling)
    advisor.ask("I have 123.45 GB of something.", "a")
    within = advisor.ask("Tell me a joke.", "a")
    elsewhere = advisor.ask("Tell me a joke.", "b")
    assert (within.answer, within.grounding.ungrounded) == ("It is 123.45 GB.", ())
    assert "123.45" not in elsewhere.answer
    assert elsewhere.warnings


def test_a_forgotten_conversation_leaves_nothing_in_memory(advisor: Advisor) -> None:
    advisor.ask(QUESTIONS[-1], "a")
    assert len(advisor.recall) == 1
    advisor.conversations.delete("a")
    assert len(advisor.recall) == 0


def test_steps_of_a_remembered_turn_are_those_of_the_first(advisor: Advisor) -> None:
    first, second = ([(step.kind, step.name, step.data) for step in advisor.stream(QUESTIONS[-1])] for _ in range(2))
    assert first == second
    assert first[-1][0] == "answer"


def test_the_mark_of_the_index_changes_with_it_and_not_with_its_readers(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    folder.mkdir()
    empty = index_stamp(tmp_path)
    (folder / "library.sqlite3").write_bytes(b"one")
    first = index_stamp(tmp_path)
    (folder / "library.sqlite3-wal").touch()
    assert index_stamp(tmp_path) == first != empty
    (folder / "library.sqlite3-wal").write_bytes(b"more")
    assert index_stamp(tmp_path) != first


def test_an_answer_is_known_again_where_all_it_looked_at_is_as_it_was() -> None:
    recall, shown = Recall(world=lambda: 0), Shown(told=("a", "b"))
    before = Before(shown)
    before.told("a")
    recall.keep("q", Kept.of(told("first")), 0, (before.looks(), before.found(before.looks())))
    assert recall.find("q", 0, Before(shown.model_copy(update={"told": ("a", "c")}))) is not None
    assert recall.find("q", 0, Before(shown.model_copy(update={"told": ("b",)}))) is None
    other = Before(None)
    other.told("a")
    recall.keep("q", Kept.of(told("second")), 0, (other.looks(), other.found(other.looks())))
    assert len(recall) == 2
    found = [recall.find("q", 0, Before(one)) for one in (shown, None)]
    assert [one and one.gist.question for one in found] == ["first", "second"]


def test_what_was_looked_at_is_forgotten_with_the_answers() -> None:
    recall = Recall(most_bytes=40_000, world=lambda: 0)
    for number in range(50):
        before = Before(Shown(told=(str(number),)))
        before.told(str(number % 7))
        seen = before.looks(), before.found(before.looks())
        recall.keep(number % 10, Kept.of(told(words=100 + number)), 0, seen)
    assert sum(sum(alike.values()) for alike in recall._looks.values()) == len(recall)


OPENINGS = ("Can 2×4090 run Qwen2.5-32B in int4?", "Can 4×3090 run Qwen2.5-72B?", "4 张 3090 能跑 Llama-3.1-70B 吗？")
CONTINUED = (
    "How much memory does an A100 80GB have?", "and with 4-bit?", "And with 8k context?", "What about 2×H100?",
    "换成 2 张 4090 呢？", "给 20 个人用呢？", "Does the RTX 6000 Ada support NVLink?", "H20 有多少显存？", "why?",
    "And for 50 users?", "thanks", *OPENINGS,
)  # fmt: skip


def without_documents(tool: Tool, arguments: dict[str, Any]) -> ToolCallRecord:
    """A call; no document speaks of anything."""
    if tool.name == "search_guidance":
        return ToolCallRecord(tool=tool.name, request=arguments, result={"passages": [], "sources": []})
    return call(tool, arguments)


def test_a_remembered_answer_is_the_one_that_would_be_worked_out(
    tmp_path: Path, composed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over random conversations: the same words and numbers, the same need to go on from."""
    monkeypatch.setattr("assistant.step.call", without_documents)
    order, recalled = random.Random(11), 0
    known, anew = Advisor(Settings(home=tmp_path / "known")), Advisor(Settings(home=tmp_path / "anew"))
    known.recall, anew.recall = Recall(world=lambda: 0), Recall(most_bytes=0, world=lambda: 0)
    for number in range(25):
        turns = [order.choice(OPENINGS), *order.choices(CONTINUED, k=4)]
        for place, question in enumerate(turns):
            composed.clear()
            first = known.ask(question, f"c{number}")
            recalled += place > 0 and not composed
            second = anew.ask(question, f"c{number}")
            assert first.model_dump(exclude=FRESH) == second.model_dump(exclude=FRESH), turns[: place + 1]
    words = len(known.recall._looks)
    known.conversations.close()
    anew.conversations.close()
    assert recalled > 25
    assert words < len(known.recall), "no answer turned on what was told before: the comparison shows nothing"
