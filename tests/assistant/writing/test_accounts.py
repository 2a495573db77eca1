"""Accounts: sentences alike in both languages, searched numbers of cards, groups of them, a figure of the person."""

import re
from pathlib import Path

import pytest

from assistant.reading.annotation import Marked
from assistant.reading.build import after
from assistant.reading.held import held
from assistant.reading.situation import Situation
from assistant.writing.accounts.person import Own, judged
from assistant.writing.accounts.sentences import HERE, billions, sentences
from assistant.writing.accounts.worked.fewest import fewest_to_run
from assistant.writing.accounts.worked.grouping import groups
from assistant.writing.setups import Setup
from assistant.writing.words import Words, templates
from kb.units import GIB
from tools.agent_tools.ledger import Ledger, LookedUp
from tools.agent_tools.toolset import agent_tool

TABLE = "\tGPU0\tGPU1\tGPU2\tGPU3\nGPU0\t X \tNV4\tSYS\tSYS\nGPU1\tNV4\t X \tSYS\tSYS\nGPU2\tSYS\tSYS\t X \tNV4\nGPU3\tSYS\tSYS\tNV4\t X \n"  # fmt: skip  # noqa: E501


def call(tool: str, arguments: dict[str, object]) -> LookedUp:
    return agent_tool(tool).look_up(arguments, Ledger(), ())


def known(message: str, **marks: object) -> Situation:
    return after(None, held(message, Marked.model_validate(marks)))


def test_both_languages_say_the_same_with_the_same_figures() -> None:
    holes = [
        {name: set(re.findall(r"\{(\w+)\}", str(said))) for name, said in templates(HERE, language).items()}
        for language in ("en", "zh")
    ]
    assert holes[1].keys() - holes[0].keys() <= {"method_pretrain"}
    assert all(holes[1][name] <= needed for name, needed in holes[0].items())


def test_the_fewest_cards_hold_it_and_one_less_does_not() -> None:
    asked = {"model": "Llama-3.3-70B-Instruct", "weight_format": "bf16"}
    found = fewest_to_run(asked, "NVIDIA A100 SXM4 80GB", call)
    assert found is not None
    assert found.number == 2
    fewer = call("find_ways_to_run", {**asked, "cards": "1x A100 SXM4 80GB"})
    assert fewer.shown["answer"]["verdict"] != "fits"


def test_cards_that_nvlink_joins_are_a_group() -> None:
    situation = known(f"4x 3090\n{TABLE}", facts=[{"quote": "4x 3090", "slot": "cards", "stance": "have", "of": [0]}])
    found = groups(situation, Setup(None, situation.hardware()), None, 4)
    assert found is not None
    assert (found.size, found.near, found.far, found.named) == (2, "NV4", "SYS", ((0, 1), (2, 3)))


@pytest.mark.parametrize(("told", "word"), [(100, "about right"), (30, "too low"), (300, "more than it takes")])
def test_a_persons_figure_is_judged_beside_ours(told: int, word: str) -> None:
    said = judged(Own(f"{told} GB", told * GIB), 105 * GIB, Words(Path(HERE), "en"))
    assert word in said[0]


def test_parameters_are_told_without_a_power_of_ten() -> None:
    assert [billions(number) for number in (7e9, 32.8e9, 1.026e12)] == ["7B", "32.8B", "1,026B"]


def test_another_memory_than_that_of_the_named_cards_is_of_other_cards() -> None:
    first = known("a V100 32G", facts=[{"quote": "a V100 32G", "slot": "cards", "stance": "have", "of": [0]}])
    marks = {"kind": "changes", "facts": [{"quote": "80GB", "slot": "card_memory", "stance": "have", "of": [0]}]}
    then = after(first, held("with 80GB", Marked.model_validate(marks)))
    assert not then.hardware()[0].all("cards")


def test_sentences_are_found_in_both_languages() -> None:
    assert sentences(Words(HERE, "zh")).knows("mixture")
