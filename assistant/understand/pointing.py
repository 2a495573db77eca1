"""Turns that point at what the last answer put forward: "the second one", "that card", 「上面那个」, "one machine"."""

from typing import Any

from assistant.understand.numbers import HAN, count
from assistant.understand.text import grammar
from assistant.understand.turn import Reading
from assistant.understanding import Asked
from tools.need import GpuCount

_PLACES = {"first": 0, "1st": 0, "一": 0, "1": 0, "second": 1, "2nd": 1, "二": 1, "2": 1, "third": 2, "3rd": 2,
           "三": 2, "3": 2, "last": -1, "latter": -1, "后": -1, "former": 0, "前": 0}  # fmt: skip
_KIND = (
    r"(?:one|option|card|gpu|choice|machine|config\w{0,9}|setup|box|server|offer|suggestion"
    r"|of (?:them|those|these|the two))(?![a-z])"
)
_NTH = grammar(
    rf"(?<![a-z])the (?P<en>first|second|third|1st|2nd|3rd|last) {_KIND}|(?<![a-z])the (?P<of>latter|former)(?![a-z])"
    r"|(?<![a-z])(?:option|number|#) ?(?P<no>[123])(?![0-9])"
    r"|第(?P<zh>[一二三123])(?:个|种|款|套|张|台|条|项|行|家|组|方案|档)"
    r"|(?P<side>[后前])(?:者|面那(?:个|张|款|种))|最后(?:那)?一?(?:个|款|种|套)"
)
_ZH_KIND = r"(?:个|张|款|套|台|种)"
_THAT = grammar(
    rf"(?<![a-z])(?:that|this) {_KIND}|(?<![a-z])(?:the one|what) you (?:just )?(?:recommended|suggested|picked"
    rf"|proposed|mentioned)|(?:上面|上边|刚才|前面)(?:说的|推荐的|提到的)?那?{_ZH_KIND}"
    rf"|那{_ZH_KIND}(?:卡|显卡|机器|方案|配置)?(?!模型|人|时|意)|你(?:刚才|刚)?(?:推荐|说|建议)的那?{_ZH_KIND}?"
)
"""Words for what the answer before led with."""
_ADDED = grammar(r"(?<![a-z])(?:add|buy|get|plug in|put in|with|need) (?:an?|the) (?:second|third)|再(?:加|买|来)")
"""A second one that would be added is no second choice."""
_MACHINES = grammar(
    rf"(?P<n>{HAN}|\d{{1,4}})\s?(?:台|个节点|节点|机)(?:机器|服务器)?(?!式)|(?P<single>单机|单台)"
    r"|(?<![a-z])(?P<en>one|two|three|four|eight|a single|\d{1,4}) (?:machines?|servers?|nodes?|boxes)(?![a-z])"
)
_IN_A_MACHINE = 8
"""Cards of one machine where more of them than that are spoken of."""


def pointed(reading: Reading, previous: Asked) -> dict[str, Any]:
    """The cards that the turn points at among those put forward; nothing where it names its own."""
    plain, offered = reading.text.plain, previous.shown.offered if previous.shown else ()
    if reading.entities.gpus or not offered or _ADDED.search(plain):
        return {}
    if nth := _NTH.search(plain):
        words = nth["en"] or nth["of"] or nth["no"] or nth["zh"] or nth["side"] or "last"
        place = _PLACES[words]
        return _on(offered[place], previous) if place < len(offered) else {}
    cards = previous.gpus_owned or previous.gpus_asked
    return _on(offered[0], previous) if _THAT.search(plain) and not cards else {}


def _on(card: GpuCount, previous: Asked) -> dict[str, Any]:
    """The need on this card alone: the asker's own, where it is one of those."""
    if any(own.gpu == card.gpu for own in previous.gpus_owned):
        return {"gpus_owned": tuple(own for own in previous.gpus_owned if own.gpu == card.gpu), "gpus_asked": (),
                "gpus_proposed": ()}  # fmt: skip
    return {"gpus_owned": (), "gpus_asked": (card.gpu,), "gpus_proposed": (card,), "gpu_count": None,
            "memory_bytes_per_gpu": None}  # fmt: skip


def machines(reading: Reading, previous: Asked) -> dict[str, Any]:
    """Another number of the same machines: "just one server?" of sixteen cards is eight of them."""
    cards = previous.gpus_owned or previous.gpus_proposed
    found = _MACHINES.search(reading.text.plain)
    if found is None or len(cards) != 1 or reading.entities.gpus or reading.cards.owned:
        return {}
    said = "one" if found["single"] else (found["n"] or found["en"])
    held = cards[0].count or 1
    each = _IN_A_MACHINE if held > _IN_A_MACHINE and held % _IN_A_MACHINE == 0 else held
    several = count("one" if said == "a single" else said)
    if several is None or several * each == held:
        return {}
    grown = (cards[0].model_copy(update={"count": several * each}),)
    name = "gpus_owned" if previous.gpus_owned else "gpus_proposed"
    return {name: grown, "gpu_count": None, "tensor_parallel": None}
