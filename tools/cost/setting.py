"""What owning and renting have in common: the machine, its use, and the person's own figures."""

from dataclasses import dataclass

from kb.machines.power import Site
from tools.cost.given import Given
from tools.cost.request import CostRequest
from tools.power.draw import Draw
from tools.power.machine import Machine
from tools.power.result import Energy
from tools.speed.result import Interval

MONTHS_PER_YEAR = 12


@dataclass(frozen=True, slots=True)
class Setting:
    """What owning and renting have in common."""

    request: CostRequest
    machine: Machine
    draw: Draw
    site: Site
    energy: Energy
    years: float
    hours: float
    """Hours a month it is switched on."""
    given: Given
    """The person's own figures."""

    @property
    def months(self) -> float:
        """Months it is reckoned with."""
        return self.years * MONTHS_PER_YEAR

    @property
    def rented_hours(self) -> float:
        """Hours a month that something let by the hour is paid for: only those of work, where their share was said."""
        duty = self.given.duty
        share = duty.share if duty is not None and duty.share is not None else 1.0
        return self.hours * share


def exactly(value: float) -> Interval:
    """A figure without doubt."""
    return Interval(value=value, low=value, high=value)
