"""The cards put forward for a machine that is there, or among which to choose: what tells them apart is looked up."""

import re
from collections.abc import Sequence

from assistant.plan import money, requests
from assistant.plan.call import PlannedCall
from assistant.understanding import Understanding
from tools.configuration import Configuration
from tools.need import Need

CANDIDATES_MAX = 6
"""Cards looked up; the answer shows those that it orders."""
TIGHT_CASE = re.compile(
    r"mini[- ]?(?:tower|itx|pc)|\bitx\b|\bsff\b|small (?:form factor|case|tower)|compact (?:case|tower)|\bnuc\b"
    r"|optiplex|小机箱|迷你机箱|itx|品牌机|办公主机|机箱[^。?!\n]{0,8}(?:mm|毫米|厘米|cm|小|窄|短)",
    re.I,
)
"""Cases and office machines that limit a card's length and power."""
_AMONG = re.compile(
    r"(?:怎么|如何|咋)(?:选|挑)(?:显)?卡|选哪(?:张|款|块|种)(?:显)?卡"
    r"|how (?:do|should) (?:i|we) (?:choose|pick|decide on) (?:a |the )?(?:card|gpu)",
    re.I,
)
"""Words that ask how to choose a card rather than for a machine."""


def weighed(understanding: Understanding) -> bool:
    """Whether what the cards take and bring decides: the supply or the case is stated, or it is asked how to choose."""
    text = understanding.text
    limited = money.power_left(text) is not None or TIGHT_CASE.search(text) is not None
    return limited or _AMONG.search(text) is not None


def look_up(need: Need, understanding: Understanding, found: Sequence[Configuration]) -> PlannedCall | None:
    """The data sheets of the cards that could be bought; None where cards were named, or nothing turns on them."""
    if requests.named_gpus(need) or not weighed(understanding):
        return None
    bought = dict.fromkeys(one.gpu for one in found if one.acquisition == "buy")
    return requests.gpu_facts(need, names=tuple(bought)[:CANDIDATES_MAX]) if bought else None
