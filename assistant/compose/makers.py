"""What the software of a maker means for who weighs makers, not only their cards."""

from collections.abc import Sequence

from assistant.compose.material import Material
from assistant.understand.rivals import names_maker
from tools.configure.market.suitable import MADE_IN_CHINA
from tools.gpu_row import GpuRow

_CUDA = "NVIDIA"


def beside(material: Material, rows: Sequence[GpuRow]) -> list[str]:
    """A word about software where makers were named without a card."""
    doubts = material.understanding.ambiguities
    return software(material, rows) if any(one.kind == "gpu" and names_maker(one.text) for one in doubts) else []


def software(material: Material, rows: Sequence[GpuRow]) -> list[str]:
    """What runs on the cards that are no NVIDIA's."""
    vendors = list(dict.fromkeys(row.vendor for row in rows if row.vendor != _CUDA))
    chinese = [name for name in vendors if name in MADE_IN_CHINA]
    others = [name for name in vendors if name not in MADE_IN_CHINA]
    told = [material.say("memory_target.software", makers=material.say.listed(others))] if others else []
    return told + ([material.say("alike.porting")] if chinese else [])
