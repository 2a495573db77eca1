"""Batches of all cards together, memory of the host in other languages, modified cards, families and members."""

import pytest

from assistant.understand import understand
from kb.units import GIB


@pytest.mark.parametrize(
    ("text", "batch"),
    [
        ("Train a ResNet-50, 4x 1080 Ti, batch 256 total, enough memory?", 64),
        ("8 卡 3090 训练 ConvNeXt，全局 batch 512，够吗", 64),
        ("2x 4090 yolov8l training, global batch size 32", 16),
        ("4x 3090 yolov8l training, batch size 32", 32),
    ],
)
def test_a_batch_of_all_cards_is_each_cards_share(text: str, batch: int) -> None:
    assert understand(text).need.batch_size == batch


@pytest.mark.parametrize(
    ("text", "host_gib"),
    [
        ("Qwen3-30B-A3BをRTX 4070 12GB + メモリ64GBで動かせますか？", 64),
        ("Läuft gpt-oss-120b mit einer RTX 3090 und 96 GB Arbeitsspeicher?", 96),
        ("一张 3060 加 32G 内存跑 gemma3 27b", 32),
    ],
)
def test_host_memory_is_read_in_other_languages(text: str, host_gib: int) -> None:
    assert (understand(text).need.host_memory_bytes or 0) / GIB == host_gib


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("昇腾 910B 能跑 gguf 吗？手上 2 张 910B2，想跑 qwen3-coder-30b", {"ascend-910b2-64gb": 2}),
        ("两块 Tesla V100 16G SXM2 转接 PCIe，跑 qwen3-14b", {"v100-sxm2-16gb": 2}),
        ("48G 的（魔改 4090）跑 QwQ-32B int8", {"rtx-4090-48gb": 1}),
    ],
)
def test_one_card_is_read_once(text: str, cards: dict[str, int]) -> None:
    assert {card.gpu: card.count for card in understand(text).need.gpus_owned} == cards


@pytest.mark.parametrize(
    ("text", "form"), [("405B 1bit 量化 2 张 4090", "gguf:IQ1_S"), ("14B в 4 битах на 4070", "int4")]
)
def test_bits_are_read_in_words(text: str, form: str) -> None:
    assert understand(text).need.weight_format == form


@pytest.mark.parametrize(
    ("text", "users"),
    [
        ("which gpu for a 5-person startup running Qwen3-14B", 5),
        ("Qwen3-14B for our agency of 25", 25),
        ("a small business of 12 wants Qwen3-14B", 12),
        ("Qwen3-14B for us, a 40-person-year project", None),
    ],
)
def test_a_firm_is_counted_by_its_people(text: str, users: int | None) -> None:
    assert understand(text).need.users == users


@pytest.mark.parametrize(
    "text",
    [
        "Which GPU for a 70B in 4 bit, just me, 8k context?",
        "I'm the only user, Mistral Small 24B on an L4, ok?",
        "我一个人用，跑 32B int4 买什么卡",
        "单并发跑 qwen3-14b，4090 一秒多少 token",
        "家里自用，跑 gemma3 27b 什么卡合适",
    ],
)
def test_who_says_it_is_for_one_alone_is_one_user(text: str) -> None:
    need = understand(text).need
    assert (need.users or need.concurrent_sequences) == 1


@pytest.mark.parametrize(
    ("text", "users"),
    [
        ("我自己用 vllm 给公司 50 个人部署 qwen3-32b，要几张 L20", 50),
        ("Just for me and my team of 12, which GPU for a 32B?", 12),
        ("三个人用，跑 32B int4 买什么卡", 3),
        ("llama3 8b 在 4090 上单路多少 token，8 路并发呢", None),
    ],
)
def test_a_number_of_people_is_not_one(text: str, users: int | None) -> None:
    assert understand(text).need.users == users


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("满血版 kimi k2 要几张 H200", "moonshotai/Kimi-K2-Instruct"),
        ("部署满血版deepseek-v3.1要什么配置", "deepseek-ai/DeepSeek-V3.1"),
        ("GLM-4.5 满血版 8 张 H20 能跑吗", "zai-org/GLM-4.5"),
        ("满血版要几张 H20", "deepseek-ai/DeepSeek-R1"),
        ("deepseek满血版和qwen3-235b哪个要的卡多", "deepseek-ai/DeepSeek-R1"),
    ],
)
def test_full_blooded_is_of_the_model_named_beside_it(text: str, model: str) -> None:
    assert understand(text).need.model == model


