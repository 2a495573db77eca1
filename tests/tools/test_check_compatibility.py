"""Cards against formats, packages, engines, CUDA and drivers."""

import pytest

from kb.base import BadInput, UnknownName
from kb.catalog import sources
from tools.check_compatibility import Compatibility, CompatibilityRequest, check_compatibility


def check(**fields: object) -> Compatibility:
    return check_compatibility(CompatibilityRequest.model_validate(fields))


@pytest.mark.parametrize(
    ("fields", "verdict"),
    [
        ({"gpu": "V100", "precision": "bf16"}, "does_not"),
        ({"gpu": "T4", "precision": "bf16"}, "does_not"),
        ({"gpu": "2080 Ti", "precision": "bf16"}, "does_not"),
        ({"gpu": "A100", "precision": "bf16"}, "works"),
        ({"gpu": "A100", "precision": "fp8"}, "does_not"),
        ({"gpu": "A100", "precision": "fp8", "engine": "vllm"}, "works_with"),
        ({"gpu": "3090", "precision": "fp8"}, "does_not"),
        ({"gpu": "4090", "precision": "fp8"}, "works"),
        ({"gpu": "H20", "precision": "fp8"}, "works"),
        ({"gpu": "MI300X", "precision": "fp8"}, "works"),
        ({"gpu": "MI250X", "precision": "fp8"}, "does_not"),
        ({"gpu": "H100", "precision": "nvfp4"}, "does_not"),
        ({"gpu": "5090", "precision": "nvfp4"}, "works"),
        ({"gpu": "4090", "feature": "nvlink"}, "does_not"),
        ({"gpu": "3090", "feature": "nvlink"}, "works"),
        ({"gpu": "RTX 6000 Ada", "feature": "NVLink"}, "does_not"),
        ({"gpu": "4090", "feature": "mig"}, "does_not"),
        ({"gpu": "A30", "feature": "mig"}, "works"),
        ({"gpu": "4090", "feature": "ecc"}, "works_with"),
        ({"gpu": "3060", "feature": "ecc"}, "does_not"),
        ({"gpu": "A100", "feature": "ecc"}, "works"),
        ({"gpu": "V100", "feature": "flash attention"}, "does_not"),
        ({"gpu": "V100", "feature": "flash_attention_2", "engine": "llama.cpp"}, "works"),
        ({"gpu": "T4", "feature": "fa2"}, "does_not"),
        ({"gpu": "A100", "feature": "flash_attention_3"}, "does_not"),
        ({"gpu": "H800", "feature": "flash_attention_3"}, "works"),
        ({"gpu": "V100", "precision": "awq"}, "does_not"),
        ({"gpu": "V100", "precision": "gptq"}, "works_with"),
        ({"gpu": "T4", "precision": "awq"}, "works"),
        ({"gpu": "P40", "precision": "gguf:Q4_K_M"}, "works"),
        ({"gpu": "P40", "precision": "nf4"}, "works"),
        ({"gpu": "P40", "feature": "llm_int8"}, "does_not"),
        ({"gpu": "M40", "feature": "bitsandbytes"}, "does_not"),
        ({"gpu": "P40", "engine": "vllm"}, "does_not"),
        ({"gpu": "V100", "engine": "vllm"}, "works_with"),
        ({"gpu": "5090", "engine": "vllm"}, "works_with"),
        ({"gpu": "910B4", "engine": "vllm"}, "works_with"),
        ({"gpu": "910A", "engine": "vllm"}, "does_not"),
        ({"gpu": "V100", "engine": "sglang"}, "does_not"),
        ({"gpu": "T4", "engine": "tensorrt-llm"}, "does_not"),
        ({"gpu": "RX 580", "engine": "vllm"}, "does_not"),
        ({"gpu": "RX 7900 XTX", "engine": "vllm"}, "works_with"),
        ({"gpu": "M3 Ultra", "engine": "llama.cpp"}, "works"),
        ({"gpu": "MI300X", "feature": "cuda"}, "does_not"),
        ({"gpu": "昇腾910B", "feature": "cuda"}, "does_not"),
        ({"gpu": "4090", "feature": "p2p"}, "does_not"),
        ({"gpu": "1080 Ti", "engine": "transformers"}, "works_with"),
        ({"gpu": "5090 Laptop", "engine": "comfyui"}, "works_with"),
        ({"gpu": "tpu-v5e-16gb", "feature": "awq"}, "unknown"),
        ({"gpu": "P40", "precision": "gptq"}, "does_not"),
        ({"gpu": "昇腾910B3", "precision": "awq"}, "works_with"),
        ({"gpu": "mtt-s4000-48gb", "engine": "vllm"}, "works_with"),
        ({"gpu": "昇腾910B3", "precision": "fp8"}, "does_not"),
        ({"gpu": "昇腾910B3", "precision": "w8a8"}, "works_with"),
        ({"gpu": "昇腾910B3", "precision": "gguf"}, "works_with"),
        ({"gpu": "atlas-300i-duo-96gb", "precision": "awq"}, "does_not"),
        ({"gpu": "atlas-300i-duo-96gb", "precision": "bf16"}, "does_not"),
    ],
)  # fmt: skip
def test_the_verdict_is(fields: dict[str, object], verdict: str) -> None:
    result = check(**fields)
    assert result.verdict == verdict, result.reason
    assert result.reason


