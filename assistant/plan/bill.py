"""What named cards cost for a stated time or at a stated use: no model is needed to price four L40S for a year."""

import re

from assistant.plan import money, requests
from assistant.plan.apart import rented_and_bought
from assistant.plan.call import PlannedCall
from assistant.plan.preferred import buys, rents
from assistant.understand.span import find_span
from assistant.understanding import Understanding
from kb.units import HOUR_S, HOURS_PER_MONTH
from tools.need import Need

_ASKS = re.compile(
    r"多少钱|多少预算|什么价|费用|花费|开销|预算|成本|报价|要花|花多少|价格|how much|\bcosts?\b"
    r"|\bpric\w{1,3}\b|\bbill\b|ballpark|\bquot\w{1,3}\b"
    r"|\bspend\b|expensive|\bpay(?:ing)?\b|set me back|run me|\bbudget\b",
    re.I,
)
_TURNING = re.compile(
    r"还是|划算|合算|回本|省钱|哪个便宜|\bvs\.?\b|break-?even|pay(?:s|ing)? (?:for itself|off|back)|cheaper|better"
    r"|worth|\btco\b|拥有成本|cost of owner",
    re.I,
)
"""Words that ask which of two ways is better: that has an answer of its own."""
_ENERGY = re.compile(r"电费|耗电|度电|几度|多少电|electricity|\bkwh\b|power bill", re.I)


def asked(understanding: Understanding) -> bool:
    """Whether the question is what named cards come to over a time: no work to size, no choice between two ways."""
    need, text = understanding.need, understanding.text
    if not requests.named_gpus(need) or requests.is_training(need) or understanding.error_text or understanding.command:
        return False
    if len(requests.cards(need)) != 1 or not _ASKS.search(text) or _TURNING.search(text) or _ENERGY.search(text):
        return False
    if rented_and_bought(text) or need.gpus_owned:
        return False
    counted = requests.cards(need)[0].count is not None
    return find_span(text) is not None and (counted or not requests.sized(need))


def call(need: Need, understanding: Understanding) -> PlannedCall | None:
    """Rent and purchase of the cards over that time, at the hours of use that were described."""
    span = find_span(understanding.text)
    if span is None:
        return None
    share = need.hours_per_month / HOURS_PER_MONTH if need.hours_per_month else 1.0
    wanted = need.model_copy(update={"model": None, "params": None, "task": None})
    return money.cost(
        wanted,
        understanding,
        term_s=span.value * min(1.0, share),
        years=span.value / HOUR_S / (HOURS_PER_MONTH * 12),
        acquisition=way(understanding),
    )


def way(understanding: Understanding) -> str | None:
    """`rent` or `buy` where only that is spoken of; None = both."""
    text, need = understanding.text, understanding.need
    if buys(text):
        return None if rents(text) else "buy"
    return "rent" if rents(text) or need.provider or need.acquisition == "rent" else need.acquisition
