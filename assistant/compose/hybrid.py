"""Cards and host memory together: the model that no card holds alone, run all the same, and how fast."""

from assistant.answer import AnswerVerdict, ToolCallRecord
from assistant.compose import names, numbers, pace, ranges
from assistant.compose.arithmetic import cite, workload
from assistant.compose.assume import assumed
from assistant.compose.material import Estimate, Material
from assistant.understand.host_memory import bandwidth_bytes_per_s
from kb.constants.speed_constants import constants
from tools.memory.result import HostShare


def split(material: Material) -> Estimate | None:
    """The best way of splitting it that was worked out: the first that the host's memory holds, else the last tried."""
    tried = [one for one in material.estimates if one.fit and one.fit.host]
    return next((one for one in tried if host_of(one).verdict != "no"), tried[-1] if tried else None)


def host_of(one: Estimate) -> HostShare:
    """The share left to host memory.

    Raises:
        LookupError: nothing is left to it.
    """
    if one.placed.host is None:
        raise LookupError("nothing of this estimate is left to host memory")
    return one.placed.host


def headline(material: Material, one: Estimate) -> tuple[str, AnswerVerdict]:
    """Whether cards and host memory hold it together, how much lies where, and the speed to expect."""
    say, share = material.say, host_of(one)
    values = {
        "cards": names.cards(one.placed.gpu, one.gpus),
        "what": workload(material, one),
        "usable": numbers.gib(one.placed.usable_bytes, digits=1),
        "left": numbers.gib(share.bytes),
        "host": numbers.gib(share.usable_bytes),
    }
    if share.verdict == "no":
        return say("fit.without_host", **values) + cite(material, one), "does_not_fit"
    text = say("fit.with_host", **values) + cite(material, one)
    text += say("fit.with_host_tight") if share.verdict == "tight" else ""
    return text + expected(material, one), "fits_with_changes"


def assumptions(material: Material, one: Estimate) -> list[str]:
    """What was taken for granted of the work and of the host's memory, whose speed decides how fast the split is."""
    found = assumed(material, one)
    paced = [row for row in material.records("estimate_inference_speed") if _of(row, one)]
    moved = paced[0].request.get("host_bandwidth_bytes_per_s") if paced else None
    if moved is not None and bandwidth_bytes_per_s(material.text, usual_channels=None) is None:
        server = moved >= constants().host.server_bandwidth_bytes_per_s
        key = "server" if server else "desktop"
        found.append(material.say(f"assume.{key}_memory", rate=numbers.rate(moved, "B/s")))
    return found


def _of(record: ToolCallRecord, one: Estimate) -> bool:
    """Whether it is the speed of this very split."""
    result = record.result
    return bool(result["weight_format"] == one.result.weight_format and result.get("tokens_per_s_per_user"))


def taken(material: Material, one: Estimate) -> list[str]:
    """How much memory the computer was taken to have, where it was not told."""
    size = one.request.get("host_memory_bytes")
    if material.need.host_memory_bytes or not size or host_of(one).verdict == "no":
        return []
    return [material.say("assume.host_memory", size=numbers.gib(size))]


def expected(material: Material, one: Estimate) -> str:
    """The speed to expect in its format, in a sentence; empty where none was worked out."""
    for record in material.records("estimate_inference_speed"):
        if _of(record, one):
            figures = ranges.figures(material, record.result["tokens_per_s_per_user"])
            told = material.say("fit.with_host_speed", **figures)
            return told + pace.cite_pace(material, record.tool, record.result)
    return ""
