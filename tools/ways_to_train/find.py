"""`find_ways_to_train`: the whole problem in, every way out."""

from collections.abc import Iterator

from kb.constants.first_runs import first_runs
from kb.constants.memory_constants import constants as memory_constants
from kb.constants.memory_constants import memory_sources
from kb.constants.offloading import offloading
from kb.constants.speed_constants import constants as speed_constants
from kb.constants.speed_constants import speed_sources
from kb.programs.software import Rule, features
from kb.records.source import Source
from kb.units import format_bytes
from tools.base import Step
from tools.memory.interval import KNOWN
from tools.memory.term import steps_of
from tools.named import cited, vouching
from tools.prices import STALE_AFTER_DAYS
from tools.training_time.estimate import RATES
from tools.training_time.macs import is_mac
from tools.ways_to_train.binds import binds_of
from tools.ways_to_train.changes import changes_of
from tools.ways_to_train.first_run import moved
from tools.ways_to_train.plan import EIGHT_BIT
from tools.ways_to_train.price import given_rent, offered
from tools.ways_to_train.problem import NAMES, Problem, problem_of
from tools.ways_to_train.reckon import figure, length
from tools.ways_to_train.request import WaysToTrainRequest
from tools.ways_to_train.result import TrainingAnswer, TrainingChange, TrainingWay, Verdict, WaysToTrain
from tools.ways_to_train.search import HOST, Found, Timed, search
from tools.ways_to_train.tell import cards, chosen, plain_of, way_of


