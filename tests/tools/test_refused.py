"""A request that breaks its schema is told the field, the reason and what would do, in words of the asker's."""

from typing import Any

import pytest

from kb.base import BadInput
from tools.need import GpuCount
from tools.registry import tool
from ui.entrance.refusals import told


@pytest.mark.parametrize(
    ("name", "arguments", "english", "chinese"),
    [
        (
            "compare_gpus",
            {"gpus": ["4090"]},
            "gpus: names fewer than two cards. Name two to six cards, or sets of cards as sets.",
            "至少要两张卡才能比较。请写两到六种显卡，或用 sets 写几组显卡。",
        ),
        ("compare_gpus", {"gpus": ["4090"] * 7}, "gpus: at most 6 possible, 7 given.", "最多 6 个，这里是 7 个。"),
        (
            "compare_gpus",
            {"gpus": ["4090", "RTX 4090"]},
            "gpus: every name means rtx-4090-24gb. Name another card beside it.",
            "这些名字都指 rtx-4090-24gb。请再给一张别的卡。",
        ),
        (
            "compare_gpus",
            {"gpus": ["4090", "3090"], "work": "training"},
            "work: Extra inputs are not permitted. Did you mean workload?",
            "没有这个字段。是不是想写 workload？",
        ),
        (
            "compare_gpus",
            {"gpus": ["4090", "3090"], "purpose": "training"},
            (
                "purpose: Extra inputs are not permitted. Fields here: gpus, workload, sets, by, model, "
                "context_tokens, concurrent_sequences, host_memory, method, dataset_tokens."
            ),
            (
                "没有这个字段。这里的字段有：gpus, workload, sets, by, model, context_tokens, concurrent_sequences, "
                "host_memory, method, dataset_tokens。"
            ),
        ),
        (
            "find_offers",
            {"gpu": "H100", "country": "中国"},
            "country: write its two letters, such as CN or US.",
            "请写两个字母的代码，例如 CN、US。",
        ),
        (
            "what_fits",
            {},
            "request: give gpus, or memory_bytes_per_gpu.",
            "请给出显卡（gpus）或每卡显存（memory_bytes_per_gpu）。",
        ),
        (
            "find_gpus",
            {"min_memory": 1},
            "min_memory: Extra inputs are not permitted. Did you mean min_memory_bytes?",
            "没有这个字段。是不是想写 min_memory_bytes？",
        ),
    ],
)
def test_refusal_says_what_would_do(name: str, arguments: dict[str, Any], english: str, chinese: str) -> None:
    with pytest.raises(BadInput) as refused:
        tool(name).call(arguments)
    assert str(refused.value) == english
    assert told(refused.value, "zh").endswith(chinese)


@pytest.mark.parametrize(
    ("written", "count"), [("4090", None), ("2 x 4090", 2), ("8×4090", 8), ("3张 4090", 3), ("4090 48G", None)]
)
def test_cards_written_short_are_read(written: str, count: int | None) -> None:
    read = GpuCount.model_validate(written)
    assert (read.gpu.split()[0], read.count) == ("4090", count)
