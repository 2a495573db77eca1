"""Looking things up in the catalog: by id, by any spelling, and never by guessing."""

import pytest

from kb import catalog
from kb.base import AmbiguousName, UnknownName
from kb.catalog import conventional, gpu, gpu_ids, gpus, provider, server
from kb.units import GIB


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("rtx-4090-24gb", "rtx-4090-24gb"), ("4090", "rtx-4090-24gb"), ("RTX4090", "rtx-4090-24gb"),
        ("RTX 4090 24GB", "rtx-4090-24gb"),
        ("4090 24G", "rtx-4090-24gb"), ("NVIDIA GeForce RTX 4090", "rtx-4090-24gb"), ("4090显卡", "rtx-4090-24gb"),
        ("4090 涡轮", "rtx-4090-24gb"), ("4090 48G 魔改", "rtx-4090-48gb"), ("RTX 4090 D", "rtx-4090-d-24gb"),
        ("4090D", "rtx-4090-d-24gb"), ("4090 Laptop", "rtx-4090-laptop-16gb"), ("4090笔记本", "rtx-4090-laptop-16gb"),
        ("A100-SXM4-80GB", "a100-sxm-80gb"), ("NVIDIA A100-SXM4-40GB", "a100-sxm-40gb"),
        ("A100 80G SXM", "a100-sxm-80gb"), ("A100 40G PCIe", "a100-pcie-40gb"), ("H100 SXM", "h100-sxm-80gb"),
        ("NVIDIA H100 80GB HBM3", "h100-sxm-80gb"), ("H100 NVL", "h100-nvl-94gb"), ("H20 96G", "h20-96gb"),
        ("3090ti", "rtx-3090-ti-24gb"), ("2080ti 22G 魔改", "rtx-2080-ti-22gb"), ("A6000", "rtx-a6000-48gb"),
        ("RTX6000Ada", "rtx-6000-ada-48gb"), ("6000 Ada", "rtx-6000-ada-48gb"), ("5090 d v2", "rtx-5090-d-v2-24gb"),
        ("Tesla T4", "t4-16gb"), ("P40", "p40-24gb"), ("6700xt", "rx-6700-xt-12gb"), ("MI300X", "mi300x-192gb"),
        ("DGX Spark", "gb10-dgx-spark-128gb"),
        ("910B4", "ascend-910b4-32gb"), ("华为昇腾910B3", "ascend-910b3-64gb"), ("Ascend 910C", "ascend-910c-128gb"),
        ("寒武纪 MLU370", "mlu370-x8-48gb"), ("海光K100 AI", "hygon-k100-ai-64gb"),
        ("摩尔线程 S4000", "mtt-s4000-48gb"),
        ("M3 Ultra 512GB", "apple-m3-ultra-512gb"), ("Atlas 300I Duo 96G", "atlas-300i-duo-96gb"),
    ],
)  # fmt: skip
def test_a_card_is_found_by_any_spelling(name: str, key: str) -> None:
    assert gpu(name).id == key


@pytest.mark.parametrize(
    ("name", "among", "usual"),
    [
        ("A100", {"a100-pcie-40gb", "a100-sxm-40gb", "a100-pcie-80gb", "a100-sxm-80gb"}, "a100-sxm-80gb"),
        ("A100-80G", {"a100-pcie-80gb", "a100-sxm-80gb"}, "a100-sxm-80gb"),
        ("A100 40GB", {"a100-pcie-40gb", "a100-sxm-40gb"}, "a100-sxm-40gb"),
        ("H100", {"h100-pcie-80gb", "h100-sxm-80gb", "h100-nvl-94gb"}, "h100-sxm-80gb"),
        ("H800", {"h800-pcie-80gb", "h800-sxm-80gb"}, "h800-sxm-80gb"),
        ("昇腾910B", {"ascend-910b1-64gb", "ascend-910b2-64gb", "ascend-910b3-64gb", "ascend-910b4-32gb"},
         "ascend-910b3-64gb"),
        ("RTX PRO 6000",
         {"rtx-pro-6000-bw-ws-96gb", "rtx-pro-6000-bw-maxq-96gb", "rtx-pro-6000-bw-server-96gb"},
          "rtx-pro-6000-bw-ws-96gb"),
        ("H20", {"h20-96gb", "h20-141gb"}, "h20-96gb"),
    ],
)  # fmt: skip
def test_a_name_of_several_cards_is_ambiguous_and_has_a_usual_meaning(name: str, among: set[str], usual: str) -> None:
    with pytest.raises(AmbiguousName) as caught:
        gpu(name)
    assert set(caught.value.candidates) == among
    assert conventional(caught.value.candidates) == usual
    assert set(gpu_ids(name)) == among