def find_ways_to_train(request: WaysToTrainRequest) -> WaysToTrain:
    """Find every way to train a model on the cards in hand: the best, really different ones, what binds, what helps.

    Give `model` (or `params`), `cards` and `method`; with `samples` or `dataset_tokens` also how long the run takes and
    what it costs. Sharding, checkpointing, micro-batch, optimizer, offload and the cards that take part are searched;
    give one of them to keep it. Every way comes with its memory against what a card has, its speed with an interval,
    duration, card-hours, price by your rent or the catalog's offers, and settings for trainers. Where nothing fits, or
    not in time, it says which part of memory stands in the way and what each change would bring.

    Raises:
        UnknownName: no such model or card.
        BadInput: fields that contradict each other, or a model whose training is not searched.
    """
    problem = problem_of(request)
    found = search(problem)
    rent, rent_said = given_rent(request.rents, max(max(one.count for one in problem.groups) // problem.nodes, 1))
    shown = chosen(found.ways)
    ways = tuple(way_of(problem, one, rent, request.today) for one in shown)
    nearest = Timed(found.nearest, None, None) if found.nearest else None
    changes = changes_of(request, problem, found, rent)
    return WaysToTrain(
        answer=_answer(problem, found, ways, changes), ways=ways,
        plain=plain_of(problem),
        nearest=way_of(problem, nearest, rent, request.today) if nearest else None,
        binds=tuple(binds_of(problem, found)), changes=changes, searched=found.searched,
        derivation=tuple(_steps(problem, found, shown, ways)),
        assumptions=tuple(_assumptions(problem, found, rent_said, ways)),
        warnings=tuple(_warnings(problem, found, ways)),
        sources=_sources(request, found, shown),
    )  # fmt: skip


def _answer(
    problem: Problem, found: Found, ways: tuple[TrainingWay, ...], changes: tuple[TrainingChange, ...]
) -> TrainingAnswer:
    model = problem.bases[0][1].shape
    if not ways:
        verdict: Verdict = "fits_with_changes" if changes else "does_not_fit"
        nearest = found.nearest
        lacking = f": {found.barred.reason}" if found.barred else ""
        if nearest is not None:
            lacking = f": the nearest way needs {format_bytes(nearest.needed)} of {format_bytes(nearest.usable)} a card"
            if nearest.host and problem.host_usable is not None:
                spare = format_bytes(problem.host_usable)
                lacking += f", and {format_bytes(nearest.host)} of {spare} that the host has to spare"
        helped = f" With a change it does: {changes[0].change}." if changes else ""
        return TrainingAnswer(
            verdict=verdict, model=model.id, method=NAMES[problem.tasks[0]],
            needed_bytes_per_gpu=int(nearest.needed) if nearest else None,
            usable_bytes_per_gpu=nearest.usable if nearest else None,
            said=f"{model.name} does not {'run' if found.barred else 'fit'} as asked{lacking}.{helped}",
        )  # fmt: skip
    way, best = ways[0], found.ways[0]
    missed = best.meets is False
    unknown_host = bool(best.weighed.host) and problem.host_usable is None
    given_up = 0 < best.plan.concession < HOST and (problem.optimizer is None and problem.precision is None)
    verdict = "fits_with_changes" if missed or unknown_host or given_up else "fits"
    run = way.price.run_cost if way.price else None
    time = way.speed.time_s if way.speed else None
    hours = way.speed.gpu_hours if way.speed else None
    return TrainingAnswer(
        verdict=verdict, way=0, model=model.id, method=way.method, cards=cards(best.plan),
        needed_bytes_per_gpu=way.memory.needed_bytes_per_gpu, usable_bytes_per_gpu=way.memory.usable_bytes_per_gpu,
        tokens_per_s=best.rate or None, time_s=time.value if time else None, gpu_hours=hours.value if hours else None,
        run_cost=run.value if run else None, currency=way.price.currency if way.price else None,
        deadline_met=best.meets, said=_said(problem, best, way),
    )  # fmt: skip


def _said(problem: Problem, best: Timed, way: TrainingWay) -> str:
    memory = way.memory
    fits = {"yes": "fits", "tight": "just fits"}.get(memory.surety, "does not fit")
    held = f"{format_bytes(memory.needed_bytes_per_gpu)} of {format_bytes(memory.usable_bytes_per_gpu)} a card"
    words = [f"{way.title} {fits}: {held}"]
    if best.rate:
        words.append(f"{figure(best.rate)} {'pictures' if problem.pictures else 'tokens'}/s")
    if way.speed and way.speed.time_s:
        time = way.speed.time_s
        words.append(f"{length(time.low)} to {length(time.high)}, about {length(time.value)} in all")
    if way.price and way.price.run_cost:
        words.append(f"about {figure(way.price.run_cost.value)} {way.price.currency} of rent")
    said = ", ".join(words) + "."
    if best.meets is False:
        said += f" That misses the deadline of {length(problem.deadline or 0)}."
    if memory.host_bytes and memory.host_usable_bytes is None:
        said += f" Each machine needs {format_bytes(memory.host_bytes)} of memory to spare for it."
    return said


def _steps(problem: Problem, found: Found, shown: list[Timed], ways: tuple[TrainingWay, ...]) -> Iterator[Step]:
    weighed = shown[0].weighed if shown else found.nearest
    if weighed is None:
        return
    yield from steps_of(weighed.phase)
    yield Step(label=f"Peak of a card: {weighed.phase.name}", formula="sum of the above", value=int(weighed.needed),
               unit="bytes", inputs={"usable_bytes": weighed.usable})  # fmt: skip
    pace = shown[0].pace if shown else None
    if pace is None:
        return
    unit = "samples_per_s" if problem.pictures else "tokens_per_s"
    count = shown[0].plan.count
    yield Step(label="Rate of all cards", formula="cards · rate of one", value=pace.rate.value, unit=unit,
               inputs={"cards": count, "host_s_per_token": pace.host_s_per_token},
               source=speed_constants().training.fit.source)  # fmt: skip
    if problem.tokens and pace.time and not problem.pictures:
        inputs = {"tokens": problem.tokens, "rate": pace.rate.value, "generation_s": pace.generation_s}
        yield Step(label="Time", formula="tokens / rate / goodput + generation", value=pace.time.value, unit="s",
                   inputs=inputs)  # fmt: skip
    price = ways[0].price
    if price and price.run_cost and pace.hours:
        inputs = {"card_hours": pace.hours.value, "hourly": float(price.hourly_cost) / count}
        yield Step(label="Cost of the run", formula="card-hours · rent of a card", value=price.run_cost.value,
                   unit=price.currency, inputs=inputs)  # fmt: skip


def _assumptions(problem: Problem, found: Found, rent_said: str | None, ways: tuple[TrainingWay, ...]) -> Iterator[str]:
    best = found.ways[0] if found.ways else None
    if best is not None and best.pace is not None and best.pace.busy and best.pace.time:
        yield moved(problem)
    yield from problem.said
    if rent_said:
        yield rent_said
    if problem.batch is None and ways and not problem.pictures:
        yield f"global_batch not stated: {ways[0].global_batch} samples a step."
    if problem.link is None and best is not None and best.plan.count > 1:
        yield "link not stated: cards of a server talk over NVLink where they have it, others over PCIe."
    if any(one.memory.host_bytes for one in ways):
        yield (
            f"The host: PCIe at {problem.pcie / 1e9:.0f} GB/s a card, memory at {problem.host_bandwidth / 1e9:.0f} GB/s"
            f" a machine; such a run may take {offloading().slower_ratio.value:g} times as long."
        )
    if problem.goal in ("dpo", "grpo", "ppo"):
        yield "The reference reads every trained token once more; it is in the time and, unless adapters, in memory."
    if problem.goal in ("grpo", "ppo"):
        yield "Answers are generated by an engine on the same cards, in turn with training; a reward model costs extra."


def _warnings(problem: Problem, found: Found, ways: tuple[TrainingWay, ...]) -> Iterator[str]:
    best = found.ways[0] if found.ways else None
    if best is None:
        return
    memory = ways[0].memory
    if memory.host_usable_bytes is not None and memory.host_high_bytes > memory.host_usable_bytes:
        ends = f"{format_bytes(memory.host_bytes)} to {format_bytes(memory.host_high_bytes)}"
        yield f"Host memory may run out: {ends} a machine, of {format_bytes(memory.host_usable_bytes)} it can spare."
    if problem.batch is not None and ways and ways[0].global_batch != problem.batch:
        yield f"A step of {problem.batch} samples does not divide over the cards: {ways[0].global_batch} are taken."
    if problem.micro is not None and ways and ways[0].micro_batch_size != problem.micro:
        yield f"{problem.micro} a card would exceed the step's samples: {ways[0].micro_batch_size} a card are taken."
    gpu = best.plan.group.gpu
    if gpu is None:
        yield "The card is known by its memory alone: no speed, duration or price is told."
    elif gpu.half != "bf16" and problem.precision is None and not problem.pictures:
        yield f"{gpu.name} has no BF16: fp16 with loss scaling is taken."
    elif gpu.half != "bf16" and best.plan.precision != "fp16" and not problem.pictures:
        yield f"{gpu.name} has no BF16: use fp16 with loss scaling."
    yield from _eight_bit(problem, best)
    if best.plan.adapted and best.plan.sharding == "zero3":
        yield ("ZeRO-3 under adapters: people measure about as much a card as without it (DeepSpeed issue 5109, "
               "LLaMA-Factory 493 and 5972); FSDP divides the frozen base for sure.")  # fmt: skip
    yield from _held(problem, best)
    if (rule := _fused(found)) is not None:
        yield f"QLoRA of a mixture: {rule.reason}. {rule.instead}."
    if best.plan.group.unlike and best.plan.count == best.plan.group.count:
        yield "Unlike cards wait for the slowest, and the smallest decides how much each may hold."
    if best.weighed.work.shape.guess_level:
        yield "The shape was guessed from the parameter count: the intervals are wider for it."
    if ways and ways[0].price and ways[0].price.stale:
        yield f"The offers of this card are older than {STALE_AFTER_DAYS} days."
    if ways and ways[0].speed is None and gpu is not None:
        yield f"How fast {gpu.name} trains is not known: memory alone is told, and no duration or cost follows."
    if gpu is not None and gpu.vendor == "Apple":
        yield "On Apple silicon MLX (mlx-lm) trains; its speed is reckoned, not measured. Settings of CUDA do not run."
    if ways and not ways[0].price and gpu is not None:
        yield "No rent is known for these cards: state yours in `rents` for the cost of the run."


def _eight_bit(problem: Problem, best: Timed) -> Iterator[str]:
    """What keeps states of eight bits that were asked for from these shards, or from the host."""
    plan = best.plan
    if problem.optimizer not in EIGHT_BIT or problem.pictures:
        return
    if plan.optimizer not in EIGHT_BIT:
        yield "8-bit AdamW steps on the card: with offload the trainers refuse it, AdamW (adamw_torch) is taken."
    elif plan.sharding == "fsdp":
        yield "FSDP 2 refuses bitsandbytes' 8-bit AdamW: adamw_torch_8bit (torchao) takes its place."


def _held(problem: Problem, best: Timed) -> Iterator[str]:
    """What nvidia-smi may show of adapters, where that is more than the interval says.

    needed + (ratio - 1) · what is neither weights nor states; as measured with everything recomputed.
    """
    one, plan = best.weighed, best.plan
    if not plan.adapted or plan.checkpointing != "full" or problem.pictures or problem.goal != "sft":
        return
    rest = sum(term.bytes for term in one.phase.terms if term.part not in KNOWN)
    held = min(one.needed + (first_runs().held_ratio.value - 1) * rest, one.usable)
    if held > one.high:
        yield f"With samples of varied length nvidia-smi may show {format_bytes(held)}: cached, freed when needed."


def _fused(found: Found) -> Rule | None:
    """What is known of four-bit experts in the trainer of a way, where there is one of a mixture by QLoRA."""
    for one in found.ways:
        gpu, work = one.plan.group.gpu, one.weighed.work
        if one.plan.task == "qlora" and work.shape.experts is not None and gpu is not None:
            return features()["fused_experts_4bit"].rule(gpu, one.plan.engine)
    return None


def _sources(request: WaysToTrainRequest, found: Found, shown: list[Timed]) -> tuple[Source, ...]:
    known = memory_sources() | speed_sources()
    weighed = shown[0].weighed if shown else found.nearest
    terms = [term.source for term in weighed.phase.terms] if weighed else []
    pace = shown[0].pace if shown else None
    near = [row.source for row in pace.paced.near.evidence] if pace and pace.paced else []
    ids = dict.fromkeys([*terms, memory_constants().intervals.source, speed_constants().training.fit.source, *near])
    gpu = shown[0].plan.group.gpu if shown else None
    ids |= dict.fromkeys(speed_constants().macs.sources if is_mac(gpu) else ())
    facts = cited(vouching(gpu, RATES)) if gpu else ()
    rent = offered(gpu, request.today) if gpu and not request.rents else None
    offers = cited([rent.source]) if rent else ()
    host = tuple(offloading().sources.values()) if any(one.weighed.host for one in shown) else ()
    first = tuple(first_runs().sources.values()) if pace and pace.busy and pace.time else ()
    rules = filter(None, (_fused(found), found.barred))
    experts = cited(source for rule in rules for source in rule.sources)
    named = (known[key] for key in ids if key in known)
    return tuple(dict.fromkeys((*named, *facts, *offers, *host, *first, *experts)))
