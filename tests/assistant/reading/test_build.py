"""What a turn changes in what is known: adds, replaces, supposes, takes back; things keep their identity."""

from typing import Any

from assistant.reading.annotation import Marked
from assistant.reading.build import after
from assistant.reading.held import held
from assistant.reading.situation import Situation


def turn(before: Situation | None, message: str, *facts: tuple[str, str, str, list[int]], **more: Any) -> Situation:
    rows = [{"quote": quote, "slot": slot, "stance": stance, "of": of} for quote, slot, stance, of in facts]
    return after(before, held(message, Marked.model_validate({"facts": rows, **more})))


def first() -> Situation:
    return turn(
        None,
        "Qwen3-32B on a 3090, 8k context, $2000",
        ("Qwen3-32B", "model", "have", [0]),
        ("a 3090", "cards", "have", [1]),
        ("8k", "context", "have", [0]),
        ("$2000", "budget", "at_most", []),
    )


def test_works_and_hardware_and_what_concerns_the_whole() -> None:
    found = first()
    assert [one.id for one in found.works()] == ["c0:0"]
    assert [one.id for one in found.hardware()] == ["c0:1"]
    budget = found.one("budget", "at_most")
    assert budget is not None
    assert budget.value["amount"] == 2000


def test_a_changed_length_replaces_the_former_and_keeps_the_rest() -> None:
    found = turn(first(), "make it 32k", ("32k", "context", "have", [0]), kind="changes")
    (work,) = found.works()
    assert [one.value for one in work.all("context")] == [{"tokens": 32768}]
    assert work.one("model") is not None
    assert work.id == "c0:0"


def test_a_swapped_card_is_the_same_machine_with_another_card() -> None:
    found = turn(first(), "sorry, it is a 4090", ("a 4090", "cards", "have", [0]), kind="corrects")
    (machine,) = found.hardware()
    assert [one.value[0]["gpu"] for one in machine.all("cards")] == ["rtx-4090-24gb"]


def test_another_option_stands_beside_the_first() -> None:
    found = turn(first(), "or a 5090?", ("a 5090", "cards", "plan", [0]), kind="adds")
    assert [one.one("cards").quote for one in found.hardware()] == ["a 3090", "a 5090"]  # type: ignore[union-attr]


def test_what_was_supposed_is_taken_back() -> None:
    supposed = turn(first(), "what if 128k?", ("128k", "context", "plan", [0]), kind="supposes")
    assert supposed.works()[0].one("context").value == {"tokens": 131072}  # type: ignore[union-attr]
    back = turn(supposed, "ok, back to the plan", kind="returns")
    assert back.works()[0].one("context").value == {"tokens": 8192}  # type: ignore[union-attr]


def test_a_new_matter_forgets_the_old_one_but_what_is_named_as_the_same() -> None:
    again = [{"n": 0, "what": "hardware", "same_as": "c0:1"}]
    found = turn(
        first(),
        "SDXL on it?",
        ("SDXL", "model", "have", [1]),
        kind="new",
        entities=again,
        asks=[{"ask": "fits", "quote": "SDXL on it?", "about": [0, 1]}],
    )
    assert [one.id for one in found.things] == ["c0:1", "c1:1"]
    assert found.known == ()
    assert [one.what for one in found.about(found.asks[0])] == ["hardware", "work"]


def test_what_is_pasted_is_known_with_its_lines_until_the_same_is_pasted_anew() -> None:
    first = after(None, held("eval rate: 9.31 tokens/s\nis that slow?", Marked()))
    assert [(one.name, one.value, one.unit, one.line) for one in first.stated] == [
        ("tokens_per_s", 9.31, "tokens/s", 1)
    ]
    second = after(first, held("now\neval rate: 22.5 tokens/s", Marked(kind="adds")))
    assert [(one.name, one.value, one.line) for one in second.stated] == [("tokens_per_s", 22.5, 2)]
