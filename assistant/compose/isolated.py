"""Cards for several who must not disturb each other: in how many parts, of which size, and whether those in hand do."""

from assistant.compose import names, numbers
from assistant.compose.material import Material
from assistant.compose.orders import in_hand, orders
from assistant.compose.section import Section
from tools.configuration import Configuration, Divided


def isolated(material: Material) -> Section | None:
    """What is in hand first, then what to add; None where nothing holds the work."""
    found = [one for one in material.configurations if one.divided is not None]
    held = [one for one in found if in_hand(one)]
    best = next(iter(held or found), None)
    if best is None or best.divided is None:
        return None
    headline = _headline(material, best, best.divided, held=bool(held))
    section = Section("fits" if held else "recommendation", headline, settled=True)
    section.body = [orders(material, [best, *(one for one in found if one is not best)])]
    section.caveats = [material.say("isolated.apart")]
    return section


def _headline(material: Material, best: Configuration, cut: Divided, *, held: bool) -> str:
    needed = numbers.gib(best.memory.needed_bytes_per_gpu, digits=1)
    usable = numbers.gib(best.memory.usable_bytes_per_gpu, digits=1)
    form = names.format_name(best.weight_format or "")
    key = "isolated.whole" if cut.profile is None else "isolated.held" if held else "isolated.cut"
    return material.say(
        key, cards=names.cards(best.gpu, best.gpu_count), each=cut.instances_per_gpu, all=cut.instances,
        wanted=cut.wanted, profile=cut.profile, format=form, needed=needed, usable=usable,
    )  # fmt: skip
