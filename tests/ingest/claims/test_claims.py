"""Claims: what the facts contradict is found, what they confirm is left alone, what they do not know stays open."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.claims import Contradiction, Finding, check
from kb.base import BadInput

Write = Callable[[str, str | bytes], Path]
GUIDANCE = Path(__file__).resolve().parents[3] / "kb" / "guidance"


@pytest.fixture
def judged(write: Write) -> Callable[[str], list[Finding]]:
    """The findings of a document with this text."""

    def judged(text: str) -> list[Finding]:
        return [one for one in check([write("claims.md", text)]) if isinstance(one, Finding)]

    return judged


Judged = Callable[[str], list[Finding]]

WRONG = [
    pytest.param("The L40S supports NVLink.", "NVLink", "no NVLink", id="link-it-lacks"),
    pytest.param("RTX 3090 不支持 NVLink。", "NVLink", "112.5", id="link-denied"),
    pytest.param("昇腾 910B 支持 NVLink。", "NVLink", "NVIDIA's", id="link-of-another-maker"),
    pytest.param("H200 carries 192 GB of HBM3e.", "memory", "141 GB", id="memory"),
    pytest.param("L4 的显存带宽为 600GB/s。", "memory bandwidth", "300 GB/s", id="bandwidth"),
    pytest.param("RTX 4090 delivers 330 TFLOPS of FP16 compute.", "FP16 rate", "sparsity", id="sparse-as-dense"),
    pytest.param("A100 的 TF32 算力达 19.5TFLOPS。", "TF32 rate", "FP32", id="other-rate"),
    pytest.param("MI300X: TDP 500 W", "TDP", "750 W", id="power"),
    pytest.param("The A100 supports FP8 natively.", "FP8", "no FP8", id="format-it-lacks"),
    pytest.param("H100 PCIe(80GB HBM3)", "memory type", "HBM2e", id="memory-type"),
    pytest.param("g6.xlarge 实例配一张 T4。", "GPU of the instance", "L4", id="instance"),
    pytest.param("Azure NDv4 (8xH100) is one option.", "GPU of the instance", "A100", id="instance-family"),
    pytest.param("The DGX H200 is liquid-cooled.", "cooling", "air", id="server-cooling"),
    pytest.param("PowerEdge XE9640 支持 8 张 H100 SXM。", "GPUs", "up to 4", id="server-count"),
    pytest.param("8 张 L40S 显存合计 512GB。", "memory in all", "384 GB", id="sum"),
    pytest.param("Llama-3.1-70B needs 20 GB of VRAM.", "memory needed", "35.3 GB", id="model-need"),
    pytest.param("需至少 350GB,4 张 A100 80GB 就行。", "cards for", "320 GB", id="count-times-memory"),
    pytest.param("8x A100 80GB can train Qwen2.5-72B with full fine-tuning.", "full training", "bytes", id="training"),
    pytest.param("训练显存 = 参数量×4", "bytes per parameter", "16 bytes", id="rule-of-thumb"),
    pytest.param("H100 相比 A100:带宽提升 3 倍", "memory bandwidth ratio", "1.64", id="ratio"),
    pytest.param("NVLink 3.0 提供 900GB/s", "bandwidth", "600 GB/s", id="link-generation"),
    pytest.param("H100 PUE=1.2 时年耗电 9,000 kWh", "energy", "7,358", id="energy"),
]

OUTDATED = [
    pytest.param("以下是当前(2023–2024)主流方案。", "currency", id="present-of-the-past"),
    pytest.param("为下一代 B200 预留机位。", "generation", id="next-generation-on-sale"),
    pytest.param("最新版本 NVLink 4.0 已经普及。", "latest version", id="latest-of-the-past"),
    pytest.param("旗舰 A100 是首选。", "standing", id="top-of-the-past"),
    pytest.param("A100 已被淘汰。", "availability", id="retired-but-rented"),
]

TRUE = [
    "The NVIDIA L40S has 48 GB of GDDR6, draws 350 W and offers 864 GB/s of memory bandwidth. It has no NVLink.",
    "An H200 carries 141 GB of HBM3e at 4.8 TB/s.",
    "RTX 5090: 32GB GDDR7, 575W, 带宽 1792GB/s",
    "两张 RTX 5090 共 64 GB、1,150 W,没有 NVLink。",
    "Eight H100 with 640 GB hold it; four A100 40GB have 160 GB in total.",
    "H100 SXM has 989 TFLOPS in BF16 dense and 1,979 only with sparsity.",
    "300 GB/s 的 L4 比 936 GB/s 的 RTX 3090 慢得多。",
    "NVLink figures count both directions: 900 GB/s on an H100 means 450 GB/s each way.",
    "PCIe 5.0 x16 单向约 64 GB/s,双向 128 GB/s。",
    "Do H100 servers need liquid cooling?",
    "T4 支持 NVLink 吗?",
    "“参数量×4”不是训练显存。",
    "对单张 RTX 4090,厂商建议电源 850 W。",
    "PowerEdge XE9680 takes 8x H100 SXM; p5.48xlarge (8x H100) rents them.",
    "RTX 4090 with 48 GB is an unofficial conversion.",
    "One A16 board carries four GPUs of 16 GB each.",
    "Llama-3.1-8B needs about 16 GB of VRAM in BF16. QLoRA of Llama-3.1-70B runs on 2x A100 80GB.",
    "H100 在 FP16 下比 A100 快 3 倍。",
    "The A6000 (48 GB) has NVLink; the RTX 6000 Ada doesn't support NVLink.",
    "p4d.24xlarge has 8x A100 40GB. g5.xlarge has 1 A10G with 24 GB and costs $1.006/hour.",
    "The A100 80GB PCIe has a TDP of 300W while the SXM4 version runs at 400W.",
    "H100 PCIe 的 TDP 为 350W,SXM5 版为 700W。",
    "DeepSeek-R1 FP8 权重约 671GB,8×H200(1128GB)可放下,8×H100(640GB)放不下。",
    "| 模型 | 参数 | 最低显存 | 推荐 |\n|---|---|---|---|\n| Qwen2.5-72B | 72B | 45GB (INT4) | 2×RTX 4090 |",
    "显存带宽:A100 2TB/s,H100 3.35TB/s,H200 4.8TB/s,4090 1TB/s。",
]


@pytest.mark.parametrize(("text", "attribute", "correct"), WRONG)
def test_what_the_facts_contradict_is_found_with_the_right_value(
    judged: Judged, text: str, attribute: str, correct: str
) -> None:
    wrong = [one for one in judged(text) if one.verdict == "wrong"]
    assert any(one.attribute.startswith(attribute) and correct in str(one.correct_value) for one in wrong), wrong


@pytest.mark.parametrize(("text", "attribute"), OUTDATED)
def test_what_was_true_once_is_called_outdated(judged: Judged, text: str, attribute: str) -> None:
    assert (attribute, "outdated") in {(one.attribute, one.verdict) for one in judged(text)}


def test_no_finding_comes_or_goes_with_the_calendar(judged: Judged, on_day: Callable[[str], None]) -> None:
    """A claim is held against the facts: until these change, it stands as it did."""
    text = "\n\n".join(
        [*(one.values[0] for one in OUTDATED), "以下是当前(2026)主流方案。", "g5.xlarge costs $1.006/hour."]
    )
    before = judged(text)
    assert not [one for one in before if one.claimed_value == "2026"]
    for day in ("2027-01-01", "2029-01-01"):
        on_day(day)
        assert judged(text) == before


@pytest.mark.parametrize("text", TRUE)
def test_what_is_true_is_not_disputed(judged: Judged, text: str) -> None:
    assert [one for one in judged(text) if one.disputed] == []


def test_a_table_of_cards_is_read_by_its_columns(judged: Judged) -> None:
    found = judged(
        "| 特性 | RTX A6000 | RTX 6000 Ada |\n|---|---|---|\n| NVLink 支持 | ✅ | ✅ |\n| 功耗 (TDP) | 300W | 300W |\n"
    )
    verdicts = {(one.line, one.subject, one.attribute): one.verdict for one in found}
    assert verdicts[3, "NVIDIA RTX A6000", "NVLink"] == "holds"
    assert verdicts[3, "NVIDIA RTX 6000 Ada Generation", "NVLink"] == "wrong"
    assert verdicts[4, "NVIDIA RTX 6000 Ada Generation", "TDP"] == "holds"


def test_a_list_below_a_name_is_about_it(judged: Judged) -> None:
    found = judged("RTX 6000 Ada\n- 架构:Ada Lovelace\n- 显存:24GB GDDR6\n- 优点:大显存和NVLink\n")
    disputed = {(one.line, one.attribute) for one in found if one.disputed}
    assert disputed == {(3, "memory"), (4, "NVLink")}


@pytest.mark.parametrize(
    "text",
    [
        "A100 SXM 80GB 比 A100 40GB：显存翻倍，带宽 2,039 对 1,555 GB/s，BF16 都是 312 TFLOPS。",
        "H200 比 H100 SXM：显存 141 对 80 GB，带宽 4,800 对 3,350 GB/s。",
    ],
)
def test_values_set_against_each_other_are_not_taken_for_one_card(judged: Judged, text: str) -> None:
    assert [one for one in judged(text) if one.disputed] == []


def test_a_finding_says_where_and_by_which_source(judged: Judged) -> None:
    (found,) = [one for one in judged("Intro.\n\nThe L4 offers 600 GB/s of memory bandwidth.") if one.disputed]
    assert (found.line, found.claimed_value, found.subject) == (3, "600 GB/s", "NVIDIA L4")
    assert found.quote == "The L4 offers 600 GB/s of memory bandwidth."
    assert found.source


def test_documents_that_differ_contradict_each_other(write: Write) -> None:
    first = write("one/a.md", "NVLink 4.0 provides 900 GB/s.")
    second = write("one/b.md", "NVLink 4.0 provides 600 GB/s.")
    (found,) = [one for one in check([first.parent]) if isinstance(one, Contradiction)]
    assert (found.subject, found.attribute) == ("NVLink 4.0", "bandwidth")
    assert [(one.document, one.value) for one in found.statements] == [
        (str(first), "900 GB/s"),
        (str(second), "600 GB/s"),
    ]


def test_the_bundled_guidance_holds() -> None:
    disputed = [one for one in check([GUIDANCE]) if isinstance(one, Finding) and one.disputed]
    assert disputed == []


def test_a_path_that_does_not_exist_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="does not exist"):
        check([tmp_path / "nothing.md"])
