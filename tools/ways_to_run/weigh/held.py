"""What a candidate holds on its fullest card and in the host's memory."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from kb.constants.memory_constants import constants
from tools.memory.estimate import peak_phase, sharded_peak
from tools.memory.fit import verdict_of
from tools.memory.formats import weight_format
from tools.memory.interval import interval
from tools.memory.request import MemoryRequest
from tools.memory.term import Phase
from tools.memory.workload import Workload, is_large, over_pcie, workload_of
from tools.ways_to_run.result import Surety
from tools.ways_to_run.space.formats import FILES
from tools.ways_to_run.space.layouts import Group, Spread
from tools.ways_to_run.space.load import Load

CACHES_PREFIXES = ("vllm", "sglang", "tensorrt-llm")
"""Engines that keep what prompts have in common once."""
HOLDS_IN_SLOTS = ("llama.cpp",)
"""Engines that hold it in the slot of each request, once for each: it takes no less room, but is not read again.
https://github.com/ggml-org/llama.cpp/discussions/13606"""


class Held(NamedTuple):
    """Memory of the fullest card, and of the host."""

    needed: float
    low: float
    high: float
    usable: int
    weights: float
    cache: float
    weights_all: float
    """Of one copy, wherever they lie."""
    surety: Surety | None
    """null: it does not fit."""
    host_bytes: float = 0.0
    host_usable: int | None = None
    host_layers: int = 0
    """Layers whose experts lie in the host's memory, or which whole do."""
    whole_layers: bool = False
    """Whether whole layers do."""
    layers: tuple[int, ...] = ()
    """Layers on each card, where they are dealt out."""

    @property
    def rest(self) -> float:
        """What is neither weights nor cache."""
        return max(self.needed - self.weights - self.cache, 0.0)

    @property
    def spilled(self) -> float:
        """Share of the weights in the host's memory."""
        return min(self.host_bytes / self.weights_all, 1.0) if self.weights_all else 0.0


def base_workload(load: Load, engine: str, form: str) -> Workload:
    """The work in one engine and format, on one card; layouts and lengths are put in afterwards."""
    request = MemoryRequest.model_validate(
        {
            **load.fields, "engine": engine, "weight_format": form, "context_tokens": load.context,
            "concurrent_sequences": load.sequences, "served_adapters": load.adapter_slots or None,
            "lora_rank": load.lora_rank,
        }
    )  # fmt: skip
    return workload_of(request)[0]


