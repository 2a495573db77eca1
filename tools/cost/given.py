"""What the person gave in words: prices, rents, tariff, hosting, residual, horizon, duty, support and growth, read."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from kb.base import BadInput
from kb.lexicon import (
    Duty,
    Hosting,
    Price,
    Rent,
    read_duration,
    read_duty,
    read_growth,
    read_hosting,
    read_money,
    read_price,
    read_rent,
    read_share,
)
from kb.market.rates import convert, rate
from kb.market.tariffs import dearest_tariff_usd
from kb.units import HOUR_S, HOURS_PER_MONTH
from tools.base import GivenRow
from tools.cost.request import CostRequest

HOURS_PER_YEAR = 12 * HOURS_PER_MONTH
PUE = re.compile(r"\bpue\b", re.I)
ENERGY = re.compile(r"(?<![/a-z])(?<!per )(?:kwh|kw·h|度电|度)\s*$", re.I)
DEAREST_TIMES = 2.0
"""A bare number this many times the dearest price known is no price of electricity."""


@dataclass(frozen=True, slots=True)
class Support:
    """What is paid a year to have it looked after: a share of the price, or a sum a month."""

    ratio: float | None = None
    per_month: float | None = None


@dataclass(frozen=True, slots=True)
class Given:
    """The person's own figures, in the currency of the answer."""

    prices: tuple[Price, ...] = ()
    rents: tuple[Rent, ...] = ()
    hosting: Hosting | None = None
    residual_amount: float | None = None
    """What everything fetches at the end, where a sum was given."""
    support: Support | None = None
    growth: float | None = None
    """By which part of itself the load grows in a month."""
    duty: Duty | None = None
    rows: tuple[GivenRow, ...] = ()
    assumptions: tuple[str, ...] = field(default=())


TYPED = {
    "tariff": ("tariff_per_kwh",), "residual": ("residual_ratio",), "horizon": ("years",),
    "hosting": ("colocation_per_kw_month",), "prices": ("purchase_price", "machine_price"), "rents": ("rent_per_hour",),
    "support": ("maintenance_ratio_per_year",), "duty": ("hours_per_day", "utilisation"),
}  # fmt: skip
"""Fields in words, and the typed ones that say the same."""


def read_given(request: CostRequest) -> tuple[CostRequest, Given]:
    """The request with the typed fields that its words fill, and what no typed field holds.

    Raises:
        BadInput: words that cannot be read, that stand beside a typed field of the same meaning, or that are a PUE, an
            energy or a bill where a price of electricity belongs.
    """
    for words, typed in TYPED.items():
        clash = next(
            (one for one in typed if one in request.model_fields_set and getattr(request, one) is not None), ""
        )
        if getattr(request, words) and clash and not (words == "prices" and clash == "machine_price"):
            raise BadInput(words, f"stands beside {clash}.", "Give one of them.")
    _check_tariff(request)
    return _Reader(request).read()


def _check_tariff(request: CostRequest) -> None:
    """Refuse what is no price of electricity, before it is multiplied by a year of kilowatt-hours."""
    said, number = request.tariff, request.tariff_per_kwh
    remedy = 'Give a PUE as pue; as tariff the price of a kilowatt-hour, e.g. "¥0.8/kWh".'
    if said is not None and PUE.search(said):
        raise BadInput("tariff", f"“{said[:60]}” is a PUE, no price of electricity.", remedy)
    if said is not None and re.fullmatch(r"\s*\d+(?:[.,]\d+)?\s*", said) and "currency" not in request.model_fields_set:
        raise BadInput("tariff", f"“{said[:60]}” is a number without a currency.", remedy)
    if said is not None and ENERGY.search(said) and not re.search(r"[/每一]|per", said):
        raise BadInput("tariff", f"“{said[:60]}” is an amount of energy, no price of it.", remedy)
    if number is None or "currency" in request.model_fields_set:
        return
    if number > DEAREST_TIMES * dearest_tariff_usd():
        raise BadInput("tariff_per_kwh", f"{number:g} is above every price of electricity known, in USD.", remedy)


