"""Claims about cards, and about the links and architectures they share."""

import re

from judging.ruling import NUMBER, Ruling, same_words

from kb.naming.names import gpu_names
from tools.check_compatibility import CompatibilityRequest, check_compatibility
from tools.find_gpus import GpuQuery, find_gpus
from tools.gpu_row import GpuRow
from tools.lookup import look_up

TOLERANCE = 0.03
FIELDS = {
    "vram": "memory_bytes", "memory": "memory_bytes", "显存": "memory_bytes",
    "memory bandwidth": "bandwidth_bytes_per_s",
    "显存带宽": "bandwidth_bytes_per_s", "tdp": "tdp_w", "power": "tdp_w", "功耗": "tdp_w",
    "cuda cores": "shader_cores", "tensor cores": "tensor_cores", "fp32 tflops": "fp32_flops",
    "fp16 tflops": "fp16_flops",
    "bf16 tflops": "bf16_flops", "tf32 tflops": "tf32_flops", "fp8 tflops": "fp8_flops", "fp4 tflops": "fp4_flops",
    "int8 tops": "int8_ops", "nvlink bandwidth": "nvlink_bytes_per_s", "msrp": "msrp_usd", "pcie": "pcie",
    "pcie version": "pcie", "memory type": "memory_type", "architecture": "architecture", "ecc": "ecc",
    "mig instances": "mig_instances", "compute capability": "compute_capability", "launch year": "year",
    "memory bus": "memory_bus_bits", "nvlink version": "nvlink_generation", "status": "status",
    "tensor core generation": "tensor_core_generation", "form factor": "form_factor", "slots": "slot_width",
    "market": "market", "successor": "successor",
}  # fmt: skip
UNKNOWN = frozenset({"ecc", "memory_type", "slot_width", "successor", "mig_instances"})
"""Properties that a card without a value may still have."""
KIND = re.compile(r"(?:LP)?DDR\dX?|GDDR\dX?|HBM\d?e?", re.IGNORECASE)
SCALES = {
    "gb": 2**30, "g": 2**30, "gib": 2**30, "tb/s": 10**12, "gb/s": 10**9, "tflops": 10**12, "tops": 10**12,
    "pflops": 10**15, "t": 10**12, "w": 1, "kw": 1000, "bit": 1,
}  # fmt: skip


def _cards(subject: str) -> list[list[GpuRow]]:
    """Variants of each card that the subject names; one list a name."""
    parts = re.split(r"\s*(?:,|/|、|和| and )\s*", subject)
    names = parts if len(parts) > 1 and all(look_up(one).kind == "gpu" for one in parts) else [subject]
    return [list(find_gpus(GpuQuery(names=(name,), limit=50)).gpus) for name in names]


def by_field(subject: str, attribute: str, value: str, claim: str) -> Ruling | None:
    """A figure or property of cards."""
    name = FIELDS.get(attribute) or ("bandwidth_bytes_per_s" if attribute == "bandwidth" else None)
    if name is None or look_up(subject).kind not in ("gpu", None) or _not_a_card(subject):
        return None
    groups = _cards(subject)
    parts = re.split(r"\s*/\s*(?![a-z])|,\s+", value)
    values = parts if len(parts) == len(groups) else [value] * len(groups)
    if name == "msrp_usd" and re.search(r"元|¥|￥|CNY|RMB", value):
        name = "msrp_cny"
    rulings = [_of_variants(rows, name, one) for rows, one in zip(groups, values, strict=True)]
    kinds = {one.ruling for one in rulings}
    found = "; ".join(one.found for one in rulings)
    if len(kinds) == 1:
        return Ruling(kinds.pop(), found)
    return Ruling("partly", found)


