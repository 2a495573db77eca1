"""What a server's share of the card leaves for the cache, reckoned."""

from kb.units import format_bytes
from tools.observation.result import ObservedCause, Words
from tools.observation.setup import Setup
from tools.oom.result import OomDiagnosis

USUAL_SHARE = 0.9
"""Share that vLLM takes where none is set (--gpu-memory-utilization)."""
CACHE = "kv_cache"


def with_room(cause: ObservedCause, found: OomDiagnosis, setup: Setup) -> ObservedCause:
    """The cause with the room that its share leaves: share · memory of the card − all that is no cache.

    As it is where the set-up says too little. What is no cache is the estimate's; the profiled peak may be more.
    """
    whole = found.usable_bytes
    if found.estimate is None or whole is None:
        return cause
    share = setup.request.gpu_memory_utilization or found.quantities.memory_utilisation or USUAL_SHARE
    parts = {part.name: part.bytes for part in found.estimate.parts}
    weights = parts.get("weights", 0)
    other = sum(size for name, size in parts.items() if name != CACHE) - weights
    left = share * whole - weights - other
    rows = [format_bytes(size, 1) for size in (whole, share * whole, weights, other, abs(left))]
    sign = "−" if left < 0 else ""
    reckoned = f"{share:g} × {rows[0]} = {rows[1]}; {rows[1]} − {rows[2]} − {rows[3]} = {sign}{rows[4]}"
    en = f"Estimate for a card: {reckoned} (weights, then work space) for the cache; the profiled peak may take more."
    zh = f"每卡估算：{reckoned}（依次减权重、工作区）留给缓存，实测峰值可能更高。"
    return cause.model_copy(update={"what": Words(en=f"{cause.what.en} {en}", zh=f"{cause.what.zh}{zh}")})
