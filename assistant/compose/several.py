"""One machine for several kinds of work: what holds them all, and what each takes of it."""

from assistant.compose import names, numbers, orders
from assistant.compose.arithmetic import cite
from assistant.compose.around import machine_line
from assistant.compose.material import Estimate, Material
from assistant.compose.section import Section
from assistant.compose.shopping import left, limited
from assistant.compose.table import table
from assistant.plan import several as plan
from assistant.plan.preferred import preferred
from assistant.understanding import Workload
from kb.catalog import models
from tools.configuration import Configuration
from tools.memory.result import MemoryEstimate


def several(material: Material) -> Section | None:
    """The machine for the heaviest work, held against each of the others; None where there is but one kind."""
    works = material.understanding.workloads
    if not works:
        return None
    ranked = plan.heaviest_first(material.understanding, material.need, material.calls)
    found, left_out = [], []
    for work in ranked:
        if found := _found(material, work):
            break
        left_out.append(work)
    if not found:
        return None
    kept = [work for work in works if work not in left_out]
    others = [one for work in kept for one in _found(material, work) if one.acquisition == found[0].acquisition]
    found = sorted([*found, *others], key=lambda one: not all(_holds(material, work, one) for work in kept))
    found = [one for index, one in enumerate(found) if one not in found[:index]]
    best, say = found[0], material.say
    left_out += [work for work in kept if not _holds(material, work, best)]
    kept = [work for work in kept if work not in left_out]
    if not kept:
        return None
    what = say.listed([_named(material, work) for work in kept])
    order = names.cards(best.gpu, best.gpu_count) + say(
        "order.at_price", price=orders.price(material, best, brief=True)
    )
    headline = say("several.all", what=what, order=order).rstrip(".。") + left(material, best) + say("list.stop")
    if 1 < (material.need.users or 1) <= best.gpu_count:
        headline += say("several.each", users=material.need.users)
    if left_out:
        heavy = say.listed([_named(material, work) for work in left_out])
        headline = say("several.main", what=what, order=order, heavy=heavy)
    found = [one for one in found if all(_holds(material, work, one) for work in kept)] or found[:1]
    section = Section("recommendation", headline, settled=True)
    section.body = [_table(material, best), orders.orders(material, found)]
    section.configurations = found
    section.caveats += machine_line(material, best)
    section.assumptions += limited(material)
    section.assumptions += [
        say("several.assumed", kind=say(f"task.{models()[work.model].kind}"), model=names.model_name(work.model))
        for work in works
        if work.assumed and work.model
    ]
    return section


def _found(material: Material, work: Workload) -> list[Configuration]:
    """The configurations found for this work, best first."""
    wanted = plan.need_of(work, material.need)
    for record in material.records("configure"):
        request = record.request
        same = (request.get("model"), request.get("task")) == (wanted.model, wanted.task)
        if same and (wanted.model or request.get("params") == wanted.params):
            rows = [Configuration.model_validate(row) for row in record.result["configurations"]]
            return preferred(rows, material.text, material.need)
    return []


def _holds(material: Material, work: Workload, one: Configuration) -> bool:
    """Whether the machine holds the work: what is served may be spread over its cards, the rest is to fit one."""
    total = plan.memory_of(work, material.need, material.calls)
    known = models().get(work.model or "")
    spreads = work.task == "inference" and (known is None or known.kind in {"llm", "vlm"})
    if total is None or total <= one.memory.usable_bytes_per_gpu * (one.gpu_count if spreads else 1):
        return True
    # In a smaller format than the one it was estimated in, or with its parts in turn, as was found for the work alone.
    alone = (found for found in _found(material, work) if found.gpu_count == 1)
    return any(found.memory.needed_bytes_per_gpu <= one.memory.usable_bytes_per_gpu for found in alone)


def _named(material: Material, work: Workload) -> str:
    """The work in a few words: a model by its name or size, and what is done with it."""
    say, known = material.say, models().get(work.model or "")
    model = names.model_name(known.id) if known else say("model.of_size", size=numbers.params(work.params or 0))
    draws = known is not None and known.kind in {"diffusion", "video"} and work.task == "inference"
    return say(
        "workload.train", model=model, method=names.task_name("diffusion" if draws else work.task or "inference", say)
    )


def _table(material: Material, best: Configuration) -> str:
    say = material.say
    lines = []
    for work in material.understanding.workloads:
        record = plan.record_of(work, material.need, material.calls)
        if record is None:
            continue
        one = Estimate(record.request, MemoryEstimate.model_validate(record.result))
        name = f"{_named(material, work)} ({names.format_name(one.result.weight_format)})"
        lines.append(
            [name + cite(material, one), numbers.gib(one.result.per_gpu.total_bytes), _place(material, one, best)]
        )
    head = [
        say("several.head_work"),
        say("several.head_memory"),
        say("several.head_place", cards=names.cards(best.gpu, best.gpu_count)),
    ]
    return table(head, lines)


def _place(material: Material, one: Estimate, best: Configuration) -> str:
    """On one card of the machine, spread over several, or not at all."""
    usable, total = best.memory.usable_bytes_per_gpu, one.result.per_gpu.total_bytes
    known = models().get(one.result.model or "")
    if total > usable and known is not None and known.kind not in {"llm", "vlm"}:
        return material.say("several.smaller")
    if total <= usable:
        return material.say("several.one" if best.gpu_count > 1 else "several.fits")
    return material.say("several.spread" if total <= usable * best.gpu_count else "several.not")
