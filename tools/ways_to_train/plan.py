"""One way to train, as the search forms it: what is chosen, and in which order choices concede something."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from kb.programs.launch import launch_facts
from kb.programs.software import Rule, features
from tools.ways_to_train.grids import ENGINE as MEGATRON
from tools.ways_to_train.grids import GRID, ONE_CARD_EACH, Grid, fits_in_grids, grids
from tools.ways_to_train.problem import Group, Problem, Task

Concession = Literal[0, 1, 2, 3, 4]
"""What a way gives up: 0 nothing, 1 exactness of weights or states, 2 states go to the host, 3 weights as well."""
SHARDS = ("none", "ddp", "zero1", "zero2", "zero3", "fsdp")
ADAPTERS = ("lora", "qlora")
LAYERS = "layers"
"""The layers dealt out over the cards, which work in turn (device_map)."""
MACHINE_MOST = 16
"""Cards that one machine holds at the most, where its number was not stated."""
EIGHT_BIT = ("adamw_8bit", "paged_adamw_8bit")
"""Optimizers of bitsandbytes."""
ONE_CARD = ("unsloth",)
"""Trainers that keep the whole model on each card."""
SHARDED_BY = {"deepspeed": ("zero1", "zero2", "zero3"), "fsdp": ("fsdp",), "torchtune": ("fsdp",), "litgpt": ("fsdp",),
              "unsloth": ()}  # fmt: skip
"""Sharding that a trainer has of its own; the others wrap both."""
OFFLOADING = {"lora": ("zero3", "fsdp"), "qlora": ("fsdp",)}
"""Sharding that keeps a frozen base in host memory; a 4-bit one only FSDP does, by `bnb_4bit_quant_storage`.

