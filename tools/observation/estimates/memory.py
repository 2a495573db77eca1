"""What a card should hold, at the moment it was read, and the tokens a server's cache should."""

from typing import Any

from kb.observation import observation_facts
from tools.memory.estimate import memory_per_gpu
from tools.memory.formats import weight_format
from tools.memory.request import MemoryRequest
from tools.memory.result import Part, PerGpu
from tools.memory.shape import shape_of
from tools.model_fields import ModelFields
from tools.observation.estimates.expected import UNITS, Expected
from tools.observation.result import Range
from tools.observation.setup import Machine, Setup, shares_memory

READ_BYTES = 2
"""Of a parameter while a checkpoint is read: 16 bits."""
AT_LOAD = ("weights", "adapters", "framework")
PAGING = ("windows", "wsl")
COPIED = ("task", "kv_format", "engine_version", "max_num_sequences", "micro_batch_size", "optimizer", "precision",
          "gradient_checkpointing", "attention", "lora_rank", "lora_targets", "sharding", "data_parallel",
          "tensor_parallel", "pipeline_parallel", "expert_parallel", "offload", "width_px", "height_px", "frames",
          "images_per_batch", "images_per_sample", "method")  # fmt: skip
HOST_ROOM = 0.75
"""Share of the host's memory that is left to a program beside system, desktop and browser."""
THIN = 4
"""Cards from which a model that half of one holds is spread thin."""
SHARDED = ("zero1", "zero2", "zero3", "fsdp")
KNOWN_ENGINES: frozenset[str] = frozenset({
    "vllm", "sglang", "llama.cpp", "transformers", "tensorrt-llm", "diffusers", "comfyui", "torchtune", "litgpt",
    "peft", "deepspeed", "fsdp", "megatron", "unsloth", "axolotl", "llama-factory",
})  # fmt: skip


