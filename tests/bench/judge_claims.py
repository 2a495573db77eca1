"""Judge claims about cards, machines, instances, models and software by asking the public tools.

    python tests/bench/judge_claims.py CLAIMS… [--details]

CLAIMS: YAML list or JSON lines of {subject, attribute, claimed_value, verdict, …}; those with `checkable_by` other than
a catalog are left out. Prints how many are judged right, by verdict; `--details` every one that is not.
"""

import importlib.util
import json
import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from kb.base import AdvisorError, UnknownName
from kb.catalog import server
from kb.names import gpu_names
from kb.records.server import Server
from tools.check_compatibility import CompatibilityRequest, check_compatibility
from tools.find_gpus import GpuQuery, find_gpus
from tools.find_offers import OfferQuery, OfferSearch, find_offers
from tools.gpu_row import GpuRow
from tools.lookup import look_up

RIGHT: dict[str, set[str]] = {
    "true": {"holds"},
    "false": {"contradicted", "unsupported"},
    "misleading": {"partly", "contradicted", "outdated"},
    "outdated": {"outdated", "contradicted"},
    "unsupported": {"unsupported", "contradicted"},
    "opinion": {"holds", "partly", "outdated", "unknown"},
}
"""Verdict of a claim → rulings that say the same of it."""
TOLERANCE = 0.03
AROUND = 0.1
"""How far outside the prices of the catalog a price may lie and still be called about right."""
CATALOGS = {"catalog", "cloud catalog"}
NUMBER = re.compile(r"\$?\s*(\d[\d,]*(?:\.\d+)?)\s*([A-Za-zµ/]*)")
COUNT = re.compile(r"^(\d+)\s*[x×]\s*(.+)$|^(.+?)\s*[x×]\s*(\d+)$")
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
SCALES = {
    "gb": 2**30, "g": 2**30, "gib": 2**30, "tb/s": 10**12, "gb/s": 10**9, "tflops": 10**12, "tops": 10**12,
    "pflops": 10**15, "t": 10**12, "w": 1, "kw": 1000, "bit": 1,
}  # fmt: skip


class Ruling(NamedTuple):
    """What the tools say of a claim."""

    ruling: str
    """holds, partly (of some variants, or with a condition), contradicted, outdated, unsupported, unknown."""
    found: str
    """What they hold."""


def judge(subject: str, attribute: str, value: str, claim: str = "") -> Ruling:
    """Rule on one claim; `claim` is the sentence, for claims about a whole line-up."""
    attribute = attribute.strip().lower()
    try:
        for rule in RULES:
            ruling = rule(subject.strip(), attribute, value.strip(), claim)
            if ruling is not None:
                return ruling
    except UnknownName as unknown:
        return Ruling("unsupported", str(unknown))
    except AdvisorError as error:
        return Ruling("unknown", str(error))
    return Ruling("unknown", "no tool asks this")


def _existence(subject: str, attribute: str, value: str, claim: str) -> Ruling | None:
    if "existence" not in attribute and "availab" not in attribute:
        return None
    counted = COUNT.match(subject)
    if counted:
        number, card = counted[1] or counted[4], counted[2] or counted[3]
        found = find_offers(OfferQuery(gpu=card, min_gpus=int(number), max_gpus=int(number)))
        return Ruling("holds" if found.total or found.unpriced else "contradicted", f"{found.total} offers")
    names = re.split(r"\s*/\s*", subject)
    meanings = [
        look_up(re.sub(r"^(?:Alibaba ECS|AWS|Azure|GCP)\s+", "", value if "ecs." in value else one)) for one in names
    ]
    if any(one.kind is None for one in meanings):
        return Ruling("contradicted", "; ".join(f"{one.name}: nearest {', '.join(one.nearest)}" for one in meanings))
    if any(one.kind == "closed model" for one in meanings):
        return Ruling("unsupported", "runs only as a service")
    if re.search(r"phased out|停产|withdrawn", value):
        rented = find_offers(OfferQuery(gpu=subject)).total
        return Ruling("partly" if rented else "holds", f"{rented} offers rent it")
    if "rent" in value:
        return Ruling("partly", "rented by some clouds only")
    return Ruling("holds", ", ".join(one.ids[0] for one in meanings))


