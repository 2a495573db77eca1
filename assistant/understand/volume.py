"""Tokens used a month, and what a provider asks for a million: 「每月 3 亿 token」, "$0.88 per million"."""

from dataclasses import dataclass, field

from assistant.understand.budget import AFTER_SYMBOL, BEFORE_SYMBOL, SYMBOLS, find_money
from assistant.understand.numbers import DIGITS, HAN, SCALE, scaled
from assistant.understand.text import Found, grammar

_MONTHS = {"hour": 730.0, "小时": 730.0, "day": 365 / 12, "天": 365 / 12, "日": 365 / 12, "week": 365 / 84,
           "周": 365 / 84, "month": 1.0, "月": 1.0, "year": 1 / 12, "年": 1 / 12}  # fmt: skip
"""How often each period comes in a month."""
_N = rf"(?P<n>{DIGITS}|{HAN})\s?(?P<s>{SCALE})?"
_TOKENS = (
    r"(?:个|的)?\s?(?:(?:output|input|generated|prompt|completion|total|combined)\s)?(?:tokens?|toks?|词元)(?![a-z]|/s)"
)
_EACH_EN = r"(?:per|an?|each|every|/)\s?(?P<u>hour|day|week|month|year)"
_EACH_ZH = r"(?:每|一|单|日均|月均|平均每)\s?个?(?P<u>小时|天|日|周|月|年)"
_GAP = r"(?:(?! in | within | for | over | takes? )[^,.;?!\n]){0,24}?"
"""What may stand between the tokens and their period: not what makes the period the time of one training."""
_VOLUME = tuple(
    grammar(rule) for rule in (
        rf"(?<![a-z0-9.$¥€£]){_N}\s?{_TOKENS}{_GAP}(?<![a-z]){_EACH_EN}(?![a-z])",
        rf"(?<![a-z0-9.$¥€£]){_N}\s?{_TOKENS}\s?(?:/|每|一)\s?个?(?P<u>天|日|周|月|年)",
        rf"(?<![a-z]){_EACH_EN} (?:for|on|and) (?:about |around |some )?{_N}\s?{_TOKENS}",
        rf"{_EACH_ZH}(?![^,。;?!\n]{{0,4}}(?:完|搞定))[^,。;?!\n]{{0,12}}?{_N}\s?{_TOKENS}",
        rf"(?P<u>日|月|周|年)(?:均|消耗|用量|调用量?|活)[^,。;?!\n]{{0,8}}?{_N}\s?{_TOKENS}",
        rf"(?P<u>day|month)ly[^,.;?!\n]{{0,24}}?{_N}\s?{_TOKENS}",
        rf"(?<![a-z0-9.$¥€£]){_N}\s?{_TOKENS}\s(?P<u>dai|month|week|year)ly",
    )
)  # fmt: skip
_REQUESTS = grammar(
    rf"(?<![a-z0-9.$¥€£]){_N}\s?(?:requests?|calls?|queries|prompts|chats|messages|conversations)\s?{_EACH_EN}(?![a-z])"
    rf"|{_EACH_ZH.replace('<u>', '<u2>')}[^,。;?!\n]{{0,6}}?(?P<n2>{DIGITS}|{HAN})\s?(?P<s2>{SCALE})?\s?(?:个|次|条)?"
    r"(?:请求|调用|对话|问答|提问)"
)
_REQUEST_TOKENS = grammar(
    rf"(?P<n>{DIGITS})\s?(?P<s>k|千|万)?\s?(?:tokens?|toks?)\s?(?:each|per (?:request|call|query|message)|apiece)"
    rf"|(?:每(?:个|次|条)(?:请求|调用|对话)?|averag\w{{1,3}}|平均(?:每[个次条])?)\D{{0,10}}(?P<n2>{DIGITS})\s?(?P<s2>k|千|万)?"
    r"\s?个?(?:tokens?|toks?)"
)
_MILLION = (
    r"(?:(?:1|one|a|每|一|per)?\s?(?:m|mm|million|millions|百万|1m)(?![a-z])\s?(?:(?:output|input|total)\s)?"
    r"(?:个)?(?:tokens?|toks?)?|mtoks?|百万\s?(?:个)?(?:tokens?|toks?)?)"
)
_PRICE = grammar(
    rf"(?P<before>{BEFORE_SYMBOL})\s?(?P<n1>{DIGITS})\s?(?:/|per|for|an?|each)\s?{_MILLION}"
    rf"|(?<![a-z0-9.])(?P<n2>{DIGITS})\s?(?P<after>{AFTER_SYMBOL})\s?(?:钱)?\s?(?:/|per|for|an?|每|一)\s?{_MILLION}"
    rf"|(?:每|一|per |a )\s?(?:百万|m(?:illion)?(?![a-z]))\s?(?:个)?(?:tokens?|toks?)?[^,.;\d]{{0,8}}?"
    rf"(?:(?P<before3>{BEFORE_SYMBOL})\s?)?(?P<n3>{DIGITS})(?!\s?[x×*]|\s?(?:张|块卡|卡|台|路|gpus?|cards?))\s?(?P<after3>{AFTER_SYMBOL})?"
)
_BARE_TOKENS = grammar(rf"(?<![a-z0-9.$¥€£]){_N}\s?{_TOKENS}")
_API = grammar(r"(?<![a-z])(?:apis?|openai|openrouter|together|provider)(?![a-z])|接口|账单")
"""Words that make a sum a month what a provider is paid for the tokens of a month."""
MILLION = 1e6
TOKENS_MIN, TOKENS_MAX = 1e4, 1e16
"""A month's tokens that somebody might mean."""


