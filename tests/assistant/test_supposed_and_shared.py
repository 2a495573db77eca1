"""Cards that a follow-up only supposes, works that share a machine, and what is cheaper than what was told."""

import pytest

from assistant.answer import Draft
from assistant.understand import understand
from assistant.understanding import Asked
from tests.assistant.planning import turn
from tools.configuration import Configuration


def conversation(*texts: str) -> list[tuple[Asked, Draft]]:
    """Every turn's need and answer."""
    previous: Asked | None = None
    told = []
    for text in texts:
        understanding, _, draft = turn(text, previous)
        previous = understanding.need.model_copy(update={"shown": draft.shown})
        told.append((previous, draft))
    return told


def first(draft: Draft) -> str:
    """The first line of an answer."""
    return draft.answer.split("\n")[0]


OWNED = "I own a 3090. Can I run Llama 3.3 70B in 4-bit?"


@pytest.mark.parametrize("more", ["what if I add another card", "and with a second one?", "再加一张卡呢"])
def test_a_card_supposed_beside_the_one_in_hand_makes_two_of_which_one_is_there(more: str) -> None:
    before = understand(OWNED).need
    need = understand(more, before).need
    assert [(card.gpu, card.count) for card in need.gpus_owned] == [("rtx-3090-24gb", 2)]
    assert need.in_hand == before.gpus_owned


@pytest.mark.parametrize("bought", ["I just bought another one", "刚又买了一张 3090"])
def test_a_card_that_was_bought_is_there(bought: str) -> None:
    need = understand(bought, understand(OWNED).need).need
    assert [card.count for card in need.gpus_owned] == [2]
    assert need.in_hand == ()


@pytest.mark.parametrize("ask", ["cheaper?", "便宜点的呢", "which one should I buy then?"])
def test_what_is_ordered_stands_beside_the_cards_that_are_there(ask: str) -> None:
    before = understand("what if I add another card", understand(OWNED).need).need
    need = understand(ask, before).need
    assert [card.count for card in need.gpus_owned] == [1]


@pytest.mark.parametrize("other", ["or another card instead, a 5090?", "换成一张 5090 呢"])
def test_another_card_in_place_of_those_in_hand_is_alone(other: str) -> None:
    before = understand("what if I add another card", understand(OWNED).need).need
    need = understand(other, before).need
    assert [(card.gpu, card.count) for card in need.gpus_owned] == [("rtx-5090-32gb", 1)]
    assert need.gpus_asked == need.in_hand == ()


def test_buying_one_more_is_told_with_its_price_not_as_owned() -> None:
    _, (_, draft) = conversation("我有一张 3090，能跑 Qwen2.5-32B 8bit 吗", "再买一张卡呢")
    assert draft.configurations[0].owned_count == 1
    assert draft.configurations[0].gpu_count == 2
    assert "¥" in first(draft)


def test_what_one_has_is_the_cheapest_where_it_does() -> None:
    told = conversation("我有一张 P40，跑 Qwen2.5-14B 怎么样", "再加一张卡呢", "便宜点的呢")
    assert "现有的 1×Tesla P40" in first(told[-1][1])


@pytest.mark.parametrize(
    ("question", "cheaper", "winner"),
    [
        ("跑 Qwen2.5-32B 每天 8 小时，租划算还是买划算", "有更便宜的吗", "租更划算"),
        ("Should I rent or buy a GPU to run Llama 3.3 70B int4 4 hours a day?", "cheaper?", "Renting is cheaper"),
    ],
)
def test_cheaper_than_the_cheaper_of_renting_and_owning_keeps_that_answer(
    question: str, cheaper: str, winner: str
) -> None:
    (_, one), (need, other) = conversation(question, cheaper)
    assert need.intent == "cloud_or_buy"
    assert winner in first(one)
    assert winner in first(other)


SHARED = "One machine: LoRA fine-tune Qwen2.5-14B by day, serving Qwen2.5-32B by night. What should I buy?"


@pytest.mark.parametrize(
    ("said", "field", "value"),
    [
        ("and with 4-bit serving?", "weight_format", "int4"),
        ("部署改成 fp8 呢", "weight_format", "fp8"),
        ("serve a 72B instead", "model", "Qwen/Qwen2.5-72B"),
        ("and serving Llama 3.1 8B?", "model", "meta-llama/Meta-Llama-3.1-8B"),
    ],
)
def test_what_is_said_of_one_of_several_works_changes_that_one_alone(said: str, field: str, value: str) -> None:
    before = understand(SHARED).need
    need = understand(said, before).need
    assert getattr(need.others[0], field) == value
    assert (need.task, need.model, need.weight_format) == (before.task, before.model, before.weight_format)


def test_what_is_said_of_the_main_work_is_said_of_it() -> None:
    need = understand("and training with QLoRA?", understand(SHARED).need).need
    assert need.task == "qlora"
    assert need.others == understand(SHARED).need.others


@pytest.mark.parametrize("texts", [(SHARED,), (SHARED, "cheaper?"), (SHARED, "serve a 72B instead")])
def test_every_machine_put_forward_holds_all_works(texts: tuple[str, ...]) -> None:
    least = 36e9  # what LoRA of the 14B takes of one card

    def holds(one: Configuration) -> bool:
        return one.memory.usable_bytes_per_gpu >= least

    draft = conversation(*texts)[-1][1]
    assert draft.configurations
    assert all(map(holds, draft.configurations))


