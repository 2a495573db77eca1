"""What would help, the cheapest first, each tried on the search itself."""

import math
from collections.abc import Callable, Iterator
from typing import TypeVar

from kb.catalog import gpus
from kb.constants.memory_constants import constants
from kb.constants.offloading import offloading
from kb.constants.quality import quality
from kb.machines.links import slot_bytes_per_s as slot_carries
from kb.units import GIB, MIB, format_bytes
from tools.memory.fit import COMMON_GPUS
from tools.speed.streaming import slot_bytes_per_s
from tools.ways_to_run.relax import Relaxed, fewer, loosened
from tools.ways_to_run.result import Change
from tools.ways_to_run.search import FILES_MOST, search
from tools.ways_to_run.space.formats import FILES, KV_FILES, KV_SERVED, cache_formats
from tools.ways_to_run.space.load import Load
from tools.ways_to_run.space.machine import Card, Machine
from tools.ways_to_run.tell.binds import nearest
from tools.ways_to_run.tell.words import beyond, fits_as, format_name
from tools.ways_to_run.weigh.limits import limits_of
from tools.ways_to_run.weigh.worth import Weighed

HOST_SIZES = tuple(size * GIB for size in (16, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536))
"""Memory that machines are sold with."""
COSTS = ("nothing", "quality", "context", "users", "speed", "money")
"""What changes cost, the cheapest first."""
NOTICEABLE = 1.15
"""A change that brings less than this many times as much is not worth naming."""
SYSTEM_BYTES = 8 * GIB
"""What macOS and the programs of its user keep at the least when the GPU is let use more."""
OFFLOADING = "vllm"
"""The server that leaves part of the weights of cards that share layers in host memory."""
CRAWL_TOKENS_PER_S = 1.0
"""Tokens a second of one user below which a way is only told as possible."""
T = TypeVar("T")
MOST_ALIKE = 8


def changes_of(machine: Machine, load: Load, best: Weighed | None, relaxation: Relaxed | None) -> tuple[Change, ...]:
    """Changes that admit the load where nothing does, or better the best way."""
    found = _admitting(machine, load, relaxation) if best is None else _bettering(machine, load, best)
    return tuple(sorted(found, key=lambda one: COSTS.index(one.costs)))


def _admitting(machine: Machine, load: Load, relaxation: Relaxed | None) -> Iterator[Change]:
    for said, less in loosened(load):
        ways = search(machine, less).ways
        if ways:
            yield _change(
                f"leave {', '.join(said)} open", said[0], None, ways[0], _costs(said), "fits",
            )  # fmt: skip
            break
    yield from _smaller_loads(machine, load, relaxation)
    yield from _more_of_unified(machine, load, None)
    yield from _weights_on_host(machine, load)
    yield from _more_host(machine, load)
    yield from _more_cards(machine, load, None)
    yield from _other_card(machine, load, lambda way: True)


def _smaller_loads(machine: Machine, load: Load, relaxation: Relaxed | None) -> Iterator[Change]:
    """A shorter context at the sequences asked, and fewer sequences at the context asked."""
    if relaxation is not None and relaxation.load.context < load.context:
        context = relaxation.load.context
        said = f"shorten the context to {context:,} tokens"
        yield _change(said, "context_tokens", context, relaxation.ways[0], "context", "fits")
    shown = relaxation
    if relaxation is not None and relaxation.load.sequences == load.sequences > 1:
        shown = fewer(machine, load, load.context, 1)
    if shown is not None and shown.load.sequences < load.sequences:
        count = shown.load.sequences
        yield _change(f"serve {count:,} at once", "concurrent_sequences", count, shown.ways[0], "users", "fits")


def _bettering(machine: Machine, load: Load, best: Weighed) -> Iterator[Change]:
    yield from _narrower_cache(load, best)
    yield from _more_of_unified(machine, load, best)
    if crawls(best):
        yield from _on_the_cards(machine, load, best)
    if best.candidate.offloads and best.candidate.cards:
        yield from _faster_host(machine, load, best)
    elif best.loss_percent > quality().exchange.usable_percent and machine.host.stated is None:
        yield from _host_instead(machine, load, best)
    yield from _more_cards(machine, load, best)
    if best.meets is False:
        yield from _other_card(machine, load, lambda way: way.meets is True)


