"""Compare a few GPUs attribute by attribute, and name the winner for a workload."""

from collections.abc import Callable
from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from kb.base import BadInput, Frozen, UnknownName
from kb.lexicon import read_model, read_params
from kb.lexicon.fields import CountText, HostMemoryText
from kb.records.gpu import Gpu
from kb.units import GIB, format_bytes
from tools.base import Step, ToolResult
from tools.compare_sets import Matter, SetsCompared, compare_sets
from tools.gpu_row import GpuRow, row
from tools.named import cited, read_card, vouching
from tools.ways_to_run.request import Tokens, WaysToRunRequest
from tools.ways_to_train.request import WaysToTrainRequest

Workload = Literal["llm_decode", "llm_prefill", "training", "lora", "image", "general"]


class ComparisonRequest(Frozen):
    """Cards to compare, or sets of cards for a work."""

    gpus: tuple[str, ...] = Field(default=(), max_length=6)
    """Two to six ids, vendor names or aliases; an ambiguous name gets its usual meaning, which is said."""
    workload: Workload | None = None
    """What they are for; decides which attribute names the winner. null = no overall winner."""
    sets: tuple[Annotated[str, Field(max_length=300)], ...] = Field(default=(), max_length=6)
    """Two to six sets instead, as people write them: "2x 3090", "1x 5090", "Mac Studio 512GB", "DGX Spark"."""
    by: Matter | None = None
    """Of sets, what decides; null = speed at the model, without one memory."""
    model: str | None = Field(default=None, max_length=300)
    """Of sets, what they are to run or to train, with its format if one is wanted: "Qwen3-32B AWQ"."""
    context_tokens: Tokens | None = None
    """Of one sequence; null = as in find_ways_to_run."""
    concurrent_sequences: int | None = Field(default=None, gt=0, le=10**7)
    """Answered at once; null = one."""
    host_memory: HostMemoryText | None = None
    """Memory of each machine itself, which may take part; null = none of it."""
    method: str | None = Field(default=None, max_length=60)
    """Of a training: full, lora, qlora …; null = the model is served."""
    dataset_tokens: CountText | None = None
    """Of a training: tokens of one pass."""
    today: date | None = None
    """Day by which the age of prices is judged; null = today."""


class Attribute(Frozen):
    """One attribute of every card, on one basis."""

    name: str
    """Field compared, e.g. `bandwidth_bytes_per_s`."""
    label: str
    unit: str
    higher_is_better: bool
    values: dict[str, float | None]
    """Card id → value; null = no source states it, or the hardware lacks it."""
    ratio_to_first: dict[str, float | None]
    """Card id → value over that of the first card."""
    winner: str | None
    """Card id; null for a tie or fewer than two values."""


class Comparison(ToolResult):
    """Cards side by side."""

    gpus: tuple[GpuRow, ...]
    """In the order asked for."""
    attributes: tuple[Attribute, ...]
    workload: Workload | None
    winner: str | None
    """Card id that does best at the workload; null without a workload, or when the deciding figures tie or lack."""
    decided_by: str | None
    """Attribute that decides the workload."""
    reason: str
    """One English sentence: why that one wins and what speaks against it."""
    compared: SetsCompared | None = None
    """Sets side by side; null where single cards are compared."""


_Value = Callable[[GpuRow], float | None]
_BASES: tuple[tuple[str, str, str, bool, _Value], ...] = (
    ("memory_bytes", "Memory", "bytes", True, lambda one: one.memory_bytes),
    ("usable_bytes", "Usable memory", "bytes", True, lambda one: one.usable_bytes),
    ("bandwidth_bytes_per_s", "Memory bandwidth", "bytes_per_s", True, lambda one: one.bandwidth_bytes_per_s),
    ("fp32_flops", "FP32", "flops", True, lambda one: one.fp32_flops),
    ("fp16_flops", "FP16 tensor, dense", "flops", True, lambda one: one.fp16_flops),
    ("bf16_flops", "BF16 tensor, dense", "flops", True, lambda one: one.bf16_flops),
    ("fp8_flops", "FP8 tensor, dense", "flops", True, lambda one: one.fp8_flops),
    ("int8_ops", "INT8 tensor, dense", "ops", True, lambda one: one.int8_ops),
    ("fp4_flops", "FP4 tensor, dense", "flops", True, lambda one: one.fp4_flops),
    ("nvlink_bytes_per_s", "Link between cards", "bytes_per_s", True, lambda one: one.nvlink_bytes_per_s),
    ("tdp_w", "Board power", "w", False, lambda one: one.tdp_w),
    ("flops_per_w", "16-bit rate per watt", "flops_per_w", True,
     lambda one: _compute(one) / one.tdp_w if _compute(one) and one.tdp_w else None),
    ("price_usd", "Price of one card, middle of what was read", "usd", False, lambda one: _price(one)),
    ("usd_per_gib", "Price per GiB", "usd_per_gib", False, lambda one: one.usd_per_gib),
    ("usd_per_tb_s", "Price per TB/s", "usd_per_tb_per_s", False, lambda one: one.usd_per_tb_s),
    ("usd_per_tflops", "Price per 16-bit TFLOPS", "usd_per_tflops", False, lambda one: one.usd_per_tflops),
)  # fmt: skip

