"""Money: an amount to spend, in which currency, to buy or to rent, and for how long."""

import re
from dataclasses import dataclass
from typing import Literal

from assistant.understand.numbers import DIGITS, HAN, SCALE, WAN, scaled
from assistant.understand.text import Found, grammar
from tools.need import Budget

Period = Literal["hour", "month", "year"]
SYMBOLS = {
    "us$": "USD", "$": "USD", "usd": "USD", "dollars": "USD", "dollar": "USD", "bucks": "USD", "美元": "USD",
    "美金": "USD", "刀": "USD", "hk$": "HKD", "hkd": "HKD", "港币": "HKD", "港元": "HKD", "€": "EUR", "eur": "EUR",
    "euro": "EUR", "euros": "EUR", "欧元": "EUR", "欧": "EUR", "£": "GBP", "gbp": "GBP", "pounds": "GBP",
    "quid": "GBP", "英镑": "GBP", "¥": "CNY", "rmb": "CNY", "cny": "CNY", "yuan": "CNY", "人民币": "CNY", "元": "CNY",
    "块钱": "CNY", "块": "CNY", "大洋": "CNY", "円": "JPY", "日元": "JPY", "jpy": "JPY", "yen": "JPY", "a$": "AUD",
    "aud": "AUD", "澳元": "AUD", "c$": "CAD", "ca$": "CAD", "cad": "CAD", "加元": "CAD", "s$": "SGD", "sgd": "SGD",
    "新币": "SGD", "nt$": "TWD", "ntd": "TWD", "twd": "TWD", "台币": "TWD", "新台币": "TWD", "₹": "INR", "inr": "INR",
    "rs": "INR", "rupees": "INR", "卢比": "INR", "₩": "KRW", "krw": "KRW", "won": "KRW", "韩元": "KRW", "r$": "BRL",
    "원": "KRW", "brl": "BRL", "reais": "BRL", "chf": "CHF", "₽": "RUB", "rub": "RUB",
}  # fmt: skip
BEFORE_SYMBOL = (
    r"us\$|hk\$|nt\$|ca\$|[acsr]\$|\$|€|£|¥|₹|₩|₽|(?:rmb|usd|eur|gbp|cny|hkd|jpy|inr|aud|cad|sgd|chf)(?=\s?\d)"
)
AFTER_SYMBOL = (
    r"원|人民币|美元|美金|刀|港币|港元|欧元|欧|英镑|日元|円|块钱|新台币|台币|澳元|加元|新币|韩元|卢比|大洋"
    r"|元|块(?!\s?(?:a|h|v|rtx|卡|显卡|gpu|[0-9]))"
    r"|(?:rmb|usd|eur|euros?|gbp|pounds|quid|cny|yuan|hkd|jpy|yen|dollars?|bucks|aud|cad|sgd|ntd|twd"
    r"|inr|rupees|krw|won|brl|reais|chf|rub)(?![a-z])|[$€£¥₹₩₽]"
)
_N = rf"(?:{DIGITS}|{HAN})"
_MONEY = grammar(
    rf"(?P<before>{BEFORE_SYMBOL})\s?(?P<n1>{DIGITS})\s?(?P<s1>{SCALE})?(?:\s?(?:-|~|to"
    rf"|到)\s?(?:{BEFORE_SYMBOL})?\s?(?P<n1b>{DIGITS})\s?(?P<s1b>{SCALE})?)?"
    rf"|(?<![a-z0-9.])(?:(?P<n2a>{_N})\s?(?:-|~|to|到"
    rf"|至)\s?)?(?P<n2>{_N})\s?(?P<s2>{SCALE})?多?\s?(?P<after>{AFTER_SYMBOL})"
)
_BARE = grammar(
    rf"(?:预算(?:就|又|再|被)?(?:每个?月|每年|一个月|一年|一个季度)?(?:大概|大约|只有|有|是|为|在|约|控制在|不(?:要|能)?超过?|别超过?|最多|上限|不到|低于|小于|少于|顶多|撑死|封顶|差不多|大致|总共|一共|:"
    rf"|(?:改|换|变|降|提|加|调|涨|减|砍|压|升|缩)(?:高|低|少)?(?:成|为|到|至)){{0,4}}"
    rf"|budget(?: is| of|:| now| just| got| was| goes| went| cut| raised| reduced| down| up| to){{0,4}}"
    rf"(?: about| around| roughly| ~)?|经费|拨款|资金|专项(?:款|资金)?|grant(?: is| of|:)?"
    rf"|(?:under|below|less than|up to|max(?:imum)?|不超过"
    rf"|最多花|花|within)\s?)\s?:?\s?(?:约|大概)?\s?"
    rf"(?P<n>{_N})\s?(?P<s>{SCALE})?(?![a-z0-9]|\s?(?:张|块|卡|gb|g\b|w\b|瓦|小时|天|人|用户|tokens?|个"
    rf"|b\b|ms|s\b|%|%|users|hours|days|minutes|seconds|watts|cards|gpus))"
    rf"|(?<![a-z0-9.])(?P<n3>{_N})\s?(?P<s3>万\s?\d千?|万|千|w(?![a-z0-9])|k(?![a-z0-9]))?\s?(?:块|元)?(?:以内|以下|左右"
    rf"|上下|多)?(?:\s?(?:一|每|/)\s?(?:年|个?月|个?季度))?的?\s?(?:预算|budget|经费)"
    rf"|(?:有|手[上里头]|拨了?|批了?|(?:老板|领导|学校|公司|单位|导师|院里|部门)给了?(?:我们?)?|准备|打算花|能花|出得起)\s?(?:大概|大约|约|差不多)?\s?(?P<n5>{_N})\s?"
    rf"(?P<s5>万\s?\d千?|万|千|w(?![a-z0-9]))"
    rf"(?!\s?\d|\s?(?:多|来)?(?:条|个|人|名|位|用户|token|参数|张|字|次|篇|步|份|行|轮|的?数据|qps|并发|员工|学生))"
    rf"|^\s?(?P<n6>{_N})\s?(?P<s6>万)(?=\s?[,:])"
    rf"|(?:实验室|课题组|公司|学校|学院|工作室|单位|团队|部门)\s?(?:这边|今年|手里|总共|一共|就|只)?\s?"
    rf"(?P<n7>{_N})\s?(?P<s7>万)(?=\s?[,;:])"
    rf"|(?<![a-z0-9.])(?P<n4>{_N})\s?(?P<s4>万\s?\d千?|万|千)\s?(?:以内|以下|左右)(?!的?(?:条|人|用户|token|参数))"
    r"|(?<![a-z0-9.])(?P<n8>\d{1,4})\s?(?P<s8>w|k)\s?(?:以内|以下)(?=[^。?!\n]{0,10}?(?:买|配|搞|组|装|整|入手|采购|机器|服务器"
    r"|整机|主机|显卡))"
    rf"|(?<![a-z0-9.])(?P<n10>{_N})\s?(?P<s10>万\s?\d千?|万|千)(?=\s?(?:能不能|可不可以|够不够|能|可以|够|想|打算|准备|该|应该|怎么){{0,2}}"
    r"(?:配|买|组|攒|装机|入手|整|搞)(?:[一台张套个]|什么|啥|到|得|哪|怎))"
    rf"|(?<![a-z0-9.])(?P<n11>{_N})\s?(?P<s11>{WAN})?\s?(?:块|元)?\s?(?:一|每|/)\s?(?:年|个?月)"
    r"(?=\s?(?:能|可以|想|打算|准备|最多)?(?:租|上云)|[^。?!\n]{0,24}够(?:吗|么|不够))"
    rf"|(?<![a-z0-9.])(?P<n12>{_N})\s?(?P<s12>万)(?=\s?(?:能|可以|够)(?:不能|不够)?跑)"
    r"|(?:^|[,。;:、 ])(?P<n9>[1-9]\d{1,3}00)\s?(?:以内|以下)(?=$|[,。;?!]|的?(?:显卡|卡|机器|主机|整机|价位))"
)
_FIGURES = ("n", "n3", "n4", "n5", "n6", "n7", "n8", "n9", "n10", "n11", "n12")
_SCALES = ("s", "s3", "s4", "s5", "s6", "s7", "s8", "s10", "s11", "s12")
_NO_BUDGET = grammar(r"(?:功耗|tdp|供电|电源|瓦|上下文|长度|序列|context|ctx|token|输入|输出|延迟)[^,。;]{0,4}$")
_PER_UNIT = grammar(
    rf"(?<![a-z0-9.])(?P<n>{DIGITS}|[一二两三四五六七八九十百]{{1,4}})\s?(?P<s>{WAN})\s?(?:多|来|左右)?(?:一|/|每)\s?(?:台|张|块|套|卡)"
    rf"|(?:一|每)(?:台|张|块|套)\s?(?:要|卖|才|只要|大概|约)?\s?(?P<n2>{DIGITS}|[一二两三四五六七八九十百]{{1,4}})\s?(?P<s2>{WAN})(?!\s?(?:人"
    rf"|token|条|用户))"
    rf"|(?:报价?|开价|要价|标价|售价|整机|总价|卖|收)\s?(?:给?我们?|是|为|要|了|:|大概|约){{0,3}}\s?"
    rf"(?P<n3>{DIGITS}|[一二两三四五六七八九十百]{{1,4}})\s?(?P<s3>{WAN})(?!\s?(?:人|个?token|条|用户|张|台|次|美|欧|刀|块|元))"
)
"""What one thing costs, its currency unsaid: 「12 万一张」, 「一台 90 万」, 「整机报 210 万」."""
_RENT = grammar(
    r"租|rent(?:al|ing)?|cloud|云|(?:an|per|a|/)\s?(?:hour|hr|h(?![a-z]))|hourly|每小时|/小时|/时"
    r"|一小时|每月|/月|(?:per|a|/)\s?(?:month|mo(?![a-z]))|monthly|包月|on[- ]demand|spot|月租|autodl"
    r"|runpod|lambda"
)
_BUY = grammar(
    r"买|购|配(?:一台|台|个|机|置)|组装|攒|装机|入手|采购|예산|구매|추천|予算|購入|buy|purchas|build|own|laptop|card|workstation"
    r"|预算|budget|显卡|整机|under|below|sponsor"
)
_PURCHASE = grammar(
    r"买|购|配(?:一台|台|个|机|置)|组装|攒|装机|入手|采购|buy|purchas|build|(?<![a-z])own|laptop|workstation|显卡|整机|card|sponsor"
)
"""Words of buying beside those that only speak of a budget: "budget 5k, or should we rent?" leaves both open."""
_PERIODS: tuple[tuple[Period, str], ...] = (
    ("hour", r"\s?(?:/|per|an|a|every|每|一)?\s?(?:(?:gpu|card)[- ]?)?(?:hour|hr|h(?![a-z])|小时|时(?!间))"),
    ("month", r"\s?(?:/|per|a|every|each|每|一)?\s?个?(?:month|mo(?![a-z])|月)"),
    ("year", r"\s?(?:/|per|a|every|each|每|一)?\s?(?:year|yr|annum|年)"),
)
_AFTER_PERIOD = tuple((period, grammar(words)) for period, words in _PERIODS)
_BEFORE_PERIOD: tuple[tuple[Period, re.Pattern[str]], ...] = (
    ("hour", grammar(r"(?:每小时|hourly|一小时|per hour)\D{0,8}$")),
    ("month", grammar(r"(?:每个?月|月租|包月|monthly|月预算|一个月|per month)\D{0,8}$")),
    ("year", grammar(r"(?:每年|年预算|yearly|annual(?:ly)?|一年)\D{0,8}$")),
)
_PRICE = grammar(
    r"(?:costs?|costing|priced?(?: at)?|卖|售价|价格|报价|标价|挂|只要|sells? (?:for|at)|listed at"
    r"|going for|offered|seen at|charges?|收费|(?<![a-z])(?:was|is)|they want|asking)\s?(?:me |about |around |you )?$"
)
_EACH = grammar(
    r"\s?(?:/|per |a |每|一)?\s?(?:kwh|度|千瓦时)|\s?(?:each|apiece|a piece|per (?:card|gpu)|一张|每张|/张|一块"
    r"|used)(?![a-z])"
)
_SPEND = grammar(
    r"预算|budget|以内|以下|不超过|最多|under|below|less than|up to|max|have|only|afford|spend|within|<"
    r"|≤|手里|手头|有|经费|花|grant|拨款|limit|capped?|no more than"
    r"|(?<![a-z])(?:bis(?: zu)?|unter|maximal|höchstens|hasta|menos de|jusqu'à|moins de|até|fino a)(?![a-z])"
)


