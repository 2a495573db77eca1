"""What a person can do with the cards in hand: the largest model for each way of using it."""

from functools import lru_cache
from typing import Literal

from pydantic import Field, model_validator

from kb.base import BadInput, Frozen
from kb.catalog import gpu as find_gpu
from kb.catalog import gpus, models
from kb.records.gpu import Gpu
from kb.units import GIB, format_bytes, format_count
from tools.base import Step, ToolResult
from tools.configure.layout import Layout, layouts
from tools.configure.workload import Variant
from tools.memory import estimate_memory
from tools.memory.request import MemoryRequest
from tools.memory.result import MemoryEstimate
from tools.need import GpuCount

Method = Literal["inference", "lora", "qlora", "full_finetune"]
METHODS: tuple[tuple[Method, str | None, str | None], ...] = (
    ("inference", "bf16", None),
    ("inference", "int8", None),
    ("inference", "awq", None),
    ("lora", "bf16", "adamw"),
    ("qlora", "nf4", "paged_adamw_8bit"),
    ("full_finetune", "bf16", "adamw"),
    ("full_finetune", "bf16", "adamw_8bit"),
)
"""Method, weight format, optimizer: best quality first within a method."""
SMALLEST, LARGEST = 10**7, 4 * 10**12
EXAMPLES = 3
NEAR = 1.5
"""Named models up to this factor above the generic limit are tried: real shapes differ from the typical one."""
TRIES = 12
CARDS = {"consumer", "workstation", "data_center"}
"""Markets of what people call a card; laptops and boards share memory with more than the GPU's own work."""


class WhatFitsRequest(Frozen):
    """Cards in hand, and optionally how they are to be used."""

    gpus: tuple[GpuCount, ...] = Field(default=(), max_length=8)
    """Cards with their counts; mixed cards count as so many of the smallest."""
    memory_bytes_per_gpu: int | None = Field(default=None, ge=GIB, le=10**13)
    """For a card known only by its memory (binary, as on the box)."""
    gpu_count: int | None = Field(default=None, ge=1, le=4096)
    """How many of those."""
    task: Method | None = None
    """Only this method; null = all."""
    weight_format: str | None = Field(default=None, max_length=40)
    """Only this format."""
    context_tokens: int | None = Field(default=None, gt=0, le=10**8)
    concurrent_sequences: int | None = Field(default=None, gt=0, le=10**6)
    sequence_tokens: int | None = Field(default=None, gt=0, le=10**8)
    micro_batch_size: int | None = Field(default=None, gt=0, le=10**5)

    @model_validator(mode="after")
    def _some_card(self) -> "WhatFitsRequest":
        if not self.gpus and self.memory_bytes_per_gpu is None:
            raise ValueError("give gpus, or memory_bytes_per_gpu")
        return self


class Example(Frozen):
    """A named model that fits."""

    model: str
    name: str
    params: int
    needed_bytes_per_gpu: int
    verdict: Literal["yes", "tight"]


class FitRow(Frozen):
    """The largest model for one method."""

    task: Method
    weight_format: str
    optimizer: str | None
    max_params: int | None
    """Largest typical dense model that fits for sure; null when not even a small one does."""
    needed_bytes_per_gpu: int | None
    """What that model holds on each GPU."""
    examples: tuple[Example, ...] = ()
    """Largest models of the catalog that fit, largest first."""


class WhatFits(ToolResult):
    """What can be run and trained on the cards in hand."""

    gpu: str | None
    """Catalog id of the card (the smallest, when mixed); null for a card known only by its memory."""
    gpu_name: str
    count: int
    usable_bytes_per_gpu: int
    rows: tuple[FitRow, ...]


def what_fits(request: WhatFitsRequest) -> WhatFits:
    """Say what the cards in hand can run, fine-tune and train: the largest model for each method and format.

    For every method the largest typical dense model is found by bisection on the memory calculator, then the largest
    named models of the catalog that fit for sure. Several cards: tensor parallel for serving, fully sharded for
    training.

    Raises:
        UnknownName, AmbiguousName: a card the catalog does not have.
        BadInput: more cards than one machine layout covers.
    """
    card, name, count, usable, assumptions = _cards(request)
    chosen = [
        row
        for row in METHODS
        if request.task in {None, row[0]} and (request.weight_format in {None, row[1]} or request.task is None)
    ] or [(request.task or "inference", request.weight_format, "adamw" if request.task else None)]
    rows = tuple(_row(request, method, form or "bf16", optimizer, count, usable) for method, form, optimizer in chosen)
    return WhatFits(
        gpu=card.id if card else None,
        gpu_name=name,
        count=count,
        usable_bytes_per_gpu=usable,
        rows=rows,
        derivation=tuple(_step(row, usable) for row in rows),
        assumptions=(*assumptions, *_load_assumptions(request)),
    )


