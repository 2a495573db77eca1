"""The whole command of a way: program, checkpoint, flags, and in a comment what one needs beside it."""

from collections.abc import Iterator

from kb.programs.launch import launch_facts
from kb.programs.repositories import is_gated, repository
from tools.shards import checkpoint_id
from tools.ways_to_run.space.formats import FILES, made_on_load, published
from tools.ways_to_run.space.load import Load
from tools.ways_to_run.tell.words import format_name, nodes_used
from tools.ways_to_run.weigh.candidate import Candidate

MODEL = "MODEL"
"""Where a checkpoint goes that is not known here."""
PORTS = {"tensorrt-llm": 8000}
"""Of servers that no launch files are written for."""
STARTS = {
    "vllm": "vllm serve {}", "sglang": "python3 -m sglang.launch_server --model-path {}",
    "tensorrt-llm": "trtllm-serve {}",
}  # fmt: skip


TOLD_APART = {"vllm": "--master-addr $MASTER_ADDR", "sglang": "--dist-init-addr $MASTER_ADDR:5000"}
"""How a server is told where the first of several machines is."""


def command_of(load: Load, candidate: Candidate, flags: str) -> str:
    """The command and, after a `#`, how to log in, what MODEL stands for, and how to see that it answers."""
    beside = "; ".join(_beside(load, candidate))
    return f"{_partition(candidate)}{_started(load, candidate)} {' '.join((flags, *_several(candidate)))}  # {beside}"


def on_ascend(candidate: Candidate) -> bool:
    """Whether weights of eight bits run on Ascend chips, for which ModelSlim makes them beforehand."""
    gpu = candidate.group.gpu if candidate.group else candidate.cards[0].gpu if candidate.cards else None
    return gpu is not None and gpu.vendor == "Huawei" and candidate.form == "int8" and candidate.engine != FILES


def _partition(candidate: Candidate) -> str:
    """What tells vLLM how many layers each stage takes, where its cards are not alike."""
    if candidate.group is not None or candidate.engine == FILES:
        return ""
    return f"VLLM_PP_LAYER_PARTITION={','.join(map(str, candidate.held.layers))} "


def checkpoint(load: Load, candidate: Candidate) -> str | None:
    """Hugging Face id of what is loaded: its makers' own, made while loading, or of others; null where none is known.

    For llama.cpp with the tag of the file.
    """
    own = checkpoint_id(load.shape.id) if load.shape.id else None
    if own is None:
        return None
    if candidate.engine == FILES:
        found = repository(own, candidate.form)
        return found.named if found else None
    if on_ascend(candidate):
        return None
    if made_on_load(load, candidate.engine, candidate.form):
        return own
    known = published(load, candidate.form)
    other = repository(own, candidate.form)
    return known or (other.id if other else None)


def _started(load: Load, candidate: Candidate) -> str:
    found = checkpoint(load, candidate)
    if candidate.engine != FILES:
        return STARTS[candidate.engine].format(found or MODEL)
    return f"llama-server {f'-hf {found}' if found else f'-m {_file(load, candidate)}'}"


def _file(load: Load, candidate: Candidate) -> str:
    return f"{load.name}-{candidate.form.removeprefix('gguf:')}.gguf".replace(" ", "-")


def _several(candidate: Candidate) -> Iterator[str]:
    """How each of several machines that share one copy is told its place."""
    machines = nodes_used(candidate)
    if machines > 1 and candidate.spread.dp == 1 and candidate.engine in TOLD_APART:
        yield f"--nnodes {machines} --node-rank $NODE_RANK {TOLD_APART[candidate.engine]}"


def _beside(load: Load, candidate: Candidate) -> Iterator[str]:
    found = checkpoint(load, candidate)
    if found is None and candidate.engine == FILES:
        yield "put that file there first"
    elif on_ascend(candidate):
        yield "MODEL: a W8A8 checkpoint made by ModelSlim, which no GPTQ or AWQ file is"
    elif found is None:
        yield f"MODEL: a {format_name(candidate.form)} checkpoint"
    elif is_gated(found):
        yield "gated: consent on its page, then hf auth login"
    if load.longest and load.context > load.longest and candidate.engine != FILES:
        yield f"over the model's own {load.longest} tokens: refused without RoPE scaling"
    if list(_several(candidate)):
        yield f"on each machine, NODE_RANK from 0{', --headless on all but the first' * (candidate.engine == 'vllm')}"
    engine = launch_facts().engines.get(candidate.engine)
    yield f"test: curl localhost:{engine.port if engine else PORTS[candidate.engine]}/v1/models"
