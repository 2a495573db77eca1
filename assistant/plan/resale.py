"""What a card will fetch used: "resale value of a 4090 after 3 years", 「A100 两年后还值多少」."""

import re

from assistant.plan import requests
from assistant.plan.call import PlannedCall, planned
from assistant.plan.home import CURRENCIES
from assistant.plan.money import YEAR_S
from assistant.understanding import Understanding
from tools.need import Need

USUAL_YEARS = 3.0
"""How long a card is kept where it is not said."""
_ASKS = re.compile(
    r"resale|re-?sell|(?:will|would|does|could) [^.?!]{0,40}fetch"
    r"|second[- ]?hand value|residual|depreciat|hold (?:its|their) value"
    r"|(?:still )?be worth|sell (?:it|them) for"
    r"|残值|保值|折旧|还值多少|能卖多少|值多少钱|二手(?:能|价).{0,6}(?:卖|值)|贬值",
    re.I,
)
_RUNNING = re.compile(r"rent|cloud|租|云|\btco\b|total cost|总成本", re.I)


def asked(understanding: Understanding) -> bool:
    """Whether what one card fetches later is asked, and nothing of work or renting."""
    need, text = understanding.need, understanding.text
    one = len(requests.compared(need)) == 1 and not requests.sized(need) and need.budget is None
    return one and _ASKS.search(text) is not None and not _RUNNING.search(text) and not understanding.command


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """The card alone, owned for the years stated."""
    card = requests.compared(need)[0]
    years = (need.term_s or USUAL_YEARS * YEAR_S) / YEAR_S
    country = need.country or ("CN" if understanding.language == "zh" else None)
    currency = need.currency or CURRENCIES.get(country or "", "USD")
    return [
        planned(
            "estimate_cost", gpu=card.gpu, gpu_count=card.count or 1, acquisition="buy", years=years, machine_price=0.0,
            currency=currency, country=country,
        ),
        requests.gpu_facts(need),
    ]  # fmt: skip