def _cards(request: WhatFitsRequest) -> tuple[Gpu | None, str, int, int, tuple[str, ...]]:
    if request.gpus:
        cards = [(find_gpu(item.gpu), item.count or 1) for item in request.gpus]
        smallest = min((card for card, _ in cards), key=lambda card: card.usable_bytes)
        count = sum(number for _, number in cards)
        mixed = len({card.id for card, _ in cards}) > 1
        said = (f"Mixed cards count as {count} × {smallest.name}, the smallest.",) if mixed else ()
        card: Gpu | None = smallest
        name, usable = smallest.name, smallest.usable_bytes
    else:
        stated = request.memory_bytes_per_gpu or GIB
        count, card = request.gpu_count or 1, None
        usable, like = _like(stated)
        name = f"{stated / GIB:g} GB card"
        said = (f"A card of {stated / GIB:g} GB is taken to leave {format_bytes(usable)} usable, as the {like} does.",)
    if count > 8 and count % 8:
        raise BadInput(
            "gpus", f"{count} cards do not divide into machines of eight.", "Give 1 to 8, or a multiple of 8."
        )
    return card, name, count, usable, said


@lru_cache(maxsize=64)
def _like(memory_bytes: int) -> tuple[int, str]:
    """Usable memory of the middling card with this capacity, else of the nearest capacity, in proportion."""
    cards = [gpu for gpu in gpus().values() if gpu.market in CARDS]
    near = min(abs(gpu.memory_bytes - memory_bytes) for gpu in cards)
    alike = [gpu for gpu in cards if abs(gpu.memory_bytes - memory_bytes) == near]
    alike.sort(key=lambda gpu: (gpu.usable_bytes / gpu.memory_bytes, gpu.id))
    middling = alike[len(alike) // 2]
    return int(memory_bytes * middling.usable_bytes / middling.memory_bytes), middling.name


def _row(request: WhatFitsRequest, method: Method, form: str, optimizer: str | None, count: int, usable: int) -> FitRow:
    def estimate(**size: int | str) -> MemoryEstimate:
        return estimate_memory(_laid_out(request, method, form, optimizer, count, size))

    largest, held = None, None
    low, high = SMALLEST, LARGEST
    while high / low > 1.02:
        middle = int((low * high) ** 0.5)
        tried = estimate(params=middle)
        if tried.per_gpu.high_bytes <= usable:
            low, largest, held = middle, middle, tried.per_gpu.total_bytes
        else:
            high = middle
    examples: list[Example] = []
    for candidate in [m for m in _language_models() if largest and m.params <= largest * NEAR][:TRIES]:
        per_gpu = estimate(model=candidate.id).per_gpu
        if per_gpu.high_bytes <= usable and len(examples) < EXAMPLES:
            examples.append(
                Example(
                    model=candidate.id,
                    name=candidate.name,
                    params=candidate.params,
                    needed_bytes_per_gpu=per_gpu.total_bytes,
                    verdict="yes",
                )
            )
    return FitRow(
        task=method,
        weight_format=form,
        optimizer=optimizer,
        max_params=_rounded_down(largest),
        needed_bytes_per_gpu=held,
        examples=tuple(examples),
    )


def _laid_out(
    request: WhatFitsRequest, method: Method, form: str, optimizer: str | None, count: int, size: dict[str, int | str]
) -> MemoryRequest:
    training = method != "inference"
    fields: dict[str, object] = {"task": method, "weight_format": form, **size}
    if training:
        fields |= {
            "optimizer": optimizer,
            "gradient_checkpointing": "full",
            "sequence_tokens": request.sequence_tokens or request.context_tokens,
            "micro_batch_size": request.micro_batch_size,
        }
    else:
        fields |= {
            "context_tokens": request.context_tokens,
            "concurrent_sequences": request.concurrent_sequences,
        }
    plain = MemoryRequest.model_validate({name: value for name, value in fields.items() if value is not None})
    layout = next(layouts(Variant(plain, form, 0), training=training, counts=(count,)), Layout(count))
    return layout.of(plain)


@lru_cache(maxsize=1)
def _language_models() -> list["_Sized"]:
    """Language models of the catalog, largest first; one of each size, the newest."""
    newest: dict[int, _Sized] = {}
    for model in models().values():
        if model.kind == "llm":
            held = newest.get(model.params)
            entry = _Sized(id=model.id, name=model.name, params=model.params, released=model.released or "")
            if held is None or entry.released > held.released:
                newest[model.params] = entry
    return sorted(newest.values(), key=lambda entry: (-entry.params, entry.id))


class _Sized(Frozen):
    id: str
    name: str
    params: int
    released: str


def _rounded_down(params: int | None) -> int | None:
    """Two significant digits, downwards: the calculator's interval supports no more."""
    if params is None:
        return None
    scale: int = 10 ** max(0, len(str(params)) - 2)
    return int(params // scale * scale)


def _load_assumptions(request: WhatFitsRequest) -> tuple[str, ...]:
    said = ["Training keeps gradient checkpointing on."]
    if request.context_tokens is None and request.sequence_tokens is None:
        said.append("Context and sequence lengths are the calculator's defaults, as none was stated.")
    return tuple(said)


def _step(row: FitRow, usable: int) -> Step:
    return Step(
        label=f"{row.task} in {row.weight_format}" + (f" with {row.optimizer}" if row.optimizer else ""),
        formula="largest params whose upper estimate ≤ usable memory of each GPU",
        inputs={"usable_bytes": usable, "needed_bytes": row.needed_bytes_per_gpu},
        value=format_count(row.max_params) if row.max_params else None,
        unit="params",
        source="calibration",
    )
