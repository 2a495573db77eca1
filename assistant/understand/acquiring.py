"""Whether hardware is to be bought or rented, where the words say so."""

from typing import Literal

from assistant.understand.place import NO_CLOUD
from assistant.understand.text import grammar
from assistant.understand.turn import Reading

_CLOUD = grammar(
    r"(?:in|on|via|from) the cloud|on[- ]demand|按需|包月|月租|cloud only|rent(?:ing|ed)? instead"
    r"|only rent|if i rent|rent it"
    r"|租(?:呢|的话|[一1]?台|用)|云上(?:呢)?|上云|用云|只租|改(?:成)?租|换(?:成)?云"
)
_BUY_INSTEAD = grammar(
    r"(?:换成|改成|改|换|干脆|直接|不如|要不)(?:自己)?买|买的话|^那?(?:自己)?买(?:张|块)?卡?呢"
    r"|buy(?:ing)? instead|if (?:i|we) (?:buy|bought)|and to buy"
)
_RENTED = grammar(r"租(?!.{0,6}(?:出|金收入))|(?<![a-z])rent(?:al|ing)?(?![a-z])")
_OWN = grammar(r"买|购|自建|自己?攒|(?<![a-z])(?:buy|own|purchase)(?:ing)?(?![a-z])")
"""Words of buying: beside them renting is held against it, not asked for alone."""
_AGAINST_BUYING = grammar(r"还是|划算|(?<![a-z])(?:or|vs|versus)(?![a-z])|worth|回本|break-?even")


def acquisition(reading: Reading) -> Literal["buy", "rent"] | None:
    """What the turn says of it; null where both are weighed, or neither is spoken of."""
    plain = reading.text.plain
    if NO_CLOUD.search(plain) or _BUY_INSTEAD.search(plain):
        return "buy"
    if _CLOUD.search(plain) and not _OWN.search(plain):
        return "rent"
    only_rent = reading.intent == "cloud_or_buy" and _RENTED.search(plain) and not _OWN.search(plain)
    return "rent" if only_rent and not _AGAINST_BUYING.search(plain) else None
