"""Hardware named otherwise than by a card: Macs, parts of a card, machines of several, files of any number of bits."""

import pytest

from assistant.understand import understand
from kb.catalog import gpus
from kb.mig import cuts
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
