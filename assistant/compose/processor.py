"""A language model without a card: whether the memory holds it, and how fast the processor answers."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assistant.answer import AnswerVerdict, ToolCallRecord
from assistant.compose import guidance, numbers, ranges
from assistant.compose.arithmetic import cite, subject, total, workload
from assistant.compose.citations import joined
from assistant.compose.material import Estimate, Material
from assistant.compose.orders import orders
from assistant.compose.pace import cite_pace
from assistant.compose.section import Section
from assistant.compose.table import table
from assistant.plan import cardless
from assistant.plan.processor import SERVER_MEMORIES, memory_bytes
from assistant.understand.host_memory import bandwidth_bytes_per_s
from kb.catalog import model
from kb.constants.memory_constants import constants
from kb.units import GIB
from tools.speed.host_only import CPU

SOLD = (8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048)
"""Memory that machines are sold with, in GiB."""
USUAL_MODULE = "DDR5-5600"
"""What two channels of are assumed, where nothing is said of the memory."""
_INSTRUCTIONS = re.compile(r"(?<![a-z])amx(?![a-z])|avx", re.I)
_OLDER = re.compile(r"ddr[34](?!\d)", re.I)
"""Generations of memory older than today's servers take."""
USABLE_SLOW = 5.0
"""Tokens a second below which an answer is read slower than it is written: about as fast as one reads aloud."""


@dataclass(frozen=True, slots=True)
class Served:
    """One model on the processor."""

    one: Estimate
    pace: ToolCallRecord

    @property
    def rate(self) -> float:
        """Tokens a second."""
        return float(self.pace.result["tokens_per_s_per_user"]["value"])


def processor(material: Material) -> Section | None:
    """The model asked about, or the largest of the examples that answers fast enough."""
    served = list(_served(material))
    if not served:
        return None
    if len({one.pace.request.get("host_bandwidth_bytes_per_s") for one in served}) > 1:
        return _server(material, served)
    named = material.need.params is not None or material.need.model is not None
    best = served[0] if named else _best(served)
    verdict, key = _fits(material, best.one)
    if named and key == "takes" and cardless.needed(material.text):
        key = "needless" if best.rate >= USABLE_SLOW else "needed"
    section = Section(verdict, _headline(material, best, f"processor.{key}"), settled=True)
    section.body = [_table(material, served) if len(served) > 1 else "", _how(material, best)]
    section.assumptions = (
        [material.say("assume.processor", module=USUAL_MODULE)] if best.pace.result["assumptions"] else []
    )
    return section


def _served(material: Material) -> Iterator[Served]:
    paced = [one for one in material.records("estimate_inference_speed") if one.result.get("gpu") == CPU]
    for one in material.estimates:
        alike = (one.result.model, one.result.weight_format)
        found = [p for p in paced if (p.result["model"], p.result["weight_format"]) == alike]
        if len(paced) == len(found) or _fits(material, one)[0] != "does_not_fit":
            yield from (Served(one, each) for each in found)


def _server(material: Material, served: list[Served]) -> Section:
    """A large model out of a server's memory: how much of it, how fast by its bandwidth, and what else is wanted."""
    say, one = material.say, served[0].one
    least = next((size for size in SOLD if size * GIB >= _needed_bytes(one)), SOLD[-1])
    slowest, fastest = min(served, key=lambda each: each.rate), max(served, key=lambda each: each.rate)
    headline = say(
        "processor.server", what=workload(material, one), total=total(one), least=least,
        slow=_value(material, slowest), slowest=_memory(material, slowest),
        fast=_value(material, fastest), fastest=_memory(material, fastest),
    )  # fmt: skip
    section = Section("recommendation", headline + cite(material, one) + _cite_size(material, one, least), settled=True)
    told = [say("processor.amx")] if _INSTRUCTIONS.search(material.text) else []
    if old := _OLDER.search(material.text):
        told.append(say("processor.older", module=old[0].upper()))
    mixed = one.result.model is not None and model(one.result.model).experts is not None
    told.append(say("processor.beside" if mixed else "processor.dense"))
    rows = [
        [_memory(material, each), _bandwidth(each), _paced(material, each) + _cited(material, each)] for each in served
    ]
    head = [say("processor.memory_kind"), say("processor.bandwidth"), say("processor.pace")]
    section.body = ["\n".join(f"- {line}" for line in told), table(head, rows)]
    section.body.append(guidance.heard(material, [section.headline, *section.body], guidance.ASIDE))
    if found := orders(material, material.configurations[:1]):
        section.body += [say("processor.many"), found]
        section.configurations = material.configurations[:1]
    return section


