"""Configurations as Slack's cards, whole facts only; a list where cards are not known."""

from collections.abc import Sequence

from assistant.plan.preferred import main_date
from kb.units import format_bytes
from tools.configuration import Configuration
from ui.slack import rich
from ui.slack.fitting import cut, escaped, joined
from ui.slack.rich import Block
from ui.slack.words import Words
from ui.words.quantities import money, price_range

MOST_CARDS = 3
LONGEST_TITLE, LONGEST_BODY = 150, 200
"""Source: https://docs.slack.dev/reference/block-kit/blocks/card-block"""


def carousel(configurations: Sequence[Configuration], wording: Words) -> Block:
    """The best few side by side."""
    return {"type": "carousel", "elements": [_card(one, wording) for one in configurations[:MOST_CARDS]]}


def listed(configurations: Sequence[Configuration], wording: Words) -> list[Block]:
    """The same in lines."""
    lines = [joined([_title(one, wording), _price(one, wording), *_facts(one, wording)], 600)
             for one in configurations[:MOST_CARDS]]  # fmt: skip
    return [rich.paragraph(wording("configurations"), bold=True), rich.bullets(lines)]


def _card(one: Configuration, wording: Words) -> Block:
    texts = {"title": cut(_title(one, wording), 110), "subtitle": _price(one, wording),
             "body": joined(_facts(one, wording), LONGEST_BODY - 20)}  # fmt: skip
    return {"type": "card"} | {
        place: {"type": "mrkdwn", "text": escaped(text), "verbatim": True} for place, text in texts.items() if text
    }


def _title(one: Configuration, wording: Words) -> str:
    return wording("card_title", how=wording(one.acquisition), count=one.gpu_count, gpu=one.gpu_name or one.gpu)


def _price(one: Configuration, wording: Words) -> str:
    """Amount or range, period, the day it was read, and whether a part is missing from it."""
    cost = one.price
    if cost.amount is None:
        return wording("price_unknown")
    if cost.amount == 0 and one.owned_count:
        return wording("owned")
    told = cost.asked_price or cost
    amount = price_range(told) or money(told.amount or 0, told.currency)
    period = f" {wording(f'per_{cost.period}')}" if cost.period else ""
    day = main_date(one)
    dated = f"{wording('as_of')} {day}" if day else ""
    return joined([amount + period, dated, "" if cost.complete else wording("incomplete")], LONGEST_TITLE - 20)


def _facts(one: Configuration, wording: Words) -> list[str]:
    memory = one.memory
    parallel = [f"{name}{count}" for name, count in (("TP", one.tensor_parallel), ("PP", one.pipeline_parallel),
                                                     ("DP", one.data_parallel)) if count > 1]  # fmt: skip
    speed = (one.speed or {}).get("tokens_per_s_per_user")
    figures = {"needed": format_bytes(memory.needed_bytes_per_gpu), "usable": format_bytes(memory.usable_bytes_per_gpu)}
    return [
        wording("card_memory", fit=wording(f"fit_{memory.verdict}"), **figures),
        f"≈ {speed:.0f} {wording('speed')}" if isinstance(speed, int | float) else "",
        " ".join(part for part in (one.provider, one.instance, one.region) if part),
        " ".join(part for part in (one.weight_format, *parallel, one.engine) if part),
        f"{one.power_w / 1000:.2g} kW" if one.power_w else "",
    ]
