"""How many cards: 8卡, 双卡, 两张, 4*A100, A100×8, two 3090s, a pair of, 2台8卡, two servers with 8 each."""

import re
from dataclasses import dataclass

from assistant.understand.numbers import HAN, WORDS, count
from assistant.understand.text import grammar

GPU = "\ue000"
"""Mark that stands for every character of a GPU's name in the masked text."""
MODEL = "\ue001"
"""Mark for a model's name."""
_WORD = "|".join(sorted((w for w in WORDS if w not in {"both", "hundred", "thousand"}), key=len, reverse=True))
_N = rf"(?:(?<![\d.a-z])\d{{1,6}}(?!\d)|(?![百千万亿]){HAN}|单|双|几|多|(?<![a-z])(?!a ?[卡家])(?:{_WORD})(?![a-z]))"
_UNIT = r"(?:张|块|片|个|卡|颗|枚|路|장|대|개|pcs|pieces|cards?|gpus?|[x×*])"
_FILL = (
    r"(?:\s|的|of|nvidia|tesla|geforce|rtx|quadro|amd|radeon|intel|huawei|华为|昇腾|ascend|英伟达|used"
    r"|new|old|older|ag(?:e)?ing|spare|refurb(?:ished)?|identical|ex-?mining|second-?hand|modded|my|二手|全新|改版|魔改|改装|涡轮|公版"
    r"|洋垃圾|满血|显卡|卡|gpus?|cards?|(?:local|same|rented|租的)|\d{1,3}\s?gi?b?|sxm\d?|pcie|[-()*x×]){0,8}"
)
_BEFORE = grammar(rf"(?:((?<![\d.])\d{{1,3}}|{HAN})\s?(?:-|~|到|至|or|或)\s?)?({_N})\s?({_UNIT})?{_FILL}$")
_AFTER = grammar(
    rf"^s?(?:的|を|が|は|、|을|를|가)?\s?(?:[(]?\s?(?:nvlink|pcie|sxm\d?|\d{{1,3}}\s?gi?b?|vram|显存"
    rf"|each)[,\s]?){{0,3}}[)]?\s?"
    rf"(?:[x×*]\s?(\d{{1,5}})(?![a-z0-9.]|\s?die)|(\d{{1,4}})\s?[x×*]\s?(?=\d{{2,3}}\s?gi?b?(?![a-z]))|({_N})\s?(?:张|块(?!钱|\s?(?:一|每|/)\s?[张块台个])|片|卡|颗|路|台|枚|장|대|개|cards?|gpus?)(?![a-z])"
    r"(?!\s?(?:\d{3,4}p\s?)?[^\s,。]{0,6}?(?:图|照|扫描|海报|截图)))"
)
_TIMES = grammar(r"\s?[x×*]\s?([2-9]|\d{2})(?![0-9a-z.]|\s?die)")
"""Machines after the cards in each: "910B*8*2"."""
_NODES = grammar(
    rf"({_N})\s?(?:x\s?)?(?:台|节点|个节点|机(?!器学)|nodes?|servers?|machines?|boxes|hosts?|pcs?(?![a-z])|computers?|workstations?|台服务器"
    rf"|台机器)(?![a-z]|多)"
)
_PER_NODE = grammar(
    rf"(?:每台|每个?节点|每机|单台|台|节点|each|per node|per server|机|apiece|nodes?|servers?|machines?"
    rf"|pcs?|computers?|workstations?|boxes)(?:上|都|里|有|是|with|of|having|w/|[\s,:(x×*]){{0,4}}({_N})\s?(?:张|块|片|卡|x|×|gpus?"
    rf"|cards?|\*|{GPU}|each)"
    rf"|({_N})\s?(?:张|块|卡|gpus?|cards?|{GPU}{{1,60}}s?)?\s?(?:each|apiece|per (?:node|server|machine|box|pc)|每台)"
)
_NODES_OF = grammar(
    rf"({_N})\s?(?:[x×]\s)?(?=\d{{1,2}}\s?(?:[x×*-]|gpus?|cards?|卡|\s)+\s?{GPU}{{1,60}}"
    r"(?:\s?\d{2,3}\s?gb?)?\s?(?:nodes|servers|machines|boxes|hosts)(?![a-z]))"
)
"""Machines before the cards of each: "two 8×H800 nodes"."""
_HOURS = grammar(r"s?[- ]?(?:gpu )?(?:hours?|hrs?|小时|卡时)")
_FREE = grammar(
    rf"(?:(\d{{1,3}}|{HAN})\s?(?:-|~|到|至|or|或)\s?)?({_N})\s?(张|块|片|颗|卡|cards?(?![a-z])"
    rf"|gpus?(?![a-z]|[- ]?(?:hours?|hrs?)(?![a-z]))"
    r"|of (?:them|these|those)|(?:local )?gpus(?![a-z]))(?!\s?(?:时|要|张要))"
    r"(?<!块(?=\s?钱))(?!\s?(?:一|每|/)\s?(?:度|kwh|千瓦时|个?小时|个?月|天|年|h(?![a-z])))"
)
_TOTAL = grammar(
    rf"(?:共|一共|总共|合计|total of|altogether|in total)\s?({_N})\s?(?:张|块|片|卡|颗|gpus?|cards?)"
    rf"|({_N})\s?(?:gpus?|cards?|卡|张)\s?(?:in total|total|altogether|一共)"
)
_LISTED_MOST = 4096
"""A larger bare number before a name is a length or a port, not a number of cards."""
_PICTURES = grammar(r"\s?(?:\d{3,4}p\s?)?[^\s,。]{0,6}?(?:图|照|扫描|海报|截图)")
"""What makes sheets of paper and pictures of what 「张」 counts."""
_SHEETS = grammar(
    r"(?:图片?|图像|照片|相片|截图|海报|扫描件|样本|素材|数据集?)(?:大概|大约|共|总共|一共|约|有|就|才|只有|只|差不多){0,2}\s?$"
)
"""What is counted before its number: 「图片1000张」."""
_QUESTION = grammar(r"^(?:几|多少)$")


