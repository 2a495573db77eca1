"""A month's tokens on hardware of one's own or rented, beside a provider's price: "300M tokens a month, $0.9 per M"."""

import math
from collections.abc import Sequence

from assistant.answer import ToolCallRecord
from assistant.plan import requests
from assistant.plan.call import PlannedCall, planned
from assistant.plan.home import CURRENCIES
from assistant.plan.preferred import COMFORTABLE
from assistant.plan.provisional import provisional
from assistant.plan.ways import only
from assistant.understanding import Understanding
from kb.units import HOUR_S, HOURS_PER_MONTH
from tools.configuration import Configuration
from tools.need import Need

SEQUENCES, BUSY_SEQUENCES = 64, 256
"""Most requests at once that memory has to hold, and those that hardware bought for throughput answers."""
FEWEST = 8
"""Requests at once that are reckoned with however few the tokens."""
PEAK = 4
"""Times the month's mean that a busy hour has: working hours are less than a quarter of all."""
TRIED_MAX = 5
"""Configurations priced for it."""


def asked(understanding: Understanding) -> bool:
    """Whether a month's tokens of a model are to be priced."""
    need = provisional(understanding)
    served = requests.sized(need) and not requests.is_training(need) and not understanding.error_text
    return served and need.tokens_per_month is not None and not (understanding.command and understanding.follow_up)


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """What holds the model with many requests at once, to rent and to buy."""
    wide = need.model_copy(
        update={"concurrent_sequences": need.concurrent_sequences or _at_once(need), "users": None, "budget": None}
    )
    way = _way(need, understanding)
    ways = (way,) if way else ("rent", "buy")
    return [requests.configure(wide, acquisition=way, with_frontier=False) for way in ways]


def _at_once(need: Need) -> int:
    """Requests at once in a busy hour of so many tokens a month, each read as fast as is comfortable."""
    rate = (need.tokens_per_month or 0) / (HOURS_PER_MONTH * HOUR_S)
    return min(SEQUENCES, max(FEWEST, math.ceil(PEAK * rate / COMFORTABLE)))


def _way(need: Need, understanding: Understanding) -> str | None:
    """`rent` or `buy` where only that is spoken of; "our own GPUs" may be either."""
    return need.acquisition or only(understanding.text.lower(), need)


def more(need: Need, understanding: Understanding, results: Sequence[ToolCallRecord]) -> list[PlannedCall | None]:
    """The month's tokens on each kind of hardware found, the first of each way before the next."""
    found = [
        [Configuration.model_validate(row) for row in one.result.get("configurations") or ()]
        for one in results if one.tool == "configure"
    ]  # fmt: skip
    rounds = max((len(one) for one in found), default=0)
    in_turn = [one[index] for index in range(rounds) for one in found if index < len(one)]
    kinds = dict.fromkeys((one.gpu, one.gpu_count, one.weight_format) for one in in_turn)
    way = _way(need, understanding)
    country = need.country or ("CN" if understanding.language == "zh" else None)
    return [
        planned(
            "estimate_cost", gpu=card, gpu_count=count, weight_format=form, model=need.model,
            params=None if need.model else need.params, task="inference", engine=need.engine,
            tokens_per_month=need.tokens_per_month, api_million_price=need.api_million_price, country=country,
            currency=need.currency or CURRENCIES.get(country or "", "USD"), provider=need.provider,
            acquisition=way, concurrent_sequences=need.concurrent_sequences or BUSY_SEQUENCES,
        )
        for card, count, form in list(kinds)[:TRIED_MAX]
    ]  # fmt: skip