def _cards(subject: str) -> list[list[GpuRow]]:
    """Variants of each card that the subject names; one list a name."""
    parts = re.split(r"\s*(?:,|/|、|和| and )\s*", subject)
    names = parts if len(parts) > 1 and all(look_up(one).kind == "gpu" for one in parts) else [subject]
    return [list(find_gpus(GpuQuery(names=(name,), limit=50)).gpus) for name in names]


def _field(subject: str, attribute: str, value: str, claim: str) -> Ruling | None:
    """A figure or property of cards."""
    name = FIELDS.get(attribute) or ("bandwidth_bytes_per_s" if attribute == "bandwidth" else None)
    if name is None or look_up(subject).kind not in ("gpu", None) or _not_a_card(subject):
        return None
    groups = _cards(subject)
    parts = re.split(r"\s*/\s*(?![a-z])|,\s+", value)
    values = parts if len(parts) == len(groups) else [value] * len(groups)
    rulings = [_of_variants(rows, name, one) for rows, one in zip(groups, values, strict=True)]
    kinds = {one.ruling for one in rulings}
    found = "; ".join(one.found for one in rulings)
    if len(kinds) == 1:
        return Ruling(kinds.pop(), found)
    return Ruling("partly", found)


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
        return not held
    if held is None:
        links = name.endswith("flops") or name in ("nvlink_bytes_per_s", "nvlink_generation", "int8_ops")
        return False if links else None
    if name == "pcie":
        return float(held.split("/")[0]) == float(NUMBER.search(value)[1])  # type: ignore[index]
    if isinstance(held, bool):
        return held == bool(re.search(r"yes|有|支持|support", value, re.IGNORECASE))
    if isinstance(held, str):
        return _same_words(held, value) or (name == "form_factor" and _same_words(one.slot_width or "", value))
    kinds = re.findall(r"GDDR\dX?|HBM\d?e?", value) if name == "memory_bytes" else []
    if kinds and one.memory_type and kinds[0].lower() != one.memory_type.lower():
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


def _same_words(held: str, value: str) -> bool:
    plain = [re.sub(r"[^a-z0-9]", "", text.lower()) for text in (held, value)]
    return bool(plain[0]) and (plain[1] in plain[0] or plain[0] in plain[1])


def _nvlink(subject: str, attribute: str, value: str, claim: str) -> Ruling | None:
    """Whether cards have NVLink at all."""
    if attribute != "nvlink" or _not_a_card(subject):
        return None
    wanted = re.search(r"yes|support|bridge|有|支持", value, re.IGNORECASE) is not None
    verdicts = []
    for rows in _cards(subject):
        asked = (check_compatibility(CompatibilityRequest(gpu=one.id, feature="nvlink")) for one in rows)
        verdicts.append({one.verdict == "works" for one in asked})
    if all(one == {wanted} for one in verdicts):
        return Ruling("holds", f"{subject}: {wanted}")
    return Ruling("partly" if any(wanted in one for one in verdicts) else "contradicted", f"{verdicts}")


def _generation(subject: str, attribute: str, value: str, claim: str) -> Ruling | None:
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


def _architecture(subject: str, attribute: str, value: str, claim: str) -> Ruling | None:
    """A property that all cards of an architecture share."""
    if attribute not in FIELDS or look_up(subject).kind == "gpu":
        return None
    rows = list(find_gpus(GpuQuery(architecture=subject, limit=500)).gpus)
    return _of_variants(rows, FIELDS[attribute], value) if rows else None


def _precisions(subject: str, attribute: str, value: str, claim: str) -> Ruling | None:
    """Whether cards, or all tensor cores, compute in the formats."""
    if attribute not in ("precisions", "precision", "supports", "compatibility"):
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