class _Reader:
    """Reads each field once, in one currency."""

    def __init__(self, request: CostRequest) -> None:
        self.request = request
        self.rows: list[GivenRow] = []
        self.assumed: list[str] = []
        self.currency = self._currency()

    def _currency(self) -> str:
        """The one asked for, else that of the first amount that names one."""
        request = self.request
        if "currency" in request.model_fields_set:
            return rate(request.currency).currency
        said = [*request.prices, *request.rents, request.hosting, request.support, request.tariff, request.residual]
        for text in filter(None, said):
            # A share, or an amount without a currency, names none; what is wrong with it is said where it is read.
            for read in (read_price, read_rent, read_hosting, read_money):
                try:
                    return read(text).currency
                except BadInput:
                    continue
        return rate(request.currency).currency

    def read(self) -> tuple[CostRequest, Given]:
        request, typed = self.request, dict[str, Any]()
        typed["currency"] = self.currency
        given = Given(
            prices=tuple(self._amount(read_price, "prices", one) for one in request.prices),
            rents=tuple(self._amount(read_rent, "rents", one) for one in request.rents),
            hosting=self._hosting(typed), support=self._support(), growth=self._growth(),
            duty=self._duty(typed), residual_amount=self._residual(typed),
        )  # fmt: skip
        self._tariff(typed)
        self._horizon(typed)
        given = Given(
            given.prices, given.rents, given.hosting, given.residual_amount, given.support, given.growth, given.duty,
            tuple(self.rows), tuple(self.assumed),
        )  # fmt: skip
        return request.model_copy(update=typed), given

    def _local(self, amount: float, currency: str) -> float:
        return amount if currency == self.currency else float(convert(amount, currency, self.currency))

    def _say(self, name: str, said: str, value: float, unit: str, assumptions: Sequence[str] = ()) -> None:
        self.rows.append(GivenRow(field=name, said=said, value=value, unit=unit))
        self.assumed += assumptions

    def _amount(self, read: Callable[..., Any], name: str, said: str) -> Any:
        one = read(said, name, self.currency)
        amount = self._local(one.amount, one.currency)
        unit = self.currency.lower() + (f"_per_{one.per}" if isinstance(one, Rent) else "")
        self._say(name, said, amount, unit, one.assumptions)
        return one.model_copy(update={"amount": amount, "currency": self.currency})

    def _hosting(self, typed: dict[str, Any]) -> Hosting | None:
        said = self.request.hosting
        if said is None:
            return None
        one = read_hosting(said, "hosting", self.currency)
        amount = self._local(one.per_month, one.currency)
        self._say("hosting", said, amount, f"{self.currency.lower()}_per_month", one.assumptions)
        if self.request.site is None:
            typed["site"] = "colocation"
        if one.with_energy is None and one.of in {"all", "rack"} and not self.request.tariff:
            self.assumed.append("The place is paid for with its electricity, as no price of electricity is given.")
            one = one.model_copy(update={"with_energy": self.request.tariff_per_kwh is None})
        return one.model_copy(update={"per_month": amount, "currency": self.currency})

    def _support(self) -> Support | None:
        said = self.request.support
        if said is None:
            return None
        if re.search(r"[%％成]|per ?cent|百分", said):
            ratio = read_share(said, "support")
            self._say("support", said, ratio, "ratio_per_year")
            return Support(ratio=ratio)
        one = read_money(said, "support", self.currency)
        per = {"month": 1.0, "year": 1 / 12, None: 1 / 12}.get(one.per)
        if per is None:
            raise BadInput("support", f"“{said[:60]}” is by the {one.per}.", "Give it by the month or the year.")
        monthly = self._local(float(one.amount), one.currency) * per
        assumed = () if one.per else (f"“{said[:60]}” of support is read as by the year.",)
        self._say("support", said, monthly, f"{self.currency.lower()}_per_month", (*one.assumptions, *assumed))
        return Support(per_month=monthly)

    def _growth(self) -> float | None:
        said = self.request.growth
        if said is None:
            return None
        monthly = read_growth(said, "growth")
        self._say("growth", said, monthly, "ratio_per_month")
        return monthly

    def _duty(self, typed: dict[str, Any]) -> Duty | None:
        said = self.request.duty
        if said is None:
            return None
        one = read_duty(said, "duty")
        if one.hours_per_day is not None:
            typed["hours_per_day"] = one.hours_per_day
            self._say("duty", said, one.hours_per_day, "hours_per_day")
        if one.share is not None:
            typed["utilisation"] = one.share
            self._say("duty", said, one.share, "ratio")
        elif one.full_load:
            typed["utilisation"] = 1.0
        return one

    def _residual(self, typed: dict[str, Any]) -> float | None:
        said = self.request.residual
        if said is None:
            return None
        try:
            ratio = read_share(said, "residual")
        except BadInput:
            one = read_money(said, "residual", self.currency)
            amount = self._local(float(one.amount), one.currency)
            self._say("residual", said, amount, self.currency.lower(), one.assumptions)
            return amount
        typed["residual_ratio"] = ratio
        self._say("residual", said, ratio, "ratio")
        return None

    def _tariff(self, typed: dict[str, Any]) -> None:
        said = self.request.tariff
        if said is None:
            return
        one = read_money(said, "tariff", self.currency)
        if one.per not in {None, "kwh"}:
            remedy = 'Give the price of a kilowatt-hour, e.g. "¥0.8/kWh".'
            raise BadInput("tariff", f"“{said[:60]}” is a price of a {one.per}, none of energy.", remedy)
        amount = self._local(float(one.amount), one.currency)
        if float(convert(amount, self.currency, "USD")) > 10 * dearest_tariff_usd():
            remedy = 'Give a PUE as pue; as tariff the price of a kilowatt-hour, e.g. "¥0.8/kWh".'
            raise BadInput("tariff", f"“{said[:60]}” is far above every price of electricity known.", remedy)
        typed["tariff_per_kwh"] = amount
        self._say("tariff", said, amount, f"{self.currency.lower()}_per_kwh", one.assumptions)

    def _horizon(self, typed: dict[str, Any]) -> None:
        said = self.request.horizon
        if said is None:
            return
        years = read_duration(said, "horizon") / HOUR_S / HOURS_PER_YEAR
        if not 0 < years <= 20:
            raise BadInput("horizon", f"“{said[:60]}” is {years:.3g} years.", "Give at most 20 years.")
        typed["years"] = years
        self._say("horizon", said, years, "years")
