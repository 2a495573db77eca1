"""Answers about several models, about engines a card refuses, about cards taken for others, about measured rates."""

import re

import pytest

from assistant.ground.check import ground
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("RTX 3060 12GB 同时跑 qwen3-4b int4 和 bge-m3，够吗", "fits"),
        ("Mistral 7B and Llama 3 8B simultaneously on a 3090", "fits_with_changes"),
        ("can an RTX 4060 8GB host Qwen3-8B int4 together with SDXL at the same time?", "does_not_fit"),
        ("Qwen3-32B int8 plus an embedding model plus whisper on one A6000?", "fits"),
    ],
)
def test_companions_are_summed_and_every_figure_is_traced(text: str, verdict: str) -> None:
    understanding, records, draft = turn(text)
    assert understanding.beside
    assert draft.verdict == verdict
    first = draft.answer.split("\n")[0]
    terms, total = re.search(r"((?:[\d.]+ GiB \+ )+[\d.]+ GiB) = ([\d.]+) GiB", first).groups()
    assert sum(float(one) for one in re.findall(r"[\d.]+", terms)) == pytest.approx(float(total), abs=0.05)
    grounding = ground(draft.answer, records, [text], draft.citations)
    assert grounding.ungrounded == ()


@pytest.mark.parametrize(
    ("text", "verdict", "said"),
    [
        ("A5000 上 13B 的 fp16 和 34B 的 int4 哪个能放下？", "fits_with_changes", "放不下"),
        ("8B in bf16 or 32B in q4 on a 7900 XTX?", "fits", "fits"),
        ("70B fp16 和 72B int8，一张 4090 能放下哪个", "does_not_fit", "放不下"),
    ],
)
def test_models_asked_about_one_by_one_each_get_a_verdict(text: str, verdict: str, said: str) -> None:
    understanding, _, draft = turn(text)
    assert draft.verdict == verdict
    first = draft.answer.split("\n")[0]
    assert said in first
    assert len(re.findall(r"\[\d+\]", first)) == len(understanding.apart)


@pytest.mark.parametrize(
    ("text", "reason", "engine"),
    [
        ("2x P40, Qwen2.5-32B AWQ with vLLM?", "6.1", "GGUF"),
        ("M60 能跑 vllm 部署 qwen3-4b 吗", "5.2", "GGUF"),
        ("MI50 32G 用 vllm 部署 qwen3-14b 行吗", "ROCm", "GGUF"),
        ("V100 16G 用 sglang 部署 Qwen3-4B", "7.5", "FP16"),
    ],
)
def test_an_engine_the_card_cannot_run_is_said_first_and_reckoned_without(text: str, reason: str, engine: str) -> None:
    _, records, draft = turn(text)
    assert draft.verdict != "fits"
    assert reason in draft.answer.split("\n")[0]
    forms = {one.result["weight_format"] for one in records if one.tool == "estimate_memory"}
    assert any(engine.lower() in form.lower() for form in forms)


@pytest.mark.parametrize(
    ("text", "owned", "said"),
    [
        ("A800 就是 80G 的 H100 对吧？四张跑 fp8 的 qwen3-32b 够不够", "a800-sxm-80gb", "Hopper"),
        ("isn't the 4060 Ti 16GB basically a 4080? want to run Phi-4 on it", "rtx-4060-ti-16gb", "288"),
        ("H800 相当于 H100 吧，8 张能跑 Mixtral 8x22B 吗", "h800-sxm-80gb", "H100"),
    ],
)
def test_a_card_taken_for_another_is_put_right_and_not_owned_twice(text: str, owned: str, said: str) -> None:
    understanding, _, draft = turn(text)
    assert [card.gpu for card in understanding.need.gpus_owned] == [owned]
    assert said in draft.answer.split("\n")[0]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("I'm only getting 9 t/s with Llama 3.1 8B Q8 on a 4070 Ti Super, is that normal?", "Slower than it should be"),
        ("3090 跑 qwen3-14b q4，实测 60 tok/s，正常吗", "正常"),
        ("getting 300 tok/s with Qwen3-8B int4 on a single A100, is this expected?", "not slow"),
    ],
)
def test_a_measured_rate_is_judged_before_anything_else(text: str, word: str) -> None:
    _, records, draft = turn(text)
    assert word in draft.answer.split("\n")[0]
    assert ground(draft.answer, records, [text], draft.citations).ungrounded == ()


@pytest.mark.parametrize("text", ["I want 30 tok/s with a 32B, which card?", "70B 至少要 20 tokens/s，选什么卡"])
def test_a_rate_that_is_wished_for_is_not_judged(text: str) -> None:
    _, _, draft = turn(text)
    assert not re.search(r"normal|Slower than|正常|偏慢", draft.answer)


def test_layers_dealt_out_hold_what_tensor_parallelism_does_not() -> None:
    _, _, draft = turn("两张 A40 部署 DeepSeek-R1-Distill-Llama-70B-FP8，并发 10 可以吗")
    assert draft.verdict == "fits_with_changes"
    assert "PP2" in draft.answer.split("\n")[0]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("4 卡 A5000 DDP LoRA 微调 Qwen3-8B，每张卡都占 20G，为啥不是平分", "ZeRO-3"),
        ("LoRA on 2x3090 with DDP: each GPU holds the whole model, why isn't it split? Mistral 7B", "ZeRO-3"),
    ],
)
def test_copies_are_told_from_shares(text: str, first: str) -> None:
    _, _, draft = turn(text)
    assert first in draft.answer.split("\n")[0]