def _machine(subject: str, attribute: str, value: str, claim: str) -> Ruling | None:
    """Properties of a server; one that does not exist holds none."""
    meaning = look_up(subject)
    if meaning.kind != "server":
        machine = re.search(r"(?:Dell|PowerEdge|SYS-|AS-|HPE|Apollo|ProLiant|DGX|Inspur|Supermicro)", subject)
        return Ruling("contradicted", f"nearest: {meaning.nearest}") if machine and meaning.kind is None else None
    held = server(subject)
    rule = MACHINE.get(attribute.split(" /")[0])
    return rule(held, value) if rule else None


def _gpus_of(held: Server, value: str) -> Ruling:
    counted = COUNT.match(re.sub(r"\s*\(.*|\s*,.*", "", value))
    number = int(counted[1] or counted[4]) if counted else int(value) if value.isdigit() else None
    card = (counted[2] or counted[3]) if counted else ""
    takes = {held.takes(one) for one in look_up(card).ids} if card else {held.max_gpus}
    found = f"{held.name}: {held.gpu_text}, {held.max_gpus}"
    if not any(takes):
        return Ruling("contradicted", found)
    return Ruling("holds" if number in takes else "partly" if number and number < max(takes) else "contradicted", found)


def _network_of(held: Server, value: str) -> Ruling:
    said, rates = ([int(one) for one in re.findall(r"(\d{2,4})\s*Gb", text)] for text in (value, held.network or ""))
    if not rates:
        return Ruling("unknown", f"{held.network}")
    return Ruling("holds" if said and said[0] == max(rates) else "contradicted", f"{held.network}")


def _cooling_of(held: Server, value: str) -> Ruling:
    cooling = (held.cooling or "").lower()
    kinds = {kind for kind in ("air", "liquid", "refrigerant", "water") if kind in cooling}
    wanted = (
        "liquid"
        if value.lower() in ("liquid", "液冷")
        else "air"
        if value.lower() in ("air", "风冷")
        else value.lower()
    )
    if wanted not in kinds:
        return Ruling("contradicted", cooling)
    return Ruling("holds" if len(kinds) == 1 else "partly", cooling)


def _memory_of(held: Server, value: str) -> Ruling:
    said = float(NUMBER.search(value)[1])  # type: ignore[index]
    totals = {
        one.memory_bytes / 2**30 * held.takes(one.id) for one in find_gpus(GpuQuery(names=held.gpus, limit=50)).gpus
    }
    return Ruling("holds" if said in totals else "contradicted", f"{totals}")


def _pcie_of(held: Server, value: str) -> Ruling:
    most = max(float((one.pcie or "0").split("/")[0]) for one in find_gpus(GpuQuery(names=held.gpus, limit=50)).gpus)
    return Ruling("holds" if float(NUMBER.search(value)[1]) <= most else "contradicted", f"cards of PCIe {most}")  # type: ignore[index]


def _form_of(held: Server, value: str) -> Ruling:
    return Ruling("holds" if value.lower() in held.gpu_form_factor.lower() else "contradicted", held.gpu_form_factor)


MACHINE: dict[str, Callable[[Server, str], Ruling]] = {
    "gpus": _gpus_of, "gpu count": _gpus_of, "existence": lambda held, value: Ruling("holds", held.id),
    "network": _network_of, "cooling": _cooling_of, "spec": _memory_of, "gpu memory": _memory_of, "pcie": _pcie_of,
    "module type": _form_of, "form factor": _form_of,
    "height": lambda held, value: Ruling(
        "holds" if held.rack_units == int(NUMBER.search(value)[1]) else "contradicted", f"{held.rack_units}U"  # type: ignore[index]
    ),
}  # fmt: skip