def test_what_a_supposed_card_costs_is_its_price() -> None:
    told = conversation(
        "I have a 3060 12GB. What's the biggest model I can run?", "what if I add a second one?", "how much is that?"
    )
    need, draft = told[-1]
    assert [(card.gpu, card.count) for card in need.gpus_proposed] == [("rtx-3060-12gb", 1)]
    assert draft.verdict == "fact"
    assert "$" in first(draft)


def test_why_one_card_is_faster_is_its_bandwidth() -> None:
    told = conversation("Compare two 5090s and one RTX PRO 6000 for Llama 3.3 70B 4-bit", "why?")
    assert "bandwidth" in first(told[-1][1])


@pytest.mark.usefixtures("fresh_prices")
def test_why_shows_the_steps_of_what_it_names() -> None:
    told = conversation(
        "Which GPU should I buy to serve Llama 3.1 70B to 20 people, budget $15k?", "in the cloud instead?", "why?"
    )
    assert "· 8 / 8" in told[-1][1].answer
    assert "· 16 / 8 = 137" not in told[-1][1].answer


def test_a_card_named_to_take_the_place_is_not_the_one_to_be_replaced() -> None:
    told = conversation("I have a 3060 12GB. What's the biggest model I can run?", "I'd rather swap it for a 3090")
    assert [card.gpu for card in told[-1][0].gpus_owned] == ["rtx-3090-24gb"]
    assert "Replace it with" not in first(told[-1][1])


@pytest.mark.parametrize(
    ("question", "more", "field", "value"),
    [
        ("Can my 2x A6000 serve Llama 3.3 70B to 10 at once?", "and 20?", "concurrent_sequences", 20),
        ("Can my 2x A6000 serve Llama 3.3 70B to 10 at once?", "what about 40", "concurrent_sequences", 40),
        ("8 张 4090 能给 200 人部署 Qwen2.5-32B 吗", "300 呢", "users", 300),
        ("Is 16GB VRAM enough for FLUX.1 dev?", "what about 24?", "memory_bytes_per_gpu", 24 * 2**30),
    ],
)  # fmt: skip
def test_a_figure_alone_is_another_one_of_what_it_is_nearest_to(
    question: str, more: str, field: str, value: int
) -> None:
    before = understand(question).need
    need = understand(more, before).need
    assert getattr(need, field) == value
    assert need.gpus_owned == before.gpus_owned


def test_a_figure_near_the_cards_is_their_number() -> None:
    before = understand("Can 4 A100 80GB serve Llama 3.3 70B to 100 users?").need
    need = understand("and with 8?", before).need
    assert [card.count for card in need.gpus_owned] == [8]
    assert need.users == 100


@pytest.mark.parametrize("ask", ["ok, and how much power does it draw?", "and the power draw?", "功耗呢"])
def test_power_may_be_asked_after_a_comparison(ask: str) -> None:
    told = conversation("RTX 4090 vs L40S for running Qwen2.5-32B 4-bit", ask)
    assert told[-1][0].intent == "power"


def test_the_size_meant_of_a_card_asked_about_is_taken_without_a_number() -> None:
    before = understand("H20 跑 DeepSeek-R1 671B 要几张").need
    need = understand("我说的是 141G 的", before).need
    assert need.gpus_asked == ("h20-141gb",)
    assert need.gpus_proposed == ()
    assert need.memory_bytes_per_gpu is None


@pytest.mark.parametrize("more", ["那就 4090，一天能训多少 token", "how fast does it train?"])
def test_to_train_says_nothing_of_the_method(more: str) -> None:
    before = understand("3090 和 4090 微调 7B QLoRA 差多少").need
    assert understand(more, before).need.task == "qlora"


@pytest.mark.parametrize("more", ["全参微调呢", "不用 LoRA，直接训练", "and full fine-tuning?"])
def test_another_method_is_taken_where_it_is_said(more: str) -> None:
    before = understand("4 张 A100 80G 用 LoRA 微调 7B 行吗").need
    assert understand(more, before).need.task == "full_finetune"


def test_requests_at_once_are_read_beside_the_users() -> None:
    before = understand("公司 500 人用 DeepSeek-R1 满血版，要多少卡").need
    need = understand("并发按 50 算", before).need
    assert (need.concurrent_sequences, need.users) == (50, 500)


def test_another_card_to_rent_adds_no_task() -> None:
    before = understand("How much does it cost to rent 4 H100 for a week?").need
    assert understand("and A100 80GB instead?", before).need.task == before.task


def test_which_costs_less_stays_asked_of_another_size() -> None:
    told = conversation("3090 和 4090 微调 7B QLoRA 差多少", "要是租呢，哪个划算", "换成 13B")
    assert "租" in first(told[-1][1])
    assert "¥" in first(told[-1][1])


def test_more_cards_of_a_run_that_is_rented_are_rented() -> None:
    texts = ("Pretrain a 1B model on 20B tokens with 8 H100, how long?", "cost if rented?", "and with 16?")
    need = conversation(*texts)[-1][0]
    assert [card.count for card in need.gpus_owned] == [16]


@pytest.mark.parametrize("rent", ["租 H100 呢", "那租 H100 的话"])
def test_a_card_to_rent_takes_the_place_of_those_in_hand(rent: str) -> None:
    before = understand("两张 A6000 QLoRA 微调 Qwen2.5-72B，5 万条数据要跑多久").need
    assert [card.gpu for card in understand(rent, before).need.gpus_owned] == ["h100-sxm-80gb"]
