"""Cards that a follow-up only supposes beside those in hand: "and with a second one?", 「再加一张呢」."""

from typing import Any

from assistant.understand.text import grammar
from assistant.understanding import Asked
from tools.need import GpuCount

_SUPPOSED = grammar(
    r"再|多(?:加|买|来|配|插)|加(?!到)(?:一|两|上)|凑|如果|要是|假如|(?<![a-z])(?:add\w{0,3}|buy\w{0,3}|get\w{0,4}|if|plus|another"
    r"|more|extra|second|third|additional)(?![a-z])"
)
"""Words that suppose cards beside those in hand."""
_BOUGHT = grammar(
    r"(?<![a-z])(?:(?:i|we)(?:'ve| have)? (?:just |now )?(?:bought|got|added|found|also have|have)|arrived"
    r"|already)(?![a-z])"
    r"|(?:刚|已经?|又)(?:买|加|收|到)了?|买了|到货|到手|收了|加了|还有"
)
"""Words that say they are there by now."""
_ORDERED = ("which_to_buy", "budget")
"""What asks for hardware to order: who weighs renting speaks of as many cards as were said."""


def supposed(previous: Asked, changes: dict[str, Any], plain: str, *, anew: bool) -> dict[str, Any]:
    """The cards that are there, where a follow-up supposes more; what is to be ordered is ordered beside those alone.

    `anew`: whether the turn asks for hardware to order, whatever was supposed before.
    """
    there, now = previous.in_hand or previous.gpus_owned, changes.get("gpus_owned", previous.gpus_owned)
    more = _cards(now) > _cards(there) and {card.gpu for card in there} <= {card.gpu for card in now}
    if "gpus_owned" in changes and not (there and more and _SUPPOSED.search(plain) and not _BOUGHT.search(plain)):
        return {"in_hand": ()}
    if "gpus_owned" not in changes and not previous.in_hand:
        return {}
    priced = changes.get("matter") == "price" and "gpus_owned" not in changes
    if (anew or priced or changes.get("intent") in _ORDERED) and not (changes.get("params") or previous.params):
        return {"gpus_owned": (), "in_hand": there, **_priced(there, now)}
    if anew or changes.get("intent") in _ORDERED:
        return {"gpus_owned": there, "in_hand": ()}
    return {"in_hand": there}


def _priced(there: tuple[GpuCount, ...], now: tuple[GpuCount, ...]) -> dict[str, Any]:
    """The cards that were supposed beside those in hand, for which no work was told: their price is asked."""
    had = {card.gpu: card.count or 1 for card in there}
    more = [GpuCount(gpu=one.gpu, count=left) for one in now if (left := (one.count or 1) - had.get(one.gpu, 0)) > 0]
    return {
        "gpus_asked": tuple(one.gpu for one in more),
        "gpus_proposed": tuple(more),
        "matter": "price",
        "intent": "spec",
    }


def _cards(held: tuple[GpuCount, ...]) -> int:
    return sum(card.count or 1 for card in held)