@dataclass(frozen=True, slots=True)
class Count:
    """A number of cards, where it was said."""

    cards: int
    start: int
    end: int
    explicit: bool = False
    """Whether "each" is said."""


def count_of(text: str, start: int, end: int) -> Count | None:
    """The count beside the GPU at [start, end) of the masked text: "4 张 3090", "A100×8", "two used 3090s"."""
    window = text[max(0, start - 40) : start]
    if _HOURS.match(text, end):
        return None
    match = _BEFORE.search(window)
    if match and (found := _read(match[2], match[1])) and _is_count(match, window):
        return Count(found, start - len(window) + match.start(), start)
    after = _AFTER.match(text[end : end + 40])
    if after and (found := _read(after[1] or after[2] or after[3], None)):
        machines = _TIMES.match(text, end + after.end()) if after[1] else None
        return Count(found * (int(machines[1]) if machines else 1), end, end + after.end())
    return None


IN_A_MACHINE = 64
"""Most cards of one machine; a larger number before "each" is a card's name."""


def nodes(text: str) -> Count | None:
    """How many machines, when that is said and each has its own cards."""
    read = ((match, _read(match[1], None)) for match in (*_NODES.finditer(text), *_NODES_OF.finditer(text)))
    said = [Count(found, match.start(), match.end()) for match, found in read if found]
    # 「单机八卡，两机」: what one machine is like comes before how many there are.
    return next((one for one in said if text[one.start] != "单"), said[0] if said else None)


def per_node(text: str) -> Count | None:
    """Cards in each machine."""
    read = ((match, _read(match[1] or match[2], None)) for match in _PER_NODE.finditer(text))
    match, found = next(((match, cards) for match, cards in read if cards and cards <= IN_A_MACHINE), (None, None))
    if match is None or found is None:
        return None
    each = bool(match[2]) or match[0].startswith(("每", "each", "per", "单"))
    return Count(found, match.start(), match.end(), explicit=each)


def total(text: str) -> Count | None:
    """Cards altogether: 「两台共四张」."""
    match = _TOTAL.search(text)
    found = _read(match[1] or match[2], None) if match else None
    return Count(found, match.start(), match.end()) if match and found else None


def free_counts(text: str) -> list[Count]:
    """Counts with a unit word but no name beside them: 「双卡 124s/it」, "4 or 8 of them"; of a range, the first."""
    found = []
    for match in _FREE.finditer(text):
        first = _read(match[1], None) if match[1] else None
        value = first or _read(match[2], None)
        pictured = _PICTURES.match(text, match.end()) or _SHEETS.search(text[: match.start()])
        cards = value is not None and value <= _LISTED_MOST and not pictured
        if value and cards and not _asks(text, match.start()):
            found.append(Count(value, match.start(), match.end()))
    return found


def _is_count(match: re.Match[str], window: str) -> bool:
    """A bare number before a name counts only where nothing else claims it ("batch 4 4090" does not)."""
    if match[2].isdigit() and int(match[2]) > _LISTED_MOST and not match[3]:
        return False
    if match[1] or match[3] or not match[2].isdigit():
        return True
    return (
        not window[: match.start(2)]
        .rstrip()
        .endswith(("cuda", "zero", "stage", "batch", "tp", "=", ".", "-", "版本", "top"))
    )


def _asks(text: str, start: int) -> bool:
    """「为啥要 8 张」 names a requirement, not a possession."""
    before = text[max(0, start - 6) : start].rstrip()
    return before.endswith(("要", "需要", "得", "need", "needs", "require", "requires", "how many"))


def _read(token: str | None, first: str | None) -> int | None:
    if not token or _QUESTION.match(token):
        return None
    if token in {"单", "双", "多"}:
        return {"单": 1, "双": 2, "多": 2}[token]
    return count(token)
