"""A person asks, the advisor answers: whole turns on the planner, in both languages."""

import re
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.agent import Advisor, Step
from assistant.answer import Answer
from kb.base import BadInput
from kb.settings import settings
from tools.need import Need

QUESTIONS = {
    "4x3090-72b": "4 张 3090 能跑 Qwen2.5-72B 吗？",
    "qlora-70b": "What GPU do I need to QLoRA Llama-3.1-70B at 4k context?",
    "budget-13b": "预算 50 万人民币，想全参微调 13B 模型，买什么服务器？",
    "cheapest-8b": "Cheapest cloud instance to serve Llama-3.1-8B to 50 concurrent users with 8k context?",
    "r1-8xh100": "DeepSeek-R1 满血版用 8 张 H100 能部署吗？",
    "nvlink": "Does the RTX 6000 Ada support NVLink?",
    "4090-or-a6000": "4090 or A6000 for LoRA on a 13B?",
    "one-24g": "我只有一张 24G 的卡，能微调多大的模型？",
}


@pytest.fixture(scope="module")
def advisor(tmp_path_factory: pytest.TempPathFactory, guidance_home: Path) -> Iterator[Advisor]:
    """One advisor over the bundled guidance for the whole module."""
    with pytest.MonkeyPatch.context() as patch:
        home = shutil.copytree(guidance_home, tmp_path_factory.mktemp("home"), dirs_exist_ok=True)
        patch.setenv("GPU_ADVISOR_HOME", str(home))
        settings.cache_clear()
        yield Advisor()
    settings.cache_clear()


@pytest.fixture(autouse=True)
def _same_home(advisor: Advisor, monkeypatch: pytest.MonkeyPatch) -> None:
    """The index of the module's advisor, not the empty one every test otherwise gets."""
    monkeypatch.setenv("GPU_ADVISOR_HOME", str(advisor.options.home))
    settings.cache_clear()


@pytest.fixture(scope="module")
def answers(advisor: Advisor) -> dict[str, Answer]:
    """Every question asked once."""
    return {name: advisor.ask(question) for name, question in QUESTIONS.items()}


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_number_is_grounded(answers: dict[str, Answer], name: str) -> None:
    answer = answers[name]
    assert answer.grounding.ungrounded == ()
    assert answer.grounding.numbers > 0
    assert not any("could not be traced" in warning for warning in answer.warnings)


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_marker_has_its_citation_and_every_citation_its_marker(answers: dict[str, Answer], name: str) -> None:
    answer = answers[name]
    used = {int(number) for number in re.findall(r"\[(\d+)\]", answer.answer)}
    assert used == {citation.marker for citation in answer.citations}
    assert used


@pytest.mark.parametrize("name", QUESTIONS)
def test_answer_is_in_the_askers_language(answers: dict[str, Answer], name: str) -> None:
    answer = answers[name]
    asked_in_chinese = bool(re.search("[一-鿿]", answer.question))
    assert answer.language == ("zh" if asked_in_chinese else "en")
    han = len(re.findall("[一-鿿]", answer.answer))
    assert (han > 30) == asked_in_chinese


@pytest.mark.parametrize("name", ["4x3090-72b", "qlora-70b", "budget-13b", "cheapest-8b", "r1-8xh100", "4090-or-a6000"])
def test_something_can_be_ordered(answers: dict[str, Answer], name: str) -> None:
    configurations = answers[name].configurations
    assert configurations
    assert any(item.price.amount is not None or item.owned_count for item in configurations)


@pytest.mark.parametrize(
    ("name", "verdicts"),
    [
        ("4x3090-72b", {"fits_with_changes"}),
        ("qlora-70b", {"recommendation"}),
        ("budget-13b", {"recommendation"}),
        ("cheapest-8b", {"recommendation"}),
        ("r1-8xh100", {"does_not_fit", "fits_with_changes"}),
        ("nvlink", {"fact"}),
        ("4090-or-a6000", {"comparison", "recommendation"}),
        ("one-24g", {"estimate", "recommendation"}),
    ],
)
def test_verdict_is_right(answers: dict[str, Answer], name: str, verdicts: set[str]) -> None:
    assert answers[name].verdict in verdicts