def test_the_number_in_each_of_two_formats_is_asked_for() -> None:
    assert understand("How many A100 80GB to serve Llama 3.1 405B in bf16? And in AWQ?").need.intent == "how_many_gpus"


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("Used 3090s or one 5090 for 32B models?", {"rtx-3090-24gb": 2, "rtx-5090-32gb": 1}),
        ("3090 or 4090s for 32B models?", {}),
        ("three 3090s or one 5090 for 32B models?", {"rtx-3090-24gb": 3, "rtx-5090-32gb": 1}),
    ],
)
def test_a_plural_against_a_single_card_is_a_pair(text: str, cards: dict[str, int]) -> None:
    assert {card.gpu: card.count for card in understand(text).need.gpus_proposed} == cards


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("What VRAM do I need to QLoRA Qwen2.5-32B with 2048 tokens?", 2048),
        ("LoRA of a 7B at 1024 tokens on a 3090, ok?", 1024),
        ("Fine-tune a 7B with an average of 800 tokens, 20k samples", None),
        ("Llama 8B on an L4 with 500 tokens output", None),
    ],
)
def test_a_length_said_in_tokens_alone_is_the_context(text: str, tokens: int | None) -> None:
    assert understand(text).need.context_tokens == tokens


@pytest.mark.parametrize(
    ("text", "gib"),
    [("Will SDXL fit in 12 gigs?", 12), ("can I squeeze Qwen3-14B into 10GB", 10), ("does it run on just 6 GB", 6)],
)
def test_what_something_has_to_fit_in_is_the_card(text: str, gib: int) -> None:
    assert understand(text).need.memory_bytes_per_gpu == gib * GIB


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("Is a 3090 NVLink pair better than a single 5090 for 7B LoRA?", {"rtx-3090-24gb": 2, "rtx-5090-32gb": 1}),
        ("A6000 pair or one H100 for a 70B?", {"rtx-a6000-48gb": 2, "h100-sxm-80gb": 1}),
    ],
)
def test_a_pair_is_two(text: str, cards: dict[str, int]) -> None:
    need = understand(text).need
    assert {card.gpu: card.count for card in (*need.gpus_proposed, *need.gpus_owned)} == cards


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("Llama-3.1-8B bf16 on an L4 with vLLM, 1 user: tokens per sec?", "speed"),
        ("Which card for Mistral Small 24B at 20 tokens/s?", "which_to_buy"),
        ("8 张 4090 跑 deepseek v3 int4 还是不行的话最便宜加什么卡", "which_to_buy"),
        ("sglang 报 Not enough memory. Please try to increase --mem-fraction-static，8 卡 H20 跑 GLM-4.5", "oom"),
    ],
)
def test_what_is_asked_is_heard(text: str, intent: str) -> None:
    assert understand(text).need.intent == intent


@pytest.mark.parametrize("text", ["今天 A 股英伟达概念股能买吗", "should I buy nvidia stock", "港股大盘怎么看"])
def test_shares_are_no_hardware(text: str) -> None:
    assert understand(text).out_of_scope


def test_hours_of_gpus_are_no_number_of_gpus() -> None:
    need = understand("We train ~200 GPU-hours a month on A100s. Should we buy one?").need
    assert need.intent == "cloud_or_buy"
    assert need.hours_per_month == 200
    assert all((card.count or 1) < 200 for card in (*need.gpus_owned, *need.gpus_proposed))


@pytest.mark.parametrize(
    ("text", "at_once"),
    [("2x H200, 70B FP8, 100 users active with 8k context each, ok?", 100), ("40 people online, 32B on an L40S", 40)],
)
def test_who_is_active_is_at_work_at_once(text: str, at_once: int) -> None:
    assert understand(text).need.concurrent_sequences == at_once


def test_a_service_bot_is_no_user() -> None:
    assert understand("准备上线一个客服机器人，14b 模型，买什么卡").need.users is None


@pytest.mark.parametrize("text", ["Grafikkarte bis 1000 Euro für lokale LLMs?", "tarjeta para LLM hasta 1000 euros"])
def test_a_limit_in_another_language_is_a_budget(text: str) -> None:
    budget = understand(text).need.budget
    assert budget is not None
    assert (budget.amount, budget.currency) == (1000, "EUR")


def test_the_duration_of_a_training_is_its_time() -> None:
    assert understand("LoRA of a 70B on 4x A100 80GB, 5M tokens, 1 epoch: duration?").need.intent == "training_time"


@pytest.mark.parametrize(
    ("text", "at_once"),
    [
        ("Llama 3.1 8B on a 4090; 5 users hit it with 8k each", 5),
        ("Qwen3-14B on an L40S, 8 devs hammer it with 4k prompts", 8),
        ("3 users with 32k each on a 4090 with Qwen3-8B?", 3),
        ("4 个人用，每人 16k 上下文，Qwen3-14B，4090 够吗", 4),
    ],
)
def test_a_few_people_of_whom_each_has_a_length_are_all_there(text: str, at_once: int) -> None:
    assert understand(text).need.concurrent_sequences == at_once


def test_many_people_are_not_all_there_whatever_each_of_them_has() -> None:
    need = understand("200 users with 8k each, Qwen3-32B on 4×L40S").need
    assert (need.users, need.concurrent_sequences) == (200, None)
