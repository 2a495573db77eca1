"""Claims about kinds of things rather than one: form factors, nodes of so many cards, ways of cooling and of paying."""

import re

from judging.ruling import Ruling

from kb.catalog import gpus, servers
from tools.find_gpus import GpuQuery, find_gpus
from tools.find_offers import OfferQuery, find_offers
from tools.lookup import look_up

NUMBERS = re.compile(r"\d+(?:\.\d+)?")
COUNTED = re.compile(r"^(\d+)\s*[x×]\s*(.+?)(?:\s+node|\s+instance|\s+server)?$")
FORMS = re.compile(r"^(PCIe|SXM|OAM)(?: cards?| modules?)?$", re.IGNORECASE)
FASTER = 4
"""Times FP32 from which matrix units are called far faster."""


def by_form(subject: str, attribute: str, value: str) -> Ruling | None:
    """What cards of a form factor have in common."""
    form = FORMS.match(subject)
    if form is None:
        return None
    linked = find_gpus(GpuQuery(form_factor=form[1], nvlink=True, vendor="NVIDIA", limit=500))
    bare = find_gpus(GpuQuery(form_factor=form[1], nvlink=False, vendor="NVIDIA", limit=500))
    if attribute == "interconnect":
        wanted = "nvlink" in value.lower()
        here, there = (linked.total, bare.total) if wanted else (bare.total, linked.total)
        return Ruling("holds" if not there else "partly" if here else "contradicted", f"{here} cards so, {there} not")
    if attribute in ("target", "market"):
        heavy = find_gpus(GpuQuery(form_factor=form[1], market="data_center")).total
        light = re.search(r"light|desktop|轻", value) is not None
        return Ruling("partly" if light and heavy else "holds", f"{heavy} data-centre cards")
    if attribute == "integration":
        boards = {one.name for one in servers().values() if form[1].upper() in one.gpu_form_factor.upper()}
        return Ruling("holds" if boards else "contradicted", f"{len(boards)} machines take {form[1]}")
    return None


def by_node(subject: str, attribute: str, value: str) -> Ruling | None:
    """What instances of so many cards have."""
    counted = COUNTED.match(subject)
    if counted is None or attribute not in ("interconnect", "fabric bandwidth", "network"):
        return None
    number, card = int(counted[1]), counted[2]
    found = find_offers(OfferQuery(gpu=card, min_gpus=number, max_gpus=number, limit=500)).offers
    if attribute == "interconnect":
        joined = {one.interconnect for one in found} - {None}
        wanted = "nvlink" if "nvlink" in value.lower() else "pcie" if "pcie" in value.lower() else value.lower()
        if wanted not in joined:
            return Ruling("contradicted", f"{joined} within the node")
        return Ruling("holds" if joined == {wanted} else "partly", f"{joined}")
    factors = [float(one) for one in NUMBERS.findall(value.replace("x", " "))]
    said = factors[0] * (factors[1] if len(factors) > 1 else 1) * 1e9
    rates = {one.network_bits_per_s for one in found if one.network_bits_per_s}
    usual = max(rates, default=0)
    return Ruling("holds" if abs(said - usual) <= 0.05 * usual else "contradicted", f"{sorted(rates)}")


def by_cooling(subject: str, attribute: str, value: str) -> Ruling | None:
    """Up to what power cards are air-cooled in machines one can order."""
    if not re.search(r"air", value) and attribute != "air limit":
        return None
    if subject != "cooling" and (attribute != "cooling" or look_up(subject).kind != "gpu"):
        return None
    ours = set(look_up(subject).ids)
    limit = max((gpus()[key].tdp_w or 0 for key in ours), default=0) or float((NUMBERS.findall(value) or ["0"])[0])
    aired = [one for one in servers().values() if (one.cooling or "").lower().startswith("air")]
    hottest = max((gpus()[key].tdp_w or 0 for one in aired for key in one.gpus), default=0)
    if "limit" in (attribute + value):
        return Ruling("partly" if hottest >= limit and ours else "contradicted" if hottest >= limit else "holds",
                      f"air-cooled machines take cards of {hottest} W")  # fmt: skip
    return Ruling("holds" if any(ours & set(one.gpus) for one in aired) else "contradicted", f"{hottest} W")


def by_price(subject: str, attribute: str, value: str) -> Ruling | None:
    """What the other ways of paying save, over the offers that state both."""
    if subject not in ("spot", "pricing", "reserved", "on-demand"):
        return None
    listed = {one.id: float(one.usd_per_hour) for one in find_offers(OfferQuery(limit=1000)).offers}
    saved = []
    for way in ("spot", "reserved", "reserved_3y"):
        if subject in ("pricing", way):
            cheaper = find_offers(OfferQuery.model_validate({"purchase": way, "limit": 1000})).offers
            saved += [1 - float(one.usd_per_hour) / listed[one.id] for one in cheaper if one.id in listed]
    if not saved:
        return Ruling("unknown", "no offer states both")
    found = f"{min(saved):.0%} to {max(saved):.0%} over {len(saved)} offers"
    bounds = [float(one) / 100 for one in NUMBERS.findall(value)]
    if not bounds:
        return Ruling("holds" if min(saved) >= 0 else "contradicted", found)
    inside = [bounds[0] <= one <= bounds[-1] for one in saved]
    return Ruling("holds" if all(inside) else "partly" if any(inside) else "contradicted", found)


def by_machines(subject: str, attribute: str, value: str) -> Ruling | None:
    """What machines, or those of one line, take."""
    line = [one for one in servers().values() if one.name.upper().startswith(subject.upper())]
    line = list(servers().values()) if subject == "servers" else line
    if len(line) < 2:
        return None
    if attribute == "gpus per node":
        bounds = [float(one) for one in NUMBERS.findall(value)]
        inside = sum(bounds[0] <= one.max_gpus <= bounds[-1] for one in line)
        return Ruling("holds" if inside > len(line) / 2 else "contradicted", f"{inside} of {len(line)}")
    if attribute in ("gpu form", "module type"):
        alike = sum(value.upper() in one.gpu_form_factor.upper() for one in line)
        return Ruling("holds" if alike > len(line) / 2 else "contradicted", f"{alike} of {len(line)}")
    return None


def by_rates(subject: str, attribute: str, value: str) -> Ruling | None:
    """How rates differ between formats, units and generations."""
    if subject.lower() in ("tensor cores", "compute") and (attribute == "performance" or value == "varies"):
        rows = find_gpus(GpuQuery(where=("tensor_core_generation >= 1", "market = data_center"), limit=500)).gpus
        pairs = [(one.fp16_flops, one.fp32_flops) for one in rows if one.fp16_flops and one.fp32_flops]
        times = sorted(matrix / plain for matrix, plain in pairs)
        least = FASTER if subject.lower() == "tensor cores" else 1
        return Ruling(
            "holds" if times[len(times) // 2] >= least else "contradicted", f"{times[0]:.1f} to {times[-1]:.1f}"
        )
    if attribute == "performance" and value in ("lower", "higher") and look_up(subject).kind == "gpu":
        (one, *_) = find_gpus(GpuQuery(names=(subject,))).gpus
        after = find_gpus(GpuQuery(names=(one.successor,))).gpus if one.successor else ()
        newer = max((each.fp32_flops or 0 for each in after), default=0)
        return Ruling("holds" if (newer > (one.fp32_flops or 0)) == (value == "lower") else "contradicted", f"{newer}")
    return None


GROUPS = (by_form, by_node, by_cooling, by_price, by_machines, by_rates)
