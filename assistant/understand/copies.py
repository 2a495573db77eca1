"""Several copies of one model: "two copies", "three 8B models", 「切成两份各跑一个 7B」."""

import re

from assistant.understand.numbers import number
from assistant.understand.text import Found

MOST = 16
_WORDS = {"two": 2, "three": 3, "four": 4, "eight": 8}
_COUNT = r"(?P<{0}>two|three|four|eight|2|3|4|8|[两二三四八])"
_COPIES = re.compile(
    rf"(?<![\w.]){_COUNT.format('en')} (?:independent |separate |full )?(?:copies|replicas|instances)"
    r"(?: of (?:it|the model|this))?\b"
    rf"|{_COUNT.format('zh')}\s?(?:个|份|套)[^,，。?？]{{0,24}}?(?:副本|实例|拷贝)|(?:跑|起|部署|放){_COUNT.format('two')}\s?[份套](?!数据)"
    rf"|(?<![\w.]){_COUNT.format('sized')} (?:\d+(?:\.\d+)?b |identical |equal |of the same )(?:models|llms)\b"
    rf"|{_COUNT.format('zh_sized')}\s?个\s?\d+(?:\.\d+)?\s?b(?![a-z])"
    rf"|[切分拆]成\s?{_COUNT.format('parts')}\s?[份块个][^。？?]{{0,20}}各自?(?:跑|部署|放|起|用)",
    re.I,
)


def find_copies(plain: str) -> Found[int] | None:
    """How many copies are spoken of."""
    said = _COPIES.search(plain)
    figure = next(filter(None, said.groups()), "").lower() if said else ""
    count = _WORDS.get(figure) or int(number(figure) or 0)
    return Found(count, said.start(), said.end()) if said and 1 < count <= MOST else None


_BARE = re.compile(
    r"\s*(?:and |what about |how about |then |with |那|那么|换成?|改成?)*\s*"
    r"(?P<n>two|three|four|five|six|eight|[2-9]|[两二三四五六八])\s?"
    r"(?:个|份)?\s?(?:copies|instances|of them)?\s?(?:呢|行吗|可以吗|行不行)?\s*[?？。.]?\s*"
)
_FURTHER = {"five": 5, "six": 6}


def bare_copies(plain: str) -> int | None:
    """Another number of copies, where a turn says nothing but a number."""
    said = _BARE.fullmatch(plain)
    figure = said["n"] if said else ""
    return (_WORDS | _FURTHER).get(figure) or int(number(figure) or 0) or None
