"""Cards of several kinds that one has: llama.cpp deals the layers out to them; nothing else uses them together."""

from collections.abc import Iterator
from decimal import Decimal
from itertools import product
from math import prod
from typing import NamedTuple

from kb.base import AdvisorError
from kb.catalog import gpus
from kb.records.gpu import Gpu
from tools.base import Step
from tools.configuration import CardsHeld, Configuration, MemoryFit, Price
from tools.configure.reasons import reason, texts
from tools.configure.workload import FILES, SMALLEST_FILES, Workload
from tools.memory.pooled import Pooled, pooled
from tools.memory.request import MemoryRequest
from tools.memory.result import Verdict
from tools.speed import estimate_inference_speed
from tools.speed.request import InferenceSpeedRequest

EVERY = tuple(form for form, _ in FILES)
EIGHT, FOUR = EVERY[0], EVERY[-1]
STEPS = {None: EVERY, "bf16": EVERY, "fp16": EVERY, "fp8": (EIGHT,), "int8": (EIGHT,)}
"""Format asked for → those tried, best first; every other one is four bits."""
MOST_CARDS = 16
MOST_PICKS = 512
"""So many ways to pick some of the cards are weighed; of more cards than that all are used."""
ENGINES = {None, "llama.cpp"}
ENDS = (
    ("tokens_per_s_per_user", "value"),
    ("tokens_per_s_per_user_low", "low"),
    ("tokens_per_s_per_user_high", "high"),
)
Speed = dict[str, float | str | None]


class Tried(NamedTuple):
    """Some of the cards, one format, and how they hold it."""

    request: MemoryRequest
    cards: list[Gpu]
    held: Pooled
    speed: Speed | None

    @property
    def rank(self) -> tuple[float, int]:
        """Faster first, then fewer cards."""
        rate = (self.speed or {}).get("tokens_per_s_per_user")
        return -(rate if isinstance(rate, float) else 0.0), len(self.cards)


def together(load: Workload, owned: dict[str, int], weight_format: str | None) -> tuple[Configuration, Step] | None:
    """One model over cards of several kinds; null when they are of one kind, or do not hold it even so.

    Serving language models only: training needs equal ranks, and images, speech and vision whole copies. Of the cards
    those are used that are fastest together in the best format that they hold: a slow card that is not needed holds up
    every token. Below four bits only where nothing above holds it and no format was asked for.
    """
    asked = load.variants[0].request
    cards = [gpus()[name] for name, count in sorted(owned.items()) for _ in range(count)]
    cards.sort(key=lambda gpu: (-gpu.usable_bytes, gpu.id))
    unlike = len(owned) > 1 and len(cards) <= MOST_CARDS
    if not unlike or load.training or not load.language or asked.engine not in ENGINES:
        return None
    gguf = weight_format is not None and weight_format.startswith("gguf")
    forms = (str(weight_format),) if gguf else STEPS.get(weight_format, (FOUR,))
    for among in (forms, SMALLEST_FILES if weight_format is None else ()):
        for verdict in ("yes", "tight"):
            for form in among:
                best = _best(asked.model_copy(update={"weight_format": form, "engine": "llama.cpp"}), cards, verdict)
                if best is not None:
                    return _configuration(best)
    return None


def _best(request: MemoryRequest, cards: list[Gpu], verdict: Verdict) -> Tried | None:
    """The fastest pick of the cards, of two kinds at least, that holds it so surely; null where none does."""
    try:
        if _not_so(pooled(request, cards).verdict, verdict):
            return None  # fewer cards never hold more
    except AdvisorError:
        return None
    found = []
    for pick in _picks(cards):
        held = pooled(request, pick)
        if held.verdict == verdict and all(held.layers):
            found.append(Tried(request, pick, held, _speed(request, pick, held)))
    return min(found, key=lambda one: one.rank, default=None)


def _not_so(verdict: Verdict, wanted: Verdict) -> bool:
    return verdict == "no" or (verdict == "tight" and wanted == "yes")


