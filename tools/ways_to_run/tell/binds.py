"""What stops the best way from being better, or any way from being one, with the figures."""

from collections.abc import Iterator

from kb.units import format_bytes
from tools.shards import block_of, cut_layers
from tools.speed.allreduce import bus_bytes_per_s
from tools.ways_to_run.result import Bind
from tools.ways_to_run.search import Found, Missed
from tools.ways_to_run.space.formats import bits_per_weight
from tools.ways_to_run.space.layouts import indivisible
from tools.ways_to_run.space.load import Load
from tools.ways_to_run.space.machine import Machine
from tools.ways_to_run.tell.words import ENGINES, format_name
from tools.ways_to_run.weigh.candidate import Candidate
from tools.ways_to_run.weigh.pace import Speed, answer_s
from tools.ways_to_run.weigh.worth import Weighed

HOST_DECIDES = 0.5
"""Share of a token's time from which the host's memory is what binds."""


def binds_of(load: Load, machine: Machine, found: Found) -> tuple[Bind, ...]:
    """What binds the best way; where there is none, what kept the nearest from fitting."""
    if not found.ways:
        return tuple(_nothing_fits(load, machine, found))
    best = found.ways[0]
    return (*_speed(load, best), *_targets(load, best), *_capacity(load, best, found), *_context(load))


def _unread(load: Load, machine: Machine, form: str) -> str:
    """Who does not read a format: the engine that was asked for, the one that stands for it, or every one."""
    if load.engine is None:
        return f"No engine that runs on {machine.name} reads {form}."
    engine, said = ENGINES[load.engine], load.work.engine_said
    if said is None:
        return f"{engine} reads no {form} on {machine.name}."
    return f"{engine}, which stands for {said} here, reads no {form} on {machine.name}; {said} itself may."


def _nothing_fits(load: Load, machine: Machine, found: Found) -> Iterator[Bind]:
    ways = load.parallel.tp or 1
    block = block_of(load.shape.id, load.weight_format or load.native)
    reason = indivisible(load.shape, ways) or cut_layers(load.shape, ways, block)
    if reason is not None:
        yield Bind(what="divisibility", subject=f"TP {ways}", needed=ways, said=f"{reason}.")
    if ways * (load.parallel.pp or 1) * (load.parallel.dp or 1) > max(len(machine.cards) * machine.nodes, 1):
        yield Bind(
            what="divisibility", subject="parallel", needed=ways, available=len(machine.cards) * machine.nodes,
            said="The layout takes more cards than there are.",
        )  # fmt: skip
    for miss in nearest(found.missed)[:2]:
        held = miss.held
        room = held.usable
        named = missed_name(miss)
        if miss.engine is None:
            yield Bind(
                what="format_published", subject=format_name(miss.form),
                said=_unread(load, machine, format_name(miss.form)),
            )  # fmt: skip
            if held.needed <= room:
                continue
        weights_first = held.weights > room or held.weights >= held.cache
        yield Bind(
            what="weights_memory" if weights_first else "cache_memory",
            subject=named, needed=round(held.needed), available=room,
            unit="bytes",
            said=f"{named} needs {format_bytes(held.needed)} "
            f"(weights {format_bytes(held.weights)}, cache {format_bytes(held.cache)}) where {format_bytes(room)} "
            "are usable.",
        )  # fmt: skip
    if (
        any(miss.engine for miss in found.missed)
        and machine.host.stated is None
        and machine.cards
        and not any(card.shared for card in machine.cards)
    ):
        yield Bind(
            what="host_memory",
            subject="host memory",
            said="The host's memory was not stated, so nothing is left there.",
        )
    constrained = (load.weight_format or load.engine) and not any(miss.engine for miss in found.missed)
    asked = found.unreadable if constrained else []
    for bad in asked[:2]:
        yield Bind(what="engine_support", subject=bad.name or bad.engine, said=f"{bad.rule.reason}.")


def missed_name(miss: Missed) -> str:
    """`FP8 in vLLM`; the format alone where no engine reads it."""
    return format_name(miss.form) + (f" in {ENGINES[miss.engine]}" if miss.engine else "")


def nearest(missed: list[Missed]) -> list[Missed]:
    """Nearest misses first, each format of an engine once."""
    found: dict[tuple[str | None, str], Missed] = {}
    for one in sorted(missed, key=lambda one: one.held.needed / max(one.held.usable, 1)):
        found.setdefault((one.engine, one.form), one)
    return list(found.values())


def _speed(load: Load, best: Weighed) -> Iterator[Bind]:
    """What most of a token's time goes to."""
    speed, candidate = best.speed, best.candidate
    if speed is None:
        yield Bind(
            what="memory_bandwidth", subject=candidate.cards[0].gpu.name, said="No source states the card's bandwidth."
        )
        return
    if speed.host_share >= HOST_DECIDES:
        yield Bind(
            what="host_bandwidth", subject="host memory", available=candidate.host.bandwidth, unit="bytes_per_s",
            needed=round(candidate.held.host_bytes),
            said=f"{speed.host_share:.0%} of a token's time is reading and multiplying weights in host memory, at "
            f"{candidate.host.bandwidth / 1e9:.0f} GB/s.",
        )  # fmt: skip
        return
    yield _on_cards(load, candidate, speed)


