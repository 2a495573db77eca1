"""`find_ways_to_run`: the whole problem in, every way out."""

from collections.abc import Iterator

from kb.base import BadInput
from kb.catalog import gpus
from kb.constants.adapters import adapter_facts
from kb.constants.memory_constants import memory_sources
from kb.constants.quality import quality
from kb.constants.speed_constants import constants as speed_constants
from kb.constants.speed_constants import speed_sources
from kb.machines.links import networks, pooled
from kb.records.source import Source
from kb.units import format_bytes
from tools.base import Step
from tools.named import cited, vouching
from tools.ways_to_run.changes import changes_of
from tools.ways_to_run.choose import chosen
from tools.ways_to_run.fitting import ways_for_no_model
from tools.ways_to_run.relax import Relaxed, relaxed
from tools.ways_to_run.request import WaysToRunRequest
from tools.ways_to_run.result import Verdict, Way, WayAnswer, WaysToRun
from tools.ways_to_run.search import Found, search
from tools.ways_to_run.space.formats import FILES, NATIVE_LADDERS, SERVERS, WIDE, WIDENED, kernels_rule
from tools.ways_to_run.space.load import Load, load_of
from tools.ways_to_run.space.machine import Machine, machine_of
from tools.ways_to_run.tell.binds import binds_of, nearest
from tools.ways_to_run.tell.doubts import doubts
from tools.ways_to_run.tell.rejected import rejected_of
from tools.ways_to_run.tell.unsure import unsure
from tools.ways_to_run.tell.way import way_of
from tools.ways_to_run.tell.words import ENGINES, beyond, cards_name, format_name, narrower
from tools.ways_to_run.together import ways_together
from tools.ways_to_run.weigh.stretch import stretched
from tools.ways_to_run.weigh.worth import Weighed

CARD_FACTS = ("usable_bytes", "memory_bytes", "bandwidth_bytes_per_s", "bf16_flops", "fp16_flops")


def find_ways_to_run(request: WaysToRunRequest) -> WaysToRun:
    """Find every way to run a model on the machine in hand: the best, really different ones, what binds, what helps.

    Give `model` (or `params` with the shape) and `cards`, with `host_memory_bytes` where the machine's own memory may
    take part. Weight and cache formats, engines, layouts, offload and copies are searched; give one of them to
    constrain it. `works` asks for several models side by side; without a model those that fit best are told. Every way
    comes with its memory, its limits, its speed with an interval, and the flags to start it.

    Raises:
        UnknownName: no such model or card.
        BadInput: fields that contradict each other, or a model that generates no text.
    """
    if request.works:
        return ways_together(request)
    if request.model is None and request.params is None:
        return ways_for_no_model(request)
    machine, load = machine_of(request), load_of(request, request.objective)
    if not machine.cards and machine.host.usable is None:
        raise BadInput("cards", "neither cards nor host_memory_bytes are given.", "Say what the machine has.")
    found = search(machine, load)
    relaxation = None if found.ways else relaxed(machine, load)
    used, ways = (load, found.ways) if relaxation is None else (relaxation.load, relaxation.ways)
    several = chosen(ways, len(machine.cards) * machine.nodes)
    grown = [stretched(used, one) if relaxation is None else (used, one) for one in several]
    shown = tuple(way_of(longer, machine, one, as_asked=relaxation is None) for longer, one in grown)
    best = found.ways[0] if found.ways else None
    return WaysToRun(
        answer=_answer(machine, load, ways[0] if ways else None, shown, relaxation),
        ways=shown, binds=binds_of(load, machine, found),
        changes=changes_of(machine, load, best, relaxation), rejected=rejected_of(load, machine, found),
        searched=found.searched, derivation=tuple(_steps(machine, load, found, shown)),
        assumptions=(*machine.said, *load.said), warnings=tuple(_warnings(machine, used, shown, best)),
        sources=_sources(machine, load, shown),
    )  # fmt: skip


