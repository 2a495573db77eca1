"""What buyers ask most: a model for so many people, a card for so much money, whether there must be one."""

import pytest

from assistant.compose.orders import chosen
from assistant.ground.check import ground
from assistant.plan import cardless, laptop, memory_target, rig, worth
from assistant.understand import understand
from assistant.understand.budget import find_budget
from assistant.understand.usage import NIGHT_H
from kb.catalog import gpu
from kb.units import GIB, HOUR_S
from tests.assistant.planning import talk, turn


@pytest.mark.parametrize(
    "text",
    [
        "best way to serve Qwen3-14B to 12 people in our office?",
        "what should we use to host Llama 3.3 70B?",
        "how do I host gpt-oss-20b for 30 coworkers",
        "Qwen3-14B, 8 users",
        "怎么给公司 20 个人部署 Qwen3-14B 最合适？",
        "给研发部 30 人搭一个 Qwen3-32B，怎么弄比较好",
    ],
)
def test_a_model_for_people_is_hardware_to_order(text: str) -> None:
    _, _, draft = turn(text)
    assert draft.verdict == "recommendation"
    assert draft.configurations


@pytest.mark.parametrize(
    "text",
    [
        "How much VRAM does Qwen3-14B need for 12 users?",
        "Qwen3-14B 给 20 个人用要多少显存",
        "64 路并发，每路 4k 上下文，Qwen3-14B",
        "can my 4090 serve Qwen3-14B to 12 people?",
    ],
)
def test_people_beside_another_question_leave_it_asked(text: str) -> None:
    assert understand(text).need.intent != "which_to_buy"


@pytest.mark.parametrize(
    ("text", "amount", "period"),
    [
        ("预算 2 万 5，配一台", 25_000, None),
        ("手上有 3 万 8，想跑大模型", 38_000, None),
        ("2 万 5 能配什么机器", 25_000, None),
        ("预算2万五，买卡", 25_000, None),
        ("租一张卡，2块一小时的预算", 2, "hour"),
        ("每小时 3 块以内", 3, "hour"),
        ("4 千买什么显卡", 4_000, None),
    ],
)
def test_money_is_read_as_people_say_it(text: str, amount: float, period: str | None) -> None:
    found = find_budget(text.replace("，", ","), chinese=True)
    assert found is not None
    assert (found.value.amount, found.value.currency, found.value.period) == (amount, "CNY", period)


@pytest.mark.parametrize("text", ["有 2 万 5 条数据", "4块 3090", "2 万 5 张图", "一块4090一小时多少钱"])
def test_what_is_counted_is_no_money(text: str) -> None:
    assert find_budget(text, chinese=True) is None


def test_the_hour_that_a_price_is_for_is_no_time_to_rent() -> None:
    need = understand("租卡跑 Qwen3-32B，2块一小时以内").need
    assert (need.term_s, need.deadline_s) == (None, None)


@pytest.mark.parametrize("text", ["best GPU under $1000", "what graphics card for $1500", "五千块预算买什么显卡"])
def test_who_asks_for_a_card_is_told_one(text: str) -> None:
    _, _, draft = turn(text)
    assert draft.configurations
    assert {one.gpu_count for one in draft.configurations} == {1}


@pytest.mark.parametrize(
    ("text", "lead"),
    [
        ("does bge-m3 need a GPU?", "No"),
        ("can bge-reranker-v2-m3 run on CPU?", "Yes"),
        ("bge-m3 需要显卡吗", "不需要"),
        ("Qwen3-Embedding-8B 必须要显卡吗", "不是必须"),
        ("Do I need a GPU to run Qwen3-4B?", "No"),
        ("跑 Llama 3.3 70B 需要显卡吗", "真要用就需要"),
    ],
)
def test_whether_there_must_be_a_card_is_answered_first(text: str, lead: str) -> None:
    _, _, draft = turn(text)
    assert draft.answer.lstrip("*").startswith(lead)


@pytest.mark.parametrize(
    "text", ["Do I need a GPU with 24 GB for bge-m3?", "which GPU do I need for bge-m3?", "训练 bge-m3 需要显卡吗"]
)
def test_which_card_is_no_question_whether_there_must_be_one(text: str) -> None:
    assert not cardless.asked(understand(text))


