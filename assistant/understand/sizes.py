"""Amounts of memory: of one card, of all cards together, of the host; what a card is known by when it has no name."""

import re
from dataclasses import dataclass
from typing import Literal

from assistant.understand.quantities import GPU
from assistant.understand.text import grammar
from kb.units import GIB, MIB, TIB

Role = Literal["card", "total", "host", "disk", "required", "used", "unclear"]
_SIZE = grammar(
    r"(?:(?<![a-z0-9.\-_~])|(?<=\d[x×*]))(?:(\d{1,5}(?:\.\d{1,3})?)\s?(?:-|~|到|至)\s?)?(\d{1,6}(?:\.\d{1,3})?)[ -]?"
    r"(gib|gb|gigs?|go|g|tib|tb|t|mib|mb)"
    r"(?![a-z0-9/]|[ -]?(?:bps|参数|token|\d*x\b))"
)
_UNIT = {"g": GIB, "t": TIB, "m": MIB}
_HOST_AFTER = grammar(
    r"\s?(?:的)?\s?(?:of )?(?:cpu |system |host |server |主机|系统|服务器|机器|物理)?\s?(?:ram|内存"
    r"|ddr\d?|dram|主存|lpddr\dx?|system memory|de ram|メモリ|メインメモリ|arbeitsspeicher|озу|оперативн)"
)
_HOST_BEFORE = grammar(
    r"(?:(?<!gpu )(?<!video )(?<!v)ram|(?<!显)内存|ddr\d?|主存|system memory|host memory"
    r"|(?<!ビデオ)メモリー?|arbeitsspeicher|озу"
    r"|cpu memory)[\s:=是为有才共约大概]{0,4}(?:of |is |only )?$"
)
_NEEDED = grammar(r"需要|要多少|(?<!只)要|needs?|requires?")
_VRAM_BEFORE = grammar(r"(?:显存|(?<![a-z])vram)[\s:=是为有只才]{0,4}$")
_SUFFIXED = grammar(r"\d\s?(?:gib|gb|g|tib|tb|t)\s?(?:的|of )?\s?(?:vram|ram|显存|内存|memory)[\s,+和、:]{0,3}$")
"""The label before belongs to the amount before it: "24 GB VRAM, 64 GB RAM"."""
_DISK = grammar(
    r"\s?(?:的)?\s?(?:ssd|hdd|nvme|disk|硬盘|固态|storage|磁盘|文件|file|download|checkpoint|dataset"
    r"|数据|text|语料|pdf)"
)
_TOTAL_BEFORE = grammar(
    r"(?:共|一共|总共|合计|总计|加起来|凑|total(?:ing|ling)?(?: of)?|combined|altogether|=)\s?(?:有|是|of)?\s?$"
)
_TOTAL_AFTER = grammar(
    r"\s?(?:的)?\s?(?:total|in total|combined|altogether|总显存|总共|合计|\+(?!\s?\d)\s?(?:vram|gb)?)"
)
_REQUIRED_BEFORE = grammar(
    r"(?:需要?|得要?|(?<!只)要(?:求)?|硬性要求|至少|最少|最低|最小|不低于|大于|超过|以上|needs?"
    r"|requires?|requir(?:es|ing)|wants?|at least|minimum|min|more than"
    r"|over|>=?|≥|recommended?|recommends?|lists?|says?|asks? for|说是?|说要|写|标称|suggests?"
    r"|takes?)\s?(?:about |around |~|only |了|是|的是|:|of )?\s?$"
)
_REQUIRED_AFTER = grammar(
    r"\s?(?:的)?\s?(?:显存|vram)?\s?(?:以上|起步|才|起|or more|minimum|is needed|needed|required|\+(?!\s?\d))"
)
_USED_BEFORE = grammar(
    r"(?:占(?:了|用|到)?|用了?|用掉|显示(?:占了)?|冲到|涨到|飙到|吃了?|剩(?:余)?|是|都是|allocate|used"
    r"|uses|using|usage|consum(?:es|ed)|peak(?:s|ed)?(?: at)?|free|left)\s?(?:约|大概|about |~|of "
    r"|at )?\s?$"
)
_TAKEN_BEFORE = grammar(
    r"(?:占(?:了|用了?|到)?|吃(?:了|掉|到)|用掉了?|冲到|涨到|飙到|(?<![a-z])(?:eats|consum(?:es|ed|ing)))\s?"
    r"(?:约|大概|about |~)?\s?$"
)
"""Words for what a program takes, whatever memory is called behind the amount: 「占 19G 显存」."""
_WEIGHTS_BEFORE = grammar(
    r"(?:参数|权重|模型(?:文件|本身|大小|体积)?|(?<![a-z])(?:weights|parameters|checkpoint)(?: are| is| take)?)\s?"
    r"(?:一?共|总共|只|才|就|有|是|仅|大概|大约|约|占用?|读取|加载|了|不到|only|about|just|~|\s){0,4}$"
)
"""Words for the weights themselves: their size is no card's."""
_CARD_AFTER = grammar(
    r"\s?[x×*]\s?\d|\s?(?:的|大|单|of )?\s?(?:显存|显卡|卡|单卡|gpu|cards?|vram|graphics|video|v100"
    r"|笔记本|laptop|machine|魔改|版|die|显卡|per (?:gpu|card)|each|(?:de )?vram|卡的|机器)"
)
_CARD_BEFORE = grammar(
    r"(?:(?:fit|run|squeez|load|go)\w{0,3} (?:in|on|inside|within)(?: just| only)?|into(?: just| only)?"
    r"|显存(?:是|为|只有|有|才|共|大小)?|vram(?: is| of|:)?|[一单两双三四五六八每几\d]\s?(?:张|块|片|卡"
    r"|[x×*])卡?|我(?:是|有|的|用)?|只有|仅有|手里|手上|my|only|have|got|with|a|an|single|one|on"
    r"|per(?:gpu)?|w/|would|will|单卡)\s?:?\s?$"
)
_ENOUGH_AFTER = grammar(
    r"\s?(?:的)?\s?(?:显存)?\s?(?:就|都|是否|是不是)?\s?(?:够|行(?:不|吗|么|嘛)|可以|能|只能|跑|oom|ooms|dies|died"
    r"|crash|fails?|enough|suffic|do\b|do\?|ok\b|爆|不行|装得下|会爆|也能|上)"
)
_BESIDE_CARD = grammar("\ue000 ?(?:\\+|and|with|plus|&|、|加) ?$")
"""What stands before the machine's memory where it is only set beside a card: "4090 + 192gb"."""
_NAME_AFTER = grammar("\\s?(?:的)?\\s?\ue000")
_HOST_LEAST = 64 * GIB
"""Smaller amounts beside a card may be another card's."""
_CARD_MOST = 600 * GIB
_STANDARD_GIB = (
    2,
    3,
    4,
    5,
    6,
    8,
    10,
    11,
    12,
    16,
    20,
    22,
    24,
    32,
    40,
    44,
    48,
    64,
    72,
    80,
    84,
    94,
    96,
    128,
    141,
    144,
    180,
    192,
    256,
    288,
)
"""Memory sizes that cards are sold with."""


