"""A circuit or a rack of stated size beside a question of what to buy: whether it feeds what is proposed."""

from collections.abc import Sequence

from assistant.plan import feeding, money, requests
from assistant.plan.call import PlannedCall
from assistant.plan.intents import FAMILIES, intents
from assistant.understanding import Understanding
from tools.configuration import Configuration
from tools.need import GpuCount, Need

SETS_MAX = 3
"""Sets of cards that are looked at."""


def asked(understanding: Understanding) -> bool:
    """Whether hardware is to be chosen, and a circuit or a rack of stated size is to feed it."""
    main = intents(understanding)[0]
    chosen = main == "compare" or FAMILIES[main] in ("shop", "fit")
    return chosen and feeding.limited(understanding.text)


def calls(understanding: Understanding, need: Need, bought: Sequence[Configuration]) -> list[PlannedCall | None]:
    """What each set of cards that was named draws on it, else the best that could be bought."""
    if not asked(understanding):
        return []
    sets = [card for card in requests.compared(need) if card.count] or list(need.gpus_owned)
    if not sets:
        best = next((one for one in bought if one.acquisition == "buy"), None)
        sets = [GpuCount(gpu=best.gpu, count=best.gpu_count)] if best else []
    return [
        call
        for card in sets[:SETS_MAX]
        for call in money.power(need.model_copy(update={"gpus_owned": (card,)}), understanding)
    ]
