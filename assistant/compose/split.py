"""Which cards each of several works gets, what it holds there and how fast it is."""

import re

from assistant.answer import ToolCallRecord
from assistant.compose import amounts, names, numbers
from assistant.compose.arithmetic import arithmetic, cite, total, workload
from assistant.compose.assume import assumed
from assistant.compose.caveats import caveats
from assistant.compose.material import Estimate, Material
from assistant.compose.pace import cite_pace
from assistant.compose.section import Section
from assistant.plan import requests
from assistant.plan import split as planned
from kb.catalog import gpu
from kb.machines.topology import topology_facts

_WHETHER = re.compile(
    r"\benough\b|\b(?:does|do|will|would) (?:it|that|they|both|this) (?:all )?fit\b|够(?:吗|不够|么|用)|放得下吗|行吗",
    re.I,
)
"""Words that ask whether the cards suffice at all."""


def split(material: Material) -> Section | None:
    """The division in a sentence, then a line for each part; None where no division holds them all."""
    parts = [(one, _estimate(material, one)) for one in planned.shares(material.understanding)]
    estimates = [one for _, one in parts if one is not None]
    if not parts or len(estimates) < len(parts):
        return None
    say = material.say
    told = [
        say("split.part", cards=names.cards(one.way.card.gpu, one.way.card.count or 1),
            what=workload(material, estimate).strip())
        for one, estimate in parts if estimate is not None
    ]  # fmt: skip
    whether = say("split.yes") if _WHETHER.search(material.text) else ""
    headline = say("split.so", parts=say.listed(told))
    headline = whether + headline if whether else headline[:1].upper() + headline[1:]
    if planned.spare(material.understanding):
        headline += say("split.spare")
    lines = [_line(material, one, estimate) for one, estimate in parts if estimate is not None]
    maker = topology_facts().makers.get(gpu(parts[0][0].way.card.gpu).vendor)
    lines.append(say("split.apart", variable=maker.visible) if maker else say("split.processes"))
    lines += [say("split.trained")] if any(requests.is_training(one.need) for one, _ in parts) else []
    section = Section("recommendation", headline, ["\n".join(f"- {each}" for each in lines)], settled=True)
    section.body.append(arithmetic(material, estimates))
    found = [line for estimate in estimates for line in caveats(material, estimate)]
    section.caveats = list(dict.fromkeys(found))
    section.assumptions = list(dict.fromkeys(line for estimate in estimates for line in assumed(material, estimate)))
    if any(one.way_open and one.way.task == "full_finetune" for one, _ in parts):
        section.assumptions.append(say("split.way"))
    return section


def _estimate(material: Material, share: planned.Share) -> Estimate | None:
    return next((one for one in material.estimates if one.request == share.way.call.request), None)


def _line(material: Material, share: planned.Share, one: Estimate) -> str:
    """What the part holds, what room it leaves and how fast the work is there."""
    say, verdict = material.say, share.way.verdict
    values = {
        "cards": names.cards(share.way.card.gpu, share.way.card.count or 1), "total": total(one),
        "what": workload(material, one).strip(), "usable": numbers.gib(one.placed.usable_bytes, digits=1),
    }  # fmt: skip
    text = say(f"sides.line_{verdict}", **values) + cite(material, one)
    if (most := one.placed.max_concurrent_sequences) and one.task == "inference":
        text += say("split.room", count=numbers.count(most))
    record = _paced(material, share)
    if record is None:
        return text
    key = next((key for key in ("tokens_per_s_per_user", "tokens_per_s_total") if record.result.get(key)), None)
    key = "tokens_per_s_total" if requests.is_training(share.need) else key
    if key is None or not record.result.get(key):
        return text
    pace = say(f"sides.pace_{key}", value=amounts.figure_range(record.result[key]))
    return text + pace + cite_pace(material, record.tool, record.result)


def _paced(material: Material, share: planned.Share) -> ToolCallRecord | None:
    """The pace of the work on its part."""
    tool = "estimate_training_time" if requests.is_training(share.need) else "estimate_inference_speed"
    wanted = (share.work.model, share.way.card.count or 1)
    return next(
        (one for one in material.records(tool)
         if (one.request.get("model"), one.request.get("gpu_count") or 1) == wanted),
        None,
    )  # fmt: skip
