"""The arithmetic of memory in one short table, one column for each way of doing it."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from assistant.compose import names, numbers
from assistant.compose.citations import joined
from assistant.compose.material import Estimate, Material
from assistant.compose.table import table
from kb.units import GIB
from tools.memory.result import PartName

_TAKEN_BATCH = re.compile(r"micro_batch_size not stated: (\d+)")
COLUMNS_MAX = 4
"""Ways side by side; more do not fit a phone."""
ROWS: tuple[tuple[str, tuple[PartName, ...]], ...] = (
    ("weights", ("weights",)),
    ("kv_cache", ("kv_cache",)),
    ("gradients", ("gradients",)),
    ("optimizer", ("optimizer",)),
    ("adapters", ("adapters",)),
    ("activations", ("activations", "logits")),
    ("overhead", ("buffers", "cuda_graphs", "fragmentation", "framework")),
)
"""Rows of the table and the parts each stands for."""


def arithmetic(material: Material, estimates: Sequence[Estimate]) -> str:
    """Parts, total, interval and usable memory of one GPU, with the calculations cited."""
    shown = list(estimates)[:COLUMNS_MAX]
    if not shown:
        return ""
    say = material.say
    head = [say("table.per_gpu"), *(_column(material, one, shown) for one in shown)]
    rows = [
        [say(f"part.{label}"), *(_cell(one.part(*parts)) for one in shown)]
        for label, parts in ROWS
        if any(one.part(*parts) for one in shown)
    ]
    rows.append([f"**{say('table.total')}**", *(f"**{total(one)}**" for one in shown)])
    rows.append([say("table.interval"), *(interval(one) for one in shown)])
    if any(one.gpus > 1 for one in shown):
        rows.append([say("table.gpus"), *(str(one.gpus) for one in shown)])
    if any(one.fit for one in shown):
        rows.append(
            [say("table.usable"), *(numbers.gib(one.fit.usable_bytes, digits=1) if one.fit else "–" for one in shown)]
        )
        rows.append([say("table.fits"), *(_mark(material, one) for one in shown)])
    return table(head, rows)


def _mark(material: Material, one: Estimate) -> str:
    """Whether it fits, in one word."""
    if one.fit is None:
        return "–"
    shared = one.fit.host is not None and one.fit.host.verdict != "no"
    return material.say("mark.host" if shared else f"mark.{one.fit.verdict}")


def _column(material: Material, one: Estimate, among: Sequence[Estimate]) -> str:
    return material.say("table.gib", column=column_name(material, one, among)) + cite(material, one)


def _cell(value_bytes: int) -> str:
    return f"{value_bytes / 2**30:,.1f}" if value_bytes else "–"


def in_all(estimate: Estimate) -> str:
    """The total over all GPUs, in GB and GiB."""
    return numbers.both_units(estimate.result.per_gpu.total_bytes * estimate.gpus)


def total(estimate: Estimate) -> str:
    """The total of one GPU in GiB, as finely as its interval supports, or as tells it from what the card has."""
    per_gpu, usable = estimate.result.per_gpu, estimate.fit.usable_bytes if estimate.fit else None
    digits = numbers.interval_digits(per_gpu.low_bytes, per_gpu.high_bytes)
    if usable is not None and abs(per_gpu.total_bytes - usable) < GIB:
        digits = 1
    return numbers.gib(per_gpu.total_bytes, digits=digits)


def interval(estimate: Estimate) -> str:
    """The interval around the total of one GPU, in GiB."""
    per_gpu = estimate.result.per_gpu
    digits = numbers.interval_digits(per_gpu.low_bytes, per_gpu.high_bytes)
    low, high = (numbers.gib(value, digits=digits) for value in (per_gpu.low_bytes, per_gpu.high_bytes))
    return f"{low}–{high}"


def column_name(material: Material, estimate: Estimate, among: Sequence[Estimate] = ()) -> str:
    """What distinguishes this estimate: the format; for training the method; the card where they differ."""
    say = material.say
    method = estimate.request.get("method")
    alone = estimate.task == "inference" and all(one.task == "inference" for one in among)
    words = [subject(material, estimate)] if len({one.result.model for one in among}) > 1 else []
    words += [] if alone else [names.task_name(estimate.task, say, method, estimate.result.model)]
    one_format = bool(among) and len({one.result.weight_format for one in among}) < 2
    if estimate.task != "qlora" and not (one_format and estimate.task != "inference"):
        words.append(names.format_name(estimate.result.weight_format))
    words += [text for key in ("precision", "optimizer") if (text := say.get(f"oom.{estimate.request.get(key)}"))]
    if estimate.task == "inference" and (cache := _cache(estimate)) and material.need.kv_format is None:
        words.append(say("fit.cache", format=cache))
    words += _of_pictures(material, estimate, among)
    sharding, tokens = estimate.request.get("sharding"), estimate.request.get("sequence_tokens")
    stated = material.need.sequence_tokens or material.need.context_tokens
    if tokens and not stated and not by_layers(estimate) and estimate.task != "inference":
        words.append(say("sharding.short_samples", tokens=numbers.tokens(tokens)))
    if estimate.request.get("fused_loss") and not by_layers(estimate):
        words.append(say("sharding.fused_loss"))
    if by_layers(estimate):
        words.append(say("sharding.layers", tokens=numbers.tokens(estimate.request.get("sequence_tokens") or 0)))
    if sharding and len({one.request.get("sharding") for one in among if one.task == estimate.task}) > 1:
        words.append(say(f"sharding.{sharding}"))
    if len({(one.gpu, one.gpus) for one in among}) > 1 and estimate.gpu:
        alike = len({one.gpu for one in among}) == 1
        words.append(f"{estimate.gpus}×GPU" if alike else names.cards(estimate.gpu, estimate.gpus))
    at_once = {one.request.get("concurrent_sequences") or 1 for one in among if one.task == "inference"}
    if len(at_once) > 1:
        count = estimate.request.get("concurrent_sequences") or 1
        return say("fit.at_once", how=" ".join(words), count=f"{count:,}")
    return " ".join(words)


def _cache(one: Estimate) -> str:
    """The format of the KV cache, where it was put differently."""
    form = one.request.get("kv_format")
    return "" if form in {None, "auto"} else names.format_name(form)


def _of_pictures(material: Material, one: Estimate, among: Sequence[Estimate]) -> list[str]:
    """What tells estimates of picture models apart: parts moved in turn, pictures at once."""
    said = []
    if len({other.request.get("offload") for other in among}) > 1 and one.request.get("offload"):
        swapped = one.task != "inference" and one.request["offload"] == "all"
        away = "to_host" if one.request.get("sharding") in ("fsdp", "zero3") else "swapped"
        said.append(material.say(f"offload.{away}" if swapped else f"offload.{one.request['offload']}"))
    batches = {batch_of(other) for other in among}
    if len(batches) > 1 and any(other.request.get("images_per_batch") for other in among):
        said.append(material.say("offload.batch", count=batch_of(one)))
    return said


def batch_of(one: Estimate) -> str:
    """Pictures at once: as asked, or as the calculator took them."""
    stated = one.request.get("images_per_batch") or one.request.get("micro_batch_size")
    taken = next(filter(None, map(_TAKEN_BATCH.match, one.result.assumptions)), None)
    return f"{stated:,}" if stated else taken[1] if taken else "1"


def by_layers(one: Estimate) -> bool:
    """Whether a training deals its layers out to the cards instead of copying or sharding them."""
    stages = one.request.get("pipeline_parallel") or 1
    return one.task != "inference" and stages > 1 and not one.request.get("sharding")


def cite(material: Material, estimate: Estimate) -> str:
    """The marker of an estimate: its parts, as formulas with their numbers put in."""
    parts = "; ".join(
        [
            *(f"{part.name}: {part.formula}" for part in estimate.result.per_gpu.parts if part.bytes),
            *(f"{' + '.join(names)} = {_cell(estimate.part(*names))} GiB" for _, names in ROWS if len(names) > 1),
        ]
    )
    what = subject(material, estimate)
    title = material.say("cite.memory", what=what, how=column_name(material, estimate))
    return joined([material.cites.cite("calculation", title, locator(estimate.request), parts)])


def locator(request: Mapping[str, Any]) -> str:
    """Where a memory estimate is cited from: the calculator with what it was asked."""
    return " · ".join(["estimate_memory", *(f"{key}={value}" for key, value in sorted(request.items()))])


def subject(material: Material, estimate: Estimate) -> str:
    """The model, by name or by size."""
    if estimate.result.model:
        return names.model_name(estimate.result.model)
    return material.say("model.of_size", size=numbers.params(estimate.result.params))


def named(material: Material, estimate: Estimate) -> str:
    """The model, with a space after it where a Chinese word follows a Latin one."""
    what = subject(material, estimate)
    return f"{what} " if material.say.language == "zh" and what[-1].isascii() else what


def workload(material: Material, one: Estimate) -> str:
    """What is run and how: "Qwen2.5-72B-Instruct in BF16", "QLoRA of Llama-3.1-70B"."""
    what = subject(material, one)
    if one.task == "inference":
        return material.say("workload.serve", model=what, format=names.format_name(one.result.weight_format))
    method = names.task_name(one.task, material.say, one.request.get("method"), one.result.model)
    sharding = one.request.get("sharding")
    if sharding not in {None, "none", "ddp"} and one.gpus > 1:
        method = material.say("workload.sharded", method=method, sharding=material.say(f"sharding.{sharding}"))
    text = material.say("workload.train", model=what, method=method)
    return f"{text} " if material.say.language == "zh" and text[-1].isascii() else text


def room_of(material: Material, others: Sequence[Estimate]) -> str:
    """What the lighter formats leave room for, where the published one does not fit."""
    key = "fit.max_sequences" if material.intents[0] == "concurrency" else "fit.max_context"
    lines = []
    for one in others:
        most = one.placed.max_concurrent_sequences if key == "fit.max_sequences" else one.placed.max_context_tokens
        if one.fits and one.placed.host is None and most:
            room = material.say(key, value=numbers.tokens(most))
            lines.append(
                "- " + material.say("fit.room_of", how=column_name(material, one), room=room) + cite(material, one)
            )
    return "\n".join(lines)