@dataclass(frozen=True, slots=True)
class Size:
    """An amount of memory and what it is the memory of."""

    value_bytes: int
    start: int
    end: int
    role: Role


def find_sizes(text: str) -> list[Size]:
    """Every amount of memory, each with its role."""
    found = []
    for match in _SIZE.finditer(text):
        unit = match[3][0]
        value_bytes = round(float(match[2]) * _UNIT[unit])
        if not value_bytes or _is_model_size(text, match.start(), match.end(), unit):
            continue
        found.append(
            Size(value_bytes, match.start(2) if match[1] is None else match.start(1), match.end(), _role(text, match))
        )
    return found


def box_bytes(reported_bytes: int) -> int:
    """The size on the box of a card that reports slightly less: 23.65 GiB → 24 GiB."""
    for size in _STANDARD_GIB:
        if reported_bytes <= size * GIB <= reported_bytes * 1.12:
            return size * GIB
    return reported_bytes


def _is_model_size(text: str, start: int, end: int, unit: str) -> bool:
    """「1.5T 参数」 and "5G network" are no memory."""
    return unit == "t" and text[end : end + 6].lstrip().startswith(("参数", "param", "token", "模型", "f", "ops"))


_CARD_BESIDE = grammar(
    rf"\s?(?:and|plus|\+|和|加|跟)\s?(?:an? |my |one |the |一[张块])?\s?(?:(?:nvidia|geforce|rtx) ){{0,2}}{GPU}"
)
"""A card named right behind an amount of memory: "128GB and a 4080"."""
_OF_HOST = grammar(r"(?<![a-z])(?:ram|system memory|host memory)(?![a-z])|(?<!显)内存|主存")


def _role(text: str, match: re.Match[str]) -> Role:
    before, after = text[max(0, match.start() - 16) : match.start()], text[match.end() : match.end() + 16]
    label = "" if _SUFFIXED.search(before) else before
    if _HOST_BEFORE.search(label):
        return "required" if _NEEDED.search(label) else "host"
    if _VRAM_BEFORE.search(label):
        return "card"
    if _HOST_AFTER.match(after):
        return "required" if _REQUIRED_BEFORE.search(before) else "host"
    if _DISK.match(after):
        return "disk"
    if _TOTAL_BEFORE.search(before) or _TOTAL_AFTER.match(after):
        return "total"
    if _WEIGHTS_BEFORE.search(before):
        return "used"
    if _REQUIRED_BEFORE.search(before) or _REQUIRED_AFTER.match(after):
        return "required"
    beside = _BESIDE_CARD.search(before) is not None and not _NAME_AFTER.match(after)
    beside = beside or (_CARD_BESIDE.match(after) is not None and _OF_HOST.search(text) is not None)
    if beside and float(match[2]) * _UNIT[match[3][0]] >= _HOST_LEAST:
        return "host"
    if match[3].startswith("m") or float(match[2]) * _UNIT[match[3][0]] > _CARD_MOST:
        return "unclear"
    if _TAKEN_BEFORE.search(before):
        return "used"
    if _CARD_AFTER.match(after) or _ENOUGH_AFTER.match(after):
        return "card"
    if _USED_BEFORE.search(before):
        return "used"
    return "card" if _CARD_BEFORE.search(before) else "unclear"
