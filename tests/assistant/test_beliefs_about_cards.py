"""What askers take for granted of experts, layouts and memory, and parts of cards that are virtual."""

import pytest

from tests.assistant.planning import talk, turn


@pytest.mark.parametrize(
    "text",
    [
        "If Mixtral 8x7B only uses two experts per token, do I only need VRAM for 13B?",
        "Qwen3-30B-A3B only activates 3B, so is an 8GB card enough?",
        "gpt-oss-120b has 5.1B active parameters, so it fits a 3060 12GB?",
        "DeepSeek-V3 只激活 37B，是不是只要 40G 显存就能跑",
        "Qwen3-235B-A22B 每个 token 只用 8 个专家，显存按 22B 算就行吧",
        "MoE 模型是不是只加载激活的专家就行？Kimi-K2 一张 H100 够吗",
    ],
)
def test_the_active_share_is_not_what_is_held(text: str) -> None:
    understanding, _, draft = turn(text)
    assert draft.answer.startswith("**不是：" if understanding.language == "zh" else "**No: every expert")


@pytest.mark.parametrize(
    "text",
    [
        "Qwen3.6-35B-A3B 激活 3B，4060 8G 加 32G 内存能跑吗",
        "Is GLM-4.5-Air with 12B active parameters fast on two 4090s?",
        "Qwen3-30B-A3B on a 4090, how much VRAM?",
    ],
)
def test_nobody_is_corrected_who_knows(text: str) -> None:
    answer = turn(text)[2].answer
    assert not answer.startswith(("**不是：", "**No: every expert"))


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        (
            "Six RTX PRO 6000 96GB: can they serve Qwen3.5-397B-A17B-FP8 at 96k context? TP 6 fails, so what layout?",
            "--tensor-parallel-size 2 --pipeline-parallel-size 3",
        ),
        (
            "I have 14 H100 80GB. Can I serve DeepSeek V3 with --tp 14?",
            "--tensor-parallel-size 2 --pipeline-parallel-size 7",
        ),
        ("Qwen3-Coder-480B-A35B-Instruct-FP8，H20 141G 六张卡，tp=6 报错，怎么办", "--tensor-parallel-size 2"),
        ("tensor parallel 3 for Qwen3-32B on three 3090s?", "--pipeline-parallel-size 3"),
        ("7 卡 A100 张量并行 7 跑 Qwen2.5-7B", "--pipeline-parallel-size 7"),
        ("三张 4090 能不能 tp=3 跑 32B", "--pipeline-parallel-size 3"),
    ],
)
def test_a_layout_that_works_stands_in_the_place_of_one_that_does_not(text: str, flags: str) -> None:
    assert flags in turn(text)[2].answer.split("\n", 1)[0] + turn(text)[2].answer.split("\n", 2)[1]


@pytest.mark.parametrize("text", ["Qwen3-32B tp=4 on four 3090s", "四张 4090 能不能 tp=4 跑 32B"])
def test_a_layout_that_works_is_left_alone(text: str) -> None:
    assert "pipeline-parallel-size" not in turn(text)[2].answer.split("\n", 1)[0]


@pytest.mark.parametrize(
    ("text", "gib"),
    [
        ("Our IT gives us a vGPU profile A40-24Q. Can I run a 32B AWQ on it?", 24),
        ("GRID A100-10C 能跑 7B 吗", 10),
        ("虚拟机里是 A100-20C 的 vGPU，跑 Qwen2.5-14B-AWQ 行吗", 20),
        ("VM has GRID T4-8Q, what LLM fits?", 8),
        ("H100-40C vgpu with Qwen3-32B AWQ", 40),
        ("L20-24Q 的 vGPU 跑 Qwen3-14B 够吗", 24),
        ("A100-2-10C with a 7B", 10),
    ],
)
def test_a_virtual_card_has_the_memory_of_its_profile(text: str, gib: int) -> None:
    need = turn(text)[0].need
    assert need.memory_bytes_per_gpu == gib * 2**30
    assert not need.gpus_owned


@pytest.mark.parametrize(
    "text",
    [
        "Jetson Orin Nano 8GB with Llama-2-7B AWQ int4, process gets killed. Is the memory really not enough?",
        "DGX Spark, vllm killed when loading Qwen3-235B FP8. RAM problem?",
        "Orin NX 16G 跑 Qwen2.5-14B 被 killed 了",
        "M2 16GB, llama.cpp killed with a 13B Q8, why",
    ],
)
def test_where_memory_is_one_a_process_killed_is_out_of_it(text: str) -> None:
    first = turn(text)[2].answer.split("\n", 1)[0]
    assert "one memory" in first or "共用一份内存" in first


def test_a_process_killed_beside_a_card_is_out_of_host_memory() -> None:
    first = turn("Qwen2.5-14B on a 4090, process killed while loading, why")[2].answer.split("\n", 1)[0]
    assert "host memory" in first


@pytest.mark.parametrize(
    "text",
    [
        "512G 内存加一张 L40S，DeepSeek-R1 Q4_K_M 说内存不足，为什么要 380G 以上",
        "llama.cpp OOMs with Qwen3-235B Q4_K_M on a 3090 and 128GB RAM, what should I change?",
        "3090 + 64G 内存 llama.cpp 跑 GLM-4.5-Air Q4_K_M 爆显存，怎么办",
        "DeepSeek-R1 Q4_K_M on a 4090 with 512GB RAM in llama.cpp dies out of memory, why?",
    ],
)
def test_memory_that_ran_out_beside_a_machines_own_is_judged_with_it(text: str) -> None:
    first = turn(text)[2].answer.split("\n", 1)[0]
    assert "host memory" in first or "加上内存" in first


def test_another_machine_with_its_cards_takes_the_place_of_the_first() -> None:
    need = talk("512G 内存加一张 L40S，DeepSeek-R1 Q4_K_M 能跑吗", "那 256G 内存加 2 张 L40 呢")[0].need
    assert [(card.gpu, card.count) for card in need.gpus_owned] == [("l40-48gb", 2)]
    assert need.host_memory_bytes == 256 * 2**30