@pytest.mark.parametrize(
    ("fields", "verdict", "remedy"),
    [
        ({"cuda": "12.1", "driver": "470"}, "does_not", "11.x"),
        ({"cuda": "cu121", "driver": "470.82.01"}, "does_not", "525.60.13"),
        ({"cuda": "11.8", "driver": "470"}, "works", ""),
        ({"cuda": "12.8", "driver": "535.104"}, "works", ""),
        ({"cuda": "13.0", "driver": "570"}, "does_not", "580"),
        ({"gpu": "P40", "cuda": "13"}, "does_not", "12.x"),
        ({"gpu": "V100", "cuda": "12.6"}, "works", ""),
        ({"gpu": "5090", "cuda": "12.4"}, "does_not", "12.8"),
        ({"gpu": "5090", "cuda": "12"}, "works", ""),
        ({"gpu": "5090", "driver": "550"}, "does_not", "570"),
        ({"gpu": "4090", "cuda": "11.7"}, "does_not", "11.8"),
        ({"gpu": "P100", "driver": "590"}, "does_not", "580"),
        ({"gpu": "K80", "cuda": "12"}, "does_not", "11.x"),
    ],
)  # fmt: skip
def test_cuda_driver_and_card_go_together(fields: dict[str, object], verdict: str, remedy: str) -> None:
    result = check(**fields)
    assert result.verdict == verdict, result.reason
    assert remedy in result.instead


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("v100 报 FlashAttention only supports Ampere GPUs or newer", {"FlashAttention-2"}),
        ("sm_120 is not compatible with the current PyTorch", {"PyTorch (current wheels)"}),
        ("驱动还是 470，想装 torch 的 cu121/cu124 包", {"CUDA 12.1 with driver 470", "CUDA 12.4 with driver 470"}),
    ],
)
def test_the_question_itself_is_read(question: str, asked: set[str]) -> None:
    assert asked <= {one.asked for one in check(gpu="V100", question=question).findings}


def test_a_card_alone_gives_an_overview() -> None:
    result = check(gpu="3090")
    assert {one.asked for one in result.findings} >= {"BF16 arithmetic", "FP8 arithmetic", "NVLink"}
    assert "BF16" in result.reason


def test_the_worst_finding_decides() -> None:
    result = check(gpus=["H100", "V100"], precision="bf16")
    assert {one.verdict for one in result.findings} == {"works", "does_not"}
    assert result.verdict == "does_not"


def test_sources_are_cited_and_known() -> None:
    result = check(gpu="V100", precision="awq")
    assert "vllm-quantization" in {one.id for one in result.sources}
    assert {one.id for one in result.sources} <= set(sources())


def test_an_ambiguous_card_is_read_as_usual_and_said() -> None:
    assert any("A100" in said for said in check(gpu="A100", precision="fp8").assumptions)


