"""What is held beside the model itself: a reference, a critic, an engine that generates, a teacher, a vision tower."""

import math
from collections.abc import Iterator

from kb.constants.memory_constants import constants
from kb.constants.visual_tokens import visual_tokens
from tools.memory.adapters import adapter_terms
from tools.memory.kv import kv_bytes
from tools.memory.sharding import counts_on_one, ranks_for
from tools.memory.term import Phase, Term
from tools.memory.training import state_bytes
from tools.memory.workload import Workload

REFERENCED = ("dpo", "ppo", "grpo")
"""Methods that compare the policy with what it was; adapters switched off are their own reference."""
GENERATING = ("ppo", "grpo")
"""Methods that let the policy answer before it learns."""
ONE_BASE = ("llama-factory",)
"""Trainers whose PPO by adapters keeps policy, critic and reward model on one base: a value head, adapters of the
reward model (`reward_model_type: lora`). TRL, OpenRLHF and verl load each of them."""
ENGINE = "Generating engine"
"""How the labels of what the engine beside the trainer holds begin."""


def with_companions(work: Workload, phases: tuple[Phase, ...]) -> tuple[Phase, ...]:
    """The phases with everything that lies on the GPU beside the model, the whole step long."""
    beside = tuple(_beside(work))
    return tuple(Phase(phase.name, (*phase.terms, *beside)) for phase in phases) if beside else phases


def _beside(work: Workload) -> Iterator[Term]:
    if work.visual:
        yield _tower(work)
    if work.frozen_params and work.training:
        yield _frozen(work, "Other models at 16 bits", work.frozen_params)
    elif work.frozen_params:
        yield from _served_beside(work)
    if work.method in REFERENCED and not work.adapted:
        yield _frozen(work, "Reference model", work.shape.params)
    if work.method == "ppo" and not (work.adapted and work.engine in ONE_BASE):
        yield _frozen(work, "Reward model", work.shape.params)
        yield from _critic(work)
    if work.method in GENERATING:
        yield from _engine(work)


def _served_beside(work: Workload) -> Iterator[Term]:
    """Other models on the first GPU, in a process of their own: 16-bit weights, its context and a batch's tensors."""
    source, size = constants().encoder.source, constants().encoder.context_bytes
    inputs = {"params": work.frozen_params}
    yield Term("weights", "Other models at 16 bits", 2.0 * work.frozen_params, "params · 2", inputs, source)
    yield Term("framework", "Their own process", size, "context", {"context": size}, source)


def _frozen(work: Workload, label: str, params: int) -> Term:
    """2 bytes a parameter, sharded as the policy's weights are; in host memory where those lie there."""
    if work.offload == "all":
        return Term("weights", f"{label}, in host memory", 0.0, "0", {}, constants().reinforcement.source)
    ranks = ranks_for(work, "weights") * work.tensor
    inputs = {"params": params, "ranks": ranks}
    return Term("weights", label, 2.0 * params / ranks, "params · 2 / ranks", inputs, constants().reinforcement.source)


def _critic(work: Workload) -> Iterator[Term]:
    """A value network of the policy's size with gradients and states of its own, offloaded as the policy's are.

    By adapters: a base of its own in the policy's format, and adapters with their states.
    """
    counts, source = counts_on_one(work), constants().reinforcement.source
    if work.offload == "all":
        return
    if work.adapted:
        ranks, bits = ranks_for(work, "weights"), work.format.body_bits
        inputs = {"params": round(counts.total), "bits": bits, "ranks": ranks}
        size = counts.total * bits / 8 / ranks
        yield Term("weights", "Critic: frozen base", size, "params · bits / 8 / ranks", inputs, source)
        yield from (term._replace(label=f"Critic: {term.label.lower()}") for term in adapter_terms(work))
        return
    on_host = work.offload == "optimizer" or work.optimizer == "paged_adamw_8bit"
    names = ("weights", "gradients", "optimizer")
    for part, width in zip(names, state_bytes(work), strict=True):
        if part == "optimizer" and on_host:
            continue
        ranks = ranks_for(work, part)
        inputs = {"params": round(counts.total), "bytes": width, "ranks": ranks}
        size = counts.total * width / ranks
        yield Term(part, f"Critic: {part}", size, "params · bytes / ranks", inputs, source)  # type: ignore[arg-type]


