"""Where hardware is taken to be bought, and in whose money its price is told, where nothing was said of either."""

from assistant.plan import requests
from assistant.understanding import Understanding
from kb.catalog import gpus
from kb.market.exports import restriction
from tools.need import Need

HOME = {"zh": ("CN", "CNY")}
"""Language of the question → country and currency of who asks in it."""
CURRENCIES = {"CN": "CNY", "US": "USD", "GB": "GBP", "JP": "JPY", "EU": "EUR", "DE": "EUR", "FR": "EUR", "HK": "HKD",
              "TW": "TWD", "SG": "SGD", "KR": "KRW", "IN": "INR", "CA": "CAD", "AU": "AUD", "BR": "BRL"}  # fmt: skip
"""What people in a country reckon in, as far as a rate is known."""


def settled(understanding: Understanding, need: Need) -> Need:
    """The need with the money of its country, or of who asks in that language, where no money was spoken of.

    The market of the language counts too, unless a card is named that is not sold there, or a place or a cloud was.
    """
    if need.budget is not None or need.currency is not None:
        return need
    country, currency = HOME.get(understanding.language, (None, None))
    if need.country is not None:
        return need.model_copy(update={"currency": CURRENCIES.get(need.country, currency)})
    if country is None:
        return need
    named = (*requests.named_gpus(need), *(card.gpu for card in need.gpus_proposed))
    shut = any(name in gpus() and restriction(name, country) is not None for name in named)
    here = None if shut or need.provider else country
    return need.model_copy(update={"currency": currency, "country": here})
