"""A condition on any figure of a card, as one writes it: `tdp_w <= 300`, `bandwidth >= 2 TB/s`, `pcie = 5`."""

import operator
import re
from collections.abc import Callable
from typing import Any

from kb.base import BadInput
from kb.naming.name_index import close_names
from kb.units import GB, GIB, TB
from tools.gpu_row import GpuRow

_CONDITION = re.compile(r"\s*([a-z][a-z0-9_ ]*?)\s*(<=|>=|!=|==|=|<|>|≤|≥|≠)\s*(.+?)\s*", re.IGNORECASE)
_NUMBER = re.compile(r"\$?\s*(-?\d[\d,]*(?:\.\d+)?)\s*([a-zµ/]*)", re.IGNORECASE)
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt, "<=": operator.le, "≤": operator.le, ">": operator.gt, ">=": operator.ge, "≥": operator.ge,
    "=": operator.eq, "==": operator.eq, "!=": operator.ne, "≠": operator.ne,
}  # fmt: skip
_ALIKE, _UNLIKE = ("=", "=="), ("!=", "≠")
_UNITS = {
    "gib": GIB, "tb/s": TB, "gb/s": GB, "tflops": 1e12, "tops": 1e12, "pflops": 1e15, "gflops": 1e9, "t": 1e12,
    "w": 1, "kw": 1000, "usd": 1, "bit": 1, "bits": 1, "": 1,
}  # fmt: skip
_SHORT = {
    "memory": "memory_bytes", "vram": "memory_bytes", "bandwidth": "bandwidth_bytes_per_s", "tdp": "tdp_w",
    "power": "tdp_w", "bf16": "bf16_flops", "fp16": "fp16_flops", "fp32": "fp32_flops", "fp8": "fp8_flops",
    "fp4": "fp4_flops", "int8": "int8_ops", "nvlink": "nvlink_bytes_per_s", "cores": "shader_cores",
    "cuda_cores": "shader_cores", "mig": "mig_instances", "bus": "memory_bus_bits", "msrp": "msrp_usd",
    "slots": "slot_width", "psu": "suggested_psu_w",
}  # fmt: skip
CLOSE_RATIO = 0.005
"""How near a figure must be to count as equal: data sheets round."""


class Condition:
    """One comparison of one field with one value."""

    def __init__(self, text: str) -> None:
        """Read the condition.

        Raises:
            BadInput: no comparison, no such field, or a value of another kind; names what would do.
        """
        match = _CONDITION.fullmatch(text)
        if match is None:
            raise BadInput("where", f"“{text[:60]}” is no condition.", "Write it like “tdp_w <= 300”.")
        name, sign, value = match[1].strip().lower().replace(" ", "_"), match[2], match[3]
        self.field = _SHORT.get(name, name)
        if self.field not in GpuRow.model_fields:
            near = ", ".join(close_names(name, [*_SHORT, *GpuRow.model_fields])) or "memory, bandwidth, tdp, year"
            raise BadInput("where", f"a card has no “{name}”.", f"Try {near}.")
        self.compare = _COMPARE[sign]
        self.sign = sign
        self.value = self._read(value)

    def holds(self, one: GpuRow) -> bool:
        """Whether the card's figure is known and compares so."""
        held = getattr(one, self.field)
        if held is None:
            return False
        if isinstance(held, bool):
            return self.compare(held, str(self.value).lower() in ("true", "yes", "1"))
        if isinstance(held, str):
            return self._holds_text(held)
        if isinstance(self.value, str):
            raise BadInput(
                "where", f"{self.field} is a number, “{self.value}” is none.", "Write it like “tdp_w <= 300”."
            )
        number = float(held)
        if self.sign in (*_ALIKE, *_UNLIKE):
            near = abs(number - self.value) <= CLOSE_RATIO * abs(number)
            return near == (self.sign in _ALIKE)
        return self.compare(number, self.value)

    def _holds_text(self, held: str) -> bool:
        """Text: equal when it begins so ("HBM3" is not "HBM3e"); versions compare as numbers."""
        try:
            return self.compare(float(held.split("/")[0]), float(self.value))
        except ValueError:
            same = held.casefold() == str(self.value).casefold()
            return (self.sign in _ALIKE and same) or (self.sign in _UNLIKE and not same)

    def _read(self, text: str) -> float | str:
        match = _NUMBER.fullmatch(text)
        if match is None:
            return text
        unit = match[2].lower()
        binary = self.field in ("memory_bytes", "usable_bytes") and unit in ("gb", "g")
        if not binary and unit not in _UNITS:
            return text
        number = float(match[1].replace(",", "")) * (GIB if binary else _UNITS[unit])
        return text if self.field == "compute_capability" and unit else number
