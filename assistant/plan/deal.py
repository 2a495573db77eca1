"""One purchase against another for the money: "two 5090s or one PRO 6000", "used 3090 for $900 or new 5070 Ti"."""

import re
from dataclasses import dataclass

from assistant.plan import of_each, requests
from assistant.plan.apart import rented_and_bought
from assistant.plan.call import PlannedCall, planned
from assistant.plan.ways import rents
from assistant.understand import like_prices
from assistant.understand.budget import Money, find_money
from assistant.understand.spoken_sums import in_figures
from assistant.understand.text import Text
from assistant.understanding import Understanding
from kb.catalog import gpu
from kb.market.rates import usd
from kb.naming.names import gpu_names
from tools.need import GpuCount, Need
from tools.prices import card_price

_MONEY = re.compile(
    r"worth|value|price|cost|cheap|money|\$|€|£|¥|budget|buy|deal|值|价|钱|划算|合算|性价比|便宜|预算|买|入手|元|块",
    re.I,
)
_CHOICE = re.compile(r"(?<![a-z])(?:or|vs\.?|versus|over|than|better)(?![a-z])|还是|对比|哪|选|比|和", re.I)
REACH = 22
"""Characters between a card and the price that is asked for it."""


@dataclass(frozen=True, slots=True)
class Option:
    """Some number of one card and what one of them costs."""

    card: GpuCount
    price: float
    currency: str
    said: bool
    """Whether the price is the asker's."""

    @property
    def count(self) -> int:
        return self.card.count or 1

    @property
    def total(self) -> float:
        return self.price * self.count

    @property
    def total_usd(self) -> float:
        return float(usd(self.total, self.currency))

    @property
    def memory_bytes(self) -> int:
        return gpu(self.card.gpu).memory_bytes * self.count

    @property
    def bandwidth_bytes_per_s(self) -> float:
        return float(gpu(self.card.gpu).bandwidth_bytes_per_s or 0)

    @property
    def flops(self) -> float:
        found = gpu(self.card.gpu)
        return found.bf16_flops or found.fp16_flops or 0.0


def asked(understanding: Understanding) -> bool:
    """Whether two purchases are weighed for the money, with no model to size, none in hand and nothing to rent."""
    need, text = understanding.need, understanding.text
    if requests.sized(need) or requests.is_training(need) or rents(text) or understanding.error_text or need.provider:
        return False
    if (
        of_each.asks_price(understanding)
        or rented_and_bought(text)
        or len(requests.compared(need)) != 2
        or need.gpus_owned
        or understanding.command
        or like_prices.said(text)
    ):
        return False
    weighed = _CHOICE.search(text) is not None and _MONEY.search(text) is not None
    return weighed and len(options(understanding)) == 2


def options(understanding: Understanding) -> list[Option]:
    """The two purchases whose prices are known: those stated beside the names, else those last read."""
    said = _stated(understanding)
    found = []
    for card in requests.compared(understanding.need):
        price = card_price(gpu(card.gpu))
        if card.gpu in said:
            found.append(Option(card, said[card.gpu].amount, said[card.gpu].currency, said=True))
        elif price is not None:
            found.append(Option(card, float(price.amount_usd), "USD", said=False))
    return found


def _stated(understanding: Understanding) -> dict[str, Money]:
    """What is asked for each of two single cards, where an amount stands beside each name."""
    plain = in_figures(Text.of(understanding.text)).plain
    amounts = find_money(plain, chinese=understanding.language == "zh")
    known = [card.gpu for card in requests.compared(understanding.need)]
    found: dict[str, Money] = {}
    for mention in gpu_names().scan(plain):
        card = next((one for one in known if one in mention.ids), None)
        near = [one for one in amounts if 0 <= one.start - mention.end <= REACH]
        if card and near:
            found[card] = min(near, key=lambda one: one.start).value
    single = all((card.count or 1) == 1 for card in requests.compared(understanding.need))
    return found if single and len(found) == len(known) else {}


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """The two cards side by side, and what several of one come to."""
    several = [one for one in options(understanding) if one.count > 1]
    return [
        requests.comparison(need),
        *(planned("find_gpus", names=(one.card.gpu,), together_bytes=one.memory_bytes) for one in several),
    ]
