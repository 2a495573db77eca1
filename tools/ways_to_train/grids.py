"""Grids of tensors, stages and experts (Megatron), by which large models are trained over several machines."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from tools.memory.shape import Shape
from tools.ways_to_train.problem import Group, Problem, Task

GRID = "grid"
"""Sharding of a plan that is laid out so."""
ENGINE = "megatron"
TENSORS, STAGES, EXPERTS = (1, 2, 4, 8), (1, 2, 4, 8, 16), (1, 2, 4, 8, 16, 32, 64)
HELD_BYTES = 18
"""Of a parameter whose gradients are kept in FP32: weights 2, gradients 4, AdamW 12."""
MIXTURE_PARAMS = 50_000_000_000
"""Weights of a mixture from which its makers train it in grids."""
GOALS = ("sft", "pretrain")


class Grid(NamedTuple):
    """Cards that share every layer, stages of layers, and cards of the copies that share the experts."""

    tensor: int = 1
    stages: int = 1
    experts: int = 1

    @property
    def of_a_copy(self) -> int:
        """Cards of one copy."""
        return self.tensor * self.stages

    @property
    def said(self) -> str:
        """As people write it."""
        parts = (("TP", self.tensor), ("PP", self.stages), ("EP", self.experts))
        return " ".join(f"{name} {ways}" for name, ways in parts if ways > 1) or "data parallel"


ONE_CARD_EACH = Grid()
"""No grid: every card by itself."""


def fits_in_grids(problem: Problem, task: Task, group: Group) -> bool:
    """Whether such a run is laid out in grids: over several machines of one card, by a model whose weights and states
    one of them does not hold, by a large mixture, whose experts plain trainers gather over the network and compute one
    by one, or by a program that was named for it. What was fixed otherwise keeps it out.
    """
    shape = problem.base(task).shape
    held = (2 if task == "lora" else HELD_BYTES) * shape.params
    large = held > max(group.count // problem.nodes, 1) * group.usable
    large = large or (shape.experts is not None and shape.params >= MIXTURE_PARAMS)
    fixed = (problem.sharding, None if problem.gridded else problem.engine)
    plain = problem.optimizer in (None, "adamw") and problem.offload in (None, "none")
    able = group.gpu is not None and not group.unlike and group.gpu.market in ("data_center", "cloud_only")
    wide = problem.precision != "bf16_pure" and task != "qlora" and not problem.pictures
    return (
        able
        and plain
        and wide
        and (large or problem.gridded)
        and not any(fixed)
        and problem.nodes > 1
        and problem.goal in GOALS
    )


def grids(shape: Shape, count: int, each: int) -> Iterator[Grid]:
    """Grids over `count` cards, `each` in a machine: tensors stay within a machine and divide the heads, experts are
    dealt out over copies, stages hold whole layers."""
    experts = shape.experts.experts if shape.experts else 1
    for tensor in TENSORS:
        if tensor > each or each % tensor or (shape.heads or 1) % tensor:
            continue
        for stages in STAGES:
            copies, left = divmod(count, tensor * stages)
            if left or not copies or stages > shape.layers:
                continue
            found = [ways for ways in EXPERTS if ways <= copies and copies % ways == 0 and experts % ways == 0]
            yield from (Grid(tensor, stages, ways) for ways in found[-2:])


def flags(grid: Grid, micro: int, batch: int, sequence: int, *, recomputed: bool) -> dict[str, Any]:
    """Options of Megatron-LM's pretrain_gpt.py."""
    told: dict[str, Any] = {
        "--tensor-model-parallel-size": grid.tensor, "--pipeline-model-parallel-size": grid.stages,
        "--use-distributed-optimizer": True, "--micro-batch-size": micro, "--global-batch-size": batch,
        "--seq-length": sequence, "--bf16": True,
    }  # fmt: skip
    if grid.experts > 1:
        told["--expert-model-parallel-size"] = grid.experts
    if grid.tensor > 1:
        told["--sequence-parallel"] = True
    if recomputed:
        told |= {"--recompute-granularity": "full", "--recompute-method": "uniform", "--recompute-num-layers": 1}
    return told
