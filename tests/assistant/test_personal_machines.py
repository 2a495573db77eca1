"""What a Mac, a laptop or a desktop runs well: no formats of serving engines, and tokens a second of each model."""

import pytest

from assistant.ground.check import ground
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    "text",
    [
        "I have a Mac mini M4 Pro 64GB, which models can I run well?",
        "MacBook Pro M4 Max 128GB 能跑什么模型",
        "Strix Halo 128GB: what can I run?",
        "我有一张 4060 笔记本，能跑哪些模型",
        "Mac Studio M3 Ultra 512GB 能流畅跑哪些大模型",
    ],
)
def test_files_and_speeds_of_a_personal_machine(text: str) -> None:
    _, records, draft = turn(text)
    assert "AWQ" not in draft.answer
    assert "GGUF Q4_K_M" in draft.answer.split("\n")[0]
    paced = [one for one in records if one.tool == "estimate_inference_speed" and "error" not in one.result]
    assert len(paced) >= 2
    assert "okens/s" in draft.answer
    assert draft.answer.count("≈") >= 3
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize("text", ["what can I run on a 3090?", "两张 4090 能跑多大的模型"])
def test_a_desktop_of_one_person_is_told_in_files_too(text: str) -> None:
    answer = turn(text)[2].answer
    assert "GGUF Q4_K_M" in answer
    assert "AWQ" not in answer


@pytest.mark.parametrize("text", ["what can I run on 4x L40S?", "8 张 4090 能跑多大的模型"])
def test_servers_keep_the_formats_of_their_engines(text: str) -> None:
    assert "AWQ" in turn(text)[2].answer


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Mac Studio M3 Ultra 96GB price", "$5,299"),
        ("What should I buy to run DeepSeek R1 671B at home?", "second-hand market only"),
        ("在家跑 DeepSeek-R1 671B 买什么最便宜", "只有二手"),
    ],
)
def test_a_mac_has_a_price_and_one_taken_off_the_store_is_second_hand(text: str, said: str) -> None:
    _, _, draft = turn(text)
    assert said in draft.answer
    assert "no price known" not in draft.answer
    assert "没有查到价格" not in draft.answer
