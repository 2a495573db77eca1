"""Rent of a job of known length: what it costs least on, and what ends it sooner where that takes weeks."""

from collections.abc import Sequence

from assistant.answer import ToolCallRecord
from assistant.plan import money, requests
from assistant.plan.call import PlannedCall
from assistant.plan.preferred import job
from assistant.understanding import Understanding
from kb.units import DAY_S
from tools.configuration import Configuration
from tools.need import Need

SOON_S = 7 * DAY_S
ONCE_RATIO = 10
"""How many such jobs the hardware has to cost before owning it is left out of a verdict."""


def least_job(rented: Sequence[Configuration]) -> Configuration | None:
    """The instance on which a job of known length costs least in all: the least hourly price may take years."""
    jobs = [
        (paid.total_usd, index) for index, one in enumerate(rented) for paid in one.rent_prices
        if paid.kind == "on_demand" and paid.total_usd is not None
    ]  # fmt: skip
    return rented[min(jobs)[1]] if jobs else None


def pays_once(job: Configuration, purchase: Configuration) -> bool:
    """Whether a job of known length costs less rented than a tenth of the hardware: owning is no question then."""
    total = next((paid.total_usd for paid in job.rent_prices if paid.kind == "on_demand"), None)
    price = purchase.price.low or purchase.price.amount
    return total is not None and price is not None and ONCE_RATIO * total < price


def calls(understanding: Understanding, need: Need, found: Sequence[Configuration]) -> list[PlannedCall | None]:
    """The configurations to rent that end it within a week; none where the cheapest does, or a deadline was said."""
    open_ = not requests.cards(need) and need.deadline_s is None and need.acquisition is None
    rented = sorted((one for one in found if one.acquisition == "rent"), key=job)
    took_s = float((rented[0].speed or {}).get("time_s") or 0) if rented else 0.0
    if not open_ or took_s <= SOON_S or not money.runs(need) or money.weighs(understanding.text):
        return []
    return [requests.configure(need, deadline_s=SOON_S, acquisition="rent", with_frontier=False)]


def way(need: Need, records: Sequence[ToolCallRecord]) -> Configuration | None:
    """The cheapest of them for the whole run."""
    if need.deadline_s is not None:
        return None
    for record in records:
        if record.tool == "configure" and record.request.get("deadline_s") == SOON_S and "error" not in record.result:
            rows = [Configuration.model_validate(row) for row in record.result["configurations"]]
            return min((one for one in rows if one.rent_prices), key=job, default=None)
    return None