@dataclass(frozen=True, slots=True)
class TokenPrice:
    """What a provider asks for a million tokens."""

    amount: float
    currency: str


@dataclass(frozen=True, slots=True)
class Traffic:
    """What was said of a month's tokens and their price."""

    tokens: Found[float] | None = None
    million_price: Found[float] | None = None
    currency: str | None = None
    taken: list[tuple[int, int, str]] = field(default_factory=list)
    """Where both stand: they are no data set, no term and no budget."""


def find_traffic(plain: str, *, chinese: bool) -> Traffic:
    """A month's tokens and what a provider asks for a million: stated as such, or as the bill of the month."""
    price = find_token_price(plain, chinese=chinese)
    volume = find_volume(plain) or _of_the_bill(plain, chinese=chinese)
    if price is not None:
        asked: Found[float] | None = Found(price.value.amount, price.start, price.end)
        currency: str | None = price.value.currency
    else:
        asked, currency = _from_bill(plain, volume, chinese=chinese)
    taken = [(found.start, found.end, " ") for found in (volume, asked) if found is not None]
    return Traffic(volume, asked, currency, taken)


def _of_the_bill(plain: str, *, chinese: bool) -> Found[float] | None:
    """Tokens without a period beside what a provider is paid a month: "our API bill is $6k a month, 900M tokens"."""
    if not _API.search(plain) or not any(one.value.period == "month" for one in find_money(plain, chinese=chinese)):
        return None
    match = _BARE_TOKENS.search(plain)
    value = scaled(match["n"], match["s"]) if match else None
    if match is None or not value or not TOKENS_MIN <= value <= TOKENS_MAX:
        return None
    return Found(value, match.start(), match.end())


def _from_bill(plain: str, volume: Found[float] | None, *, chinese: bool) -> tuple[Found[float] | None, str | None]:
    """The price of a million tokens where what a provider is paid a month is stated."""
    if volume is None or not _API.search(plain):
        return None, None
    bill = next((one for one in find_money(plain, chinese=chinese) if one.value.period == "month"), None)
    if bill is None:
        return None, None
    return Found(bill.value.amount / volume.value * MILLION, bill.start, bill.end), bill.value.currency


def find_volume(plain: str) -> Found[float] | None:
    """Tokens a month, said as such or as requests of a length; None when neither is."""
    for rule in _VOLUME:
        for match in rule.finditer(plain):
            value = scaled(match["n"], match["s"])
            if value and TOKENS_MIN <= (monthly := value * _times(match["u"])) <= TOKENS_MAX:
                return Found(monthly, match.start(), match.end())
    requests, each = _REQUESTS.search(plain), _REQUEST_TOKENS.search(plain)
    if requests is None or each is None:
        return None
    count = scaled(requests["n"] or requests["n2"], requests["s"] or requests["s2"])
    size = scaled(each["n"] or each["n2"], each["s"] or each["s2"])
    monthly = (count or 0) * (size or 0) * _times(requests["u"] or requests["u2"])
    if not TOKENS_MIN <= monthly <= TOKENS_MAX:
        return None
    return Found(monthly, min(requests.start(), each.start()), max(requests.end(), each.end()))


def find_token_price(plain: str, *, chinese: bool) -> Found[TokenPrice] | None:
    """The price of a million tokens that is stated; None when none is."""
    match = _PRICE.search(plain)
    if match is None:
        return None
    symbol = match["before"] or match["after"] or match["before3"] or match["after3"]
    amount = scaled(match["n1"] or match["n2"] or match["n3"], None)
    if not amount or (symbol is None and not chinese):
        return None
    currency = SYMBOLS[symbol.strip()] if symbol else "CNY"
    return Found(TokenPrice(amount, currency), match.start(), match.end())


def _times(unit: str) -> float:
    return _MONTHS["day" if unit == "dai" else unit]
