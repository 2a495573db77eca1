"""The memory stated of a machine whose GPU shares it: it is the machine's size, whatever it is called there."""

from collections.abc import Sequence

from kb.catalog import gpus
from kb.lexicon.text import grammar
from kb.units import GIB

_MARKETS = ("apu", "module")
"""Where the memory of the GPU is that of the machine."""
_SIZE = r"(?P<n>\d{1,3})\s?(?:gib|gigs?|gb?)(?![a-z0-9/])"
_NOT_MEMORY = (
    r"(?!\s?(?:的|of |as )?\s?(?:ssd|nvme|disk|storage|硬盘|固态|存储|大?模型|models?(?![a-z])|weights|权重|文件"
    r"|files?))"
)
_INSIDE = grammar(_SIZE)
_AFTER = grammar(
    r"[\s,(的]{0,2}(?:(?:that|which|has|have|having|comes?|got|with|w/|is|of|only|just|an?|box|machine|mini ?pc|pc|mini"
    r"|laptop|desktop|unified|memory|ram|有|只有|是|为|带|配|主机|迷你主机|机器|机|笔记本|台式机?|版本?|统一|内存|显存|:)"
    rf"[\s,(的:]{{0,2}}){{0,5}}{_SIZE}{_NOT_MEMORY}"
)
_BEFORE = grammar(rf"(?<![\d.]){_SIZE}\s?(?:的|版|版本|of)?\s?(?:统一)?(?:内存|unified memory|memory|ram)?\s?的?\s?$")
_DISKS = (256, 512)
"""Sizes that disks come in too: beyond what the chip is sold with they are the disk's."""


def is_unified(gpu: str) -> bool:
    """Whether the GPU shares the machine's memory."""
    return gpu in gpus() and gpus()[gpu].market in _MARKETS


def stated_gib(plain: str, start: int, end: int) -> int | None:
    """The memory, in GiB, that the words at and around the name [start, end) state of the machine."""
    before = plain[max(0, start - 24) : start]
    match = _INSIDE.search(plain[start:end]) or _AFTER.match(plain, end) or _BEFORE.search(before)
    return int(match["n"]) if match else None


def of_memory(ids: Sequence[str], gib: int) -> tuple[str, ...]:
    """The machines with so much memory, or those whose memory is nearest, the smaller of two as near."""
    sizes = {key: gpus()[key].memory_bytes for key in ids}
    if not sizes or (gib in _DISKS and gib * GIB > max(sizes.values())):
        return tuple(ids)
    nearest = min(sizes.values(), key=lambda size: (abs(size - gib * GIB), size))
    return tuple(key for key in ids if sizes[key] == nearest)
