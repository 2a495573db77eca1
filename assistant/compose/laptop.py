"""Which laptop holds a language model: the size of its graphics memory, and the chips that have it."""

from assistant.compose import names, numbers, ranges
from assistant.compose.arithmetic import arithmetic, cite, total, workload
from assistant.compose.citations import joined
from assistant.compose.material import Material
from assistant.compose.pace import cite_pace
from assistant.compose.section import Section
from assistant.plan import laptop as planned
from kb.units import GIB

SHOWN_MAX = 3


def laptop(material: Material) -> Section | None:
    """The least memory and its chips with the speed of the fastest; that no laptop holds it where none does."""
    if not material.estimates:
        return None
    one, say = material.estimates[0], material.say
    chips = planned.holding(one.result.per_gpu.high_bytes)
    values = {"what": workload(material, one), "total": total(one)}
    if not chips:
        return Section("does_not_fit", say("laptop.none", **values) + cite(material, one), settled=True)
    listed = say.listed([names.gpu_name(chip.id) for chip in chips[:SHOWN_MAX]], conjunction="or")
    size, usable = f"{chips[0].memory_bytes / GIB:g}", numbers.gib(chips[0].usable_bytes, digits=1)
    quote = f"{chips[0].id}: memory {size} GiB, usable {usable} GiB"
    marker = joined([material.cites.cite("catalog", names.gpu_name(chips[0].id), f"gpus/{chips[0].id}", quote)])
    headline = say("laptop.get", size=size, chips=listed, usable=usable, **values) + cite(material, one) + marker
    section = Section("recommendation", headline, [arithmetic(material, [one])], settled=True)
    for record in material.records("estimate_inference_speed"):
        if record.result.get("tokens_per_s_per_user"):
            told = ranges.figures(material, record.result["tokens_per_s_per_user"])
            text = say("laptop.pace", chip=names.gpu_name(record.result["gpu"]), **told)
            section.body.insert(0, text + cite_pace(material, record.tool, record.result))
    section.caveats = [say("laptop.name")]
    return section
