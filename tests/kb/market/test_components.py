"""Parts one can order: every row keeps the rules of its kind."""

import re
from decimal import Decimal
from itertools import pairwise
from typing import ClassVar

import pytest

from kb import clock
from kb.base import UnknownName
from kb.catalog import gpus, sources
from kb.market.components import component, components, of_kind
from kb.market.rates import rates
from kb.records.component import Component
from kb.records.price import PriceReading, newest
from kb.units import GB, GIB, TB

DATE = re.compile(r"20\d\d(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?")
ROWS = tuple(components().values())


class TestRows:
    """Every component."""

    NEEDED: ClassVar[dict[str, tuple[str, ...]]] = {
        "cpu": ("socket", "memory_type", "module"),
        "motherboard": ("socket", "sockets", "memory_type", "module", "pcie"),
        "barebone": ("socket", "memory_type", "module", "pcie"),
        "case": ("gpu_slots",),
        "memory": ("memory_bytes", "memory_type", "module", "transfers_per_s"),
        "ssd": ("capacity_bytes", "interface"),
        "nic": ("ports", "rate_bits_per_s", "protocols", "pcie"),
        "switch": ("rate_bits_per_s", "protocols"),
        "transceiver": ("rate_bits_per_s", "length_m"),
        "cable": ("rate_bits_per_s", "length_m"),
        "psu": ("supply_w",),
        "pdu": ("supply_w",),
        "rack": ("rack_units",),
        "bridge": ("joins", "joined"),
        "storage": ("capacity_bytes",),
    }
    """What says which part it is; every other figure may be unknown."""
    CHOSEN_BY: ClassVar[dict[str, tuple[str, ...]]] = {
        "cpu": ("cores", "memory_channels", "pcie_lanes", "power_w"),
        "motherboard": ("memory_slots", "gpu_slots"),
        "barebone": ("sockets", "memory_slots", "gpu_slots", "rack_units"),
        "switch": ("ports", "rack_units"),
    }
    """What a bill chooses by: a part of which one is unknown is not chosen."""
    LEAST: ClassVar[dict[str, int]] = {"cpu": 16, "motherboard": 5, "barebone": 3, "switch": 4}
    RANGES: ClassVar[dict[str, tuple[float, float]]] = {
        "cores": (6, 1_024),
        "memory_channels": (2, 32),
        "memory_slots": (2, 48),
        "memory_bytes": (8 * GIB, 4_096 * GIB),
        "transfers_per_s": (2_000_000_000, 30_000_000_000),
        "pcie_lanes": (16, 512),
        "gpu_slots": (1, 16),
        "capacity_bytes": (400 * GB, 1_000 * TB),
        "read_bytes_per_s": (GB // 2, 100 * GB),
        "ports": (1, 1_024),
        "rate_bits_per_s": (1_000_000_000, 10_000_000_000_000),
        "length_m": (0.5, 2_000),
        "supply_w": (400, 1_000_000),
        "rack_units": (1, 60),
    }

    def test_ids_and_names_are_unique(self) -> None:
        labels = [label.casefold() for row in ROWS for label in {row.id, row.name, *row.aliases}]
        assert len(labels) == len(set(labels)), sorted({one for one in labels if labels.count(one) > 1})

    @pytest.mark.parametrize("kind", list(NEEDED))
    def test_a_part_states_what_it_is(self, kind: str) -> None:
        rows = [row for row in ROWS if row.kind == kind]
        assert rows
        for row in rows:
            for field in self.NEEDED[kind]:
                assert getattr(row, field), (row.id, field)

    @pytest.mark.parametrize("kind", list(CHOSEN_BY))
    def test_enough_parts_have_a_price_and_every_figure_a_bill_chooses_by(self, kind: str) -> None:
        whole = [
            row for row in ROWS if row.kind == kind and row.price and all(getattr(row, f) for f in self.CHOSEN_BY[kind])
        ]
        assert len(whole) >= self.LEAST[kind], [row.id for row in whole]

    def test_no_figure_stands_without_a_source(self) -> None:
        for row in ROWS:
            stated = {name for name in self.RANGES if getattr(row, name) is not None}
            stated |= {name for name in ("power_w", "cards_w") if getattr(row, name) is not None}
            vouched = {field for fields in row.sources.values() for field in fields}
            assert stated <= vouched, (row.id, stated - vouched)
            assert vouched <= set(Component.model_fields), (row.id, vouched)

    @pytest.mark.parametrize("field", list(RANGES))
    def test_figures_are_in_range(self, field: str) -> None:
        low, high = self.RANGES[field]
        held = [(row.id, getattr(row, field)) for row in ROWS if getattr(row, field) is not None]
        assert held
        for key, value in held:
            assert low <= value <= high, (key, field, value)

    def test_sources_are_defined(self) -> None:
        cited = {key for row in ROWS for key in (*row.sources, *(one.source for one in row.prices))}
        assert cited <= set(sources()), cited - set(sources())
        assert all(row.sources for row in ROWS)

    def test_prices_are_dated_before_today_in_known_currencies(self) -> None:
        today = clock.today().isoformat()
        for row in ROWS:
            for one in row.prices:
                assert one.currency in rates(), row.id
                assert one.observed_on is None or DATE.fullmatch(one.observed_on), (row.id, one.observed_on)
                assert (one.observed_on or "") <= today, (row.id, one.observed_on)

    def test_what_nobody_quoted_is_a_band(self) -> None:
        for row in ROWS:
            for one in row.prices:
                if one.basis == "estimate":
                    assert not one.quoted, row.id
                    assert one.low < one.high, row.id

    def test_a_band_is_narrow_enough_to_be_of_use(self) -> None:
        for row in ROWS:
            for one in row.prices:
                assert one.high / one.low <= Decimal("3.4"), (row.id, one)

    def test_what_has_no_price_says_why(self) -> None:
        for row in ROWS:
            assert row.prices or row.notes, row.id

    def test_more_of_the_same_costs_more(self) -> None:
        for kind, field, same in (
            ("memory", "memory_bytes", ("memory_type", "module")),
            ("ssd", "capacity_bytes", ("interface",)),
        ):
            families: dict[tuple[object, ...], list[tuple[int, Decimal, str]]] = {}
            for row in ROWS:
                if row.kind == kind and row.price:
                    family = tuple(getattr(row, name) for name in same)
                    families.setdefault(family, []).append((getattr(row, field), row.price.amount, row.id))
            assert sum(map(len, families.values())) >= 10
            for rows in families.values():
                for less, more in pairwise(sorted(rows)):
                    assert less[1] < more[1], (less, more)


class TestFit:
    """A whole machine can be put together."""

    def test_every_board_has_a_processor_and_memory(self) -> None:
        for row in (*of_kind("motherboard"), *of_kind("barebone")):
            processors = [one for one in of_kind("cpu") if one.socket == row.socket]
            assert processors, row.id
            assert {one.memory_type for one in processors} == {row.memory_type}, row.id
            assert any(one.memory_type == row.memory_type and one.module == row.module for one in of_kind("memory"))

    def test_every_adapter_has_a_switch_and_a_way_to_join_them(self) -> None:
        for row in of_kind("nic"):
            assert any(set(row.protocols) & set(one.protocols) for one in of_kind("switch")), row.id
        for rate in (100, 200, 400):
            bits = rate * 10**9
            assert any(one.rate_bits_per_s == bits for one in of_kind("cable")), rate

    def test_the_catalog_has_a_choice_of_each(self) -> None:
        least = {"cpu": 60, "memory": 12, "ssd": 12, "nic": 8, "switch": 10, "psu": 10, "motherboard": 10, "rack": 2}
        for kind, count in least.items():
            assert sum(row.kind == kind for row in ROWS) >= count, kind


@pytest.mark.parametrize(
    ("name", "key"),
    [("QM9700", "switch-qm9700"), ("Threadripper PRO 9975WX", "cpu-trpro-9975wx"), ("epyc 9554", "cpu-epyc-9554"),
     ("鲲鹏 920-7260", "cpu-kunpeng-920-7260"), ("MCX75310AAS-NEAT", "nic-cx7-400g")],
)  # fmt: skip
def test_a_part_is_found_by_its_names(name: str, key: str) -> None:
    assert component(name).id == key


def test_an_unknown_part_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownName) as caught:
        component("EPYC 9555X")
    assert caught.value.kind == "component"
    assert "EPYC 9555" in caught.value.close


