"""What a card will fetch used: today's price, the usual share of it that is left, and how wide that is."""

from assistant.compose import amounts, clarify, names, numbers
from assistant.compose.material import Material
from assistant.compose.pace import cite_pace
from assistant.compose.section import Section


def resale(material: Material) -> Section | None:
    """Its price today times what is usually left after so many years; what moves it."""
    record = next(material.records("estimate_cost"), None)
    own = record.result["own"] if record else None
    if record is None or own is None:
        return None
    say, money, years = material.say, record.result["currency"], record.result["years"]
    values = {
        "cards": names.cards(record.result["gpu"], record.result["gpu_count"]), "years": f"{years:g}",
        "value": amounts.amount(own["resale_cost"], money), "share": amounts.percent(own["residual_ratio"]["value"]),
        "price": numbers.money(amounts.rounded(own["purchase_cost"]["value"]), money),
        "date": own["prices"][0]["as_of"] or say("cost.undated"),
    }  # fmt: skip
    headline = say("resale.worth_one" if years == 1 else "resale.worth", **values)
    section = Section("estimate", headline + cite_pace(material, "estimate_cost", record.result), settled=True)
    section.body = [say("resale.moves")]
    section.assumptions = clarify.ambiguous_names(material)
    return section