@pytest.mark.parametrize(
    "text",
    ["3 台机器各 1 张 4090，能联合起来跑 qwen2.5-72b int4 吗，千兆网",
     "two PCs with 1 RTX 3090 each, can I run Llama 3.3 70B int4 over ethernet?"],
)  # fmt: skip
def test_cards_in_different_machines_are_warned_of(text: str) -> None:
    _, _, draft = turn(text)
    assert re.search("以太网|Ethernet", draft.answer)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("yolo11l 训练 batch 16 imgsz 640，3060 12G 会不会爆", {"fits", "does_not_fit", "fits_with_changes"}),
        ("Will 2x RTX 5060 Ti 16G OOM if I run Gemma 3 27B QAT with 32k ctx in ollama?", {"fits", "fits_with_changes"}),
        ("2x 3080，vllm 起 Qwen3-14B 启动失败，提示显存不够", {"diagnosis"}),
    ],
)
def test_memory_that_may_run_out_is_asked_about_and_that_ran_out_is_diagnosed(text: str, verdict: set[str]) -> None:
    _, _, draft = turn(text)
    assert draft.verdict in verdict


def test_four_bits_may_be_any_file_of_four_bits() -> None:
    _, _, draft = turn("Is 4 bit enough to put Command R+ 104B on 3x 3090?")
    assert draft.verdict == "fits_with_changes"
    assert "Q4_K_M" in draft.answer.split("\n")[0]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("RX 6800 16GB + RX 6600 8GB, llama.cpp, Mistral Small 24B q5_k_m?", "dealt out by llama.cpp"),
        ("3x A40, Qwen2.5-72B awq: number of heads 64 not divisible by tp 3, what now", "--pipeline-parallel-size 3"),
        ("T4 上全参微调 bert-base，512 tokens，最大 batch 多少", "每步最多"),
        ("Yi-34B bf16 需要几张 3090？4bit 呢", "BF16"),
        ("我用 4090 跑 qwen2.5-7b，vllm 单路 95 tok/s，是不是没跑满？", "不慢"),
    ],
)
def test_what_is_asked_leads(text: str, first: str) -> None:
    _, records, draft = turn(text)
    assert first in draft.answer.split("\n")[0]
    assert ground(draft.answer, records, [text], draft.citations).ungrounded == ()


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Qwen2.5-VL-7B LoRA 微调，一张 A6000 够吗", "图"),
        ("my 3D U-Net training runs out of memory on a 3080", "batch"),
        ("准备入手一张卡训 yolov8，640 输入，显存最低要多少", "预算"),
    ],
)
def test_what_the_memory_of_pictures_turns_on_is_asked(text: str, asked: str) -> None:
    _, _, draft = turn(text)
    assert any(asked in question for question in draft.clarifying_questions)


@pytest.mark.parametrize(
    "text", ["how much vram do i need", "how much memory do I need for training", "显存要多大才够"]
)
def test_memory_asked_for_without_a_model_or_a_card_is_asked_back(text: str) -> None:
    _, _, draft = turn(text)
    assert draft.clarifying_questions


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "Two models on one 8xH100 box: Llama 3.3 70B for chat (60 concurrent users, 8k) and Qwen2.5-VL-72B for"
            " document parsing. Do they fit together and how should we split the cards?",
            id="with-a-load",
        ),
        pytest.param("8卡A100 80G能不能同时跑Qwen2.5-72B和DeepSeek-R1-Distill-Llama-70B?", id="zh"),
    ],
)
def test_two_large_models_get_cards_of_their_own(text: str) -> None:
    _, _, draft = turn(text)
    assert draft.verdict == "fits"
    assert draft.answer.count("4×") >= 2


def test_a_small_model_shares_a_card_with_a_large_one() -> None:
    _, records, _ = turn("4张L20能同时部署GLM-4.5-Air和Qwen3-8B吗?")
    spread = {one.request["model"]: one.request["tensor_parallel"] for one in records if one.tool == "estimate_memory"}
    assert spread == {"zai-org/GLM-4.5-Air": 4, "Qwen/Qwen3-8B": 1}


@pytest.mark.parametrize(
    ("text", "verdict", "said"),
    [
        pytest.param(
            "一台8卡4090的机器,白天跑Qwen2.5-32B推理给30人用,晚上做7B的LoRA微调,这样行吗?",
            "fits",
            "7B 模型 LoRA 用 1×RTX 4090",
            id="zh",
        ),
        pytest.param(
            "On one box with 4 A100 80GB: serve Llama 3.3 70B during the day and fine-tune an 8B with LoRA at night."
            " Does that work?",
            "fits",
            "LoRA of an 8B model on 1×A100",
            id="en",
        ),
        pytest.param(
            "一张3090,白天跑Qwen2.5-72B,晚上全参微调7B,可以吗", "fits_with_changes", "全参微调不行", id="lighter"
        ),
    ],
)
def test_works_that_take_turns_are_each_held_against_the_cards(text: str, verdict: str, said: str) -> None:
    _, records, draft = turn(text)
    assert draft.verdict == verdict
    assert said in draft.answer
    assert not ground(draft.answer, records, [text], draft.citations).ungrounded