class TestReadings:
    """Which price is used."""

    def test_a_single_figure_is_a_band_of_no_width(self) -> None:
        one = PriceReading.model_validate({"amount": 10, "basis": "list", "observed_on": "2026", "source": "x"})
        assert [one.low, one.high, one.amount] == [Decimal(10)] * 3
        assert one.quoted

    def test_a_band_the_wrong_way_round_is_refused(self) -> None:
        with pytest.raises(ValueError, match="low"):
            PriceReading.model_validate({"low": 2, "high": 1, "basis": "list", "observed_on": "2026", "source": "x"})

    def test_the_newest_counts_and_a_quote_before_an_estimate_of_the_same_day(self) -> None:
        def reading(day: str | None, basis: str, amount: int) -> PriceReading:
            return PriceReading.model_validate({"amount": amount, "basis": basis, "observed_on": day, "source": "x"})

        old, new = reading("2025-10", "street", 1), reading("2026-05-23", "street", 2)
        guess, undated = reading("2026-05-23", "estimate", 3), reading(None, "list", 4)
        assert newest((old, guess, new, undated)) == new
        assert newest((undated,)) == undated
        assert newest(()) is None


def test_every_bridge_joins_cards_of_the_catalog_that_have_a_link() -> None:
    for one in of_kind("bridge"):
        assert all(number >= 1 and gpus()[card].nvlink_bytes_per_s for card, number in one.joins.items())


def test_every_card_with_a_fast_bridge_has_one_in_the_catalog() -> None:
    joined = {card for one in of_kind("bridge") for card in one.joins}
    fast = {one.id for one in gpus().values() if "ridge" in (one.nvlink_note or "") and one.nvlink_bytes_per_s}
    assert {card for card in fast if (gpus()[card].nvlink_bytes_per_s or 0) >= 200e9} <= joined


def test_cards_reach_as_far_over_their_link_as_the_longest_bridge_joins() -> None:
    longest: dict[str, int] = {}
    for one in of_kind("bridge"):
        for card in one.joins:
            longest[card] = max(longest.get(card, 0), one.joined or 2)
    assert {card: gpus()[card].link_cards for card in longest} == longest
    assert all(("ridge" in (one.nvlink_note or "")) == (one.link_cards is not None) for one in gpus().values()
               if one.nvlink_bytes_per_s)  # fmt: skip
