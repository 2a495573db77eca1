"""An answer depends on what it looked at of the one before, and on nothing else of it."""

import pytest

from assistant.compose.before import Before, apart
from assistant.understand import understand
from assistant.understanding import Asked, Shown
from tools.need import GpuCount

SHOWN = Shown(measure="fit", said="20 GiB", language="en", fits=True, told=("a", "b"), offered=(GpuCount(gpu="l4"),))


def test_only_what_was_looked_at_is_noted() -> None:
    before = Before(SHOWN, ("users",))
    assert before.looks() == ()
    assert before.told("a")
    assert not before.told("z")
    assert before.field("said") == "20 GiB"
    assert set(before.looks()) == {("mark", "a"), ("mark", "z"), ("field", "said")}


@pytest.mark.parametrize(
    ("other", "alike"),
    [
        (SHOWN.model_copy(update={"told": ("a", "c")}), True),
        (SHOWN.model_copy(update={"told": ("a", "z")}), False),
        (SHOWN.model_copy(update={"told": ()}), False),
        (SHOWN.model_copy(update={"offered": ()}), True),
        (SHOWN.model_copy(update={"said": "21 GiB"}), False),
        (None, False),
    ],
)
def test_others_are_alike_where_the_looks_find_the_same(other: Shown | None, *, alike: bool) -> None:
    before = Before(SHOWN)
    assert (before.told("a"), before.told("z"), before.field("said")) == (True, False, "20 GiB")
    looks = before.looks()
    assert (Before(other).found(looks) == before.found(looks)) is alike


def test_what_changed_and_whether_anything_was_shown_are_looks_too() -> None:
    before = Before(None, ("users",))
    assert not before
    assert before.changed(("users", "task")) == ("users",)
    looks = before.looks()
    assert Before(None, ("model",)).found(looks) != before.found(looks)
    assert Before(SHOWN, ("users",)).found(looks) != before.found(looks)


def test_a_change_that_was_not_asked_for_makes_no_difference() -> None:
    before = Before(SHOWN, ("users", "model"))
    assert before.changed(("model", "task")) == ("model",)
    assert before.measures(str(SHOWN.measure))
    looks = before.looks()
    assert Before(SHOWN, ("model", "budget")).found(looks) == before.found(looks)
    assert Before(SHOWN.model_copy(update={"measure": "another"}), ("model",)).found(looks) != before.found(looks)
    assert before.changed_beside(("model",))
    assert Before(SHOWN, ("model",)).found(before.looks()) != before.found(before.looks())


def test_a_reading_taken_apart_holds_nothing_of_the_answer_before() -> None:
    first = understand("Can 2×4090 run Qwen2.5-32B?").need.model_copy(update={"shown": SHOWN})
    reading = understand("and for 20 users?", first)
    assert reading.changed
    bare, before = apart(reading)
    assert (bare.need.shown, bare.changed) == (None, ())
    assert (before.whole(), before.changed(reading.changed)) == (SHOWN, reading.changed)
    assert bare.need == Asked.model_validate(reading.need.model_dump() | {"shown": None})


def test_a_reading_keeps_all_that_was_shown_although_it_turns_on_little_of_it() -> None:
    one = understand("Can 2×4090 run Qwen2.5-32B?").need
    for told in (("a", "b"), ("c",)):
        shown = SHOWN.model_copy(update={"told": told})
        assert understand("and for 20 users?", one.model_copy(update={"shown": shown})).need.shown == shown