def _value(material: Material, each: Served) -> str:
    return ranges.figures(material, each.pace.result["tokens_per_s_per_user"])["value"]


def _bandwidth(each: Served) -> str:
    return numbers.rate(each.pace.request["host_bandwidth_bytes_per_s"], "B/s")


def _memory(material: Material, each: Served) -> str:
    """The memory that gives this bandwidth: "8 channels of DDR4-3200"."""
    moved = each.pace.request["host_bandwidth_bytes_per_s"]
    name = next(one for one in SERVER_MEMORIES if bandwidth_bytes_per_s(one) == moved)
    channels, _, module = name.partition("-channel ")
    return material.say("processor.channels", channels=channels, module=module)


def _cited(material: Material, each: Served) -> str:
    """The markers of a speed and of the bandwidth it rests on."""
    moved = each.pace.request["host_bandwidth_bytes_per_s"]
    quote = f"{_memory(material, each)}: channels · 8 bytes · transfers a second = {moved / 1e9:.0f} GB/s"
    title = material.say("processor.bandwidth")
    bandwidth = material.cites.cite("calculation", title, "host memory", quote)
    return joined([cite_pace(material, each.pace.tool, each.pace.result).strip(), bandwidth])


def _best(served: list[Served]) -> Served:
    """The largest that is fast enough to read along, else the fastest."""
    fast = [one for one in served if one.rate >= USABLE_SLOW]
    return max(fast, key=lambda one: one.one.result.params) if fast else max(served, key=lambda one: one.rate)


def _needed_bytes(one: Estimate) -> float:
    """What is to be in the machine: what is held, and what the system keeps."""
    return one.result.per_gpu.total_bytes / (1 - constants().llama_cpp.host_reserve_ratio)


def _fits(material: Material, one: Estimate) -> tuple[AnswerVerdict, str]:
    stated = memory_bytes(material.need)
    if stated is None:
        return "estimate", "takes"
    return ("fits", "fits") if _needed_bytes(one) <= stated else ("does_not_fit", "too_large")


def _headline(material: Material, best: Served, key: str) -> str:
    say, one = material.say, best.one
    least = next((size for size in SOLD if size * GIB >= _needed_bytes(one)), SOLD[-1])
    text = say(
        key, what=workload(material, one), total=total(one), least=least,
        stated=f"{(memory_bytes(material.need) or 0) / GIB:,.0f}",
        **ranges.figures(material, best.pace.result["tokens_per_s_per_user"]),
    )  # fmt: skip
    sized = _cite_size(material, one, least)
    return text + cite(material, one) + sized + cite_pace(material, best.pace.tool, best.pace.result)


def _cite_size(material: Material, one: Estimate, least: int) -> str:
    """The marker of the memory to install: what is held and the system's share, up to a size that is sold."""
    ratio = constants().llama_cpp.host_reserve_ratio
    stated = f"; stated: {(memory_bytes(material.need) or 0) // GIB} GB" if memory_bytes(material.need) else ""
    quote = f"{total(one)} GiB / (1 - {ratio}) <= {least} GB{stated}"
    return joined([material.cites.cite("calculation", material.say("processor.memory"), "host memory", quote)])


def _how(material: Material, best: Served) -> str:
    """What the speed rests on."""
    inputs = best.pace.result["derivation"][-1]["inputs"]
    read = best.pace.result["derivation"][0]["value"]
    return material.say(
        "processor.how", bandwidth=numbers.rate(inputs["bandwidth_bytes_per_s"], "B/s"),
        read=f"{read / 1e9:.1f} GB", what=subject(material, best.one),
    )  # fmt: skip


def _table(material: Material, served: list[Served]) -> str:
    say = material.say
    rows = [[workload(material, one.one), total(one.one), _paced(material, one)] for one in served]
    return table([say("processor.model"), say("processor.memory"), say("processor.pace")], rows)


def _paced(material: Material, one: Served) -> str:
    found = ranges.figures(material, one.pace.result["tokens_per_s_per_user"])
    return found["value"] + found["range"]
