"""Months until owning has cost no more than renting, by the residual that is told beside them."""

import pytest

from tools.registry import tool


def even(**fields: object) -> tuple[dict[str, object], dict[str, object]]:
    found = tool("estimate_cost").call({"gpu": "rtx-4090-24gb", "gpu_count": 2, "machine_price": 1500, **fields})
    told = found.model_dump()
    return told["own"], told["break_even"]


def test_months_are_the_loss_of_value_over_what_is_saved() -> None:
    own, met = even(prices="$1800", rents="$0.50/gpu/h", years=3, residual="40%", hours_per_day=24)

    price, running = own["purchase_cost"]["value"], own["running_monthly_cost"]["value"]  # type: ignore[index]
    assert price == 2 * 1800 + 1500
    saved = 2 * 0.50 * 730 - running
    assert met["months_with_residual"]["value"] == pytest.approx(price * 0.6 / saved, rel=1e-3)  # type: ignore[index]
    assert met["months"]["value"] == pytest.approx(price / saved, rel=1e-3)  # type: ignore[index]


@pytest.mark.parametrize("rent", [0.15, 0.2, 0.25, 0.3, 0.4, 0.8])
@pytest.mark.parametrize("residual", ["10%", "50%"])
def test_the_months_and_the_hours_agree_on_who_is_cheaper(rent: float, residual: str) -> None:
    _, met = even(prices="$1800", rents=f"${rent}/gpu/h", years=3, residual=residual, hours_per_day=24)
    months = met["months_with_residual"]["value"]  # type: ignore[index]

    assert met["reached"] == (months is not None and months <= 36)
