"""What texts say of the machine around a work: other processes, quotas, topology, Macs, links, limits, caches."""

from typing import Any

import pytest

from kb.base import UnknownName
from tools.observation.explain import explain_observation
from tools.observation.request import ObservationRequest
from tools.observation.result import Explanation


def told(**fields: Any) -> Explanation:
    return explain_observation(ObservationRequest.model_validate(fields))


@pytest.mark.parametrize(
    ("text", "first"),
    [
        pytest.param("|    2   N/A  N/A   4711  C  /opt/.cache/xmrig --cuda   2210MiB |", "foreign_miner", id="miner"),
        pytest.param("  0 N/A N/A 991 C VLLM::Worker_TP0 71034MiB", "pool_of_server", id="idle-server"),
        pytest.param(
            "[HAMI-core ERROR (pid:81 thread=2 allocator.c:49)]: Device 1 OOM 11811160064 / 10737418240",
            "vgpu_quota", id="vgpu-quota",
        ),
        pytest.param(
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n"
            "[HAMI-core ERROR (pid:81 thread=2 allocator.c:49)]: Device 1 OOM 11811160064 / 10737418240",
            "vgpu_quota", id="quota-before-memory",
        ),
        pytest.param("GPU0 GPU1 NUMA Affinity\nGPU0  X  SYS  0\nGPU1 SYS  X  1", "crosses_sockets", id="sys"),
        pytest.param("\tGPU0\tGPU1\tGPU2\nGPU0\t X \tPHB\tSYS\nGPU1\tPHB\t X \tSYS", "crosses_sockets", id="sys-third"),
        pytest.param("Running: 3 reqs, Prefix cache hit rate: 0.0%", "prefix_not_reused", id="prefix"),
        pytest.param(
            "ggml_metal_synchronize: error: command buffer 0 failed with status 5\nerror: Insufficient Memory "
            "(00000008:kIOGPUCommandBufferCallbackErrorOutOfMemory)", "metal_working_set", id="metal",
        ),
        pytest.param(
            'panic(cpu 4 caller 0xfffffe00): "IOGPUGroupMemory.cpp:219: completeMemory() prepare count underflow"',
            "metal_panic", id="mac-panic",
        ),
        pytest.param(
            "pcieport 0000:20:01.1: PCIe Bus Error: severity=Corrected, type=Physical Layer", "pcie_errors", id="aer"
        ),
        pytest.param("Clocks Event Reasons\n SW Power Cap : Active", "power_capped", id="cap"),
        pytest.param("HW Power Brake Slowdown : Active", "power_brake", id="brake"),
        pytest.param("HW Thermal Slowdown : Active", "thermal_trip", id="thermal"),
        pytest.param("NVRM: Xid (PCI:0000:41:00): 48, pid=77, DBE", "memory_defect", id="xid-48"),
        pytest.param("NVRM: Xid (PCI:0000:41:00): 31, Ch 00000008 MMU Fault", "bad_access", id="xid-31"),
        pytest.param("NVRM: Xid (PCI:0000:41:00): 13, Graphics SM Warp Exception", "bad_access", id="xid-13"),
    ],
)  # fmt: skip
def test_a_text_tells_what_the_machine_does(text: str, first: str) -> None:
    assert told(error_text=text).causes[0].id == first


@pytest.mark.parametrize(
    ("text", "never"),
    [
        ("GPU0 GPU1\nGPU0  X  NV12\nGPU1 NV12  X", "crosses_sockets"),
        ("Prefix cache hit rate: 70.0%", "prefix_not_reused"),
        ("SW Power Cap : Not Active", "power_capped"),
        ("python train.py --kernel rigel_attention 2210MiB", "foreign_miner"),
        ("loading libvgpu.so done", "vgpu_quota"),
    ],
)
def test_a_sound_machine_is_not_blamed(text: str, never: str) -> None:
    assert never not in {one.id for one in told(error_text=text).causes}


