"""What a turn leaves of the cards that were compared or put forward, and what is then asked of them."""

from typing import Any

from assistant.understanding import Asked

_OF_NUMBER = ("cloud_or_buy", "power", "speed", "training_time", "interconnect", "launch_files")
"""What differs with the number of cards, and is asked after an answer said how many it takes."""


def as_many(need: Asked, previous: Asked, intent: str) -> Asked:
    """The cards asked about in the number that an answer put forward, where what is asked turns on their number."""
    offered = {card.gpu: card for card in previous.shown.offered} if previous.shown else {}
    alone = len(need.gpus_asked) == 1 and not (need.gpus_owned or need.gpus_proposed or need.gpu_count)
    if not alone or intent not in _OF_NUMBER or need.gpus_asked[0] not in offered:
        return need
    return need.model_copy(update={"gpus_proposed": (offered[need.gpus_asked[0]],)})


def uncompared(changes: dict[str, Any], previous: Asked) -> Any:
    """What is asked of the one card left of those compared: whether it does the work, where there is any."""
    after = previous.model_copy(update=changes)
    left = {*(card.gpu for card in after.gpus_owned), *after.gpus_asked}
    if (changes["intent"], previous.intent) != ("compare", "compare") or len(left) != 1:
        return changes["intent"]
    return "can_it_run" if after.model or after.params else "spec"
