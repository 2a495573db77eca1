"""What to change so that a workload fits a card, and what each change costs."""

from collections.abc import Callable, Iterator

from kb.constants.memory_constants import constants
from kb.records.gpu import Gpu
from tools.memory.fit import verdict_of
from tools.memory.formats import weight_format
from tools.memory.interval import interval
from tools.memory.result import Change
from tools.memory.term import Phase
from tools.memory.vision import look_of
from tools.memory.workload import Workload

Peak = Callable[[Workload], Phase]
FEW_SEQUENCES = 32
"""A cap on vLLM's sequences that still batches."""
Option = tuple[str, str, Workload]
"""Change, its cost, and the workload after it; options come in order of what they cost."""


def changes_for(work: Workload, gpu: Gpu, peak_of: Peak) -> tuple[Change, ...]:
    """Single changes after which the card holds the workload, least costly first, the mildest of each field.

    Where no single one does, changes are piled up in the same order.
    """
    before = peak_of(work).bytes
    found: dict[str, Change] = {}
    for name, costs, changed in _options(work):
        if _field(name) not in found and (made := _made(name, costs, changed, gpu, peak_of, before)):
            found[_field(name)] = made
    if found:
        return tuple(found.values())
    combined = _together(work, gpu, peak_of, before)
    return (combined,) if combined else ()


def _field(name: str) -> str:
    return name.split(" = ")[0]


def _made(name: str, costs: str, changed: Workload, gpu: Gpu, peak_of: Peak, before: float) -> Change | None:
    """The change with what it comes to; nothing when the card does not hold it even so, or when it saves nothing."""
    phase = peak_of(changed)
    verdict = verdict_of(phase.bytes, interval(changed, phase)[1], gpu.usable_bytes)
    total, saved = int(phase.bytes) + 1, int(before - phase.bytes)
    if verdict == "no" or saved <= 0:
        return None
    return Change(change=name, costs=costs, total_bytes=total, saves_bytes=saved, verdict=verdict)


def _together(work: Workload, gpu: Gpu, peak_of: Peak, before: float) -> Change | None:
    """Changes piled up, the cheapest first, those that save nothing left out, until the card holds the work."""
    tried: set[str] = set()
    kept: list[tuple[str, str]] = []
    while option := next((option for option in _options(work) if _field(option[0]) not in tried), None):
        name, costs, changed = option
        tried.add(_field(name))
        if peak_of(changed).bytes >= peak_of(work).bytes:
            continue
        work = changed
        kept.append((name, costs))
        names, prices = " and ".join(name for name, _ in kept), "; ".join(costs for _, costs in kept)
        if made := _made(names, prices, work, gpu, peak_of, before):
            return made
    return None


def _options(work: Workload) -> Iterator[Option]:
    if work.family == "diffusion":
        yield from _for_pipelines(work)
    elif work.family == "vision":
        yield from _for_pictures(work)
    elif work.family == "speech" and work.training:
        yield from _fewer_at_once(work)
    elif work.training:
        yield from _for_training(work)
    elif work.family == "serving":
        yield from _for_serving(work)
    if work.family != "diffusion":
        yield from _smaller_formats(work)
    if work.family in ("serving", "training"):
        yield from _more_gpus(work)


def _for_training(work: Workload) -> Iterator[Option]:
    if work.checkpointing != "full":
        yield "gradient_checkpointing = full", "about a third more computing time", work._replace(checkpointing="full")
    if not work.fused_loss:
        yield "fused_loss = true", "a fused kernel must support the model", work._replace(fused_loss=True)
    if work.checkpointing == "full" and not work.activation_offload:
        offloaded = work._replace(activation_offload=True)
        yield "activation_offload = true", "checkpoints travel over PCIe: a little slower", offloaded
    if work.micro_batch > 1:
        yield (
            "micro_batch_size = 1",
            "accumulate gradients for the same batch; less throughput",
            work._replace(micro_batch=1),
        )
    if not work.adapted:
        if work.optimizer == "adamw":
            yield "optimizer = adamw_8bit", "coarser optimizer states", work._replace(optimizer="adamw_8bit")
        if not work.optimizer_in_backward and work.sharding == "none":
            stepping = work._replace(optimizer_in_backward=True)
            yield "optimizer_in_backward = true", "no gradient accumulation or clipping", stepping
        yield "offload = optimizer", "slow steps over PCIe, host memory", work._replace(offload="optimizer")
        yield "task = lora", "adapters instead of all weights", work._replace(task="lora")
    if work.task != "qlora":
        quantised = weight_format("nf4_dq", tied=work.shape.tied)
        yield (
            "task = qlora",
            "a 4-bit base: slower steps, slightly worse",
            work._replace(task="qlora", format=quantised),
        )
    for shorter in _halves(work.sequence, 256):
        yield f"sequence_tokens = {shorter}", "shorter samples", work._replace(sequence=shorter)


