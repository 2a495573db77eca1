"""Hardware named otherwise than by a card: Macs, parts of a card, machines of several, files of any number of bits."""

import pytest

from assistant.understand import understand
from kb.catalog import gpus
from kb.machines.mig import cuts
from kb.units import GIB
from tools.memory.formats import weight_format
from tools.need import GpuCount

MACS = [card for card in gpus().values() if card.vendor == "Apple"]


@pytest.mark.parametrize("card", MACS, ids=lambda card: card.id)
@pytest.mark.parametrize(
    "wording",
    [
        "{chip} {form} {size}gb, can it run qwen3 8b?",
        "{form} {chip} {size}G 能跑 qwen3 8b 吗",
        "a {size}GB {form} with {chip} for an 8B?",
    ],
)
def test_mac_is_found_in_whatever_order_it_is_named(card, wording):
    chip = " ".join(card.id.removeprefix("apple-").split("-")[:-1])
    form = "Mac Studio" if "ultra" in chip else "MacBook Pro" if "pro" in chip or "max" in chip else "macbook air"
    need = understand(wording.format(chip=chip, form=form, size=card.memory_bytes // GIB)).need
    assert need.gpus_owned == (GpuCount(gpu=card.id, count=1),)
    assert need.memory_bytes_per_gpu is None


def test_memory_that_only_one_machine_has_names_it():
    assert understand("512GB Mac Studio for DeepSeek R1 Q4?").need.gpus_owned[0].gpu == "apple-m3-ultra-512gb"


def test_two_memories_of_a_mac_are_two_machines():
    need = understand("M4 Mac mini 16GB vs 24GB for a 14B?").need
    assert need.gpus_asked == ("apple-m4-16gb", "apple-m4-24gb")


def test_bare_mac_is_in_doubt_and_no_card_beside_a_server():
    alone, beside = understand("mac mini 跑 14b 够不够"), understand("从 mac mini 连服务器，4 张 3090 能跑 70B 吗")
    assert [doubt.kind for doubt in alone.ambiguities] == ["gpu"]
    assert [card.gpu for card in alone.need.gpus_owned] == ["apple-m4-16gb"]
    assert [card.gpu for card in beside.need.gpus_owned] == ["rtx-3090-24gb"]


PROFILES = sorted(
    {(gpu, one.name) for gpu, cut in cuts().items() for one in cut.profiles if gpu in {"h100-sxm-80gb", "a30-24gb"}}
)


@pytest.mark.parametrize(("gpu", "profile"), PROFILES)
def test_part_of_a_card_is_a_card_of_its_own_memory(gpu, profile):
    need = understand(f"{gpus()[gpu].name} MIG {profile} enough for a 7B int4?").need
    assert (need.gpus_owned, need.gpus_asked) == ((), ())
    assert need.memory_bytes_per_gpu == int(profile.split(".")[1].removesuffix("gb")) * GIB
    assert need.gpu_count == 1


def test_parts_of_several_sizes_leave_the_card():
    assert understand("A100 80GB 切成 1g.10gb 还是 2g.20gb 好").need.gpus_asked == ("a100-sxm-80gb",)


@pytest.mark.parametrize("bits", ["2.2", "2.4", "3.0", "3.5", "4.0", "4.65", "5.5", "6.0", "6.5", "8.0"])
def test_file_of_any_bits_is_taken_for_the_nearest_format(bits):
    form = understand(f"70B at {bits}bpw exl2 on a single 4090?").need.weight_format
    assert form is not None
    assert weight_format(form).body_bits == pytest.approx(float(bits), abs=0.55)


@pytest.mark.parametrize(
    ("question", "cards"),
    [
        ("two 8xH800 nodes, can they serve DeepSeek-R1 FP8?", 16),
        ("2 8x H800 80GB servers for llama 405b bf16?", 16),
        ("3 machines with 4x H800 each, finetune 70B?", 12),
        ("4 H800 servers of 8 cards each for 405B?", 32),
    ],
)
def test_machines_of_several_cards_are_multiplied(question, cards):
    assert understand(question).need.gpus_owned == (GpuCount(gpu="h800-sxm-80gb", count=cards),)


def test_machines_and_all_their_cards_are_not_multiplied():
    need = understand("qwen2 72B 跑 PPO，4机32卡每卡80G，理论上应该不会oom").need
    assert (need.gpu_count, need.memory_bytes_per_gpu) == (32, 80 * GIB)


@pytest.mark.parametrize(
    "question",
    ["A100 80GB or H100 for Llama 3.1 70B, with 8 of each?", "A100 80G 和 H100 各 8 张跑 70B 哪个快"],
)
def test_number_of_each_goes_for_all_that_are_weighed(question):
    assert {(card.gpu, card.count) for card in understand(question).need.gpus_proposed} == {
        ("a100-sxm-80gb", 8),
        ("h100-sxm-80gb", 8),
    }


@pytest.mark.parametrize(
    ("question", "left", "intent"),
    [
        ("B200 or H200 for training a 30B? forget the B200, just H200", ("h200-sxm-141gb",), "how_many_gpus"),
        ("3090 和 4090 选哪个跑 32B？3090 就算了，看看 5090", ("rtx-4090-24gb", "rtx-5090-32gb"), "compare"),
    ],
)
def test_dismissed_card_is_asked_about_no_more(question, left, intent):
    need = understand(question).need
    assert (need.gpus_asked, need.intent) == (left, intent)


def test_card_of_the_documents_is_not_the_askers():
    need = understand("AlphaFold3 能在 24G 卡上部署吗，文档写要 80G A100").need
    assert (need.gpus_owned, need.gpus_asked, need.memory_bytes_per_gpu) == ((), (), 24 * GIB)


@pytest.mark.parametrize("question", ["best single card under $1500 for local LLMs", "推荐单卡，预算一万，跑 32B"])
def test_single_card_to_choose_is_a_limit_and_not_owned(question):
    need = understand(question).need
    assert (need.max_gpus, need.gpus_owned, need.gpu_count) == (1, (), None)


@pytest.mark.parametrize(
    ("question", "form"),
    [("RTX 4090 한 장으로 32B 4비트 돌릴 수 있나요?", "int4"), ("32B を 8ビット で動かせますか RTX 5090", "int8")],
)
def test_bits_are_read_in_other_scripts(question, form):
    assert understand(question).need.weight_format == form


@pytest.mark.parametrize("name", ["GLM-5.3-Flash", "Qwen3.9", "GLM-9.1"])
def test_version_that_no_model_of_the_family_bears_is_unknown(name):
    read = understand(f"{name} 一台 8×64GB 的机器能放下吗")
    assert read.need.model is None
    assert [(doubt.text, doubt.unknown) for doubt in read.ambiguities if doubt.kind == "model"] == [(name, True)]


@pytest.mark.parametrize("name", ["Qwen3-32B", "GLM-4.5-Air", "llama 3.1 8b", "Qwen2.5-7B", "GLM 4 张 3090"])
def test_versions_that_are_borne_and_counts_are_no_unknown_versions(name):
    assert not any(doubt.unknown for doubt in understand(f"{name} 能跑吗").ambiguities)


def test_size_behind_a_sign_is_no_member_of_the_family_before_it():
    need = understand("4070 Ti Super or 3090 for stable diffusion + 13B models?").need
    assert (need.model, need.params) == (None, 13 * 10**9)


@pytest.mark.parametrize("words", ["出一个视频要 12 分钟，正常么", "takes 12 minutes a video on an H100, ok?"])
def test_time_that_a_video_takes_is_not_its_length(words):
    assert understand(f"HunyuanVideo 单张 H100 {words}").need.video_s is None


def test_length_of_a_video_is_still_read():
    assert understand("HunyuanVideo 生成视频 5 秒，H100 够吗").need.video_s == 5


@pytest.mark.parametrize(
    ("question", "task"),
    [
        ("my 3090 trained down to pcie 2.0 x16, llama 13b q4 slower?", "inference"),
        ("openvla 7b goes out of memory on finetune, is inference alone ok on the 3090?", "inference"),
        ("llama 7b trained on 2 A100s, out of memory", "full_finetune"),
    ],
)
def test_link_that_trains_and_inference_alone_train_no_model(question, task):
    assert understand(question).need.task == task


def test_steps_batch_and_length_are_the_data():
    need = understand("BERT-base from scratch 1M steps batch 256 seq 512, how many days on 4 V100 32GB?").need
    assert need.dataset_tokens == 10**6 * 256 * 512


def test_laptop_and_desktop_of_one_name_are_two_cards():
    need = understand("5070 Ti 笔记本显存多大，和台式一样吗").need
    assert need.gpus_asked == ("rtx-5070-ti-laptop-12gb", "rtx-5070-ti-16gb")


@pytest.mark.parametrize("words", ["контекстом 4096", "contexto de 4096", "コンテキスト 4096"])
def test_context_is_read_in_other_tongues(words):
    assert understand(f"RTX 4090 Qwen2.5-14B LoRA {words}").need.context_tokens == 4096


@pytest.mark.parametrize(
    "words", ["hacer LoRA de FLUX", "faire un LoRA FLUX", "обучение LoRA FLUX", "FLUX の LoRA 学習"]
)
def test_adapters_of_pictures_are_trained_in_other_tongues(words):
    assert understand(f"{words} 1024px 16GB?").need.trained == "lora"


@pytest.mark.parametrize(
    ("text", "amount"),
    [("예산 200만원으로 7B 돌릴 그래픽카드 추천해줘", 2_000_000), ("150만 원 이하 그래픽카드", 1_500_000)],
)
def test_won_are_counted_in_ten_thousands(text, amount):
    budget = understand(text).need.budget
    assert budget is not None
    assert (budget.amount, budget.currency) == (amount, "KRW")


@pytest.mark.parametrize("data", ["52k alpaca samples", "52k code instruction pairs", "20k labelled rows"])
def test_number_of_named_data_is_no_context(data):
    need = understand(f"QLoRA Llama-3-8B, {data}, 3 epochs, one 4090. hours?").need
    assert (need.context_tokens, need.sequence_tokens) == (None, None)


@pytest.mark.parametrize("trainer", ["PPOTrainer", "GRPOTrainer", "DPOTrainer", "RewardTrainer"])
def test_trainers_train(trainer):
    assert understand(f"trl {trainer} with a 1.5b model on a 48GB A6000").need.task in {"full_finetune", "lora"}


def test_sharding_alone_is_training():
    assert understand("四张 4090 跑 deepspeed zero3 会比单卡慢吗").need.task == "full_finetune"


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("2x Titan RTX w/ nvlink, deepseek-coder 33b at 8 bit. gonna fit?", "can_it_run"),
        ("need help choosing a gpu", "which_to_buy"),
    ],
)
def test_short_ways_to_ask(question, intent):
    assert understand(question).need.intent == intent


