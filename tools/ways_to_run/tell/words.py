"""A way in words: its title, its cards, and what speaks for it."""

from collections.abc import Iterator

from kb.constants.quality import quality
from kb.units import format_bytes
from tools.ways_to_run.result import UsedCards, Way
from tools.ways_to_run.space.formats import FILES, WIDE, bits_per_weight, made_by_others, published
from tools.ways_to_run.space.load import Load
from tools.ways_to_run.weigh.candidate import Candidate
from tools.ways_to_run.weigh.held import Held
from tools.ways_to_run.weigh.worth import Weighed

ENGINES = {"vllm": "vLLM", "sglang": "SGLang", "tensorrt-llm": "TensorRT-LLM", FILES: "llama.cpp"}

FEWER_RATIO = 0.95
"""Bits of a weight, of those published, below which a format is narrower and no other spelling of the same."""
UNNOTICED_PERCENT = 1.0
"""Rise of perplexity that makers publish a checkpoint with and nobody notices."""


def format_name(form: str) -> str:
    """`gguf:Q4_K_M` → `Q4_K_M`, `awq` → `AWQ`."""
    return form.removeprefix("gguf:") if form.startswith("gguf:") else form.upper()


def narrower(load: Load, way: Way) -> str | None:
    """What a way holds in fewer bits than published, where nobody asked for it; null where nothing is."""
    parts = []
    here, published_ = bits_per_weight(load, way.weight_format), bits_per_weight(load, load.native)
    if load.weight_format is None and here < FEWER_RATIO * published_:
        parts.append(f"weights in {format_name(way.weight_format)} ({here:.2g} of {published_:.2g} bits)")
    if load.kv_format is None and way.kv_format not in WIDE:
        parts.append(f"cache in {way.kv_format}")
    return ", ".join(parts) or None


def used_cards(candidate: Candidate) -> tuple[UsedCards, ...]:
    """Cards of each kind that the way uses on one node."""
    kinds: dict[str, list[int]] = {}
    for place, card in enumerate(candidate.cards):
        kinds.setdefault(card.gpu.id, []).append(place)
    layers = candidate.held.layers
    return tuple(
        UsedCards(
            gpu=kind, name=candidate.cards[places[0]].gpu.name, count=len(places),
            layers=sum(layers[place] for place in places) if layers else None,
        )
        for kind, places in kinds.items()
    )  # fmt: skip


def cards_name(candidate: Candidate) -> str:
    """`2 × GeForce RTX 3090`."""
    shown = " + ".join(f"{one.count} × {one.name}" for one in used_cards(candidate)) or "the processor"
    nodes = nodes_used(candidate)
    return f"{nodes} nodes of {shown}" if nodes > 1 else shown


def nodes_used(candidate: Candidate) -> int:
    """Machines the way takes."""
    return -(-candidate.spread.cards // candidate.group.per_node) if candidate.group else 1


def title_of(candidate: Candidate) -> str:
    """Format, engine, cards and what is peculiar."""
    parts = [f"{format_name(candidate.form)} in {ENGINES[candidate.engine]} on {cards_name(candidate)}"]
    layout = layout_name(candidate)
    if layout:
        parts.append(layout)
    if candidate.kv not in ("bf16", "fp16"):
        parts.append(f"{candidate.kv} cache")
    held = candidate.held
    if candidate.hops:
        parts.append("pooled over the network")
    if candidate.offloads and candidate.cards:
        what = "layers" if held.whole_layers else "layers' experts"
        parts.append(f"{held.host_layers} {what} in host memory")
    return ", ".join(parts)


def layout_name(candidate: Candidate) -> str:
    """Tensor parallelism, pipeline, copies, as people write them; empty on one card."""
    spread = candidate.spread
    if candidate.group is None and candidate.engine != FILES:
        return f"PP {spread.pp} of {' + '.join(map(str, candidate.held.layers))} layers"
    if candidate.group is None and spread.tp == 1:
        return ""
    shown = (("TP", spread.tp), ("PP", spread.pp), ("DP", spread.dp), ("EP", spread.ep))
    return " ".join(f"{name} {ways}" for name, ways in shown if ways > 1)


def percent(value: float) -> str:
    """A share in percent in two digits, never as a power of ten: 0.19, 5, 120."""
    return f"{float(f'{value:.2g}'):g}"


def beyond(held: Held) -> str | None:
    """What of the estimate a card may not hold: the upper end of its interval; null where it holds all."""
    if held.surety != "tight":
        return None
    return f"up to {format_bytes(int(held.high))} of {format_bytes(int(held.usable))} usable"


def fits_as(candidate: Candidate) -> str:
    """`fits as FP8, TP 4`; with the upper end of the estimate where that is beyond what is usable."""
    form, layout, tight = format_name(candidate.form), layout_name(candidate), beyond(candidate.held)
    return f"fits{f' tightly ({tight})' if tight else ''} as {form}{f', {layout}' if layout else ''}"


def why(load: Load, one: Weighed) -> Iterator[str]:
    """What speaks for the way and what one gives up, what its formats lose first."""
    candidate = one.candidate
    cache = " Its four-bit cache is noticeable in long contexts." if candidate.kv == "q4_0" else ""
    weights = quality().weights_percent(candidate.form, load.native, load.shape.params)
    own = published(load, candidate.form) if candidate.engine != FILES else None
    if candidate.form in (load.native, "gguf:BF16") or weights == 0:
        yield f"The weights as they were published: nothing is lost.{cache}"
    elif own and weights < UNNOTICED_PERCENT:
        yield f"The model's makers publish it in {format_name(candidate.form)} themselves: {own}.{cache}"
    else:
        yield (
            f"{format_name(candidate.form)} raises perplexity by about {percent(weights)} % over the published weights "
            f"(scaled from measurements on Llama-3-8B).{cache}"
        )
    if candidate.held.surety == "tight":
        yield (
            f"The estimate of {format_bytes(int(candidate.held.needed))} fits, the upper end of its interval "
            f"({format_bytes(int(candidate.held.high))}) does not: start it with less context first."
        )
    if candidate.condition is not None:
        yield f"On this card: {candidate.condition.reason}. {candidate.condition.instead}".strip()
    if candidate.engine != FILES and made_by_others(load, candidate.engine, candidate.form):
        name = format_name(candidate.form)
        yield f"No {name} checkpoint of its makers is known here: take one from others, or make it."
    if candidate.group is not None and len({card.gpu.id for card in candidate.group.cards}) > 1:
        yield "The engine takes unlike cards for so many of the least of them."
    if candidate.offloads and candidate.cards:
        yield (
            f"{format_bytes(int(candidate.held.host_bytes))} lie in host memory, whose "
            f"{candidate.host.bandwidth / 1e9:.0f} GB/s set the pace."
        )