def crawls(best: Weighed) -> bool:
    """Whether a way that leaves layers to the host is too slow for anybody to wait for."""
    return best.candidate.offloads and bool(best.candidate.cards) and 0 < best.rate < CRAWL_TOKENS_PER_S


def _on_the_cards(machine: Machine, load: Load, best: Weighed) -> Iterator[Change]:
    """Fewer requests, or a shorter context, that the cards hold without the host: the cache is what drove it there."""
    alone = machine._replace(host=machine.host._replace(usable=None))
    if load.sequences > 1:
        less = fewer(alone, load, load.context, 1)
        if less is not None and _improves(best, less.ways[0]):
            count = less.load.sequences
            yield _change(f"serve {count:,} at once, all on the cards", "concurrent_sequences", count, less.ways[0],
                          "users", _better(best, less.ways[0]))  # fmt: skip
    less = fewer(alone, load, min(1024, load.context), load.sequences)
    if less is not None and _improves(best, less.ways[0]):
        context = less.load.context
        yield _change(f"shorten the context to {context:,} tokens, all on the cards", "context_tokens", context,
                      less.ways[0], "context", _better(best, less.ways[0]))  # fmt: skip


def _narrower_cache(load: Load, best: Weighed) -> Iterator[Change]:
    """How far the context goes with the cache at eight bits."""
    candidate = best.candidate
    order = KV_FILES if candidate.engine == FILES else KV_SERVED
    if load.kv_format is not None or candidate.kv in order[1:] or not candidate.cards:
        return
    kv = order[1]
    if kv not in cache_formats(load, candidate.engine, candidate.cards[0].gpu):
        return
    narrow = candidate._replace(kv=kv, work=candidate.work._replace(kv_bytes=constants().kv.bytes[kv], kv_format=kv))
    now, then = limits_of(load, candidate), limits_of(load, narrow)
    longer, before = then.max_context_tokens or 0, now.max_context_tokens or 0
    if longer < before * NOTICEABLE:
        return
    yield Change(
        change=f"keep the cache in {kv}", field="kv_format", value=kv,
        effect=f"longest context {before:,} → {longer:,} tokens", tokens_per_s_per_user=best.rate,
        max_context_tokens=longer, weight_format=candidate.form, costs="quality",
    )  # fmt: skip


def _faster_host(machine: Machine, load: Load, best: Weighed) -> Iterator[Change]:
    """Twice the channels of host memory."""
    faster = machine._replace(host=machine.host._replace(bandwidth=2 * machine.host.bandwidth))
    ways = search(faster, load).ways
    if ways and ways[0].rate > best.rate * NOTICEABLE:
        yield _change(
            f"twice the memory channels ({faster.host.bandwidth / 1e9:.0f} GB/s)", "host_bandwidth_bytes_per_s",
            faster.host.bandwidth, ways[0], "money", _better(best, ways[0]),
        )  # fmt: skip


def _more_host(machine: Machine, load: Load) -> Iterator[Change]:
    """The least host memory with which it fits."""
    if any(card.shared for card in machine.cards) or load.engine not in (None, FILES):
        return
    if load.sequences > FILES_MOST:
        return
    now = machine.host.stated or 0
    sizes = [size for size in HOST_SIZES if size > now]
    found = _first(sizes, lambda size: search(_with_host(machine, size), load._replace(engine=FILES)).ways)
    if found is not None:
        size, way = found
        yield _change(
            f"{format_bytes(size, 0)} of host memory", "host_memory_bytes", size, way, "money",
            fits_as(way.candidate),
        )  # fmt: skip