def _answer(
    machine: Machine, load: Load, best: Weighed | None, ways: tuple[Way, ...], relaxation: Relaxed | None
) -> WayAnswer:
    if best is None or not ways:
        said = f"{load.name} does not fit {machine.name}, not even with changes."
        return WayAnswer(verdict="does_not_fit", model=load.shape.id, said=said)
    way, changed = ways[0], list(relaxation.said if relaxation else ())
    if best.meets is False and way.speed:
        changed += _missed_targets(load, way)
    verdict: Verdict = "fits_with_changes" if changed else "fits"
    rate = way.speed.tokens_per_s_per_user.value if way.speed else None
    return WayAnswer(
        verdict=verdict, way=0, model=load.shape.id, weight_format=way.weight_format, narrower=narrower(load, way),
        engine=way.engine,
        cards=cards_name(best.candidate), tokens_per_s_per_user=rate, context_tokens=way.context_tokens,
        max_context_tokens=way.limits.max_context_tokens, target_met=best.meets,
        tight=beyond(best.candidate.held), changed=tuple(changed),
        said=_said(load, best, way, rate, changed),
    )  # fmt: skip


def _missed_targets(load: Load, way: Way) -> Iterator[str]:
    speed = way.speed
    if speed is None:
        return
    rate, waited = speed.tokens_per_s_per_user.value, speed.first_token_s
    if load.target_rate is not None and rate < load.target_rate:
        yield f"target_tokens_per_s: {rate:.3g} instead of {load.target_rate:g}"
    if load.target_first_s is not None and (waited is None or waited.value > load.target_first_s):
        shown = f"{waited.value:.2g}" if waited else "unknown"
        yield f"target_first_token_s: {shown} instead of {load.target_first_s:g}"
    whole = speed.answer_s
    if load.target_answer_s is not None and (whole is None or whole.value > load.target_answer_s):
        shown = f"{whole.value:.2g}" if whole else "unknown"
        yield f"target_answer_s: {shown} instead of {load.target_answer_s:g} for {load.answer:,} tokens"


def _said(load: Load, best: Weighed, way: Way, rate: float | None, changed: list[str]) -> str:
    runs = (
        f"{load.name} runs as {format_name(way.weight_format)} in {ENGINES[way.engine]} on {cards_name(best.candidate)}"
    )
    parts = [runs]
    if rate is not None and way.speed:
        ends = way.speed.tokens_per_s_per_user
        parts.append(f"at about {rate:.3g} tokens a second ({ends.low:.3g} to {ends.high:.3g})")
    parts.append(f"with {way.context_tokens:,} tokens of context")
    if way.concurrent_sequences > 1:
        parts.append(f"for {way.concurrent_sequences:,} at once")
    if way.memory.host_bytes and way.cards:
        parts.append(f"and {format_bytes(way.memory.host_bytes)} in host memory")
    if way.memory.surety == "tight":
        memory = way.memory
        parts.append(
            f"— tight: {format_bytes(memory.needed_bytes_per_gpu or memory.host_bytes)} of "
            f"{format_bytes(memory.usable_bytes_per_gpu or memory.host_usable_bytes or 0)} by the estimate, which does "
            "not hold at its upper end"
        )
    said = " ".join(parts)
    less = narrower(load, way)
    said += f"; narrower than published: {less}" if less else ""
    return f"{said}; changed: {'; '.join(changed)}." if changed else f"{said}."


