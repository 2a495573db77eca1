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


@pytest.mark.usefixtures("fresh_prices")
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


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("M3 Max 48G 能跑 Qwen2.5-72B 吗？", "apple-m3-max-48gb"),
        ("M3 Max，内存 36G，能跑 32B 吗", "apple-m3-max-36gb"),
        ("14 寸 MacBook Pro M3 Max 96G 能跑 70B 吗", "apple-m3-max-96gb"),
        ("Can a 48GB M4 Max run Qwen3-32B?", "apple-m4-max-48gb"),
        ("M4 Max Mac Studio with 36 gigs: Qwen3-32B?", "apple-m4-max-36gb"),
        ("Can my M4 Pro with 24GB run Llama 3.1 8B?", "apple-m4-pro-24gb"),
        ("I have a MacBook Pro M2 Max 64 GB, can it run Llama 3 70B?", "apple-m2-max-64gb"),
        ("AI Max+ 395 64G 版能跑 Qwen3-32B 吗？", "ryzen-ai-max-395-64gb"),
        ("Strix Halo box with 96GB of RAM: Llama 3 70B?", "ryzen-ai-max-395-96gb"),
        ("Framework Desktop with 64 GB: can it run Qwen3 30B A3B?", "ryzen-ai-max-395-64gb"),
        ("M3 Max 能跑 48GB 的模型吗", "apple-m3-max-128gb"),
        ("MacBook Air M3 512G 能跑 7B 吗", "apple-m3-16gb"),
    ],
)
def test_stated_memory_is_the_machines(text: str, card: str) -> None:
    understanding, _, _ = turn(text)
    assert [one.gpu for one in understanding.need.gpus_owned] == [card]
    assert understanding.need.host_memory_bytes is None


@pytest.mark.parametrize(
    ("text", "card", "stated"),
    [
        ("M3 Max 72G 能跑 Qwen2.5-72B 吗？", "Apple M3 Max 64GB", "72 GB"),
        ("Can my M4 Pro with 36GB run Qwen3-32B?", "Apple M4 Pro 24GB", "36 GB"),
        ("my M2 Ultra Mac Studio has 96 GB of RAM, can it run Qwen2.5-72B?", "Apple M2 Ultra 64GB", "96 GB"),
        ("DGX Spark 64GB: does Qwen3-32B fit?", "DGX Spark (GB10)", "64 GB"),
    ],
)
def test_memory_that_is_not_sold_is_said_before_the_nearest(text: str, card: str, stated: str) -> None:
    _, records, draft = turn(text)
    first = draft.answer.split("\n")[0]
    assert card in first
    assert stated in first
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def test_memory_of_a_pc_beside_a_mac_stays_the_pcs() -> None:
    need = turn("M3 Max vs a PC with 64GB RAM and a 4090 for Qwen3-32B")[0].need
    assert need.gpus_asked == ("apple-m3-max-128gb", "rtx-4090-24gb")
    assert need.host_memory_bytes == 64 << 30
