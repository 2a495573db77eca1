"""What a turn states that later turns rely on and no slot of the question holds: data, tariff, cards of one country."""

from typing import Any

from assistant.understand.progress import find_samples
from assistant.understand.running import find_tariff
from assistant.understand.tuning import way_left_open
from assistant.understand.turn import Reading


def told_besides(reading: Reading) -> dict[str, Any]:
    """Samples, the price of electricity, and the conditions less those that the cards named are only set against."""
    told: dict[str, Any] = {}
    if samples := find_samples(reading.text.simplified):
        told["samples"] = samples
    if (left_open := way_left_open(reading.text.simplified)) is not None:
        told["way_open"] = left_open
    tariff, currency = find_tariff(reading.text.plain)
    if tariff is not None:
        told |= {"tariff_per_kwh": tariff, "tariff_currency": currency}
    stated = reading.slots.get("conditions", ())
    if "chinese" in stated and reading.entities.gpus:
        told["conditions"] = tuple(one for one in stated if one != "chinese")
    return told
