"""Whether the circuit or the rack that was named feeds what is chosen or proposed."""

from assistant.answer import ToolCallRecord
from assistant.compose import amounts, electricity, names
from assistant.compose.material import Material
from assistant.compose.pace import cite_pace
from assistant.compose.section import Section
from assistant.plan import fed as planned


def lead(material: Material, main: Section) -> None:
    """Say it of each set of cards; of several the one that is fed comes before what else is said of them."""
    if not planned.asked(material.understanding):
        return
    records = list(material.records("plan_power"))
    told = [_racked(material, record) or electricity.fed(material, record) for record in records]
    told = told or _within(material)
    if not told:
        return
    main.body.insert(0, "\n".join(f"- {line}" for line in told) if len(told) > 1 else told[0])
    holding = [record for record in records if _feeds(record)]
    if len(records) > 1 and 0 < len(holding) < len(records):
        cards = material.say.listed([names.cards(one.result["gpu"], one.result["gpu_count"]) for one in holding])
        main.body.insert(1, main.headline)
        main.headline = material.say("fed.only", cards=cards)


def _racked(material: Material, record: ToolCallRecord) -> str:
    """What a machine draws that is no server, beside the power of the rack; empty where racks were planned."""
    limit, result = record.request.get("rack_limit_w"), record.result
    if not limit or result["racks"] or record.request.get("circuit_amps"):
        return ""
    key = "rack_yes" if result["wall_max_w"] <= limit else "rack_no"
    cards = names.cards(result["gpu"], result["gpu_count"])
    told = material.say(f"fed.{key}", cards=cards, wall=amounts.watts(result["wall_max_w"]), limit=amounts.watts(limit))
    return told + cite_pace(material, record.tool, result)


def _within(material: Material) -> list[str]:
    """What the cards proposed draw of what the circuit leaves for cards, where their machine was not planned."""
    best = next(iter(material.configurations), None)
    left = next((one.request.get("max_power_w") for one in material.records("configure")), None)
    if not left or best is None or not best.power_w or best.acquisition != "buy":
        return []
    values = {"cards": names.cards(best.gpu, best.gpu_count), "draw": amounts.watts(best.power_w)}
    return [material.say("fed.within", **values, left=amounts.watts(left))]


def _feeds(record: ToolCallRecord) -> bool:
    """Whether one circuit carries it for hours, or one rack holds it."""
    result, request = record.result, record.request
    if request.get("circuit_amps"):
        return bool(result["circuits"][0]["verdict"] == "yes")
    return not request.get("rack_limit_w") or bool(result["racks"] and result["racks"][0]["racks"])
