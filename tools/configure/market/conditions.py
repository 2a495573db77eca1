"""What a buyer rules out or insists on, held against a card."""

from collections.abc import Callable, Sequence

from kb.records.gpu import Gpu
from tools.configure.bills.bill import condition
from tools.configure.market.suitable import ALTERNATIVE, MADE_IN_CHINA, MAINSTREAM
from tools.need import Condition

PROFESSIONAL = {"workstation", "data_center", "cloud_only"}
_MET: dict[Condition, Callable[[Gpu], bool]] = {
    "new": lambda _: True,  # a matter of buying, not of the card: see `ways`
    "consumer": lambda gpu: gpu.market == "consumer",
    "professional": lambda gpu: gpu.market in PROFESSIONAL,
    "ecc": lambda gpu: bool(gpu.ecc) or (gpu.ecc is None and gpu.market == "data_center"),
    "nvidia": lambda gpu: gpu.vendor == MAINSTREAM,
    "not_nvidia": lambda gpu: gpu.vendor != MAINSTREAM,
    "amd": lambda gpu: gpu.vendor == ALTERNATIVE,
    "chinese": lambda gpu: gpu.vendor in MADE_IN_CHINA,
}


def meets(gpu: Gpu, conditions: Sequence[Condition]) -> bool:
    """Whether a card is of the kind asked for; data-centre memory corrects errors unless something else is stated."""
    return all(_MET[one](gpu) for one in conditions)


def ways(gpu: Gpu, conditions: Sequence[Condition], allowed: tuple[str, ...]) -> tuple[str, ...]:
    """How the card may be had: what nobody sells new any more can still be rented."""
    second_hand = "new" in conditions and condition(gpu) == "used"
    return tuple(way for way in allowed if not (second_hand and way == "buy"))
