"""Memory that runs out by how the work is dealt over cards and host: whole copies, packed weights, offloaded states."""

from collections.abc import Iterator

from pydantic import ValidationError

from kb.base import AdvisorError
from tools.memory.request import MemoryRequest
from tools.memory.shape import shape_of
from tools.model_fields import ModelFields
from tools.observation.estimates.memory import AT_LOAD, needed, part
from tools.observation.setup import Setup

PACKED = ("gptq", "awq")
"""Formats whose weights are integers in the checkpoint."""
WHOLE_RANKS = ("fsdp", "zero3")
UNSHARDED = (None, "none", "ddp")
SHARDS_BY_ITSELF = ("deepspeed", "fsdp", "megatron")
OFFLOADED_BYTES = {"optimizer": 12.0, "all": 16.0}
"""Of a parameter in host memory: AdamW's states in 32 bits (master weights and two moments), with gradients and weights
of 16 bits beside them where all is offloaded (ZeRO-Offload, ZeRO-Infinity)."""


def of_dealing(setup: Setup, where: str) -> Iterator[str]:
    """Causes of memory that ran out `where` (device, host), by arithmetic alone; none where the set-up says too little.

    device: the whole work > a card, without sharding; packed weights with it; a server that was given one card of many.
    host: parameters / machines * bytes of what is offloaded > the machine's memory.
    """
    if setup.card is None or not setup.named:
        return
    try:
        if where == "host":
            yield from _on_host(setup)
        elif setup.kind == "training" and setup.cards > 1:
            yield from _in_ranks(setup)
        elif setup.reserves:
            yield from _on_one_card(setup)
            if setup.model_kind == "vlm":
                yield "vision_profile"
    except (AdvisorError, ValidationError, ValueError):
        return


def _in_ranks(setup: Setup) -> Iterator[str]:
    asked = setup.request
    packed = (setup.weight_format or "").lower() in PACKED
    if packed and asked.sharding in WHOLE_RANKS:
        yield "packed_not_sharded"
    unsaid = asked.sharding is None and setup.engine in SHARDS_BY_ITSELF
    whole = asked.sharding in UNSHARDED and not asked.tensor_parallel and not unsaid
    if whole and setup.card is not None and needed(setup).total_bytes > setup.card.usable_bytes:
        yield "packed_not_sharded" if packed else "buckets_of_several"


def _on_host(setup: Setup) -> Iterator[str]:
    asked = setup.request
    each, host = OFFLOADED_BYTES.get(asked.offload or ""), setup.host_bytes
    if setup.kind != "training" or each is None or host is None or asked.task in ("lora", "qlora"):
        return
    given = asked.model_dump(include=set(ModelFields.model_fields), exclude_none=True)
    if shape_of(MemoryRequest(**given)).params * each / setup.nodes > host:
        yield "host_holds_states"


def _on_one_card(setup: Setup) -> Iterator[str]:
    """A server takes one card unless it is told to share the model: the weights of all cards on one."""
    asked = setup.request
    stated = asked.tensor_parallel or asked.pipeline_parallel or asked.data_parallel
    if setup.cards == 1 or stated or setup.card is None:
        return
    each = part(needed(setup), *AT_LOAD)
    if each <= setup.card.usable_bytes < each * setup.cards:
        yield "one_card_serves"
