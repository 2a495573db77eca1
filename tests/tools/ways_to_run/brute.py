"""Every way to run a load, tried without any pruning: an oracle that shares no loop with the search."""

from collections.abc import Iterator
from itertools import product

from kb.constants.memory_constants import constants
from kb.constants.speed_constants import constants as speed_constants
from kb.records.gpu import Gpu
from tools.memory.estimate import memory_per_gpu, peak_phase
from tools.memory.interval import interval
from tools.memory.request import MemoryRequest
from tools.memory.workload import workload_of
from tools.speed.allreduce import switched
from tools.ways_to_run.space.formats import FILES, Readable, cache_formats, engines, readable
from tools.ways_to_run.space.layouts import Group, Spread
from tools.ways_to_run.space.load import Load
from tools.ways_to_run.space.machine import Machine
from tools.ways_to_run.weigh.candidate import Candidate
from tools.ways_to_run.weigh.held import Held
from tools.ways_to_run.weigh.pace import Paces
from tools.ways_to_run.weigh.worth import Weighed, weighed


def best_by_force(machine: Machine, load: Load) -> Weighed | None:
    """The best of all ways on equal cards of one node, or null."""
    paces = Paces(load)
    every = (weighed(load, one, paces.of(one)) for one in (*_split(machine, load), *_dealt(machine, load)))
    return max(every, key=lambda one: one.rank, default=None)


