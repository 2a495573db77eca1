"""Cards against each other at a language model: both speeds, and which to take for the money, in the first sentence."""

import pytest

from assistant.ground.check import ground
from assistant.understand import understand
from tests.assistant.planning import turn

ONE_SENTENCE = [
    ("What tokens per second should I expect from Qwen3-32B on an RTX 5090 vs a 4090?", "RTX 5090 is faster"),
    ("RTX 5090 vs 4090 tokens per second", "For the money take 1×RTX 4090"),
    ("2x 3090 or one RTX 6000 Ada for 70B Q4?", "ake 2×RTX 3090"),
    ("RTX PRO 6000 Blackwell x1 vs 4x 3090, which for a 10 person office running 70B?", "Take 4×RTX 3090"),
    ("4090 和 5090 跑 Qwen3-32B 选哪个？", "值得"),
]


@pytest.mark.usefixtures("fresh_prices")
@pytest.mark.parametrize(("text", "said"), ONE_SENTENCE)
def test_the_first_line_tells_both_speeds_and_what_to_take(text: str, said: str) -> None:
    _, records, draft = turn(text)
    first = draft.answer.split("\n")[0]
    assert said in first
    assert first.count("≈") >= 2
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def test_a_budget_that_buys_neither_is_said() -> None:
    text = "I have $1800. Is a new 5090 worth it over a used 4090 for running 30B models locally?"
    assert "$1,800 buys neither" in turn(text)[2].answer.split("\n")[0]
    assert not understand(text).need.gpus_owned


def test_nothing_is_advised_of_rented_cards() -> None:
    _, _, draft = turn("Rent an H100 or an A100 for Llama 3.1 8B, which is faster?")
    assert "For the money" not in draft.answer


@pytest.mark.parametrize(
    ("text", "count"),
    [("We've got 4 older V100 32GB. Can we run Qwen2.5-72B on them?", 4), ("3 refurbished 3090 for a 70B?", 3)],
)
def test_words_between_a_number_and_a_card_count_it(text: str, count: int) -> None:
    need = understand(text).need
    assert [card.count for card in (*need.gpus_owned, *need.gpus_proposed)] == [count]


def test_whether_a_link_is_only_for_training_asks_about_inference() -> None:
    text = "does nvlink help with 2x3090 for inference of 70B or is it just for training"
    assert understand(text).need.task == "inference"


def test_which_variant_is_asked_only_where_the_fit_turns_on_it() -> None:
    assert "exactly" not in turn("Can an A100 run Llama 3.1 8B?")[2].answer
    assert "exactly" in turn("Can an A100 run Qwen2.5-32B in BF16?")[2].answer


def test_a_personal_machine_is_tried_in_smaller_files() -> None:
    _, _, draft = turn("Will Strix Halo 128GB run Qwen3-235B-A22B?")
    assert "GGUF Q2_K" in draft.answer.split("\n")[0]
    assert "Run with llama.cpp" in draft.answer


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "what would I need to serve Qwen3-32B to 60 concurrent users, at least 25 tok/s each, 8k context",
            "For inference of Qwen3-32B, 60",
        ),
        ("is it better to use TP=4 or PP=4 for latency on 4x L40S? llama 70b fp8", "Tensor parallel, for latency"),
        ("How much VRAM does the KV cache of Llama 3.1 70B take at 128k context, fp8 kv?", "About 21 GB (20 GiB)"),
        ("At 100k context how much vram does Qwen2.5-14B need on top of weights", "the KV cache of"),
        ("does PCIe 3.0 x4 hurt inference speed on a second 3060 in llama.cpp?", "Hardly: split by layers"),
        ("how many t/s prompt processing on M3 Ultra for a 30k token prompt with Qwen3-32B 4bit?", "Prompt tokens/s"),
        ("What TTFT for Llama-3.1-8B bf16 on one A100 at 20 concurrent with 4k prompts", "Time to first token"),
        ("¿Cuántos tokens por segundo da una RTX 4070 Ti Super con Llama 3.1 8B Q4?", "tokens/s for one user"),
        ("Give us the smallest H200 count for Qwen3-235B-A22B FP8 at 64k context, 16 parallel", "at least 4×H200"),
        ("How much memory per extra user at 8k context for Llama 3.3 70B fp8?", "About 2.7 GB (2.5 GiB)"),
        ("old gaming laptop RTX 2060 6GB, which models and what speed", "RTX 2060 Laptop GPU"),
        ("M4 Max 128GB or two used 3090s for Qwen3-Coder-30B-A3B?", "2×RTX 3090 is faster"),
    ],
)
def test_the_first_line_answers_what_is_asked(text: str, said: str) -> None:
    _, records, draft = turn(text)
    assert said in draft.answer.split("\n")[0]
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def test_a_speed_on_named_cards_orders_nothing_else() -> None:
    assert "What you could order" not in turn("how fast is Llama 3.1 8B Q4 on an RTX 4070 Ti Super?")[2].answer


