"""What a card known only by its memory is taken for."""

from functools import lru_cache

from kb.catalog import gpus

CARDS = {"consumer", "workstation", "data_center"}
"""Markets of what people call a card; laptops and boards share memory with more than the GPU's own work."""


@lru_cache(maxsize=64)
def middling(memory_bytes: int) -> tuple[int, str]:
    """Usable bytes and name of the middling card of this capacity, else of the nearest capacity, in proportion.

    `memory_bytes` is the capacity on the box, in bytes.
    """
    cards = [gpu for gpu in gpus().values() if gpu.market in CARDS]
    near = min(abs(gpu.memory_bytes - memory_bytes) for gpu in cards)
    alike = [gpu for gpu in cards if abs(gpu.memory_bytes - memory_bytes) == near]
    alike.sort(key=lambda gpu: (gpu.usable_bytes / gpu.memory_bytes, gpu.id))
    middle = alike[len(alike) // 2]
    return int(memory_bytes * middle.usable_bytes / middle.memory_bytes), middle.name
