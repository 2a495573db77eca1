"""No number enters without a source: what nobody checked is unknown, and the list of what still does only shrinks."""

from collections.abc import Iterable, Iterator

from kb.catalog import gpus, servers
from kb.components import components
from kb.offers import bundled_offers
from kb.power import power_facts
from kb.records.gpu import Gpu
from kb.tariffs import tariff_facts

UNCHECKED = "unverified-general-knowledge"
NUMBERS = tuple(
    name
    for name in Gpu.model_fields
    if name.endswith(("_bytes", "_bytes_per_s", "_flops", "_ops", "_w", "_usd", "_cny", "_ratio", "_instances"))
) + ("year", "pcie", "compute_capability")
OPEN_POWER = 6
"""Hosts, spikes of server cards and sizes of supplies for which nothing was found: the count only becomes less."""
OPEN_TARIFFS = 1


def unsourced(row: Gpu) -> Iterator[str]:
    """Figures of a card that nothing but general knowledge vouches for."""
    for name in NUMBERS:
        vouching = {source for source, fields in row.sources.items() if name in fields}
        if vouching == {UNCHECKED} and getattr(row, name) is not None:
            yield name


def naming(value: object) -> Iterator[str]:
    """Every source a block of facts names, at any depth."""
    if isinstance(value, dict):
        for key, one in value.items():
            if key == "source" or key.endswith("_source"):
                yield str(one)
            elif key != "sources":
                yield from naming(one)
            elif isinstance(one, (list, tuple)):
                yield UNCHECKED if set(one) == {UNCHECKED} else "read"
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from naming(one)


def prices(rows: Iterable[object]) -> Iterator[str]:
    """Rows with a price that nobody was read to ask."""
    for row in rows:
        if any(one.source == UNCHECKED for one in row.prices):  # type: ignore[attr-defined]
            yield row.id  # type: ignore[attr-defined]


def test_no_figure_of_a_server_a_part_or_an_offer_is_unsourced() -> None:
    for row in (*servers().values(), *components().values()):
        assert UNCHECKED not in row.sources, row.id
    assert [row.id for row in bundled_offers() if row.source == UNCHECKED] == []


def test_no_price_is_a_guess() -> None:
    assert not [*prices(servers().values()), *prices(components().values())]
    assert not [row.id for row in gpus().values() if row.price_low_usd and row.price_source in {None, UNCHECKED}]


def test_no_figure_of_a_card_is_unsourced() -> None:
    assert {row.id: found for row in gpus().values() if (found := [*unsourced(row)])} == {}


def test_the_facts_on_power_and_tariffs_that_nobody_checked_only_become_fewer() -> None:
    assert [*naming(power_facts().model_dump())].count(UNCHECKED) == OPEN_POWER
    assert [*naming(tariff_facts().model_dump())].count(UNCHECKED) == OPEN_TARIFFS