def _engine(work: Workload) -> Iterator[Term]:
    """A serving engine on the same GPUs, which keeps what it reserved while the policy learns.

        reserved = max(copy of the weights + cache of the answers + workspace, utilisation · memory of the card)

    The copy is split over the fewest GPUs on which a share stays below `copy_most_bytes`; with four-bit adapters it is
    at four bits, and Unsloth's engine shares the weights of the trainer. Where the card is known the share reserved is
    TRL's default, or as many steps more as are needed; all beyond copy and workspace becomes cache.
    """
    numbers = constants().reinforcement
    bits = work.format.body_bits if work.task == "qlora" else 16.0
    copy = 0.0 if work.engine == "unsloth" else work.shape.params * bits / 8
    ways = _ways(copy, work.gpus, numbers.copy_most_bytes)
    inputs = {"params": work.shape.params, "bits": bits, "gpus": ways}
    yield Term("weights", f"{ENGINE}'s copy", copy / ways, "params · bits / 8 / gpus", inputs, numbers.source)
    serving = work._replace(
        engine="vllm", context=work.sequence, sequences=work.generations, tensor=ways, pipeline=1, version=None
    )
    held = {"generations": work.generations, "tokens": work.sequence, "gpus": ways}
    label, formula = f"{ENGINE}'s cache of the answers", "generations · tokens · bytes_per_token / gpus"
    cache, size = kv_bytes(serving), numbers.engine_bytes
    yield Term("kv_cache", label, cache, formula, held, constants().kv.source)
    yield Term("buffers", f"{ENGINE}'s workspace", size, "constant", {"constant": size}, numbers.source)
    used = copy / ways + cache + size
    ratio = _utilisation(work, used)
    if ratio is not None:
        whole = {"utilisation": ratio, "card": work.card_bytes, "used": round(used)}
        label, more = f"{ENGINE}'s reservation beyond that", ratio * work.card_bytes - used
        yield Term("kv_cache", label, more, "utilisation · card - used", whole, numbers.source)


def _utilisation(work: Workload, used: float) -> float | None:
    """Share of the card that the engine is told to reserve; null where the card is not known, or lacks the memory."""
    numbers, card = constants().reinforcement, work.card_bytes
    if not card:
        return None
    steps = math.ceil(used / card / numbers.utilisation_step)
    ratio = max(numbers.utilisation_ratio, round(steps * numbers.utilisation_step, 2))
    return ratio if ratio <= 1 else None


def reserved(phase: Phase) -> tuple[float, float | None]:
    """(bytes that the generating engine keeps to itself, share of the card it is told to reserve)."""
    own = [term for term in phase.terms if term.label.startswith(ENGINE)]
    told = [float(term.inputs["utilisation"] or 0) for term in own if "utilisation" in term.inputs]
    return sum(term.bytes for term in own), told[0] if told else None


def split_over(phase: Phase) -> int:
    """Cards that share the generating engine's copy of the weights (its tensor parallelism)."""
    own = [term for term in phase.terms if term.label == f"{ENGINE}'s copy"]
    return int(own[0].inputs["gpus"] or 1) if own else 1


def _ways(size: float, gpus: int, most: float) -> int:
    """Fewest GPUs, a power of two, on which a share of `size` stays below `most`."""
    ways = 1
    while ways * 2 <= gpus and size / ways > most:
        ways *= 2
    return ways


def _tower(work: Workload) -> Term:
    """A layer of the vision tower, while it runs over the pictures of a sequence."""
    numbers = visual_tokens()
    batch, ways = work.micro_batch if work.training else 1, max(work.tensor, work.context_split)
    inputs = {"visual_tokens": work.visual, "samples": batch, "bytes": numbers.tower_bytes_per_token, "gpus": ways}
    size = work.visual * batch * numbers.tower_bytes_per_token / ways
    formula = "visual_tokens · samples · bytes / gpus"
    return Term("activations", "Pictures in the vision tower", size, formula, inputs, numbers.tower_source)
