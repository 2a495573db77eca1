"""A way in the shape it is answered in."""

from collections.abc import Iterator, Sequence
from datetime import date

from kb.units import format_bytes
from tools.memory.companions import ENGINE, reserved
from tools.memory.diffusion import swapped_ratio
from tools.memory.term import parts_of
from tools.ways_to_train.flags import flags_of
from tools.ways_to_train.pace import accumulation
from tools.ways_to_train.plan import LAYERS, Plan
from tools.ways_to_train.price import Rent, price_of
from tools.ways_to_train.problem import NAMES, Problem
from tools.ways_to_train.result import (
    TrainingCards,
    TrainingLimits,
    TrainingMemory,
    TrainingSpeed,
    TrainingWay,
)
from tools.ways_to_train.search import Timed
from tools.ways_to_train.weigh import Weighed, most

SHOWN = 6
"""Ways that are told."""
LONGEST_SAMPLE = 1 << 18
SAMPLES_MOST = 256
WHOLE_TOKENS = 128
SAID = {"full_finetune": "full", "pretrain": "pre-training", "lora": "LoRA", "qlora": "QLoRA"}
SHARDED = {"ddp": "DDP", "zero1": "ZeRO-1", "zero2": "ZeRO-2", "zero3": "ZeRO-3", "fsdp": "FSDP",
           LAYERS: "layers dealt out (device_map)"}  # fmt: skip
OPTIMIZED = {"adamw": "AdamW", "adamw_8bit": "8-bit AdamW", "paged_adamw_8bit": "paged 8-bit AdamW",
             "adafactor": "Adafactor"}  # fmt: skip


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
        words.append(SHARDED[plan.sharding])
    if problem.pictures and plan.offload == "all":
        words.append(f"{100 * swapped_ratio(one.work):.0f} % of the blocks swapped with the host")
    elif plan.offload != "none":
        words.append("states on the host" if plan.offload == "optimizer" else "states and weights on the host")
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


def way_of(problem: Problem, one: Timed, rent: Rent | None, today: date | None) -> TrainingWay:
    """The way with its memory, limits, speed, price, settings and what speaks for it."""
    weighed, plan, pace = one.weighed, one.plan, one.pace
    speed = None
    if pace is not None:
        speed = TrainingSpeed(
            tokens_per_s=None if problem.pictures else pace.rate, samples_per_s=pace.rate if problem.pictures else None,
            time_s=pace.time, gpu_hours=pace.hours, generation_s=pace.generation_s, bound=pace.bound,
            model_flops_utilisation=pace.utilisation,
        )  # fmt: skip
    steps = accumulation(problem, weighed)
    working = 1 if plan.sharding == LAYERS else plan.count
    return TrainingWay(
        title=title(problem, weighed), method=NAMES[plan.task],
        cards=TrainingCards(gpu=plan.group.gpu.id if plan.group.gpu else None, name=plan.group.name, count=plan.count),
        sharding=plan.sharding, gradient_checkpointing=plan.checkpointing, optimizer=plan.optimizer,
        precision=plan.precision, offload=plan.offload, weight_format=weighed.work.format.name, engine=plan.engine,
        micro_batch_size=weighed.micro, accumulation=steps, global_batch=weighed.micro * steps * working,
        memory=memory_of(problem, weighed), limits=_limits(problem, weighed), speed=speed,
        price=price_of(one, rent, today), meets_deadline=one.meets, flags=flags_of(problem, weighed),
        why=tuple(_why(problem, one)),
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
        host_bytes=one.host, host_usable_bytes=problem.host_usable, surety=one.surety,
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
        yield f"vLLM beside the trainer reserves {format_bytes(beside)} a card: utilisation {ratio:g} is assumed."
    if problem.goal == "dpo":
        same = "adapters switched off are the reference" if plan.adapted else "a frozen reference lies beside"
        yield f"DPO: two answers a sample, {same}."
