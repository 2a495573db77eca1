"""What would help: one change of the request at a time, searched anew, told with what comes of it."""

import math
from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

from kb.base import AdvisorError
from kb.catalog import gpus
from kb.constants.offloading import offloading
from kb.lexicon import CardCount
from kb.units import GIB, TIB, format_bytes
from tools.base import Scalar
from tools.memory.fit import COMMON_GPUS, NODE
from tools.ways_to_train.plan import ADAPTERS, LAYERS, machines_of
from tools.ways_to_train.price import Rent, price_of
from tools.ways_to_train.problem import NAMES, Problem, problem_of
from tools.ways_to_train.reckon import figure, length
from tools.ways_to_train.request import WaysToTrainRequest
from tools.ways_to_train.result import TrainingChange
from tools.ways_to_train.search import HOST, Found, Timed, search
from tools.ways_to_train.tell import SAID, WHOLE_TOKENS, cards
from tools.ways_to_train.weigh import most

FIXED = ("optimizer", "gradient_checkpointing", "sharding", "precision", "offload", "micro_batch_size", "engine")
"""What a person may have fixed, and may leave open."""
OWN_LOSS = ("unsloth",)
"""Trainers whose loss never holds the logits whole: nothing is left to turn on."""
SHORTEST = 256
ENOUGH_HOST = 64 * TIB
WORTH = 1.1
"""A change that only makes it faster is told from this factor on."""
MORE_MOST, ADMITTING_MOST = 64, 1024
"""Cards that are tried where it would only be better, and where nothing fits."""
TOLD = 6


Costs = Literal["nothing", "quality", "length", "speed", "money"]


class Option(NamedTuple):
    """A change that may be tried."""

    change: str
    field: str
    value: Scalar
    updates: dict[str, Any]
    costs: Costs


class Tried(NamedTuple):
    """What a change came to."""

    option: Option
    problem: Problem
    best: Timed


def changes_of(
    request: WaysToTrainRequest, problem: Problem, found: Found, rent: Rent | None
) -> tuple[TrainingChange, ...]:
    """Changes after which it fits where nothing does, is on time where nothing is, or is better; cheapest first."""
    best = found.ways[0] if found.ways else None
    helps = _helps(problem, best)
    if best is not None and request.method is None:
        # What was not said is settled by the best way: changes keep to it.
        request = request.model_copy(update={"method": NAMES[best.plan.task]})
    tried = _tried(request, problem, found, helps)
    return tuple(_told(one, rent, request) for one in tried[:TOLD])


def _helps(problem: Problem, best: Timed | None) -> Callable[[Timed], bool]:
    """Whether a way is worth changing something for."""
    if best is None or (best.meets is False):
        return lambda one: one.meets is not False
    if best.plan.concession >= HOST:
        return lambda one: one.plan.concession < HOST or one.rate > WORTH * best.rate
    if best.weighed.surety == "tight":
        return lambda one: one.weighed.surety == "yes" or one.rate > WORTH * best.rate
    return lambda one: one.rate > WORTH * best.rate


def _tried(request: WaysToTrainRequest, problem: Problem, found: Found, helps: Callable[[Timed], bool]) -> list[Tried]:
    kept: list[Tried] = []
    series = _series(request, problem, found)
    for options in series:
        for option in options:
            one = _try(request, option)
            if one is not None and helps(one.best):
                kept.append(one)
                break
    return kept


def _try(request: WaysToTrainRequest, option: Option) -> Tried | None:
    try:
        problem = problem_of(request.model_copy(update=option.updates))
        ways = search(problem).ways
    except AdvisorError:
        return None
    return Tried(option, problem, ways[0]) if ways else None


def _series(request: WaysToTrainRequest, problem: Problem, found: Found) -> Iterator[Iterator[Option]]:
    """Rows of options, of which the first that helps is told."""
    best = found.ways[0] if found.ways else None
    lacking = best is None or best.weighed.surety == "tight" or best.plan.concession >= HOST
    yield from (iter((option,)) for option in _opened(request))
    yield _fused(request, problem)
    if lacking:
        yield _methods(problem, request, found)
    if lacking and found.barred is None:
        yield _shorter(problem, found)
    if best is None and found.barred is None:
        yield _host(problem)
        yield _drive(problem)
    if best is not None and best.meets is False:
        yield _fewer_passes(problem, best)
    if best is not None:
        yield _kernels(request, problem, best)
    yield _more_cards(request, problem, _short_of(problem, best), MORE_MOST if best else ADMITTING_MOST)
    yield _larger_card(request, problem, found, _short_of(problem, best))


