"""What cards stand in: the board, its slots and lanes, the case and the supply of a machine for so many of one card."""

import re

from assistant.plan import money, requests
from assistant.plan.call import PlannedCall
from assistant.understanding import Understanding
from tools.need import GpuCount, Need

EXAMPLE_PARAMS = 8 * 10**9
"""Parameters of a model that every card holds: the machine around the cards does not turn on what they run."""
_PARTS = re.compile(
    r"主板|插槽|槽位|卡槽|几(?:个|条)槽|pci-?e ?(?:通道|lanes?|slots?|槽)|\b(?:mother|main) ?boards?\b|\bmobo\b"
    r"|\bx16 slots?\b|\bhow many (?:slots|lanes)\b|\bopen[- ]air frame\b|机架|矿架",
    re.I,
)
"""Parts of the machine that are asked for by name."""
_OF_SPEED = re.compile(
    r"影响|变慢|拖慢|更慢|掉速|带宽|瓶颈"
    r"|\bhurts?\b|\bslow\w*|\bmatters?\b|\bpenalt\w+|\bbottleneck|\bfaster\b|\bbandwidth\b|\blos[es]\w*",
    re.I,
)
"""Words of who asks what fewer lanes cost in speed: that is a question of its own."""
_ASKS = re.compile(
    r"什么|啥|哪|怎么|推荐|几(?:个|条)|够|行[吗么]|需要|要"
    r"|\bwhich\b|\bwhat\b|\bhow many\b|\brecommend|\bneed|\benough\b|\bgood\b|\?",
    re.I,
)


def asked(understanding: Understanding) -> bool:
    """Whether the machine around one kind of card is asked for, not the cards and not their pace."""
    text = understanding.text
    if understanding.error_text or understanding.command or len(requests.cards(understanding.need)) != 1:
        return False
    return bool(_PARTS.search(text) and _ASKS.search(text)) and not _OF_SPEED.search(text)


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """A machine for the cards as it can be bought, and what it draws."""
    card = requests.cards(need)[0]
    cards = (GpuCount(gpu=card.gpu, count=card.count or 1),)
    bare = Need(task="inference", params=EXAMPLE_PARAMS, gpus_proposed=cards, country=need.country)
    known = need.model_copy(update={"gpus_owned": cards, "gpus_asked": (), "gpus_proposed": ()})
    return [
        requests.configure(bare, acquisition="buy", with_frontier=False),
        *money.power(known, understanding)[:1],
        requests.gpu_facts(need),
    ]
