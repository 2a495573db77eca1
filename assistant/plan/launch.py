"""From what was understood to the files that start it: program, place, number of machines."""

import re

from assistant.plan import requests
from assistant.plan.call import PlannedCall, planned
from tools.configuration import Configuration
from tools.launch.request import SERVERS, TRAINERS
from tools.need import GpuCount, Need

_TARGETS = (
    ("kubernetes", re.compile(r"kubernetes|\bk8s\b|helm|\bkeda\b|deployment ya?ml|kubectl", re.I)),
    ("slurm", re.compile(r"slurm|sbatch", re.I)),
    ("docker_compose", re.compile(r"docker|compose|容器", re.I)),
)
_PROGRAMS = (
    ("ollama", re.compile(r"ollama", re.I)),
    ("llama-factory", re.compile(r"llama-?\s?factory", re.I)),
    ("axolotl", re.compile(r"axolotl", re.I)),
    ("sglang", re.compile(r"sglang", re.I)),
    ("vllm", re.compile(r"vllm", re.I)),
    ("llama.cpp", re.compile(r"llama\.?cpp|llama-server", re.I)),
    ("deepspeed", re.compile(r"deepspeed|\bzero-?[123]\b", re.I)),
    ("fsdp", re.compile(r"fsdp", re.I)),
    ("torchrun", re.compile(r"torchrun", re.I)),
    ("accelerate", re.compile(r"accelerate", re.I)),
)
ACCEPTANCE = re.compile(r"验收|acceptance (?:test|plan|check)|burn-?in|烤机|拷机|压测方案|到货(?:测试|检验)", re.I)
"""Words that ask for the tests of a delivered machine."""
FILES = re.compile(
    r"(?:docker|compose|k8s|kubernetes|slurm|sbatch|启动|部署|训练|launch|deepspeed|accelerate|config\w*|yaml)"
    r"[^。.?？\n]{0,24}(?:文件|脚本|配置|命令|清单|yaml|files?|script|manifests?|commands?|config)"
    r"|配置文件|启动命令|(?:config|yaml|compose) file|sbatch|docker[- ]compose|(?:in|with|用|跑在) ?docker\b|helm chart"
    r"|launch script|写(?:一?[个份])?(?:启动|部署|训练)?脚本",
    re.I,
)
"""Words that ask for files or commands, whatever else is asked."""
_NODES = re.compile(r"(\d{1,3})\s*(?:nodes?\b|台|个?节点|machines?\b|servers?\b)", re.I)
_TRAINING = {"full_finetune", "lora", "qlora"}


def launch(need: Need, text: str, card: GpuCount | None = None, **changes: object) -> PlannedCall | None:
    """The files for the model on its cards; None without both."""
    chosen = card or next(iter(requests.cards(need)), None)
    if need.model is None or chosen is None:
        return None
    task = need.task if need.task in _TRAINING else "inference"
    able = TRAINERS if task != "inference" else SERVERS
    program = next((name for name, rule in _PROGRAMS if name in able and rule.search(text)), None)
    if program is None and need.engine in able:
        program = need.engine
    count = chosen.count or 1
    nodes = _NODES.search(text)
    machines = int(nodes[1]) if nodes and count % int(nodes[1]) == 0 else 1
    values: dict[str, object] = need.model_dump(exclude={"intent", "engine", "task"}) | {
        "task": task, "gpu": chosen.gpu, "gpu_count": count, "nodes": machines, "engine": program,
        "target": next((name for name, rule in _TARGETS if rule.search(text)), None),
        "acceptance": ACCEPTANCE.search(text) is not None, "micro_batch_size": need.batch_size,
    }  # fmt: skip
    return planned("make_launch_files", **(values | changes))


def launch_of(need: Need, text: str, best: Configuration) -> PlannedCall | None:
    """The files of a configuration that was found, as it is laid out there.

    Experts shared with attention on every card are a layout the files do not know: they take the usual one.
    """
    card, shared = GpuCount(gpu=best.gpu, count=best.gpu_count), best.expert_parallel > 1 and best.sharding is None
    tensor, pipeline = (None, None) if shared else (best.tensor_parallel, best.pipeline_parallel)
    return launch(need, text, card, weight_format=best.weight_format, tensor_parallel=tensor,
                  pipeline_parallel=pipeline, nodes=best.nodes)  # fmt: skip