def _short_of(problem: Problem, best: Timed | None) -> float:
    """How many times as fast it must be to be on time; 1 = it is, or none is set."""
    if best is None or best.meets is not False or best.pace is None or best.pace.time is None or not problem.deadline:
        return 1.0
    return best.pace.time.value / problem.deadline


def _opened(request: WaysToTrainRequest) -> Iterator[Option]:
    for field in FIXED:
        if getattr(request, field) is not None:
            yield Option(f"leave {field} open", field, None, {field: None}, "nothing")


def _fused(request: WaysToTrainRequest, problem: Problem) -> Iterator[Option]:
    macs = all(group.gpu is not None and group.gpu.vendor == "Apple" for group in problem.groups)
    # The kernels are Triton's, which has no backend for Apple silicon.
    if not request.fused_loss and not problem.pictures and problem.engine not in OWN_LOSS and not macs:
        said = "take a fused loss (Liger kernel, Unsloth), which keeps the logits out of memory"
        yield Option(said, "fused_loss", True, {"fused_loss": True}, "nothing")


def _methods(problem: Problem, request: WaysToTrainRequest, found: Found) -> Iterator[Option]:
    """Adapters instead of all weights; a four-bit base below them."""
    if len(problem.tasks) > 1 or problem.goal == "pretrain":
        return
    goal = problem.goal if problem.goal != "sft" else ""
    narrower = {"full_finetune": ("lora", "qlora"), "lora": ("qlora",)}.get(problem.tasks[0], ())
    if found.barred is not None and problem.tasks[0] == "qlora":
        narrower = ("lora",)
    for task in narrower:
        wide = "adapters on a 16-bit base" if problem.tasks[0] == "qlora" else "adapters instead of all weights"
        lesser = {"lora": wide, "qlora": "adapters on a 4-bit base"}[task]
        updates = {"method": f"{goal} {task}".strip(), "optimizer": None, "offload": None, "precision": None}
        yield Option(f"{SAID[task]}: {lesser}", "method", updates["method"], updates, "quality")


def _shorter(problem: Problem, found: Found) -> Iterator[Option]:
    """The longest sample that the nearest way holds, then halves of what was asked."""
    if problem.pictures:
        return
    longest = most(found.nearest, "sequence", problem.sequence, WHOLE_TOKENS) if found.nearest else None
    lengths = [longest or 0, *(problem.sequence >> power for power in range(1, 8))]
    for tokens in sorted({one for one in lengths if SHORTEST <= one < problem.sequence}, reverse=True):
        said = f"cut samples to {tokens:,} tokens"
        yield Option(said, "sequence_tokens", tokens, {"sequence_tokens": float(tokens)}, "length")


def _host(problem: Problem) -> Iterator[Option]:
    if problem.host_usable is not None and problem.offload != "none":
        said = "more memory in the machine, for offloading"
        updates = {"host_memory": None, "host_memory_bytes": ENOUGH_HOST}
        yield Option(said, "host_memory_bytes", None, updates, "money")


def _drive(problem: Problem) -> Iterator[Option]:
    """Weights and states of all parameters on a drive, where the host does not hold them (ZeRO-Infinity)."""
    whole = problem.tasks[0] not in ADAPTERS and not problem.pictures
    if whole and problem.host_usable is not None and problem.offload in ("all", "optimizer"):
        updates = {"offload": "nvme", "sharding": "zero3", "optimizer": None}
        yield Option("weights and states on an NVMe drive (ZeRO-Infinity)", "offload", "nvme", updates, "speed")


def _fewer_passes(problem: Problem, best: Timed) -> Iterator[Option]:
    """So much of the data as is done in time."""
    time = best.pace.time.value if best.pace and best.pace.time else None
    if time and problem.deadline and problem.tokens:
        ratio = math.floor(problem.deadline / time * 100) / 100
        if ratio > 0:
            epochs = problem.epochs * ratio
            yield Option(f"{epochs:.3g} epochs instead of {problem.epochs:g}", "epochs", epochs, {"epochs": epochs},
                         "quality")  # fmt: skip


def _kernels(request: WaysToTrainRequest, problem: Problem, best: Timed) -> Iterator[Option]:
    nvidia = best.plan.group.gpu is not None and best.plan.group.gpu.vendor == "NVIDIA"
    if request.engine is None and best.plan.adapted and nvidia and not problem.pictures:
        yield Option("train with Unsloth's kernels", "engine", "unsloth", {"engine": "unsloth"}, "nothing")