@pytest.mark.parametrize("memory", [16, 32, 64, 128])
@pytest.mark.parametrize(
    ("said", "count"),
    [
        ("I have {memory}GB RAM and a 3060", 1),
        ("ok but i only have {memory} GB of RAM and two 3060s", 2),
        ("我有{memory}G内存和一张3060，能跑什么", 1),
        ("手上 {memory}G 内存和两张 3060，能跑 7B 吗", 2),
    ],
)
def test_memory_said_before_a_card_counts_no_cards(said: str, count: int, memory: int) -> None:
    need = understand(said.format(memory=memory)).need
    assert [(card.gpu, card.count) for card in need.gpus_owned] == [("rtx-3060-12gb", count)]
    assert need.host_memory_bytes == memory * 2**30


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("My 4 V100s: can they run Llama 3 70B?", "v100-sxm2-32gb"),
        ("I have 8 V100s 32GB, can they run Llama 3 70B?", "v100-sxm2-32gb"),
        ("I have a V100S, can it run Qwen3-14B?", "v100s-pcie-32gb"),
        ("I have 4 V100S cards, can they run Qwen3-32B?", "v100s-pcie-32gb"),
        ("I have 2 L40s, can they run Llama 3 70B?", "l40s-48gb"),
    ],
)
def test_a_small_s_is_of_several_where_the_plain_card_is_the_commoner(text: str, card: str) -> None:
    assert [one.gpu for one in understand(text).need.gpus_owned] == [card]
