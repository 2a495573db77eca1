"""One card taken for another: 「A800 就是 80G 的 H100」, "isn't the 4060 Ti basically a 4080"."""

from assistant.understand.text import grammar

LIKENED = grammar(
    r"s?\s?(?:\d{1,3}\s?gb?)?\s?(?:其实|不|难道|应该)?\s?(?:就是|等于|相当于|等同于|约等于|差不多是|差不多就是|是不是就是)"
    r"\s?(?:一?[张个块])?\s?(?:阉割版?的?|缩水版?的?|换皮的?|特供版?的?|中国版的?|国内版的?)?\s?"
    r"(?:\d{1,3}\s?gb?\s?(?:版|的)?)?的?\s?(?:nvidia )?"
    r"|s?\s?(?:\d{1,3}\s?gb?)?\s?(?:cards? )?(?:(?:is|are|was)(?:n't| not)? )?"
    r"(?:basically|essentially|really|pretty much|practically|more or less|just|simply"
    r"|(?:exactly |basically |really )?the same(?: thing| card| chip| gpu)? as"
    r"|identical to|equivalent to|a rebranded"
    r"|a rebadged|nothing but|another name for)"
    r" (?:an? |the )?(?:same as (?:an? |the )?)?"
    r"(?:cut[- ]down |slower |rebranded |rebadged |chinese |export |\d{1,3} ?gb )?(?:nvidia )?"
)
"""What stands between two names where the first is taken for the second."""
JOINED = grammar(r"s?\s?(?:和|跟|与|and|&)\s?(?:an? |the )?(?:nvidia )?")
SAME = grammar(
    r"s?\s?(?:其实|就|应该|难道|不)?\s?(?:是一回事|是同一(?:张|款|个)|一样的?(?:吧|吗|么|对)|没(?:什么|啥)?区别(?:吧|吗)"
    r"|(?:are|is) (?:basically |essentially |really |pretty much )?(?:the same|identical))"
)
"""What stands after the second name where both are taken for one: 「A 和 B 是一回事吧」."""


_DOMESTIC_INSTEAD = grammar(
    r"国产(?:的)?\s?(?:卡|gpu|芯片|加速卡|显卡|算力)?[^。?!\n]{0,4}?(?:替代|平替|替换|代替|取代|对标|竞品|同级)"
    r"|(?:替代|代替|替换|取代|对标|平替|换掉)[^。?!\n]{0,12}?国产"
    r"|(?<![a-z])(?:chinese|domestic)(?:[- ]made)? (?:\w{1,12} ){0,2}?"
    r"(?:alternatives?|replacements?|substitutes?|equivalents?|counterparts?)"
    r"|(?<![a-z])(?:alternatives?|replacements?|substitutes?) (?:\S{1,12} ){0,4}?(?:made in|from) china"
    r"|(?<![a-z])(?:chinese|domestic)(?:[- ]made)? (?:\w{1,12} ){0,2}?(?:gpus?|cards?|chips?|accelerators?)"
    r"[^.?!\n]{0,24}?(?:replac|stand in|substitut|instead of)"
    r"|(?<![a-z])(?:replac|swap|substitut)\w{0,4} [^.?!\n]{0,32}?(?:with|by|for) (?:an? |some )?"
    r"(?:chinese|domestic)(?![a-z])"
    r"|(?<![a-z])(?:chinese|domestic)(?:[- ]made)? (?:\w{1,12} ){0,2}?(?:gpus?|cards?|chips?|accelerators?)"
    r" (?:to use )?in (?:the )?place of"
)
"""Words that ask for a card made in China in the place of the one named."""


def domestic_instead(text: str) -> bool:
    """Whether a card made in China is to stand in for the one named: 「H20 的国产替代」."""
    return _DOMESTIC_INSTEAD.search(text.lower()) is not None
