"""Conditions on any figure of a card, and what is said when none meets them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.base import BadInput, UnknownName
from kb.catalog import FACTS, gpus, load_yaml, maker
from tools.find_gpus import GpuQuery, find_gpus
from tools.gpu_filter import Condition
from tools.gpu_row import row


def ids(*where: str, **fields: object) -> set[str]:
    return {one.id for one in find_gpus(GpuQuery.model_validate({"where": where, "limit": 500, **fields})).gpus}


@pytest.mark.parametrize(
    ("where", "inside", "outside"),
    [
        (["bandwidth >= 3 TB/s"], "h100-sxm-80gb", "a100-sxm-80gb"),
        (["memory = 48 GB"], "l40s-48gb", "a100-pcie-40gb"),
        (["vram ≥ 24 GB", "tdp <= 75"], "l4-24gb", "rtx-3090-24gb"),
        (["memory_type = HBM3"], "h100-sxm-80gb", "h200-sxm-141gb"),
        (["memory_type != GDDR6"], "rtx-5090-32gb", "rtx-6000-ada-48gb"),
        (["pcie >= 5"], "rtx-5090-32gb", "rtx-4090-24gb"),
        (["compute_capability < 7.5", "vendor = NVIDIA"], "v100-sxm2-32gb", "mi300x-192gb"),
        (["nvlink_generation = 3", "market = workstation"], "rtx-a6000-48gb", "rtx-6000-ada-48gb"),
        (["tensor_core_generation >= 5"], "b200-sxm-180gb", "h200-sxm-141gb"),
        (["year > 2024", "status = available"], "rtx-5090-32gb", "rtx-4090-24gb"),
        (["msrp < 1,000", "vram > 12 GB"], "rtx-5070-ti-16gb", "rtx-5090-32gb"),
        (["fp16 >= 989 TFLOPS"], "h100-sxm-80gb", "h100-pcie-80gb"),
        (["ecc = true", "market = consumer"], "rtx-4090-24gb", "rtx-3060-12gb"),
        (["cuda_cores = 16384"], "rtx-4090-24gb", "rtx-4080-16gb"),
    ],
)  # fmt: skip
def test_a_condition_lets_in_what_meets_it(where: list[str], inside: str, outside: str) -> None:
    found = ids(*where)
    assert inside in found
    assert outside not in found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tdp lower than 300", "where: .*tdp_w <= 300"),
        ("tdpp < 300", "where: .*Try tdp"),
        ("bandwidth < high", "where: .*is a number"),
        ("", "where: "),
    ],
)
def test_a_condition_that_cannot_be_read_says_how(text: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        ids(text)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["tdp_w", "memory_bytes", "bandwidth_bytes_per_s", "year"]), st.integers(1, 10**13))
def test_a_bound_and_its_opposite_share_no_card_and_lose_none_with_the_figure(field: str, bound: int) -> None:
    least, below = Condition(f"{field} >= {bound}"), Condition(f"{field} < {bound}")
    for card in list(gpus().values())[::7]:
        one = row(card)
        assert least.holds(one) + below.holds(one) == (getattr(one, field) is not None)


def test_when_nothing_is_found_each_filter_says_what_it_shuts_out() -> None:
    result = find_gpus(GpuQuery(where=("vram >= 48 GB", "tdp < 40")))
    assert result.total == 0
    assert any(said.startswith("Without vram >= 48 GB:") for said in result.warnings)
    assert any(said.startswith("Without tdp < 40:") for said in result.warnings)


@pytest.mark.parametrize(
    ("name", "vendor"),
    [
        ("英伟达", "NVIDIA"), ("nvidia", "NVIDIA"), ("昇腾", "Huawei"), ("寒武纪", "Cambricon"),
        ("moore threads", "Moore Threads"),
    ],
)  # fmt: skip
def test_a_maker_is_known_in_both_languages(name: str, vendor: str) -> None:
    assert maker(name) == vendor
    assert find_gpus(GpuQuery(vendor=name)).gpus[0].vendor == vendor


def test_an_unknown_maker_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="NVIDIA"):
        find_gpus(GpuQuery(vendor="Nvdia"))


def test_every_maker_with_other_names_makes_a_card() -> None:
    assert set(load_yaml(FACTS / "makers.yaml")) <= {card.vendor for card in gpus().values()}
