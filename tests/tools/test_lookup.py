"""A name is known as what it is, or refused with the nearest real things."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from tools.lookup import look_up


@pytest.mark.parametrize(
    ("name", "kind", "identity"),
    [
        ("L20", "gpu", "l20-48gb"),
        ("A2", "gpu", "a2-16gb"),
        ("昇腾910B3", "gpu", "ascend-910b3-64gb"),
        ("p6-b200.48xlarge", "instance", "p6-b200.48xlarge"),
        ("AWS p2.xlarge", "instance", "p2.xlarge"),
        ("a3-ultragpu-8g", "instance", "a3-ultragpu-8g"),
        ("Azure ND MI300X", "instance", "Standard_ND96isr_MI300X_v5"),
        ("NDv2", "instance", "Standard_ND40rs_v2"),
        ("阿里云 gn6v", "instance", "ecs.gn6v-c8g1.2xlarge"),
        ("BM.GPU.B200.8", "instance", "BM.GPU.B200.8"),
        ("GN8", "instance", "GN8.LARGE56"),
        ("PowerEdge R750xa", "server", "dell-r750xa"),
        ("戴尔 R740", "server", "dell-r740"),
        ("Dell XE9680", "server", "dell-xe9680"),
        ("Apollo 6500 Gen10 Plus", "server", "hpe-apollo-6500"),
        ("浪潮 5288M5", "server", "inspur-nf5288m5"),
        ("SYS-741GE", "server", "smc-741ge-tnrt"),
        ("DGX B300", "server", "dgx-b300"),
        ("EPYC 9654", "component", "cpu-epyc-9654"),
        ("AMD EPYC 9354P", "component", "cpu-epyc-9354p"),
        ("Intel Xeon Platinum 8480+", "component", "cpu-xeon-8480plus"),
        ("Qwen3-32B", "model", "Qwen/Qwen3-32B"),
        ("GPT-4o", "closed model", "openai-language"),
        ("onnxruntime-gpu", "software", "onnxruntime"),
        ("TensorRT", "software", "tensorrt"),
        ("NVSwitch", "software", "nvswitch"),
        ("谷歌云", "provider", "gcp"),
    ],
)
def test_a_real_thing_is_known(name: str, kind: str, identity: str) -> None:
    meaning = look_up(name)
    assert (meaning.kind, identity in meaning.ids) == (kind, True), meaning


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("A6000 Ada", {"rtx-a6000-48gb", "rtx-6000-ada-48gb"}),
        ("H100 120GB", {"h100-nvl-94gb"}),
        ("RTX 4095", {"rtx-4090-24gb"}),
        ("Dell R740xa", {"Dell R740", "dell-r750xa"}),
        ("SYS-420GP-TNTR", {"SYS-420GP-TNR"}),
        ("ecs.gn7i-c8g1.4xlarge", {"ecs.gn7i-c8g1.2xlarge", "ecs.gn7i-c16g1.4xlarge"}),
        ("p5.24xlarge", {"p5.48xlarge"}),
        ("EPYC 7003", {"EPYC 7313"}),
    ],
)
def test_what_does_not_exist_is_refused_with_the_nearest_real_thing(name: str, nearest: set[str]) -> None:
    meaning = look_up(name)
    assert (meaning.kind, meaning.ids) == (None, ())
    assert nearest & set(meaning.nearest), meaning.nearest


@pytest.fixture(scope="module")
def script() -> ModuleType:
    path = Path(__file__).parents[1] / "bench" / "names_in_documents.py"
    spec = importlib.util.spec_from_file_location("names_in_documents", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GUIDE = """采购建议：训练用 8 张 H200 SXM 的戴尔PowerEdge XE9680，推理用 2×L40S 配 AMD EPYC 9554。
On a budget, rent g6e.12xlarge or Azure NCads_H100_v5 and serve Qwen2.5-72B with vLLM; 慎用 ThinkSystem SR999。
"""


def test_a_document_is_read_name_by_name(script: ModuleType) -> None:
    read = {one.name: (one.kind, one.ids[:1], bool(one.nearest)) for one in script.names_in(GUIDE)}
    assert read["H200 SXM"] == ("gpu", ("h200-sxm-141gb",), False)
    assert read["PowerEdge XE9680"] == ("server", ("dell-xe9680",), False)
    assert read["AMD EPYC 9554"] == ("component", ("cpu-epyc-9554",), False)
    assert read["g6e.12xlarge"] == ("instance", ("g6e.12xlarge",), False)
    assert read["Qwen2.5-72B"] == ("model", ("Qwen/Qwen2.5-72B",), False)
    assert read["vLLM"][0] == "software"
    assert read["ThinkSystem SR999"] == (None, (), True)


def test_a_document_without_an_answer_fails_the_command(script: ModuleType, tmp_path: Path) -> None:
    known, unknown = tmp_path / "known.txt", tmp_path / "unknown.txt"
    known.write_text(GUIDE, encoding="utf-8")
    unknown.write_text("Standard_Qxzjvwkpf_zzz", encoding="utf-8")
    assert script.main([str(known)]) == 0
    assert script.main([str(unknown)]) == 1
