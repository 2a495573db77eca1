"""Claims about processors, network cards, drives and other parts."""

from judging.ruling import NUMBER, Ruling, same_words

from kb.market.components import components
from tools.lookup import look_up

FIELDS = {
    "cores": "cores", "pcie lanes": "pcie_lanes", "memory channels": "memory_channels", "socket": "socket",
    "memory type": "memory_type", "tdp": "power_w", "power": "power_w", "pcie": "pcie", "ports": "ports",
    "speed": "rate_bits_per_s", "capacity": "capacity_bytes",
}  # fmt: skip
SCALES = {"rate_bits_per_s": 1e9, "capacity_bytes": 1e12}


def by_part(subject: str, attribute: str, value: str, claim: str) -> Ruling | None:
    """A figure or property of parts."""
    meaning = look_up(subject)
    if meaning.kind != "component" or attribute not in FIELDS:
        return None
    name = FIELDS[attribute]
    held = {getattr(components()[key], name) for key in meaning.ids} - {None}
    if not held:
        return Ruling("unknown", f"{name} of {meaning.ids}")
    number = NUMBER.search(value)
    agreed = any(
        same_words(one, value)
        if isinstance(one, str)
        else number is not None and float(number[1].replace(",", "")) * SCALES.get(name, 1) == float(one)
        for one in held
    )
    return Ruling("holds" if agreed else "contradicted", f"{held}")
