"""What can be asked about a card, how it is recognised in a question, and how it is written."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from assistant.compose import numbers
from assistant.understand.asking import SOME_SUM
from kb.units import GIB
from tools.find_gpus import GpuRow


@dataclass(frozen=True, slots=True)
class Aspect:
    """One fact about a card."""

    key: str
    fields: tuple[str, ...]
    """Fields of the record that state it, for the citation."""
    asked: re.Pattern[str]
    value: Callable[[GpuRow], str | None]
    """The fact as text; None when the card does not have it."""
    yes_no: bool = False
    """Whether the question is usually "does it have …"."""


def _word(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.I)


def _rate(field: str, unit: str) -> Callable[[GpuRow], str | None]:
    def written(gpu: GpuRow) -> str | None:
        value = getattr(gpu, field)
        return numbers.rate(value, unit) if value else None

    return written


def _memory(gpu: GpuRow) -> str:
    kind = f" {gpu.memory_type}" if gpu.memory_type else ""
    return f"{gpu.memory_bytes / GIB:,.0f} GB{kind}"


def _link(gpu: GpuRow) -> str | None:
    return numbers.rate(gpu.nvlink_bytes_per_s, "B/s") if gpu.nvlink_bytes_per_s else None


def _instances(gpu: GpuRow) -> str | None:
    return str(gpu.mig_instances) if gpu.mig_instances else None


def _power(gpu: GpuRow) -> str | None:
    return f"{gpu.tdp_w} W" if gpu.tdp_w else None


def _price(gpu: GpuRow) -> str | None:
    if gpu.price is None:
        return None
    high = gpu.price_high_usd if gpu.price.kind == "street" else None
    prices = [numbers.usd(price) for price in (gpu.price.amount_usd, high) if price is not None]
    return "–".join(dict.fromkeys(prices)) + (f" ({gpu.price.as_of})" if gpu.price.as_of else "")


def _slots(gpu: GpuRow) -> str | None:
    return gpu.slot_width.removesuffix("-slot") if gpu.slot_width else None


ASPECTS: tuple[Aspect, ...] = (
    Aspect(
        "memory",
        ("memory_bytes",),
        _word(r"显存(?!\s?的?带宽)|内存(?!带宽)|\bvram\b|memory(?! bandwidth)|\d+ ?gb?\b"),
        _memory,
    ),
    Aspect("architecture", ("architecture",), _word(r"架构|architecture|哪一?代"), lambda gpu: gpu.architecture),
    Aspect("bandwidth", ("bandwidth_bytes_per_s",), _word(r"带宽|bandwidth"), _rate("bandwidth_bytes_per_s", "B/s")),
    Aspect("bf16", ("bf16_flops",), _word(r"bf16|算力|flops"), _rate("bf16_flops", "FLOPS"), yes_no=True),
    Aspect("fp16", ("fp16_flops",), _word(r"fp16|算力|flops"), _rate("fp16_flops", "FLOPS")),
    Aspect("fp8", ("fp8_flops",), _word(r"fp8"), _rate("fp8_flops", "FLOPS"), yes_no=True),
    Aspect("fp4", ("fp4_flops",), _word(r"(?<!nv)(?<!mx)fp4|nvfp4|mxfp4"), _rate("fp4_flops", "FLOPS"), yes_no=True),
    Aspect("int8", ("int8_ops",), _word(r"int8"), _rate("int8_ops", "OPS")),
    Aspect(
        "link",
        ("nvlink_bytes_per_s", "nvlink_note"),
        _word(r"nv-?link|nvswitch|互联|桥|\bbridge\b|infinity fabric|hccs"),
        _link,
        yes_no=True,
    ),
    Aspect("mig", ("mig_instances",), _word(r"\bmig\b|切分|切几|切给|切成|partition"), _instances, yes_no=True),
    Aspect("ecc", ("ecc",), _word(r"\becc\b"), lambda gpu: "ECC" if gpu.ecc else None, yes_no=True),
    Aspect("power", ("tdp_w",), _word(r"功耗|瓦|电源|\btdp\b|power|watt|psu"), _power),
    Aspect(
        "price",
        ("price_low_usd", "price_high_usd"),
        _word(rf"价格|多少钱|{SOME_SUM}|报价|价|卖多少|行情|值多少|price|cost|worth|how much is|expensive"),
        _price,
    ),
    Aspect(
        "capability",
        ("compute_capability",),
        _word(r"\bsm_?\d|compute capability|计算能力|flash-?att|kernel image"),
        lambda gpu: gpu.compute_capability,
    ),
    Aspect("slots", ("slot_width",), _word(r"占几(?:个)?槽|几槽|双槽|单槽|slot width|how many slots"), _slots),
    Aspect(
        "plugs",
        ("power_connectors",),
        _word(r"供电接口|几\s?pin|power connectors?|12vhpwr"),
        lambda gpu: gpu.power_connectors,
    ),
    Aspect("year", ("year",), _word(r"哪年|发布|release|how old"), lambda gpu: str(gpu.year) if gpu.year else None),
)
USUAL = ("memory", "bandwidth", "bf16", "fp8", "link", "power")
"""What a question about a card in general is answered with."""
COMPARED = ("memory", "bandwidth", "fp16", "bf16", "fp8", "link", "power", "price")
"""What cards are compared by."""
BUILT_IN = ("memory", "bandwidth", "bf16", "power", "slots", "plugs")
"""What decides between cards for a machine that is there."""
BY_KEY = {aspect.key: aspect for aspect in ASPECTS}


_NARROW, _WIDE = ("fp8", "fp4", "int8"), ("bf16", "fp16")
"""Of arithmetic in a format that is named, the general word for it asks: "FP8 TFLOPS" asks nothing of BF16."""


def asked_about(text: str) -> list[Aspect]:
    """The aspects a question names, those answered with yes or no first."""
    named = [aspect for aspect in ASPECTS if aspect.asked.search(text)]
    if any(aspect.key in _NARROW for aspect in named):
        named = [aspect for aspect in named if aspect.key not in _WIDE or re.search(aspect.key, text, re.I)]
    return sorted(named, key=lambda aspect: not aspect.yes_no)
