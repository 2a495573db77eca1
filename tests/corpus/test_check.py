"""The check of the corpus sees what it must."""

from typing import Any

import pytest

from tests.corpus.by_guide import by_guide
from tests.corpus.check import Found, check_line, masked, words_in_a_row

LINE: dict[str, Any] = {
    "id": "t1", "turn": 0, "thread": "https://example.org/1", "writer": "t", "language": "en",
    "text": "does qwen3-32b at q4 fit on my 2x 3090, for 3 users?", "kind": "new",
    "asks": [{"ask": "fits", "quote": "does qwen3-32b at q4 fit", "about": [0, 1]}],
    "facts": [
        {"quote": "qwen3-32b", "slot": "model", "stance": "have", "of": [0]},
        {"quote": "q4", "slot": "format", "stance": "have", "of": [0]},
        {"quote": "2x 3090", "slot": "cards", "stance": "have", "of": [1]},
        {"quote": "3 users", "slot": "users", "stance": "have", "of": [0]},
    ],
    "unread": [],
}  # fmt: skip


def wrong(**changes: Any) -> list[str]:
    return list(check_line(LINE | changes, Found()))


def test_a_line_marked_up_by_the_rules_is_right() -> None:
    assert wrong() == []


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"facts": LINE["facts"][:3]}, "“3” is in no fact"),
        ({"facts": LINE["facts"][:2] + LINE["facts"][3:]}, "“3090” is in no fact"),
        ({"facts": [*LINE["facts"], {"quote": "4x 3090", "slot": "cards", "stance": "have"}]}, "is not in the message"),
        ({"facts": [*LINE["facts"], {"quote": "my 2x", "slot": "card_count", "stance": "have"}]}, "shares its words"),
        ({"facts": [{"quote": "q4", "slot": "colour", "stance": "have"}]}, "none of the slots"),
        ({"asks": [{"ask": "limit", "quote": "fit"}]}, "needs a quantity"),
        ({"asks": [{"ask": "fits", "quote": "fit", "quantity": "users"}]}, "has no quantity"),
        ({"thread": "a thread"}, "no address"),
        ({"mood": "good"}, "none of the fields"),
    ],
)
def test_what_breaks_a_rule_is_told(changes: dict[str, Any], why: str) -> None:
    assert any(why in one for one in wrong(**changes))


def test_templates_are_alike_whatever_their_names_and_numbers() -> None:
    assert masked("Can 2x RTX 4090 run Qwen3-32B at 12k?") == masked("can 8x A100 run qwen2.5-72b at 32k?")
    assert masked("Can 2x RTX 4090 run Qwen3-32B?") != masked("would Qwen3-32B run on 2x RTX 4090?")


def test_words_in_a_row_are_counted_in_both_scripts() -> None:
    assert len(list(words_in_a_row("one two three four five six seven eight"))) == 1
    assert len(list(words_in_a_row("四张显卡能跑多大"))) == 1
    assert not list(words_in_a_row("too short"))


@pytest.mark.parametrize(
    ("text", "slot", "quote", "after"),
    [
        ("两张A6000跑不动", "cards", "A6000", "两张A6000"),
        ("dual 3090 24GB here", "cards", "3090", "dual 3090 24GB"),
        ("an A100 at hand", "cards", "an A100", "A100"),
        ("内存96G够吗", "host_memory", "内存96G", "96G"),
        ("about 20 users", "users", "about 20 users", "20 users"),
        ("in a week", "duration", "a week", "a week"),
    ],
)
def test_ends_move_to_where_the_guide_has_them_and_then_stay(text: str, slot: str, quote: str, after: str) -> None:
    row = {"text": text, "facts": [{"quote": quote, "slot": slot, "stance": "have", "of": [0]}]}
    once = by_guide(row)
    assert [one["quote"] for one in once["facts"]] == [after]
    assert by_guide(once) == once


def test_words_that_another_fact_holds_are_left_to_it() -> None:
    facts = [
        {"quote": "两台", "slot": "nodes", "stance": "have"},
        {"quote": "8卡H20", "slot": "cards", "stance": "have"},
    ]
    assert [one["quote"] for one in by_guide({"text": "两台8卡H20", "facts": facts})["facts"]] == ["两台", "8卡H20"]
