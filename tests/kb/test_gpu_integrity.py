"""Every card keeps every rule: units, ranges, physics, formats, names, prices."""

import re
from typing import ClassVar

import pytest

from kb import clock
from kb.catalog import gpus, sources
from kb.records.gpu import Gpu
from kb.units import GB, GIB, TB
from tests.kb.catalog_rows import Rows

TERA = 1e12


class TestGpus(Rows):
    """GPUs."""

    rows = tuple(gpus().values())
    dated = ("price_as_of", "price_cny_as_of")

    RANGES: ClassVar[dict[str, tuple[float, float]]] = {
        "memory_bytes": (2 * GIB, 4_096 * GIB),
        "usable_bytes": (1 * GIB, 4_096 * GIB),
        "bandwidth_bytes_per_s": (50 * GB, 200 * TB),
        "fp32_flops": (1 * TERA, 4_000 * TERA),
        "fp16_flops": (5 * TERA, 50_000 * TERA),
        "bf16_flops": (5 * TERA, 50_000 * TERA),
        "fp8_flops": (20 * TERA, 100_000 * TERA),
        "int8_ops": (20 * TERA, 100_000 * TERA),
        "fp4_flops": (100 * TERA, 200_000 * TERA),
        "nvlink_bytes_per_s": (50 * GB, 30 * TB),
        "tdp_w": (15, 10_000),
        "year": (2012, clock.today().year + 3),
        "mig_instances": (0, 7),
        "sparsity_ratio": (1, 2),
        "shader_cores": (250, 200_000),
        "tensor_cores": (4, 10_000),
        "memory_bus_bits": (64, 65_536),
        "suggested_psu_w": (200, 5_000),
        "msrp_usd": (100, 500_000),
        "price_low_usd": (50, 500_000),
        "price_high_usd": (50, 500_000),
        "msrp_cny": (500, 3_000_000),
        "price_cny": (300, 3_000_000),
    }
    """Wide enough for cards some generations ahead, narrow enough that a wrong unit shows."""
    NUMBERS: ClassVar[tuple[str, ...]] = tuple(RANGES)

    @pytest.mark.parametrize("field", list(RANGES))
    def test_figures_are_in_range(self, field: str) -> None:
        low, high = self.RANGES[field]
        for row in self.rows:
            value = getattr(row, field)
            assert value is None or low <= float(value) <= high, (row.id, field, value)

    def test_every_figure_is_vouched_for_and_no_other(self) -> None:
        for row in self.rows:
            vouched = {field for fields in row.sources.values() for field in fields}
            for field in self.NUMBERS:
                default = Gpu.model_fields[field].default
                value = getattr(row, field)
                stated = value is not None and value != default
                assert (field in vouched) == stated, (row.id, field, value, row.sources)

    def test_a_source_vouches_for_a_field_once(self) -> None:
        for row in self.rows:
            for source, fields in row.sources.items():
                assert len(fields) == len(set(fields)), (row.id, source)

    def test_sources_vouch_only_for_fields_that_exist(self) -> None:
        for row in self.rows:
            for source, fields in row.sources.items():
                assert fields, (row.id, source)
                assert set(fields) <= set(Gpu.model_fields), (row.id, source, fields)

    def test_usable_memory_is_less_than_stated_and_most_of_it(self) -> None:
        for row in self.rows:
            least = 0.7 if row.market in ("apu", "module") else 0.85
            assert least <= row.usable_bytes / row.memory_bytes < 1, (row.id, row.usable_bytes / row.memory_bytes)

    @pytest.mark.parametrize(
        ("memory", "low", "high"),
        [
            ("HBM2", 400 * GB, 1_600 * GB), ("HBM2e", 800 * GB, 4 * TB), ("HBM3", 2 * TB, 6 * TB),
            ("HBM3e", 3_500 * GB, 9 * TB), ("HBM4", 10 * TB, 60 * TB), ("GDDR5", 80 * GB, 500 * GB),
            ("GDDR5X", 190 * GB, 600 * GB), ("GDDR6", 75 * GB, 1 * TB), ("GDDR6X", 450 * GB, 1_100 * GB),
            ("GDDR7", 250 * GB, 3 * TB), ("LPDDR4X", 50 * GB, 500 * GB),
        ],
    )  # fmt: skip
    def test_bandwidth_suits_the_memory_type(self, memory: str, low: float, high: float) -> None:
        held = [row for row in self.rows if row.memory_type == memory and row.bandwidth_bytes_per_s]
        assert held
        for row in held:
            assert low <= row.bandwidth_bytes_per_s <= high, (row.id, row.bandwidth_bytes_per_s)

    GIGABITS_PER_PIN: ClassVar[dict[str, tuple[float, float]]] = {
        "GDDR5": (4, 9), "GDDR5X": (9, 12.1), "GDDR6": (10, 20.2), "GDDR6X": (18, 24.1), "GDDR7": (17, 48.1),
        "HBM2": (1.4, 2.5), "HBM2e": (2.4, 3.8), "HBM3": (3.9, 6.6), "HBM3e": (5.5, 9.9), "HBM4": (6, 12.9),
        "LPDDR4X": (3.2, 4.4), "LPDDR5": (4.2, 6.5), "LPDDR5X": (6.4, 10.7),
    }  # fmt: skip
    """Data rate of one pin that each kind of memory is made for (JEDEC standards and makers' bins)."""

    def test_bandwidth_is_the_bus_times_a_data_rate_of_that_memory(self) -> None:
        checked = 0
        for row in self.rows:
            span = self.GIGABITS_PER_PIN.get(row.memory_type or "")
            if span is None or not row.memory_bus_bits or not row.bandwidth_bytes_per_s:
                continue
            rate = row.bandwidth_bytes_per_s * 8 / row.memory_bus_bits / GB
            assert span[0] <= rate <= span[1], (row.id, row.memory_type, row.memory_bus_bits, round(rate, 2))
            checked += 1
        assert checked > 150

    def test_rates_follow_from_the_shaders_and_stay_dense(self) -> None:
        """FP32 is two operations a shader and clock, so it implies a clock a chip can run at."""
        for row in self.rows:
            if row.fp32_flops and row.shader_cores and row.vendor == "NVIDIA":
                clock_ghz = row.fp32_flops / row.shader_cores / 2e9
                assert 0.5 <= clock_ghz <= 4, (row.id, round(clock_ghz, 2))

    def test_int8_is_between_the_16_bit_rate_and_four_times_it(self) -> None:
        for row in self.rows:
            if row.int8_ops and row.fp16_flops and row.architecture not in self.SLOW_INT8:
                assert 0.99 <= row.int8_ops / row.fp16_flops <= 4.1, (row.id, row.int8_ops / row.fp16_flops)

    SLOW_INT8: ClassVar[set[str]] = {"Blackwell Ultra", "Rubin", "Rubin Ultra"}
    """Architectures that gave most of their INT8 units away."""

    def test_narrower_formats_are_never_slower(self) -> None:
        for row in self.rows:
            rates = [row.bf16_flops or row.fp16_flops, row.fp8_flops, row.fp4_flops]
            held = [rate for rate in rates if rate]
            assert held == sorted(held), (row.id, rates)
            if row.fp32_flops and row.fp16_flops:
                assert row.fp16_flops >= row.fp32_flops, row.id

    def test_rates_are_dense(self) -> None:
        """The sparse headline is at most `sparsity_ratio` times the dense rate: known dense figures pin it."""
        dense = {
            "h100-sxm-80gb": 989, "a100-sxm-80gb": 312, "l40s-48gb": 362, "rtx-4090-24gb": 165.2, "h20-96gb": 148,
            "b200-sxm-180gb": 2250, "mi300x-192gb": 1307, "l4-24gb": 121, "rtx-5090-32gb": 209.5,
        }  # fmt: skip
        for key, teraflops in dense.items():
            assert gpus()[key].bf16_flops == pytest.approx(teraflops * TERA, rel=0.005), key

    NVIDIA_SUPPORT: ClassVar[dict[str, dict[str, str]]] = {
        "bf16_flops": {"has": "Ampere Ada Hopper Blackwell Rubin", "lacks": "Kepler Maxwell Pascal Volta Turing"},
        "fp8_flops": {"has": "Ada Hopper Blackwell Rubin", "lacks": "Kepler Maxwell Pascal Volta Turing Ampere"},
        "fp4_flops": {"has": "Blackwell Rubin", "lacks": "Kepler Maxwell Pascal Volta Turing Ampere Ada Hopper"},
        "tf32_flops": {"has": "", "lacks": "Kepler Maxwell Pascal Volta Turing"},
    }
    UNREAD: ClassVar[set[str]] = {
        "rtx-6000d-84gb",
        "cmp-70hx-8gb",
        "cmp-90hx-10gb",
        "cmp-170hx-8gb",
        "cmp-170hx-10gb",
    } | {"rubin-cpx-128gb"}
    """Cards whose rates no source states."""

    @pytest.mark.parametrize("field", list(NVIDIA_SUPPORT))
    def test_nvidia_formats_follow_the_architecture(self, field: str) -> None:
        support = self.NVIDIA_SUPPORT[field]
        for row in self.rows:
            if row.vendor != "NVIDIA" or row.id in self.UNREAD:
                continue
            family = row.architecture.split()[0]
            if family in support["has"].split():
                assert getattr(row, field), (row.id, field)
            if family in support["lacks"].split():
                assert getattr(row, field) is None, (row.id, field)

    def test_amd_has_fp8_only_from_cdna_3_and_rdna_4(self) -> None:
        for row in self.rows:
            if row.vendor == "AMD" and row.fp8_flops:
                family, _, generation = row.architecture.partition(" ")
                assert int(generation) >= {"CDNA": 3, "RDNA": 4}[family], row.id

    @pytest.mark.parametrize(
        ("key", "gigabytes_per_s"),
        [
            ("rtx-6000-ada-48gb", None), ("l40s-48gb", None), ("l40-48gb", None), ("l20-48gb", None),
            ("l4-24gb", None), ("t4-16gb", None),
            ("a10-24gb", None), ("a16-64gb", None), ("rtx-4090-24gb", None), ("rtx-5090-32gb", None),
            ("rtx-pro-6000-bw-ws-96gb", None),
            ("v100-pcie-32gb", None), ("rtx-a4000-16gb", None), ("a40-48gb", 112.5),
            ("rtx-a6000-48gb", 112.5), ("rtx-a5000-24gb", 112.5),
            ("rtx-a4500-20gb", 112.5), ("rtx-3090-24gb", 112.5), ("rtx-3090-ti-24gb", 112.5), ("v100-sxm2-32gb", 300),
            ("a100-pcie-80gb", 600), ("a100-sxm-80gb", 600), ("a800-sxm-80gb", 400), ("h100-pcie-80gb", 600),
            ("h100-sxm-80gb", 900), ("h800-sxm-80gb", 400), ("h20-96gb", 900), ("h200-nvl-141gb", 900),
            ("b200-sxm-180gb", 1800), ("a30-24gb", 200), ("rtx-2080-ti-11gb", 100),
        ],
    )  # fmt: skip
    def test_nvlink_is_that_of_the_card(self, key: str, gigabytes_per_s: float | None) -> None:
        expected = None if gigabytes_per_s is None else int(gigabytes_per_s * GB)
        assert gpus()[key].nvlink_bytes_per_s == expected

    def test_links_are_explained(self) -> None:
        for row in self.rows:
            if row.vendor == "NVIDIA" and row.market not in ("module", "apu"):
                assert row.nvlink_note, row.id
                unknown = "bandwidth unknown" in row.nvlink_note  # a bridge whose rate no source states
                assert ("No NVLink" in row.nvlink_note) == (row.nvlink_bytes_per_s is None and not unknown), row.id

    def test_prices_are_ordered_sourced_and_not_negative(self) -> None:
        for row in self.rows:
            if row.price_low_usd is None:
                assert row.price_high_usd is row.price_as_of is None, row.id
                continue
            assert row.price_high_usd is not None, row.id
            assert row.price_low_usd <= row.price_high_usd, row.id
            assert row.price_source in sources(), row.id

    def test_compute_capability_belongs_to_nvidia_or_is_an_amd_target(self) -> None:
        for row in self.rows:
            if row.vendor == "NVIDIA" and row.compute_capability:
                assert re.fullmatch(r"\d{1,2}\.\d", row.compute_capability), row.id
            elif row.compute_capability:
                assert row.compute_capability.startswith("gfx"), row.id

    def test_prices_in_yuan_are_dated(self) -> None:
        for row in self.rows:
            assert (row.price_cny is None) == (row.price_cny_as_of is None), row.id

    def test_every_card_has_aliases_and_no_alias_twice(self) -> None:
        for row in self.rows:
            assert row.aliases, row.id
            assert len(row.aliases) == len(set(row.aliases)), row.id
            assert all(alias == alias.strip() and alias for alias in row.aliases), row.id

    def test_cards_that_share_a_name_have_a_usual_one(self) -> None:
        bearers: dict[str, list[Gpu]] = {}
        for row in self.rows:
            for alias in row.aliases:
                bearers.setdefault(alias.casefold(), []).append(row)
        shared = {alias: rows for alias, rows in bearers.items() if len(rows) > 1}
        assert {"a100", "910b"} <= set(shared)
        for alias in ("a100", "h100", "h200", "h20", "910b", "v100", "rtx pro 6000", "m3 ultra", "4060 ti"):
            assert any(row.conventional for row in shared[alias]), alias

    def test_a_successor_is_a_newer_card_of_the_catalog(self) -> None:
        held = [row for row in self.rows if row.successor]
        assert len(held) > 50
        for row in held:
            after = gpus()[row.successor]
            assert after.id != row.id
            assert after.year is None or row.year is None or after.year >= row.year, row.id

    def test_mig_only_where_nvidia_lists_it(self) -> None:
        for row in self.rows:
            if row.mig_instances:
                assert row.vendor == "NVIDIA", row.id
                assert row.market in ("data_center", "workstation", "module"), row.id