_DECIDERS: dict[Workload, tuple[str, str]] = {
    "llm_decode": ("bandwidth_bytes_per_s", "each token reads all active weights, so memory bandwidth decides"),
    "llm_prefill": ("compute_flops", "reading the prompt is matrix multiplication, so the 16-bit tensor rate decides"),
    "training": ("compute_flops", "training is matrix multiplication, so the 16-bit tensor rate decides"),
    "lora": ("compute_flops", "a LoRA step still passes through the whole model, so the 16-bit tensor rate decides"),
    "image": ("compute_flops", "diffusion steps are matrix multiplication, so the 16-bit tensor rate decides"),
    "general": ("memory_bytes", "what does not fit does not run, so memory decides"),
}  # fmt: skip


def compare_gpus(request: ComparisonRequest) -> Comparison:
    """Compare two to six GPUs on memory, bandwidth, dense compute rates, links, power and price; or sets of cards.

    Every attribute is on one basis (dense rates, binary memory) with its winner and ratios. With a workload
    (llm_decode, llm_prefill, training, lora, image, general) one overall winner is named, with the reason; the
    winner is only better if the model fits on it, which estimate_memory tells. With `sets` ("2x 3090" against
    "1x 5090", a Mac, a small computer) and a model, each set is told with its best way to run it, or to train it, and
    the winner is that of the matter asked: speed, first_token, context, users, memory, bandwidth, cost, power.

    Raises:
        BadInput: fewer than two are named, or every name means the same card.
    """
    if request.sets:
        return _sets(request)
    if len(request.gpus) < 2:
        raise BadInput("gpus", "names fewer than two cards.", "Name two to six cards, or sets of cards as sets.")
    cards, assumed = _read(request.gpus)
    rows = tuple(row(card, request.today) for card in cards)
    attributes = tuple(_attribute(rows, *basis) for basis in _BASES)
    decider, why = _DECIDERS[request.workload] if request.workload else (None, "")
    deciding = _deciding(rows, decider) if decider else None
    winner = deciding.winner if deciding else None
    return Comparison(
        gpus=rows,
        attributes=attributes,
        workload=request.workload,
        winner=winner,
        decided_by=decider,
        reason=_reason(rows, deciding, why) if deciding else "",
        derivation=_derivation(rows, attributes),
        assumptions=assumed,
        warnings=_warnings(rows),
        sources=cited(
            key
            for card, one in zip(cards, rows, strict=True)
            for key in (*vouching(card, Gpu.model_fields), one.price.source if one.price else None)
        ),
    )


def _sets(request: ComparisonRequest) -> Comparison:
    if request.gpus or len(request.sets) < 2:
        raise BadInput("sets", "is one set, or stands beside gpus.", "Name two to six sets and no single cards.")
    found = compare_sets(request.sets, request.by, _work(request))
    return Comparison(
        gpus=(), attributes=(), workload=None, winner=found.winner, decided_by=found.by, reason=found.reason,
        compared=found, assumptions=found.assumptions, sources=found.sources,
        derivation=(Step(label=f"Sets by {found.by}", formula="best of all", inputs=dict(found.values),
                         value=found.winner),),
    )  # fmt: skip


def _work(request: ComparisonRequest) -> WaysToRunRequest | WaysToTrainRequest | None:
    """What the sets are compared at."""
    if request.model is None:
        return None
    named = _named(request.model)
    host = {"host_memory": request.host_memory} if request.host_memory else {}
    if request.method is not None:
        return WaysToTrainRequest.model_validate(
            {**named, "method": request.method, "dataset_tokens": request.dataset_tokens,
             "sequence_tokens": request.context_tokens, "today": request.today, **host}
        )  # fmt: skip
    load = {"context_tokens": request.context_tokens, "concurrent_sequences": request.concurrent_sequences}
    given = {name: value for name, value in load.items() if value is not None}
    return WaysToRunRequest.model_validate({**named, **given, **host})


