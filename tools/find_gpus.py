"""Search the catalog of GPUs by what they have and what they cost."""

from collections.abc import Callable
from datetime import date
from typing import Literal

from pydantic import Field

from kb.base import BadInput, Frozen
from kb.catalog import gpu_ids, gpus, maker
from kb.records.gpu import Gpu, Market, Status
from kb.units import GIB
from tools.base import Step, ToolResult
from tools.gpu_filter import Condition
from tools.gpu_row import TERA, GpuRow, row
from tools.named import cited, vouching
from tools.prices import card_price, per_unit

__all__ = ["RATE_FIELDS", "GpuQuery", "GpuRow", "GpuSearch", "find_gpus", "row"]

Precision = Literal["tf32", "bf16", "fp16", "fp8", "int8", "fp4"]
Sort = Literal[
    "memory", "bandwidth", "bf16", "fp16", "fp32", "fp8", "int8", "fp4", "nvlink", "bf16_per_watt", "price",
    "price_per_gib", "price_per_tb_s", "price_per_tflops", "tokens", "price_per_token", "price_together", "tdp", "year",
]  # fmt: skip
RATE_FIELDS: dict[Precision, str] = {
    "tf32": "tf32_flops", "bf16": "bf16_flops", "fp16": "fp16_flops", "fp8": "fp8_flops",
    "int8": "int8_ops", "fp4": "fp4_flops",
}  # fmt: skip
RELAXED = (
    "vendor", "architecture", "market", "status", "form_factor", "text", "min_memory_bytes", "max_memory_bytes",
    "min_bandwidth_bytes_per_s", "nvlink", "ecc", "max_tdp_w", "max_price_usd",
)  # fmt: skip
"""Filters that are dropped one at a time when nothing meets them all."""
NEAREST_MAX = 3
_SPECS = ("memory_bytes", "bandwidth_bytes_per_s", "bf16_flops", "fp16_flops", "nvlink_bytes_per_s", "tdp_w")


class GpuQuery(Frozen):
    """Filters; every one that is given must hold."""

    names: tuple[str, ...] = Field(default=(), max_length=50)
    """Ids, vendor names or aliases; an ambiguous name brings all its variants."""
    vendor: str | None = Field(default=None, max_length=60)
    """NVIDIA, AMD, Intel, Huawei, 华为, 寒武纪 …"""
    architecture: str | None = Field(default=None, max_length=60)
    """Hopper, Ada Lovelace, CDNA 3 …"""
    market: Market | None = None
    status: Status | None = None
    """available, discontinued, announced, export_variant, modified."""
    form_factor: str | None = Field(default=None, max_length=60)
    """Part of the form factor: SXM, PCIe, OAM …"""
    text: str | None = Field(default=None, max_length=200)
    """Words that must all occur in the name, an alias or the notes."""
    min_memory_bytes: int | None = Field(default=None, gt=0, le=10**15)
    """Least stated memory of one card; "24 GB" on the box is 24·2³⁰."""
    max_memory_bytes: int | None = Field(default=None, gt=0, le=10**15)
    min_bandwidth_bytes_per_s: int | None = Field(default=None, gt=0, le=10**15)
    nvlink: bool | None = None
    """Whether the card has NVLink or a like link between cards."""
    precisions: tuple[Precision, ...] = ()
    """Formats the hardware must compute in: tf32 bf16 fp16 fp8 int8 fp4."""
    ecc: bool | None = None
    max_tdp_w: int | None = Field(default=None, gt=0, le=100_000)
    max_price_usd: float | None = Field(default=None, gt=0, le=10**9)
    """Most that one card may cost; cards without a price drop out."""
    where: tuple[str, ...] = Field(default=(), max_length=20)
    """Conditions on any figure of a card, all of which must hold: `bandwidth >= 2 TB/s`, `memory_type = HBM3e`,
    `pcie >= 5`, `year > 2022`, `nvlink_generation >= 4`, `usd_per_gib < 60`. Cards without that figure drop out."""
    model: str | None = Field(default=None, max_length=200)
    """Model that price_per_token and tokens are worked out for; cards it does not fit on come last."""
    weight_format: str | None = Field(default=None, max_length=40)
    """Format of that model's weights: bf16 fp8 int4 awq …; null = as published."""
    together_bytes: int | None = Field(default=None, gt=0, le=10**15)
    """Memory that several of one card are to reach together: how many that takes and what they cost."""
    max_together: int = Field(default=8, ge=1, le=1024)
    """Most cards that may be put together for it; cards of which it takes more drop out."""
    sort: Sort = "memory"
    """What to order by; cards without that figure come last. price_per_token and tokens need a model, price_together
    needs together_bytes."""
    descending: bool | None = None
    """null = best first: most memory, least money."""
    limit: int = Field(default=10, ge=1, le=500)
    today: date | None = None
    """Day by which the age of prices is judged; null = today."""


