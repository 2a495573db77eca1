"""The speed of a way as people meet it: from a tuned run, over the first attempt, down to what slows that."""

import math
from dataclasses import replace

from kb.constants.first_runs import first_runs
from tools.speed.interval import times
from tools.speed.result import Interval
from tools.ways_to_train.grids import GRID
from tools.ways_to_train.pace import Pace, run_of, token_pace
from tools.ways_to_train.problem import Problem
from tools.ways_to_train.weigh import Weighed

COMPILED, PLAIN = "fsdp", "transformers"
"""A program that compiles, and one that runs models kernel by kernel."""
RECIPES = ("torchtune", "litgpt", "unsloth", "llama-factory", "axolotl")
"""Programs that come with configurations: fused attention, loaders and batches are theirs, not a script's."""
WRAPPERS = (None, "deepspeed", "fsdp")
"""Under these, models run as Hugging Face writes them, unless somebody compiles them."""


def as_first_set_up(problem: Problem, one: Weighed, pace: Pace | None) -> Pace | None:
    """The pace with the interval of practice: the tuned run is its quick end, the first attempt its middle.

        value = min(the way's own, small batches padded to the longest, kernel by kernel, by ZeRO-3 / beside ratio)
        slow end = value / up ratio, and no faster than experts in a loop        quick end = compiled, samples packed

    Of pre-training, whose samples are packed, only a program that was not named is open; of pictures and on Macs
    nothing is changed.
    """
    packed = problem.goal == "pretrain"
    if one.plan.sharding == GRID:
        return pace  # whoever lays a grid out packs and tunes it, and so were those measured
    if pace is None or pace.paced is None or (packed and problem.engine is not None):
        return pace
    facts = first_runs()
    plain, compiled = (PLAIN, COMPILED) if problem.engine in WRAPPERS else (problem.engine, problem.engine)
    attempt = one if packed else _first_attempt(problem, one)
    longest = problem.sequence / problem.mean if problem.counted else math.inf
    padded = 1.0 if packed else facts.padded(attempt.micro, longest)
    first, quick = _rate(problem, attempt, plain, padded), _rate(problem, one, compiled)
    value = pace.rate.value if packed else min(pace.rate.value, first.value / facts.beside_ratio.value)
    slow = min(first.low if packed else value / up_ratio(problem), pace.rate.low)
    if pace.paced.job.arch.moe and not packed:
        slow = min(slow, _rate(problem, one, plain, facts.padded(one.micro, longest), in_turn=True).value)
    rate = Interval(value=value, low=slow, high=max(pace.rate.high, quick.high))
    time, hours, generation = run_of(problem, one, rate, pace.paced.goodput)
    slower = value / pace.rate.value
    return replace(
        pace, rate=rate, time=time, hours=hours, generation_s=generation,
        utilisation=pace.utilisation * slower if pace.utilisation else None,
        busy=None if packed else max(pace.rate.value, quick.value),
    )  # fmt: skip


def up_ratio(problem: Problem) -> float:
    """Upper end of the duration over its value: less where a program is named that brings its own recipe."""
    facts = first_runs()
    return (facts.up_ratio_recipe if problem.engine in RECIPES else facts.up_ratio).value


def moved(problem: Problem) -> str:
    """What decides where in its range a duration falls, and what would narrow it, in one sentence."""
    ends = "Time: quick with samples packed and full batches, slow with"
    if problem.engine in RECIPES:
        return f"{ends} few samples at once and frequent saving ({problem.engine}'s own recipe is taken)."
    open_yet = " and ".join(
        said for said, known in (("the program", problem.engine), ("micro_batch", problem.micro)) if not known
    )
    more = f"; narrower once {open_yet} is known" if not problem.engine else ""
    return f"{ends} unfused attention, slow loaders, frequent saving{more}."


def _first_attempt(problem: Problem, one: Weighed) -> Weighed:
    """The way as somebody first runs it: few samples at once, everything recomputed and, of all weights, divided."""
    facts, plan = first_runs(), one.plan
    samples = problem.micro or 1
    while not problem.micro and 2 * samples <= facts.micro_batch and 2 * samples * problem.mean <= facts.tokens:
        samples *= 2
    free = problem.sharding is None and plan.offload == "none" and plan.count > 1 and not plan.adapted
    plain = replace(plan, checkpointing=problem.checkpointing or "full", sharding="zero3" if free else plan.sharding)
    return replace(one, plan=plain, micro=samples, work=one.work._replace(micro_batch=samples))


def _rate(problem: Problem, one: Weighed, engine: str, padded: float = 1.0, *, in_turn: bool = False) -> Interval:
    """Tokens a second of the samples themselves, by this program on batches padded so far."""
    told = problem._replace(engine=engine, mean=max(round(problem.mean * padded), 1))
    way = replace(one, plan=replace(one.plan, engine=engine))
    return times(token_pace(told, way, in_turn=in_turn).rate, 1 / padded)