def test_unknown_names_are_refused() -> None:
    with pytest.raises(UnknownName):
        check(gpu="RTX 9999", precision="fp8")
    with pytest.raises(UnknownName) as caught:
        check(gpu="4090", feature="teleportation")
    assert caught.value.field == "feature"


def test_nothing_to_check_and_bad_versions_name_the_field() -> None:
    with pytest.raises(BadInput) as caught:
        check()
    assert caught.value.field == "gpu"
    with pytest.raises(BadInput) as caught:
        check(cuda="twelve", driver="470")
    assert caught.value.field == "cuda"


@pytest.mark.parametrize(
    ("cards", "verdict", "told"),
    [
        (("V100", "A100"), "works_with", "580 is the last branch"),
        (("GTX 1080 Ti", "RTX 4090"), "works_with", "12.x at most"),
        (("3090", "5090"), "works_with", "570 or newer"),
        (("P40", "RTX PRO 6000"), "does_not", "kernel modules"),
        (("RTX 3090", "RX 7900 XTX"), "works_with", "several makers"),
    ],
)
def test_different_cards_share_one_driver_or_are_told_why_not(cards: tuple[str, ...], verdict: str, told: str) -> None:
    found = check(gpus=cards, question="Can I put these into the same machine?")

    assert found.verdict == verdict
    assert told in found.reason
    assert found.instead
    assert found.findings[0].reason_zh


def test_like_cards_are_nothing_to_mix() -> None:
    assert check(gpus=("3090", "A6000"), feature="mixed_cards").verdict == "works"


def test_alternatives_are_not_judged_as_one_machine() -> None:
    found = check(gpus=("A100", "V100"), precision="fp16")

    assert all("one machine" not in one.asked for one in found.findings)


@pytest.mark.parametrize("card", ["3090", "4090", "MI300X"])
def test_memory_of_several_cards_is_not_pooled(card: str) -> None:
    found = check(gpu=card, question="Do two of these pool the memory into one big GPU?")

    assert found.verdict == "does_not"
    assert "split the model" in found.instead


@pytest.mark.parametrize(
    ("gpu", "words", "asked"),
    [
        ("H200", "NVLink 900 GB/s between cards", {"NVLink"}),
        ("A30", "MIG 能切几份", {"MIG (multi-instance GPU)"}),
        ("3090", "does NCCL P2P work", {"Peer-to-peer transfers over PCIe"}),
        ("L40S", "跑 fp8 训练", {"FP8 arithmetic"}),
        ("4090", "fp8 and nvlink", {"FP8 arithmetic", "NVLink"}),
        ("RTX PRO 6000", "200G InfiniBand", {"GPUDirect RDMA and Storage"}),
    ],
)
def test_a_feature_within_words_is_that_feature(gpu: str, words: str, asked: set[str]) -> None:
    assert {one.asked for one in check(gpu=gpu, feature=words).findings} == asked


@pytest.mark.parametrize("words", ["teleportation", "blast processing", "超能力"])
def test_words_without_a_feature_are_still_refused(words: str) -> None:
    with pytest.raises(UnknownName):
        check(gpu="4090", feature=words)


@pytest.mark.parametrize(
    ("name", "card"),
    [("Ascend 910B4", "910B4"), ("昇腾 910B2", "910B2"), ("Ascend 910B1", "910B1"), ("Ascend 910C", "910C")],
)
def test_the_verdict_is_of_the_card_that_was_named(name: str, card: str) -> None:
    found = check(gpu=name, precision="bf16")

    assert card in found.reason
    assert not found.assumptions


@pytest.mark.parametrize("card", ["MI50", "Radeon VII"])
def test_no_rocm_is_advised_for_a_card_it_no_longer_knows(card: str) -> None:
    found = check(gpu=card, engine="ollama")

    assert "Vulkan" in found.instead
    assert "Install the ROCm" not in found.instead
    assert "Install the ROCm" in check(gpu="7900 XTX", engine="ollama").instead


@pytest.mark.parametrize(
    ("driver", "cuda", "verdict"),
    [
        ("525", "12.1", "works"),
        ("525.60.13", "12.1", "works"),
        ("525.53", "12.1", "does_not"),
        ("515", "12.1", "does_not"),
        ("580", "13.0", "works"),
        ("575", "13.0", "does_not"),
    ],
)
def test_a_branch_without_its_release_is_not_older_than_its_own_releases(driver: str, cuda: str, verdict: str) -> None:
    assert check(cuda=cuda, driver=driver).verdict == verdict


