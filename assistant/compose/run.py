"""A training run on named cards: how long, how many GPU-hours, and what they come to at dated rents."""

from typing import Any

from assistant.answer import ToolCallRecord
from assistant.compose import amounts, cost, fit, names, numbers, pace, paces, progress
from assistant.compose.arithmetic import arithmetic, workload
from assistant.compose.by_then import by_then
from assistant.compose.material import Material
from assistant.compose.orders import chosen
from assistant.compose.pace import cite_pace
from assistant.compose.section import Section
from assistant.compose.span import lasting, span
from assistant.plan import duration, from_scratch, money, requests
from assistant.plan.like_rent import in_hand
from assistant.understand.term import find_term


def timed(material: Material) -> Section:
    """Whether its stated speed is normal, or how long a training takes, with what it costs where that is asked too."""
    if verdict := progress.judged(material):
        return Section("estimate", verdict, settled=True)
    section = (
        _on_each(material)
        or _priced(material)
        or _on_order(material)
        or paces.each(material)
        or _by_number(material, pace.training_time(material))
    )
    section.headline = _by_then(material, section) + fit.begun(section.headline)
    if section.verdict == "estimate" and (told := progress.judged_time(material)):
        section.headline = told
    elif from_scratch.taken(material.understanding, material.need):
        section.headline = _for_data(material, section.headline)
    return section


def _by_then(material: Material, section: Section) -> str:
    """Whether the cards finish by the deadline that was set, before the time they take."""
    timed = section.verdict == "estimate" and len({one.gpu for one in requests.cards(material.need)}) == 1
    return by_then(material, next(material.results("estimate_training_time"), {}).get("time_s")) if timed else ""


def _for_data(material: Material, headline: str) -> str:
    """The time after the amount of text that it rests on, where nobody said one."""
    own = from_scratch.recipe(material.understanding, material.need)
    key = "pace.for_recipe" if own else "pace.for_data"
    return material.say(
        key, tokens=numbers.params(material.need.dataset_tokens or 0), headline=headline[:1].lower() + headline[1:]
    )


def _on_each(material: Material) -> Section | None:
    """The time, and the price where it is asked, on one set of cards and on another; None where only one was timed."""
    say = material.say
    by_cards: dict[tuple[str, int], ToolCallRecord] = {}
    for one in material.records("estimate_training_time"):
        if one.result.get("time_s"):
            by_cards.setdefault((one.result["gpu"], one.result["gpu_count"]), one)
    asked = {card.gpu for card in duration.either(material.need)}
    if len(by_cards) < 2 or {gpu for gpu, _ in by_cards} != asked:
        return None
    section = pace.training_time(material)
    if section.verdict == "does_not_fit":
        return None
    bills = {(one.result["gpu"], one.result["gpu_count"]): one for one in material.records("estimate_cost")}
    ways = []
    for cards, one in sorted(by_cards.items(), key=lambda item: float(item[1].result["time_s"]["value"])):
        text = say("pace.time_on", cards=names.cards(*cards), value=pace.lasting(material, one))
        text += cite_pace(material, one.tool, one.result)
        if (bill := bills.get(cards)) is not None and bill.result["run"]:
            costs = _costs(material, bill.result, bill.result["run"], bill.result["currency"])
            text += say("list.comma") + say.listed(costs[:2]) if costs else ""
            text += cite_pace(material, "estimate_cost", bill.result)
            section.caveats += [said for said in cost.warned(material, bill.result) if said not in section.caveats]
        ways.append(text)
    section.headline = say("pace.times", ways=say("list.semicolon").join(ways))
    section.body, section.verdict, section.settled = [], "comparison", True
    return section


def _by_number(material: Material, section: Section) -> Section:
    """The time on each number of cards that was worked out, where their number is the question, too."""
    timed = [one for one in material.records("estimate_training_time") if one.result.get("time_s")]
    kinds = {one.result["gpu"] for one in timed}
    if len(kinds) != 1 or len({one.result["gpu_count"] for one in timed}) < 2:
        return section
    ways = [
        material.say(
            "pace.time_on", cards=names.cards(one.result["gpu"], one.result["gpu_count"]),
            value=pace.lasting(material, one),
        ) + cite_pace(material, one.tool, one.result)
        for one in timed
    ]  # fmt: skip
    section.headline = material.say("pace.times", ways=material.say.listed(ways))
    return section


