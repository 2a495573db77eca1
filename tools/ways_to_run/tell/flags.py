"""Command lines: flags of the engine for one way."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from kb.programs.launch import launch_facts
from kb.records.gpu import Gpu
from tools.ways_to_run.space.formats import FILES, made_on_load, stored_only
from tools.ways_to_run.space.layouts import Spread
from tools.ways_to_run.space.load import Load
from tools.ways_to_run.space.machine import Machine
from tools.ways_to_run.weigh.candidate import Candidate

ON_ASCEND = {"vllm": "ascend", "sglang": "modelslim"}
"""How a server is told that weights were quantised by ModelSlim."""
RPC_PORT = 50052
EVERY_LAYER = 999
"""More layers than any model has."""
DEALT = ("-sm", "-ts")
"""How llama.cpp is told which card has how many layers: said last."""
MOST_RATIO = 0.97


def flags_of(load: Load, machine: Machine, candidate: Candidate, utilization: float | None = None) -> str:
    """Flags for the engine's command line; `utilization`: the share of a card it may take, where others share it."""
    if candidate.engine == FILES:
        return " ".join(_llama(load, machine, candidate))
    if candidate.engine == "vllm":
        return " ".join(_vllm(load, candidate, utilization))
    if candidate.engine == "sglang":
        return " ".join(_sglang(load, candidate, utilization))
    return " ".join(_tensorrt(load, candidate, utilization))


def _made_on_load(load: Load, candidate: Candidate) -> str | None:
    """What the server makes of published 16-bit weights while loading, where nobody publishes the format."""
    gpu = candidate.group.gpu if candidate.group else candidate.cards[0].gpu if candidate.cards else None
    if gpu is not None and gpu.vendor == "Huawei":
        return ON_ASCEND.get(candidate.engine) if candidate.form == "int8" else None
    return made_on_load(load, candidate.engine, candidate.form)


def _here(load: Load, candidate: Candidate) -> int:
    """Sequences of one copy of the attention layers."""
    spread = candidate.spread
    return math.ceil(load.sequences / (spread.dp * (spread.ep if spread.attention_copies else 1)))


def share_of_card(candidate: Candidate) -> float:
    """Share of the card that the engine may take: its default, more where it needs more, never beyond what is free."""
    gpu = _gpu(candidate)
    engine = launch_facts().engines.get(candidate.engine)
    usual = engine.memory_ratio if engine else 0.9
    needed = math.ceil(100 * candidate.held.high / gpu.memory_bytes) / 100
    left = math.floor(100 * candidate.held.usable / gpu.memory_bytes) / 100
    return min(max(usual, needed), left, MOST_RATIO)


@dataclass(frozen=True, slots=True)
class _Names:
    """How a server writes what all of them take."""

    tp: str
    pp: str
    dp: str
    length: str
    sequences: str
    fp8: str


_VLLM = _Names(
    tp="--tensor-parallel-size", pp="--pipeline-parallel-size", dp="--data-parallel-size", length="--max-model-len",
    sequences="--max-num-seqs", fp8="fp8",
)  # fmt: skip
_SGLANG = _Names(
    tp="--tp-size", pp="--pp-size", dp="--dp-size", length="--context-length", sequences="--max-running-requests",
    fp8="fp8_e4m3",
)  # fmt: skip


def _vllm(load: Load, candidate: Candidate, utilization: float | None) -> Iterator[str]:
    spread = candidate.spread
    if spread.attention_copies:
        yield f"--data-parallel-size {spread.ep * spread.dp} --enable-expert-parallel"
    else:
        yield from _spread(_VLLM, spread)
        if spread.ep > 1:
            yield "--enable-expert-parallel"
    if (heads := launch_facts().tower_heads(load.shape.id or "")) and heads % spread.tp:
        yield "--mm-encoder-tp-mode data"  # the tower whole on every card, as its heads do not divide
    yield from _sizes(_VLLM, load, _here(load, candidate))
    yield f"--gpu-memory-utilization {utilization or share_of_card(candidate):g}"
    yield from _stored(_VLLM, load, candidate)
    if load.adapters:
        yield f"--enable-lora --max-loras {load.adapter_slots} --max-lora-rank {load.lora_rank or 16}"
        if load.adapters > load.adapter_slots:
            yield f"--max-cpu-loras {load.adapters}"


def _sglang(load: Load, candidate: Candidate, utilization: float | None) -> Iterator[str]:
    spread = candidate.spread
    if spread.attention_copies:
        yield f"--tp-size {spread.ep} --dp-size {spread.ep} --enable-dp-attention --ep-size {spread.ep}"
    else:
        yield from _spread(_SGLANG, spread)
        if spread.ep > 1:
            yield f"--ep-size {spread.ep}"
    yield from _sizes(_SGLANG, load, load.sequences)
    held, gpu = candidate.held, _gpu(candidate)
    static = math.ceil(100 * (held.weights + held.cache) / gpu.memory_bytes) / 100
    yield f"--mem-fraction-static {utilization or max(static, min(0.88, share_of_card(candidate))):g}"
    yield from _stored(_SGLANG, load, candidate)


def _spread(names: _Names, spread: Spread) -> Iterator[str]:
    """Cards that share every layer, take them in turn, and hold whole copies."""
    yield f"{names.tp} {spread.tp}"
    if spread.pp > 1:
        yield f"{names.pp} {spread.pp}"
    if spread.dp > 1:
        yield f"{names.dp} {spread.dp}"


