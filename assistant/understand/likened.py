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