def test_a_year_no_dated_source_states_is_unknown_and_never_guessed() -> None:
    undated = [row for row in gpus().values() if row.year is None]
    assert undated
    assert not [row.id for row in undated if any("year" in fields for fields in row.sources.values())]


@pytest.mark.parametrize(
    ("card", "headline"),
    [
        ("rtx-5090-32gb", 3352),
        ("rtx-5090-d-32gb", 2375),
        ("rtx-5090-d-v2-24gb", 2375),
        ("rtx-5090-laptop-24gb", 1824),
        ("rtx-5080-laptop-16gb", 1334),
        ("rtx-5070-ti-laptop-12gb", 992),
        ("rtx-5070-laptop-8gb", 798),
        ("rtx-5060-laptop-8gb", 572),
        ("rtx-5050-laptop-8gb", 440),
    ],
)
def test_the_dense_rate_is_half_of_the_makers_headline(card: str, headline: float) -> None:
    """AI TOPS of an RTX 50 count sparse FP4; the other formats follow in the ratios of the generation."""
    row = gpus()[card]
    assert row.fp4_flops == pytest.approx(headline / 2 * TERA, rel=0.005)
    assert row.int8_ops == pytest.approx((row.fp4_flops or 0) / 2, rel=0.005)
    assert row.fp8_flops == pytest.approx((row.fp4_flops or 0) / 4, rel=0.005)
    assert row.fp16_flops == pytest.approx((row.fp4_flops or 0) / 8, rel=0.005)
