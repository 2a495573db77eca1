"""One card in two numbers: 「1 张 4090 和 2 张 4090 差多少」, "one 3090 vs two 3090s", "4 vs 8 H100"."""

import re

from assistant.understand.named import NamedGpu
from assistant.understand.numbers import HAN, WORDS, count
from assistant.understand.quantities import GPU
from assistant.understand.text import grammar
from tools.need import GpuCount

MOST = 1024
"""A larger number beside a card counts something else."""
_WORD = "|".join(
    sorted((w for w in WORDS if w not in {"a", "an", "both", "hundred", "thousand"}), key=len, reverse=True)
)
_N = (
    rf"(?:(?<![\d.a-z])\d{{1,4}}(?![\d.])|(?<![百千万亿一二三四五六七八九十零]){HAN}|单|双"
    rf"|(?<![a-z])(?:{_WORD})(?![a-z]))"
)
_UNIT = r"(?:张|块|片|卡|路|cards?(?![a-z])|gpus?(?![a-z])|[x×*])"
_NAME = rf"(?:(?:nvidia |nvlinked |used |的|显卡)?{GPU}{{1,60}}s?(?:\s?\d{{2,3}}\s?gb?)?(?:\s?显卡|\s?卡)?)"
_AGAINST = (
    r"(?:vs\.?|versus|against|compared (?:to|with)|对比|相?比(?:起)?|还是|或者?|还有|和|与|跟|、|/|,? or|and|to|到"
    r"|换(?:成|到)?|扩到|加到"
    r"|(?:is |are |be |run |go )?(?:much |a lot |any |really |noticeably |significantly |twice )?"
    r"(?:faster|better|slower|worse|quicker)(?: at \w+)? than|than|instead of|rather than)"
)
_SET = rf"({_N})\s?(?:{_UNIT}\s?)?(?:{_NAME})?"
_PAIR = grammar(
    rf"{_SET}(?:\s?(?:上|的|装|配|得|机器))?\s?,?\s?{_AGAINST}\s?(?:a |an |the |just |only |用|上)?\s?{_SET}"
)
_TIMES = grammar(
    rf"{GPU}{{1,60}}s?\s?[x×*]\s?(\d{{1,4}})\s?{_AGAINST}\s?(?:{GPU}{{1,60}}s?\s?)?[x×*]?\s?(\d{{1,4}})(?![\d.a-z])"
)
"""The number behind the name: "H100 x4 vs x8"."""
_MACHINES = grammar(
    rf"({_N})\s?台\s?({_N})\s?卡(?:机|的)?\s?{_NAME}?(?:服务器|机器)?\s?,?\s?{_AGAINST}\s?({_N})\s?台(?:\s?({_N})\s?卡)?"
)
"""Machines of so many cards: 「1 台 8 卡 H100 和 2 台」."""
_UNITED = re.compile(rf"{_UNIT}|{GPU}|单|双|single|dual|quad")
_WEIGHED = grammar(
    r"差|区别|对比|比较|哪个|哪种|更|快|慢|吞吐|分别|各|提升|扩展|加速|值不?值|划算|选|够|行吗|能跑|还是|vs|versus|differ|faster"
    r"|slower|better"
    r"|有用|有必要|compar|which|gain|scal|speed ?up|worth|than| or |enough|should|throughput|time|help|benefit"
    r"|going from"
)
"""Words that weigh one number against the other; without them both may be in hand."""
_HOLDING = grammar(r"(?:另一?台|其中一?台|another (?:machine|box|server|node)|一台.{1,30}另|(?<![a-z])the other)")
"""Machines told one by one, which are not weighed against each other."""


def of_one_card(text: str, named: tuple[NamedGpu, ...]) -> tuple[GpuCount, ...]:
    """The numbers of the one card named that are held against each other, the fewest first; none where it is not so.

    `text` is the masked text.
    """
    kinds = {gpu.gpu for gpu in named}
    if len(kinds) != 1 or not _WEIGHED.search(text) or _HOLDING.search(text):
        return ()
    card = next(iter(kinds))
    if (whole := _MACHINES.search(text)) and (both := _in_machines(whole)):
        return tuple(GpuCount(gpu=card, count=number) for number in both)
    for match in (*_PAIR.finditer(text), *_TIMES.finditer(text)):
        if match.re is _PAIR and not _UNITED.search(match[0]):
            continue
        said = {found for token in match.groups() if (found := _read(token)) and found <= MOST}
        if len(said) == 2 and _of_cards(text, match):
            return tuple(GpuCount(gpu=card, count=number) for number in sorted(said))
    return ()


def _in_machines(match: re.Match[str]) -> list[int]:
    """All cards of each number of machines."""
    first, each, second, other = map(_read, match.groups())
    if not (first and each and second):
        return []
    both = {first * each, second * (other or each)}
    return sorted(both) if len(both) == 2 else []


def _of_cards(text: str, match: re.Match[str]) -> bool:
    """Whether both numbers count cards, not machines, users or bits behind the second."""
    return not re.match(
        r"\s?(?:台|个?节点|个?用户|人|路?并发|bits?|nodes?|servers?|machines?|users?|[bkgmw%](?![a-z])|gb|万|元|块钱|月|天|年|小时|hours?"
        r"|months?|years?|weeks?|bit|位|步|epochs?|requests?)",
        text[match.end() :],
    )


def _read(token: str | None) -> int | None:
    if not token:
        return None
    return {"单": 1, "双": 2}.get(token) or count(token)