@dataclass(frozen=True, slots=True)
class Money:
    """An amount of money in the text."""

    amount: float
    currency: str
    period: Period | None
    is_price: bool
    """What something costs rather than what may be spent."""


def find_money(text: str, *, chinese: bool) -> list[Found[Money]]:
    """Every amount with a currency, and bare amounts that are called a budget."""
    found = []
    for match in _MONEY.finditer(text):
        symbol = (match["before"] or match["after"]).strip()
        scale = match["s1b"] or match["s1"] or match["s2"]
        amount = scaled(match["n1b"] or match["n1"] or match["n2"], scale)
        if amount and 0 < amount <= 1e13 and not _no_money(text, match, symbol):
            found.append(
                Found(_money(text, match.start(), match.end(), amount, SYMBOLS[symbol]), match.start(), match.end())
            )
    for match in _PER_UNIT.finditer(text):
        amount = scaled(match["n"] or match["n2"] or match["n3"], match["s"] or match["s2"] or match["s3"])
        if amount and not any(match.start() < one.end and one.start < match.end() for one in found):
            found.append(Found(Money(amount, "CNY", None, True), match.start(), match.end()))
    if not found:
        for match in _BARE.finditer(text):
            scale = next((match[name] for name in _SCALES if match[name]), None)
            if (scale == "w" and not chinese) or _NO_BUDGET.search(text[max(0, match.start() - 8) : match.start() + 1]):
                continue  # "under 75W" is a power limit, 「上下文 8000 以内」 a length
            figure = next(name for name in _FIGURES if match[name])
            amount = scaled(match[figure], scale)
            if amount and 100 <= amount <= 1e13:
                money = _money(text, match.start(figure), match.end(), amount, "CNY" if chinese else "USD")
                period = money.period or _hired_for(text, match.start(figure), _amount_end(match, figure))
                found.append(Found(Money(money.amount, money.currency, period, False), match.start(), match.end()))
    return found


