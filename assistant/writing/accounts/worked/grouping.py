"""Which cards of a machine talk fast among each other: by a pasted table, by what is said of links, by bridges."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from assistant.reading.situation import Situation
from assistant.writing.setups import THOUGHT_OF, Setup
from kb.records.gpu import Gpu

FAR = frozenset({"SYS", "NODE"})
"""Paths over the link between processors, or over the bridges of one."""
NEAR = frozenset({"PIX", "PXB", "PHB"})
TABLE = "topology_matrix"


class Groups(NamedTuple):
    """Cards in groups of so many that talk fast."""

    size: int
    near: str
    """What joins the cards of a group: NV4, PHB."""
    far: str
    """What lies between groups: SYS, PCIe."""
    named: tuple[tuple[int, ...], ...] = ()
    """By the numbers of the cards, where a table tells them."""


def groups(situation: Situation, setup: Setup, gpu: Gpu | None, count: int) -> Groups | None:
    """The groups, smaller than the whole; None where all cards are joined alike or nothing is known of it."""
    found = _pasted(situation) or _said(situation, setup) or _bridged(situation, setup, gpu, count)
    return found if found is not None and 1 < found.size < count else None


def _pasted(situation: Situation) -> Groups | None:
    """From a table of links: cards that NVLink joins, else those under one bridge."""
    links: dict[tuple[int, int], str] = {}
    for one in situation.stated:
        ends = [int(number) for number in re.findall(r"\d+", one.of or "")]
        if one.kind == TABLE and one.name == "link" and len(ends) == 2:
            links[(min(ends), max(ends))] = str(one.value)
    codes = set(links.values())
    near = {code for code in codes if code.startswith("NV")} or codes & NEAR
    if not near or not codes - near:
        return None
    cards = sorted({card for pair in links for card in pair})
    kept: list[tuple[int, ...]] = []
    for card in cards:
        if not any(card in group for group in kept):
            mates = (other for other in cards if links.get((min(card, other), max(card, other))) in near)
            kept.append((card, *mates))
    return Groups(min(len(group) for group in kept), sorted(near)[-1], sorted(codes - near)[-1], tuple(kept))


def _said(situation: Situation, setup: Setup) -> Groups | None:
    """From links that are told one by one: these two so, across otherwise."""
    values = [one.value for one in (*setup.every("link"), *situation.known) if one.slot == "link"]
    paths = [value for value in values if isinstance(value, dict) and value.get("path")]
    far = next((str(value["path"]) for value in paths if value["path"] in FAR), None)
    near = next((value for value in paths if value["path"] not in FAR and value.get("together")), None)
    return Groups(int(near["together"]), str(near["path"]), far) if far and near else None


def _bridged(situation: Situation, setup: Setup, gpu: Gpu | None, count: int) -> Groups | None:
    """Bridges that join two of more cards, where the person has them."""
    said: Sequence[object] = [
        *(one.value for one in setup.every("link", *THOUGHT_OF)),
        *(one.value for one in setup.every("accessory", *THOUGHT_OF)),
    ]
    linked = any("nvlink" in str(value).lower() for value in said)
    told = next((value["together"] for value in said if isinstance(value, dict) and value.get("together")), None)
    if linked and told and told < count:
        return Groups(int(told), "NVLink", "PCIe")
    if gpu is None or not gpu.link_cards or not linked or gpu.link_cards >= count:
        return None
    return Groups(gpu.link_cards, "NVLink", "PCIe")
