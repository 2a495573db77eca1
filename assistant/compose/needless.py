"""Whether the card that was named is more than the work needs."""

from assistant.compose import names, numbers
from assistant.compose.arithmetic import cite, column_name, interval, total, workload
from assistant.compose.material import Estimate, Material
from assistant.plan import needless
from kb.catalog import gpu
from tools.memory.result import MinimumGpus

MUCH_SMALLER = 0.7
"""Share of the named cards' memory up to which others are a smaller choice."""


def told(material: Material, main: Estimate) -> str:
    """No, with the smallest that does, at once or in four bits; or that it takes about this.

    Empty where that is not asked or nothing fits.
    """
    way = needless.asked(material.understanding)
    if way is None or not main.fits:
        return ""
    say = material.say
    values = {
        "what": workload(material, main), "total": total(main), "interval": interval(main),
        "cards": names.cards(main.placed.gpu, main.gpus), "usable": numbers.gib(main.placed.usable_bytes, digits=1),
    }  # fmt: skip
    if less := smaller(main, main):
        return say(f"fit.less_{way}", enough=names.cards(less.gpu, less.count), **values) + cite(material, main)
    for other in material.estimates:
        packed = other.fits and other.task == main.task and (other.gpu, other.gpus) == (main.gpu, main.gpus)
        if packed and other.result.weight_format != main.result.weight_format and (less := smaller(other, main)):
            how, enough = column_name(material, other), names.cards(less.gpu, less.count)
            text = say(f"fit.half_{way}", how=how, enough=enough, less=total(other), **values)
            return text + cite(material, main) + cite(material, other)
    return say(f"fit.apt_{way}", **values) + cite(material, main)


def smaller(one: Estimate, main: Estimate) -> MinimumGpus | None:
    """The least memory, in no more cards, that holds `one` with room; null where none is much smaller."""
    own = gpu(main.placed.gpu).memory_bytes * main.gpus
    roomy = [
        row for row in one.result.minimum_gpus
        if row.verdict == "yes" and row.count <= main.gpus
        and gpu(row.gpu).memory_bytes * row.count <= MUCH_SMALLER * own
    ]  # fmt: skip
    return min(roomy, key=lambda row: (row.count, gpu(row.gpu).memory_bytes), default=None)
