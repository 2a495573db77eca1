"""A mixture too large for the money on cards alone: one card in a machine whose own memory holds the experts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assistant.answer import ToolCallRecord
from assistant.plan import requests
from assistant.plan.amounts import model_kind
from assistant.plan.call import PlannedCall, planned
from assistant.plan.formats import packed_format
from assistant.plan.home import CURRENCIES
from assistant.plan.ways import only
from assistant.understand.host_memory import bandwidth_bytes_per_s
from assistant.understanding import Understanding
from kb.catalog import gpu, models
from kb.units import GIB
from tools.configure.bills.bill import machines_alone
from tools.configure.market.sold import CHINA
from tools.memory.formats import weight_format
from tools.need import GpuCount, Need

CARD = "rtx-4090-24gb"
"""The card that the dense layers and the cache lie on: any of this size does."""
MEMORY = tuple(size * GIB for size in (192, 256, 384, 512, 768, 1024, 1536, 2048))
"""Memory as machines are fitted with it."""
ROOM = 1.06
"""Times the weights that the memory must have room for, and 16 GiB for the system besides."""
EIGHT_BITS = "gguf:Q8_0"
PATIENT = re.compile(
    r"慢(?:一?点|些)?(?:也|都|没|无|可以|能接受|不要紧|不介意)|速度(?:慢|无所谓|不重要|没关系|没要求)"
    r"|不(?:在乎|在意|追求|介意|要求)[^,，。]{0,4}(?:速度|快慢|慢)"
    r"|slow(?:ness)?(?: speed)? (?:is|are) (?:ok(?:ay)?|fine|acceptable|alright|no problem)|slow ok"
    r"|don'?t (?:care|mind)[^.?!]{0,16}(?:speed|slow)|(?:even )?if (?:it'?s |it is )?slow"
    r"|speed (?:doesn'?t|does not|isn'?t|is not) (?:matter|important|an issue)",
    re.I,
)
"""Words of somebody who can wait."""
_ASKED = ("which_to_buy", "budget", "cloud_or_buy", "can_it_run", "how_many_gpus")


@dataclass(frozen=True, slots=True)
class Machine:
    """What is to be asked of one way to fit it out."""

    form: str
    memory_bytes: int
    bandwidth_bytes_per_s: float


def wanted(understanding: Understanding, need: Need) -> bool:
    """Whether such a machine may be what is wanted: one person, a mixture, nothing in hand and nothing to rent."""
    record = models().get(need.model or "")
    if record is None or record.experts is None or requests.is_training(need) or model_kind(need) not in ("llm", "vlm"):
        return False
    alone = (need.concurrent_sequences or 1) == 1 and (need.users or 1) == 1 and need.engine in (None, "llama.cpp")
    free = not (
        need.gpus_owned or need.gpus_asked or need.provider or need.host_memory_bytes or need.memory_bytes_per_gpu
    )
    asked = (need.intent in _ASKED and need.budget is not None) or PATIENT.search(understanding.text) is not None
    return alone and free and asked and only(understanding.text, need) != "rent" and "unified" not in need.conditions


def calls(understanding: Understanding, need: Need, results: Sequence[ToolCallRecord]) -> list[PlannedCall | None]:
    """Memory, speed and price of the machine: in four bits, and in eight where the format as published was said."""
    if not wanted(understanding, need) or (need.budget is not None and _found(results)):
        return []
    found: list[PlannedCall | None] = []
    for one in _machines(understanding, need):
        packed = need.model_copy(update={"engine": "llama.cpp", "tensor_parallel": None, "weight_format": one.form})
        card = GpuCount(gpu=CARD, count=1)
        found += [
            requests.memory(packed, card, host_memory_bytes=one.memory_bytes, pipeline_parallel=1),
            requests.speed(packed, card, one.form, host_bandwidth_bytes_per_s=one.bandwidth_bytes_per_s),
            planned(
                "estimate_cost", gpu=CARD, gpu_count=1, acquisition="buy", machine_memory_bytes=one.memory_bytes,
                country=_country(understanding, need), currency=_currency(understanding, need),
            ),
        ]  # fmt: skip
    return found


def _machines(understanding: Understanding, need: Need) -> list[Machine]:
    """The formats worth it, each with the least memory that holds it and what its modules move."""
    record = models()[need.model or ""]
    said = need.weight_format
    if said is not None and said.startswith("gguf:"):
        forms = [said]
    else:
        forms = [packed_format(need.model), *([EIGHT_BITS] if said is not None else [])]
    domestic = _country(understanding, need) in CHINA
    found = []
    for form in forms:
        stored = record.params * weight_format(form).body_bits / 8
        size = next((one for one in MEMORY if one >= ROOM * stored - gpu(CARD).usable_bytes / 2 + 16 * GIB), None)
        bill = machines_alone(CARD, 1, 1, size, domestic=domestic) if size else None
        modules = next((item for item in bill.items if item.part == "memory"), None) if bill else None
        moved = bandwidth_bytes_per_s(modules.product, usual_channels=modules.count) if modules else None
        if size and moved:
            found.append(Machine(form, size, moved))
    return found


def _found(results: Sequence[ToolCallRecord]) -> bool:
    """Whether something that holds it is priced within the limits."""
    rows = (row for one in results if one.tool == "configure" for row in one.result.get("configurations") or ())
    return any(row["price"]["amount"] is not None for row in rows)


def _country(understanding: Understanding, need: Need) -> str | None:
    return need.country or ("CN" if understanding.language == "zh" else None)


def _currency(understanding: Understanding, need: Need) -> str:
    stated = need.currency or (need.budget.currency if need.budget else None)
    return stated or CURRENCIES.get(_country(understanding, need) or "", "USD")