def _instance(subject: str, attribute: str, value: str, claim: str) -> Ruling | None:
    """Instance types: their cards, shape and price."""
    plain = re.sub(r"^Alibaba ECS\s+", "", subject)
    if attribute == "instance type":
        kind = look_up(value).kind
        return Ruling("holds" if kind == "instance" else "contradicted", f"{value}: {look_up(value).nearest}")
    bare = re.sub(r"^(?:AWS|Azure|GCP|OCI)\s+", "", plain)
    cloud = plain.split()[0] if bare != plain else None
    name = next((one for one in (plain, bare) if look_up(one).kind == "instance"), None)
    name = name or (bare if cloud and look_up(f"{cloud} {bare}").kind == "instance" else None)
    if name is None:
        return _by_shape(subject, attribute, value)
    found = find_offers(OfferQuery(instance=name, limit=500))
    offered = [*found.offers, *found.unpriced]
    if attribute in ("gpu", "gpus", "gpu count"):
        counted = COUNT.match(value)
        number = int(counted[1] or counted[4]) if counted else None
        wanted = {
            key
            for one in re.split(r"[/,]", (counted[2] or counted[3]) if counted else value)
            for key in look_up(one).ids
        }
        every = {one.gpu for one in offered}
        right = bool(every & wanted) and (number is None or any(one.gpu_count == number for one in offered))
        strangers = [
            one for one in re.split(r"[/,]", value) if not set(look_up(one.split("x")[-1].strip()).ids) & every
        ]
        return Ruling("contradicted" if not right or (strangers and not counted) else "holds", f"{every}")
    numbers = {"vcpus": "vcpus", "host memory": "host_memory_bytes", "network": "network_bits_per_s"}
    if attribute in numbers:
        said = (
            float(NUMBER.search(value)[1].replace(",", ""))
            * {"vcpus": 1, "host memory": 2**30, "network": 1e9}[attribute]
        )  # type: ignore[index]
        held = {getattr(one, numbers[attribute]) for one in offered}
        return Ruling(
            "holds" if any(one and abs(one - said) <= 0.02 * one for one in held) else "contradicted", f"{held}"
        )
    if attribute == "price":
        return _priced(found, value)
    return None


def _by_shape(subject: str, attribute: str, value: str) -> Ruling | None:
    """`4x A100 80GB`, `2x T4`: any instance of that many cards."""
    counted = COUNT.match(value if attribute == "shape" else subject)
    if counted is None or attribute not in ("shape", "price"):
        return None
    number, card = int(counted[1] or counted[4]), (counted[2] or counted[3]).split(",")[0]
    found = find_offers(OfferQuery(gpu=card, min_gpus=number, max_gpus=number, limit=500))
    if attribute == "price":
        return _priced(found, value)
    vcpus = re.search(r"(\d+)\s*vCPU", value)
    fits = [one for one in (*found.offers, *found.unpriced) if vcpus is None or one.vcpus == int(vcpus[1])]
    return Ruling(
        "holds" if fits else "partly", f"{found.total} offers of {number} x {card}, {len(fits)} of that shape"
    )


def _priced(found: OfferSearch, value: str) -> Ruling:
    said = float(NUMBER.search(value)[1].replace(",", ""))  # type: ignore[index]
    prices = [float(one.usd_per_hour) for one in found.offers]
    if not prices:
        return Ruling("unknown", "no price read")
    inside = min(prices) * (1 - AROUND) <= said <= max(prices) * (1 + AROUND)
    return Ruling("holds" if inside else "outdated", f"${min(prices):g} to ${max(prices):g}")


def _model(subject: str, attribute: str, value: str, claim: str) -> Ruling | None:
    """Sizes of models."""
    from kb.models import models

    meaning = look_up(subject)
    if meaning.kind != "model":
        return None
    sizes = {models()[key].params for key in meaning.ids}
    if attribute in ("parameters", "params", "size"):
        said = float(NUMBER.search(value)[1]) * {"b": 1e9, "m": 1e6, "t": 1e12}[NUMBER.search(value)[2][:1].lower()]  # type: ignore[index]
        return Ruling("holds" if any(abs(one - said) <= 0.12 * one for one in sizes) else "contradicted", f"{sizes}")
    if attribute == "sizes":
        small = any(one < 20e9 for one in sizes)
        return Ruling("holds" if small == ("small" in value) else "contradicted", f"{sizes}")
    if attribute == "context":
        said = float(NUMBER.search(value)[1]) * (1024 if NUMBER.search(value)[2].lower() == "k" else 1)  # type: ignore[index]
        held = {models()[key].max_context_tokens for key in meaning.ids}
        return Ruling(
            "holds" if any(one and abs(one - said) <= 0.03 * one for one in held) else "contradicted", f"{held}"
        )
    if attribute == "licence":
        held = {models()[key].licence for key in meaning.ids}
        return Ruling("holds" if any(_same_words(one or "", value) for one in held) else "contradicted", f"{held}")
    if "gpu recommendation" in attribute:
        series = re.search(r"(\d)000", value)
        wanted = NUMBER.search(value.partition(",")[2])
        rows = find_gpus(GpuQuery(market="consumer", limit=500)).gpus
        alike = [one for one in rows if series and one.id.startswith(f"rtx-{series[1]}0")]
        most = max((one.memory_bytes / 2**30 for one in alike), default=0)
        return Ruling(
            "contradicted" if wanted and float(wanted[1]) > most else "holds", f"most of that series: {most:g} GB"
        )
    return None


