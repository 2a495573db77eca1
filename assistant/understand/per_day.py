"""Conversations a day, where nothing says how many there are at once: 「每天 5000 个会话」, "3,000 questions a day"."""

from assistant.understand.numbers import DIGITS, HAN, scaled
from assistant.understand.text import Found, grammar

_NOUN_ZH = r"(?:会话|消息|对话|请求|提问|问题|问答|咨询|来访|调用|工单)"
_NOUN_EN = r"(?:conversations?|chats?|messages?|questions?|queries|requests?|sessions?|tickets?|enquiries|calls)"
_RULES = (
    grammar(
        rf"(?:每天|每日|一天|日均|单日)[^,。;?!\d]{{0,8}}(?P<n>{DIGITS}|{HAN})\s?(?P<s>万|千|k|w)?\s?多?\s?(?:个|次|条|通|轮)?(?:的)?"
        rf"{_NOUN_ZH}"
    ),
    grammar(
        rf"(?:每日|日均?|每天的?)(?:会话|消息|对话|请求|提问|问答|咨询|调用|访问)(?:量|数|次数)?(?:大概|大约|约|在|是|有|为|到|[:=\s]){{0,3}}"
        rf"(?P<n>{DIGITS}|{HAN})\s?(?P<s>万|千|k|w)?(?!\s?(?:个)?(?:tokens?|元|块|字))"
    ),
    grammar(rf"(?P<n>{DIGITS}|{HAN})\s?(?P<s>万|千|k|w)?\s?多?\s?(?:个|次|条|通|轮){_NOUN_ZH}\s?(?:/|每|一)(?:天|日)"),
    grammar(
        rf"(?<![a-z0-9.$])(?P<n>{DIGITS})\s?(?P<s>k|thousand|million)?\s(?:\w{{1,10}} ){{0,2}}{_NOUN_EN}"
        r" (?:a|per|each|every) day(?![a-z])"
    ),
    grammar(rf"(?<![a-z0-9.$])(?P<n>{DIGITS})\s?(?P<s>k|thousand|million)?\s(?:daily|a day) {_NOUN_EN}(?![a-z])"),
)
_MOST = 10**9


def find_per_day(plain: str) -> Found[int] | None:
    """How many come a day; None where nothing like a conversation was counted so."""
    for rule in _RULES:
        match = rule.search(plain)
        value = scaled(match["n"], match["s"]) if match else None
        if match and value and 1 <= value <= _MOST:
            return Found(int(value), match.start(), match.end())
    return None
