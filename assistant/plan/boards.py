"""Cards that nobody sells by the piece: they come soldered in whole servers, and fewer of them are only rented."""

from assistant.plan import requests
from assistant.plan.ways import buys
from kb.catalog import gpu, gpus
from tools.configure.market.sold import ORDERABLE
from tools.configure.market.suitable import machine_sizes, sold_in_systems
from tools.need import GpuCount, Need


def unsold(card: GpuCount) -> tuple[int, ...]:
    """The sizes of server such a card comes in, where so many of it fill none; empty where they can be bought."""
    if card.gpu not in gpus() or not card.count or not sold_in_systems(gpu(card.gpu)):
        return ()
    if gpu(card.gpu).status not in ORDERABLE:
        return ()  # of old boards, single modules are traded second-hand
    sizes = machine_sizes(gpu(card.gpu))
    return () if card.count in sizes or card.count % sizes[-1] == 0 else sizes


def whole(card: GpuCount) -> GpuCount:
    """The card in the fewest whole servers that bring as many."""
    sizes = unsold(card)
    if not sizes or card.count is None:
        return card
    most = sizes[-1]
    enough = next((size for size in sizes if size >= card.count), -(-card.count // most) * most)
    return card.model_copy(update={"count": enough})


def wanted(need: Need, text: str) -> GpuCount | None:
    """The first card that is to be bought in a number in which nobody sells it; None where there is none."""
    if not buys(text) and need.acquisition != "buy":
        return None
    in_hand = {card.gpu for card in need.gpus_owned}
    named = (card for card in (*requests.cards(need), *need.gpus_proposed) if card.gpu not in in_hand)
    return next((card for card in named if unsold(card)), None)
