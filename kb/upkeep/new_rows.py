"""Rows for new facts, written as the files hold them, with what stands near them and what of them is odd."""

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal, InvalidOperation
from statistics import median
from typing import Any

from kb.base import BadInput, Frozen
from kb.catalog import gpu, provider, quantity, sources
from kb.configs.parameters import count_parameters
from kb.market.offers import bundled_offers
from kb.models import models
from kb.records.gpu import Gpu
from kb.records.model import Model
from kb.upkeep.fact_age import earliest
from kb.upkeep.fact_checks import LONE_PRICE

SHAPE = (
    "params", "active_params", "layers", "hidden_size", "heads", "kv_heads", "head_dim", "intermediate_size",
    "gated_mlp", "vocab_size", "max_context_tokens", "tied_embeddings", "attention", "latent", "sparse_attention",
    "experts", "sliding", "linear", "qkv_bias", "linear_bias", "qk_norm", "attention_gate", "norms_per_layer",
    "position_embeddings", "global_head_dim", "global_kv_heads", "global_keys_are_values", "kv_compression",
    "vision_params", "other_params", "native_format",
)  # fmt: skip
"""Fields of a model's row, in the order of the files."""
COUNTED = frozenset({"params", "active_params", "vision_params", "other_params"})
UNSOURCED = frozenset({"attention", "native_format", "tied_embeddings", "gated_mlp", "qkv_bias", "linear_bias"})
"""Fields that stand without a source: they follow from the type."""
OF_THE_CHIP = ("vendor", "architecture", "market", "form_factor")
SAME_CHIP = ("memory_type", "compute_capability", "pcie")
LIKE_MOST = 4.0
"""A figure this many times that of the card it is like is asked about."""
PARAMS_NEAR = 0.03
WRITTEN_IN_GROUPS = 1_000_000
OFFER = (
    "id", "provider", "instance", "gpu", "gpu_text", "gpu_count", "vcpus", "host_memory_bytes", "network_bits_per_s",
    "region", "country", "currency", "on_demand_per_hour", "spot_per_hour", "reserved_1y_per_hour",
    "reserved_3y_per_hour", "as_of", "source", "notes",
)  # fmt: skip


class NewRow(Frozen):
    """One row to paste, and what to look at before."""

    file: str
    """File of facts it belongs to."""
    text: str
    """The row as the file holds it."""
    near: tuple[str, ...]
    """Relatives that are held, with the figures to compare."""
    odd: tuple[str, ...]
    """What asks for a look."""


def model_row(read: Model, identity: str, source: str, day: str | None = None) -> NewRow:
    """A model's row from what was read of its files."""
    owner_less = identity.rpartition("/")[2]
    default = {name: field.default for name, field in Model.model_fields.items()}
    stated = {name: getattr(read, name) for name in SHAPE if getattr(read, name) != default[name]}
    lines = [f"- id: {identity}", f"  name: {owner_less}", f"  family: {read.family}", f"  kind: {read.kind}"]
    lines += [f"  {name}: {_written(value)}" for name, value in stated.items()]
    lines += [f'  released: "{day}"'] if day else []
    told = [name for name in stated if name not in COUNTED | UNSOURCED]
    counted = [name for name in stated if name in COUNTED]
    lines += [f"  notes: {read.notes}"] if read.layers is None and read.notes else []
    lines += ["  sources:"]
    lines += [f"    {source}: [{', '.join([*told, *(['released'] if day else [])])}]"] if told or day else []
    by_tensors = read.native_format.startswith("gguf:")
    vouching = source if by_tensors or not read.layers else "counted-from-its-shape"
    lines += [f"    {vouching}: [{', '.join(counted)}]"] if counted else []
    return NewRow(file="models/more.yaml", text="\n".join(lines), near=tuple(_like(read)), odd=tuple(_odd_model(read)))