def by_price(subject: str, attribute: str, value: str, claim: str) -> Ruling | None:
    """What a card costs: at launch, or now."""
    number = NUMBER.search(value)
    if attribute != "price" or number is None or look_up(subject).kind != "gpu":
        return None
    said = float(number[1].replace(",", ""))
    rows = [one for group in _cards(subject) for one in group]
    listed = {float(one.msrp_usd) for one in rows if one.msrp_usd}
    now = [
        (float(one.price.amount_usd), float(one.price_high_usd or one.price.amount_usd)) for one in rows if one.price
    ]
    found = f"list {sorted(listed)}, now {now}"
    if any(abs(one - said) <= TOLERANCE * one for one in listed) or any(
        low * 0.9 <= said <= high * 1.1 for low, high in now
    ):
        return Ruling("holds", found)
    return Ruling("outdated" if now else "unknown", found)


def _not_a_card(subject: str) -> bool:
    meaning = look_up(subject)
    return meaning.kind is None and not any(gpu_names().scan(part) for part in re.split(r"[,/、]", subject))


def _of_variants(rows: list[GpuRow], name: str, value: str) -> Ruling:
    agreed = [_agrees(one, name, value) for one in rows]
    found = ", ".join(dict.fromkeys(f"{one.id} {getattr(one, name)}" for one in rows))
    known = [one for one in agreed if one is not None]
    if not known:
        return Ruling("unknown", found)
    if not any(known):
        return Ruling("contradicted", found)
    if name == "msrp_usd" and all(one.status == "discontinued" for one in rows):
        return Ruling("outdated", f"{found}; discontinued")
    return Ruling("holds", found)


def _agrees(one: GpuRow, name: str, value: str) -> bool | None:
    held = getattr(one, name)
    negated = re.fullmatch(r"(?:no|none|without|没有|无|not supported|unsupported)", value, re.IGNORECASE) is not None
    if negated:
        return None if held is None and name in UNKNOWN else not held
    if held is None and name == "tensor_cores" and one.tensor_core_generation is None:
        return False
    if held is None:
        links = name.endswith("flops") or name in ("nvlink_bytes_per_s", "nvlink_generation", "int8_ops")
        return False if links else None
    if name == "pcie":
        return float(held.split("/")[0]) == float(NUMBER.search(value)[1])  # type: ignore[index]
    if isinstance(held, bool):
        return held == bool(re.search(r"yes|有|支持|support", value, re.IGNORECASE))
    if name == "memory_type" and (kind := KIND.search(value)):
        return str(held).lower() == kind[0].lower()
    if isinstance(held, str):
        return same_words(held, value) or (name == "form_factor" and same_words(one.slot_width or "", value))
    kind = KIND.search(value) if name == "memory_bytes" else None
    if kind and one.memory_type and kind[0].lower() != one.memory_type.lower():
        return False
    number = NUMBER.search(value)
    if number is None:
        return bool(held) == bool(re.search(r"yes|有|支持|support|bridge", value, re.IGNORECASE))
    scale = SCALES.get(number[2].lower(), 10**12 if name.endswith(("_flops", "_ops")) else 1)
    if name == "memory_bytes":
        scale = SCALES["gb"]
    said = float(number[1].replace(",", ""))
    rounded = round(float(held) / scale, len(number[1].partition(".")[2])) == said
    return rounded or abs(float(held) - said * scale) <= TOLERANCE * float(held)


def by_nvlink(subject: str, attribute: str, value: str, claim: str) -> Ruling | None:
    """Whether cards have NVLink, or MIG, at all."""
    if attribute not in ("nvlink", "mig") or _not_a_card(subject):
        return None
    wanted = re.search(r"yes|support|bridge|有|支持", value, re.IGNORECASE) is not None
    verdicts = []
    for rows in _cards(subject):
        asked = (check_compatibility(CompatibilityRequest(gpu=one.id, feature=attribute)) for one in rows)
        verdicts.append({one.verdict == "works" for one in asked})
    if all(one == {wanted} for one in verdicts):
        return Ruling("holds", f"{subject}: {wanted}")
    return Ruling("partly" if any(wanted in one for one in verdicts) else "contradicted", f"{verdicts}")


