"""`find_ways_to_train`: fine-tuning and training on a machine in hand, every way of doing it tried."""

import math
from typing import Any

from pydantic import Field

from kb.catalog import gpus
from kb.constants.first_runs import first_runs
from kb.models import models
from tools.agent_tools import reading
from tools.agent_tools.asked import AgentRequest
from tools.agent_tools.desk import Desk
from tools.agent_tools.media import interval
from tools.agent_tools.run import told
from tools.agent_tools.shown import SHOWN_MAX, shown, written
from tools.training_time.request import SAMPLE_TOKENS
from tools.ways_to_train.problem import OPTIMAL_TOKENS, TOKENS
from tools.ways_to_train.problem import PICTURES as DRAWN
from tools.ways_to_train.request import optimizer_of

METHODS = {
    "full": "full", "full_finetune": "full", "sft": "sft", "lora": "lora", "qlora": "qlora", "dpo": "dpo",
    "grpo": "grpo", "ppo": "ppo", "pretrain": "pretrain", "pretraining": "pretrain", "全参": "full", "全量": "full",
    "dreambooth": "dreambooth",
}  # fmt: skip


TASKS = {
    "full": "full_finetune", "sft": "full_finetune", "lora": "lora", "qlora": "qlora", "pretrain": "pretrain",
    "dpo": "lora", "grpo": "full_finetune", "ppo": "full_finetune",
}  # fmt: skip
ALONE = (
    "model",
    "params",
    "active_params",
    "sequence_tokens",
    "micro_batch_size",
    "optimizer",
    "gradient_checkpointing",
    "lora_rank",
)
REFERENCED = ("dpo", "grpo", "ppo")
SMALLER: dict[str, dict[str, Any]] = {
    "8-bit AdamW": {"optimizer": "adamw_8bit"}, "AdamW all in BF16, no FP32 masters": {"precision": "bf16_pure"},
    "8-bit AdamW all in BF16": {"optimizer": "adamw_8bit", "precision": "bf16_pure"},
    "AdamW, ZeRO-3 offload of all to host memory (18 B/parameter there)": {
        "optimizer": "adamw", "sharding": "zero3", "data_parallel": 1, "offload": "all", "engine": "deepspeed",
    },
}  # fmt: skip
"""What holds less than the textbook's way to train all weights, each by the fields of an estimate."""
SEARCHED = (*TOKENS, *DRAWN)
SEQUENCE = 2048
"""Tokens of a sample that the estimate of memory takes where none is stated."""
USUAL_CARD = "h100-sxm-80gb"
"""Whose hours tell the work of a run on no card in particular."""
NOTE = "textbook: what is usually meant, at its least; ways: the fastest that these cards hold, which fill them"
TOLD_BY_WAYS = frozenset({"needed_bytes_per_gpu", "tokens_per_s", "time_s", "gpu_hours", "run_cost", "currency"})
"""What stands with the ways, each with what it holds for: alone it would be read as that of another configuration."""
WAYS_MAX = 3
ROOM = SHOWN_MAX - 450
"""Characters for what is found: for which load it holds, and how names were read, comes on top."""


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
    """Of cards."""
    samples: str | None = Field(default=None, max_length=40)
    """"50k"."""
    sample_tokens: str | None = Field(default=None, max_length=40)
    """Average."""
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
    """If said: adamw_8bit."""
    gradient_checkpointing: str | None = Field(default=None, max_length=20)
    """If said: none, full."""
    sharding: str | None = Field(default=None, max_length=60)
    """If said: fsdp, "zero3 offload"."""
    size: str | None = Field(default=None, max_length=60)
    """"768x768"."""
    lora_rank: str | None = Field(default=None, max_length=20)
    """Rank."""
    engine: str | None = Field(default=None, max_length=40)
    """If said: unsloth, verl …"""
    deadline: str | None = Field(default=None, max_length=60)
    """"3 days"."""
    rent: str | None = Field(default=None, max_length=60)
    """The person's: "$1.80/gpu/h"."""


def find_ways_to_train(request: TrainRequest, desk: Desk) -> dict[str, Any]:
    """Memory, time and cost of training on given cards: whether it fits, what does instead, over sharding, batches,
    offload. Also LoRA of picture models."""
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
        "lora_rank": count(request.lora_rank, "lora_rank"), "engine": request.engine, **_pixels(request.size, named),
        "deadline_s": reading.seconds(request.deadline, "deadline"),
        "rents": [{"amount": float(rent.amount), "currency": rent.currency}] if rent else None,
    }  # fmt: skip
    if not found or reading.kind_of(named) not in SEARCHED:
        return _memory_alone(asked, desk)
    return _trained(desk.call("find_ways_to_train", asked))


def _pixels(text: str | None, named: dict[str, Any]) -> dict[str, int]:
    """The side of a square with as many pixels, and the frames, as the size says."""
    found = reading.size(text, named)
    wide, high = found.get("width_px"), found.get("height_px")
    side = {"image_px": round(math.sqrt(wide * high))} if wide and high else {}
    return {**side, **({"frames": found["frames"]} if found.get("frames") else {})}