def loaded(work: Workload, load: Load, context: int, sequences: int) -> Workload:
    """The same with so many sequences of such a length, what prompts have in common cached once where engines do."""
    own = context
    if load.prefix and work.engine in CACHES_PREFIXES and sequences > 1:
        own = -(-((context - load.prefix) * sequences + load.prefix) // sequences) if context > load.prefix else context
    return work._replace(context=own, sequences=sequences, max_sequences=sequences)


def wide_batches(work: Workload, load: Load) -> Workload:
    """The same with the larger physical batch that is set where weights lie in host memory: it takes room on the card,
    and copies the weights fewer times for a prompt that is longer than a usual batch, as a context can hold one."""
    larger = constants().llama_cpp.offloaded_ubatch_tokens
    return work._replace(ubatch=larger) if load.context > larger and work.ubatch is None else work


class Shard(NamedTuple):
    """What the fullest of equal cards holds, whichever they are."""

    needed: float
    low: float
    high: float
    weights: float
    cache: float
    weights_all: float
    """Of one copy, wherever they lie."""


def held_shared(work: Workload, group: Group, spread: Spread, load: Load, context: int, sequences: int) -> Held:
    """On equal cards that split every layer, or take layers in turn; copies share the sequences."""
    boards = over_pcie(group.gpu, min(spread.tp, group.per_node))
    shard = shard_of(work, spread, load, context, sequences, large=is_large(group.gpu), boards=boards)
    usable = group.usable(spread.cards)
    verdict = verdict_of(shard.needed, shard.high, usable)
    return Held(
        needed=shard.needed, low=shard.low, high=shard.high, usable=usable, weights=shard.weights, cache=shard.cache,
        weights_all=shard.weights_all, surety=None if verdict == "no" else verdict,
    )  # fmt: skip


def shard_of(
    work: Workload, spread: Spread, load: Load, context: int, sequences: int, *, large: bool, boards: bool
) -> Shard:
    """The same for all cards that are alike in what engines reserve on them: `large` ones, and `boards` over PCIe."""
    here = -(-sequences // spread.dp)
    laid = loaded(work, load, context, here)._replace(
        tensor=1 if spread.attention_copies else spread.tp, pipeline=spread.pp,
        expert=spread.ep if spread.attention_copies else 1, large_gpu=large, boards=boards,
    )  # fmt: skip
    phase = sharded_peak(laid)
    low, high = interval(laid, phase)
    return Shard(
        phase.bytes, low, high, _part(phase, "weights"), _part(phase, "kv_cache"),
        _part(peak_phase(laid._replace(tensor=1, pipeline=1, expert=1)), "weights"),
    )  # fmt: skip


def _part(phase: Phase, name: str) -> float:
    return sum([term.bytes for term in phase.terms if term.part == name])


class Deal(NamedTuple):
    """Sizes by which layers are dealt out to cards."""

    layers: int
    dense_layers: int
    """Of them without routed experts."""
    base: float
    """Bytes of a layer without its experts: dense weights and cache."""
    cached: float
    """Of those, cache."""
    experts: float
    """Bytes of the experts of one layer that has them."""
    fixed: float
    """On every card, whatever it has of the model."""
    more: float
    """Upper end of the interval over the estimate."""
    less: float
    """Lower end over the estimate."""

    @property
    def weights(self) -> float:
        """All of them."""
        return self.layers * (self.base - self.cached) + (self.layers - self.dense_layers) * self.experts


def deal_of(work: Workload) -> Deal:
    """The model's layers as llama.cpp deals them out: dense parts and cache of every layer alike, experts by layer."""
    phase, shape = peak_phase(work), work.shape
    weights, cache = _part(phase, "weights"), _part(phase, "kv_cache") + _part(phase, "adapters")
    layers, dense = shape.layers, shape.layers
    experts = 0.0
    if shape.experts is not None and shape.expert_params:
        dense = min(shape.experts.dense_layers, layers - 1)
        experts = min(shape.expert_params * work.format.expert_bits / 8, weights)
    low, high = interval(work, phase)
    return Deal(
        layers=layers, dense_layers=dense, base=(weights - experts + cache) / layers, cached=cache / layers,
        experts=experts / (layers - dense) if experts else 0.0, fixed=phase.bytes - weights - cache,
        more=high / phase.bytes, less=low / phase.bytes,
    )  # fmt: skip


class Dealt(NamedTuple):
    """Where the layers went."""

    layers: tuple[int, ...]
    """Whole or without their experts, on each card."""
    light: int
    """Of them, the first so many without their experts."""


def held_dealt(work: Workload, usables: Sequence[int], host_usable: int | None, *, even: bool) -> list[Held]:
    """Layers dealt out to cards in order, what they cannot hold to the host: experts first, then whole layers.

    Surely held by the cards alone, or as estimated by them alone, or surely with the host: whichever there are.
    `even`: the cards are alike, so each gets as many layers.
    """
    deal = deal_of(work)
    found: list[Held] = []
    sure = _on_cards(deal, usables, deal.more, even=even)
    if sure is not None:
        return [_told(deal, usables, host_usable, sure, "yes")]
    tight = _on_cards(deal, usables, 1.0, even=even)
    if tight is not None:
        found.append(_told(deal, usables, host_usable, tight, "tight"))
    if host_usable is not None:
        for scale, surety in ((deal.more, "yes"), (1.0, "tight")):
            split = _with_host(deal, usables, scale, host_usable)
            if split is not None:
                found.append(_told(deal, usables, host_usable, split, "yes" if surety == "yes" else "tight"))
                break
    return found


def _on_cards(deal: Deal, usables: Sequence[int], scale: float, *, even: bool) -> Dealt | None:
    """All layers on the cards, or nothing."""
    if not even or deal.dense_layers not in (0, deal.layers):
        layers = _filled(deal, usables, scale, light=0)
        if layers is None or sum(layers) < deal.layers:
            return None
        if not even:
            return Dealt(layers, 0)
    each = -(-deal.layers // len(usables))
    heavy = (deal.base + deal.experts) * scale
    if each * heavy + deal.fixed * scale > min(usables):
        layers = _filled(deal, usables, scale, light=0)
        return Dealt(layers, 0) if layers and sum(layers) == deal.layers else None
    whole, over = divmod(deal.layers, len(usables))
    return Dealt(tuple(whole + (place < over) for place in range(len(usables))), 0)


def _filled(deal: Deal, usables: Sequence[int], scale: float, light: int) -> tuple[int, ...] | None:
    """Each card filled in turn, the first `light` layers with experts without them; null where a card holds nothing."""
    slim, heavy = deal.base * scale, (deal.base + deal.experts) * scale
    slim_left = min(deal.dense_layers + light, deal.layers)
    heavy_left = deal.layers - slim_left
    counts = []
    for usable in usables:
        room = usable - deal.fixed * scale
        if room <= 0:
            return None
        first = min(slim_left, int(room // slim)) if slim else slim_left
        room -= first * slim
        then = min(heavy_left, int(room // heavy)) if first == slim_left else 0
        slim_left, heavy_left = slim_left - first, heavy_left - then
        counts.append(first + then)
    return tuple(counts)


def _with_host(deal: Deal, usables: Sequence[int], scale: float, host_usable: int) -> Dealt | None:
    """As much as possible on the cards, the rest to the host; null where it does not hold that."""
    experts = deal.layers - deal.dense_layers
    low, high = 0, experts
    everything = _filled(deal, usables, scale, light=experts)
    if everything is None:
        return None
    if sum(everything) == deal.layers:
        while low < high:
            middle = (low + high) // 2
            found = _filled(deal, usables, scale, light=middle)
            low, high = (low, middle) if found and sum(found) == deal.layers else (middle + 1, high)
        dealt = Dealt(_filled(deal, usables, scale, light=low) or everything, low)
    else:
        dealt = Dealt(everything, experts)
    if sum(dealt.layers) == 0 or _away(deal, dealt) * scale > host_usable:
        return None
    return dealt


def _away(deal: Deal, dealt: Dealt) -> float:
    """Bytes in the host's memory."""
    missing = deal.layers - sum(dealt.layers)
    return dealt.light * deal.experts + missing * deal.base


def _told(deal: Deal, usables: Sequence[int], host_usable: int | None, dealt: Dealt, surety: Surety) -> Held:
    slim_left = min(deal.dense_layers + dealt.light, deal.layers)
    weights = deal.base - deal.cached
    cards = []
    for count in dealt.layers:
        slim = min(slim_left, count)
        slim_left -= slim
        cards.append((count * weights + (count - slim) * deal.experts, count * deal.cached))
    totals = [held + cache + deal.fixed for held, cache in cards]
    fullest = max(range(len(totals)), key=lambda place: totals[place] / usables[place])
    total = totals[fullest]
    missing = deal.layers - sum(dealt.layers)
    return Held(
        needed=total, low=total * deal.less, high=total * deal.more, usable=usables[fullest],
        weights=cards[fullest][0], cache=cards[fullest][1], weights_all=deal.weights, surety=surety,
        host_bytes=_away(deal, dealt), host_usable=host_usable,
        host_layers=missing or dealt.light, whole_layers=missing > 0, layers=dealt.layers,
    )  # fmt: skip


def held_by_host(work: Workload, host_usable: int) -> Held | None:
    """All in the host's memory, without a card; null where it does not hold it."""
    deal = deal_of(work)
    total = deal.weights + deal.layers * deal.cached + deal.fixed
    verdict = verdict_of(total, total * deal.more, host_usable)
    if verdict == "no":
        return None
    return Held(
        needed=0.0, low=0.0, high=0.0, usable=0, weights=0.0, cache=0.0, weights_all=deal.weights, surety=verdict,
        host_bytes=total, host_usable=host_usable, host_layers=deal.layers, whole_layers=True,
    )  # fmt: skip


@lru_cache(maxsize=256)
def file_bits(name: str) -> float:
    """Bits of most weights in a format, to order formats by."""
    return weight_format(name).expert_bits


__all__ = [
    "FILES", "Held", "Shard", "base_workload", "deal_of", "file_bits", "held_by_host", "held_dealt", "held_shared",
    "loaded", "shard_of", "wide_batches",
]  # fmt: skip