def test_cheapest_instance_is_rented_and_priced_by_the_hour(answers: dict[str, Answer]) -> None:
    first = answers["cheapest-8b"].configurations[0]
    assert first.acquisition == "rent"
    assert first.price.period == "hour"
    assert first.instance is not None
    assert first.instance in answers["cheapest-8b"].answer


def test_no_nvlink_on_the_rtx_6000_ada(answers: dict[str, Answer]) -> None:
    opening = answers["nvlink"].answer.strip().splitlines()[0].lower()
    assert re.search(r"\bno\b|\bnot\b|doesn't", opening)


def test_full_deepseek_r1_does_not_fit_eight_h100(answers: dict[str, Answer]) -> None:
    answer = answers["r1-8xh100"]
    memory = next(call for call in answer.tool_calls if call.tool == "estimate_memory")
    weights = next(part for part in memory.result["per_gpu"]["parts"] if part["name"] == "weights")
    assert weights["bytes"] * memory.result["gpus"] > 640e9
    assert any("h100" not in item.gpu or item.gpu_count > 8 for item in answer.configurations)


def test_follow_up_changes_what_it_changes(advisor: Advisor) -> None:
    first = advisor.ask(QUESTIONS["4x3090-72b"])
    second = advisor.ask("and with 4-bit?", first.conversation_id)
    assert second.need.model == first.need.model
    assert second.need.gpus_owned == first.need.gpus_owned
    assert second.need.weight_format in {"int4", "awq", "gptq", "nf4"}
    assert second.verdict == "fits"


def test_same_question_gives_the_same_answer(advisor: Advisor, answers: dict[str, Answer]) -> None:
    again = advisor.ask(QUESTIONS["qlora-70b"])
    varying = {"id", "conversation_id", "elapsed_s"}
    assert again.model_dump(exclude=varying) == answers["qlora-70b"].model_dump(exclude=varying)


def test_unknown_model_is_not_answered_with_another(advisor: Advisor) -> None:
    answer = advisor.ask("Can a 4090 run Llama 9 900B?")
    assert answer.verdict in {"clarification", "does_not_fit", "estimate"}
    assert answer.need.model is None


def test_out_of_scope_calls_no_tool(advisor: Advisor) -> None:
    answer = advisor.ask("Write me a poem about autumn leaves.")
    assert answer.verdict == "out_of_scope"
    assert answer.tool_calls == ()


@pytest.mark.parametrize("question", ["", "   ", "x" * 1_000_000, "a \ud800 b"])
def test_unusable_question_names_the_field(advisor: Advisor, question: str) -> None:
    with pytest.raises(BadInput) as refusal:
        advisor.ask(question)
    assert refusal.value.field == "question"


def test_steps_arrive_in_order_and_the_answer_last(advisor: Advisor) -> None:
    steps: list[Step] = list(advisor.stream(QUESTIONS["nvlink"]))
    kinds = [step.kind for step in steps]
    assert kinds[0] == "understood"
    assert kinds[-1] == "answer"
    assert kinds.count("tool") == kinds.count("result") > 0