def _method(text: str | None) -> str | None:
    if text is None:
        return None
    plain = text.strip().lower().replace("-", "_")
    return METHODS.get(plain, plain)


def _trained(result: dict[str, Any]) -> dict[str, Any]:
    """Ways to train as a model reads them: what each figure holds for stands beside it, the textbook's way first.

    What the configuration says is left out elsewhere; settings, parts and the arithmetic stand with the first way only.
    """
    ways = [_way(way, first=not place) for place, way in enumerate(result.get("ways", [])[:WAYS_MAX])]
    answer = dict(result["answer"])
    plain = result.get("plain") or {}
    if ways:
        answer = {name: value for name, value in answer.items() if name not in TOLD_BY_WAYS}
        if answer["verdict"] != "fits" and plain:
            answer["needed_bytes_per_gpu"] = plain["memory"]["needed_bytes_per_gpu"]  # of what was asked
    rest = told({**result, "ways": [], "answer": answer})
    head = {"answer": rest.pop("answer"), "textbook": shown(_plain(plain)), "note": NOTE,
            "ways": shown(ways)}  # fmt: skip
    return _within({name: value for name, value in {**head, **rest}.items() if value})


def _within(found: dict[str, Any]) -> dict[str, Any]:
    """The same within the bound, without what says least: settings, further ways, what binds, parts, assumptions."""
    ways, assumed = list(found.get("ways", [])), list(found.get("assumptions", []))
    shorter: list[dict[str, Any]] = [
        {"ways": [_but(one, "flags") for one in ways]},
        {"ways": [_but(one, "flags") for one in ways[:2]], "changes": found.get("changes", [])[:3]},
        {"binds": [], "assumptions": assumed[:4]},
        {"ways": [_but(one, "flags", "why") for one in ways[:2]], "changes": found.get("changes", [])[:2]},
        {"ways": [_but(one, "flags", "why") for one in ways[:1]], "assumptions": assumed[:3]},
    ]
    for lesser in shorter:
        if len(written(found)) <= ROOM:
            break
        found = {name: value for name, value in {**found, **lesser}.items() if value}
    return found


def _but(row: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}


def _way(way: dict[str, Any], *, first: bool) -> dict[str, Any]:
    memory, speed, price = (dict(way.get(name) or {}) for name in ("memory", "speed", "price"))
    rate = {name: speed.get(name) for name in ("tokens_per_s", "samples_per_s", "time_s", "gpu_hours", "reckoned")}
    money = {"run_cost": price.get("run_cost"), "currency": price.get("currency"), "as_of": price.get("as_of")}
    if not first:
        return {
            "title": way["title"].partition(",")[0], "configured": way["configured"],
            "memory": {**_held(memory), "usable_bytes_per_gpu": None},
            "speed": {name: rate[name] for name in ("tokens_per_s", "samples_per_s", "time_s")},
            "price": {**money, "as_of": None} if money["run_cost"] else None,
        }  # fmt: skip
    hourly = {"median_hourly_cost": price.get("hourly_cost"), "cheapest_hourly_cost": price.get("cheapest_hourly_cost"),
              "cheapest": price.get("cheapest")}  # fmt: skip
    return {
        "title": way["title"], "configured": way["configured"],
        "memory": {**_held(memory), "parts": _parts(memory)}, "larger": way.get("larger"), "speed": rate,
        "price": {**money, **hourly}, "checkpoint_bytes": way.get("checkpoint_bytes"),
        "checkpoint_to_resume_bytes": way.get("resume_bytes"),
        "flags": dict(list((way.get("flags") or {}).items())[:1]), "why": (way.get("why") or [])[:1],
    }  # fmt: skip


def _held(memory: dict[str, Any]) -> dict[str, Any]:
    """Of a card up to its upper end; of host and drives where something lies there."""
    host = {"value": memory.get("host_bytes"), "low": memory.get("host_bytes"), "high": memory.get("host_high_bytes"),
            "unit": "bytes"}  # fmt: skip
    kept = ("needed_bytes_per_gpu", "high_bytes_per_gpu", "usable_bytes_per_gpu", "generation_utilisation_ratio")
    return {
        **{name: memory.get(name) for name in kept}, "surety": memory.get("surety"),
        "host": host if memory.get("host_bytes") else None, "drive_bytes": memory.get("drive_bytes") or None,
    }  # fmt: skip


def _parts(memory: dict[str, Any]) -> dict[str, Any]:
    return {f"{name}_bytes": value for name, value in (memory.get("parts") or {}).items()}


def _plain(plain: dict[str, Any] | None) -> dict[str, Any]:
    """The configuration that textbooks reckon with, whether it fits, and the rule of thumb in its numbers."""
    if not plain:
        return {}
    several = plain["all_cards_bytes"] != plain["memory"]["needed_bytes_per_gpu"]
    return {
        "configured": plain["configured"], **_held(plain["memory"]), "fits": plain["memory"]["surety"],
        "surety": None, "usable_bytes_per_gpu": None,
        "all_cards_bytes": plain["all_cards_bytes"] if several else None, "rule": plain["rule"],
        "tokens_per_s": plain.get("tokens_per_s"), "time_s": plain.get("time_s"),
    }  # fmt: skip


