"""What the set-up as told takes of a card, part by part, and what a server's pool holds."""

from pydantic import ValidationError

from kb.base import AdvisorError
from tools.memory.estimate import memory_per_gpu
from tools.observation.estimates.expected import expected
from tools.observation.estimates.memory import memory_request, share, usual_context
from tools.observation.result import Takes
from tools.observation.setup import Setup

CACHE = "kv_cache"


def takes(setup: Setup) -> Takes | None:
    """The memory of the fullest card by its parts, beside what the card has for programs.

    Of an engine that reserves its share the pool is added:

        pool = share · memory of the card − weights − work space
        tokens = pool / bytes of a token

    None where the model is unknown or the set-up says too little.
    """
    if not setup.named or setup.kind == "other":
        return None
    try:
        per = memory_per_gpu(memory_request(setup))[0]
        request = memory_request(setup)
    except (AdvisorError, ValidationError, ValueError):
        return None
    whole = setup.card_memory
    parts: dict[str, int] = {one.name: one.bytes for one in per.parts}
    told = Takes(
        needed_bytes_per_gpu=per.total_bytes, low_bytes_per_gpu=per.low_bytes, high_bytes_per_gpu=per.high_bytes,
        usable_bytes_per_gpu=whole, parts={name: size for name, size in parts.items() if size},
        cards=setup.cards, fits=None if whole is None else per.total_bytes <= whole,
        weight_format=setup.weight_format,
    )  # fmt: skip
    cache = parts.get(CACHE)
    if setup.kind != "serving" or not cache:
        return told
    tokens = (request.context_tokens or usual_context()) * (request.concurrent_sequences or 1)
    told = told.model_copy(update={"cache_bytes_per_token": cache / tokens if tokens else None})
    if not setup.reserves or whole is None:
        return told
    others = per.total_bytes - cache
    pool = expected(setup).ranges.get("kv_pool_tokens")
    room = round(share(setup) * whole) - others
    return told.model_copy(update={"reserved_ratio": share(setup), "pool_bytes_per_gpu": room, "pool_tokens": pool})