@pytest.mark.parametrize(
    ("name", "close"),
    [
        ("A6000 Ada", {"rtx-a6000-48gb", "rtx-6000-ada-48gb"}),
        ("RTX 7090", {"rtx-3090-24gb", "rtx-4090-24gb", "rtx-5090-32gb"}),
    ],
)
def test_an_unknown_card_names_the_nearest(name: str, close: set[str]) -> None:
    with pytest.raises(UnknownName) as caught:
        gpu(name)
    assert close <= set(caught.value.close)
    assert caught.value.field == "gpu"


@pytest.mark.parametrize("name", ["", " ", "?", "x" * 500, "1", "GPU", "'; drop table", "显卡"])
def test_nonsense_is_unknown_and_never_a_default(name: str) -> None:
    with pytest.raises(UnknownName):
        gpu(name)


def test_the_usual_meaning_does_not_depend_on_order() -> None:
    ids = ["a100-pcie-40gb", "a100-sxm-40gb", "a100-pcie-80gb", "a100-sxm-80gb"]
    assert {conventional(ids), conventional(ids[::-1]), conventional(ids[2:] + ids[:2])} == {"a100-sxm-80gb"}


def test_measured_capacity_beats_the_derived_one() -> None:
    assert gpus()["h100-sxm-80gb"].usable_measured
    assert gpus()["h100-sxm-80gb"].usable_bytes == pytest.approx(79.19 * GIB, rel=1e-4)
    assert gpus()["l40s-48gb"].usable_bytes == pytest.approx(44.42 * GIB, rel=1e-4)
    assert not gpus()["rtx-5090-32gb"].usable_measured
    assert gpus()["rtx-5090-32gb"].usable_bytes == int(32 * GIB * 0.975)


def test_quantities_are_translated_once() -> None:
    card = gpus()["h200-sxm-141gb"]
    assert card.memory_bytes == 141 * 2**30
    assert card.bandwidth_bytes_per_s == 4_800_000_000_000
    assert card.bf16_flops == 989e12


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("阿里云", "alibaba-cloud"), ("Aliyun", "alibaba-cloud"), ("alibaba cloud", "alibaba-cloud"),
        ("腾讯云", "tencent-cloud"), ("Tencent Cloud", "tencent-cloud"), ("AWS", "aws"), ("亚马逊云", "aws"),
        ("lambda labs", "lambda"), ("谷歌云", "gcp"), ("华为云", "huawei-cloud"), ("AutoDL", "autodl"),
        ("Run Pod", "runpod"), ("火山引擎", "volcengine"), ("DataCrunch", "verda"),
    ],
)  # fmt: skip
def test_a_provider_is_found_in_both_languages(name: str, key: str) -> None:
    assert provider(name).id == key


def test_an_unknown_provider_names_the_nearest() -> None:
    with pytest.raises(UnknownName) as caught:
        provider("Lamda")
    assert "Lambda" in caught.value.close or "lambda" in caught.value.close


@pytest.mark.parametrize(
    ("name", "key"), [("XE9680", "dell-xe9680"), ("浪潮 NF5688M6", "inspur-nf5688m6"), ("DGX H100", "dgx-h100")]
)
def test_a_server_is_found_by_model_name(name: str, key: str) -> None:
    assert server(name).id == key


def test_a_look_up_reads_no_file_once_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu("4090")
    monkeypatch.setattr(catalog, "load_yaml", lambda path: pytest.fail(f"reads {path} again"))
    assert gpu("rtx-4090-24gb") is gpu("RTX 4090 24GB")


def test_a_wrong_quantity_in_the_data_is_refused() -> None:
    with pytest.raises(ValueError, match="memory_bytes"):
        catalog.quantity("memory_bytes", "80 gigs")
