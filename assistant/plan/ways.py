"""How hardware is to be had, by the words of the question: bought or rented, whole or as cards, for the least."""

import re

from assistant.understand.place import NO_CLOUD
from tools.need import Need

_RENTING = re.compile(
    r"租|云|\brent|\bcloud|instance|per hour|hourly|/h\b|pay-as-you-go|\bleas(?:e|es|ed|ing)\b"
    r"|\bspot\b",
    re.I,
)
_BUYING = re.compile(
    r"买|购|自己?攒|自建|入手|私有化|本地化?部署|(?:公司|单位|学校|医院|内网|企业)内?部?(?:部署|机房)"
    r"|\bon-?prem|\bin[- ]house"
    r"|\bbuy|(?<!my )(?<!our )(?<!your )\bown(?:ing|ed|s)?\b|\bbought|purchase|at home|for home|在家|家里",
    re.I,
)
_LEAST = re.compile(
    r"最便宜|最低价|最省钱|(?:最少|最低|至少)(?:总共|一共|大概)?(?:要|得|需要)?(?:花|多少(?:钱|预算|成本))|花最少|最低成本"
    r"|cheapest|lowest[- ](?:cost|price)|least expensive"
    r"|\b(?:least|minimum) (?:money |i |we |you |one )*(?:can |could |has |have )?(?:to )?(?:spend|pay)\b"
    r"|\bhow (?:little|cheap(?:ly)?) (?:can|could)\b",
    re.I,
)
_CHEAPEST = re.compile(
    rf"{_LEAST.pattern}|最划算|性价比|便宜点|预算(?:有限|不多|紧张|很?低)"
    r"|\bbest (?:value|bang)|\bvalue for (?:the )?money|\bbang for (?:the|your|my|our) buck"
    r"|\bprice[-/ ]to[-/ ]performance"
    r"|(?:smallest|lowest) (?:\w+ )?bill|\bon (?:a|the) (?:tight |small |low |shoestring )?budget(?! of)\b"
    r"|\bbudget[- ](?:friendly|build|card|gpu)|\b(?:affordable|inexpensive)",
    re.I,
)

_MACHINE = re.compile(
    r"整机|主机|电脑|配置单|服务器|工作站|一体机|怎么配|配一?台|攒一?台|装机|\bpcs?\b|\bbuild\b|\bbox\b|workstation|\bservers?\b"
    r"|\bmachines?\b|\bdesktop\b|\brig\b|\bcomputer\b",
    re.I,
)
"""Words of who buys a whole machine, not cards for one."""

_CARDS = re.compile(r"\bgpus?\b|\bcards?\b|显卡|单卡|哪张|什么卡", re.I)


def rents(text: str) -> bool:
    """Whether renting is spoken of."""
    return bool(_RENTING.search(NO_CLOUD.sub(" ", text.lower())))


def buys(text: str) -> bool:
    """Whether buying is spoken of."""
    return bool(_BUYING.search(text))


def asks_for_cheapest(text: str) -> bool:
    """Whether the price decides."""
    return bool(_CHEAPEST.search(text))


def asks_the_least(text: str) -> bool:
    """Whether the least it can cost is asked, so that a budget would change nothing."""
    return bool(_LEAST.search(text))


def of_machines(text: str) -> bool:
    """Whether a whole machine is spoken of."""
    return bool(_MACHINE.search(text))


def of_cards(text: str) -> bool:
    """Whether cards are spoken of rather than any way to have the work done."""
    return bool(_CARDS.search(text))


def only(text: str, need: Need) -> str | None:
    """`buy` or `rent` when only that is asked about."""
    if need.acquisition == "rent" or ((rents(text) or need.provider) and not buys(text)):
        return "rent"
    return "buy" if need.acquisition == "buy" or (buys(text) and not rents(text)) else None
