"""Units: GB is 10⁹ bytes, GiB is 2³⁰; vendors print binary capacity as "GB" and decimal bandwidth as "TB/s"."""

KB, MB, GB, TB = 10**3, 10**6, 10**9, 10**12
KIB, MIB, GIB, TIB = 2**10, 2**20, 2**30, 2**40
HOUR_S, DAY_S = 3600, 86400
HOURS_PER_MONTH = 730
"""Hours in an average month (8,760 / 12), as clouds bill it."""


def gib(value_bytes: float) -> float:
    """Bytes as GiB (2³⁰)."""
    return value_bytes / GIB


def gb(value_bytes: float) -> float:
    """Bytes as decimal GB (10⁹)."""
    return value_bytes / GB


def format_bytes(value_bytes: float, digits: int = 1) -> str:
    """Bytes for a person, in binary units: "41.9 GiB"."""
    for unit, size in (("TiB", TIB), ("GiB", GIB), ("MiB", MIB), ("KiB", KIB)):
        if abs(value_bytes) >= size:
            return f"{value_bytes / size:,.{digits}f} {unit}"
    return f"{value_bytes:,.0f} B"


def format_count(value: float) -> str:
    """A parameter or token count for a person: 70553706496 → "70.6B"."""
    for unit, size in (("T", TB), ("B", GB), ("M", MB), ("K", KB)):
        if abs(value) >= size:
            scaled = value / size
            return f"{scaled:.3g}{unit}" if scaled < 100 else f"{scaled:.0f}{unit}"
    return f"{value:g}"
