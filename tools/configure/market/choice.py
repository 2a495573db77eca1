"""So many of a card, bought or rented: what one may order, and how it ranks."""

from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from kb.records.gpu import Gpu
from kb.records.offer import Offer
from tools.configure.bills.bill import Bill
from tools.configure.market.own import GIVEN, NOTHING, Own
from tools.configure.market.suitable import MAINSTREAM
from tools.prices import age_days

FAR = Decimal(10) ** 15
LEAVING_CUDA = Decimal("1.3")
"""What a purchase outside CUDA is charged in the ranking, not in the price: a judgement, for porting and support."""
MACHINE_SHARE = Decimal("0.2")
LEAST_MACHINE_USD = Decimal(1200)
"""Less than any new machine for a card is sold for: such a sum is for cards."""
"""Part of a purchase budget kept for what has no price, and charged to it in the ranking."""
UNSURE_DAYS = 365
UNSURE = Decimal("1.3")
"""What a rent, or a purchase by the price of its cards, is charged in the ranking, not in the price, when it is undated
or was read longer ago: most instances of the catalog that were read twice in 2026 had moved by less than that within
two or three months. So what was dated of late leads unless another is a quarter cheaper."""


@dataclass(frozen=True, eq=False)
class Choice:
    """So many of a card, in machines of so many, bought or rented."""

    acquisition: str
    gpu: Gpu
    cards: int
    """In one machine or instance."""
    machines: int
    amount: Decimal | None
    """Dollars for a purchase, dollars an hour for rent; null when nothing has a price."""
    complete: bool
    used: bool = False
    owned: int = 0
    bill: Bill | None = None
    offer: Offer | None = None
    power_w: int | None = None
    own: Own = NOTHING
    """The person's own prices of the card."""

    @cached_property
    def count(self) -> int:
        """Cards in all."""
        return self.cards * self.machines

    @cached_property
    def unsure(self) -> bool:
        """Whether it is a rent of which nobody knows whether it is still asked."""
        return self.offer is not None and is_unsure(self.offer.as_of)

    @cached_property
    def felt(self) -> Decimal:
        """The price as it ranks: unknown parts, leaving CUDA and rents nobody dated are charged for."""
        if self.amount is None:
            return FAR
        if self.unsure:
            return self.amount * UNSURE
        amount = self.amount if self.complete else self.amount / (1 - MACHINE_SHARE)
        return amount * (LEAVING_CUDA if self.foreign else 1) * (UNSURE if self.aged else 1)

    @cached_property
    def given(self) -> bool:
        """Whether it is at a price, or a rent, of the person's own."""
        return self.own != NOTHING or (self.offer is not None and self.offer.source == GIVEN)

    def affords(self, limit: Decimal) -> Decimal:
        """What of a budget its price may take: a share stays for parts that have none.

        Cards for a computer that is there take all of a sum that buys no new one.
        """
        if self.complete:
            return limit
        share = limit * (1 - MACHINE_SHARE)
        return max(share, min(limit, LEAST_MACHINE_USD)) if self.own_host else share

    @property
    def asks(self) -> Decimal | None:
        """The least budget that it stays within."""
        if self.complete or self.amount is None or (self.own_host and self.amount <= LEAST_MACHINE_USD):
            return self.amount
        return self.amount / (1 - MACHINE_SHARE)

    @property
    def own_host(self) -> bool:
        """Whether cards alone are bought, for a computer that is there."""
        return self.bill is not None and self.bill.own_host

    @property
    def foreign(self) -> bool:
        """Whether it is a purchase outside CUDA."""
        return self.acquisition == "buy" and self.gpu.vendor != MAINSTREAM

    @cached_property
    def aged(self) -> bool:
        """Whether it is a purchase whose cards nobody was read to sell at that price within a year."""
        if self.bill is None:
            return False
        return any(item.part in {"gpu", "system"} and is_unsure(item.price_date) for item in self.bill.items)

    @cached_property
    def key(self) -> tuple[object, ...]:
        """Order among choices: new before used, known prices before unknown, cheap first."""
        name = self.offer.id if self.offer else self.gpu.id
        return self.used, not self.complete, self.felt, self.count, self.machines, name

    @cached_property
    def dearness(self) -> tuple[object, ...]:
        """Order by price alone; like prices in the order among choices."""
        return self.amount or 0, self.key


def is_unsure(as_of: str | None) -> bool:
    """Whether a rent is undated or was read too long ago to lead."""
    age = age_days(as_of)
    return age is None or age > UNSURE_DAYS
