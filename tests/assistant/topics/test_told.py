"""What documents say of risks, and what is reckoned beside them."""

from typing import Any

import pytest

from assistant.reading.annotation import Marked
from assistant.reading.build import after
from assistant.reading.held import held
from assistant.topics.parts.told.topic import TOPIC
from assistant.topics.topic import Calls
from assistant.writing.trouble import passages
from assistant.writing.trouble.passages import Passage, nearest
from assistant.writing.words import Words
from tools.agent_tools.ledger import Ledger


def told(
    monkeypatch: pytest.MonkeyPatch, message: str, marked: dict[str, Any], *points: str, likely: float = 0.9
) -> str:
    found = [Passage("R1.1", "", points, likely)] if points else []
    monkeypatch.setattr("assistant.topics.parts.told.topic.passages", lambda *_: found)
    situation = after(None, held(message, Marked.model_validate(marked)))
    section = TOPIC.answer(situation.asks[0], situation, Calls(Ledger([]), (message,)), Words(TOPIC.folder, "en"))
    assert section is not None
    return "\n".join((section.lead, *section.lines))


def test_points_of_other_cards_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    marked = {
        "facts": [{"quote": "a used V100", "slot": "cards", "stance": "plan", "of": [0]}],
        "asks": [{"ask": "risk", "quote": "any pitfalls", "about": [0]}],
    }
    said = told(monkeypatch, "a used V100, any pitfalls?", marked, "The RTX 3090 gets hot.", "Test it under load.")
    assert "Test it under load. [R1.1]" in said
    assert "3090" not in said
    assert "PyTorch" in said, "how long software goes on with the card"


def test_a_supply_that_was_named_is_reckoned_with_first(monkeypatch: pytest.MonkeyPatch) -> None:
    marked = {
        "facts": [
            {"quote": "two 3090s", "slot": "cards", "stance": "have", "of": [0]},
            {"quote": "850W", "slot": "psu", "stance": "have", "of": [0]},
        ],
        "asks": [{"ask": "risk", "quote": "any risk", "about": [0]}],
    }
    assert told(monkeypatch, "two 3090s on 850W, any risk?", marked).startswith("850 W: the machine needs")


def test_what_is_reckoned_goes_before_an_unsure_passage(monkeypatch: pytest.MonkeyPatch) -> None:
    marked = {
        "facts": [
            {"quote": "qwen3-30b-a3b", "slot": "model", "stance": "have", "of": [0]},
            {"quote": "a 4090", "slot": "cards", "stance": "have", "of": [1]},
        ],
        "asks": [{"ask": "explain", "quote": "why does it need so much", "about": [0, 1]}],
    }
    message = "qwen3-30b-a3b on a 4090, why does it need so much?"
    unsure = told(monkeypatch, message, marked, "Experts all lie in memory.", likely=0.2)
    assert unsure.startswith("In this case: Qwen3-30B-A3B")
    assert "30.5B" in unsure
    assert told(monkeypatch, message, marked, "Experts all lie in memory.").startswith("Experts")


def test_points_are_ordered_by_what_they_share() -> None:
    assert nearest(("clean fans", "test memory"), "how to test the memory")[0] == "test memory"
    assert passages.REFERENCE.sub("", "Done. [^a-1]") == "Done."
