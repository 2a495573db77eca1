"""Whose money it is: an organisation's budget is put into the work, one person's is a limit to stay below."""

import math

from assistant.plan import requests
from assistant.plan.amounts import SEEN, model_kind
from assistant.plan.ways import asks_for_cheapest
from assistant.plan.whose import grouped
from assistant.understanding import Understanding
from kb.units import DAY_S
from tools.need import Need

SEQUENCES = 16
"""Requests at once that hardware for an organisation is sized for, where nobody said how many people use it."""
_DRAWN = ("diffusion", "vision", "rendering")
_SHOPPING = ("which_to_buy", "budget", "cloud_or_buy")


def organised(understanding: Understanding) -> bool:
    """Whether an organisation, or several people, is to use what is bought."""
    return (understanding.need.users or 1) > 1 or grouped(understanding.text)


def whole(need: Need, understanding: Understanding) -> bool:
    """Whether a budget is to be put into speed: an organisation's, for work of which each card does its own share."""
    budget = need.budget
    if budget is None or budget.mode == "rent" or budget.period is not None or asks_for_cheapest(understanding.text):
        return False
    shared = model_kind(need) in SEEN or (need.task in _DRAWN and not requests.sized(need))
    return shared and organised(understanding)


PEAK = 4
"""Times the mean of a day that its busy hour has: most people write in a quarter of the day."""
ANSWERED_S = 60.0
"""Seconds that answers of one conversation take in all to be written."""
FEWEST = 2


def of_a_day(need: Need, understanding: Understanding) -> int | None:
    """Requests at once in the busy hour of so many conversations a day; None where they were not counted so."""
    daily = understanding.need.conversations_per_day
    if not daily or need.users or need.concurrent_sequences or requests.is_training(need):
        return None
    return max(FEWEST, math.ceil(daily * PEAK * ANSWERED_S / DAY_S))


def crowd(need: Need, understanding: Understanding) -> int | None:
    """Requests at once that an organisation's language model is sized for where no load was stated; None elsewhere."""
    if (daily := of_a_day(need, understanding)) is not None:
        return daily
    told = need.users or need.concurrent_sequences or need.target_tokens_per_s or need.tokens_per_month
    serves = requests.sized(need) and not requests.is_training(need) and model_kind(need) in {"llm", "vlm", None}
    shops = need.intent in _SHOPPING and need.budget is not None and not requests.named_gpus(need)
    return SEQUENCES if serves and shops and not told and organised(understanding) else None