def _weights_on_host(machine: Machine, load: Load) -> Iterator[Change]:
    """What vLLM's --cpu-offload-gb makes of it: what the cards lack stays in host memory and comes up for every token.

        seconds a token = seconds where all is on the cards + bytes that come up / rate of the slot

    Each card reads its own part. At worst all of it comes up at the rate that programs reach; at best kernels read in
    place what a token visits, of a mixture its experts, as fast as large transfers fill the slot
    (https://docs.vllm.ai/en/stable/configuration/engine_args.html).
    """
    if load.engine != OFFLOADING or machine.unlike or not machine.cards or machine.host.usable is None:
        return
    gpu, near = machine.cards[0].gpu, [one for one in nearest(search(machine, load).missed) if one.engine == OFFLOADING]
    if not near or machine.cards[0].shared:
        return
    lacking = math.ceil((near[0].held.high - near[0].held.usable) / GIB)
    if lacking * GIB * len(machine.cards) > machine.host.usable or lacking * GIB > near[0].held.weights:
        return
    wide = tuple(Card(gpu, card.usable + lacking * GIB) for card in machine.cards)
    ways = [one for one in search(machine._replace(cards=wide), load).ways if one.candidate.form == near[0].form]
    if not ways or not ways[0].rate:
        return
    usual = slot_bytes_per_s(gpu)
    full = max((slot_carries(gpu) or 0.0) * offloading().pcie_reached_ratio.value, usual)
    visited = (load.shape.active_params or load.shape.params) / load.shape.params
    sent = (lacking * GIB / usual, lacking * GIB * visited / full)
    least, most = (1 / (1 / ways[0].rate + seconds) for seconds in sent)
    told = f"{least:.2g}" if most < least * NOTICEABLE else f"{least:.2g} to {most:.2g}"
    yield _change(
        f"--cpu-offload-gb {lacking} (on each card)", "host_memory_bytes", lacking * GIB * len(wide), ways[0], "speed",
        f"fits as {format_name(near[0].form)}, {told} tokens a second",
    ).model_copy(update={"tokens_per_s_per_user": least})  # fmt: skip


def _with_host(machine: Machine, size: int) -> Machine:
    return machine._replace(
        host=machine.host._replace(stated=size, usable=int(size * (1 - constants().llama_cpp.host_reserve_ratio)))
    )


def _first(sizes: list[T], ways: Callable[[T], list[Weighed]]) -> tuple[T, Weighed] | None:
    """The first size that has a way: whatever fits fits on more."""
    low, high = 0, len(sizes)
    best: tuple[T, Weighed] | None = None
    while low < high:
        middle = (low + high) // 2
        found = ways(sizes[middle])
        if found:
            best, high = (sizes[middle], found[0]), middle
        else:
            low = middle + 1
    return best


def _more_cards(machine: Machine, load: Load, best: Weighed | None) -> Iterator[Change]:
    """One more of the same card, or as many as make it fit."""
    if machine.unlike or not machine.cards or len(machine.cards) >= MOST_ALIKE:
        return
    card, now = machine.cards[0], len(machine.cards)
    step = card.gpu.devices
    if card.shared:
        return
    fresh = Card(card.gpu, card.gpu.usable_bytes)
    counts = [now + step] if best is not None else list(range(now + step, MOST_ALIKE + 1, step))
    found = _first(counts, lambda count: search(_with_cards(machine, fresh, count - now), load).ways)
    if found is None:
        return
    count, way = found
    if best is not None and not _improves(best, way):
        return
    effect = _better(best, way) if best is not None else fits_as(way.candidate)
    yield _change(_more(card, now, count), "cards", count, way, "money", effect)
    if best is not None or way.candidate.spread.tp > 1:
        return
    # The least number may not share the layers evenly: the next that does is as near, and the faster.
    for wider in range(count + step, MOST_ALIKE + 1, step):
        ways = search(_with_cards(machine, fresh, wider - now), load).ways
        if ways and ways[0].candidate.spread.tp > 1 and ways[0].rate > way.rate * NOTICEABLE:
            yield _change(_more(card, now, wider), "cards", wider, ways[0], "money", fits_as(ways[0].candidate))
            return


def _more(card: Card, now: int, count: int) -> str:
    step = card.gpu.devices
    more = "one more" if count == now + step else f"{(count - now) // step} more"
    return f"{more} {gpus()[card.gpu.id].name}"