def test_a_base_in_four_bits_is_shared_out_as_it_is_counted() -> None:
    _, _, draft = turn("QLoRA of Qwen2.5-32B on 4090s, how many?")
    bought = next(one for one in draft.configurations if one.acquisition == "buy" and "4090" in one.gpu)
    assert (bought.gpu_count, bought.sharding) == (3, "fsdp")


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("which GPU for Qwen3-14B, only 24 GB cards please", 24, 24),
        ("跑 Qwen3-32B 买什么卡，只要 24G 的卡", 24, 24),
        ("48 GB cards only, for Llama 3.3 70B", 48, 48),
        ("which GPU for Qwen3-32B, 48GB or more per card", 48, None),
        ("推荐单卡显存不低于 48G 的卡跑 70B", 48, None),
        ("I have only 24GB cards, can I run Qwen3-32B?", None, None),
        ("我只有一张24G的卡，能跑 Qwen3-32B 吗", None, None),
        ("Qwen3-14B 只用 12G 显存正常吗", None, None),
    ],
)
def test_memory_of_the_cards_is_a_condition_where_it_is_said_so(text: str, least: int | None, most: int | None) -> None:
    need = understand(text).need
    wanted = (least and least * GIB, most and most * GIB)
    assert (need.card_memory_least_bytes, need.card_memory_most_bytes) == wanted
    assert least is None or need.memory_bytes_per_gpu is None


@pytest.mark.parametrize("text", ["which GPU for Qwen3-14B?", "跑 Qwen3-32B 买什么卡"])
def test_only_cards_of_the_size_are_put_forward_afterwards(text: str) -> None:
    _, _, draft = talk(text, "Only 24 GB cards please")
    assert draft.configurations
    assert {gpu(one.gpu).memory_bytes for one in draft.configurations} == {24 * GIB}


@pytest.mark.parametrize(
    ("text", "size", "count"),
    [("Rent 80GB for 5 hours", 80, 1), ("租一张80G的卡用5个小时多少钱", 80, 1), ("租4张48G的卡一天多少钱", 48, 4)],
)
def test_a_card_to_rent_by_its_memory_is_priced_for_the_time(text: str, size: int, count: int) -> None:
    understanding, records, draft = turn(text)
    (card,) = understanding.need.gpus_proposed
    assert (gpu(card.gpu).memory_bytes, card.count) == (size * GIB, count)
    assert any(record.tool == "estimate_cost" for record in records)
    assert draft.verdict == "estimate"


@pytest.mark.parametrize(
    ("text", "condition"),
    [("why not AMD?", "amd"), ("为什么不用AMD的卡？", "amd"), ("为啥不推荐A卡", "amd"), ("怎么不用国产的", "chinese")],
)
def test_why_another_maker_did_not_come_first_is_answered_with_its_cards(text: str, condition: str) -> None:
    understanding, _, draft = talk("which GPU should I buy for Qwen3-32B?", text)
    assert understanding.command is None
    assert understanding.need.conditions == (condition,)
    assert draft.configurations


@pytest.mark.parametrize(
    ("text", "boards"),
    [
        ("4x3090 rig: which motherboard, PSU and how many slots?", True),
        ("4张3090 用什么主板，槽位够不够？", True),
        ("which motherboard for a 4090?", True),
        ("8x H100 SXM motherboard?", False),
    ],
)
def test_the_machine_around_cards_is_told_by_its_parts(text: str, boards: bool) -> None:
    _, records, draft = turn(text)
    parts = {item.part: item.product for item in draft.configurations[0].items}
    assert parts["motherboard" if boards else "system"] in draft.answer.split("\n")[0]
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize("text", ["does an x8 slot hurt 2x3090?", "主板只有 x4 插槽，3090 会变慢吗"])
def test_what_a_narrow_slot_costs_is_another_question(text: str) -> None:
    assert not rig.asked(understand(text))


@pytest.mark.parametrize("text", ["best value GPU for Qwen3-30B-A3B", "跑 Qwen3-30B-A3B 用什么显卡性价比高"])
def test_value_for_money_is_told_cheaper_than_what_comes_first_otherwise(text: str) -> None:
    _, _, plain = turn("which GPU for Qwen3-30B-A3B")
    _, _, value = turn(text)
    first, least = (chosen(draft.configurations)[0].price.amount for draft in (plain, value))
    assert first is not None
    assert least is not None
    assert least < first


@pytest.mark.parametrize("text", ["租 4090 跑一晚上 ComfyUI 多少钱", "rent two A100s overnight, how much?"])
def test_a_night_of_rent_is_priced_as_a_night(text: str) -> None:
    assert understand(text).need.term_s == NIGHT_H * HOUR_S


@pytest.mark.parametrize("text", ["一晚上能用 4090 训完 8B LoRA 吗", "租 4090，每天一晚上，一个月多少钱"])
def test_a_night_that_is_no_rent_or_comes_again_is_none(text: str) -> None:
    assert understand(text).need.term_s != NIGHT_H * HOUR_S


@pytest.mark.parametrize("text", ["想在本地跑 DeepSeek，16G 显存够哪个版本", "我有 12G 显存，Qwen3 能选哪个大小"])
def test_which_of_a_family_is_answered_with_its_members(text: str) -> None:
    understanding, records, draft = turn(text)
    assert understanding.need.intent == "what_fits"
    assert draft.verdict == "recommendation"
    assert next(record for record in records if record.tool == "what_fits").request["models"]