def _for_serving(work: Workload) -> Iterator[Option]:
    if work.engine == "vllm" and (work.max_sequences or FEW_SEQUENCES + 1) > FEW_SEQUENCES >= work.sequences:
        capped = work._replace(max_sequences=FEW_SEQUENCES)
        yield f"max_num_sequences = {FEW_SEQUENCES}", "more requests wait in the queue", capped
    if work.kv_bytes > 1:
        halved = work._replace(kv_bytes=constants().kv.bytes["fp8"], kv_format="fp8")
        yield "kv_format = fp8", "slightly less exact over long contexts", halved
    for fewer in _halves(work.sequences, 1):
        yield f"concurrent_sequences = {fewer}", "others wait in the queue", work._replace(sequences=fewer)
    for shorter in _halves(work.context, 1024):
        yield f"context_tokens = {shorter}", "shorter prompts and answers", work._replace(context=shorter)


def _halves(value: int, least: int) -> Iterator[int]:
    """Half of it, a quarter and so on, down to `least`."""
    while value // 2 >= least:
        value //= 2
        yield value


def _for_pipelines(work: Workload) -> Iterator[Option]:
    if work.images > 1:
        yield "images_per_batch = 1", "one picture after the other", work._replace(images=1)
    if work.offload == "none":
        yield "offload = components", "parts move in turn: seconds a picture", work._replace(offload="components")
    yield from _smaller_formats(work)
    if work.offload != "all":
        yield "offload = all", "many times slower", work._replace(offload="all")


def _fewer_at_once(work: Workload) -> Iterator[Option]:
    """Half the batch, a quarter and so on."""
    for fewer in _halves(work.images, 1):
        cost = "accumulate gradients for the same batch" if work.training else "more batches for the same pictures"
        yield f"images_per_batch = {fewer}", cost, work._replace(images=fewer)


def _for_pictures(work: Workload) -> Iterator[Option]:
    yield from _fewer_at_once(work)
    look = look_of(work)
    for shorter in _halves(min(look.width, look.height), 64):
        ratio = shorter / min(look.width, look.height)
        smaller = work._replace(
            width=round(look.width * ratio),
            height=round(look.height * ratio),
            frames=round(look.depth * ratio) if look.depth > 1 else work.frames,
        )
        yield f"width_px = {smaller.width}", "small objects are lost", smaller


def _smaller_formats(work: Workload) -> Iterator[Option]:
    if work.training:
        return
    costs = {
        "fp8": "hardly any quality",
        "int8": "hardly any quality",
        "int4": "a little quality, more on small models",
    }
    for name, cost in costs.items():
        form = weight_format(name, tied=work.shape.tied)
        if form.body_bits < work.format.body_bits and form.expert_bits < work.format.expert_bits:
            yield f"weight_format = {name}", cost, work._replace(format=form)


def _more_gpus(work: Workload) -> Iterator[Option]:
    for ways in (2, 4, 8):
        if work.training and work.data == 1:
            engine = "deepspeed" if work.engine == "deepspeed" else "fsdp"
            sharding = "zero3" if engine == "deepspeed" else "fsdp"
            sharded = work._replace(engine=engine, sharding=sharding, data=ways)
            yield f"sharding = {sharding}, data_parallel = {ways}", f"{ways} cards", sharded
        elif not work.training and ways > work.tensor and work.shape.heads % ways == 0:
            yield f"tensor_parallel = {ways}", f"{ways} cards", work._replace(tensor=ways)
