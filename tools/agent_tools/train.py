"""`find_ways_to_train`: fine-tuning and training on a machine in hand, every way of doing it tried."""

from typing import Any

from pydantic import Field

from kb.catalog import gpus
from tools.agent_tools import reading
from tools.agent_tools.asked import AgentRequest
from tools.agent_tools.desk import Desk
from tools.agent_tools.media import interval
from tools.agent_tools.run import told
from tools.agent_tools.shown import shown

METHODS = {
    "full": "full", "full_finetune": "full", "sft": "sft", "lora": "lora", "qlora": "qlora", "dpo": "dpo",
    "grpo": "grpo", "ppo": "ppo", "pretrain": "pretrain", "pretraining": "pretrain", "全参": "full", "全量": "full",
    "dreambooth": "dreambooth",
}  # fmt: skip


TASKS = {
    "full": "full_finetune", "sft": "full_finetune", "lora": "lora", "qlora": "qlora", "pretrain": "pretrain",
    "dpo": "lora", "grpo": "full_finetune", "ppo": "full_finetune",
}  # fmt: skip
SAID_BY_TITLE = frozenset({"method", "sharding", "gradient_checkpointing", "optimizer", "precision", "offload"})


class TrainRequest(AgentRequest):
    """A training on cards in hand, or on cards that are thought of."""

    model: str | None = Field(default=None, max_length=200)
    """"Qwen2.5-7B", "7B"."""
    method: str | None = Field(default=None, max_length=40)
    """full, lora, qlora, dpo, grpo, pretrain; "dpo lora"."""
    cards: str | None = Field(default=None, max_length=300)
    """"4x 4090", of all machines together."""
    nodes: str | None = Field(default=None, max_length=20)
    """Machines."""
    host_memory: str | None = Field(default=None, max_length=120)
    """RAM, for offload."""
    link: str | None = Field(default=None, max_length=60)
    """How cards are joined."""
    samples: str | None = Field(default=None, max_length=40)
    """Of the data: "50k"."""
    sample_tokens: str | None = Field(default=None, max_length=40)
    """Average of one."""
    dataset_tokens: str | None = Field(default=None, max_length=40)
    """Or all: "2B"."""
    epochs: str | None = Field(default=None, max_length=20)
    """Passes."""
    sequence_tokens: str | None = Field(default=None, max_length=40)
    """Longest: "4096"."""
    global_batch: str | None = Field(default=None, max_length=20)
    """If given."""
    micro_batch: str | None = Field(default=None, max_length=20)
    """If given."""
    optimizer: str | None = Field(default=None, max_length=40)
    """If insisted on: adamw_8bit …"""
    gradient_checkpointing: str | None = Field(default=None, max_length=20)
    """none or full, if insisted on."""
    sharding: str | None = Field(default=None, max_length=20)
    """If insisted on: zero2, fsdp …"""
    lora_rank: str | None = Field(default=None, max_length=20)
    """Rank."""
    engine: str | None = Field(default=None, max_length=40)
    """If said: unsloth, verl …"""
    deadline: str | None = Field(default=None, max_length=60)
    """"3 days"."""
    rent: str | None = Field(default=None, max_length=60)
    """The person's: "$1.80/gpu/h"."""


def find_ways_to_train(request: TrainRequest, desk: Desk) -> dict[str, Any]:
    """Memory, time and cost of training on given cards, over sharding, checkpointing, batches, optimizers,
    offload: whether it fits, what does instead, what binds. Also LoRA of picture models."""
    named, form = reading.model_and_format(request.model, None)
    found = reading.cards(request.cards)
    count = reading.count
    rent = reading.money(request.rent, "rent")
    named_cards = [{**one, "name": gpus()[one["gpu"]].name} for one in reading.stated(found)]
    asked = {
        **named, "weight_format": form, "method": _method(request.method), "cards": named_cards,
        "nodes": count(request.nodes, "nodes"),
        "host_memory_bytes": reading.host(request.host_memory).get("host_memory_bytes"), "link": request.link,
        "samples": count(request.samples, "samples"), "sample_tokens": count(request.sample_tokens, "sample_tokens"),
        "dataset_tokens": count(request.dataset_tokens, "dataset_tokens"),
        "epochs": reading.number(request.epochs, "epochs"),
        "sequence_tokens": count(request.sequence_tokens, "sequence_tokens"),
        "global_batch": count(request.global_batch, "global_batch"),
        "micro_batch_size": count(request.micro_batch, "micro_batch"), "optimizer": request.optimizer,
        "gradient_checkpointing": request.gradient_checkpointing, "sharding": request.sharding,
        "lora_rank": count(request.lora_rank, "lora_rank"), "engine": request.engine,
        "deadline_s": reading.seconds(request.deadline, "deadline"),
        "rents": [{"amount": float(rent.amount), "currency": rent.currency}] if rent else None,
    }  # fmt: skip
    if not found:
        return _memory_alone(asked, desk)
    return _trained(desk.call("find_ways_to_train", asked))


def _method(text: str | None) -> str | None:
    if text is None:
        return None
    plain = text.strip().lower().replace("-", "_")
    return METHODS.get(plain, plain)


def _trained(result: dict[str, Any]) -> dict[str, Any]:
    """Ways to train as a model reads them: what titles say is left out, and flags stand with the first way only."""
    ways = []
    for place, way in enumerate(result.get("ways", [])):
        flags = dict(list((way.get("flags") or {}).items())[:1]) if not place else None
        memory = way.get("memory") or {}
        parts = {f"{name}_bytes": value for name, value in (memory.get("parts") or {}).items()} if not place else None
        kept = {name: value for name, value in way.items() if name not in SAID_BY_TITLE}
        price = dict(way.get("price") or {})
        price["median_hourly_cost"] = price.pop("hourly_cost", None)
        ways.append({**kept, "flags": flags, "memory": {**memory, "parts": parts}, "price": price})
    answer = dict(result["answer"])
    if ways and (ways[0].get("speed") or {}).get("samples_per_s"):
        answer.pop("tokens_per_s", None)
    return told({**result, "ways": ways, "answer": answer})


def _memory_alone(asked: dict[str, Any], desk: Desk) -> dict[str, Any]:
    """What a training holds without cards named, and how many of common ones that takes."""
    words = str(asked["method"] or "full").split()
    task = next((TASKS[word] for word in (*words[::-1], "full") if word in TASKS), "full_finetune")
    fields = (
        "model",
        "params",
        "sequence_tokens",
        "micro_batch_size",
        "optimizer",
        "gradient_checkpointing",
        "lora_rank",
    )
    found = desk.call("estimate_memory", {**{name: asked.get(name) for name in fields}, "task": task})
    per = found["per_gpu"]
    return {
        **shown({
            "model": found["model"], "method": task,
            "needed": interval(per),
            "parts": {f"{one['name']}_bytes": one["bytes"] for one in per["parts"]},
            "enough": [f"{one['count']} × {gpus()[one['gpu']].name}" for one in found["minimum_gpus"][:8]],
        }),
        "note": "on one card that held it all; give cards for sharding, speed and time",
        "assumptions": found["assumptions"][:4], "warnings": found["warnings"][:2],
    }  # fmt: skip
