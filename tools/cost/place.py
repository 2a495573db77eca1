"""A place in a data centre: paid by the kilowatt, the unit of height, the rack, or as one sum."""

import math
from typing import NamedTuple

from kb.machines.power import power_facts
from kb.market.rates import convert
from kb.market.tariffs import colocation
from tools.cost.setting import Setting, exactly
from tools.power.energy import scaled
from tools.power.machine import Machine
from tools.speed.result import Interval

FORMULAS = {
    "kw": "kilowatts · price_per_kw", "unit": "units · price_per_unit", "rack": "racks · price_per_rack",
    "all": "places · price",
}  # fmt: skip


class Place(NamedTuple):
    """What a place costs a month: so many of something at a price each."""

    each: Interval
    many: float
    formula: str
    with_energy: bool


def units_of(machine: Machine) -> int:
    """Units of height of all its machines."""
    facts = power_facts().racks
    own = machine.server.rack_units if machine.server is not None else None
    return machine.nodes * (own or (facts.board_units if machine.on_board else facts.server_units))


def place_of(setting: Setting) -> Place | None:
    """The place as the person pays it, else the usual one where it stands in a data centre; null at home."""
    kilowatts, hosting = setting.draw.wall_max_w / 1000, setting.given.hosting
    if hosting is not None:
        racks = power_facts().racks
        units = units_of(setting.machine)
        count = {
            "kw": kilowatts, "unit": units, "rack": math.ceil(units / (racks.units - racks.spare_units)), "all": 1
        }[hosting.of]  # fmt: skip
        return Place(exactly(hosting.per_month), count, FORMULAS[hosting.of], bool(hosting.with_energy))
    given = setting.request.colocation_per_kw_month
    if given is not None:
        return Place(exactly(given), kilowatts, FORMULAS["kw"], False)
    if setting.site != "colocation":
        return None
    country = setting.request.country
    row = colocation(country.upper() if country else None)
    each = Interval(value=row.value, low=row.low, high=row.high)
    local = scaled(each, float(convert(1, row.currency, setting.energy.currency)))
    return Place(local, kilowatts, FORMULAS["kw"], row.energy_included)