def _software(subject: str, attribute: str, value: str, claim: str) -> Ruling | None:
    """What releases need: CUDA, drivers, cards."""
    if attribute not in ("cuda", "required cuda", "driver", "runs on"):
        return None
    asked = {"cuda": "cuda", "required cuda": "cuda", "driver": "driver", "runs on": "gpu"}[attribute]
    versioned = re.search(r"\d", subject) is not None
    field = (
        "framework"
        if versioned and not subject.upper().startswith("CUDA")
        else "cuda"
        if subject.upper().startswith("CUDA")
        else "engine"
    )
    result = check_compatibility(CompatibilityRequest.model_validate({field: subject, asked: value}))
    ruling = {"works": "holds", "works_with": "partly", "does_not": "contradicted", "unknown": "unknown"}[
        result.verdict
    ]
    return Ruling(ruling, result.reason)


def _line_up(subject: str, attribute: str, value: str, claim: str) -> Ruling | None:
    """Claims that a line-up is the newest or best: a successor on sale makes them outdated."""
    if attribute not in ("currency", "top", "very large", "mainstream"):
        return None
    named = {key for mention in gpu_names().scan(f"{claim} {value}") for key in mention.ids}
    rows = find_gpus(GpuQuery(names=tuple(named), limit=100)).gpus if named else ()
    after = {one.successor for one in rows if one.successor}
    return Ruling("outdated" if after else "holds", f"successors: {sorted(after)}")


def _beside(name: str) -> Any:
    """The module of that name in this folder, which is no package."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GROUPS = _beside("judge_groups").GROUPS


def _group(subject: str, attribute: str, value: str, claim: str) -> Ruling | None:
    """Claims about kinds of things."""
    for rule in GROUPS:
        ruling = rule(subject, attribute, value)
        if ruling is not None:
            return Ruling(*ruling)
    return None


RULES = (
    _group, _generation, _existence, _machine, _nvlink, _precisions, _line_up, _software, _instance, _model, _field,
    _architecture,
)  # fmt: skip


def load(path: Path) -> list[dict[str, Any]]:
    """Claims of a file that a catalog can check."""
    text = path.read_text(encoding="utf-8")
    rows = (
        yaml.safe_load(text)
        if path.suffix in (".yaml", ".yml")
        else [json.loads(one) for one in text.splitlines() if one]
    )
    return [row for row in rows if row.get("checkable_by", "catalog") in CATALOGS]


def main(arguments: list[str]) -> int:
    """Judge every file and print the share that comes out right."""
    paths = [Path(one) for one in arguments if not one.startswith("--")]
    for path in paths:
        right, total = Counter[str](), Counter[str]()
        for row in load(path):
            ruling = judge(row["subject"], row["attribute"], str(row["claimed_value"]), row.get("claim_en", ""))
            total[row["verdict"]] += 1
            good = ruling.ruling in RIGHT[row["verdict"]]
            right[row["verdict"]] += good
            if "--details" in arguments and not good:
                said = f"{row['subject']} | {row['attribute']} | {row['claimed_value']}"
                print(f"{row.get('id', ''):10} {row['verdict']:11} {ruling.ruling:13} {said} -> {ruling.found[:110]}")
        share = sum(right.values()) / max(1, sum(total.values()))
        print(f"{path.name}: {sum(right.values())} of {sum(total.values())} judged right ({share:.1%})")
        for verdict, count in total.items():
            print(f"  {verdict:12} {right[verdict]:4} of {count}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