Source: Answer.AI, "You can now train a 70b language model at home" (https://www.answer.ai/posts/2024-03-06-fsdp-qlora.html)
and PEFT's guide to FSDP (https://huggingface.co/docs/peft/accelerate/fsdp).
"""
USUAL_TOKENS = 4096
"""Tokens at once that recipes of adapters take: two samples of 2,048, and more of them accumulated.

Source: Unsloth, benchmarks, batches of 2 and 4 accumulated (https://docs.unsloth.ai/basics/unsloth-benchmarks).
"""
PRETRAIN_TOKENS = 524_288
"""Tokens of a step of pre-training, where no batch was stated."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything chosen but the micro-batch."""

    task: Task
    group: Group
    count: int
    sharding: str
    checkpointing: str
    optimizer: str
    precision: str
    offload: str
    engine: str
    """The trainer whose memory is counted."""
    grid: Grid = ONE_CARD_EACH
    """How a copy is cut, where `sharding` is GRID."""

    @property
    def concession(self) -> Concession:
        """What it gives up."""
        if self.offload in ("all", "nvme"):
            return 4
        if self.offload == "optimizer" or self.optimizer == "paged_adamw_8bit":
            return 3
        if self.precision == "bf16_pure" or self.optimizer == "adafactor":
            return 2
        return 1 if self.optimizer == "adamw_8bit" else 0

    @property
    def complexity(self) -> int:
        """How much there is to set up: more processes, sharding, other optimizers, the host."""
        shards = {"none": 0, LAYERS: 1, GRID: 6, "ddp": 1, "zero1": 2, "zero2": 2, "fsdp": 3, "zero3": 3}[self.sharding]
        states = {"adamw": 0, "adamw_8bit": 1}.get(self.optimizer, 2)
        return shards + states + 2 * (self.precision == "bf16_pure") + 3 * (self.offload != "none")

    @property
    def adapted(self) -> bool:
        """Whether only adapters are trained."""
        return self.task in ADAPTERS


def plans(problem: Problem, task: Task) -> Iterator[Plan]:
    """Every combination of what is not fixed, those that concede least first."""
    found = [
        Plan(task, group, count, sharding, checkpointing, optimizer, precision, offload, engine)
        for group in problem.groups
        for count, sharding, engine in _layouts(problem, task, group)
        for optimizer, precision, offload in _states(problem, task, group, sharding)
        for checkpointing in _recomputing(problem)
        if _runs(problem, sharding, offload, count)
        and barred(group, task, optimizer) is None
        and not (problem.engine == "llama-factory" and precision == "bf16_pure" and sharding == "zero3")  # it refuses
    ]
    found += _in_grids(problem, task)
    yield from sorted(found, key=lambda plan: plan.concession)


def _in_grids(problem: Problem, task: Task) -> Iterator[Plan]:
    """All cards in grids of tensors, stages and experts, where several machines train."""
    for group in problem.groups:
        if fits_in_grids(problem, task, group):
            half = "fp16" if group.gpu is not None and group.gpu.half == "fp16" else "bf16"
            for grid in grids(problem.base(task).shape, group.count, max(group.count // problem.nodes, 1)):
                yield Plan(task, group, group.count, GRID, problem.checkpointing or "full", "adamw", half, "none",
                           MEGATRON, grid)  # fmt: skip


def barred(group: Group, task: Task, optimizer: str | None = None) -> Rule | None:
    """What keeps a 4-bit base, or 8-bit states, from these cards: bitsandbytes has no kernels for them."""
    if task != "qlora" and (optimizer or "") not in EIGHT_BIT:
        return None
    for gpu in group.unlike or ((group.gpu,) if group.gpu else ()):
        rule = features()["bitsandbytes"].rule(gpu)
        if rule is not None and rule.verdict == "does_not":
            return rule
    return None


def _recomputing(problem: Problem) -> tuple[str, ...]:
    return (problem.checkpointing,) if problem.checkpointing else ("none", "full")


def _layouts(problem: Problem, task: Task, group: Group) -> Iterator[tuple[int, str, str]]:
    """(cards, sharding, trainer) that can be set up."""
    for count in counts_of(problem, group):
        for sharding in _shards(problem, task, count):
            if _asked_for(problem, sharding, group):
                yield count, sharding, _engine(problem, sharding)


def _asked_for(problem: Problem, sharding: str, group: Group) -> bool:
    """Whether a way of spreading is what was asked: dealt-out layers are not sharded, a lone card shards nothing."""
    wanted = problem.sharding
    if wanted in (None, sharding) or (wanted == "none" and sharding == LAYERS):
        return True
    return sharding == "none" and group.count == 1


def counts_of(problem: Problem, group: Group) -> list[int]:
    """All cards, as many as one link joins, halves and halves of them, down to one; whole machines beyond one."""
    joined = group.gpu.link_cards if group.gpu and group.gpu.nvlink_bytes_per_s else None
    wanted = [group.count, joined or 1, *(group.count >> power for power in range(1, 20)), 1]
    each = max(group.count // problem.nodes, 1)
    return sorted({one for one in wanted if 1 <= one <= group.count and (one <= each or one % each == 0)}, reverse=True)


def machines_of(problem: Problem, plan: Plan) -> int:
    """Machines that the cards of a plan are in."""
    return -(-plan.count // max(plan.group.count // problem.nodes, 1))


def _shards(problem: Problem, task: Task, count: int) -> Iterator[str]:
    own = SHARDED_BY.get(problem.engine or "", SHARDS)
    if count == 1:
        yield "none"
        asked = problem.sharding in ("zero2", "zero3") and problem.offload in ("optimizer", "all")
        yield from (one for one in ("zero2", "zero3") if one in own and (task not in ADAPTERS or asked))
        return
    yield "ddp"
    if problem.pictures:
        yield from (one for one in ("fsdp",) if one in own and task not in ADAPTERS)
        return
    if task not in ADAPTERS or problem.sharding in ("zero1", "zero2"):
        # Of adapters they divide states that are small anyway: taken where they are asked for.
        yield from (one for one in ("zero1", "zero2") if one in own)
    yield from (one for one in ("zero3", "fsdp") if one in own)
    if task in ADAPTERS and problem.engine not in ("deepspeed", "fsdp", "torchtune", *ONE_CARD):
        yield LAYERS


def _engine(problem: Problem, sharding: str) -> str:
    if problem.engine:
        return problem.engine
    if problem.pictures:
        return "diffusers"
    return "deepspeed" if sharding.startswith("zero") else "fsdp" if sharding == "fsdp" else "peft"


def _states(problem: Problem, task: Task, group: Group, sharding: str) -> Iterator[tuple[str, str, str]]:
    """(optimizer, precision, offload)."""
    for optimizer, precision, offload in _every_state(problem, task, group, sharding):
        wanted_states = None if on_host_instead(problem, task, offload) else problem.optimizer
        fixed = ((wanted_states, optimizer), (problem.precision, precision), (problem.offload, offload))
        if all(wanted in (None, chosen) for wanted, chosen in fixed):
            yield optimizer, precision, offload


def on_host_instead(problem: Problem, task: Task, offload: str) -> bool:
    """Whether AdamW of the host stands for states of eight bits that were asked for: bitsandbytes steps on the card.

    Of adapters always where weights leave the card; of all weights where offloading was asked for as well. Source:
    Axolotl, `check_fsdp_offload_w_8bit_optimizer`; DeepSpeed, `zero_force_ds_cpu_optimizer`.
    """
    asked = task in ADAPTERS or problem.offload is not None
    return problem.optimizer in EIGHT_BIT and offload != "none" and asked


def _every_state(problem: Problem, task: Task, group: Group, sharding: str) -> Iterator[tuple[str, str, str]]:
    lacks = group.gpu is not None and group.gpu.half == "fp16" and problem.precision is None
    half = "fp16" if lacks or problem.precision == "fp16" else "bf16"
    if task in ADAPTERS:
        # States of adapters are small: another optimizer saves nothing worth naming.
        yield from ((one, half, "none") for one in ("adamw", *_asked(problem, "adamw")))
        if sharding in OFFLOADING[task] and not problem.pictures:
            others = (one for one in _asked(problem, "adamw") if one not in EIGHT_BIT)
            yield from ((one, half, "all") for one in ("adamw", *others))
        if sharding in ("zero2", "zero3") and problem.offload == "optimizer":
            yield "adamw", half, "optimizer"  # of adapters they are small: only where it is asked for
        if problem.pictures:
            yield "adamw", half, "all"
        return
    for optimizer in ("adamw", "adamw_8bit", "adafactor", "paged_adamw_8bit"):
        if optimizer == "paged_adamw_8bit" and sharding == "fsdp" and problem.optimizer is None:
            continue  # bitsandbytes' kernels do not take FSDP 2's shards, and torchao's states are not paged
        yield optimizer, half, "none"
        if not lacks and (problem.precision == "bf16_pure" or problem.optimizer != "adamw"):
            # AdamW that somebody named is AdamW with FP32 masters: without them it is told as a change.
            yield optimizer, "bf16_pure", "none"
    if problem.pictures:
        return
    if sharding in ("zero2", "zero3"):
        yield "adamw", half, "optimizer"
    if sharding in ("zero3", "fsdp"):
        yield "adamw", half, "all"
    if sharding == "zero3" and problem.offload == "nvme":
        yield "adamw", half, "nvme"  # a drive is slower than any host: only where it is asked for


def _asked(problem: Problem, usual: str) -> tuple[str, ...]:
    return (problem.optimizer,) if problem.optimizer not in (None, usual) else ()


def _runs(problem: Problem, sharding: str, offload: str, count: int) -> bool:
    """Whether a trainer runs it: a lone card shards only what it sends to the host, and one process deals out layers,
    which reaches the cards of its own machine."""
    each = max(one.count for one in problem.groups) // problem.nodes
    if sharding == LAYERS and count > min(max(each, 1), MACHINE_MOST):
        return False
    return offload != "none" or count > 1 or sharding not in ("zero2", "zero3")


def batch_of(problem: Problem, count: int) -> int:
    """Samples of a step: as stated, as many on every card; else usual, at least one a card."""
    if problem.batch:
        return -(-problem.batch // count) * count
    usual = launch_facts().training.global_batch
    if problem.goal == "pretrain":
        usual = max(usual, PRETRAIN_TOKENS // problem.sequence)
    return max(usual, count)


def working(plan: Plan) -> int:
    """Cards that compute samples of their own; dealt-out layers are one card's worth, a copy in a grid as well."""
    return 1 if plan.sharding == LAYERS else plan.count // plan.grid.of_a_copy


def accumulated(problem: Problem, plan: Plan, micro: int) -> int:
    """Micro-batches of one step on each card."""
    return max(-(-batch_of(problem, working(plan)) // (micro * working(plan))), 1)


def micro_batches(problem: Problem, count: int, adapted: bool = False) -> Iterator[int]:
    """Samples each of `count` working cards may compute at once: powers of two within the batch and the usual most.

    A stated batch is kept: only sizes that divide a card's share of it. So is a stated size, as far as that share goes.
    Of adapters, whose states are small, it is the samples that decide the memory: recipes take one or two of usual
    length at once and accumulate, and so does this where none was stated.
    """
    share = max(batch_of(problem, count) // count, 1)
    if problem.micro:
        fits = (one for one in range(min(problem.micro, share), 0, -1) if share % one == 0)
        yield next(fits) if problem.batch else problem.micro
        return
    most = launch_facts().training.micro_batch_max
    if not problem.pictures:
        most = max(
            most, most * launch_facts().training.sequence_tokens // problem.mean
        )  # short samples: as many tokens
    most = min(share, most)
    if adapted:
        most = min(most, max(USUAL_TOKENS // problem.sequence, 1))
    size = 1
    while size <= most:
        if not problem.batch or share % size == 0:
            yield size
        size *= 2
    if problem.batch and share <= most and share & (share - 1):
        yield share
