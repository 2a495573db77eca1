"""The memory of a way: what the fullest card holds at the peak, and what goes to the host."""

from dataclasses import dataclass

from kb.constants.offloading import offloading
from tools.memory.adapters import adapter_params
from tools.memory.companions import ONE_BASE, REFERENCED
from tools.memory.diffusion import host_weights
from tools.memory.estimate import peak_phase, sharded_peak
from tools.memory.fit import verdict_of
from tools.memory.interval import interval
from tools.memory.term import Phase
from tools.memory.workload import Workload
from tools.ways_to_train.grids import GRID
from tools.ways_to_train.plan import LAYERS, Plan, accumulated, machines_of, micro_batches, working
from tools.ways_to_train.problem import Problem
from tools.ways_to_train.result import Surety

ADAPTER_BYTES = 16
"""Of a parameter of adapters on the host: an FP32 master, its gradient and two moments, as of any other."""
SURE = {"no": 0, "tight": 1, "yes": 2}


@dataclass(frozen=True, slots=True)
class Weighed:
    """A way with its micro-batch and its memory."""

    plan: Plan
    micro: int
    work: Workload
    phase: Phase
    needed: float
    low: int
    high: int
    host: int
    """Bytes of each machine's memory."""
    surety: Surety

    @property
    def usable(self) -> int:
        """Of the smallest card."""
        return self.plan.group.usable


def workload(problem: Problem, plan: Plan, micro: int) -> Workload:
    """The workload of one card under the plan."""
    base = problem.base(plan.task)
    pairs = 2 if problem.goal == "dpo" else 1
    dealt = plan.count if plan.sharding == LAYERS else plan.grid.stages
    sharded = {LAYERS: "none", GRID: "none" if plan.adapted else "zero1"}.get(plan.sharding, plan.sharding)
    return base._replace(
        engine=plan.engine, sharding=sharded, data=1 if plan.sharding == LAYERS else working(plan), pipeline=dealt,
        tensor=plan.grid.tensor, expert=plan.grid.experts, checkpointing=plan.checkpointing,
        optimizer=plan.optimizer, precision=plan.precision, offload="all" if plan.offload == "nvme" else plan.offload,
        micro_batch=micro * pairs,
        accumulation=accumulated(problem, plan, micro),
        card_bytes=plan.group.usable if problem.pictures else plan.group.gpu.memory_bytes if plan.group.gpu else 0,
        images=micro, activation_offload=base.activation_offload and plan.checkpointing == "full",
    )  # fmt: skip


def weigh(problem: Problem, plan: Plan, micro: int) -> Weighed:
    """The memory of a plan with this micro-batch."""
    work = workload(problem, plan, micro)
    phase = sharded_peak(work, peak_phase)
    low, high = interval(work, phase)
    host = host_bytes(problem, plan, work)
    surety = verdict_of(phase.bytes, high, plan.group.usable)
    if host and problem.host_usable is not None:
        on_host = verdict_of(host, host * offloading().slack_ratio.value, problem.host_usable)
        surety = min(surety, on_host, key=("no", "tight", "yes").index)
    return Weighed(plan, micro, work, phase, phase.bytes, low, high, host, surety)


def best_of(problem: Problem, plan: Plan) -> Weighed:
    """The largest micro-batch that surely fits; where none does, the smallest as it is.

    A whole batch at once holds no gradients of earlier parts of it, and is tried in any case: it may fit where less
    does not, and is the faster where both just fit.
    """
    best: Weighed | None = None
    full = False
    for micro in micro_batches(problem, working(plan), plan.adapted):
        if full and accumulated(problem, plan, micro) > 1:
            continue
        one = weigh(problem, plan, micro)
        whole = best is not None and accumulated(problem, plan, micro) == 1 and SURE[one.surety] >= SURE[best.surety]
        if best is None or one.surety == "yes" or (whole and one.surety != "no"):
            best = one
        full = full or one.surety != "yes"
    if best is None:
        raise AssertionError("every plan has a micro-batch")
    return best


def host_bytes(problem: Problem, plan: Plan, work: Workload) -> int:
    """What lies in each machine's memory: states, weights, or what a paged optimizer moves there.

    trained parameters · bytes / machines        (paged without sharding: · cards of a machine)

    The critic of PPO goes as the policy does; frozen models beside them only where weights do.
    """
    facts = offloading()
    params, machines = work.shape.params, machines_of(problem, plan)
    whole = plan.offload == "all"
    if problem.pictures and plan.adapted:  # the network that learns; latents and texts are encoded before
        return int(host_weights(work)[1] / machines) if whole else 0
    frozen, learning = _models(problem, plan, work)
    if plan.adapted:
        states = adapter_params(work) * ADAPTER_BYTES * learning
        return int((params * work.format.body_bits / 8 * learning + 2 * params * frozen + states) / machines) * whole
    if plan.offload == "nvme":
        return int(facts.nvme_host_bytes.value * max(plan.count / machines, 1))
    if plan.offload != "none":
        each = facts.optimizer_bytes if plan.offload == "optimizer" else facts.weights_bytes
        return int(params * (each.value * learning + 2 * frozen * whole) / machines)
    if plan.optimizer == "paged_adamw_8bit":
        copies = 1 if plan.sharding in ("zero1", "zero2", "zero3", "fsdp") else plan.count
        return int(params * facts.paged_bytes.value * learning * copies / machines)
    return 0


def _models(problem: Problem, plan: Plan, work: Workload) -> tuple[int, int]:
    """(frozen models of 16 bits beside, models that learn): a reference and a reward model, and the critic of PPO."""
    if problem.goal not in REFERENCED:
        return 0, 1
    reference = 0 if plan.adapted else 1
    if problem.goal != "ppo" or (plan.adapted and work.engine in ONE_BASE):
        return reference, 1
    return reference + 1, 2


def host_most_bytes(host: int) -> int:
    """Upper end of each machine's memory: pinned buffers, and the copies that loading makes, beside what lies there.

    Source: DeepSpeed's memory estimators, `additional_buffer_factor`.
    """
    return int(host * offloading().slack_ratio.value)


def drive_bytes(plan: Plan, work: Workload) -> int:
    """What lies on drives in all: weights and states of every parameter."""
    return int(work.shape.params * offloading().weights_bytes.value) if plan.offload == "nvme" else 0


def most(weighed: Weighed, field: str, limit: int, whole: int = 1) -> int | None:
    """The largest micro-batch, or longest sample, with which the estimate still fits, in whole steps of `whole`."""

    def fits(value: int) -> bool:
        work = weighed.work._replace(**{field: value})  # type: ignore[arg-type]
        return sharded_peak(work, peak_phase).bytes <= weighed.usable

    low, high = 0, max(limit // whole, 1)
    if fits(high * whole):
        return high * whole
    while high - low > max(low >> 5, 1):
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle * whole) else (low, middle)
    return low * whole or None
