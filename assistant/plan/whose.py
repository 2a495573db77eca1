"""Whose machine it is to be: one person's at home, or an organisation's."""

import re
from decimal import Decimal

from kb.market.rates import usd
from tools.need import Need

PERSONAL_USD = Decimal(6000)
"""Dollars up to which a budget that nobody speaks of as an organisation's is one person's: what two second-hand cards
with a machine around them cost, or one large new one."""
_GROUP = re.compile(
    r"公司|企业|单位|团队|部门|实验室|课题组|学院|学校|高校|工作室|医院|律所|集团|政府|机构|事务所|园区|经费"
    r"|(?<![a-z])(?:compan(?:y|ies)|start-?up|teams?|firm|studio|(?<!home)labs?|laborator(?:y|ies)|agency|business|school"
    r"|universit(?:y|ies)|college|clinic|hospital|department|dept|enterprise|staff|employees|office|procurement"
    r"|grant|customers|clients)(?![a-z])",
    re.I,
)
_AT_HOME = re.compile(
    r"\b(?:at|for) home\b|\bhome ?(?:lab|server|pc|use)|\bhobby|\bmy (?:own )?(?:pc|desktop|room|apartment)\b|student"
    r"|在家|家里|家用|(?<![\d几多])(?<![\d几多] )个人(?:玩|电脑|使用|自用)|自己(?:用|玩|在家)|宿舍|玩玩|学生",
    re.I,
)
"""Words of one person's own machine."""


def grouped(text: str) -> bool:
    """Whether an organisation is spoken of."""
    return _GROUP.search(text) is not None


def at_home(text: str, need: Need) -> bool:
    """Whether it is one person's own machine: said so, or a small budget that no organisation and no others share."""
    if _AT_HOME.search(text) or (need.users == 1 and not grouped(text)):
        return True
    budget, alone = need.budget, (need.users or 1) == 1 and (need.concurrent_sequences or 1) == 1
    if budget is None or budget.mode == "rent" or budget.period is not None:
        return False
    return alone and not grouped(text) and usd(budget.amount, budget.currency) <= PERSONAL_USD
