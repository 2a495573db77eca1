"""What named cards cost for a stated time or at a stated use: no model is needed to price four L40S for a year."""

import re
from collections.abc import Sequence

from assistant.answer import ToolCallRecord
from assistant.plan import money, requests
from assistant.plan.apart import rented_and_bought
from assistant.plan.call import PlannedCall
from assistant.plan.nearest import nearest_let
from assistant.plan.ways import buys, rents
from assistant.understand.asking import SOME_SUM
from assistant.understanding import Understanding
from kb.units import HOUR_S, HOURS_PER_MONTH
from tools.need import GpuCount, Need

_ASKS = re.compile(
    rf"多少钱|{SOME_SUM}|报个?价|价位|多少预算|什么价|费用|花费|开销|预算|成本|报价|租金|总价|采购价|价钱|各多少"
    r"|要花|各要多少|一共要多少|总共要多少|花多少|价格|how much|\bcosts?\b"
    r"|\bpric\w{1,3}\b|\bbill\b|ballpark|\bquot\w{1,3}\b"
    r"|\bspend\b|expensive|\bpay(?:ing)?\b|set (?:me|us) back|charges? me|run me|\bbudget\b",
    re.I,
)
_HIRES = re.compile(
    r"包[年月周天季]|(?<![一两几每\d])[年月周日]租(?!金)|按[年月周天]租"
    r"|(?:^|[,，。 ])(?:我|我们|想|要|打算|准备|公司){0,3}租\s?(?:一|两|[\d二三四五六七八])"
    r"|(?:^|[.!?] )(?:i|we)?(?: want| need|'d like| plan)? ?(?:to )?(?:rent|lease|hire)(?:ing)? ",
    re.I,
)
"""Words of who hires cards for a time and asks nothing else: what it comes to."""
_TURNING = re.compile(
    r"还是|划算|合算|回本|省钱|哪个便宜|\bvs\.?\b|break-?even|pay(?:s|ing)? (?:for itself|off|back)|cheaper|better"
    r"|worth|(?<![a-z])tco(?![a-z])|拥有成本|cost of owner",
    re.I,
)
"""Words that ask which of two ways is better: that has an answer of its own."""
_SAVES = re.compile(r"\bsav(?:e|es|ed|ing|ings)\b|discount|cheaper|省|折扣|便宜", re.I)
"""Words that ask what one way to rent saves over another: a share, not a bill."""
_MACHINES = re.compile(
    r"工作站|\bworkstations?\b|\brigs?\b|服务器|整机|一台|两台|机器|\bservers?\b|\bnodes?\b"
    r"|\bmachines?\b|\bbox(?:es)?\b|\b[dh]gx\b",
    re.I,
)
_ORDER = re.compile(
    r"总价|买|购|采购|报价|多少钱|预算|价格|\bbuy|purchas|procure|\bquot\w{1,3}\b|how much|\bcosts?\b"
    r"|\bpric\w{1,3}\b|ballpark",
    re.I,
)


def asked(understanding: Understanding) -> bool:
    """Whether the question is what named cards come to over a time: no work to size, no choice between two ways."""
    need, text = understanding.need, understanding.text
    if not requests.named_gpus(need) or money.runs(need) or understanding.error_text or understanding.command:
        return False
    again = understanding.follow_up and need.matter == "price"
    hires = _HIRES.search(text) is not None and not buys(text)
    if len(requests.cards(need)) != 1 or money.names_energy(text) or not (_ASKS.search(text) or hires or again):
        return False
    if money.asks_spot(text) and _SAVES.search(text):
        return False
    if _TURNING.search(text) and not (money.asks_spot(text) and not buys(text)):
        return False
    if rented_and_bought(text) or need.gpus_owned or (money.per_tokens(text) and requests.sized(need)):
        return False
    if money.asks_running(text, need):
        return False
    card = requests.cards(need)[0]
    if need.term_s is not None:
        return card.count is not None or not requests.sized(need)
    return purchase(understanding)


def purchase(understanding: Understanding) -> bool:
    """Whether the price of buying several cards or whole machines is asked, without a time."""
    need, text = understanding.need, understanding.text
    several = (requests.cards(need)[0].count or 1) > 1 or _MACHINES.search(text) is not None
    told = need.term_s is not None or requests.sized(need) or rents(text) or need.provider or need.budget
    asked_before = understanding.follow_up and need.matter == "price"
    return several and not told and (asked_before or _ORDER.search(text) is not None)


def call(need: Need, understanding: Understanding) -> PlannedCall | None:
    """Rent and purchase of the cards over that time, at the hours of use that were described."""
    if need.term_s is None:
        bare = need.model_copy(update={"model": None, "params": None, "task": None})
        return money.cost(bare, understanding, acquisition="buy")
    wanted = need.model_copy(update={"model": None, "params": None, "task": None})
    return money.cost(
        wanted,
        understanding,
        term_s=hired_s(need),
        years=need.term_s / HOUR_S / (HOURS_PER_MONTH * 12),
        acquisition=way(understanding),
    )


def more(need: Need, understanding: Understanding, results: Sequence[ToolCallRecord]) -> list[PlannedCall | None]:
    """The rent of the nearest card that is let, where nobody lets this one."""
    refused = any(one.tool == "estimate_cost" and "error" in one.result for one in results)
    card = next(iter(requests.cards(need)), None)
    near = nearest_let(card.gpu) if refused and card is not None and way(understanding) == "rent" else None
    if card is None or near is None or need.term_s is None:
        return []
    cards = {"gpus_asked": (near,), "gpus_proposed": (GpuCount(gpu=near, count=card.count or 1),), "gpus_owned": ()}
    return [call(need.model_copy(update=cards), understanding), requests.gpu_facts(need, names=(card.gpu, near))]


def hired_s(need: Need) -> float | None:
    """Seconds that are paid for of the time stated: all of it, or its share of the hours of use a month."""
    if need.term_s is None:
        return None
    share = need.hours_per_month / HOURS_PER_MONTH if need.hours_per_month else 1.0
    return need.term_s * min(1.0, share)


def way(understanding: Understanding) -> str | None:
    """`rent` or `buy` where only that is spoken of; None = both."""
    text, need = understanding.text, understanding.need
    if buys(text):
        return None if rents(text) else "buy"
    return "rent" if rents(text) or need.provider or need.acquisition == "rent" else need.acquisition
