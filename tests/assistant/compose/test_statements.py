from assistant.compose.statements import best, terms
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


def test_one_passage_gives_at_most_two_statements() -> None:
    text = "\n".join(f"- memory fact number {word} is here." for word in ("one", "two", "three", "four"))
    assert len(best([passage(text)], "memory fact", 5)) == 2


def test_terms_are_words_and_pairs_of_characters() -> None:
    assert terms("显存不够 FP8") == {"显存", "存不", "不够", "fp8"}
