"""Sums as people say them, put in figures: 「十来万」, 「两万三一张」, "a couple grand", "50 cents an hour"."""

import re
from collections.abc import Callable, Iterator

from assistant.understand.numbers import HAN, ONE_OF, WORDS, number
from assistant.understand.text import Text, grammar

FEW, MANY, TEENS = 3, 8, 15
"""What 「几」 and "a few" are taken for, what 「大几」, and what 「十几」: the middle of what they may mean."""
_HALVES = {"一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_UNITS = {"百": 100, "千": 1_000, "万": 10_000}
_OF_MONEY = (
    r"(?=\s?(?:块|元|钱|左右|上下|以内|以下|的?预算|的(?:机器|主机|整机|显卡|卡|服务器|工作站)|[,。;:?!]|$|呢|吧|够|能|可以|搞|买"
    r"|配|组|装|跑|租|想|打算|准备|部署|(?:人民币|rmb|美元|美金|刀|欧|港|[一每/]\s?(?:年|个?月))))"
)
"""What may stand behind a sum."""
_COUNTED = r"(?=\s?(?:多)?(?:个|名|位|条|份|篇|张图|人|用户|员工|学生|客户|字|路|token|上下文|并发|小时|次|行))"
_VAGUE_ZH = grammar(
    r"(?:(?P<hundreds>[一二两三四五六七八九])百)?(?P<tens>[一二两三四五六七八九]?)十(?P<odd>来|几|多)(?P<u1>[百千万])(?!亿)"
    rf"|(?<![要得是卖概共第差])(?P<small>[小大]?)几(?P<ten>[十百]?)(?P<u2>[百千万])(?:{_OF_MONEY}|{_COUNTED})"
    r"|(?P<n100>[一二两三四五六七八九]?)百(?P<more>来|几|多)(?P<u5>万)"
    rf"|小\s?(?P<about>[一两二三四五六七八九十]{{1,2}})(?P<u3>[千万]){_OF_MONEY}"
    rf"|(?P<over>上)(?P<u4>[千万])(?=\s?(?:块|元))|(?P<bits>千|百)把(?=\s?(?:块|元))"
)
_COMPOUND = grammar(
    r"(?P<n>\d{1,3}|[一二两三四五六七八九十百]{1,4})\s?万(?P<k>[一二三四五六七八九1-9])(?=\s?(?:一|每|/)\s?[张块台套个])"
)
"""「两万三一张」: the last figure is thousands, not part of how many there are."""
_FROM = grammar(
    rf"(?<=预算)(?P<lead>\s?(?:大概|大约|在|是|有)?\s?)(?:\d{{1,6}}(?:\.\d)?|{HAN})\s?(?:万\d?|[千wk])?\s?(?:-|~|到|至)\s?"
    rf"(?=(?:\d{{1,6}}(?:\.\d)?|{HAN})\s?(?:万|千|w|k|块|元|[,。 ]|$))"
)
"""The lower end of what may be spent: the upper is what can be bought for."""
_THOUSANDS = grammar(
    rf"(?P<n>[一二两三四五六七八九十百]{{1,4}})万(?P<k>[一二三四五六七八九])(?![一二三四五六七八九十百千万亿\d]|{ONE_OF})"
)
"""「一万二」 where nothing is counted behind it."""
_YUAN = grammar(
    r"(?<![\d.百千万十])(?P<n>[一二两三四五六七八九1-9])块(?P<k>[一二三四五六七八九1-9])"
    r"(?=\s?(?:钱)?\s?(?:一|每|/)\s?(?:度|个?小时|时|kwh))"
)
"""「一块二一度」."""
_YEAR = grammar(r"(?<=[万千wk元块])\s?1\s?(?=年|个月|个?季度)")
_SLANG = grammar(rf"(?P<n>\d{{1,4}}|{HAN})\s?个\s?(?:w|万|达不溜)(?![a-z])")
"""「10 个 w」 is a hundred thousand."""
_DIMES = grammar(r"(?<![\d.])(?P<n>[一二两三四五六七八九1-9])\s?(?:毛|角)(?:钱)?(?=\s?(?:一|每|/|个|以|左右|多))")
_CENTS = grammar(r"(?<![\d.$a-z])(?P<n>\d{1,2}(?:\.\d)?)\s?(?:us )?(?:cents?(?![a-z])|¢)")
_SOLD_IN = (
    r"(?P<money>\s?(?:us ?)?(?:dollars?|bucks|usd|euros?|eur|pounds|quid|gbp|yuan|rmb|cny|aud|cad|sgd|hkd)(?![a-z]))"
)
_WORD = "|".join(
    sorted((word for word in WORDS if word.isascii() and word not in {"a", "an", "both"}), key=len, reverse=True)
)
_VAGUE_EN = grammar(
    rf"(?<![a-z$€£])(?P<n>(?:a |about a )?couple(?: of)?|a few|several|half a|a|{_WORD}|(?<![\d.,])\d{{1,3}}(?:\.\d)?)"
    rf"\s(?P<scale>grand|thousand|hundred|million)(?![a-z]){_SOLD_IN}?(?P<to>(?=\s?(?:to spend|budget"
    r"|for (?:a|the|my|one)|on (?:a|the|gpus?|hardware|one)|a (?:month|year)|per (?:month|year)|max)))?"
)
_SCALES = {"grand": 1_000, "thousand": 1_000, "hundred": 100, "million": 1_000_000}
_UNSURE = {"a few": FEW, "several": FEW, "couple": 2, "a couple": 2, "couple of": 2, "a couple of": 2}


def in_figures(text: Text) -> Text:
    """The text with each such sum in figures; offsets still lead to what was written."""
    pieces: list[tuple[int, int, str]] = []
    for start, end, words, _ in sorted(_found(text.plain), key=lambda one: (one[0], -one[1])):
        if not pieces or start >= pieces[-1][1]:
            pieces.append((start, end, words))
    return text.replaced(pieces)


def vague(original: str) -> str:
    """The words of a sum that leave open how much it is, as they were written; empty where none do."""
    text = Text.of(original)
    found = next(((start, end) for start, end, _, open_ in sorted(_found(text.plain)) if open_), None)
    return text.span("budget", *found).text.strip() if found else ""


def _found(plain: str) -> Iterator[tuple[int, int, str, bool]]:
    """Where a sum is said, what it is in figures, and whether it is vague."""
    for rule, read in _RULES:
        for match in rule.finditer(plain):
            if (said := read(match)) is not None:
                yield match.start(), match.end(), *said


def _chinese(match: re.Match[str]) -> tuple[str, bool]:
    if match["odd"]:
        tens = _HALVES.get(match["tens"], 1) + 10 * _HALVES.get(match["hundreds"], 0)
        value = TEENS if match["odd"] == "几" and tens == 1 else 10 * tens + (5 if match["odd"] == "几" else 0)
        return f"{value}{match['u1']}", True
    if match["u5"]:
        return f"{100 * _HALVES.get(match['n100'], 1) + (50 if match['more'] == '几' else 0)}万", True
    if match["u2"]:
        value = {"小": FEW, "大": MANY}.get(match["small"], FEW) * {"十": 10, "百": 100}.get(match["ten"], 1)
        return f"{value}{match['u2']}", True
    if match["u3"]:
        return f"{int(number(match['about']) or 0)}{match['u3']}", True
    return f"1{match['u4'] or match['bits']}", True


def _compound(match: re.Match[str]) -> tuple[str, bool] | None:
    whole, rest = number(match["n"]), number(match["k"])
    return (f"{int(whole)}.{int(rest)}万", False) if whole and rest else None


def _yuan(match: re.Match[str]) -> tuple[str, bool]:
    return f"{int(number(match['n']) or 0)}.{int(number(match['k']) or 0)}元", False


def _slang(match: re.Match[str]) -> tuple[str, bool] | None:
    value = number(match["n"])
    return (f"{int(value)}万", False) if value else None


def _dimes(match: re.Match[str]) -> tuple[str, bool]:
    return f"0.{int(number(match['n']) or 0)}元", False


def _cents(match: re.Match[str]) -> tuple[str, bool]:
    return f"${float(match['n']) / 100:g}", False


def _english(match: re.Match[str]) -> tuple[str, bool] | None:
    said, money = match["n"].removeprefix("about "), match["money"]
    if money is None and match["to"] is None and match["scale"] != "grand":
        return None  # a few thousand documents
    many = _UNSURE.get(said) or {"half a": 0.5, "a": 1.0}.get(said) or number(said) or _plain(said)
    if not many:
        return None
    amount = f"{many * _SCALES[match['scale']]:g}" if many * _SCALES[match["scale"]] < 1e6 else f"{many:g} million"
    return (f"{amount}{money}" if money else f"${amount}"), said in _UNSURE


def _plain(figure: str) -> float | None:
    return float(figure) if re.fullmatch(r"\d{1,3}(?:\.\d)?", figure) else None


_RULES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], tuple[str, bool] | None]], ...] = (
    (_VAGUE_ZH, _chinese),
    (_COMPOUND, _compound),
    (_THOUSANDS, _compound),
    (_YUAN, _yuan),
    (_FROM, lambda match: (match["lead"], False)),
    (_YEAR, lambda _: ("一", False)),
    (_SLANG, _slang),
    (_DIMES, _dimes),
    (_CENTS, _cents),
    (_VAGUE_EN, _english),
)
