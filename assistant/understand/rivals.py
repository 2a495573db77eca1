"""Makers without a card: "AMD or Intel instead of NVIDIA?", 「昇腾和寒武纪哪个能替代 A100」 mean a card of each."""

import math
from collections.abc import Sequence

from assistant.understand.named import NamedGpu
from assistant.understand.text import grammar
from kb.catalog import gpus
from kb.records.gpu import Gpu
from tools.configure.market.suitable import MADE_IN_CHINA

HOME, RACK, CHINESE = "rtx-5090-32gb", "h200-sxm-141gb", "h20-96gb"
"""The cards that those of other makers are held against where none is named: at home, in a server, from China."""
MAKERS_MAX = 5
OTHERS_MAX = 3
"""Other cards of the maker that are told to be meant perhaps."""
_OF_PROCESSORS = (
    r"(?! ?(?:epyc|ryzen|cpus?(?![a-z])|threadripper|xeon|core|platform|processors?|平台|主板|处理器|i\d|\d{3,5}x))"
)
_MAKERS = {
    "AMD": rf"(?<![a-z])(?:amd|radeon|instinct)(?![a-z]){_OF_PROCESSORS}|农企|(?<![a-z])a ?卡",
    "Intel": rf"(?<![a-z])(?:intel|arc)(?![a-z]){_OF_PROCESSORS}|英特尔{_OF_PROCESSORS}|(?<![a-z])i ?卡",
    "NVIDIA": r"(?<![a-z])(?:nvidia|geforce)(?![a-z])(?![- ]?(?:smi|driver|docker|container|nim|modelopt))"
    r"|英伟达|老黄|(?<![a-z])n ?卡",
    "Huawei": r"昇腾|华为|(?<![a-z])(?:ascend|huawei)(?![a-z])",
    "Cambricon": r"寒武纪|思元|(?<![a-z])(?:cambricon|mlu)(?![a-z])",
    "Hygon": r"海光(?! ?(?:cpu|处理器|\d))|(?<![a-z])(?:hygon|dcu)(?![a-z])",
    "MetaX": r"沐曦|曦云|(?<![a-z])metax(?![a-z])",
    "Moore Threads": r"摩尔线程|(?<![a-z])(?:moore ?threads|mthreads|mtt)(?![a-z])",
    "Iluvatar": r"天数(?:智芯)?(?!据)|(?<![a-z])iluvatar(?![a-z])",
    "Kunlunxin": r"昆仑芯|(?<![a-z])kunlun(?:xin)?(?![a-z])",
    "Biren": r"壁仞|(?<![a-z])biren(?![a-z])",
    "Enflame": r"燧原|(?<![a-z])enflame(?![a-z])",
    "T-Head": r"平头哥|真武",
}
_RULES = {name: grammar(rule) for name, rule in _MAKERS.items()}
_WEIGHED = grammar(
    r"哪|选|替代|代替|取代|替换|平替|对比|比较|区别|差|还是|好用?(?:吗|不)|怎么样|行吗|靠谱|强|(?<![a-z])(?:vs\.?|versus|or|instead|alternatives?"
    r"|compar(?:e[ds]?|ing|isons?)|better|good|best|replac\w*|switch\w*|against|than|viable|worth)(?![a-z])"
)
_SERVED = grammar(
    r"机房|数据中心|服务器|集群|企业|生产|训练|预训|(?<![a-z])(?:data ?cent(?:er|re)s?|servers?|cluster|enterprise"
    r"|production|instinct|gaudi|train\w*|rack)(?![a-z])"
)
_OTHER_MATTER = grammar(
    r"驱动|报错|安装|编译|(?<![a-z])(?:drivers?|install|compile|error|rocm version|cuda version)(?![a-z])"
)
_SOLD = {"available", "export_variant"}
_NO_SINGLE = ("ascend-910c-128gb", "mi300a-128gb")
"""Sold as parts of racks or supercomputers only."""
_A_YEAR = 0.3
"""Distance of every year by which a card is older than the one that it is held against."""
_UNKNOWN = 2.0
"""Distance of a figure nobody published: as far as one seven times as large."""


def distance(one: Gpu, other: Gpu) -> float:
    """How far apart two cards are in what decides their use, each figure by its ratio."""
    pairs = (
        (one.memory_bytes, other.memory_bytes), (one.bandwidth_bytes_per_s, other.bandwidth_bytes_per_s),
        (one.bf16_flops or one.fp16_flops, other.bf16_flops or other.fp16_flops),
    )  # fmt: skip
    return sum(abs(math.log(mine / theirs)) if mine and theirs else _UNKNOWN for mine, theirs in pairs)


def _makers(plain: str) -> dict[str, tuple[int, int]]:
    """The makers named, in the order they are named, and where."""
    found = {name: match.span() for name, rule in _RULES.items() if (match := rule.search(plain))}
    return dict(sorted(found.items(), key=lambda pair: pair[1]))


def rivals(plain: str, named: Sequence[NamedGpu]) -> tuple[NamedGpu, ...]:
    """A card of each maker that is weighed without one, the one assumed first; none where makers are not weighed.

    `plain`: the text whose names of cards are masked.
    """
    if not _WEIGHED.search(plain) or _OTHER_MATTER.search(plain):
        return ()
    cards = {gpus()[gpu.gpu].vendor for gpu in named if gpu.gpu in gpus()}
    without = {name: place for name, place in _makers(plain).items() if name not in cards}
    if not without or len(cards | without.keys()) < 2 or len(cards) > 1:
        return ()
    anchor = gpus()[named[0].gpu] if cards else gpus()[_anchor(plain, tuple(without))]
    found = []
    for name, (start, end) in list(without.items())[:MAKERS_MAX]:
        if ids := of_maker(name, anchor):
            found.append(NamedGpu(ids[0], ids, start, end, None, start, end, maker=True))
    return tuple(found) if len(found) + bool(cards) > 1 else ()


def _anchor(plain: str, names: tuple[str, ...]) -> str:
    if set(MADE_IN_CHINA) & set(names):
        return CHINESE
    return RACK if _SERVED.search(plain) else HOME


def names_maker(words: str) -> bool:
    """Whether the words are a maker's name, not a card's."""
    return any(rule.fullmatch(words.lower()) for rule in _RULES.values())


def of_maker(name: str, anchor: Gpu) -> tuple[str, ...]:
    """The cards of the maker that stand nearest to the one they are held against, nearest first."""
    desk = anchor.market in ("consumer", "workstation")
    places = {"consumer", "workstation"} if desk else {"data_center"}
    rows = [one for one in gpus().values() if one.vendor == name and one.status in _SOLD and one.id not in _NO_SINGLE]
    placed = [one for one in rows if one.market in places] or [one for one in rows if one.market == "data_center"]
    near = sorted(placed, key=lambda one: (distance(one, anchor) + _aged(one, anchor), one.id))
    return tuple(one.id for one in near[: 1 + OTHERS_MAX])


def _aged(one: Gpu, anchor: Gpu) -> float:
    return _A_YEAR * max(0, (anchor.year or 0) - (one.year or 0)) if one.year else 0.0
