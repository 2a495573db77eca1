"""Counts, flags and formats as logs, command lines and hurried people write them."""

import pytest

from assistant.understand import understand
from kb.units import GIB


@pytest.mark.parametrize(
    ("text", "card", "count"),
    [
        ("H800 4*80g 全参 14B", "h800-sxm-80gb", 4),
        ("L20 3*48g 跑 72B awq", "l20-48gb", 3),
        ("8x80G H100 serving a 405B", "h100-sxm-80gb", 8),
        ("910B*8*4 部署 671B", "ascend-910b3-64gb", 32),
        ("H20 x 8 x 2, can it hold a 671B", "h20-96gb", 16),
        ("rtx3090+128g ddr4 for a 70b q4?", "rtx-3090-24gb", 1),
        ("2x4090+256G内存 跑 671B q2", "rtx-4090-24gb", 2),
        ("AI Max+ 395 128G 跑 32B", "ryzen-ai-max-395-128gb", 1),
    ],
)
def test_cards_are_counted_however_the_sizes_are_joined(text: str, card: str, count: int) -> None:
    owned = understand(text).need.gpus_owned
    assert [(one.gpu, one.count) for one in owned] == [(card, count)]


def test_memory_joined_to_a_card_by_a_plus_is_the_hosts() -> None:
    assert understand("7900xtx+96g ram, mixtral 8x7b q6?").need.host_memory_bytes == 96 * GIB


@pytest.mark.parametrize(
    ("text", "engine"),
    [
        ("OOM with --max-model-len 16384 --gpu-memory-utilization 0.95", "vllm"),
        ("enforce_eager=True 也 OOM", "vllm"),
        ("sglang and --max-model-len 4096", "sglang"),
        ("--mem-fraction-static 0.85 还是爆", "sglang"),
        ("ggml_cuda_host_malloc: failed to allocate with -ngl 40", "llama.cpp"),
        ("AutoModelForCausalLM.from_pretrained(load_in_8bit=True) OOM", "transformers"),
        ("device_map='auto' on 13B", "transformers"),
        ("which card for 13B", None),
    ],
)
def test_flags_tell_the_engine_where_no_name_does(text: str, engine: str | None) -> None:
    assert understand(text).need.engine == engine


def test_an_engines_cap_is_no_number_of_requests() -> None:
    need = understand("vllm serve a 32B --max-num-seqs 512 --max-model-len 8192 on 2x A100 80G OOM").need
    assert (need.concurrent_sequences, need.context_tokens) == (None, 8192)


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("13B on 3080 10G, changing --gpu-memory-utilization does nothing, what now", "can_it_run"),
        ("2x4090 7B gpu util 只有 30% 怎么回事", "speed"),
    ],
)
def test_a_share_of_memory_is_no_pace(text: str, intent: str) -> None:
    assert understand(text).need.intent == intent


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("--dtype half 13B on a T4 dies, the GPTQ version worked", "fp16"),
        ("awq 版能跑，bf16 的 32B 在 4090 上能跑吗", "bf16"),
        ("does the AWQ version work on a 3090, 32B", "awq"),
        ("R1 1.58bit on 192GB", "gguf:IQ1_S"),
        ("671B 的 2.51bit 动态量化", "gguf:Q2_K"),
        ("torch_dtype=half vicuna 13b", "fp16"),
        ("dtype='half' 13B", "fp16"),
    ],
)
def test_the_format_in_question_is_the_one_that_fails(text: str, form: str | None) -> None:
    assert understand(text).need.weight_format == form


def test_tokens_fed_to_a_model_that_runs_are_its_context() -> None:
    fed = understand("can I feed 300k tokens to Qwen2.5-7B-Instruct-1M on an A100 80G").need
    trained = understand("lora Qwen2.5-7B-Instruct-1M on 300k tokens, A100 80G").need
    assert (fed.context_tokens, fed.dataset_tokens) == (300_000, None)
    assert (trained.context_tokens, trained.dataset_tokens) == (None, 300_000)


def test_sft_full_is_full_fine_tuning() -> None:
    assert understand("A800 80G *8 sft full 7B").need.task == "full_finetune"


@pytest.mark.parametrize(
    ("text", "offload"),
    [
        ("全参 14B zero2 offload 8x3090", "optimizer"),
        ("full fine-tune 14B, zero3 + offload, 8x3090", "all"),
        ("ds_z3_offload 全参 14B 8x3090", "all"),
        ("全参 14B zero3 OOM，开 offload 就行，8x3090", None),
        ("full fine-tune 14B without offload on 8x3090", None),
        ("全参 14B，zero3 不 offload，8x3090", None),
        ("offload 40 layers of a 70B to a 3090", None),
    ],
)
def test_what_a_training_keeps_in_host_memory(text: str, offload: str | None) -> None:
    assert understand(text).need.offload == offload


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("A100 80G 跑 32B bf16，上下文最大能开多少", "context_length"),
        ("how long a context fits a 14B on a 3090", "context_length"),
        ("两张 4090，14B 用 int8 还是 awq，选哪个", "can_it_run"),
    ],
)
def test_what_is_asked_of_cards_in_hand(text: str, intent: str) -> None:
    assert understand(text).need.intent == intent


