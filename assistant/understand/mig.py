"""MIG instances that are named by their profile: "3g.40gb" is a part of a card with forty gigabytes of its own."""

from assistant.understand.text import Found, grammar
from kb.mig import cuts
from kb.units import GIB

PROFILE = grammar(r"(?<![a-z0-9.])(?:mig[- ])?([1-7])g\.(\d{1,3})gb(?:\+(?:me|gfx))?(?![a-z0-9])")

INSTANCE = grammar(PROFILE.pattern + r"\s?(?:的)?\s?(?:mig )?(?:instances?|slices?|实例|切片|分区|partitions?)?")
"""An instance as it is spoken of: none that a cloud rents out."""


def find_instance(text: str) -> Found[int] | None:
    """Bytes of the instance that is spoken of, as its profile states them; None where several sizes are weighed."""
    found = [match for match in PROFILE.finditer(text) if _known(match[2])]
    if not found or len({match[2] for match in found}) > 1:
        return None
    return Found(int(found[0][2]) * GIB, found[0].start(), found[0].end())


def _known(gigabytes: str) -> bool:
    """Whether any card is cut into instances of so much."""
    return any(one.name.endswith(f".{gigabytes}gb") for cut in cuts().values() for one in cut.profiles)