def _with_cards(machine: Machine, card: Card, more: int) -> Machine:
    return machine._replace(cards=(*machine.cards, *(Card(card.gpu, card.usable) for _ in range(more))))


def _other_card(machine: Machine, load: Load, enough: Callable[[Weighed], bool]) -> Iterator[Change]:
    """The smallest common card on which one alone does it."""
    known = sorted((gpus()[name] for name in COMMON_GPUS if name in gpus()), key=lambda gpu: gpu.usable_bytes)
    alone = [machine._replace(cards=(Card(gpu, gpu.usable_bytes),), nodes=1) for gpu in known]
    bare = machine.host._replace(usable=None)
    found = _first(alone, lambda one: list(filter(enough, search(one._replace(host=bare), load).ways[:1])))
    if found is not None:
        other, way = found
        card = other.cards[0].gpu
        yield _change(f"1 × {card.name}", "cards", card.id, way, "money", fits_as(way.candidate))


def _more_of_unified(machine: Machine, load: Load, best: Weighed | None) -> Iterator[Change]:
    """On Macs, more of the memory than macOS lets the GPU use by default."""
    if not machine.cards or machine.unlike or machine.cards[0].gpu.vendor != "Apple":
        return
    card = machine.cards[0]
    kept = max(int(card.gpu.memory_bytes * constants().llama_cpp.host_reserve_ratio), SYSTEM_BYTES)
    granted = card.gpu.memory_bytes - kept
    if granted <= card.usable:
        return
    ways = search(machine._replace(cards=(card._replace(usable=granted),) * len(machine.cards)), load).ways
    if not ways or (best is not None and not _improves(best, ways[0])):
        return
    megabytes = granted // MIB
    effect = fits_as(ways[0].candidate) if best is None else _better(best, ways[0])
    which = "the GPU of each" if len(machine.cards) > 1 else "the GPU"
    said = f"let {which} use {format_bytes(granted)} (sudo sysctl iogpu.wired_limit_mb={megabytes})"
    yield _change(said, "cards", megabytes, ways[0], "nothing", effect)


def _host_instead(machine: Machine, load: Load, best: Weighed) -> Iterator[Change]:
    """The least host memory with which a format that loses much is not needed."""
    free = load._replace(engine=None) if load.engine != FILES else load

    def better(size: int) -> list[Weighed]:
        ways = search(_with_host(machine, size), free).ways[:1]
        return [one for one in ways if one.rank > best.rank and one.candidate.offloads]

    found = _first(list(HOST_SIZES), better)
    if found is not None:
        size, way = found
        yield _change(
            f"{format_bytes(size, 0)} of host memory", "host_memory_bytes", size, way, "money", _better(best, way)
        )


def _improves(best: Weighed, other: Weighed) -> bool:
    faster = other.rate > best.rate * NOTICEABLE
    return faster or other.loss_percent < best.loss_percent - 0.5 or (other.meets is True and best.meets is False)


def _better(best: Weighed, other: Weighed) -> str:
    parts = []
    if other.candidate.form != best.candidate.form:
        parts.append(f"{format_name(best.candidate.form)} → {format_name(other.candidate.form)}")
    if other.candidate.kv != best.candidate.kv:
        parts.append(f"cache {best.candidate.kv} → {other.candidate.kv}")
    parts.append(f"{best.rate:.3g} → {other.rate:.3g} tokens a second")
    return ", ".join(parts)


def _costs(said: tuple[str, ...]) -> str:
    return "quality" if {"weight_format", "kv_format"} & set(said) else "nothing"


def _change(change: str, field: str, value: object, way: Weighed, costs: str, effect: str) -> Change:
    rate = way.rate if way.speed else None
    if effect == "fits" and (tight := beyond(way.candidate.held)):
        effect = f"fits tightly ({tight})"
    shown = effect if "tokens a second" in effect or rate is None else f"{effect}, {rate:.3g} tokens a second"
    return Change.model_validate(
        {
            "change": change, "field": field, "value": value, "effect": shown, "tokens_per_s_per_user": rate,
            "weight_format": way.candidate.form, "costs": costs,
        }
    )  # fmt: skip
