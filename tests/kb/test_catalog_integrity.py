"""Every offer, server and source of the catalog keeps every rule."""

import re

from kb import clock
from kb.catalog import gpus, providers, servers, sources, usable_reserves
from kb.market.offers import bundled_offers
from kb.market.rates import rates, usd
from kb.programs.software import software
from kb.records.server import Server
from kb.units import GIB
from tests.kb.catalog_rows import DATE, Rows


class TestOffers(Rows):
    """Rental offers."""

    rows = bundled_offers()
    dated = ("as_of",)

    def test_cards_are_in_the_catalog(self) -> None:
        known = set(gpus())
        assert {row.gpu for row in self.rows if row.gpu} <= known

    def test_most_offers_name_their_card(self) -> None:
        assert sum(row.gpu is not None for row in self.rows) > 0.85 * len(self.rows)

    def test_prices_per_gpu_are_plausible(self) -> None:
        for row in self.rows:
            for price in (row.on_demand_usd_per_hour, row.spot_usd_per_hour, row.reserved_1y_usd_per_hour):
                if price is not None:
                    assert 0.05 <= price / row.gpu_count <= 30, (row.id, price)

    def test_spot_and_reserved_never_cost_more_than_on_demand(self) -> None:
        for row in self.rows:
            for price in (row.spot_usd_per_hour, row.reserved_1y_usd_per_hour):
                if price is not None and row.on_demand_usd_per_hour is not None:
                    assert price <= row.on_demand_usd_per_hour, row.id

    def test_a_longer_commitment_never_costs_more(self) -> None:
        for row in self.rows:
            if row.reserved_3y_usd_per_hour is not None and row.reserved_1y_usd_per_hour is not None:
                assert row.reserved_3y_usd_per_hour <= row.reserved_1y_usd_per_hour, row.id

    def test_converted_prices_keep_what_was_listed(self) -> None:
        assert {row.listed_currency for row in self.rows} >= {"USD", "CNY", "EUR"}
        for row in self.rows:
            assert row.listed_currency in rates(), row.id
            if row.on_demand_usd_per_hour is None:
                assert row.listed_per_hour is None, row.id
                continue
            dollars = usd(row.listed_per_hour, row.listed_currency)
            assert abs(float(dollars - row.on_demand_usd_per_hour)) < 1e-4, row.id

    def test_places_and_networks_are_plausible(self) -> None:
        for row in self.rows:
            assert row.country is None or re.fullmatch("[A-Z]{2}", row.country), row.id
            assert row.network_bits_per_s is None or 10**9 <= row.network_bits_per_s <= 10**13, row.id

    def test_no_price_was_read_in_the_future(self) -> None:
        today = clock.today().isoformat()
        assert all((row.as_of or "") <= today for row in self.rows)

    def test_one_instance_type_has_one_shape(self) -> None:
        shapes: dict[tuple[str, str, str], set[tuple[object, ...]]] = {}
        for row in self.rows:
            if " " not in row.instance and row.instance not in ("pod", "function") and row.gpu:
                key = (row.provider, row.instance, row.gpu)
                shapes.setdefault(key, set()).add((row.gpu_count, row.vcpus, row.network_bits_per_s))
        assert len(shapes) > 200
        assert {key: held for key, held in shapes.items() if len(held) > 1} == {}

    def test_the_clouds_people_ask_about_are_there(self) -> None:
        held = {row.provider.split(" (")[0] for row in self.rows}
        assert held >= {
            "AWS", "Azure", "GCP", "OCI", "Alibaba Cloud", "Tencent Cloud", "Huawei Cloud", "AutoDL", "Lambda",
            "CoreWeave", "Nebius", "Vast.ai", "Hyperstack", "Crusoe", "Modal", "Scaleway", "OVHcloud", "Vultr",
            "DigitalOcean", "Paperspace",
        }  # fmt: skip

    def test_undated_offers_say_so(self) -> None:
        for row in self.rows:
            if row.as_of is None:
                assert row.notes, row.id

    def test_every_provider_is_known(self) -> None:
        names = [one.name for one in providers().values()]
        for row in self.rows:
            assert any(row.provider == name or row.provider.startswith(f"{name} ") for name in names), row.provider

    def test_host_memory_is_plausible(self) -> None:
        for row in self.rows:
            assert row.host_memory_bytes is None or 4 * GIB <= row.host_memory_bytes <= 50_000 * GIB, row.id