def _named(text: str) -> dict[str, object]:
    """The fields that say which model: its name, or its parameters where only a size was said ("120B")."""
    try:
        read_model(text)
    except UnknownName:
        try:
            size = read_params(text)
        except BadInput:
            return {"model": text}  # refused by its name
        counts = {"params": size.params, "active_params": size.active_params, "weight_format": size.weight_format}
        return {name: value for name, value in counts.items() if value}
    return {"model": text}


def _read(names: tuple[str, ...]) -> tuple[list[Gpu], tuple[str, ...]]:
    cards: dict[str, Gpu] = {}
    assumed: list[str] = []
    for name in names:
        card, assumptions = read_card(name)
        cards.setdefault(card.id, card)
        assumed += assumptions
    if len(cards) == 1:
        raise BadInput("gpus", f"every name means {next(iter(cards))}.", "Name another card beside it.")
    return list(cards.values()), tuple(assumed)


def _compute(one: GpuRow) -> float:
    """Dense rate of the 16-bit format the card trains in: BF16, or FP16 where the hardware has no BF16."""
    return one.bf16_flops or one.fp16_flops or one.fp32_flops or 0.0


def _price(one: GpuRow) -> float | None:
    """What is budgeted for it, as in a bill."""
    if one.price is None:
        return None
    least = float(one.price.amount_usd)
    return (least + float(one.price_high_usd or least)) / 2


def _deciding(rows: tuple[GpuRow, ...], name: str) -> Attribute:
    if name == "compute_flops":
        return _attribute(rows, name, "16-bit tensor rate, dense", "flops", True, lambda one: _compute(one) or None)
    return _attribute(rows, *next(basis for basis in _BASES if basis[0] == name))


def _attribute(
    rows: tuple[GpuRow, ...], name: str, label: str, unit: str, higher_is_better: bool, value: _Value
) -> Attribute:
    values = {one.id: value(one) for one in rows}
    first = values[rows[0].id]
    return Attribute(
        name=name,
        label=label,
        unit=unit,
        higher_is_better=higher_is_better,
        values=values,
        ratio_to_first={
            key: round(held / first, 3) if held is not None and first else None for key, held in values.items()
        },
        winner=_winner(values, higher_is_better),
    )


def _winner(values: dict[str, float | None], higher_is_better: bool) -> str | None:
    held = {key: value for key, value in values.items() if value is not None}
    if len(held) < 2:
        return None
    best = (max if higher_is_better else min)(held.values())
    winners = [key for key, value in held.items() if value == best]
    return winners[0] if len(winners) == 1 else None


def _reason(rows: tuple[GpuRow, ...], deciding: Attribute, why: str) -> str:
    by_id = {one.id: one for one in rows}
    if deciding.winner is None:
        return f"No single winner: {why}, and there the cards tie or a figure is missing."
    best = by_id[deciding.winner]
    others = [one for one in rows if one.id != best.id]
    margins = ", ".join(
        f"{deciding.values[best.id] / deciding.values[one.id]:.2f}× {one.name}"  # type: ignore[operator]
        for one in others
        if deciding.values[one.id]
    )
    said = f"{best.name}: {why}, and it has {margins}."
    roomier = [one for one in others if one.usable_bytes > best.usable_bytes]
    if roomier:
        most = max(roomier, key=lambda one: one.usable_bytes)
        held, against = format_bytes(most.usable_bytes), format_bytes(best.usable_bytes)
        said += f" {most.name} holds more ({held} against {against})."
    return said


def _derivation(rows: tuple[GpuRow, ...], attributes: tuple[Attribute, ...]) -> tuple[Step, ...]:
    return tuple(
        Step(
            label=f"{one.label}: {rows[0].name} against the others",
            formula="value / value of the first card",
            inputs=dict(one.values),
            value=one.ratio_to_first[one.winner],
            unit="ratio",
        )
        for one in attributes
        if one.winner is not None and one.ratio_to_first[one.winner] is not None
    )


def _warnings(rows: tuple[GpuRow, ...]) -> tuple[str, ...]:
    said = [f"{one.name}: {one.notes}" for one in rows if one.notes]
    undated = [one.name for one in rows if one.price and one.price.as_of is None]
    stale = [
        f"{one.name} ({one.price.kind} price of {one.price.as_of})"
        for one in rows if one.price and one.price.as_of and one.price_stale
    ]  # fmt: skip
    if undated:
        said.append(f"Undated price: {', '.join(undated)}.")
    if stale:
        said.append(f"Price older than 30 days: {', '.join(stale)}.")
    if len({one.memory_bytes // GIB for one in rows}) > 1:
        said.append("The cards differ in memory: a model that fits one may not fit the other.")
    return tuple(said)