def _picks(cards: list[Gpu]) -> Iterator[list[Gpu]]:
    """Every number of every kind with two kinds at least, all of them first."""
    yield cards
    kinds = {gpu.id: [one for one in cards if one.id == gpu.id] for gpu in cards}
    if prod(len(alike) + 1 for alike in kinds.values()) > MOST_PICKS:
        return
    for counts in product(*(range(len(alike), -1, -1) for alike in kinds.values())):
        pick = [gpu for alike, count in zip(kinds.values(), counts, strict=True) for gpu in alike[:count]]
        if sum(count > 0 for count in counts) > 1 and len(pick) < len(cards):
            yield pick


def _configuration(tried: Tried) -> tuple[Configuration, Step]:
    request, cards, held, speed = tried
    kinds = list(dict.fromkeys(gpu.id for gpu in cards))
    shown = tuple(
        CardsHeld(
            gpu=kind,
            count=sum(gpu.id == kind for gpu in cards),
            layers=sum(layers for gpu, layers in zip(cards, held.layers, strict=True) if gpu.id == kind),
        )
        for kind in kinds
    )
    names = " + ".join(f"{one.count} × {gpus()[one.gpu].name}" for one in shown)
    fullest = max(range(len(cards)), key=lambda place: held.held_bytes[place] / cards[place].usable_bytes)
    reasons = (
        reason("why", "split_by_memory", cards=names, format=str(request.weight_format)),
        reason("trade_off", "unlike_cards", slowest=min(cards, key=_bandwidth).name),
    )
    found = Configuration(
        rank=1, title=f"{names} (owned)", acquisition="buy", gpu=cards[0].id, gpu_name=names, gpu_count=len(cards),
        nodes=1, pipeline_parallel=len(cards), weight_format=request.weight_format, engine="llama.cpp",
        memory=MemoryFit(
            needed_bytes_per_gpu=held.held_bytes[fullest], usable_bytes_per_gpu=cards[fullest].usable_bytes,
            verdict=held.verdict,
        ),
        speed=speed, price=Price(amount=Decimal(0), complete=True),
        power_w=sum(gpu.tdp_w or 0 for gpu in cards) or None, why=" ".join(texts(reasons, "why")),
        trade_offs=texts(reasons, "trade_off"), owned_count=len(cards), cards=shown, reasons=reasons,
    )  # fmt: skip
    return found, _step(found, held)


def _bandwidth(gpu: Gpu) -> float:
    return float(gpu.bandwidth_bytes_per_s or 0)


def _speed(request: MemoryRequest, cards: list[Gpu], held: Pooled) -> Speed | None:
    """Tokens a second of one user: every card takes the share of a token's time that its share of the layers is.

    time = Σ layers_i / layers · time of the whole model on cards like i
    """
    seconds = dict.fromkeys((name for name, _ in ENDS), 0.0)
    for kind, gpu in {gpu.id: gpu for gpu in cards}.items():
        layers = sum(dealt for one, dealt in zip(cards, held.layers, strict=True) if one.id == kind)
        alone = next((count for count in range(1, MOST_CARDS) if _alone(request, gpu, count)), None)
        if alone is None:
            return None
        try:
            found = estimate_inference_speed(
                InferenceSpeedRequest.model_validate(
                    {
                        "model": request.model, "params": None if request.model else request.params, "gpu": gpu.id,
                        "gpu_count": alone, "engine": "llama.cpp", "weight_format": request.weight_format,
                        "context_tokens": request.context_tokens, "kv_format": request.kv_format,
                        "concurrent_sequences": request.concurrent_sequences or 1,
                    }
                )
            )  # fmt: skip
        except AdvisorError:
            return None
        rate = found.tokens_per_s_per_user
        if rate is None:
            return None
        for name, end in ENDS:
            seconds[name] += layers / sum(held.layers) / getattr(rate, end)
    return {**{name: 1 / total for name, total in seconds.items()}, "label": "formula"}


def _alone(request: MemoryRequest, gpu: Gpu, count: int) -> bool:
    return pooled(request, [gpu] * count).verdict != "no"


def _step(found: Configuration, held: Pooled) -> Step:
    return Step(
        label=found.title, formula="layers dealt out by room_i = usable_i - fixed",
        inputs={f"layers {one.gpu}": one.layers for one in found.cards}, value=held.needed_bytes, unit="bytes",
        source="calibration",
    )  # fmt: skip