class GpuSearch(ToolResult):
    """Cards that meet every filter."""

    gpus: tuple[GpuRow, ...]
    """Best first, cut to `limit`."""
    total: int
    """How many cards met the filters before the cut."""


def find_gpus(request: GpuQuery) -> GpuSearch:
    """Find GPUs in the catalog by name, maker, memory, bandwidth, supported precisions, links, power or price.

    Use it to look up a card's specifications, to list cards that meet requirements ("PCIe, 48 GB, FP8, under 300 W"),
    or to rank cards by price-performance: per GiB, per TB/s, per dense TFLOPS, or per output token a second of a named
    model. Rates are dense; memory is binary, bandwidth decimal.
    """
    if request.sort in ("tokens", "price_per_token") and request.model is None:
        raise BadInput("model", f"sort={request.sort} is about the tokens of a model.", "Name the model.")
    if request.sort == "price_together" and request.together_bytes is None:
        raise BadInput("together_bytes", "sort=price_together is about cards put together.", "Say how much memory.")
    needed = _needed_bytes(request)
    found = _found(request)
    rows = sorted((_with_tokens(one, request, needed) for one in found), key=lambda one: _rank(one, request))
    shown = tuple(rows[: request.limit])
    return GpuSearch(
        gpus=shown,
        total=len(rows),
        derivation=_price_performance(shown[0]) if shown else (),
        assumptions=_assumptions(shown),
        warnings=(*_warnings(shown, request), *(() if found else _shut_out(request))),
        sources=cited(key for one in shown for key in _sources_of(one)),
    )


def _found(query: GpuQuery) -> list[GpuRow]:
    """Every card that meets every filter, in the order of the catalog."""
    named = {key for name in query.names for key in gpu_ids(name)} if query.names else None
    conditions = [Condition(text) for text in query.where]
    cards = (card for card in gpus().values() if (named is None or card.id in named) and _matches(card, query))
    every = (_together(row(card, query.today), query.together_bytes) for card in cards)
    if query.together_bytes is not None:
        every = (one for one in every if (one.together_count or 0) <= query.max_together)
    return [one for one in every if all(part.holds(one) for part in conditions)]


