"""An answer is taken apart without losing a character that says something."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.grounding.wording.statements import statements

PIECES = st.sampled_from([
    "It fits. ", "够用。", "Use e.g. vLLM. ", "# Head\n", "- item\n", "1. step\n", "| a | b |\n", "|---|---|\n",
    "| 1 | 2 |\n",
    "```\ncode. more.\n```\n", "\n\n", "[own]", " [1]", "**bold.** ", "3.5 GiB", "！", "\n",
])  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "texts"),
    [
        pytest.param("It fits. It is fast.", ["It fits.", "It is fast."], id="sentences"),
        pytest.param("够用。速度也行！真的？", ["够用。", "速度也行！", "真的？"], id="chinese"),
        pytest.param("Use e.g. vLLM. Then go.", ["Use e.g. vLLM.", "Then go."], id="abbreviation"),
        pytest.param("It is approx. 3 GiB vs. 4 GiB.", ["It is approx. 3 GiB vs. 4 GiB."], id="abbreviations-inside"),
        pytest.param("It needs 3.5 GiB. Yes.", ["It needs 3.5 GiB.", "Yes."], id="decimal-point"),
        pytest.param("1. Buy it.\n2. Run it.", ["Buy it.", "Run it."], id="numbered-list"),
        pytest.param("- **RAM:** plan 64 GB.\n* more", ["**RAM:** plan 64 GB.", "more"], id="bullets"),
        pytest.param("Use risers. [own] It fits. [1]", ["Use risers. [own]", "It fits. [1]"], id="marks-belong-before"),
        pytest.param("It holds [[R1]]. So.", ["It holds [[R1]].", "So."], id="keys-inside"),
        pytest.param("**It fits.** Go.", ["**It fits.**", "Go."], id="bold"),
    ],
)
def test_sentences_end_where_they_end(answer: str, texts: list[str]) -> None:
    assert [one.text.strip() for one in statements(answer)] == texts


def test_a_cell_knows_its_row_and_its_column() -> None:
    cells = statements(
        "| card | price | memory |\n|:--|--:|---|\n| RTX 3090 | $1,207 | 24 GiB |\n| RTX 4090 |  | 24 GiB |"
    )
    assert [(one.kind, one.text.strip()) for one in cells[:3]] == [
        ("heading", each) for each in ("card", "price", "memory")
    ]
    assert [(one.row.strip(), one.column.strip(), one.text.strip()) for one in cells[3:]] == [
        ("", "card", "RTX 3090"), ("RTX 3090", "price", "$1,207"), ("RTX 3090", "memory", "24 GiB"),
        ("", "card", "RTX 4090"), ("RTX 4090", "memory", "24 GiB"),
    ]  # fmt: skip


def test_two_tables_have_their_own_heads() -> None:
    found = statements("| a |\n|---|\n| 1 |\n\n| b |\n|---|\n| 2 |")
    assert [(one.text.strip(), one.column.strip()) for one in found if one.kind == "cell"] == [("1", "a"), ("2", "b")]


def test_code_stands_apart_from_what_is_said() -> None:
    found = statements("Run it:\n```bash\nvllm serve x. --port 8000\n```\nIt works.")
    assert [one.kind for one in found] == ["sentence", "code", "code", "code", "sentence"]


@pytest.mark.parametrize(
    ("answer", "own"),
    [
        ("Use risers. [own] It fits.", [True, False]),
        ("Use risers [own]. It fits.", [True, False]),
        ("Use risers. [OWN]", [True]),
        ("| a | b |\n|---|---|\n| x | y [own] |", [False, False, True, True]),
    ],
)
def test_own_knowledge_is_known_by_its_mark(answer: str, own: list[bool]) -> None:
    assert [one.own for one in statements(answer)] == own


@pytest.mark.parametrize(
    ("answer", "own"),
    [
        pytest.param("## Fix [own]\n\nA. B.\n- C\n\n- D\n\nE", "fix A. B. C D", id="heading-and-list"),
        pytest.param("**Fix** [own]:\n- A\n\nB", "fix A", id="bold-line"),
        pytest.param("**Fix [own]**\nA\n## Else\nB", "fix A", id="to-the-next-heading"),
        pytest.param("先试 [own]：\n\n1. A\n2. B\n\nC", "fix A B", id="list-behind-a-blank-line"),
        pytest.param("Try this: [own]\n```\nA\n```\nB", "fix ``` A ```", id="code"),
        pytest.param("Try: [own]\n| A | B |\n|---|---|\n| C | D |\n\nE", "fix A B C D", id="table"),
        pytest.param("- Driver: [own]\n  A\n- B\n", "fix A", id="item-that-heads-its-own-lines"),
        pytest.param("Use risers [own].\n- A", "fix", id="sentence-alone"),
        pytest.param("## Fix\nA [own]\nB", "A", id="heading-without-it"),
    ],
)
def test_a_heading_with_the_mark_covers_what_stands_under_it(answer: str, own: str) -> None:
    marked = [one.text.replace("[own]", "").strip() for one in statements(answer) if one.own]
    wanted = own.removeprefix("fix").split()
    assert marked[1 if own.startswith("fix") else 0 :] == wanted


@settings(deadline=None)
@given(st.lists(PIECES, max_size=30).map("".join) | st.text(max_size=300))
def test_statements_lie_where_they_say_in_order_and_apart(answer: str) -> None:
    position = 0
    for one in statements(answer):
        assert answer[one.start : one.end] == one.text
        assert one.start >= position
        position = one.end


@settings(deadline=None)
@given(st.lists(PIECES, max_size=30).map("".join))
def test_no_word_is_lost(answer: str) -> None:
    said = "".join(one.text for one in statements(answer))
    for word in ("fits", "够用", "vLLM", "Head", "item", "code", "bold", "GiB"):
        assert said.count(word) == answer.count(word)


@pytest.mark.parametrize(
    ("answer", "texts"),
    [
        ("It runs at batch 1. Use risers. [own]", ["It runs at batch 1.", "Use risers. [own]"]),
        ("That is the max. It fits.", ["That is the max.", "It fits."]),
        ("Use max. 3 cards. It fits.", ["Use max. 3 cards.", "It fits."]),
    ],
)
def test_a_digit_or_a_word_before_a_full_stop_joins_no_sentences(answer: str, texts: list[str]) -> None:
    assert [one.text.strip() for one in statements(answer)] == texts