def _amount_end(match: re.Match[str], figure: str) -> int:
    """Where the figure ends with its scale: 「20 万一个月的预算」 says there what time it pays for."""
    return max([match.end(figure), *(match.end(name) for name in _SCALES if match[name])])


def bare_amount(text: str) -> float | None:
    """An amount with a scale and nothing else, as in 「那 10 万呢」 or "and 20k?" when money was the subject."""
    match = _SCALED.search(text)
    return scaled(match[1], match[2]) if match else None


_SCALED = grammar(
    rf"(?<![a-z0-9.])({_N})\s?(万|千|k(?![a-z0-9]))(?!\s?(?:tokens?|上下文|context|ctx|人|用户|users|条|samples|并发))"
)


def find_budget(text: str, *, chinese: bool) -> Found[Budget] | None:
    """What may be spent: an amount that is no price of something."""
    amounts = find_money(text, chinese=chinese)
    spendable = [money for money in amounts if not money.value.is_price]
    if not spendable:
        return None
    best = next((m for m in spendable if _SPEND.search(text[max(0, m.start - 14) : m.start + 6])), spendable[0])
    renting = _RENT.search(text) is not None
    mode: Literal["buy", "rent"] | None = "rent" if best.value.period or (renting and not _BUY.search(text)) else "buy"
    if mode == "buy" and renting and not _PURCHASE.search(text):
        mode = None
    return Found(
        Budget(amount=best.value.amount, currency=best.value.currency, mode=mode, period=best.value.period),
        best.start,
        best.end,
    )


