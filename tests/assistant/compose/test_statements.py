import pytest

from assistant.compose.statements import BESIDE_MAX, FOLLOWING_MAX, account, best, leans, terms
from kb.records.passage import Passage

TEXT = """## 先查什么？
- `nvidia-smi` 看有没有别的进程占着显存。 [^nvidia-smi]
- 查 dtype：默认按 FP32 加载，显存是 BF16 的两倍。 [^hf-anatomy]
| 时刻 | 常见原因 |
NVLink helps tensor parallelism. A 3.5 mm plug does not. Consider:
"""


def passage(text: str = TEXT, **more: object) -> Passage:
    values = {
        "document": "a.md", "title": "A", "line_start": 1, "line_end": 9, "heading": "", "text": text, "score": 0.8,
        "language": "zh",
    } | more  # fmt: skip
    return Passage.model_validate(values)


def test_a_bullet_is_quoted_whole_without_its_note() -> None:
    found = best([passage()], "为什么按 FP32 加载", 1)
    assert found[0].text == "查 dtype：默认按 FP32 加载，显存是 BF16 的两倍。"
    assert found[0].text in TEXT


def test_prose_is_quoted_by_the_sentence() -> None:
    assert best([passage()], "does NVLink help", 1)[0].text == "NVLink helps tensor parallelism."


def test_headings_tables_and_lead_ins_are_never_quoted() -> None:
    texts = [one.text for one in best([passage()], "时刻 常见原因 先查什么 consider plug nvlink 进程 dtype", 10)]
    assert not any("|" in text or text.startswith("#") or text.endswith(":") for text in texts)


def test_a_distant_passage_that_shares_no_word_is_not_quoted() -> None:
    assert best([passage(score=0.4)], "黑神话帧率", 3) == []
    assert best([passage(score=0.9)], "黑神话帧率", 3) != []


def test_the_name_of_a_card_alone_makes_no_statement_relevant() -> None:
    text = "- RTX 4090 and RTX 3090 have 24 GB."
    assert best([passage(text, score=0.4)], "why is my RTX 4090 idle?", 3) == []


def test_all_the_notes_behind_a_statement_are_left_out() -> None:
    assert best([passage("- NVLink helps training here. [^a] [^b]")], "NVLink training", 1)[0].text.endswith("here.")


def test_one_passage_gives_at_most_two_statements() -> None:
    text = "\n".join(f"- memory fact number {word} is here." for word in ("one", "two", "three", "four"))
    assert len(best([passage(text)], "memory fact", 5)) == 2


def test_terms_are_words_and_pairs_of_characters() -> None:
    assert terms("显存不够 FP8") == {"显存", "存不", "不够", "fp8"}


SECTION = """- NVLink helps inference on two cards little.
- A token exchanges few bytes.
- Layer splitting does not use the link.
"""


def test_an_account_is_one_section_in_its_order() -> None:
    told = account([passage(SECTION, heading="Does NVLink help inference on two cards?")], "does NVLink help inference")
    assert [one.text.split()[0] for one in told] == ["NVLink", "A", "Layer"]
    assert [one.line for one in told] == [1, 2, 3]


def test_an_account_begins_where_its_section_begins_though_that_piece_was_found_later() -> None:
    heading = "Why does NCCL hang with two nodes?"
    first = passage("- NCCL hangs on the wrong interface.", heading=heading, line_start=3, line_end=3, score=0.5)
    second = passage("- Open all ports between the nodes.", heading=heading, line_start=4, line_end=4, score=0.9)
    assert [one.line for one in account([second, first], "NCCL hangs with two nodes")] == [3, 4]


def test_a_later_statement_that_is_plainly_asked_for_is_told_first() -> None:
    text = "- An Xid is a number of the driver.\n- Falling off the bus is error seventy-nine.\n- Drain the server."
    told = account([passage(text, heading="Errors")], "falling off the bus")
    assert [one.line for one in told] == [2, 3]


def test_other_sections_add_only_what_is_clearly_about_the_question_and_not_said_yet() -> None:
    lead = passage(SECTION, heading="Does NVLink help inference on two cards?", score=0.9)
    copies = [
        passage("- NVLink helps inference on two cards little.", document="copy.md", heading="NVLink"),
        passage("- It helps inference through NVLink as well.", document="leaning.md", heading="NVLink inference"),
        passage("- Fans make noise in every room.", document="other.md", heading="Noise"),
    ]
    assert {one.passage.document for one in account([lead, *copies], "does NVLink help inference")} == {"a.md"}


def test_an_account_has_an_end() -> None:
    words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"]
    long = passage("\n".join(f"- NVLink inference statement {word}." for word in words), heading="NVLink inference")
    others = [
        passage(f"- NVLink inference helps {word} {word}x {word}y {word}z.", document=f"{word}.md", score=0.9)
        for word in words
    ]
    assert len(account([long, *others], "NVLink inference helps")) <= 1 + FOLLOWING_MAX + BESIDE_MAX


def test_nothing_is_told_without_passages() -> None:
    assert account([], "anything") == []


@pytest.mark.parametrize(
    ("text", "pointing"),
    [
        ("两张这一档的卡能跑 70B 的 4 bit。", True),
        ("这种卡没有 NVLink。", True),
        ("前者更省电。", True),
        ("The latter is slower.", True),
        ("They share one link.", True),
        ("RTX 4090 没有 NVLink。", False),
        ("Two cards halve the weights.", False),
    ],
)
def test_a_statement_that_points_back_leans(text: str, pointing: bool) -> None:
    assert leans(text) == pointing