@pytest.mark.parametrize(
    ("text", "form"),
    [("ptuning 7B quantization_bit 4", "int4"), ("--quantization_bit=8 on 7B", "int8")],
)
def test_bits_of_a_flag_are_a_format(text: str, form: str) -> None:
    assert understand(text).need.weight_format == form


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("vllm --enable-lora --max-loras 4 with a 14B on a 4090", "inference"),
        ("部署 14B 并加载 3 个 lora，一张 4090", "inference"),
        ("multi-LoRA serving of a 14B on an L20", "inference"),
        ("serve the 14B, then lora fine-tune it on a 4090", "lora"),
        ("lora 微调 14B，一张 4090", "lora"),
    ],
)
def test_adapters_that_a_server_loads_are_not_trained(text: str, task: str) -> None:
    assert understand(text).need.task == task


@pytest.mark.parametrize(
    "text",
    ["跑 14B 最低要什么显卡", "smallest GPU for a 14B in 4 bit", "32B 至少需要多大的卡", "minimum card to run a 7B"],
)
def test_the_least_card_is_a_question_of_memory(text: str) -> None:
    assert understand(text).need.intent == "min_vram"


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("what's the biggest Qwen3 I can run on a 3090", "what_fits"),
        ("largest Gemma 3 that fits 16GB", "what_fits"),
        ("4070 最大能跑多大的 qwen2.5", "what_fits"),
        ("full fine-tune of a 14B on H200s - how many?", "how_many_gpus"),
        ("we rent a 4x L40S box, can it serve a 70B awq", "can_it_run"),
        ("where to rent 4x L40S for a 70B", "cloud_or_buy"),
        ("a 12gb 3060 w/ a 12B q4, ok?", "can_it_run"),
        ("训练 yolo11 用 3060 还是租云", "can_it_run"),
        ("微调7b 用自己的4090跑还是上云", "can_it_run"),
        ("use my 3060 for yolo training or just rent?", "can_it_run"),
        ("买4090还是租云跑sdxl", "cloud_or_buy"),
        ("fine-tune an 8b model: buy a 3090 or rent?", "cloud_or_buy"),
        ("what llm on a strix halo 128gb", "what_fits"),
        ("3080 10gb, which models?", "what_fits"),
        ("Buy a server for 50k EUR to serve Qwen3-32B to 100 users, no second-hand cards", "budget"),
        ("we want to buy a new machine for Llama-3.1-70B inference", "which_to_buy"),
        ("what should a dental practice buy for Qwen3-14B", "which_to_buy"),
    ],
)
def test_the_question_is_told_from_its_setting(text: str, intent: str) -> None:
    assert understand(text).need.intent == intent


def test_a_word_for_with_makes_no_watts_of_a_card() -> None:
    assert [card.gpu for card in understand("12gb 3060 w/ 7B q4?").need.gpus_owned] == ["rtx-3060-12gb"]


@pytest.mark.parametrize("text", ["lora 13B 8*V100 32G OOM，官方用的 8*H100", "lora 13B 8*V100 32G OOM，论文是 8*H100"])
def test_cards_that_others_used_are_not_the_askers(text: str) -> None:
    assert [card.gpu for card in understand(text).need.gpus_owned] == ["v100-sxm2-32gb"]


def test_the_least_card_asked_for_only_in_case_is_not_the_question() -> None:
    assert understand("3060 12G 对 7B 做 lora 微调，够吗？不够的话最低要什么卡").need.intent == "can_it_run"


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("235b 的 qwen3 要几张 A800", "Qwen/Qwen3-235B-A22B"),
        ("a qwen3 of 235B on 8x A800", "Qwen/Qwen3-235B-A22B"),
        ("qwen3 的 32b 一张 4090", "Qwen/Qwen3-32B"),
    ],
)
def test_a_size_beside_a_family_names_the_member(text: str, model: str) -> None:
    assert understand(text).need.model == model


@pytest.mark.parametrize(
    ("text", "sharding"),
    [
        ("7B 全参 zero2 OOM，zero3 就行，2 张 A100", "zero2"),
        ("7B 全参 zero3 OOM，2 张 A100", "zero3"),
        ("full fine-tune 7B, zero2 OOMs and zero3 works, 2x A100", "zero2"),
    ],
)
def test_the_setting_in_question_is_the_one_that_fails(text: str, sharding: str) -> None:
    assert understand(text).need.sharding == sharding


def test_a_line_of_a_log_that_tells_the_card_is_full_is_an_error() -> None:
    read = understand("GPU 0 has a total capacity of 44.5 GiB of which 60 MiB is free. A40 qlora 70B")
    assert (read.need.intent, read.error_text is not None) == ("oom", True)


def test_a_format_said_not_to_be_supported_is_not_chosen() -> None:
    assert understand("V100 32G 8 卡跑 72B awq，V100 不支持 bf16").need.weight_format == "awq"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("2 台服务器（每台 8 卡×2 die×64G）的 910C 跑 DeepSeek-V3", 16),
        ("两台机器，每台 4 张 910C（每张 2 die）能跑 Qwen3-235B 吗", 8),
    ],
)
def test_dies_of_a_card_are_no_cards(text: str, count: int) -> None:
    """A 910C is two dies of 64 GB on one card of 128 GB: counting dies as cards doubles the memory."""
    assert [card.count for card in understand(text).need.gpus_owned] == [count]