def _together(one: GpuRow, wanted_bytes: int | None) -> GpuRow:
    """The row with how many of it reach so much stated memory, and their price: count = ⌈wanted / memory⌉."""
    if wanted_bytes is None:
        return one
    count = -(-wanted_bytes // one.memory_bytes)
    price = float(one.price.amount_usd) * count if one.price else None
    return one.model_copy(update={"together_count": count, "together_price": price})


def _shut_out(query: GpuQuery) -> tuple[str, ...]:
    """Which single filter leaves nothing: what each would let in if it were dropped, the fewest first."""
    without = {name: query.model_copy(update={name: None}) for name in RELAXED if getattr(query, name) is not None}
    without |= {"precisions": query.model_copy(update={"precisions": ()})} if query.precisions else {}
    for text in query.where:
        kept = tuple(one for one in query.where if one != text)
        without[text] = query.model_copy(update={"where": kept})
    left = {name: rows for name, relaxed in without.items() if (rows := _found(relaxed))}
    return tuple(
        f"Without {name}: {len(rows)}, such as {', '.join(one.name for one in rows[:NEAREST_MAX])}."
        for name, rows in sorted(left.items(), key=lambda pair: len(pair[1]))[:NEAREST_MAX]
    )


def _needed_bytes(query: GpuQuery) -> int | None:
    """Memory that the named model takes on one card; null when none is named."""
    if query.model is None:
        return None
    from tools.memory.estimate import estimate_memory
    from tools.memory.request import MemoryRequest

    asked = {"model": query.model, "weight_format": query.weight_format}
    return estimate_memory(MemoryRequest.model_validate(asked)).per_gpu.total_bytes


def _with_tokens(one: GpuRow, query: GpuQuery, needed_bytes: int | None) -> GpuRow:
    """The row with the speed of the named model on one such card, where the model fits and the speed is known."""
    if needed_bytes is None or needed_bytes > one.usable_bytes:
        return one
    from tools.speed.estimate import estimate_token_speed
    from tools.speed.request import InferenceSpeedRequest

    asked = {"model": query.model, "weight_format": query.weight_format, "gpu": one.id}
    try:
        speed = estimate_token_speed(InferenceSpeedRequest.model_validate(asked))
    except BadInput:
        return one
    tokens_per_s = speed.tokens_per_s_per_user.value
    usd = per_unit(one.price.amount_usd, tokens_per_s) if one.price else None
    return one.model_copy(update={"tokens_per_s": tokens_per_s, "usd_per_token_per_s": usd})


def _matches(card: Gpu, query: GpuQuery) -> bool:
    price = card_price(card)
    checks = (
        query.vendor is None or maker(query.vendor) == card.vendor,
        query.architecture is None or query.architecture.casefold() in card.architecture.casefold(),
        query.market in (None, card.market),
        query.status in (None, card.status),
        query.form_factor is None or query.form_factor.casefold() in card.form_factor.casefold(),
        query.ecc in (None, card.ecc),
        query.nvlink in (None, card.nvlink_bytes_per_s is not None),
        query.min_memory_bytes is None or card.memory_bytes >= query.min_memory_bytes,
        query.max_memory_bytes is None or card.memory_bytes <= query.max_memory_bytes,
        _at_least(card.bandwidth_bytes_per_s, query.min_bandwidth_bytes_per_s),
        all(getattr(card, RATE_FIELDS[name]) for name in query.precisions),
        query.max_tdp_w is None or (card.tdp_w is not None and card.tdp_w <= query.max_tdp_w),
        query.max_price_usd is None or (price is not None and float(price.amount_usd) <= query.max_price_usd),
        query.text is None or _mentions(card, query.text),
    )
    return all(checks)


def _at_least(value: float | None, least: float | None) -> bool:
    return least is None or (value is not None and value >= least)


def _mentions(card: Gpu, text: str) -> bool:
    said = " ".join((card.id, card.name, card.vendor, card.architecture, *card.aliases, card.notes)).casefold()
    return all(word in said for word in text.casefold().split())


_SORTS: dict[Sort, tuple[Callable[[GpuRow], float | None], bool]] = {
    "memory": (lambda one: one.memory_bytes, True),
    "bandwidth": (lambda one: one.bandwidth_bytes_per_s, True),
    "bf16": (lambda one: one.bf16_flops, True),
    "fp16": (lambda one: one.fp16_flops, True),
    "fp32": (lambda one: one.fp32_flops, True),
    "fp8": (lambda one: one.fp8_flops, True),
    "int8": (lambda one: one.int8_ops, True),
    "fp4": (lambda one: one.fp4_flops, True),
    "nvlink": (lambda one: one.nvlink_bytes_per_s, True),
    "bf16_per_watt": (lambda one: one.bf16_flops / one.tdp_w if one.bf16_flops and one.tdp_w else None, True),
    "price": (lambda one: float(one.price.amount_usd) if one.price else None, False),
    "price_per_gib": (lambda one: one.usd_per_gib, False),
    "price_per_tb_s": (lambda one: one.usd_per_tb_s, False),
    "price_per_tflops": (lambda one: one.usd_per_tflops, False),
    "tokens": (lambda one: one.tokens_per_s, True),
    "price_per_token": (lambda one: one.usd_per_token_per_s, False),
    "price_together": (lambda one: one.together_price, False),
    "tdp": (lambda one: one.tdp_w, False),
    "year": (lambda one: one.year, True),
}
"""What each order reads, and whether more of it is better."""


def _rank(one: GpuRow, query: GpuQuery) -> tuple[bool, float, float, str]:
    figure, more_is_better = _SORTS[query.sort]
    value = figure(one)
    descending = more_is_better if query.descending is None else query.descending
    sign = -1 if descending else 1
    return value is None, sign * (value or 0), -(one.bandwidth_bytes_per_s or 0), one.id


def _price_performance(one: GpuRow) -> tuple[Step, ...]:
    if one.price is None:
        return ()
    amount, source = float(one.price.amount_usd), one.price.source
    compute = one.bf16_flops or one.fp16_flops
    basis: list[tuple[str, str, float | None, float | None, str]] = [
        ("Price per GiB", "price / memory", one.memory_bytes / GIB, one.usd_per_gib, "usd_per_gib"),
        (
            "Price per TB/s", "price / bandwidth",
            (one.bandwidth_bytes_per_s or 0) / TERA or None, one.usd_per_tb_s, "usd_per_tb_per_s",
        ),
        ("Price per TFLOPS", "price / dense 16-bit rate", (compute or 0) / TERA or None, one.usd_per_tflops,
         "usd_per_tflops"),
        ("Price per token a second", "price / output tokens a second", one.tokens_per_s, one.usd_per_token_per_s,
         "usd_per_token_per_s"),
    ]  # fmt: skip
    return tuple(
        Step(
            label=f"{label} of {one.name}", formula=formula, inputs={"price": amount, "quantity": quantity},
            value=value, unit=unit, source=source,
        )
        for label, formula, quantity, value, unit in basis
        if quantity
    )  # fmt: skip


def _sources_of(one: GpuRow) -> list[str | None]:
    return [*vouching(gpus()[one.id], _SPECS), one.price.source if one.price else None]


def _assumptions(rows: tuple[GpuRow, ...]) -> tuple[str, ...]:
    listed = [one.name for one in rows if one.price and one.price.kind == "list"]
    if not listed:
        return ()
    return (f"Launch list price taken, for want of a street price: {', '.join(listed)}.",)


def _warnings(rows: tuple[GpuRow, ...], query: GpuQuery) -> tuple[str, ...]:
    street = [one for one in rows if one.price and one.price.kind == "street"]
    undated = [one.name for one in street if one.price and one.price.as_of is None]
    old = [f"{one.name} ({one.price.as_of})" for one in street if one.price and one.price.as_of and one.price_stale]
    said = []
    if not rows:
        said.append("No card in the catalog meets all the filters.")
    if undated:
        said.append(f"Undated price: {', '.join(undated)}.")
    if old:
        said.append(f"Price older than 30 days: {', '.join(old)}.")
    if query.model is not None and (small := [one.name for one in rows if one.tokens_per_s is None]):
        said.append(f"{query.model} does not fit on one of these, or their bandwidth is not known: {', '.join(small)}.")
    if query.max_price_usd is not None:
        said.append("Cards without a known price were left out.")
    return tuple(said)