def _memory_alone(asked: dict[str, Any], desk: Desk) -> dict[str, Any]:
    """What a training holds without cards named, by the rule of thumb as well, and how many of common ones that takes.

    Of a network of language the work is told besides: 6 · parameters · tokens, and the hours on a common card.
    """
    words = str(asked["method"] or "full").split()
    task = next((TASKS[word] for word in (*words[::-1], "full") if word in TASKS), "full_finetune")
    named = {name: asked.get(name) for name in ALONE}
    size = {"width_px": asked.get("image_px"), "height_px": asked.get("image_px"), "frames": asked.get("frames")}
    reference = next((word for word in words if word in REFERENCED), None)
    plain = {
        "micro_batch_size": named["micro_batch_size"] or 1, "optimizer": optimizer_of(named["optimizer"] or "adamw"),
        "gradient_checkpointing": named["gradient_checkpointing"] or "full",
    }  # fmt: skip
    all_fields = {**named, **plain, **size, "method": reference, "task": task}
    smaller = _told_of(SMALLER if task not in ("lora", "qlora") else {}, all_fields, desk)
    others = {name: {"task": name} for name in ("full_finetune", "lora", "qlora") if task not in (name, "pretrain")}
    other = _told_of(others, all_fields, desk)
    found = desk.call("estimate_memory", all_fields)  # the last, for that is what is worked out on request
    per, params = found["per_gpu"], found["params"]
    base = {"lora": 2.0, "qlora": 0.5}.get(task)
    rule = (
        f"16 B × {params / 1e9:.3g}B (weights 2, gradients 2, AdamW 12) = {16 * params / 1e9:,.4g} GB, + activations"
        if base is None
        else f"{base:g} B × {params / 1e9:.3g}B of frozen base = {base * params / 1e9:.3g} GB, + adapters, activations"
    )
    length = f", samples up to {asked['sequence_tokens'] or SEQUENCE:,} tokens"
    if reference and base is None:
        rule += f", + a reference, 2 B × {params / 1e9:.3g}B = {2 * params / 1e9:.3g} GB"
    held = ", ".join(f"{name} {value}" for name, value in plain.items())
    held += "" if reading.kind_of(named) in DRAWN else length
    return {
        **shown({
            "model": found["model"], "method": task,
            "configured": f"{held}; unsharded, no offload",
            "needed": interval(per), "rule": rule, "smaller": smaller, "other_methods": other,
            "parts": {f"{one['name']}_bytes": one["bytes"] for one in per["parts"]},
            "enough": [f"{one['count']} × {gpus()[one['gpu']].name}" for one in found["minimum_gpus"][:8]],
            "work": _work(asked, _active(asked, params), adapted=base is not None),
        }),
        "note": "on one card that held it all; give cards for sharding, speed and time",
        "assumptions": found["assumptions"][:4], "warnings": found["warnings"][:2],
    }  # fmt: skip


def _told_of(changed: dict[str, dict[str, Any]], fields: dict[str, Any], desk: Desk) -> dict[str, Any]:
    """What each of these changes would hold instead."""
    tried = {name: desk.tried("estimate_memory", {**fields, **fresh}) for name, fresh in changed.items()}
    return {name: interval(one["per_gpu"]) for name, one in tried.items() if one}


def _active(asked: dict[str, Any], params: int) -> int:
    """Parameters that a token passes: of a mixture fewer than all."""
    known = models().get(asked.get("model") or "")
    return int(asked.get("active_params") or (known.active_params if known else None) or params)


def _work(asked: dict[str, Any], params: int, *, adapted: bool) -> str | None:
    """The FLOPs of the run and the card-hours they take: 6 · parameters · tokens, 4 where the weights are frozen."""
    each = (asked.get("samples") or 0) * (asked.get("sample_tokens") or SAMPLE_TOKENS)
    tokens = (asked.get("dataset_tokens") or each) * (asked.get("epochs") or 1)
    if not tokens and asked.get("method") == "pretrain":
        tokens = OPTIMAL_TOKENS * params
    if not tokens:
        return None
    factor, card = (4 if adapted else 6), gpus()[USUAL_CARD]
    flops = factor * params * tokens
    least, most = first_runs().reached.value
    long, short = (flops / (float(card.bf16_flops or 1) * share) / 3600 for share in (least, most))
    return (
        f"{factor} × {params / 1e9:.3g}B × {tokens / 1e9:.4g}B tokens = {flops:.3g} FLOPs = {short:,.3g} to "
        f"{long:,.3g} hours of one {card.name} at {100 * most:.0f} % of its peak (tuned) to {100 * least:.0f} % "
        "(as first set up)"
    )
