"""The machine around so many cards: the board with its slots and lanes, the case and the supply."""

from assistant.compose import electricity, names, numbers
from assistant.compose.amounts import watts
from assistant.compose.citations import joined
from assistant.compose.material import Material
from assistant.compose.pace import cite_pace
from assistant.compose.section import Section
from assistant.compose.table import table
from assistant.plan import requests
from kb.catalog import gpu
from kb.market.components import components
from kb.records.component import Component
from tools.configuration import Configuration, Item

SHOWN = ("motherboard", "server", "system", "cpu", "cpu_cooler", "memory", "case")
"""Parts spelled out; the supply is planned for the cards instead."""
CASE_SLOTS = 8
"""Slots in the back of a large tower."""


def rig(material: Material) -> Section | None:
    """The board or server for as many cards as were named; None where nothing that is sold takes them."""
    card = requests.cards(material.need)[0]
    count = card.count or 1
    found = next(
        (one for one in material.configurations if one.gpu == card.gpu and one.gpu_count == count and one.items), None
    )
    if found is None:
        return None
    say, parts = material.say, {item.part: item for item in found.items}
    cards = names.cards(card.gpu, count)
    board, whole = parts.get("motherboard"), parts.get("server") or parts.get("system")
    if board is None and whole is None:
        return None
    if board is None:
        headline = say("rig.server", cards=cards, machine=whole.product if whole else "")
    else:
        key = {1: "rig.single", 2: "rig.pair"}.get(count, "rig.board")
        cpu = parts["cpu"]
        headline = say(key, cards=cards, board=board.product, cpu=cpu.product, slots=_slots(board), lanes=_lanes(cpu))
        headline += _cite_board(material, board, cpu)
    section = Section("recommendation", headline + (_supply(material) or say("rig.stop")), settled=True)
    section.body = [table([say("rig.part"), say("rig.product")], _rows(material, found), numeric=False)]
    section.configurations = [found]
    section.caveats = [*_room(material, card.gpu, count), say("rig.risers")] if count > 1 else []
    return section


def _component(item: Item) -> Component | None:
    """The part of the catalog that a line of the bill names."""
    return next((one for one in components().values() if item.product.endswith(one.name)), None)


def _slots(item: Item) -> int:
    one = _component(item)
    return (one.gpu_slots if one else None) or 1


def _lanes(item: Item) -> int:
    one = _component(item)
    return (one.pcie_lanes if one else None) or 0


def _cite_board(material: Material, board: Item, cpu: Item) -> str:
    quote = f"{board.product}: gpu_slots = {_slots(board)}; {cpu.product}: pcie_lanes = {_lanes(cpu)}"
    return joined([material.cites.cite("catalog", board.product, "components", quote)])


def _supply(material: Material) -> str:
    """The supply that the cards and the machine want, as it was planned."""
    record = next(iter(material.records("plan_power")), None)
    supply = record.result.get("supply") if record else None
    if record is None or not supply:
        return ""
    inside = watts(record.result["inside_max_w"])
    told = material.say("rig.supply", rated=electricity.rated(supply), inside=inside)
    return told + cite_pace(material, "plan_power", record.result)


def _rows(material: Material, one: Configuration) -> list[list[str]]:
    rows = []
    for item in one.items:
        if item.part in SHOWN:
            product = f"{item.count} × {item.product}" if item.count > 1 else item.product
            rows.append([material.say(f"rig.part_{item.part}"), product])
    return rows


def _room(material: Material, key: str, count: int) -> list[str]:
    """How many slots' width the cards fill, where it is known."""
    width = gpu(key).slot_width
    said = {"Single-slot": 1, "Dual-slot": 2, "Triple-slot": 3, "Quad-slot": 4}.get(width or "")
    if said is None:
        return []
    quote = f"{width}; {count} x {said}"
    cited = joined([material.cites.cite("catalog", names.gpu_name(key), f"gpus/{key}", quote)])
    way = "rig.room" if said * count > CASE_SLOTS else "rig.room_two"
    return [material.say(way, cards=names.cards(key, count), each=said, all=numbers.count(said * count)) + cited]