def _written(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return f"{value:_}" if value >= WRITTEN_IN_GROUPS else str(value)
    if isinstance(value, Frozen):
        return "{" + ", ".join(f"{key}: {one}" for key, one in value.model_dump(exclude_defaults=True).items()) + "}"
    return str(value)


def _like(read: Model) -> Iterable[str]:
    """Models of the same shape, which it may be `like`; else the nearest in size of its family."""
    same = [row.id for row in models().values() if _shape(row) == _shape(read) and read.layers]
    if same:
        yield f"the same shape: {', '.join(same[:4])}: write `like: {same[0]}` and only what differs"
    near = [row for row in models().values() if abs(row.params / read.params - 1) < PARAMS_NEAR and row.id not in same]
    for row in sorted(near, key=lambda one: abs(one.params - read.params))[:3]:
        shape = f"{row.layers} layers, {row.hidden_size} wide, {row.attention}" if row.layers else "shape not read"
        yield f"{row.id}: {row.params / 1e9:.2f} B, {shape}"


def _shape(row: Model) -> tuple[object, ...]:
    mixture = (row.experts.experts, row.experts.expert_intermediate_size) if row.experts else None
    return (row.layers, row.hidden_size, row.heads, row.kv_heads, row.intermediate_size, row.vocab_size, mixture)


def _odd_model(read: Model) -> Iterable[str]:
    if read.layers is None:
        yield "no shape: memory for weights alone can be told"
    counted = count_parameters(read)
    if counted is not None and read.kv_compression == 1.0 and abs(counted / read.params - 1) > 0.005:
        yield f"{read.params / 1e9:.3f} B by its tensors, {counted / 1e9:.3f} B counted from its shape"
    if read.max_context_tokens is None:
        yield "its context is not told"


def gpu_row(name: str, like: str, figures: Mapping[str, str], source: str) -> NewRow:
    """A card's row: its own figures, and of a card with the same chip what a chip decides.

    Raises:
        UnknownName: no card is called `like`.
        BadInput: a figure has no such field, or no unit.
    """
    relative = gpu(like)
    own = {key: _figure(key, value) for key, value in figures.items()}
    if "memory_bytes" not in own:
        raise BadInput("memory_bytes", "is missing.", "Add memory_bytes='24 GiB'.")
    key = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    lines = [f"- id: {key}-{own['memory_bytes'] // 2**30}gb", f"  name: {name}"]
    lines += [f"  {field}: {getattr(relative, field)}" for field in OF_THE_CHIP]
    lines += [f"  {field}: {figures[field]}" for field in figures]
    shared = [field for field in SAME_CHIP if field not in own and getattr(relative, field) is not None]
    lines += [f'  {field}: "{getattr(relative, field)}"' for field in shared]
    alone = relative.nvlink_note and relative.nvlink_bytes_per_s is None
    lines += [f'  nvlink_note: "{relative.nvlink_note}"'] if alone else []
    lines += [f"  aliases: [{name}]", "  sources:", f"    {source}: [{', '.join(figures)}]"]
    lines += [f"    same-chip: [{', '.join(shared)}]"] if shared else []
    near = [f"{relative.id}: " + ", ".join(f"{field} {getattr(relative, field)}" for field in own)]
    return NewRow(file=f"gpus/ (beside {relative.id})", text="\n".join(lines), near=tuple(near),
                  odd=tuple(_odd_gpu(own, relative)))  # fmt: skip


def _figure(field: str, text: str) -> Any:
    """The figure in SI units.

    Raises:
        BadInput: no such field, or a quantity without a unit.
    """
    if field not in Gpu.model_fields:
        raise BadInput(field, "is no field of a card.", "See `kb/records/gpu.py`.")
    try:
        value = quantity(field, text)
    except ValueError:
        raise BadInput(field, f"“{text[:40]}” has no unit.", "Write 24 GiB, 1008 GB or 165 T.") from None
    if isinstance(value, str) and re.fullmatch(r"\d+(\.\d+)?", value):
        return float(value) if "." in value else int(value)
    return value


def _odd_gpu(own: Mapping[str, Any], relative: Gpu) -> Iterable[str]:
    for field, value in own.items():
        held = getattr(relative, field)
        both = isinstance(value, int | float) and isinstance(held, int | float) and held
        if both and not 1 / LIKE_MOST < value / held < LIKE_MOST:
            yield f"{field} is {value / held:.2g} times {relative.id}'s: the right unit, dense?"
    rates = [float(own[name]) for name in ("bf16_flops", "fp8_flops", "fp4_flops") if name in own]
    if rates != sorted(rates):
        yield "a narrower format is slower than a wider one"


def offer_row(fields: Mapping[str, str]) -> NewRow:
    """A line of `offers.csv`.

    Raises:
        BadInput: a field is missing, no number or no date.
        UnknownName: no such provider or card.
    """
    for needed in ("provider", "instance", "gpu", "gpu_count", "currency", "on_demand_per_hour", "as_of", "source"):
        if not fields.get(needed):
            raise BadInput(needed, "is missing.")
    card, cloud = gpu(fields["gpu"]), provider(fields["provider"])
    price, count = _number("on_demand_per_hour", fields), _number("gpu_count", fields)
    try:
        earliest(fields["as_of"])
    except ValueError:
        raise BadInput("as_of", f"“{fields['as_of'][:40]}” is no date.", "Write 2026-11-27.") from None
    place = fields.get("region") or fields.get("country") or "any"
    identity = f"{cloud.id}/{fields['instance']}/{place}".lower().replace(" ", "-")
    row = {**fields, "id": identity, "provider": fields["provider"], "gpu": card.id}
    text = ",".join(_cell(row.get(name, "")) for name in OFFER)
    held = [one for one in bundled_offers() if one.gpu == card.id and one.on_demand_usd_per_hour]
    asked = [one.on_demand_usd_per_hour / Decimal(one.gpu_count) for one in held if one.on_demand_usd_per_hour]
    near = [
        f"{one.id}: {one.on_demand_usd_per_hour} $ an hour for {one.gpu_count}, read {one.as_of}" for one in held[:3]
    ]
    odd = []
    if asked and fields["currency"] == "USD":
        ratio = float(price / count / median(asked))
        if not 1 / LONE_PRICE < ratio < LONE_PRICE:
            odd.append(f"{price / count:.2f} $ a card and hour, the held ones ask about {median(asked):.2f}")
    return NewRow(file="offers.csv", text=text, near=tuple(near), odd=tuple(odd))


def _number(field: str, fields: Mapping[str, str]) -> Decimal:
    try:
        value = Decimal(fields[field])
    except InvalidOperation:
        raise BadInput(field, f"“{fields[field][:40]}” is no number.") from None
    if not value > 0:
        raise BadInput(field, "must be more than nothing.")
    return value


def _cell(text: str) -> str:
    return f'"{text}"' if "," in text else text


def source_line(identity: str, title: str | None, url: str | None, day: str | None) -> str | None:
    """The line of a source that is not held yet; None when it is.

    Raises:
        BadInput: it is not held, and what it is was not told.
    """
    if identity in sources():
        return None
    if not (title and url and day):
        raise BadInput("--source", f"“{identity}” is not held.", "Add --title, --url and --date, the day it was read.")
    return f'{identity}: {{title: "{title}", url: "{url}", date: "{day}"}}'
