"""Cards and host memory together: the model that no card holds alone, run all the same, and how fast."""

from assistant.answer import AnswerVerdict
from assistant.compose import names, numbers, pace
from assistant.compose.arithmetic import cite, workload
from assistant.compose.material import Estimate, Material
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
    return text + _speed(material, one), "fits_with_changes"


def _speed(material: Material, one: Estimate) -> str:
    for record in material.records("estimate_inference_speed"):
        result = record.result
        if result["weight_format"] == one.result.weight_format and result.get("tokens_per_s_per_user"):
            figures = pace.figures(material, result["tokens_per_s_per_user"])
            return material.say("fit.with_host_speed", **figures) + pace.cite_pace(material, record.tool, result)
    return ""
