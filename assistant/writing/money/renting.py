"""Machines that are rented, and what of money was told."""

from assistant.reading.annotation import Ask
from assistant.reading.situation import Known, Situation, Thing
from assistant.writing.arguments import cards_of
from assistant.writing.money.buying import MONEY
from assistant.writing.setups import Setup, setups


def rented(ask: Ask, situation: Situation) -> list[tuple[Setup, Thing, Known]]:
    """Machines whose own rents were told, each once, with the rent: of several machines, or of one in several ways."""
    found: dict[str, tuple[Setup, Thing, Known]] = {}
    for setup in setups(situation, ask):
        for thing in setup.machines:
            rent = thing.one("rent", "have", "proposed", "plan")
            if rent is not None and cards_of(setup):
                found.setdefault(f"{thing.id} {rent.quote}", (setup, thing, rent))
    return list(found.values())


def energy_alone(situation: Situation) -> bool:
    """Whether of all money only the electricity was told: no price, no rent, no place, no time it is reckoned over."""
    known = [*situation.known, *(one for thing in situation.things for one in thing.known)]
    there = any(one.slot == "cards" and one.stance == "have" for one in known)
    alone = {one.slot for one in known if one.slot in MONEY} == {"tariff"}
    return alone and there and not any(one.slot == "acquisition" for one in known)