def _more_cards(request: WaysToTrainRequest, problem: Problem, short_of: float, limit: int) -> Iterator[Option]:
    """One more of the largest kind, then as many as servers come with."""
    if request.cards is None:
        return
    kind = max(request.cards, key=lambda one: (one.count, one.memory_bytes or 0))
    rest = [one for one in request.cards if one is not kind]
    if kind.gpu is not None and gpus()[kind.gpu].market in ("laptop", "apu", "module"):
        return
    for count in sorted({kind.count + 1, *(kind.count * 2**power for power in range(1, 11))}):
        if count > max(limit, 2 * kind.count):
            return
        if count < kind.count * short_of:
            continue
        nodes = max(problem.nodes, -(-count // NODE)) if not rest else problem.nodes
        if count % nodes:
            continue
        more = (*rest, kind.model_copy(update={"count": count}))
        said = f"{count} × {kind.name} instead of {kind.count}"
        yield Option(said, "cards", f"{count}x {kind.gpu or kind.name}", {"cards": more, "nodes": nodes}, "money")


def _larger_card(request: WaysToTrainRequest, problem: Problem, found: Found, short_of: float) -> Iterator[Option]:
    """As many of a card with more memory, or a faster one: the smallest first."""
    largest = max(problem.groups, key=lambda group: group.usable)
    count = max(group.count for group in problem.groups)
    needed = found.nearest.needed if found.nearest else 0.0
    rate = max((gpu_rate(group.gpu.id) for group in problem.groups if group.gpu), default=0.0)
    common = [gpus()[key] for key in COMMON_GPUS if key in gpus()]
    for gpu in sorted(common, key=lambda one: (one.usable_bytes, gpu_rate(one.id))):
        larger = (
            gpu.usable_bytes > max(largest.usable, needed)
            if found.nearest
            else gpu_rate(gpu.id) > max(WORTH, short_of / 2) * rate
        )
        if larger and gpu.usable_bytes >= largest.usable:
            one = CardCount(gpu=gpu.id, count=count, name=gpu.name)
            updates = {"cards": (one,), "memory_taken": None, "rents": None}
            yield Option(f"{count} × {gpu.name}", "cards", f"{count}x {gpu.id}", updates, "money")


def gpu_rate(key: str) -> float:
    """The card's 16-bit matrix rate; 0 = not stated."""
    gpu = gpus()[key]
    return float(gpu.bf16_flops or gpu.fp16_flops or gpu.fp32_flops or 0.0)


def _told(one: Tried, rent: Rent | None, request: WaysToTrainRequest) -> TrainingChange:
    best, option = one.best, one.option
    own = rent if option.field != "cards" or best.plan.group.gpu in _held(request) else None
    price = price_of(best, own, request.today)
    cost = price.run_cost.value if price and price.run_cost else None
    change, value = option.change, option.value
    if option.field == "host_memory_bytes":
        value = math.ceil(best.weighed.host * offloading().slack_ratio.value / GIB) * GIB
        change = f"at least {format_bytes(value, 0)} of memory in each machine, for offloading"
    return TrainingChange(
        change=change, field=option.field, value=value, effect=_effect(one, cost, price.currency if price else ""),
        surety=best.weighed.surety, needed_bytes_per_gpu=int(best.weighed.needed),
        tokens_per_s=best.rate or None, time_s=best.pace.time.value if best.pace and best.pace.time else None,
        run_cost=cost, costs=option.costs,
    )  # fmt: skip


def _held(request: WaysToTrainRequest) -> list[Any]:
    return [gpus()[one.gpu] for one in request.cards or () if one.gpu]


def _slowed(one: Tried) -> Iterator[str]:
    """Why a plan is no faster for its cards: one computes at a time, or all wait for what is sent."""
    best = one.best
    if best.plan.sharding == LAYERS and best.plan.count > 1:
        yield "layers dealt out (device_map), so one card computes at a time"
    elif best.pace and best.pace.bound == "link":
        machines = machines_of(one.problem, best.plan)
        between = f"the network between {machines} machines" if machines > 1 else "the link between the cards"
        yield f"held up by {between}"
    elif best.pace and best.pace.bound == "offload":
        yield "held up by what goes to host memory and back"


def _effect(one: Tried, cost: float | None, currency: str) -> str:
    best = one.best
    weighed = best.weighed
    held = f"{format_bytes(weighed.needed)} of {format_bytes(weighed.usable)}"
    tight = " (tight)" if weighed.surety == "tight" else ""
    words = [f"{SAID[best.plan.task]} on {cards(best.plan)}: {held} a card{tight}"]
    if best.rate:
        words.append(f"{figure(best.rate)} {'pictures' if one.problem.pictures else 'tokens'}/s")
    words += _slowed(one)
    if best.pace and best.pace.time:
        words.append(length(best.pace.time.value))
    if cost is not None:
        words.append(f"{figure(cost)} {currency}")
    if weighed.host and one.problem.host_usable is None:
        words.append(f"{format_bytes(weighed.host)} of host memory a machine")
    return ", ".join(words) + "."
