"""Names in doubt over a conversation: until something settles them."""

from assistant.understand.former import named_again
from assistant.understand.turn import Reading
from assistant.understanding import Ambiguity, Asked


def doubts(reading: Reading, need: Asked, previous: Asked, *, freed: bool) -> tuple[Ambiguity, ...]:
    """Names in doubt: of this turn, and earlier ones that nothing settled since; `freed`: any card may be taken."""
    new = {one.kind for one in reading.ambiguities}
    settled = {
        "model": bool(need.model or need.params) or "model" in new,
        "gpu": freed
        or bool(reading.entities.gpus)
        or "gpu" in new
        or "chinese" in {*need.conditions} - {*previous.conditions},
        "provider": True,
    }
    said = (one for one in reading.ambiguities if one.kind != "model" or not named_again(reading, need.model))
    return (*said, *(one for one in previous.doubts if not settled[one.kind]))