class TestServers(Rows):
    """Servers."""

    rows = tuple(servers().values())

    def test_cards_are_in_the_catalog(self) -> None:
        for row in self.rows:
            named = {*row.gpus, *row.gpu_counts, *(one.gpu for one in row.prices if one.gpu)}
            assert named <= set(gpus()), (row.id, named - set(gpus()))
            assert {*row.gpu_counts, *(one.gpu for one in row.prices if one.gpu)} <= set(row.gpus), row.id

    def test_most_that_can_be_ordered_has_a_price_and_a_place(self) -> None:
        """What was not read is unknown; too much of it and no bill could be drawn up."""
        held = [row for row in self.rows if not row.discontinued and row.cpu != "OEM"]
        assert len(held) >= 60
        assert sum(bool(row.prices) for row in held) >= 0.75 * len(held)
        assert sum(row.tower or bool(row.rack_units) for row in held) >= 0.65 * len(held)
        assert sum(bool(row.cooling) for row in held) >= 0.5 * len(held)
        for row in self.rows:
            assert not (row.tower and row.rack_units), row.id

    def test_prices_are_dated_before_today_in_known_currencies(self) -> None:
        today = clock.today().isoformat()
        for row in self.rows:
            for one in row.prices:
                assert one.currency in rates(), row.id
                assert one.observed_on is None or DATE.fullmatch(one.observed_on), (row.id, one.observed_on)
                assert (one.observed_on or "") <= today, (row.id, one.observed_on)
                assert one.quoted or one.low < one.high, row.id

    def test_a_price_with_gpus_says_which_and_how_many(self) -> None:
        for row in self.rows:
            for one in row.prices:
                assert (one.gpu is not None) == (one.gpus is not None) == one.includes_gpus, (row.id, one)
                assert one.gpu is None or one.gpus <= row.takes(one.gpu), (row.id, one)

    def test_a_whole_machine_costs_more_than_its_chassis_and_less_than_a_house_for_each_card(self) -> None:
        for row in self.rows:
            for one in row.prices:
                dollars = float(usd(one.amount, one.currency))
                if one.includes_gpus:
                    assert 500 <= dollars / (one.gpus or 1) <= 130_000, (row.id, dollars)
                    bare = row.chassis_price
                    assert bare is None or dollars > 0.7 * float(usd(bare.amount, bare.currency)), (row.id, dollars)
                else:
                    assert 1_500 <= dollars <= 150_000, (row.id, dollars)

    def test_names_and_aliases_are_unique(self) -> None:
        labels = [one for row in self.rows for one in {label.casefold() for label in (row.id, row.name, *row.aliases)}]
        assert len(labels) == len(set(labels)), sorted({one for one in labels if labels.count(one) > 1})

    def test_every_stated_figure_is_vouched_for(self) -> None:
        for row in self.rows:
            vouched = {field for fields in row.sources.values() for field in fields}
            for field in (
                "gpus", "max_gpus", "gpu_counts", "psu_w", "rack_units", "cpu", "max_memory", "storage", "network",
                "cooling",
            ):  # fmt: skip
                if getattr(row, field):
                    assert field in vouched, (row.id, field)
            assert vouched <= set(Server.model_fields), row.id

    def test_power_supplies_carry_the_cards(self) -> None:
        for row in self.rows:
            if row.psu_w and row.gpus:
                least = min(gpus()[key].tdp_w or 0 for key in row.gpus)
                assert row.psu_w >= row.max_gpus * least * 0.9, row.id


class TestSources:
    """Sources."""

    def test_every_source_has_a_title_and_an_iso_date(self) -> None:
        for one in sources().values():
            assert one.title.strip(), one.id
            assert one.date is None or DATE.fullmatch(one.date), one.id
            assert one.url is None or one.url.startswith("https://") or one.url.startswith("http://"), one.id

    def test_every_source_named_anywhere_is_defined(self) -> None:
        used: set[str] = {one.source for one in (*bundled_offers(), *usable_reserves().values(), *rates().values())}
        for row in (*gpus().values(), *servers().values()):
            used |= set(row.sources)
        used |= {one.source for row in servers().values() for one in row.prices}
        for feature in software().features:
            used |= {source for rule in feature.rules for source in rule.sources}
        used |= {one.source for one in (*software().toolkits, *software().generations)}
        used |= {row.price_source for row in gpus().values() if row.price_source}
        assert used <= set(sources()), used - set(sources())


def test_the_catalog_is_as_large_as_the_market() -> None:
    assert len(gpus()) >= 250
    assert len(bundled_offers()) >= 395
    assert len(servers()) >= 80