def _sizes(names: _Names, load: Load, sequences: int) -> Iterator[str]:
    yield f"{names.length} {load.context} {names.sequences} {sequences}"


def _stored(names: _Names, load: Load, candidate: Candidate) -> Iterator[str]:
    """Formats of weights and cache, and the one that is computed in: a card without BF16 needs FP16 named."""
    if made := _made_on_load(load, candidate):
        yield f"--quantization {made}"
    if candidate.kv == "fp8":
        yield f"--kv-cache-dtype {_fp8(candidate, names.fp8, 'fp8_e5m2')}"
    if "fp16" in (candidate.kv, candidate.form, _gpu(candidate).half):
        yield "--dtype float16"


def _gpu(candidate: Candidate) -> Gpu:
    return candidate.group.gpu if candidate.group else candidate.cards[0].gpu


def _tensorrt(load: Load, candidate: Candidate, utilization: float | None) -> Iterator[str]:
    spread = candidate.spread
    yield f"--tp_size {spread.ep if spread.attention_copies else spread.tp}"
    if spread.pp > 1:
        yield f"--pp_size {spread.pp}"
    if spread.ep > 1:
        yield f"--ep_size {spread.ep}"
    yield f"--max_seq_len {load.context} --max_batch_size {_here(load, candidate)}"
    yield f"--kv_cache_free_gpu_memory_fraction {utilization or 0.9:g}"
    if candidate.kv == "fp8":
        yield "--extra_llm_api_options <(echo 'kv_cache_config: {dtype: fp8}')"


def _fp8(candidate: Candidate, plain: str, stored: str) -> str:
    """Cards without units for it store E5M2, which vLLM refuses beside FP8 weights
    (https://github.com/vllm-project/vllm/issues/8409)."""
    refused = candidate.engine == "vllm" and candidate.form in ("fp8", "mxfp8")
    return stored if stored_only(_gpu(candidate)) and not refused else plain


def _llama(load: Load, machine: Machine, candidate: Candidate) -> Iterator[str]:
    """`-c` counts the tokens of all slots together."""
    where = list(placed(load, machine, candidate))
    yield from (one for one in where if not one.startswith(DEALT))
    yield f"-c {load.context * load.sequences}"
    if load.sequences > 1:
        yield f"-np {load.sequences}"
    if candidate.kv in ("q8_0", "q4_0"):
        yield f"-ctk {candidate.kv} -ctv {candidate.kv}"
    yield "-fa on"
    if load.longest and load.context > load.longest:
        yield f"--rope-scaling yarn --rope-scale {load.context / load.longest:.4g} --yarn-orig-ctx {load.longest}"
    yield from (one for one in where if one.startswith(DEALT))


def placed(load: Load, machine: Machine, candidate: Candidate) -> Iterator[str]:
    """Where llama.cpp puts the layers: how many on the cards, whose experts in host memory, how many on each card."""
    held = candidate.held
    if not candidate.cards:
        yield "-ngl 0"
    elif held.whole_layers:
        yield f"-ngl {sum(held.layers)}"
    else:
        yield f"-ngl {EVERY_LAYER}"
    if load.shape.experts is not None and candidate.cards and candidate.offloads:
        yield f"--n-cpu-moe {_without_experts(load, candidate)}"
    if candidate.work.ubatch is not None and candidate.offloads:
        yield f"-ub {candidate.work.ubatch}"
    if candidate.network is not None:
        yield from _over_network(candidate)
    elif len(machine.cards) > 1 and candidate.cards and not machine.apart:
        yield from _split(machine, candidate)


def _over_network(candidate: Candidate) -> Iterator[str]:
    """The other computers, each with `rpc-server -H 0.0.0.0 -p 50052` running; this one takes the first layers."""
    others = range(2, len(candidate.cards) + 1)
    if others:
        yield f"--rpc {','.join(f'HOST{number}:{RPC_PORT}' for number in others)}"
        if candidate.unlike:
            yield f"-ts {','.join(str(count) for count in candidate.held.layers)}"


def _without_experts(load: Load, candidate: Candidate) -> int:
    """Layers from the first on whose experts stay in host memory; layers without experts count too."""
    experts = load.shape.experts
    if candidate.held.whole_layers or experts is None:
        return load.shape.layers
    return min(experts.dense_layers, load.shape.layers) + candidate.held.host_layers


def _split(machine: Machine, candidate: Candidate) -> Iterator[str]:
    """Layers by card in the machine's own order, where they are not alike; cards that are not used get none."""
    if len(candidate.cards) == 1:
        yield f"-sm none -mg {[card is candidate.cards[0] for card in machine.cards].index(True)}"
        return
    shared = candidate.spread.tp > 1  # each card then takes the same part of every layer
    if shared:
        yield "-sm tensor"
    parts = [1] * len(candidate.cards) if shared else candidate.held.layers
    dealt = {id(card): part for card, part in zip(candidate.cards, parts, strict=False)}
    counts = [dealt.get(id(card), 0) for card in machine.cards]
    if 0 in counts or max(counts) - min(counts) > 1:
        yield f"-ts {','.join(str(count) for count in counts)}"
