"""Less demanding ways to do on the same cards what they do not hold, mildest first."""

import math
from typing import Any

from assistant.answer import ToolCallRecord
from assistant.plan import clips, own_files, requests
from assistant.plan.amounts import model_kind
from assistant.plan.call import PlannedCall, planned
from assistant.plan.formats import smaller_formats
from assistant.plan.layout import shared_by
from assistant.plan.squeeze import squeezed
from assistant.plan.tighter import for_small_cards, shorter_samples, tighter_files
from kb.catalog import gpu
from tools.need import GpuCount, Need

CROWDED = 0.5
"""Share of a card from which weights of four bits, with adapters and activations beside them, are worth sharding."""
SHORT_SAMPLE_TOKENS = 1024
SPREAD = ("lora", "qlora")
"""Ways to fine-tune that run as copies, unless it takes several cards to hold one."""
SHARES = ("none", "ddp", "zero1", "zero2")
"""Sharding that leaves a whole copy of the weights on each GPU."""
_MORE_OFFLOAD: dict[str | None, tuple[str, ...]] = {
    None: ("components", "all"), "none": ("components", "all"), "components": ("all",)
}  # fmt: skip
"""How much further a picture pipeline can spare the card, after what was asked: parts in turn, then layer by layer."""


ADAPTERS = ("lora", "qlora")


def cheaper(need: Need, record: ToolCallRecord) -> list[PlannedCall | None]:
    """Less demanding ways to do the same on the same cards, mildest first."""
    request = record.request
    task = request.get("task", "inference")
    card = card_of(request)
    if model_kind(need) == "vision" or (model_kind(need) == "speech" and task == "full_finetune"):
        return [
            _fewer_pictures(record),
            *(requests.memory(need, card, task=name) for name in requests.lighter_tasks(need, task)),
        ]
    if task == "inference" and model_kind(need) in ("diffusion", "video"):
        moved = "components" if request.get("engine") == clips.PROGRAM else request.get("offload")
        turns = [_again(request, offload=how) for how in _MORE_OFFLOAD.get(moved, ())]
        return [*turns, *(requests.memory(need, card, weight_format=name) for name in _smaller(need, record, card))]
    if task in {"lora", "qlora"} and model_kind(need) in ("diffusion", "video"):
        return [_again(request, offload="all")] if not request.get("offload") else []
    if task == "inference":
        if (files := own_files.calls(need, record, card)) is not None:
            return files
        smaller = _smaller(need, record, card)
        tried = [requests.memory(need, card, weight_format=name) for name in smaller]
        return [*tried, squeezed(need, record, card, smaller)]
    calls: list[PlannedCall | None] = []
    if request.get("sharding") in SHARES and card and (card.count or 1) > 1:
        calls.append(_again(request, sharding=shared_by(task, need.engine)))
        calls.append(_by_layers(need, request, card.count or 1) if task == "lora" else None)
    alone = card is None or (card.count or 1) == 1
    if task in {"full_finetune", "pretrain"} and (alone or need.intent == "oom"):
        own = {} if need.optimizer else {"optimizer": "adamw_8bit"}
        calls.append(_again(request, precision="bf16_pure", **own))
    if task in {"full_finetune", "pretrain"} and not alone and need.intent != "oom":
        calls += [_again(request, **changes) for changes in _spared(need, request)]
    if need.gradient_checkpointing not in {None, "full"}:
        calls.append(_again(request, gradient_checkpointing="full"))
    if task in ADAPTERS and alone and need.intent != "oom" and model_kind(need) in ("llm", "vlm", None):
        calls.append(_again(request, fused_loss=True))
    if task in SPREAD and not (need.sequence_tokens or need.context_tokens):
        calls.append(shorter_samples(record))
    lighter = requests.lighter_tasks(need, task)
    sharded = {"sharding": "zero3"} if request.get("sharding") == "zero3" and need.sharding is None else {}
    calls += [requests.memory(need, card, task=name, **(sharded if name == "lora" else {})) for name in lighter]
    if task == "lora" and alone and "qlora" in lighter and need.intent != "oom":
        calls.append(requests.memory(need, card, task="qlora", fused_loss=True))
    if "qlora" in lighter and not alone and need.sharding is None and _crowds(need, card):
        calls.append(requests.memory(need, card, task="qlora", sharding=shared_by("qlora", need.engine)))
    if task == "qlora" and not alone and need.offload is None:
        calls.append(_again(request, sharding="fsdp", offload="all"))
    return calls


def _crowds(need: Need, card: GpuCount | None) -> bool:
    """Whether weights of four bits leave one card little room: a copy on each is then too much, a share is not."""
    half_byte = (need.params or 0) * 0.5
    return card is not None and half_byte > CROWDED * gpu(card.gpu).usable_bytes


def _spared(need: Need, request: dict[str, Any]) -> list[dict[str, object]]:
    """Settings under which cards in hand hold a whole training: eight-bit states, then the optimizer on the host."""
    ways: list[dict[str, object]] = []
    if need.optimizer in {None, "adamw"}:
        ways.append({"optimizer": "adamw_8bit"})
    if need.offload is None:
        ways.append({"offload": "optimizer"})
    return [{"sharding": "zero3"} | way if request.get("sharding") in SHARES else way for way in ways]


def _smaller(need: Need, record: ToolCallRecord, card: GpuCount | None) -> tuple[str, ...]:
    """Formats narrower than the one that was estimated."""
    used = record.result.get("weight_format") or record.request.get("weight_format")
    names = smaller_formats(used, need.engine, card.gpu if card else None)
    return (*names, *tighter_files(used), *for_small_cards(need, record, card))


def _fewer_pictures(record: ToolCallRecord) -> PlannedCall | None:
    """The training with as many pictures at once as the card holds, as a power of two."""
    most = (record.result.get("fit") or {}).get("max_micro_batch_size") or 0
    if most < 1:
        return None
    count = 1 << (int(most).bit_length() - 1)
    return _again(record.request, images_per_batch=count, micro_batch_size=count)


def _by_layers(need: Need, request: dict[str, Any], count: int) -> PlannedCall | None:
    """Adapters on a model whose layers are dealt out to the cards (`device_map`), as small as it goes."""
    alone = {key: value for key, value in request.items() if key not in {"sharding", "data_parallel"}}
    short = {} if need.sequence_tokens or need.context_tokens else {"sequence_tokens": SHORT_SAMPLE_TOKENS}
    return _again(alone, pipeline_parallel=count, fused_loss=True, **short)


def _again(request: dict[str, Any], **changes: object) -> PlannedCall | None:
    return planned("estimate_memory", **(request | changes))


def card_of(request: dict[str, Any]) -> GpuCount | None:
    """The card of an earlier request and how many of it were spread over."""
    gpu = request.get("gpu")
    if not gpu:
        return None
    ways = ("data_parallel", "tensor_parallel", "pipeline_parallel", "context_parallel")
    copies = math.prod(int(request.get(way) or 1) for way in ways)
    count = max(copies, int(request.get("expert_parallel") or 1))  # experts are dealt out over copies of the rest
    return GpuCount(gpu=gpu, count=count)