def _steps(machine: Machine, load: Load, found: Found, ways: tuple[Way, ...]) -> Iterator[Step]:
    """The arithmetic of the best way, and how wide the search was."""
    yield Step(
        label="Ways weighed", formula="formats · caches · engines · layouts · offload, as far as they go together",
        value=found.searched, unit="ways", inputs={"fitting": len(found.ways)},
    )  # fmt: skip
    if not ways:
        miss = next(iter(nearest(found.missed)), None)
        if miss is not None:
            yield Step(
                label=f"Nearest: {format_name(miss.form)}", formula="weights + cache + rest", unit="bytes",
                inputs={"weights": round(miss.held.weights), "cache": round(miss.held.cache),
                        "usable": miss.held.usable}, value=round(miss.held.needed),
            )  # fmt: skip
        return
    way = ways[0]
    memory = way.memory
    yield Step(
        label="Weights", formula="params · bits / 8", value=memory.weights_bytes, unit="bytes",
        inputs={"params": load.shape.params, "bits": way.bits_per_weight}, source="weight-formats",
    )  # fmt: skip
    yield Step(
        label="Fullest card", formula="weights + cache + rest", value=memory.needed_bytes_per_gpu, unit="bytes",
        inputs={"weights": memory.weights_bytes_per_gpu, "cache": memory.cache_bytes_per_gpu,
                "rest": memory.rest_bytes_per_gpu, "usable": memory.usable_bytes_per_gpu}, source="kv-formats",
    )  # fmt: skip
    if memory.host_bytes:
        yield Step(
            label="In host memory", formula="weights and cache − room of the cards, by whole layers",
            value=memory.host_bytes, unit="bytes", inputs={"usable": memory.host_usable_bytes},
            source=speed_constants().host.source,
        )  # fmt: skip
    if way.speed is not None:
        ends = way.speed.tokens_per_s_per_user
        yield Step(
            label="Tokens a second of one user", formula="1 / (reading + multiplying + links + host + launching)",
            value=ends.value, unit="tokens_per_s", inputs={"low": ends.low, "high": ends.high},
            source=speed_constants().decode.fit.source,
        )  # fmt: skip


def _warnings(machine: Machine, load: Load, ways: tuple[Way, ...], best: Weighed | None) -> Iterator[str]:
    yield from doubts(ways)
    yield from _of_idle_cards(machine, ways)
    yield from _widened(load, ways)
    yield from _idle(machine, load, ways)
    if load.weight_format == "bf16" and any(way.weight_format == "fp16" for way in ways):
        yield "The card has no BF16 arithmetic: the weights are held and computed in FP16, which has less range."
    if load.adapters:
        ratio = adapter_facts().time_ratio
        yield (
            f"Adapters beside the model make a token take {ratio.low:g} to {ratio.high:g} times as long by reports, "
            f"{ratio.value:g} in the figures here; merged into the weights they cost nothing and serve one task."
        )
    if load.adapters > load.adapter_slots:
        yield (
            f"{load.adapter_slots:,} of the {load.adapters:,} adapters lie on the cards, one for each request at once; "
            "the others wait in host memory and are fetched in turn. More slots only save that fetching."
        )
    yield from _of_kernels(load, ways)
    if load.longest and load.context > load.longest:
        yield f"{load.context:,} tokens exceed the model's {load.longest:,}: it would need context extension."
    if load.shape.guess_level == 2:
        yield "The shape was guessed from the parameter count: every figure is wider for it."
    for figure in load.work.measured:
        if figure.memory_bytes is not None and ways:
            estimate = ways[0].memory
            fits = estimate.low_bytes_per_gpu <= figure.memory_bytes <= estimate.high_bytes_per_gpu
            beside = "within" if fits else "outside"
            yield (
                f"You measured {format_bytes(figure.memory_bytes)} on the fullest card: {beside} the estimate of "
                f"{format_bytes(estimate.low_bytes_per_gpu)} to {format_bytes(estimate.high_bytes_per_gpu)}."
            )
    if machine.network:
        yield from _of_computers(machine, ways)
    yield from unsure(machine, load, best)
    if any(way.speed is None for way in ways):
        yield "No source states how fast a card reads its memory: its speed is left open."


def _of_computers(machine: Machine, ways: tuple[Way, ...]) -> Iterator[str]:
    """How several computers hold one model together, and what is not estimated of it."""
    value, low, high = pooled().hop_s
    if any(sum(one.count for one in way.cards) > 1 and way.engine == FILES for way in ways):
        yield (
            "Pooled by llama.cpp's RPC: each further computer runs rpc-server, holds its layers, and adds "
            f"{1e3 * value:g} ms to every token ({1e3 * low:g} to {1e3 * high:g}): room, not speed."
        )
    if any(card.gpu.vendor == "Apple" for card in machine.cards):
        told = ", ".join(f"{ratio:g} times one with {count}" for count, ratio in pooled().shared_layers.items())
        yield (
            "Not estimated: exo or MLX distributed, which share every layer over RDMA on Thunderbolt 5 (macOS 26.2); "
            f"reports say {told}. Over Thunderbolt 4 or Ethernet they take layers in turn, as told here."
        )
    elif any(way.engine != FILES and way.layout.tp > 1 for way in ways):
        yield "Sharing every layer (TP) between computers needs a fast cable (ConnectX, 200 Gbit/s), not Ethernet."