def _money(text: str, start: int, end: int, amount: float, currency: str) -> Money:
    before = text[max(0, start - 20) : start]
    return Money(
        amount,
        currency,
        _hired_for(text, start, end),
        (bool(_PRICE.search(before)) and not _SPEND.search(before)) or bool(_EACH.match(text, end)),
    )


def _hired_for(text: str, start: int, end: int) -> Period | None:
    """The time that the amount at [start, end) pays for: "$2 an hour", 「每月 3 千」."""
    before = text[max(0, start - 20) : start]
    after = next((name for name, rule in _AFTER_PERIOD if rule.match(text, end)), None)
    return after or next((name for name, rule in _BEFORE_PERIOD if rule.search(before)), None)


def paid_until(text: str, end: int) -> int:
    """Where the time ends that an amount of money ending at `end` pays for; `end` where none is said."""
    return max((match.end() for _, rule in _AFTER_PERIOD if (match := rule.match(text, end))), default=end)


def _no_money(text: str, match: re.Match[str], symbol: str) -> bool:
    """「4块 3090」 counts cards, 「单元」 is no money."""
    if symbol == "块" and _hired_for(text, match.start(), match.end()):
        return False  # 「2 块一小时」
    if symbol == "块":
        return match["s2"] is None and (scaled(match["n2"], None) or 0) < 50
    return symbol in {"元", "欧", "刀"} and text[match.end() : match.end() + 1] in {"素", "组", "件", "洲", "片"}
