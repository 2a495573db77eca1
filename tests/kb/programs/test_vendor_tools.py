"""Checks in the commands of the card's maker."""

import re

import pytest

from kb.observation import observation_facts
from kb.programs.vendor_tools import in_tools_of, vendor_sources

TOOLS = {"AMD": "rocm-smi", "Huawei": "npu-smi", "Intel": "xpu-smi", "Moore Threads": "mthreads-gmi", "MetaX": "mx-smi",
         "Cambricon": "cnmon", "Hygon": "hy-smi", "Iluvatar": "ixsmi"}  # fmt: skip


@pytest.mark.parametrize("maker", TOOLS)
def test_no_check_of_another_maker_names_nvidias_tool(maker: str) -> None:
    named = 0
    for fact in observation_facts().causes.values():
        for text in (fact.check, fact.what, fact.fix, fact.look_for, fact.look_for_zh, *fact.settings.values()):
            told = in_tools_of(maker, text)
            assert "nvidia-smi" not in told, text
            named += TOOLS[maker] in told and "nvidia-smi" in text
    assert named > 20


@pytest.mark.parametrize("maker", ["NVIDIA", None])
def test_nvidias_own_stay_as_they_are(maker: str | None) -> None:
    for fact in observation_facts().causes.values():
        assert in_tools_of(maker, fact.check) == fact.check


@pytest.mark.parametrize(("maker", "text", "told"), [
    ("AMD", "sudo nvidia-smi -pl 250", "sudo rocm-smi --setpoweroverdrive 250"),
    ("Huawei", "nvidia-smi topo -m; nvidia-smi topo -p2p r", "npu-smi info -t topo; npu-smi info -t topo"),
    ("Intel", "CUDA_VISIBLE_DEVICES=1", "ZE_AFFINITY_MASK=1"), ("Apple", "cmake -DGGML_CUDA=ON; -ngl 99",
                                                               "cmake -DGGML_METAL=ON; -ngl 99"),
])  # fmt: skip
def test_arguments_are_kept(maker: str, text: str, told: str) -> None:
    assert in_tools_of(maker, text) == told


def test_they_are_documented() -> None:
    assert all(re.match(r"https://", str(one.url)) for one in vendor_sources())
