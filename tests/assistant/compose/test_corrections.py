"""Corrections of documents are said in the asker's language."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from assistant.answer import ToolCallRecord
from assistant.compose import compose
from assistant.understanding import Understanding
from tools.check_compatibility import CompatibilityRequest, check_compatibility
from tools.need import Need

ENGLISH_SENTENCE = re.compile(r"\b[a-z]+ [a-z]+ [a-z]+ [a-z]+\b")


def corrected(passages: Callable[..., ToolCallRecord], language: str, **dispute: Any) -> str:
    parts = {"subject": "NVIDIA T4", "attribute": "NVLink", "claimed": "yes", "verdict": "wrong"} | dispute
    call = passages(
        "T4 支持 NVLink。" if language == "zh" else "The T4 has NVLink.",
        language=language,
        disputes=["NVIDIA T4 NVLink: “yes” is wrong; no NVLink, PCIe 3.0 only"],
        disputed=[parts],
    )
    text = "T4 有 NVLink 吗，为什么" if language == "zh" else "why does the T4 have NVLink"
    need = Need.model_validate({"intent": "guidance"})
    return compose(Understanding(text=text, language=language, need=need), [call]).answer


@pytest.mark.parametrize(
    ("correct", "said"),
    [
        ("no NVLink, PCIe 3.0 only", "没有 NVLink，只走 PCIe 3.0"),
        ("at most 24 GB (GeForce RTX 3090)", "最多 24 GB（GeForce RTX 3090）"),
        ("65 TFLOPS dense; 130 TFLOPS is its INT8 rate", "稠密 65 TFLOPS，130 TFLOPS 是 INT8 算力"),
        ("1.935 TB/s (NVIDIA A100 PCIe 80GB)", "1.935 TB/s"),
        ("MIG, up to 7 parts", "MIG 最多切成 7 份"),
        ("no tensor cores", "没有张量核心"),
        ("46.7B parameters", "46.7B"),
        ("4-bit weights alone: 35 GB; 24 GB are there", "4-bit 光权重就要 35 GB，只有 24 GB"),
        (
            "7B parameters × 16 bytes = 112 GB before activations; 24 GB are there (LoRA needs less)",
            "7B × 16 字节 = 112 GB，还没算激活，只有 24 GB",
        ),
        ("launched at $1,599; no longer made, so sold at whatever the market asks", "与目录里的数据不符"),
    ],
)
def test_a_correction_is_chinese_in_a_chinese_answer(
    passages: Callable[..., ToolCallRecord], correct: str, said: str
) -> None:
    answer = corrected(passages, "zh", correct=correct)
    assert said in answer
    assert not ENGLISH_SENTENCE.search(answer)


def test_a_correction_is_whole_in_english(passages: Callable[..., ToolCallRecord]) -> None:
    assert "it is no NVLink, PCIe 3.0 only" in corrected(passages, "en", correct="no NVLink, PCIe 3.0 only")


@pytest.mark.parametrize("gpu", ["v100-sxm2-32gb", "rtx-2080-ti-11gb", "mi300x-192gb", "rtx-5090-32gb"])
@pytest.mark.parametrize("asked", ["fp8", "flash attention 2", "vllm", "awq", "mig", "cuda 13 driver 470"])
def test_compatibility_is_chinese_in_a_chinese_answer(gpu: str, asked: str) -> None:
    request = CompatibilityRequest(gpus=(gpu,), question=asked)
    result = check_compatibility(request).model_dump(mode="json")
    call = ToolCallRecord(tool="check_compatibility", request=request.model_dump(mode="json"), result=result)
    need = Need.model_validate({"intent": "compatibility", "gpus_asked": [gpu]})
    answer = compose(Understanding(text=f"能用 {asked} 吗", language="zh", need=need), [call]).answer
    assert not ENGLISH_SENTENCE.search(re.sub(r"`[^`]*`|pip install \S+ \S+ \S+", "", answer))