def memory_request(setup: Setup) -> MemoryRequest:
    """The set-up as the memory calculator takes it."""
    asked = setup.request
    fields: dict[str, Any] = {name: getattr(asked, name) for name in (*ModelFields.model_fields, *COPIED)}
    training, cards = setup.kind == "training", setup.cards
    if training and cards > 1 and fields["data_parallel"] is None:
        shared = (asked.tensor_parallel or 1) * (asked.pipeline_parallel or 1)
        fields["data_parallel"] = max(cards // shared, 1)
        fields["sharding"] = asked.sharding or "ddp"
    if setup.kind == "serving" and cards > 1 and not (asked.tensor_parallel or asked.pipeline_parallel):
        over = "pipeline_parallel" if setup.engine in ("llama.cpp", "transformers") else "tensor_parallel"
        fields[over] = cards if asked.data_parallel is None else max(cards // asked.data_parallel, 1)
        fields["data_parallel"] = None
    if training and asked.method == "dpo" and fields["micro_batch_size"]:
        fields["micro_batch_size"] *= 2  # the chosen and the rejected answer go through together
    lengths = asked.context_tokens
    if lengths is None and (asked.input_tokens or asked.output_tokens):
        lengths = max((asked.input_tokens or 0) + (asked.output_tokens or 0), 1)
    engine = setup.engine if setup.engine in KNOWN_ENGINES else None
    return MemoryRequest(
        **fields, engine=engine, weight_format=setup.weight_format, context_tokens=lengths,
        concurrent_sequences=asked.concurrent_sequences, sequence_tokens=asked.sequence_tokens,
        gpu=setup.card.id if setup.card else None, host_memory_bytes=setup.host_bytes,
    )  # fmt: skip


def needed(setup: Setup) -> PerGpu:
    """What the work needs on the fullest card."""
    return memory_per_gpu(memory_request(setup))[0]


def overflow_bytes(setup: Setup, machine: Machine, told_share: float | None) -> float:
    """What does not fit and the driver keeps in host memory, on systems that do so instead of failing."""
    card = setup.card
    pages = setup.request.platform in PAGING or machine.extra_bytes > 0
    if card is None or not pages or setup.reserves or (setup.engine == "llama.cpp" and told_share is None):
        return 0.0
    held = needed(setup).total_bytes * (1 - (told_share or 0.0))
    return max(held + machine.extra_bytes - card.usable_bytes, 0.0)


def part(per: PerGpu, *names: str) -> int:
    """Bytes of these parts."""
    return sum(one.bytes for one in per.parts if one.name in names)


def memory_figures(setup: Setup, machine: Machine, found: Expected) -> None:
    """The memory of the fullest card, and the tokens of a reserved pool."""
    per, said = memory_per_gpu(memory_request(setup))
    found.assumptions += [one for one in said if one not in found.assumptions]
    low, value, high = float(per.low_bytes), float(per.total_bytes), float(per.high_bytes)
    card, whole = setup.card, setup.card_memory
    loaded = setup.at == "load" and setup.kind != "pictures"
    if machine.only == "tensors":
        ratio = 1 - part(per, "framework", "fragmentation") / max(per.total_bytes, 1)
        low, value, high = low * ratio, value * ratio, high * ratio
    elif machine.only == "weights" or (loaded and not setup.reserves and setup.engine != "llama.cpp"):
        ratio = part(per, *(("weights", "adapters") if machine.only else AT_LOAD)) / max(per.total_bytes, 1)
        low, value, high = low * ratio, value * ratio, high * ratio
    elif setup.reserves and whole is not None and machine.only != "needed":
        low, value, high = _reserved(setup, whole, per)
        found.binds["memory_bytes"] = "reservation"
    elif setup.engine == "llama.cpp" and card is not None:
        low, value, high = _placed(setup, machine, per, float(card.usable_bytes))
    held = [(one + machine.extra_bytes) * (1 + machine.extra_ratio) for one in (low, value, high)]
    if whole is not None:
        stated = float(card.memory_bytes if card is not None else whole)
        found.limits["memory_bytes"] = stated
        held = [min(one, stated) for one in held]
    name = "memory_bytes"
    found.ranges[name] = Range(low=held[0], value=held[1], high=held[2], unit=UNITS[name])
    found.binds.setdefault(name, _largest(per.parts))
    if card is not None and setup.engine != "llama.cpp" and _least(setup, per) > card.usable_bytes:
        found.warnings.append(f"By the estimate it does not fit {card.name}: part of it must lie elsewhere.")
    _pool(setup, machine, per, found)


def _least(setup: Setup, per: PerGpu) -> float:
    """What must be on the card: a server fills its pool with what the weights leave."""
    return float(part(per, *AT_LOAD)) if setup.reserves else float(per.low_bytes)


def loading_exceeds_host(setup: Setup) -> bool:
    """Whether the host's memory is too small for what loading takes where every process reads the whole checkpoint.

        ranks of a machine · parameters · 2 bytes > host memory

    That is how a training starts whose weights are not spread while they are read (from_pretrained outside ZeRO-3's
    context, FSDP without meta tensors). False where the host's memory, the cards or the model were not said.
    """
    asked = setup.request
    host = setup.host_bytes
    if setup.kind != "training" or host is None or setup.card is None or not setup.named:
        return False
    ranks = max(setup.cards // (asked.nodes or 1), 1)
    given = asked.model_dump(include=set(ModelFields.model_fields), exclude_none=True)
    return ranks > 1 and ranks * shape_of(MemoryRequest(**given)).params * READ_BYTES > host


def crowded_by_scores(setup: Setup) -> bool:
    """Whether llama.cpp's buffer of attention scores, which is kept without flash attention, takes much of the card.

        heads · context · tokens of a physical batch · 4 bytes > share · memory of the card

    False where the context or the model were not said, with flash attention, or with a cache that needs it.
    """
    asked, whole, facts = setup.request, setup.card_memory, observation_facts().settings
    if setup.engine != "llama.cpp" or not setup.named or whole is None or asked.context_tokens is None:
        return False
    if asked.attention == "flash" or asked.kv_format not in ("auto", "fp16", "bf16"):
        return False
    given = asked.model_dump(include=set(ModelFields.model_fields), exclude_none=True)
    tokens = asked.ubatch_tokens or int(facts["score_batch_tokens"])
    size = shape_of(MemoryRequest(**given)).heads * asked.context_tokens * tokens * 4
    return size > float(facts["score_share"]) * whole


def spread_thin(setup: Setup) -> bool:
    """Whether tensor parallelism deals a model out over far more cards than hold it: four or more, and the weights no
    more than half of one card.

        parameters · bits / 8 ≤ 1/2 · memory of the card
    """
    asked, whole = setup.request, setup.card_memory
    if setup.kind != "serving" or (asked.tensor_parallel or 1) < THIN or not setup.named or whole is None:
        return False
    given = asked.model_dump(include=set(ModelFields.model_fields), exclude_none=True)
    shape = shape_of(MemoryRequest(**given))
    bits = weight_format(setup.weight_format or shape.native_format).body_bits
    return shape.params * bits / 8 <= whole / 2


def pipeline_exceeds_host(setup: Setup) -> bool:
    """Whether the parts of a picture model that wait beside the card crowd the host's memory, which then swaps.

        weights of all parts > most of the host's memory

    Programs keep every part there while the card works on another. False where the host's memory or the model were
    not said, or the card holds it all.
    """
    host, card = setup.host_bytes, setup.card
    if setup.kind != "pictures" or setup.request.task != "inference" or host is None or card is None:
        return False
    if not setup.named or shares_memory(card):
        return False
    whole = float(part(needed(setup.changed({"offload": "none"})), "weights"))
    return whole > card.usable_bytes and whole > HOST_ROOM * host


def exceeds_machine(setup: Setup) -> bool:
    """Whether cards and host together are too small for the weights: parameters · bits / 8 > cards + host.

    False where the host's memory or the model were not said.
    """
    asked = setup.request
    host = setup.host_bytes
    if host is None or not setup.named or setup.weight_format is None:
        return False
    given = asked.model_dump(include=set(ModelFields.model_fields), exclude_none=True)
    held = shape_of(MemoryRequest(**given)).params * weight_format(setup.weight_format).body_bits / 8
    return held > host + (setup.card.usable_bytes * setup.cards if setup.card else 0)


def weights_on_card(setup: Setup) -> float:
    """Weights that the fullest card holds, as the cards share them."""
    return float(part(needed(setup), "weights"))


def held_ratio(setup: Setup) -> float | None:
    """What must be on the card over what it has; None without a card."""
    if setup.card is None:
        return None
    per = needed(setup)
    return (_least(setup, per) if setup.reserves else float(per.total_bytes)) / setup.card.usable_bytes


def _largest(parts: tuple[Part, ...]) -> str:
    return max(parts, key=lambda one: one.bytes).name if parts else "weights"


def share(setup: Setup) -> float:
    """The share of the card that a server reserves: as told, else its default."""
    defaults = observation_facts().settings["reserved_share"]
    return setup.request.gpu_memory_utilization or float(defaults[setup.engine or "vllm"])


def _reserved(setup: Setup, whole: int, per: PerGpu) -> tuple[float, float, float]:
    """share · memory of the card, graphs and the driver's part on top; more where the weights alone are more."""
    around = observation_facts().settings["reserved_around"]
    base = share(setup) * whole
    value = max(base, float(part(per, "weights", "framework")))
    return value * around["low"], value, max(value * around["high"], value + around["graphs_bytes"])


def _placed(setup: Setup, machine: Machine, per: PerGpu, usable: float) -> tuple[float, float, float]:
    """llama.cpp fills the card and leaves the rest to the host."""
    from tools.observation.estimates.serving import host_share

    kept = 1 - (host_share(setup, machine) or 0.0)
    moved, least = part(per, "weights", "kv_cache"), part(per, "framework", "buffers")
    share = max(kept * moved + per.total_bytes - moved, float(least)) / max(per.total_bytes, 1)
    low, value, high = (one * share for one in (per.low_bytes, per.total_bytes, per.high_bytes))
    return min(low, 0.9 * usable), min(value, usable), min(high, usable * 1.02)


def _pool(setup: Setup, machine: Machine, per: PerGpu, found: Expected) -> None:
    """Tokens that fit what is reserved less weights and work space: (share · memory - others) / bytes a token."""
    whole, request = setup.card_memory, memory_request(setup)
    cache = part(per, "kv_cache")
    if whole is None or not setup.reserves or not cache:
        return
    tokens = (request.context_tokens or usual_context()) * (request.concurrent_sequences or 1)
    each = cache / tokens
    others = per.total_bytes - cache
    room = share(setup) * whole - others - machine.extra_bytes
    name, around = "kv_pool_tokens", observation_facts().settings["pool_around"]
    if room <= 0:
        found.warnings.append("The weights and the work space alone take more than the share that is reserved.")
        return
    value = room / each
    weights = part(per, "weights")
    doubt = around["weights"] * weights + around["others"] * (others - weights) + around["room"] * room
    spread = doubt / each
    found.ranges[name] = Range(value=value, low=max(value - spread, 1.0), high=value + spread, unit=UNITS[name])
    most = (whole - part(per, "weights")) / each
    found.limits[name] = max(most, value + spread)
    found.binds[name] = "capacity"


def usual_context() -> int:
    from kb.constants.memory_constants import constants

    return constants().defaults.context_tokens
