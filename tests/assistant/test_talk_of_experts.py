"""Turns of a conversation that ask after the last answer as people do: its price, its experts, what else would do."""

import pytest

from assistant.ground.check import ground
from assistant.understand import understand
from kb.units import GIB
from tests.assistant.planning import talk


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("How much VRAM for Llama 4 Scout?", "why so much? it's only 17B active"),
        ("Qwen3-235B-A22B 要多少显存", "为什么这么多，不是只激活 22B 吗"),
        ("gpt-oss-120b on 2×3090?", "but it has only 5.1B active parameters"),
    ],
)
def test_the_active_share_is_no_other_model(first: str, then: str) -> None:
    before = understand(first).need
    assert understand(then, before).need.params == before.params


def test_why_so_much_of_a_mixture_is_its_experts() -> None:
    _, _, draft = talk("How much VRAM for Llama 4 Scout?", "why so much? it's only 17B active")
    assert "every expert has to be in memory" in draft.answer.split("\n")[0]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("我们想给 30 个人部署 Qwen3-32B，推荐什么卡", "为什么这么贵"),
        ("which GPU should I buy for Llama 3.3 70B and 20 users?", "why so expensive?"),
    ],
)
def test_why_so_dear_is_answered_by_the_bill(first: str, then: str) -> None:
    _, records, draft = talk(first, then)
    line = draft.answer.split("\n")[0]
    assert line.count("$") >= 2
    assert "GiB" not in line
    assert not ground(draft.answer, records, (first, then), draft.citations).ungrounded


def test_cards_named_beyond_the_budget_are_said_to_exceed_it() -> None:
    _, _, draft = talk("我们想给 30 个人部署 Qwen3-32B，预算 15 万", "那换成两张 L20 呢")
    assert "比 ¥150,000 多" in draft.answer.split("\n")[0]


@pytest.mark.parametrize(("then", "count"), [("算了就 L40S，买两张多少钱", 2), ("那就 L40S 吧，多少钱", None)])
def test_who_settles_on_a_card_is_told_of_that_one(then: str, count: int | None) -> None:
    need = talk("4090 48G 魔改和 L40S 跑 72B 哪个好", then)[0].need
    assert need.gpus_asked == ("l40s-48gb",)
    assert count is None or need.gpus_proposed[0].count == count


@pytest.mark.parametrize("then", ["那稳定性呢，能 7×24 吗", "and how reliable are they?"])
def test_whether_hardware_holds_out_is_a_question_to_the_documents(then: str) -> None:
    assert talk("4090 48G 魔改和 L40S 跑 72B 哪个好", "功耗呢", then)[0].need.intent == "guidance"


def test_better_off_buying_holds_owning_against_the_rent() -> None:
    need = talk("What does it cost to rent 8 H100s for a week?", "for a year, would we be better off buying?")[0].need
    assert (need.intent, need.acquisition) == ("cloud_or_buy", None)


def test_a_model_put_beside_one_that_was_paced_is_asked_to_fit() -> None:
    understanding, _, draft = talk(
        "Llama 3.3 70B AWQ on 2×A6000, how fast?", "could we also keep whisper running on them?"
    )
    assert understanding.need.intent == "can_it_run"
    assert "whisper" in draft.answer.split("\n")[0]


def test_a_third_card_is_one_more_of_those_in_hand() -> None:
    need = talk("I have two A6000s, does Qwen2.5-72B run in INT8?", "what would a third A6000 bring?")[0].need
    assert [card.count for card in (*need.gpus_owned, *need.gpus_proposed)] == [3]


@pytest.mark.parametrize("then", ["换成 4 张 5090 会不会好点", "would it be any better with 4×5090?"])
def test_cards_wondered_about_are_held_against_those_in_hand(then: str) -> None:
    understanding = talk("我有 8 张 3090，Qwen3-235B-A22B 能跑吗", then)[0]
    assert understanding.need.intent == "compare"
    assert {card.gpu for card in understanding.need.gpus_owned} == {"rtx-3090-24gb"}


def test_memory_told_before_the_card_is_the_machines() -> None:
    need = understand("can I put the experts of Llama 4 Scout in RAM? I have 128GB and a 4080").need
    assert need.host_memory_bytes == 128 * GIB


@pytest.mark.parametrize(
    ("text", "owned"),
    [
        ("two 3090s, why is it slower than my friend's single A100?", set()),
        ("我有两张 3090，怎么比同事的 A100 慢这么多", {"rtx-3090-24gb"}),
    ],
)
def test_somebody_elses_card_is_not_the_askers(text: str, owned: set[str]) -> None:
    need = understand(text).need
    assert {card.gpu for card in need.gpus_owned} == owned


@pytest.mark.parametrize(
    "text", ["给 50 个研发做代码助手，买什么卡", "给公司做个翻译服务，100 人，配什么卡", "做编程助手 20 人用，选哪种卡"]
)
def test_which_card_to_buy_for_a_service_is_the_advisors_business(text: str) -> None:
    found = understand(text)
    assert not found.out_of_scope
    assert found.need.users


@pytest.mark.parametrize("text", ["去超市买什么卡片机好", "想买什么卡车跑运输"])
def test_other_things_called_a_card_are_not(text: str) -> None:
    assert understand(text).out_of_scope


def test_cheaper_for_a_run_is_told_of_the_run() -> None:
    _, _, draft = talk("A100 80GB or H100 for full fine-tuning of Qwen2.5-7B on 2B tokens?", "which is cheaper for it?")
    assert "a run over" in draft.answer.split("\n")[0]


def test_how_many_do_after_one_does_not() -> None:
    assert talk("4090 跑得动 70B 吗", "那几张够")[0].need.intent == "how_many_gpus"


def test_a_model_next_to_another_is_no_question_of_links() -> None:
    need = talk("which GPU for Whisper large-v3?", "and with a 7B summariser next to it?")[0].need
    assert need.intent == "which_to_buy"


@pytest.mark.parametrize("then", ["what about power for that", "and the power draw of it?"])
def test_power_of_what_was_proposed(then: str) -> None:
    assert talk("I need to serve Mixtral 8x22B to 40 people on-prem", then)[0].need.intent == "power"
