"""What the first results came to: the estimates of memory among them, and whether each fits."""

from collections.abc import Sequence
from typing import Any

from assistant.answer import ToolCallRecord


def estimates(results: Sequence[ToolCallRecord]) -> list[ToolCallRecord]:
    """The estimates of memory that succeeded."""
    return [record for record in results if record.tool == "estimate_memory" and "error" not in record.result]


def usable_of(results: Sequence[ToolCallRecord]) -> int | None:
    """Usable memory of a card known only by its size, as worked out by what_fits."""
    sizes = (record.result.get("usable_bytes_per_gpu") for record in results if record.tool == "what_fits")
    return next((size for size in sizes if size), None)


def verdict(record: ToolCallRecord, usable: int | None) -> str | None:
    """Whether an estimate fits its card, or one of which only `usable` is known; None where neither is."""
    fit: dict[str, Any] | None = record.result.get("fit")
    if fit is None and usable is not None and "per_gpu" in record.result:
        needed = record.result["per_gpu"]
        return "no" if needed["total_bytes"] > usable else "tight" if needed["high_bytes"] > usable else "yes"
    return fit["verdict"] if fit else None
