"""A way in the shape it is answered in."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date

from kb.units import GIB, format_bytes
from tools.memory.adapters import adapter_params
from tools.memory.companions import ENGINE, ONE_BASE, REFERENCED, reserved, split_over
from tools.memory.diffusion import pipeline_of, swapped_ratio, usual_pixels
from tools.memory.term import parts_of
from tools.memory.training import state_bytes
from tools.ways_to_train.flags import flags_of
from tools.ways_to_train.grids import GRID
from tools.ways_to_train.pace import accumulation, pace_of
from tools.ways_to_train.plan import ADAPTERS, LAYERS, USUAL_TOKENS, Plan, batch_of, micro_batches, working
from tools.ways_to_train.price import Rent, price_of
from tools.ways_to_train.problem import NAMES, PICTURES, Problem
from tools.ways_to_train.reckon import reckoned, short
from tools.ways_to_train.result import (
    TrainingCards,
    TrainingLimits,
    TrainingMemory,
    TrainingPlain,
    TrainingSpeed,
    TrainingWay,
)
from tools.ways_to_train.search import Timed, timed_way, told_way
from tools.ways_to_train.weigh import Weighed, drive_bytes, host_most_bytes, most, weigh

SHOWN = 6
"""Ways that are told."""
LONGEST_SAMPLE = 1 << 18
SAMPLES_MOST = 256
WHOLE_TOKENS = 128
SAID = {"full_finetune": "full", "pretrain": "pre-training", "lora": "LoRA", "qlora": "QLoRA"}
SHARDED = {"ddp": "DDP", "zero1": "ZeRO-1", "zero2": "ZeRO-2", "zero3": "ZeRO-3", "fsdp": "FSDP",
           LAYERS: "layers dealt out (device_map)", GRID: "Megatron grid"}  # fmt: skip
OPTIMIZED = {"adamw": "AdamW", "adamw_8bit": "8-bit AdamW", "paged_adamw_8bit": "paged 8-bit AdamW",
             "adafactor": "Adafactor"}  # fmt: skip

LEFT = {"optimizer": "states on the host", "all": "states and weights on the host",
        "nvme": "states and weights on a drive"}  # fmt: skip


def chosen(ways: Sequence[Timed]) -> list[Timed]:
    """The best of each really different kind: task, sharding, kind of cards, one or several, offload, precision."""
    found: dict[tuple[object, ...], Timed] = {}
    for one in ways:
        plan = one.plan
        kind = (plan.task, plan.sharding, plan.group.name, plan.count == 1, plan.offload, plan.precision)
        found.setdefault(kind, one)
    best: list[Timed] = []
    seen: set[str] = set()
    for one in found.values():  # the best of every task before a second one of any
        if one.plan.task not in seen:
            seen.add(one.plan.task)
            best.append(one)
    rest = [one for one in found.values() if not any(one is other for other in best)]
    kept = [*best, *rest][:SHOWN]
    return [one for one in found.values() if any(one is other for other in kept)]


def title(problem: Problem, one: Weighed) -> str:
    """The way in a few words."""
    plan = one.plan
    goal = "" if problem.goal in ("sft", "pretrain", "dreambooth") else f" {problem.goal.upper()}"
    words = [f"{SAID[plan.task]}{goal} on {cards(plan)}"]
    if plan.sharding != "none":
        words.append(f"Megatron {plan.grid.said}" if plan.sharding == GRID else SHARDED[plan.sharding])
    if problem.pictures and plan.offload == "all":
        words.append(f"{100 * swapped_ratio(one.work):.0f} % of the blocks swapped with the host")
    elif plan.offload != "none":
        words.append(LEFT[plan.offload])
    if plan.optimizer != "adamw":
        words.append(OPTIMIZED[plan.optimizer])
    if plan.precision == "bf16_pure":
        words.append("pure BF16")
    if plan.checkpointing != "none":
        words.append("checkpointing")
    words.append(f"micro-batch {one.micro}")
    return ", ".join(words)


def cards(plan: Plan) -> str:
    """The cards of a plan in words."""
    return (
        plan.group.name if plan.group.unlike and plan.count == plan.group.count else f"{plan.count} × {plan.group.name}"
    )


def configured(problem: Problem, one: Weighed) -> str:
    """Everything the figures hold for, in one line."""
    plan, work = one.plan, one.work
    cards = working(plan)
    steps = accumulation(problem, one)
    batch = f"micro-batch {one.micro}" + (f" × {steps} accumulated" if steps > 1 else "")
    batch += f" × {cards} {'copies' if plan.sharding == GRID else 'cards'}" if cards > 1 else ""
    size = f"samples up to {problem.sequence:,} tokens"
    if problem.pictures:
        wide, high, frames = usual_pixels(work.shape.kind, work.shape.family)
        frames = work.frames or frames
        size = f"{work.width or wide} × {work.height or high} pixels" + (f", {frames} frames" if frames > 1 else "")
    recomputed = {"none": "no checkpointing", "full": "full checkpointing"}.get(
        plan.checkpointing, "selective checkpointing"
    )
    return "; ".join((
        states(one), f"Megatron {plan.grid.said}, distributed optimizer" if plan.sharding == GRID
        else SHARDED.get(plan.sharding, "one card" if plan.count == 1 else "unsharded"),
        LEFT.get(plan.offload, "no offload"), recomputed, f"{batch}, {size}", *beside(problem, one),
    ))  # fmt: skip


def beside(problem: Problem, one: Weighed) -> Iterator[str]:
    """What alignment holds beside the policy: a reference, answers to compare, an engine that generates them."""
    if problem.goal in ("dpo", "grpo", "ppo"):
        yield "reference: adapters switched off" if one.plan.adapted else "reference model, 2 B/parameter"
    if problem.goal == "ppo":
        apart = not (one.plan.adapted and one.work.engine in ONE_BASE)
        yield "critic of the same size that learns, reward model 2 B/parameter" if apart else "critic and reward on it"
    held, ratio = reserved(one.phase)
    if held:
        of_card = f" ({100 * ratio:.0f} % of the card)" if ratio else ""
        yield f"{one.work.generations} answers a prompt by vLLM on the same cards: {format_bytes(held)}{of_card}"


def states(one: Weighed) -> str:
    """The optimizer and the bytes of what it keeps, as the trainer keeps it."""
    plan, work = one.plan, one.work
    half = "FP16" if plan.precision == "fp16" else "BF16"
    if plan.adapted:
        base = "4-bit" if plan.task == "qlora" and work.format.name.startswith("nf4") else work.format.name.upper()
        base = half if plan.task == "lora" and not work.format.quantised else base
        count = f"{short(adapter_params(work))} adapter parameters" if work.shape.hidden else "adapters"
        return f"{OPTIMIZED[plan.optimizer]} on {count} (rank {work.lora_rank}), base frozen {base}"
    weight, gradient, kept = state_bytes(work)
    each = (
        f"weights {weight:g} + gradients {gradient:g} + states {kept:.3g} = {weight + gradient + kept:.3g} B/parameter"
    )
    if plan.precision == "bf16_pure":
        return f"{OPTIMIZED[plan.optimizer]} all BF16, no FP32 masters: {each} instead of AdamW's 16"
    narrow = " instead of AdamW's 16" if plan.optimizer != "adamw" else ""
    return f"{OPTIMIZED[plan.optimizer]}, mixed {half}/FP32: {each}{narrow}"


def rule(one: Weighed, parts: Mapping[str, int]) -> str:
    """The rule of thumb of the method with its numbers, then the parts of our figure.

    Full: 2 of weights, 2 of gradients, 12 of an FP32 master and two moments = 16 bytes a parameter (arXiv:1910.02054);
    adapters: 2 bytes, or half of one, a frozen parameter (arXiv:2305.14314) and 16 each of their own. Of picture models
    the network that learns alone: texts and latents are encoded before.
    """
    plan, work = one.plan, one.work
    params = work.shape.params if work.shape.kind not in PICTURES else pipeline_of(work).largest_denoiser
    if plan.adapted:
        width = 0.5 if plan.task == "qlora" else 2.0
        own = 16.0 * (adapter_params(work) if work.shape.hidden else 0)
        said = f"{width:g} B × {params / 1e9:.3g}B of frozen base = {width * params / 1e9:.3g} GB"
        said += f" + 16 B × adapters = {own / 1e9:.2g} GB" if own else ""
    else:
        each = 16 * params / 1e9
        said = f"16 B × {params / 1e9:.3g}B (weights 2, gradients 2, AdamW 12) = {each:,.4g} GB of states"
        if plan.sharding in ("zero3", "fsdp") and plan.count > 1:
            said += f" / {plan.count} cards = {each / plan.count:,.3g} GB"
    if work.method in REFERENCED and not plan.adapted:
        said += f", + a reference, 2 B × {params / 1e9:.3g}B = {2 * params / 1e9:.3g} GB"
    if work.method == "ppo" and not (plan.adapted and work.engine in ONE_BASE):
        said += f", + a critic like it and a reward model, 2 B × {params / 1e9:.3g}B = {2 * params / 1e9:.3g} GB"
    largest = sorted(parts.items(), key=lambda part: -part[1])
    counted = ", ".join(f"{name} {size / GIB:.3g}" for name, size in largest if size > one.needed / 50)
    return f"{said}, + activations; ours at the {one.phase.name}, GiB: {counted}"


def plain_of(problem: Problem) -> TrainingPlain:
    """The textbook's way on all cards: AdamW with FP32 masters, 16-bit or 4-bit base, checkpointing, few samples.

    Of adapters its memory alone is told: one sample at once is what people reckon with, and slower than they train.
    """
    task, group = problem.tasks[0], max(problem.groups, key=lambda one: one.count)
    half = "fp16" if problem.precision == "fp16" or (group.gpu is not None and group.gpu.half == "fp16") else "bf16"
    several = "ddp" if task in ADAPTERS or problem.pictures else "zero3"
    sharding = "none" if group.count == 1 else problem.sharding if problem.sharding not in (None, "none") else several
    trainer = "diffusers" if problem.pictures else "fsdp" if sharding == "fsdp" else "deepspeed"
    engine = problem.engine or ("peft" if task in ADAPTERS and sharding != "fsdp" else trainer)
    plan = Plan(task, group, group.count, sharding, "full", "adamw", half, "none", engine)
    *_, usual = micro_batches(problem, working(plan), adapted=True)
    short = not plan.adapted and not problem.pictures and problem.sequence * 2 <= USUAL_TOKENS // 2
    micro = problem.micro or (usual if short else 1)
    weighed = weigh(problem, plan, micro)
    if weighed.surety == "no" and sharding == "ddp" and problem.sharding is None and not problem.pictures:
        # A base that no card holds whole is sharded: that is what people do then.
        weighed = weigh(problem, replace(plan, sharding="fsdp", engine=problem.engine or "fsdp"), micro)
    one, plan = told_way(problem, timed_way(problem, weighed)), weighed.plan
    untold = (plan.adapted and not problem.micro) or weighed.surety == "no"  # nobody waits for what does not start
    memory, pace = memory_of(problem, weighed), None if untold else one.pace
    return TrainingPlain(
        configured=configured(problem, weighed), cards=cards(plan), memory=memory,
        all_cards_bytes=memory.needed_bytes_per_gpu * plan.count, rule=rule(weighed, memory.parts),
        tokens_per_s=pace.rate if pace and not problem.pictures else None, time_s=pace.time if pace else None,
    )  # fmt: skip


def larger(problem: Problem, one: Weighed) -> str | None:
    """What the most samples at once that surely fit would take and bring, up to the usual most."""
    plan = one.plan
    if problem.micro or not plan.adapted:
        return None
    share = max(batch_of(problem, working(plan)) // working(plan), 1)
    sizes = [size for size in (8, 4, 2) if one.micro < size <= share and share % size == 0]
    tried = (weigh(problem, plan, size) for size in sizes)
    best = next((each for each in tried if each.surety == "yes"), None)
    if best is None:
        return None
    slow, fast = pace_of(problem, one), pace_of(problem, best)
    faster = f", {fast.rate.value / slow.rate.value:.2f} × as fast" if slow and fast and slow.rate.value else ""
    return f"micro-batch {best.micro}: {format_bytes(best.needed)} a card{faster}"


def saved(one: Weighed) -> tuple[int, int]:
    """Bytes of (what is kept to use, what is kept to go on): 16-bit weights, and weights, masters and moments.

    Adapters in 16 bits, and in 32 with two moments.
    """
    plan, work = one.plan, one.work
    if plan.adapted:
        count = adapter_params(work) if work.shape.hidden else 0
        return 2 * count, 12 * count
    weight, _, kept = state_bytes(work)
    return 2 * work.shape.params, int((weight + kept) * work.shape.params)


def way_of(problem: Problem, one: Timed, rent: Rent | None, today: date | None) -> TrainingWay:
    """The way with its memory, limits, speed, price, settings and what speaks for it."""
    weighed, plan, pace = one.weighed, one.plan, one.pace
    speed = None
    if pace is not None:
        speed = TrainingSpeed(
            tokens_per_s=None if problem.pictures else pace.rate, samples_per_s=pace.rate if problem.pictures else None,
            reckoned=tuple(reckoned(problem, weighed, pace)), time_s=pace.time, gpu_hours=pace.hours,
            generation_s=pace.generation_s, bound=pace.bound,
            model_flops_utilisation=pace.utilisation,
        )  # fmt: skip
    steps = accumulation(problem, weighed)
    use, resume = saved(weighed)
    return TrainingWay(
        title=title(problem, weighed), method=NAMES[plan.task],
        cards=TrainingCards(gpu=plan.group.gpu.id if plan.group.gpu else None, name=plan.group.name, count=plan.count),
        sharding=plan.sharding, gradient_checkpointing=plan.checkpointing, optimizer=plan.optimizer,
        precision=plan.precision, offload=plan.offload, weight_format=weighed.work.format.name, engine=plan.engine,
        micro_batch_size=weighed.micro, accumulation=steps, global_batch=weighed.micro * steps * working(plan),
        memory=memory_of(problem, weighed), limits=_limits(problem, weighed), speed=speed,
        price=price_of(one, rent, today), meets_deadline=one.meets, flags=flags_of(problem, weighed),
        configured=configured(problem, weighed), larger=larger(problem, weighed), checkpoint_bytes=use,
        resume_bytes=resume, why=tuple(_why(problem, one)),
    )  # fmt: skip


def memory_of(problem: Problem, one: Weighed) -> TrainingMemory:
    """What it holds against what there is."""
    total = int(one.needed + 0.999999)
    beside, ratio = reserved(one.phase)
    own = one.phase._replace(terms=tuple(term for term in one.phase.terms if not term.label.startswith(ENGINE)))
    parts = {part.name: part.bytes for part in parts_of(own)} | ({"vllm_reserved": int(beside)} if beside else {})
    return TrainingMemory(
        needed_bytes_per_gpu=total, low_bytes_per_gpu=min(one.low, total), high_bytes_per_gpu=max(one.high, total),
        usable_bytes_per_gpu=one.usable, parts=parts, generation_utilisation_ratio=ratio,
        host_bytes=one.host, host_high_bytes=host_most_bytes(one.host), drive_bytes=drive_bytes(one.plan, one.work),
        host_usable_bytes=problem.host_usable, surety=one.surety,
    )  # fmt: skip


def _limits(problem: Problem, one: Weighed) -> TrainingLimits:
    if problem.pictures:
        return TrainingLimits(max_micro_batch_size=most(one, "images", SAMPLES_MOST), max_sequence_tokens=None)
    shape = one.work.shape
    longest = max(min(shape.max_context or LONGEST_SAMPLE, LONGEST_SAMPLE), problem.sequence)
    pairs = max(one.work.micro_batch // one.micro, 1)
    batch = most(one, "micro_batch", SAMPLES_MOST * pairs)
    return TrainingLimits(
        max_micro_batch_size=batch // pairs if batch else None,
        max_sequence_tokens=most(one, "sequence", longest, WHOLE_TOKENS),
    )


def _why(problem: Problem, one: Timed) -> Iterator[str]:
    plan, weighed = one.plan, one.weighed
    spare = weighed.usable - weighed.needed
    if weighed.surety == "yes":
        sure = weighed.usable - weighed.high
        of_all = f"{format_bytes(spare)} of {format_bytes(weighed.usable)}"
        yield f"{of_all} a card stay free, {format_bytes(sure)} at the least."
    elif weighed.surety == "tight":
        yield f"By the estimate {format_bytes(spare)} a card stay free; at its upper end it does not fit."
    if plan.checkpointing == "full":
        yield "Activations are recomputed: about a third more computing for much less memory."
    if plan.sharding == "ddp" and plan.count > 1:
        yield "Each card holds everything and only gradients are exchanged."
    if plan.sharding in ("zero3", "fsdp"):
        yield "Weights are gathered for every layer, which needs a fast link between the cards."
    if plan.sharding == GRID:
        yield "Tensors stay within a machine, stages and experts cross machines: needs Megatron-LM, NeMo or the like."
    if plan.sharding == LAYERS:
        yield "Cards work in turn: as fast as one of them, with the memory of all."
    if plan.optimizer == "adamw_8bit":
        yield "Optimizer states at 8 bits, close to AdamW's results."
    if plan.optimizer == "adafactor":
        yield "Adafactor keeps no momentum: results may differ from AdamW's."
    if plan.precision == "bf16_pure":
        yield "No fp32 masters: small updates are rounded away; stochastic rounding or a larger step helps."
    if plan.task == "qlora":
        yield "The frozen base is 4 bit: slower than LoRA, results close to it."
    if weighed.host:
        yield f"{format_bytes(weighed.host)} of host memory a machine, and time on PCIe and the processor."
    beside, ratio = reserved(weighed.phase)
    if beside and ratio:
        shared = split_over(weighed.phase)
        over = f", its weights split over {shared} cards (tensor parallel)" if shared > 1 else ""
        yield (
            f"vLLM beside the trainer reserves {format_bytes(beside)} a card: utilisation {ratio:g} is assumed{over}; "
            "asleep while the policy learns (vllm_enable_sleep_mode) it frees most of that."
        )
    if problem.goal == "dpo":
        same = "adapters switched off are the reference" if plan.adapted else "a frozen reference lies beside"
        yield f"DPO: two answers a sample, {same}."
