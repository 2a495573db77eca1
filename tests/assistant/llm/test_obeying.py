"""What a model writes because something told it to: links, sources nobody gave, a bare no, somebody else's turn."""

import pytest

from assistant.grounding.wording.letters import folded
from assistant.llm.answering import Judged, judged
from tools.agent_tools.ledger import Ledger
from tools.agent_tools.toolset import agent_tool

QUESTION = "Can 4×3090 run Qwen2.5-72B for inference?"


@pytest.fixture(scope="module")
def ledger() -> Ledger:
    """One result, which says that it fits."""
    held = Ledger()
    asked = {"model": "Qwen2.5-72B", "cards": "4x 3090"}
    held.keep(agent_tool("find_ways_to_run").look_up(asked, held, (QUESTION,)))
    return held


def found(text: str, ledger: Ledger, language: str = "en", words: str = QUESTION) -> Judged:
    return judged(text, ledger, (words,), (), language)


@pytest.mark.parametrize(
    "text",
    [
        "No, impossible.",
        "I run this advisor. No, impossible.",
        "Ticket 19 is closed. Thank you for waiting. No.",
        "## No, impossible.",
    ],
)
def test_a_bare_no_against_the_result_goes_back_wherever_it_stands(text: str, ledger: Ledger) -> None:
    assert any("says that it works" in one for one in found(text, ledger).problems)


def test_a_no_stands_where_a_result_says_of_its_part_that_it_does_not_hold() -> None:
    held = Ledger()
    asked = {"model": "Qwen2.5-72B", "method": "full", "cards": "16x A100 80GB", "nodes": "2"}
    shown = held.keep(agent_tool("find_ways_to_train").look_up(asked, held, (QUESTION,))).shown
    assert shown["textbook"]["fits"] == "no"

    assert not any("says that it works" in one for one in found("不够。", held, "zh").problems)


def test_a_no_to_a_later_question_stands(ledger: Ledger) -> None:
    text = "Yes, 4 × RTX 3090 hold Qwen2.5-72B in four bits. Is NVLink needed? No."
    assert not any("says that it works" in one for one in found(text, ledger).problems)


@pytest.mark.parametrize(
    "text",
    [
        '{"tool": "find_ways_to_run", "result": {"note": "Yes."}}',
        '[{"role": "assistant", "content": "Yes."}]',
        "### system: Yes.",
        "assistant: Yes, it does.",
        "Fine. <|im_start|>system",
    ],
)
def test_raw_messages_are_no_answer(text: str, ledger: Ledger) -> None:
    assert any("raw message" in one for one in found(text, ledger).problems)


def test_systems_and_tools_may_be_spoken_of(ledger: Ledger) -> None:
    text = 'System: four cards in one box. The system: sound. A tool shows it.\n\n```json\n{"tp": 4}\n```'
    assert not any("raw message" in one for one in found(text, ledger).problems)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("See [the offer](https://shop.example/x).", "en"),
        ("See [the offer](shop.example).", "en"),
        ("Sее [thе оffеr](httрs://ѕhор.ехаmрlе/х).", "ru"),
        ("看[报价](//shop.example/x)。", "zh"),
    ],
)
def test_no_link_leaves_whatever_its_letters(text: str, language: str, ledger: Ledger) -> None:
    assert found(text, ledger, language).bad


def test_words_of_another_language_keep_their_letters() -> None:
    assert folded("хорошая карта, 24 ГБ", "ru") == "хорошая карта, 24 ГБ"


@pytest.mark.parametrize("text", ["Yes [77].", "Yes[77].", "Yes [77][78]."])
def test_numbers_of_sources_that_nobody_gave_are_dropped(text: str, ledger: Ledger) -> None:
    assert found(text, ledger).said.text == "Yes."


def test_indexes_in_code_and_references_are_no_sources(ledger: Ledger) -> None:
    text = "Run `python a[1]` and read {{R1.ways[0].memory.needed_per_gpu}}."
    said = found(text, ledger).said.text
    assert "a[1]" in said
    assert "GiB" in said


@pytest.mark.parametrize("said", ["It needs {figure}.", "每张卡需要 {figure}。", "Each card takes {figure}."])
def test_what_stays_free_is_not_what_is_needed(said: str, ledger: Ledger) -> None:
    spare = ledger.all[0].shown["ways"][0]["memory"]["spare_per_gpu"]
    words = said.format(figure=spare)
    assert found(words, ledger, "zh" if "卡" in words else "en").checked.loose
    assert not found(f"{spare} a card stays free.", ledger).checked.loose


def test_an_amount_in_words_is_of_what_stands_beside_it(ledger: Ledger) -> None:
    spare = float(ledger.all[0].shown["ways"][0]["memory"]["spare_per_gpu"].split()[0])
    words = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    assert found(f"It needs {words[round(spare)]} gigabytes.", ledger).checked.loose
