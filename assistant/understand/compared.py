"""What a turn leaves of the cards that were compared or put forward, and what is then asked of them."""

from typing import Any

from assistant.understand.text import grammar
from assistant.understand.turn import Reading
from assistant.understanding import Asked
from tools.need import SERVED

_OF_NUMBER = ("cloud_or_buy", "power", "speed", "training_time", "interconnect", "launch_files")
"""What differs with the number of cards, and is asked after an answer said how many it takes."""


_WHY_NOT = grammar(
    r"(?<![a-z])(?:why not|why don'?t (?:i|we|you)|what(?:'?s| is) wrong with|versus|vs\.?"
    r"|how (?:does|do|would) (?:that|this|it|they|those) (?:compare|stack up)|compared? (?:to|with|that|this|it)"
    r"|(?:would|is|are)(?:n?'t)? (?:an?|one|two|three|four|the|\d) [^?.,]{2,30} (?:be )?(?:any )?"
    r"(?:better|faster|cheaper)"
    r"|(?:better|faster|worse|slower|cheaper)(?: \w+)? than|rather than|not just)(?![a-z])"
    r"|(?:为什么|为啥|干嘛|干吗|怎么)不|何不|不行吗|不行么|不行嘛|不可以吗|不更"
    r"|(?:和|跟|与|比)[^,。?]{2,24}(?:比|好|强|快|慢|便宜|划算|差)"
)
"""Words that hold another card against the one put forward."""


def held_against(need: Asked, previous: Asked, reading: Reading) -> Asked:
    """The Need that weighs the card named now against the one in hand or put forward: "why not a Mac Studio?"."""
    offered = previous.shown.offered if previous.shown and (previous.on_offered or not previous.gpus_asked) else ()
    mine = previous.gpus_owned
    lead = next(iter(mine if len(mine) == 1 else () if mine else offered), None)
    named = tuple(dict.fromkeys(one.gpu for one in reading.entities.gpus))
    vague = not named and any(one.kind == "gpu" and one.candidates for one in reading.ambiguities)
    works = (need.model or need.params) and need.task in SERVED and need.model == previous.model
    if lead is None or lead.gpu in named or len(named) + vague != 1 or not works:
        return need
    if not _WHY_NOT.search(reading.text.plain):
        return need
    own = tuple(card for card in (*need.gpus_proposed, *need.gpus_owned) if card.gpu in named)
    held: dict[str, Any] = {"gpus_owned": mine, "gpus_asked": named, "gpus_proposed": own}
    if not mine:
        held = {"gpus_owned": (), "gpus_asked": (lead.gpu, *named), "gpus_proposed": (lead, *own)}
    return need.model_copy(update=held | {"intent": "compare", "asks": (), "budget": None})


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
