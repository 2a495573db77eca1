"""What is sold of late: prices of today's market, cards sold one by one, cards that current software runs on."""

from kb.records.gpu import Gpu
from tools.gpu_row import GpuRow
from tools.prices import CardPrice, age_days

PRICE_DAYS = 400
"""Prices older than this are of another market: a list price of years ago is nobody's today."""
CURRENT = 7.5
"""Compute capability from which current wheels of PyTorch are built."""


def recent(price: CardPrice | None) -> bool:
    """Whether a price is of today's market."""
    age = age_days(price.as_of) if price else None
    return age is not None and age <= PRICE_DAYS


def left_out(one: Gpu | GpuRow) -> bool:
    """Whether current software leaves a card of NVIDIA out: none of those before Turing is advice."""
    return one.vendor == "NVIDIA" and float(one.compute_capability or CURRENT) < CURRENT


def ordinary(one: Gpu | GpuRow) -> bool:
    """Whether everything that runs on a GPU runs on it today."""
    return one.vendor == "NVIDIA" and not left_out(one)


def sold_alone(one: Gpu | GpuRow) -> bool:
    """Whether it is a card to plug in, not soldered onto a board of several."""
    return not one.form_factor.upper().startswith(("SXM", "OAM"))
