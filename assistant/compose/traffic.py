"""A month's tokens: the provider's bill, the cheapest hardware that makes as many, and where the two meet."""

import re
from typing import Any

from assistant.answer import ToolCallRecord
from assistant.compose import amounts, clarify, cost, names, numbers
from assistant.compose.citations import joined
from assistant.compose.material import Material
from assistant.compose.pace import cite_pace
from assistant.compose.section import Section
from assistant.compose.table import table
from kb.catalog import sources

SHOWN_MAX = 4
CLEARLY = 1.1
"""Bills closer than this are the same: rents differ by more from one day to the next."""

_SERVICE = re.compile(
    r"\bapis?\b|provider|hosted|serverless|openrouter|together|groq|deepinfra|fireworks|cheaper|worth|pay off"
    r"|接口|调用|服务商|官方|划算|便宜|值得|回本|自建|自部署",
    re.I,
)
"""Words that hold hardware against a service."""
_COST = re.compile(r"\bcosts?\b|how much|\bprices?\b|\bbudget|多少钱|费用|成本|花费|开销|预算", re.I)
"""Words that ask what the hardware comes to."""
_UNITS = {"zh": (("yi", 1e8), ("wan", 1e4)), "en": (("billions", 1e9), ("millions", 1e6))}
"""Large units of each language, the largest first."""


def traffic(material: Material) -> Section | None:
    """Who is cheaper for the month's tokens, by how much, and from how many tokens that turns."""
    found = sorted(
        (one for one in material.records("estimate_cost") if one.result.get("volume") and _ways(one)), key=_least
    )
    if not found:
        return None
    best, say = found[0], material.say
    section = Section("recommendation", _headline(material, best) + cite_pace(material, "estimate_cost", best.result),
                      settled=True)  # fmt: skip
    section.body = [_turning(material, best), _table(material, found[:SHOWN_MAX])]
    section.caveats = [*cost.warned(material, best.result), say("traffic.spare")]
    busy = amounts.percent(best.result["utilisation"])
    section.assumptions = [say("traffic.output"), say("cost.assume_busy", busy=busy),
                           *clarify.ambiguous_names(material)]  # fmt: skip
    return section


def _volume(record: ToolCallRecord) -> dict[str, Any]:
    found: dict[str, Any] = record.result["volume"]
    return found


def _ways(record: ToolCallRecord) -> list[tuple[float, str]]:
    """What each way costs a month, the cheaper first: renting at the cheapest offer, owning as expected.

    A purchase of which a part has no price is not among them.
    """
    own, rent = _volume(record)["own_cost"], _volume(record)["rent_cost"]
    known = [(rent["low"], "rent")] if rent else []
    return sorted([*known, *([(own["value"], "own")] if own and record.result["own"]["complete"] else [])])


def _least(record: ToolCallRecord) -> float:
    return _ways(record)[0][0]


def _cards(record: ToolCallRecord) -> str:
    return names.cards(record.result["gpu"], _volume(record)["gpu_count"])


def _headline(material: Material, best: ToolCallRecord) -> str:
    say, volume, money = material.say, _volume(best), best.result["currency"]
    least, way = _ways(best)[0]
    first = best.result["rent"][0] if way == "rent" else None
    values = {
        "tokens": _tokens(material, volume["tokens_per_month"]), "cards": _cards(best), "cost": _money(least, money),
        "where": say("traffic.where", where=first["cheapest"], date=first["as_of"] or say("cost.undated"))
        if first and first["cheapest"] else "", "busy": amounts.percent(volume["busy_ratio"]),
    }  # fmt: skip
    values["purchase"] = _money(volume["purchase_cost"]["value"], money) if volume["purchase_cost"] else ""
    each = numbers.money(volume[f"{way}_million_cost"], money, hourly=True)
    if volume["api_cost"] is None:
        return say(f"traffic.{way}_alone", **values) + say("traffic.each", each=each)
    if volume["api"] and _COST.search(material.text) and not _SERVICE.search(material.text):
        told = say(f"traffic.{way}_alone", **values) + say("traffic.beside", each=each)
        return told + _listed(material, volume["api"], money)
    api = volume["api_cost"]
    key = "api" if api * CLEARLY < least else way if least * CLEARLY < api else "even"
    told = say(f"traffic.{key}", **values, api=_money(api, money), way=say(f"traffic.way_{way}"))
    return told + _listed(material, volume["api"], money)


def _listed(material: Material, prices: list[dict[str, Any]], money: str) -> str:
    """Whose price that is where nobody stated one, and what the dearest asks."""
    if not prices:
        return ""
    least, most, say = prices[0], prices[-1], material.say
    source = sources()[least["source"]]
    told = say(
        "traffic.listed", provider=least["provider"], date=least["as_of"],
        input=numbers.money(least["input_million_price"], money, hourly=True),
        output=numbers.money(least["output_million_price"], money, hourly=True),
    )  # fmt: skip
    if most["output_million_price"] > CLEARLY * least["output_million_price"]:
        dearest = numbers.money(most["output_million_price"], money, hourly=True)
        told = told.rstrip(".。") + say("traffic.dearest", provider=most["provider"], output=dearest)
    return told + joined([material.cites.cite("catalog", source.title, source.url or "", source.title)])


def _turning(material: Material, best: ToolCallRecord) -> str:
    """From how many tokens a month the hardware is cheaper than the provider."""
    volume = _volume(best)
    if volume["api_cost"] is None:
        return ""
    even = volume["even_tokens_per_month"]
    if even is None:
        return material.say("traffic.never", cards=names.cards(best.result["gpu"], best.result["gpu_count"]))
    return material.say("traffic.turns", tokens=_tokens(material, even))


def _tokens(material: Material, count: float) -> str:
    """A month's tokens in the large unit of the language, to three figures."""
    for unit, size in _UNITS[material.say.language]:
        if count >= size:
            return material.say(f"traffic.{unit}", count=f"{float(f'{count / size:.3g}'):g}")
    return numbers.count(count)


def _money(value: float, currency: str) -> str:
    return numbers.money(amounts.rounded(value), currency)


def _table(material: Material, found: list[ToolCallRecord]) -> str:
    say = material.say
    head = [say("traffic.hardware"), say("traffic.rent_month"), say("traffic.own_month"), say("traffic.busy")]
    rows = []
    for one in found:
        volume, money = _volume(one), one.result["currency"]
        ways = {way: cost for cost, way in _ways(one)}
        form = one.request.get("weight_format")
        named = _cards(one) + (f" ({names.format_name(form)})" if form else "")
        rows.append([
            named, *(_money(ways[way], money) if way in ways else "–" for way in ("rent", "own")),
            amounts.percent(volume["busy_ratio"]),
        ])  # fmt: skip
    return table(head, rows)