def _of_idle_cards(machine: Machine, ways: tuple[Way, ...]) -> Iterator[str]:
    """That the best way leaves cards idle, and what all of them would give."""
    whole = len(machine.cards) * machine.nodes
    taken = [way.nodes * sum(card.count for card in way.cards) for way in ways]
    if not ways or not taken[0] or taken[0] >= whole:
        return
    said = f"The best way takes {taken[0]} of {whole} cards and leaves the others idle."
    over_all = next((way for way, count in zip(ways, taken, strict=True) if count == whole), None)
    if over_all is not None and over_all.speed is not None:
        rate = over_all.speed.tokens_per_s_per_user.value
        said += f" On all of them, {over_all.title}: {rate:.3g} tokens a second of one user."
    yield said


def _idle(machine: Machine, load: Load, ways: tuple[Way, ...]) -> Iterator[str]:
    """Copies for the cards that the stated links leave out of the best way, which nobody asked to be several."""
    used = sum(one.count for one in ways[0].cards) * ways[0].nodes if ways else 0
    copies = len(machine.cards) * machine.nodes // used if used else 0
    if machine.near is not None and copies > 1 and load.sequences == 1:
        yield (
            f"It takes {used} of {len(machine.cards) * machine.nodes} cards: {copies} copies behind a load balancer "
            "serve several people, each as fast as told."
        )


def _widened(load: Load, ways: tuple[Way, ...]) -> Iterator[str]:
    """Weights in other formats than the published one, where the cards' stack reads none that they come in."""
    found = dict.fromkeys(
        (way.engine, way.weight_format, way.cards[0].name) for way in ways
        if load.native not in WIDE and way.weight_format in WIDENED and way.cards
        and way.weight_format not in NATIVE_LADDERS.get(load.native, ())
    )  # fmt: skip
    for engine, form, card in found:
        yield (
            f"{ENGINES[engine]} has no kernel for {format_name(load.native)}, as which {load.name} is published, on "
            f"{card}: {format_name(form)} weights must be found or made from it."
        )


def _of_kernels(load: Load, ways: tuple[Way, ...]) -> Iterator[str]:
    """What to heed where an engine computes the model's attention only so or so."""
    for engine, gpu in dict.fromkeys((way.engine, card.gpu) for way in ways for card in way.cards):
        rule = kernels_rule(load, engine, gpus()[gpu])
        if rule is not None and rule.verdict == "works_with":
            yield f"{ENGINES[engine]} on {gpus()[gpu].name}: {rule.reason}. {rule.instead}."


def _of_attention(machine: Machine, load: Load) -> Iterator[str]:
    """Sources of what the model's kernels need of the cards."""
    for kind in machine.kinds.values():
        for engine in (*SERVERS, FILES):
            rule = kernels_rule(load, engine, kind[0].gpu)
            yield from rule.sources if rule else ()


def _sources(machine: Machine, load: Load, ways: tuple[Way, ...]) -> tuple[Source, ...]:
    known = {**memory_sources(), **speed_sources(), **quality().sources}
    ids = ["weight-formats", "kv-formats", speed_constants().decode.fit.source, quality().weights.source]
    if any(not way.weight_format.startswith("gguf:") for way in ways):
        ids.append(quality().served.source)
    ids.append(quality().exchange.source)
    cards = [key for kind in machine.kinds.values() for key in vouching(kind[0].gpu, CARD_FACTS)]
    attention = _of_attention(machine, load)
    joined = pooled().sources if machine.network else ()
    between = networks().sources if machine.joined else ()
    return (
        *(known[key] for key in dict.fromkeys(ids) if key in known),
        *cited((*cards, *attention)),
        *joined,
        *between,
    )