def _on_order(material: Material) -> Section | None:
    """How long it takes on what could be ordered, where no card was named."""
    rows = [one for one in material.configurations if (one.speed or {}).get("time_s")]
    if not rows or not material.estimates or any(material.records("estimate_training_time")):
        return None
    main, first = material.estimates[0], chosen(rows)[0]
    figure, unit = numbers.duration(float((first.speed or {})["time_s"] or 0))
    what, cards = fit.begun(workload(material, main)), names.cards(first.gpu, first.gpu_count)
    headline = material.say("run.on_order", what=what, cards=cards, time=f"{figure} {material.say(f'unit.{unit}')}")
    return fit.finished(material, Section("recommendation", headline, [arithmetic(material, [main])]), main)


def _priced(material: Material) -> Section | None:
    """Time and price together; None where the price was not asked for or not worked out."""
    record = next(material.records("estimate_cost"), None)
    if record is None or not record.result["run"] or not money.prices_run(material.text, material.need):
        return None
    paced = next(material.records("estimate_training_time"), None)
    section = pace.training_time(material) if paced else Section("estimate", "")
    if section.verdict == "does_not_fit":
        section.body.insert(0, _headline(material, record))
    else:
        section.headline = _headline(material, record)
    section.body.insert(1, cost.ways(material, record))
    section.body.insert(2, _for_the_term(material, record.result))
    section.caveats += cost.warned(material, record.result)
    return section


def _for_the_term(material: Material, result: dict[str, Any]) -> str:
    """What the cards cost for the time they are said to be rented, where that is not the run's own."""
    rent = next((one for one in result["rent"] if one["purchase"] == "on_demand" and one["term_cost"]), None)
    if rent is None or find_term(material.text) is None:
        return ""
    return material.say(
        "cost.rent_term",
        cards=names.cards(result["gpu"], result["gpu_count"]),
        hourly=amounts.amount(rent["hourly_cost"], result["currency"], hourly=True),
        total=amounts.amount(rent["term_cost"], result["currency"]),
        time=span(material, rent),
    )


def _headline(material: Material, record: ToolCallRecord) -> str:
    result, say = record.result, material.say
    found, currency = result["run"], result["currency"]
    lets = found["rent_cost"] or in_hand(material.need, material.text)
    text = say(
        "run.time" if lets else "run.time_unlet",
        card=names.gpu_name(result["gpu"]),
        cards=names.cards(result["gpu"], result["gpu_count"]),
        time=lasting(material, found["time_s"]),
        hours=amounts.figure_range(found["gpu_hours"]),
        costs=(say.listed if lets else say("list.semicolon").join)(_costs(material, result, found, currency)),
    )
    return text + cite_pace(material, "estimate_cost", result)


def _costs(material: Material, result: dict[str, Any], found: dict[str, Any], currency: str) -> list[str]:
    """Rent at the cheapest, in the middle and on spot; owned cards first where they are in hand."""
    say, first = material.say, next((one for one in result["rent"] if one["purchase"] == "on_demand"), None)
    costs = []
    if found["rent_cost"] and first:
        middle = numbers.money(amounts.rounded(found["rent_cost"]["value"]), currency)
        least = numbers.money(amounts.rounded(found["cheapest_cost"]), currency)
        where = first["cheapest"] or ""
        dated = say("bill.where", where=where, date=first["as_of"] or say("cost.undated")) if where else ""
        costs.append(say("run.rent_least", cost=least, where=dated) if least != middle else
                     say("run.rent", cost=middle, where=dated))  # fmt: skip
        if least != middle:
            costs.append(say("run.rent_middle", cost=middle, count=first["offers"]))
    if found["spot_cost"] and cost.saves(found):
        spot = numbers.money(amounts.rounded(found["spot_cost"]["value"]), currency)
        costs.append(say("run.spot", cost=spot))
    mine = in_hand(material.need, material.text)
    if not mine and not costs:
        costs = _alike(material, result["gpu"], currency)
    if found["own_cost"]:
        own = say(
            "run.own" if mine else "run.owning",
            cost=numbers.money(amounts.rounded(found["own_cost"]["value"]), currency),
        )
        costs = [own, *costs] if mine else [*costs, own]
    return costs


def _alike(material: Material, card: str, currency: str) -> list[str]:
    """The rent of the same training on the nearest cards that are let."""
    for one in material.records("estimate_cost"):
        found, first = one.result["run"], next(iter(one.result["rent"]), None)
        if one.result["gpu"] == card or not found or not found["rent_cost"] or not first:
            continue
        where = material.say("bill.where", where=first["cheapest"] or "", date=first["as_of"] or "–")
        return [
            material.say(
                "run.rent_alike",
                cards=names.cards(one.result["gpu"], one.result["gpu_count"]),
                cost=numbers.money(amounts.rounded(found["cheapest_cost"]), currency),
                where=where if first["cheapest"] else "",
            )
            + cite_pace(material, "estimate_cost", one.result)
        ]
    return []