def _on_cards(load: Load, candidate: Candidate, speed: Speed) -> Bind:
    gpu = candidate.group.gpu if candidate.group else min(
        (card.gpu for card in candidate.cards), key=lambda one: one.bandwidth_bytes_per_s or 0
    )  # fmt: skip
    if speed.bound == "interconnect":
        bus = bus_bytes_per_s(gpu, candidate.layout.tensor)
        return Bind(
            what="link", subject=gpu.name, available=bus, unit="bytes_per_s",
            said=f"Sums over {candidate.layout.tensor} cards take most of a token's time: the link moves "
            f"{bus / 1e9:.0f} GB/s.",
        )  # fmt: skip
    if speed.bound == "compute":
        return Bind(
            what="compute", subject=gpu.name, available=gpu.bf16_flops or gpu.fp16_flops, unit="flops",
            said=f"Multiplying takes most of the time: {load.sequences:,} sequences and their prompts share the cards.",
        )  # fmt: skip
    if speed.bound == "latency":
        return Bind(
            what="latency", subject=gpu.name, said="Launching and waiting take most of a token's time: weights are few."
        )
    active = speed.read_bytes or load.arch.active_params * bits_per_weight(load, candidate.form) / 8
    bandwidth = float(gpu.bandwidth_bytes_per_s or 0)
    return Bind(
        what="memory_bandwidth", subject=gpu.name, needed=round(active), available=bandwidth, unit="bytes_per_s",
        said=f"Every token reads about {format_bytes(active)} of weights; {gpu.name} reads "
        f"{bandwidth / 1e9:,.0f} GB/s{_at_most(speed)}.",
    )  # fmt: skip


def _at_most(speed: Speed) -> str:
    """What that comes to at the stated bandwidth."""
    return f": at most {speed.roofline:.3g} tokens a second for one user" if speed.roofline else ""


def _targets(load: Load, best: Weighed) -> Iterator[Bind]:
    speed = best.speed
    if speed is None or best.meets is not False:
        return
    rate = speed.per_user.value
    if load.target_rate is not None and rate < load.target_rate:
        yield Bind(
            what="target_speed", subject="tokens a second", needed=load.target_rate, available=rate,
            unit="tokens_per_s", said=f"{rate:.3g} tokens a second of {load.target_rate:g} that were wanted.",
        )  # fmt: skip
    waited = speed.first_token
    if load.target_first_s is not None and waited is not None and waited.value > load.target_first_s:
        yield Bind(
            what="target_first_token", subject="first token", needed=load.target_first_s, available=waited.value,
            unit="s", said=f"The first token comes after {waited.value:.2g} s, {load.target_first_s:g} s were wanted.",
        )  # fmt: skip
    whole = answer_s(load, speed)
    if load.target_answer_s is not None and whole is not None and whole.value > load.target_answer_s:
        yield Bind(
            what="target_answer", subject="whole answer", needed=load.target_answer_s, available=whole.value, unit="s",
            said=f"An answer of {load.answer:,} tokens takes {whole.value:.2g} s, {load.target_answer_s:g} s were "
            "wanted.",
        )  # fmt: skip


def _context(load: Load) -> Iterator[Bind]:
    if load.longest is not None and load.context > load.longest:
        yield Bind(
            what="model_context", subject=load.name, needed=load.context, available=load.longest, unit="tokens",
            said=f"The model itself reads {load.longest:,} tokens; {load.context:,} take an extension such as YaRN.",
        )  # fmt: skip


def _capacity(load: Load, best: Weighed, found: Found) -> Iterator[Bind]:
    """What keeps the cards from a better format, and what the cache leaves."""
    candidate = best.candidate
    held = candidate.held
    bits, forms = bits_per_weight(load, candidate.form), {one.candidate.form for one in found.ways}
    wider = [
        one for one in found.missed if one.engine == candidate.engine and one.form not in forms
        and bits_per_weight(load, one.form) > bits + 0.1 and one.held.needed > one.held.usable
    ]  # fmt: skip
    if wider:
        near = min(wider, key=lambda one: one.held.needed)
        yield Bind(
            what="weights_memory", subject=format_name(near.form), needed=round(near.held.needed),
            available=near.held.usable, unit="bytes",
            said=f"{format_name(near.form)} would need {format_bytes(near.held.needed)}; "
            f"{format_bytes(near.held.usable)} are usable.",
        )  # fmt: skip
    if candidate.cards and candidate.offloads:
        room = sum(card.usable for card in candidate.cards)
        yield Bind(
            what="weights_memory", subject="cards", needed=round(held.weights_all), available=room, unit="bytes",
            said=f"The weights are {format_bytes(held.weights_all)}, the cards hold {format_bytes(room)}: "
            f"{format_bytes(held.host_bytes)} lie in host memory.",
        )  # fmt: skip
    if held.cache > held.weights and candidate.cards:
        yield Bind(
            what="cache_memory", subject="cache", needed=round(held.cache), available=held.usable, unit="bytes",
            said=f"The cache of {load.sequences:,} × {load.context:,} tokens takes {format_bytes(held.cache)} a card, "
            f"more than the weights ({format_bytes(held.weights)}).",
        )  # fmt: skip


__all__ = ["binds_of", "missed_name", "nearest"]
