"""What people paste is read, and wishes for files are met, in both languages; every number is traced."""

import random

import pytest

from assistant.agent import Advisor
from assistant.answer import Answer

MATRIX = (
    "\tGPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tNV4\tSYS\tSYS\t0-15\t0\n"
    "GPU1\tNV4\t X \tSYS\tSYS\t0-15\t0\nGPU2\tSYS\tSYS\t X \tNV4\t16-31\t1\nGPU3\tSYS\tSYS\tNV4\t X \t16-31\t1\n"
)
DICE = random.Random(3)
USAGE = "day,gpus\n" + "\n".join(
    f"2026-{6 + at // 30:02d}-{at % 30 + 1:02d},{30 + at / 4 + DICE.gauss(0, 0.5):.1f}" for at in range(90)
)
NO_ROOM = (
    "ValueError: To serve at least one request with the models's max seq len (32768), (8.0 GiB KV cache is needed, "
    "which is larger than the available KV cache memory (3.18 GiB). Based on the available memory, the estimated "
    "maximum model length is 12976."
)


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Advisor:
    return Advisor()


@pytest.mark.parametrize(
    ("question", "tool", "said"),
    [
        pytest.param("docker compose for vLLM Qwen2.5-72B AWQ on 2×A100 80GB", "make_launch_files",
                     ["Qwen/Qwen2.5-72B-Instruct-AWQ", "--tensor-parallel-size"], id="compose"),
        pytest.param("写一份在 4 张 L40S 上用 vLLM 部署 Qwen2.5-32B 的 Kubernetes 配置", "make_launch_files",
                     ["kind: PriorityClass", "kind: ScaledObject", "启动方法"], id="kubernetes-zh"),
        pytest.param("用 LLaMA-Factory 在 8×A100 80G 上 LoRA 微调 Qwen2.5-14B，给我配置文件", "make_launch_files",
                     ["llamafactory-cli train train.yaml", "template: qwen"], id="llama-factory-zh"),
        pytest.param("采购了一台 8×H100 服务器，准备跑 Llama 3.3 70B，给我一份验收测试方案", "make_launch_files",
                     ["all_reduce_perf", "验收测试"], id="acceptance-zh"),
        pytest.param("Where should I put tensor parallel here?\n" + MATRIX, "read_topology",
                     ["by 2", "CUDA_VISIBLE_DEVICES=0,1"], id="matrix"),
        pytest.param("帮我看看这个拓扑\n" + MATRIX, "read_topology", ["2 路张量并行", "跨 CPU 插槽"], id="matrix-zh"),
        pytest.param("We have 60 GPUs, delivery takes 30 days. When do we run out?\n" + USAGE, "forecast_capacity",
                     ["60 run out", "order by"], id="usage"),
        pytest.param(USAGE + "\n现在有 60 张卡，什么时候不够用？", "forecast_capacity",
                     ["用完", "下单"], id="usage-zh"),
        pytest.param("vLLM 部署 Qwen2.5-32B，两张 4090，报错：" + NO_ROOM, "diagnose_oom",
                     ["--max-model-len 12976", "原因"], id="vllm-zh"),
        pytest.param("8 卡训练 NCCL WARN Error while creating shared memory segment /dev/shm/nccl-abc (size 9637888)",
                     "diagnose_oom", ["/dev/shm", "--ipc=host"], id="shared-memory-zh"),
    ],
)  # fmt: skip
def test_what_is_pasted_is_answered(ask: Advisor, question: str, tool: str, said: list[str]) -> None:
    answer: Answer = ask.ask(question)
    assert any(call.tool == tool and "error" not in call.result for call in answer.tool_calls)
    assert [part for part in said if part.lower() not in answer.answer.lower()] == []
    assert answer.grounding.ungrounded == ()


def test_a_table_that_cannot_be_forecast_is_answered_with_its_fault(ask: Advisor) -> None:
    answer = ask.ask("When do we run out of 8 GPUs?\ntime,gpus\n2026-06-01,3\n2026-06-02,4\n2026-06-03,5")
    assert answer.verdict == "clarification"
    assert "12 are needed" in answer.answer


def test_files_for_what_does_not_fit_are_not_written(ask: Advisor) -> None:
    answer = ask.ask("docker compose for Llama 3.1 70B BF16 with vllm on one RTX 4090")
    assert answer.verdict == "does_not_fit"
    assert "services:" not in answer.answer