def test_a_slow_disk_under_a_checkpoint_is_no_fault_of_the_link() -> None:
    text = (
        "Saving model checkpoint of size 140.0 GiB to /mnt/share\nwriting at 120 MB/s\n[Rank 2] Watchdog caught "
        "collective operation timeout: WorkNCCL(SeqNum=9, OpType=ALLREDUCE, Timeout(ms)=600000)"
    )
    found = told(error_text=text, cards="8x H100", task="full_finetune")

    assert found.causes[0].id == "save_outlasts_timeout"
    assert found.error_read is not None
    assert found.error_read.facts["write_s"] == pytest.approx(140 * 2**30 / 120e6, abs=1)
    assert "p2p_blocked" not in {one.id for one in found.causes}


@pytest.mark.parametrize(
    ("allowed", "memory"), [("9.07", 8), ("18.13", 16), ("20.40", 18), ("40.80", 36), ("81.60", 64), ("163.20", 128)]
)
def test_the_limit_of_mps_tells_the_mac(allowed: str, memory: int) -> None:
    text = f"MPS backend out of memory (MPS allocated: 7.1 GiB, max allowed: {allowed} GiB). Tried to allocate 1 GiB."
    found = told(error_text=text, model="Llama-3.2-3B", task="lora", platform="macos")

    assert found.causes[0].id == "mps_watermark"
    assert found.error_read is not None
    assert found.error_read.facts["mac_memory_gib"] == memory


def test_an_allocation_of_the_size_of_the_logits_is_told_as_that() -> None:
    text = "CUDA out of memory. Tried to allocate 9.28 GiB. GPU 0 has a total capacity of 23.6 GiB"
    fields = {"model": "Qwen2.5-7B", "cards": "3090", "task": "lora", "micro_batch_size": 2, "sequence_tokens": 8192}
    found = told(**fields, error_text=text)

    assert (found.causes[0].id, found.causes[0].basis) == ("oom_logits", "seen")
    assert found.error_read is not None
    assert "152,064 × 4 bytes" in str(found.error_read.facts["tensor"])


def test_an_allocation_of_the_size_of_attention_scores_is_told_as_that() -> None:
    text = "CUDA out of memory. Tried to allocate 14.00 GiB. GPU 0 has a total capacity of 23.6 GiB"
    fields = {"model": "Qwen2.5-7B", "cards": "3090", "task": "lora", "micro_batch_size": 1, "sequence_tokens": 16384}

    assert told(**fields, error_text=text).causes[0].id == "oom_attention"


def test_preference_pairs_are_told_and_counted_as_two_samples() -> None:
    text = "CUDA out of memory. Tried to allocate 1.11 GiB. GPU 0 has a total capacity of 23.6 GiB"
    fields = {"model": "Qwen2.5-7B", "cards": "3090", "task": "lora", "micro_batch_size": 1, "sequence_tokens": 2048}

    plain, pairs = (told(**fields, method=method, error_text=text) for method in ("sft", "dpo"))
    assert "dpo_pairs" not in {one.id for one in plain.causes}
    assert "dpo_pairs" in {one.id for one in pairs.causes}
    memory = {"memory_bytes": "20GB", "memory_at": "first_step"}
    fields |= {"cards": "A100 80GB"}
    sft, dpo = (told(**fields, method=method, seen=memory).answer.expected for method in ("sft", "dpo"))
    assert sft is not None
    assert dpo is not None
    assert dpo.value > 1.2 * sft.value


def test_circumstances_come_after_what_explains_the_figure() -> None:
    fields = {"model": "Llama-3.1-8B", "engine": "vllm", "cards": "3090", "weight_format": "bf16"}
    found = told(**fields, seen={"tokens_per_s": 9}, error_text="Running: 1 reqs, Prefix cache hit rate: 0.0%")

    assert found.causes[0].id != "prefix_not_reused"
    assert "prefix_not_reused" in {one.id for one in found.causes}


def test_words_that_are_no_symptom_are_read_as_a_text() -> None:
    found = told(symptom="command buffer 3 failed with status 5 when the prompt is long")

    assert found.causes[0].id == "metal_working_set"
    with pytest.raises(UnknownName):
        told(symptom="it looks odd to me")