@pytest.mark.parametrize(
    ("fields", "way"),
    [
        ({"gpu": "A10", "precision": "fp8"}, "weights_only"),
        ({"gpu": "A40", "precision": "fp8", "engine": "sglang"}, "weights_only"),
        ({"gpu": "T4", "precision": "fp8", "engine": "vllm"}, "weights_only"),
        ({"gpu": "A6000", "precision": "fp8", "engine": "tensorrt-llm"}, None),
        ({"gpu": "V100", "precision": "fp8"}, None),
        ({"gpu": "H200", "precision": "nvfp4"}, "weights_only"),
        ({"gpu": "V100", "precision": "awq"}, "fork_only"),
        ({"gpu": "Radeon VII", "engine": "vllm"}, "fork_only"),
        ({"gpu": "GTX 1080 Ti", "engine": "vllm"}, "fork_only"),
        ({"gpu": "RX 7900 XTX", "precision": "gptq"}, "unlisted"),
        ({"gpu": "4080", "feature": "p2p"}, "fork_only"),
        ({"gpu": "L40S", "precision": "fp8"}, None),
    ],
)
def test_what_the_verdict_leaves_out_is_said(fields: dict[str, object], way: str | None) -> None:
    assert check(**fields).way == way


def test_units_that_released_software_hardly_uses_are_a_condition() -> None:
    found = check(gpu="RX 9070 XT", precision="fp8")

    assert found.verdict == "works_with"
    assert "gfx12" in found.reason


@pytest.mark.parametrize(
    "feature", ["NCCL across MIG slices", "tensor parallel on two MIG instances", "mig 多卡", "DDP with MIG"]
)
def test_instances_of_a_card_do_not_work_together(feature: str) -> None:
    assert check(gpu="A100", feature=feature).verdict == "does_not"


def test_one_instance_of_a_card_works() -> None:
    assert check(gpu="A100", feature="mig").verdict == "works"


def test_a_program_is_judged_by_its_own_kernels_or_by_what_it_is_made_of() -> None:
    own = check(gpu="V100", precision="awq", engine="lmdeploy 0.5")
    assert own.verdict == "works_with"
    assert "LMDeploy" in own.reason
    assert "vLLM" not in own.reason
    assert check(gpu="V100", precision="awq", engine="vllm").way == "fork_only"
    assert check(gpu="Atlas 300I Duo", engine="vllm-ascend 0.9.2").verdict == "works_with"
    with pytest.raises(UnknownName):
        check(gpu="V100", engine="nosuchengine")


def test_the_last_driver_branch_is_said() -> None:
    assert "last driver branch" in check(gpu="V100", driver="580").reason
    assert "last driver branch" not in check(gpu="A100", driver="580").reason


@pytest.mark.parametrize(
    ("fields", "verdict", "said"),
    [
        ({"cuda": "12.2", "driver": "470", "gpu": "A100 80GB"}, "works_with", "cuda-compat-12-2"),
        ({"cuda": "12.2", "driver": "470", "gpu": "RTX 3080"}, "does_not", "+cu118"),
        ({"cuda": "12.6", "driver": "545", "gpu": "L40S"}, "works", "cuda>=12.6"),
        ({"feature": "sm_120", "gpu": "RTX 5080"}, "works_with", "12.8"),
        ({"feature": "compute_90", "gpu": "RTX 4090"}, "does_not", "not that of"),
    ],
)
def test_versions_are_told_as_conditions(fields: dict[str, str], verdict: str, said: str) -> None:
    found = check(**fields)
    assert found.verdict == verdict
    assert any(said in f"{one.reason} {one.instead}" for one in found.findings)


def test_a_card_has_one_first_toolkit_whoever_asks() -> None:
    born = "12.9"
    assert born in check(gpu="DGX Spark", engine="vllm").reason
    assert born in check(gpu="DGX Spark", engine="pytorch").reason
    assert born in check(gpu="DGX Spark", feature="sm_121a").reason
