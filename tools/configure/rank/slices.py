"""MIG instances that hold a piece of work: the smallest of a card, of which most go on it."""

from kb.machines.mig import Profile, cuts
from kb.records.gpu import Gpu


def profiles(gpu: Gpu) -> tuple[Profile, ...]:
    """The instances a card can be cut into, those of which most go on it first; none where no profiles are known."""
    cut = cuts().get(gpu.id)
    return tuple(
        sorted(cut.profiles if cut else (), key=lambda one: (-one.most, -one.memory_ratio, -one.compute_ratio))
    )


def roomiest(gpu: Gpu, needed_bytes: int) -> Profile | None:
    """The instance of `needed_bytes` of which most go on a card; null where two of none do."""
    return next((one for one in profiles(gpu) if one.most > 1 and one.usable_bytes >= needed_bytes), None)
