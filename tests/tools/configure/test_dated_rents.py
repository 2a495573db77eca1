"""Rents that nobody dated lead only where they are much cheaper; what they cost is not changed."""

from collections.abc import Callable, Iterator
from decimal import Decimal

import pytest

import tools.configure.market.rentals as rentals_module
from kb.market.offers import current_offers, offers
from kb.records.offer import Offer
from tools.configure import configure
from tools.configure.market.choice import UNSURE
from tools.configure.request import ConfigureRequest
from tools.configure.result import ConfigureResult


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch, on_day: Callable[[str], None]) -> Iterator[list[Offer]]:
    """Offers that a test puts together itself, on a day soon after they were read."""
    on_day("2026-11-21")
    found: list[Offer] = []
    rentals_module._rented_streams.cache_clear()
    rentals_module._unbeaten.cache_clear()
    monkeypatch.setattr(rentals_module, "current_offers", lambda: tuple(found))
    yield found
    rentals_module._rented_streams.cache_clear()
    rentals_module._unbeaten.cache_clear()


def offer(name: str, hourly: str, as_of: str | None, cards: int = 1) -> Offer:
    like = next(one for one in current_offers() if one.gpu == "l40s-48gb" and one.gpu_count == 1)
    changes = {"id": name, "provider": name, "on_demand_usd_per_hour": Decimal(hourly), "as_of": as_of}
    return like.model_copy(update=changes | {"gpu_count": Decimal(cards), "listed_currency": "USD"})


def rented(**fields: object) -> ConfigureResult:
    return configure(
        ConfigureRequest.model_validate(
            {
                "task": "inference",
                "model": "Llama-3.1-8B",
                "acquisition": "rent",
                "gpus_asked": ("l40s-48gb",),
                **fields,
            }
        )
    )


@pytest.mark.parametrize(
    ("undated", "dated", "leads"),
    [
        pytest.param("1.00", "1.20", "dated", id="near"),
        pytest.param("1.00", "1.29", "dated", id="just-near"),
        pytest.param("1.00", "1.35", "undated", id="far"),
        pytest.param("1.30", "1.20", "dated", id="dearer"),
    ],
)
@pytest.mark.parametrize("old", [None, "2024-10"])
def test_a_dated_rent_leads_where_it_is_near(
    offered: list[Offer], undated: str, dated: str, leads: str, old: str | None
) -> None:
    offered += [offer("undated", undated, old), offer("dated", dated, "2026-11-01")]
    found = rented().configurations
    assert found[0].provider == leads
    assert found[0].price.amount == Decimal(undated if leads == "undated" else dated)


def test_the_cheaper_undated_one_is_shown_beside_it(offered: list[Offer]) -> None:
    offered += [offer("undated", "1.00", None), offer("dated", "1.20", "2026-11-01")]
    assert [item.provider for item in rented().configurations if item.weight_format == "bf16"] == ["dated", "undated"]


def test_a_budget_that_only_the_undated_one_meets_buys_it(offered: list[Offer]) -> None:
    offered += [offer("undated", "1.00", None), offer("dated", "1.20", "2026-11-01")]
    budget = {"amount": 1.1, "currency": "USD", "mode": "rent", "period": "hour"}
    assert rented(budget=budget).configurations[0].provider == "undated"


def test_a_job_is_finished_for_the_least_money_at_a_price_one_can_rely_on(offered: list[Offer]) -> None:
    offered += [offer("undated", "1.00", None), offer("dated", "1.20", "2026-11-01")]
    found = rented(task="lora", dataset_tokens=10**8).configurations
    assert found[0].provider == "dated"


def test_the_order_of_the_offers_does_not_matter(offered: list[Offer]) -> None:
    offered += [offer(f"p{n}", str(Decimal(n) / 10), None if n % 3 else "2026-10-01", 1 + n % 2) for n in range(8, 20)]
    before = rented(max_results=50)
    rentals_module._rented_streams.cache_clear()
    rentals_module._unbeaten.cache_clear()
    offered.reverse()
    assert rented(max_results=50) == before


def test_the_charge_is_what_most_readings_moved_by() -> None:
    """The reason given for the charge, held to the offers that were read more than once."""
    read: dict[tuple[object, ...], dict[str, Decimal]] = {}
    for one in offers():
        if one.as_of and one.on_demand_usd_per_hour and one.as_of >= "2026":
            key = (one.provider, one.instance, one.gpu, one.gpu_count, one.region)
            read.setdefault(key, {})[one.as_of] = one.on_demand_usd_per_hour
    moved = [rows[max(rows)] / rows[min(rows)] for rows in read.values() if len(rows) > 1]
    within = [1 / UNSURE <= ratio <= UNSURE for ratio in moved]
    assert len(moved) >= 5
    assert max(moved) > Decimal("1.1")
    assert sum(within) >= 0.75 * len(within)