def test_turns_of_one_conversation_at_once_are_all_kept(advisor: Advisor) -> None:
    threads = [
        threading.Thread(target=advisor.ask, args=(f"How much memory does an A10{'0' * n} have?", "together"))
        for n in range(2)
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(advisor.conversations.history("together")) == len(threads)


def test_history_survives_a_new_advisor(advisor: Advisor, tmp_path: Path) -> None:
    first = advisor.ask("Can one A100 80GB run Qwen2.5-32B?")
    again = Advisor(advisor.options)
    second = again.ask("and with 4-bit?", first.conversation_id)
    assert second.need.model == first.need.model
    assert isinstance(second.need, Need)


def test_when_neither_card_holds_the_published_format_they_race_in_one_that_both_hold(advisor: Advisor) -> None:
    answer = advisor.ask("Is 2x RTX 5090 better than one RTX PRO 6000 Blackwell for Llama 3.3 70B?").answer
    first, second = answer.split("\n\n")[:2]
    assert first.startswith("**2×RTX 5090 is faster")
    assert "in INT4, tokens/s for one user" in first
    assert "RTX PRO 6000" in second.split(" has more room")[0]
    assert "FP8" in second


def test_when_both_cards_hold_it_the_faster_leads_and_equal_memory_wins_nothing(advisor: Advisor) -> None:
    answer = advisor.ask("3090和4090训练7B LoRA哪个快").answer
    assert answer.startswith("**1×RTX 4090 训练更快")
    assert answer.count("训练更快") == 1
    assert "更大的模型、更长的上下文" not in answer


@pytest.mark.parametrize(
    ("question", "opening"),
    [
        pytest.param("gpt-oss-120b on one RTX 5090 + 64GB ram?", "**Not on 1×RTX 5090 alone, but together", id="en"),
        pytest.param(
            "3060 12G 32G内存 能跑 Qwen3-30B-A3B 吗", "**单靠 1×RTX 3060 12GB 放不下，加上内存可以跑", id="zh"
        ),
    ],
)
def test_host_memory_takes_what_the_card_cannot_hold(advisor: Advisor, question: str, opening: str) -> None:
    answer = advisor.ask(question)
    assert answer.answer.startswith(opening)
    assert answer.verdict == "fits_with_changes"
    assert "tokens/s" in answer.answer.split("\n\n")[0]
    assert answer.grounding.ungrounded == ()


def test_a_purpose_and_a_budget_bring_a_model_to_size_and_a_machine_to_buy(advisor: Advisor) -> None:
    answer = advisor.ask("给公司20个程序员用的代码助手,私有部署,预算30万以内,推荐配置")
    assert answer.verdict == "recommendation"
    assert "Coder" in answer.answer.split("\n\n")[0]
    assert "没有指定模型" in answer.answer
    assert answer.clarifying_questions
    assert answer.grounding.ungrounded == ()


def test_the_best_model_for_a_purpose_on_a_card_in_hand_is_named_with_its_speed(advisor: Advisor) -> None:
    answer = advisor.ask("Got a used RTX 3090 and 64GB RAM. What's the best coding model I can run at decent speed?")
    assert answer.answer.startswith("**Largest models for code that fit 1×RTX 3090")
    assert "Tokens/s for one user" in answer.answer


def test_a_deadline_says_how_many_cards_not_the_memory(advisor: Advisor) -> None:
    answer = advisor.ask("pretrain 7B on 2T tokens: how many H100s for 30 days?")
    best = answer.configurations[0]
    assert "to finish in 30 days" in answer.answer.split("\n\n")[0]
    assert "It does not fit" not in answer.answer
    assert best.speed is not None
    assert all(float((one.speed or {})["time_s"] or 0) <= 30 * 86400 for one in answer.configurations)


def test_prices_are_told_in_the_currency_of_the_budget(advisor: Advisor) -> None:
    answer = advisor.ask("4090 微调 7B LoRA 预算2万")
    assert "约 ¥" in answer.answer.split("\n\n")[0]
    assert answer.grounding.ungrounded == ()


def test_the_speed_of_several_cards_is_told_of_each(advisor: Advisor) -> None:
    answer = advisor.ask("RTX 5090 vs RTX 4090 speed for qwen3 14b q4").answer
    assert answer.startswith("**1×RTX 5090 is faster")
    assert "1×RTX 4090 ≈" in answer


def test_a_speed_is_that_of_a_format_that_fits(advisor: Advisor) -> None:
    assert advisor.ask("Mac Studio M3 Ultra 512GB 跑 Qwen3-235B 能跑多快").answer.startswith(
        "**1×Apple M3 Ultra 512GB：BF16 放不下，按 GGUF Q8_0"
    )


def test_the_longest_context_is_told_of_the_formats_that_fit(advisor: Advisor) -> None:
    answer = advisor.ask("qwen2.5 32b 用 vllm 部署在 2 张 4090 上，最大上下文能开多少").answer
    assert "**FP8：最多约" in answer
    assert "- INT4：最多约" in answer


def test_chinese_cards_are_meant_where_the_words_ask_for_them(advisor: Advisor) -> None:
    answer = advisor.ask("信创项目，部署 Qwen2.5-72B 给 50 人用，预算 150 万，买什么国产服务器")
    assert {one.gpu for one in answer.configurations} <= {"ascend-910b3-64gb", "ascend-910c-128gb"}
    assert answer.configurations
    assert "国产卡先按" in answer.answer


def test_a_budget_of_ten_thousand_and_some_is_read_whole(advisor: Advisor) -> None:
    assert advisor.ask("想在家跑本地大模型，预算1万5，配什么显卡").need.budget.amount == 15000


def test_orders_stay_out_of_a_plain_comparison(advisor: Advisor) -> None:
    answer = advisor.ask("What's the difference between L40S and A100 40GB for Stable Diffusion XL?").answer
    assert "What you could order" not in answer
    assert "Generating text" not in answer


@pytest.mark.parametrize(
    ("question", "opening"),
    [
        pytest.param("GPT-4o 能本地部署吗", "**GPT-4o 不能本地部署", id="zh"),
        pytest.param(
            "Can I run Claude 3.5 Sonnet on a 4090?", "**Claude 3.5 Sonnet cannot be run on your own", id="en"
        ),
    ],
)
def test_a_closed_model_is_said_to_be_one(advisor: Advisor, question: str, opening: str) -> None:
    answer = advisor.ask(question)
    assert answer.answer.startswith(opening)
    assert answer.configurations == ()


def test_an_own_chatgpt_is_sized_all_the_same(advisor: Advisor) -> None:
    assert advisor.ask("We want a local ChatGPT for 50 employees, budget $30k. What should we buy?").configurations


def test_a_turn_that_cannot_be_kept_is_answered_and_says_so(advisor: Advisor, tmp_path: Path) -> None:
    blocked = tmp_path / "conversations.sqlite"
    blocked.mkdir()  # stands for a disk on which nothing can be created
    alone = Advisor(advisor.options.model_copy(update={"home": tmp_path}))
    first, second = (alone.ask("显存带宽是多少？RTX 4090", "same"), alone.ask("And of the RTX 3090?", "same"))
    assert "1.01" in first.answer
    assert "没能保存" in first.warnings[-1]
    assert "936" in second.answer
    assert "could not be kept" in second.warnings[-1]
    blocked.rmdir()
    assert alone.ask("RTX 4090 memory bandwidth?", "same").warnings == ()
    assert len(alone.conversations.history("same")) == 1


@pytest.mark.parametrize(
    "text",
    [
        "矿卡能不能碰，怎么看出来是矿卡",
        "学校超算用 slurm 排队，怎么申请卡最划算",
        "should we buy now or wait for the next generation",
    ],
)
def test_what_the_documents_surely_answer_is_no_shopping(advisor: Advisor, text: str) -> None:
    answer = advisor.ask(text)
    assert answer.verdict == "fact"
    assert "| " not in answer.answer


@pytest.mark.parametrize("text", ["推荐张显卡跑大模型", "whats the best gpu for AI"])
def test_who_wants_a_card_is_shown_classes_and_asked(advisor: Advisor, text: str) -> None:
    answer = advisor.ask(text)
    assert answer.verdict == "clarification"
    assert "| " in answer.answer