@pytest.mark.parametrize(("text", "size"), [("minimum GPU for Qwen3-8B?", 12), ("想跑 14B 模型，买多大显存的卡", 16)])
def test_the_smallest_card_is_told_by_its_memory(text: str, size: int) -> None:
    _, records, draft = turn(text)
    assert f"{size} GB" in draft.answer.split("\n")[0]
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def test_as_much_memory_in_fewer_cards_is_no_more_memory() -> None:
    _, _, draft = turn("which is better for a small team, one RTX PRO 6000 or four 3090s?")
    assert "as much memory in all" in draft.answer.split("\n")[0]


def test_cards_to_add_are_told_from_those_in_hand() -> None:
    _, _, draft = turn("I own a 3060 12GB, what do I need to add for 32B models?")
    assert "more (" in draft.answer.split("\n")[0]


@pytest.mark.parametrize(
    "text", ["8 张 4090 服务器能同时给多少人用 Qwen3-32B", "how many people can 8x4090 serve Qwen3-32B to?"]
)
def test_how_many_people_cards_serve_is_no_order(text: str) -> None:
    assert understand(text).need.intent == "concurrency"


@pytest.mark.parametrize("text", ["hourly price for 4x A100 80GB?", "4090 每小时租金多少"])
def test_a_price_by_the_hour_is_a_rent(text: str) -> None:
    assert understand(text).need.intent == "cloud_or_buy"
    assert "/h" in turn(text)[2].answer.split("\n")[0] or "/小时" in turn(text)[2].answer.split("\n")[0]


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("rent something for LoRA on Qwen2.5-14B over the weekend, budget $20", 20 / 48),
        ("20 块钱一天以内能租到什么卡", 0.15),
    ],
)
def test_money_for_a_time_of_rent_lasts_for_all_of_it(text: str, most: float) -> None:
    understanding, _, draft = turn(text)
    assert not understanding.out_of_scope
    rented = [one for one in draft.configurations if one.acquisition == "rent"]
    assert rented
    assert all(float(one.price.amount or 0) <= most for one in rented)


@pytest.mark.parametrize("text", ["4060 Ti 16GB or 4070 12GB for Flux dev?", "跑 Flux，4060Ti 16G 和 4070 12G 买哪个"])
def test_of_cards_that_hold_it_alike_the_one_with_room_is_taken(text: str) -> None:
    first = turn(text)[2].answer.split("\n")[0]
    assert first.lstrip("*").startswith(("Take 1×RTX 4060 Ti 16GB", "选 1×RTX 4060 Ti 16GB"))


@pytest.mark.parametrize("text", ["100 块一个月能租到什么卡跑 7B", "$50 a month, rent a GPU for Qwen3-32B"])
def test_too_little_for_a_month_of_rent_is_told_in_hours(text: str) -> None:
    _, records, draft = turn(text)
    assert draft.verdict == "does_not_fit"
    assert " hours of it" in draft.answer or "小时，不够全天开" in draft.answer
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    ("text", "size"),
    [("which laptop GPU can run Qwen3-14B?", 12), ("买什么笔记本能跑 Mistral Small 24B", 16)],
)
def test_a_laptop_is_told_by_its_memory_and_its_chips(text: str, size: int) -> None:
    _, records, draft = turn(text)
    first = draft.answer.split("\n")[0]
    assert f"{size} GB" in first
    assert "Laptop" in first
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize("text", ["I have a laptop with 16GB RAM, can it run Qwen3-4B?", "4060 笔记本能跑 Qwen3-8B 吗"])
def test_a_laptop_in_hand_is_none_to_buy(text: str) -> None:
    assert not laptop.asked(understand(text))


@pytest.mark.parametrize("text", ["buying a used V100 32GB for 27B models, good idea?", "买 P40 跑 14B 靠谱吗"])
def test_whether_it_is_wise_to_buy_a_card_is_judged(text: str) -> None:
    assert worth.asked(understand(text))


@pytest.mark.parametrize(
    "text",
    ["要同时跑 Qwen3-8B 和 FLUX.1-dev，一张 24G 够吗", "Can a 5090 hold Qwen3-14B and Flux dev at the same time?"],
)
def test_a_picture_model_beside_a_language_model_is_narrowed_too(text: str) -> None:
    _, records, draft = turn(text)
    assert draft.verdict == "fits_with_changes"
    drawn = [one for one in records if one.tool == "estimate_memory" and "FLUX" in str(one.request.get("model"))]
    assert len({one.request.get("weight_format") for one in drawn}) > 1


@pytest.mark.parametrize("text", ["cheapest GPU with 48GB?", "cheapest card with 32 GB for LLMs"])
def test_the_cheapest_card_of_a_memory_is_found(text: str) -> None:
    assert memory_target.asked(understand(text))