def test_who_keeps_models_apart_is_not_asked_how_many_are_active() -> None:
    answer = turn("Need to give each of 6 devs their own isolated 14B model. One card per dev or MIG on H100?")[
        2
    ].answer
    assert "active at the same moment" not in answer


@pytest.mark.parametrize(
    "text",
    [
        "Do two 3090s with NVLink serve a 32B AWQ faster than one 5090?",
        "Which card for Mistral Small 24B at 20 tokens/s?",
    ],
)
def test_no_second_section_says_what_the_first_said(text: str) -> None:
    answer = turn(text)[2].answer
    assert "Yes: " not in answer
    assert "I give no figure" not in answer


def test_the_speed_told_is_of_the_format_that_fits() -> None:
    answer = turn("gemma 3 12b on a T4, possible? how many t/s")[2].answer
    assert "they would have with enough memory" not in answer
    assert "in INT4: " in answer


FORMS = [
    ("H100 PCIe和SXM差别大吗，推理70B", {"h100-pcie-80gb", "h100-sxm-80gb"}),
    ("A100 40GB vs 80GB for a 13B", {"a100-sxm-40gb", "a100-sxm-80gb"}),
    ("V100 16GB or 32GB for a 7B?", {"v100-sxm2-16gb", "v100-sxm2-32gb"}),
    ("4060 Ti 8G 还是 16G，跑 14B", {"rtx-4060-ti-8gb", "rtx-4060-ti-16gb"}),
    ("A100 PCIe 40GB against 80GB, Qwen3-32B speed", {"a100-pcie-40gb", "a100-pcie-80gb"}),
    ("H100 PCIe 跟 SXM 推理 Llama 70B 慢多少", {"h100-pcie-80gb", "h100-sxm-80gb"}),
]


@pytest.mark.parametrize(("text", "cards"), FORMS)
def test_two_forms_of_one_card_are_compared_at_the_work_named(text: str, cards: set[str]) -> None:
    understanding, records, draft = turn(text)
    assert (understanding.need.intent, set(understanding.need.gpus_asked)) == ("compare", cards)
    assert not understanding.need.gpus_owned
    assert draft.verdict == "comparison"
    raced = {one.request["gpu"] for one in records if one.tool == "estimate_inference_speed"}
    assert raced == cards
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    "text", ["H100 PCIe or SXM for inference?", "PCIe or SXM H100 for inference?", "A100 40G 对比 80G"]
)
def test_two_forms_without_a_model_are_set_side_by_side(text: str) -> None:
    understanding, records, draft = turn(text)
    assert understanding.need.intent == "compare"
    assert "compare_gpus" in {one.tool for one in records}
    assert draft.answer.split("\n")[0].count("TB/s") >= 2


@pytest.mark.parametrize("text", ["两张 A100 40G，跑 70B 行吗", "H100 PCIe 80GB 跑 70B 要多少显存"])
def test_a_form_or_size_alone_weighs_nothing(text: str) -> None:
    assert turn(text)[0].need.intent != "compare"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("5090 和 5090D 有什么区别", "只差在算力"),
        ("4090 和 4090D 差多少", "只差在算力"),
        ("V100 16G 和 32G 有什么区别", "显存更大"),
        ("RTX 5060 Ti 8GB vs 16GB", "no faster, but more memory"),
    ],
)
def test_what_alone_differs_is_told_first(text: str, said: str) -> None:
    _, records, draft = turn(text)
    assert said in draft.answer.split("\n")[0]
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def test_no_card_is_called_cheaper_by_a_price_of_years_ago() -> None:
    for text in ("V100 16GB or 32GB for a 7B?", "A100 40GB vs 80GB for a 13B"):
        first = turn(text)[2].answer.split("\n")[0]
        assert "≈" in first
        assert "cheaper" not in first
        assert "costs less" not in first


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("MI300X or H200 for DeepSeek-R1?", ("MI300X", "H200")),
        ("H100 or A100 80GB for Qwen2.5-72B bf16, how many of each?", ("2×H100", "2×A100")),
        ("部署 glm-4.5，买 H20 还是 H200", ("H20", "H200")),
    ],
)
def test_cards_of_which_none_holds_it_alone_are_weighed_in_the_number_it_takes(
    text: str, first: tuple[str, str]
) -> None:
    _, records, draft = turn(text)
    line = draft.answer.split("\n")[0]
    assert all(name in line for name in first)
    assert "1×" not in line
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def test_cards_that_hold_it_in_four_bits_are_weighed_one_against_one() -> None:
    line = turn("4090 vs 5090 for Qwen3-32B bf16")[2].answer.split("\n")[0]
    assert "1×RTX 5090" in line
    assert "1×RTX 4090" in line
