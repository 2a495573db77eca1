"""Parts of a card that are named by their profile: a MIG instance "3g.40gb", a virtual card "A40-24Q".

Both state the memory of the part in gigabytes (NVIDIA's MIG user guide; NVIDIA's virtual GPU user guide, "Virtual GPU
Types": the number after the card is the frame buffer, the letter the series of licences).
"""

from assistant.understand.quantities import GPU
from assistant.understand.text import Found, grammar
from kb.machines.mig import cuts
from kb.units import GIB

PROFILE = grammar(r"(?<![a-z0-9.])(?:mig[- ])?([1-7])g\.(\d{1,3})gb(?:\+(?:me|gfx))?(?![a-z0-9])")

VIRTUAL = grammar(
    rf"(?:{GPU}|(?<![a-z0-9])(?:rtx ?)?[a-z]{{0,3}}\d{{1,4}}[a-z]?)-(?:\d-)?(\d{{1,3}})[qc](?![a-z0-9]|\.\d)"
    r"(?:\s?(?:的)?\s?vgpus?)?"
)
INSTANCE = grammar(
    rf"(?<={GPU})-(?:\d-)?\d{{1,3}}[qc](?![a-z0-9]|\.\d)|"
    + PROFILE.pattern
    + r"\s?(?:的)?\s?(?:mig )?(?:instances?|slices?|实例|切片|分区|partitions?)?"
)
"""An instance as it is spoken of: none that a cloud rents out."""


def find_instance(text: str) -> Found[int] | None:
    """Bytes of the part that is spoken of, as its profile states them; None where several sizes are weighed."""
    found = [(int(match[2]), match) for match in PROFILE.finditer(text) if _known(match[2])]
    found += [(int(match[1]), match) for match in VIRTUAL.finditer(text) if int(match[1])]
    if not found or len({size for size, _ in found}) > 1:
        return None
    size, match = found[0]
    return Found(size * GIB, match.start(), match.end())


def _known(gigabytes: str) -> bool:
    """Whether any card is cut into instances of so much."""
    return any(one.name.endswith(f".{gigabytes}gb") for cut in cuts().values() for one in cut.profiles)
