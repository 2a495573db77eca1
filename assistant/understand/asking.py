"""What a question asks of cards that need not be the asker's: a price, or whether they are sold somewhere."""

from typing import Literal

from assistant.understand import like_prices
from assistant.understand.text import grammar

SOME_SUM = r"几[十百]?[百千万](?:块|元)?钱?(?:吧|呢)?(?:一[张台块个套]|[?？]|$)"
"""What asks for a price by naming its scale: 「几万一张」."""
_PRICE = grammar(
    rf"多少钱|{SOME_SUM}|单价|售价|报个?价|价位|总价|租金|多少预算|什么价|费用|花费"
    r"|(?<!显存)(?<!显存的)(?<!内存)(?<!内存的)(?<!通信)(?<!性能)(?<!计算)开销|报价|要花|花多少|价格|成本|预算"
    r"|贵不贵|贵(?:吗|么)|(?:是不是)很贵|(?:is|are) (?:it|they|that|those) (?:too |very )?(?:expensive|pricey|dear)"
    r"|how much (?:is|are|for|money|in (?:euros?|dollars|usd|eur|gbp)|to (?:buy|rent|get|own))"
    r"|how much\s?(?:\?|$)|采购价|价钱|各多少|(?<![a-z])(?:and|in) (?:dollars|bucks|euros)(?![a-z])|(?<![a-z])(?:costs?"
    r"|costing|pric(?:e|es|ing)|bill"
    r"|ballpark|quot(?:e|es|ation)|spend|expensive|set (?:me|us) back)"
    r"(?![a-z])(?! (?:vram|memory|ram|gpu memory|faster|slower|power|heat|space|room))"
)
_SALE = grammar(
    r"(?:能|可以)(?:不能)?从[^,。?]{1,6}买|(?:能|可以|还能|能不能|可不可以|是否能)(?:合法|正规|正常|直接"
    r"|公开)?地?(?:买|采购|购买|进口|订|拿)(?:得?到|了|吗|么|进来)?"
    r"|(?:卖|出口|发货?|供)(?:给|到|往|进)|买(?:得|不)(?:到|了)|(?:合法|合规)(?:地)?(?:采购|购买|买|进口|吗)"
    r"|禁(?:售|运|令)|被禁|禁了|解禁|受(?:到)?(?:出口)?(?:限|管制|限制)"
    r"|出口(?:管制|限制|禁令|许可|中国)|(?:还)?(?:有|在)(?:正规)?(?:卖|售|货)(?:吗|么|不)|违规吗|制裁"
    r"|(?:allowed|legal|permitted|possible) to (?:be )?(?:sold|sell|buy|bought|exported"
    r"|export|import|shipped|ship|order|get)(?![a-z])"
    r"|legally|export[- ](?:control|restrict|ban|licen|rule|complian)\w{0,8}|(?<![a-z])banned?(?![a-z])|sanction\w{0,3}"
    r"|(?:sold|sell|ship|shipped|exported|export|bought|available|order(?:ed)?|buy|get|import\w{0,3}|purchase)"
    r"(?: \S{1,20}){0,5} (?:to|in|into|from) (?:mainland )?(?:china|hong kong|macau)"
)
_CHINA = grammar(
    r"国内|中国|上海|北京|深圳|(?<![a-z])(?:shanghai|beijing|shenzhen)(?![a-z])|大陆|内地|境内|香港"
    r"|(?<![a-z])(?:china|hong ?kong"
    r"|macau)(?![a-z])|出口|禁(?:售|运|令)|被禁|禁了|解禁"
    r"|管制|export|banned?"
)
_ENERGY = grammar(
    r"电费|耗电|用电|度电|几度电|多少电|(?:what|how) about (?:the )?energy|energy (?:cost|bill|use)|electricity"
    r"|electric bill|power bill|(?<![a-z])kwh(?![a-z])"
)


_CHEAPER = grammar(
    r"(?:which|what)(?:'s| is)?(?: (?:one|of (?:them|these|those|the two)))?(?: (?:is|are|would be|costs?|comes? out))?"
    r" (?:the )?(?:cheap(?:er|est)|less expensive|less|least)(?! (?:power|electricity|energy|memory|vram))"
    r"|(?:the )?cheaper (?:one|card|of)|(?:price|cost) difference"
    r"|(?:哪|谁)[^,。?]{0,6}(?:更|最|比较)?便宜|(?:便宜|贵)的?(?:是|那)?哪|价格差|差价|价格(?:呢|分别|各|对比)"
    r"|各(?:自|要)?多少钱|分别(?:要)?多少钱"
)
"""Words that hold the prices of cards against each other."""
_EITHER_WAY = grammar(
    r"(?<![a-z])(?:buy|own|purchas)\w*[^.?!]{0,16}(?<![a-z])(?:or|vs)(?![a-z])[^.?!]{0,12}(?<![a-z])rent"
    r"|(?<![a-z])rent\w*[^.?!]{0,16}(?<![a-z])(?:or|vs)(?![a-z])[^.?!]{0,12}(?<![a-z])(?:buy|own)|买还是租|租还是买"
)
_HUNGRIER = grammar(
    r"(?:draw|use|need|consume|take|burn)s? (?:up )?(?:less|more|the (?:least|most)) (?:power|electricity|energy|watts)"
    r"|(?:less|more|most|least) power[- ]?(?:hungry|efficient)|(?:more|most) energy[- ]?efficient"
    r"|(?:lower|higher) (?:power|tdp)"
    r"|(?:哪|谁)[^,。?]{0,6}(?:省电|费电|耗电|吃电|功耗)|功耗(?:哪|谁|更|比)|更(?:省电|费电|耗电)"
)
"""The same of what the cards draw."""


def weighs_prices(text: str) -> bool:
    """Whether the prices of several cards are held against each other, and not owning against renting."""
    plain = like_prices.without(text.lower())
    return _CHEAPER.search(plain) is not None and _EITHER_WAY.search(plain) is None


def weighs_power(text: str) -> bool:
    """Whether what several cards draw is held against each other."""
    return _HUNGRIER.search(text.lower()) is not None


def asks_price(plain: str) -> bool:
    """Whether a price is asked for: cards priced are not in hand unless they are said to be."""
    return _PRICE.search(like_prices.without(plain)) is not None


def asks_sale(plain: str) -> bool:
    """Whether it is asked if a card may be sold or bought somewhere under export control."""
    return _SALE.search(plain) is not None and _CHINA.search(plain) is not None


def find_matter(plain: str) -> Literal["price", "sale", "energy"] | None:
    """What is asked of cards besides work, so that a later turn that only changes something asks it again."""
    if asks_sale(plain):
        return "sale"
    if _ENERGY.search(plain):
        return "energy"
    return "price" if asks_price(plain) else None