def by_generation(subject: str, attribute: str, value: str, claim: str) -> Ruling | None:
    """Links by generation: `NVLink 4.0` carries …, which NVLink is the latest."""
    link = re.fullmatch(r"(NVLink|PCIe)\s*(\d(?:\.\d)?)?(?:\s*x16)?", subject, re.IGNORECASE)
    if link is None:
        return None
    field = "nvlink_generation" if link[1].lower() == "nvlink" else "pcie"
    carried = "nvlink_bytes_per_s" if field == "nvlink_generation" else "pcie_bytes_per_s"
    where = (f"{field} = {int(float(link[2]))}",) if link[2] else ()
    rows = find_gpus(GpuQuery(where=(*where, "vendor = NVIDIA"), limit=500)).gpus
    if attribute == "latest version":
        latest = max(getattr(one, field) or 0 for one in rows)
        return Ruling("holds" if latest == int(float(value)) else "outdated", f"{latest}")
    if attribute == "bandwidth":
        most = max((getattr(one, carried) or 0 for one in rows), default=0)
        said = float(NUMBER.search(value)[1]) * 10**9  # type: ignore[index]
        every = {getattr(one, carried) for one in rows} if not link[2] else {most}
        return Ruling("holds" if said in every else "contradicted", f"{most / 10**9:g} GB/s")
    if attribute == "recommended version":
        cards = find_gpus(GpuQuery(where=(f"{field} >= {int(float(value.split()[0]))}",))).total
        return Ruling("partly", f"{cards} cards have it")
    if attribute == "mechanism":
        notes = {one.nvlink_note for one in rows if one.nvlink_bytes_per_s}
        named = {note for note in notes if note and value.lower() in note.lower()}
        return Ruling("partly" if named and named != notes else "holds" if named else "contradicted", str(notes))
    return None


def by_architecture(subject: str, attribute: str, value: str, claim: str) -> Ruling | None:
    """A property that all cards of an architecture share."""
    if attribute not in FIELDS or look_up(subject).kind == "gpu":
        return None
    rows = list(find_gpus(GpuQuery(architecture=subject, limit=500)).gpus)
    return _of_variants(rows, FIELDS[attribute], value) if rows else None


def by_precisions(subject: str, attribute: str, value: str, claim: str) -> Ruling | None:
    """Whether cards, or all tensor cores, compute in the formats."""
    if re.fullmatch(r"fp4|fp8|bf16|fp16|tf32|int8|flashattention-?\d", attribute) and not _not_a_card(subject):
        value = attribute if re.search(r"yes|support|有|支持", value, re.IGNORECASE) else f"no {attribute}"
    elif attribute not in ("precisions", "precision", "supports", "compatibility"):
        return None
    wanted = re.findall(r"FP4|FP8|BF16|FP16|TF32|INT8|FlashAttention-?\d|MIG|NVLink|ECC|AWQ|GPTQ", value, re.IGNORECASE)
    if not wanted:
        return None
    if _not_a_card(subject):
        rows = list(find_gpus(GpuQuery(vendor="NVIDIA", where=("tensor_core_generation >= 1",), limit=500)).gpus)
    else:
        rows = [one for group in _cards(subject) for one in group]
    denied = re.match(r"(?:no|not|lacks|without|不支持)\b", value, re.IGNORECASE) is not None
    verdicts = {
        check_compatibility(CompatibilityRequest(gpu=one.id, feature=form)).verdict in ("works", "works_with")
        for one in rows
        for form in wanted
    }
    if len(verdicts) == 2:
        return Ruling("partly", f"{wanted}: depends on the card")
    return Ruling("holds" if verdicts == {not denied} else "contradicted", f"{wanted}: {verdicts}")


def by_line_up(subject: str, attribute: str, value: str, claim: str) -> Ruling | None:
    """Claims that a line-up is the newest or best: a successor on sale makes them outdated."""
    if attribute not in ("currency", "top", "very large", "mainstream"):
        return None
    named = {key for mention in gpu_names().scan(f"{claim} {value}") for key in mention.ids}
    rows = find_gpus(GpuQuery(names=tuple(named), limit=100)).gpus if named else ()
    after = {one.successor for one in rows if one.successor}
    return Ruling("outdated" if after else "holds", f"successors: {sorted(after)}")
