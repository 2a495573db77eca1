"""Hand-made tool results, so that composing is tested without running a tool."""

from collections.abc import Callable
from typing import Any

import pytest

from assistant.answer import ToolCallRecord
from assistant.understanding import Understanding
from kb.units import GIB
from tools.need import Need

MODEL = "Qwen/Qwen2.5-72B-Instruct"
GPU = "rtx-3090-24gb"


@pytest.fixture
def estimate() -> Callable[..., ToolCallRecord]:
    """A record of `estimate_memory` with parts in GiB per GPU."""

    def made(
        weights: float,
        other: float = 1.0,
        *,
        weight_format: str = "bf16",
        task: str = "inference",
        gpus: int = 4,
        usable: float | None = 23.5,
        gpu: str = GPU,
        minimum: dict[str, int] | None = None,
        assumptions: tuple[str, ...] = (),
        **request: Any,
    ) -> ToolCallRecord:
        total = int((weights + other) * GIB)
        low, high = int(total * 0.95), int(total * 1.08)
        verdict = None if usable is None else _verdict(total, high, int(usable * GIB))
        return ToolCallRecord(
            tool="estimate_memory",
            request={"task": task, "model": MODEL, "weight_format": weight_format, "gpu": gpu} | request,
            result={
                "model": MODEL,
                "task": task,
                "weight_format": weight_format,
                "engine": "vllm",
                "gpus": gpus,
                "params": 72706203648,
                "per_gpu": {
                    "total_bytes": total,
                    "low_bytes": low,
                    "high_bytes": high,
                    "parts": [
                        {"name": "weights", "bytes": int(weights * GIB), "formula": f"weights formula {weight_format}"},
                        {"name": "kv_cache", "bytes": total - int(weights * GIB), "formula": "kv formula"},
                    ],
                },
                "fit": None
                if usable is None
                else {
                    "gpu": gpu,
                    "usable_bytes": int(usable * GIB),
                    "verdict": verdict,
                    "headroom_bytes": int(usable * GIB) - total,
                    "max_context_tokens": 20000,
                },
                "minimum_gpus": [
                    {"gpu": name, "count": count, "verdict": "yes"} for name, count in (minimum or {}).items()
                ],
                "assumptions": list(assumptions),
                "derivation": [
                    {
                        "label": "KV cache",
                        "formula": "2 · layers · tokens",
                        "unit": "bytes",
                        "value": 1024,
                        "inputs": {"context_tokens": 8192, "concurrent_sequences": 1},
                    }
                ],
            },
        )

    return made


def _verdict(total: int, high: int, usable: int) -> str:
    if high <= usable:
        return "yes"
    return "tight" if total <= usable else "no"


@pytest.fixture
def configured() -> ToolCallRecord:
    """A record of `configure` with one purchase and one rental."""
    common: dict[str, Any] = {
        "nodes": 1,
        "tensor_parallel": 2,
        "weight_format": "int4",
        "engine": "vllm",
        "memory": {"needed_bytes_per_gpu": 22 * GIB, "usable_bytes_per_gpu": 44 * GIB, "verdict": "yes"},
    }
    rent = common | {
        "rank": 1,
        "title": "1 × Example 2xA6000",
        "acquisition": "rent",
        "gpu": "rtx-a6000-48gb",
        "gpu_count": 2,
        "items": [
            {
                "part": "instance",
                "product": "Example 2xA6000",
                "count": 1,
                "unit_price": 1.58,
                "subtotal": 1.58,
                "source": "example-prices",
                "price_date": "2020-01-02",
            }
        ],
        "price": {"amount": 1.58, "period": "hour", "as_of": "2020-01-02", "complete": True},
        "provider": "Example",
        "instance": "2xA6000",
    }
    buy = common | {
        "rank": 2,
        "title": "2 × RTX A6000",
        "acquisition": "buy",
        "gpu": "rtx-a6000-48gb",
        "gpu_count": 2,
        "items": [
            {
                "part": "gpu",
                "product": "RTX A6000",
                "count": 2,
                "unit_price": 4500,
                "subtotal": 9000,
                "source": "example-prices",
                "price_date": "2020-01",
            }
        ],
        "price": {"amount": 9000, "as_of": "2020-01", "complete": False},
    }
    return ToolCallRecord(
        tool="configure",
        request={"model": MODEL},
        result={
            "configurations": [rent, buy],
            "rejected": [],
            "sources": [
                {"id": "example-prices", "title": "Example price list", "url": "https://example.com", "date": "2020-01"}
            ],
        },
    )


@pytest.fixture
def passages() -> Callable[..., ToolCallRecord]:
    """A record of `search_guidance` with one passage a text."""

    def made(*texts: str, language: str = "zh", **more: Any) -> ToolCallRecord:
        rows = [
            {
                "document": "guide.md",
                "title": "Guide",
                "line_start": 10 * place,
                "line_end": 10 * place + 5,
                "heading": "Memory",
                "text": text,
                "score": 0.9,
                "language": language,
            }
            | more
            for place, text in enumerate(texts, 1)
        ]
        return ToolCallRecord(tool="search_guidance", request={"query": "q"}, result={"passages": rows})

    return made


@pytest.fixture
def asked() -> Callable[..., Understanding]:
    """A reading of a question."""

    def made(text: str = "4 张 3090 能跑 Qwen2.5-72B 吗？", language: str = "zh", **need: Any) -> Understanding:
        aside = {key: need.pop(key) for key in list(need) if key in Understanding.model_fields}
        values = {"model": MODEL, "intent": "can_it_run", "gpus_owned": [{"gpu": GPU, "count": 4}]} | need
        return Understanding(text=text, language=language, need=Need.model_validate(values), **aside)

    return made