def _split(machine: Machine, load: Load) -> Iterator[Candidate]:
    """Tensor parallelism, stages and copies over one to all cards, by the memory calculator's own request."""
    gpu, count = machine.cards[0].gpu, len(machine.cards)
    usables = sorted((card.usable for card in machine.cards), reverse=True)
    group = Group(gpu, tuple(usables), 1, machine.cards)
    for engine in engines(gpu, load.engine):
        if engine == FILES:
            continue
        for form in readable(load, engine, gpu):
            if not isinstance(form, Readable):
                continue
            for kv, spread in product(cache_formats(load, engine, gpu), _layouts(load, gpu, count, form.name)):
                here = -(-load.sequences // spread.dp)
                request = MemoryRequest.model_validate(
                    {
                        **load.fields, "engine": engine, "weight_format": form.name, "kv_format": kv, "gpu": gpu.id,
                        "context_tokens": load.context, "concurrent_sequences": here, "max_num_sequences": here,
                        "tensor_parallel": spread.tp, "pipeline_parallel": spread.pp,
                        "expert_parallel": spread.ep if spread.attention_copies else 1,
                    }
                )  # fmt: skip
                found, usable = memory_per_gpu(request)[0], usables[spread.cards - 1]
                if found.total_bytes - len(found.parts) > usable:
                    continue
                parts = {part.name: part.bytes for part in found.parts}
                held = Held(
                    needed=found.total_bytes, low=found.low_bytes, high=found.high_bytes, usable=usable,
                    weights=parts["weights"], cache=parts.get("kv_cache", 0), weights_all=parts["weights"],
                    surety="yes" if found.high_bytes <= usable else "tight",
                )  # fmt: skip
                work, used = workload_of(request)[0], machine.cards[: spread.cards]
                yield Candidate(engine, form.name, kv, work, group, spread, used, machine.host, held, None)


def _layouts(load: Load, gpu: Gpu, count: int, form: str) -> Iterator[Spread]:
    """Every number of cards a layer, of stages and of copies; and every way to copy attention and share experts."""
    experts = load.shape.experts
    for tp, pp, dp in product(*[range(1, count + 1)] * 3):
        if tp * pp * dp > count or dp > load.sequences or not _divides(load, tp) or pp > load.shape.layers:
            continue
        wider = range(tp * pp, count + 1) if pp > 1 else ()
        if switched(gpu, count) and any(_shares(load, ways, form) for ways in wider):
            continue  # nobody lays cards on a fast link out in stages where as many or more can share layers
        whole = _cuts_blocks(load, tp, form)
        if not (whole and experts and experts.experts % tp):
            yield Spread(tp, pp, dp, tp if whole else 1)
    for ways in range(2, count + 1):
        busy = load.sequences >= speed_constants().decode.attention_copies_from * ways
        if experts and experts.experts % ways == 0 and busy:
            yield Spread(1, 1, 1, ways)


def _divides(load: Load, ways: int) -> bool:
    """Heads in whole numbers on every card, key-value heads too or each copied evenly."""
    shape = load.shape
    if shape.heads / ways % 1:
        return False
    return shape.latent is not None or shape.kv_heads / ways % 1 == 0 or ways / shape.kv_heads % 1 == 0


def _shares(load: Load, ways: int, form: str) -> bool:
    experts = load.shape.experts
    return _divides(load, ways) and not (_cuts_blocks(load, ways, form) and experts and experts.experts % ways)


def _cuts_blocks(load: Load, ways: int, form: str) -> bool:
    experts = load.shape.experts
    blocked = form in ("fp8", "awq", "gptq", "int4", "int8")
    return ways > 1 and blocked and experts is not None and experts.expert_intermediate_size / ways % 128 != 0


def _dealt(machine: Machine, load: Load) -> Iterator[Candidate]:
    """llama.cpp on one to all cards with every possible number of layers, or of layers' experts, in host memory."""
    gpu, shape = machine.cards[0].gpu, load.shape
    if FILES not in engines(gpu, load.engine):
        return
    usables = sorted((card.usable for card in machine.cards), reverse=True)
    host = None if machine.cards[0].shared else machine.host.usable
    for form in readable(load, FILES, gpu):
        if not isinstance(form, Readable):
            continue
        for kv in cache_formats(load, FILES, gpu):
            request = MemoryRequest.model_validate(
                {
                    **load.fields, "engine": FILES, "weight_format": form.name, "context_tokens": load.context,
                    "concurrent_sequences": load.sequences,
                }
            )  # fmt: skip
            work = workload_of(request)[0]._replace(kv_bytes=constants().kv.bytes[kv], kv_format=kv)
            phase = peak_phase(work)
            more = interval(work, phase)[1] / phase.bytes
            parts = {name: sum(term.bytes for term in phase.terms if term.part == name)
                     for name in ("weights", "kv_cache")}  # fmt: skip
            fixed = phase.bytes - sum(parts.values())
            wide = workload_of(request.model_copy(update={"ubatch_tokens": _batch(load)}))[0]
            wide = wide._replace(kv_bytes=constants().kv.bytes[kv], kv_format=kv)
            fixed_wide = fixed + peak_phase(wide).bytes - phase.bytes
            routed = shape.expert_params * work.format.expert_bits / 8 if shape.experts else 0.0
            dense = shape.experts.dense_layers if shape.experts else shape.layers
            each = routed / max(shape.layers - dense, 1)
            base = (phase.bytes - fixed - routed) / shape.layers
            for cards in range(1, len(usables) + 1):
                for scale, surety in ((more, "yes"), (1.0, "tight")):
                    held = _fullest(shape.layers, dense, base * scale, each * scale, fixed * scale, usables[:cards],
                                    None if form.name.startswith("gguf:IQ") else host)  # fmt: skip
                    offloads = held is not None and held[0] > 0
                    batches = [(wide, fixed_wide), (work, fixed)] if offloads and not shape.experts else (
                        [(wide, fixed_wide)] if offloads else [(work, fixed)]
                    )  # fmt: skip
                    for batched, own in batches:
                        if offloads:
                            held = _fullest(shape.layers, dense, base * scale, each * scale, own * scale,
                                            usables[:cards], host)  # fmt: skip
                        if held is None:
                            continue
                        away, layers, whole = held
                        yield Candidate(
                            FILES, form.name, kv, batched if away else work, None, Spread(1, cards, 1, 1),
                            machine.cards[:cards], machine.host,
                            Held(
                                needed=1.0, low=1.0, high=1.0, usable=1, weights=1.0, cache=1.0,
                                weights_all=parts["weights"], surety="yes" if surety == "yes" else "tight",
                                host_bytes=away / scale, whole_layers=whole > 0, host_layers=whole, layers=layers,
                            ), None, machine.network,
                        )  # fmt: skip
            if host is not None and not form.name.startswith("gguf:IQ"):
                total = phase.bytes
                if total <= host:
                    yield Candidate(
                        FILES, form.name, kv, work, None, Spread(1, 1, 1, 1), (), machine.host,
                        Held(0.0, 0.0, 0.0, 0, 0.0, 0.0, parts["weights"],
                             "yes" if total * more <= host else "tight", host_bytes=total,
                             host_layers=shape.layers, whole_layers=True), None,
                    )  # fmt: skip


def _batch(load: Load) -> int | None:
    """Tokens of a physical batch that are set with weights in host memory: more than usual for a longer context."""
    return 2048 if load.context > 2048 else None


def _fullest(
    layers: int, dense: int, base: float, experts: float, fixed: float, usables: list[int], host: int | None
) -> tuple[float, tuple[int, ...], int] | None:
    """(bytes away, layers on each card, whole layers away) with as little in host memory as can be; null if none."""
    sparse = layers - dense
    tries = [(light, 0) for light in range(sparse + 1)] + [(sparse, away) for away in range(1, layers)]
    for light, away in tries:
        if host is None and (light or away):
            break
        resident = (layers - away) * base + (sparse - light) * experts
        if resident + fixed * len(usables) > sum(usables):
            continue
        sizes = [base] * (dense + light) + [base + experts] * (sparse - light)
        counts = _packed(sizes[: layers - away], fixed, usables, even=not light and not away)
        if counts is None:
            continue
        left = light * experts + away * base
        if all(counts) and (not left or left <= (host or 0)):
            return left, counts, away
        return None
    return None


def _packed(sizes: list[float], fixed: float, usables: list[int], *, even: bool) -> tuple[int, ...] | None:
    """Layers onto cards one after the other: evenly where that fits, else each card filled in turn; null if not."""
    if even and len(sizes) >= len(usables):
        whole, over = divmod(len(sizes), len(usables))
        dealt = tuple(whole + (place < over) for place in range(len(usables)))
        if all(fixed + count * max(sizes) <= usable for count, usable in zip(dealt, usables, strict=True)):
            return dealt
    counts, rest = [], list(sizes)
    for usable in usables:
        room, count = usable - fixed, 0
        while rest and rest[0] <= room:
            room -= rest.pop(0)
            count += 1
        counts.append(count)
    return None if rest else tuple(counts)
