"""What hardware costs: owning against renting, a million tokens, a training run."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from assistant.answer import ToolCallRecord
from assistant.compose import amounts, names, numbers
from assistant.compose.acquisition import rents
from assistant.compose.electricity import energy_assumed
from assistant.compose.material import Material
from assistant.compose.orders import cheapest
from assistant.compose.over_term import over_term
from assistant.compose.pace import cite_pace
from assistant.compose.section import Section
from assistant.compose.sooner import within_a_week
from assistant.compose.span import lasting, span
from assistant.compose.table import table
from assistant.plan import boards
from assistant.plan import money as money_plan
from assistant.plan.apart import cheapest_offer, rented_and_bought
from assistant.plan.like_for_like import as_wide
from assistant.plan.nearest import in_its_place
from assistant.understand.running import read_running
from kb.units import HOUR_S, HOURS_PER_MONTH
from tools.configuration import Configuration

_TOKENS = re.compile(r"(?:百万|m(?:illion)?|1m)\s?(?:个)?\s?(?:output )?tokens?|mtok|每\s?token|per token", re.I)
_SPOT = re.compile(r"\bspot\b|抢占|竞价|reserved|预留|包年", re.I)
_RESERVED = re.compile(r"reserv|预留|包年|commit", re.I)
_SPOT_ONLY = re.compile(r"\bspot\b|抢占|竞价", re.I)
_PAYS = re.compile(
    r"(?:几|多少)个?(?:月|年)(?:才)?(?:能)?回本|多久(?:才)?(?:能)?回本|回本(?:周期|要多久|时间)"
    r"|how (?:long|many months)[^.?!]{0,40}(?:beat|pay|break|cheaper|recoup|worth)"
    r"|when (?:does|would|will|do)[^.?!]{0,40}(?:pay|break|beat)|payback",
    re.I,
)
_TCO = re.compile(
    r"(?<![a-z])tco(?![a-z])|total cost of owner|拥有成本|持有成本|总成本|总花费|总账|差多少|一共省|省多少"
    r"|(?:over|for|in) (?:the )?(?:next )?(?:\w+ )?years?[^.?!]{0,30}(?:cost|cheaper|save)"
    r"|which (?:costs|is) (?:less|cheaper) over",
    re.I,
)
_SHARE = re.compile(r"utili[sz]ation|how (?:busy|many hours)|利用率|使用率|多少小时|用多久", re.I)
"""Words that ask from what use on owning pays."""
CLEAR_RATIO = 1.5
"""Hours over those at which owning and renting meet, from which owning is clearly cheaper."""
_WARNINGS = (
    (re.compile("No price is known of"), "no_machine"), (re.compile("Prices older than 30 days: (?P<what>.+)"), "old"),
    (re.compile("offers used are older"), "old_offers"), (re.compile("No offer to rent"), "no_offer"),
    (re.compile("No price of these cards"), "no_price"), (re.compile("give tariff_per_kwh"), "no_tariff"),
)  # fmt: skip


def cost(material: Material) -> Section | None:
    """The estimate in words, its parts in a table; None when there is none."""
    record = next(material.records("estimate_cost"), None)
    if record is None:
        return None
    section = Section(
        _verdict(material, record), _headline(material, record) + cite_pace(material, "estimate_cost", record.result)
    )
    section.body = [within_a_week(material), _meeting(material, record), owning_table(material, record),
                    ways(material, record), _work(material, record)]  # fmt: skip
    section.caveats = list(warned(material, record.result))
    section.assumptions = list(_assumed(material, record))
    return section


def of_a_run(material: Material) -> bool:
    """Whether the cost of one training run was worked out, by itself or as the rent of the time it takes."""
    hired = any(material.results("estimate_training_time"))
    return any(
        result["run"] or (hired and any(one["term_cost"] for one in result["rent"]))
        for result in material.results("estimate_cost")
    )


def _stated(material: Material, record: ToolCallRecord) -> bool:
    """Whether the hours of use were; around the clock is also what is taken where they were not.

    What is paid every month is paid however many hours it is used.
    """
    told = record.request.get("hours_per_day") is not None or material.need.hours_per_month is not None
    return told or read_running(material.text).rent_is_monthly


def meets(material: Material) -> bool:
    """Whether owning and renting were held against each other."""
    return any(result["break_even"] for result in material.results("estimate_cost"))


def _verdict(material: Material, record: ToolCallRecord) -> Literal["recommendation", "estimate"]:
    asked_for_work = (record.result["tokens"] and _TOKENS.search(material.text)) or record.result["run"]
    return "recommendation" if record.result["break_even"] and not asked_for_work else "estimate"


def saves(run: Mapping[str, Any]) -> bool:
    """Whether a run on spot, with what interruptions cost, comes to less than one on demand."""
    return not run["rent_cost"] or run["spot_cost"]["value"] < run["rent_cost"]["value"]


def _headline(material: Material, record: ToolCallRecord) -> str:
    """The tokens, the run, who wins, or what it costs: what was asked about and could be worked out."""
    say, result = material.say, record.result
    tokens, run, met = result["tokens"], result["run"], result["break_even"]
    cards = names.cards(result["gpu"], result["gpu_count"])
    money = result["currency"]
    if tokens and _TOKENS.search(material.text):
        costs = [
            say(f"cost.{way}_million", cost=amounts.amount(tokens[f"{way}_million_cost"], money, hourly=True))
            for way in ("own", "rent") if tokens[f"{way}_million_cost"]
        ]  # fmt: skip
        told = say("cost.million", cards=cards, costs=say.listed(costs), busy=amounts.percent(result["utilisation"]))
        return told + _against_api(material, result)
    if run and (run["rent_cost"] or run["own_cost"]):
        ways = [
            say(f"cost.run_{way}", cost=amounts.amount(run[f"{way}_cost"], money)) for way in ("rent", "spot", "own")
            if run[f"{way}_cost"] and (way != "spot" or saves(run))
        ]  # fmt: skip
        hours, time = amounts.figure_range(run["gpu_hours"]), lasting(material, run["time_s"])
        return say("cost.run", cards=cards, costs=say.listed(ways), hours=hours, time=time)
    way = "reserved" if _RESERVED.search(material.text) and not _SPOT_ONLY.search(material.text) else "spot"
    spot = next((one for one in result["rent"] if one["purchase"] == way and one["saving_ratio"]), None)
    if spot and _SPOT.search(material.text) and not result["own"]:
        return say(f"cost.{way}", cards=cards, saving=amounts.percent_range(spot["saving_ratio"]),
                   spot=amounts.amount(spot["hourly_cost"], money, hourly=True),
                   full=amounts.amount(result["rent"][0]["hourly_cost"], money, hourly=True))  # fmt: skip
    if result["own"] and record.request.get("purchase_price") == 0 and result["rent"]:
        both = {
            "own": amounts.amount(result["own"]["monthly_cost"], money),
            "rent": amounts.amount(result["rent"][0]["monthly_cost"], money),
        }
        less = result["own"]["monthly_cost"]["value"] < result["rent"][0]["monthly_cost"]["value"]
        return say("cost.run_own_cards" if less else "cost.rent_instead", cards=cards, **both,
                   hours=numbers.count(result["hours_per_month"]))  # fmt: skip
    project = money_plan.weighs(material.text) and material.need.term_s is not None
    if met and (_TCO.search(material.text) or project) and not _SHARE.search(material.text):
        found = over_term(material, result, _leased(material, record) or cards)
        if found:
            return found
    if result["own"] and _TCO.search(material.text):
        own = result["own"]
        lacking = "" if own["complete"] else say("cost.incomplete")
        text = say("cost.tco", cards=cards, total=amounts.amount(own["total_cost"], money),
                   years=f"{result['years']:g}", purchase=amounts.amount(own["purchase_cost"], money), lacking=lacking,
                   monthly=amounts.amount(own["monthly_cost"], money))  # fmt: skip
        rent = next(iter(result["rent"]), None)
        return text + (say("cost.tco_rent", total=amounts.amount(rent["total_cost"], money)) if rent else "")
    if met and _PAYS.search(material.text):
        values = {
            "cards": cards, "years": f"{result['years']:g}", "hours": numbers.count(result["hours_per_month"]),
            "own": amounts.amount(result["own"]["monthly_cost"], money),
            "rent": amounts.amount(result["rent"][0]["monthly_cost"], money),
        }  # fmt: skip
        if met["months"]["value"] is None:
            return say("cost.pays_never", **values)
        return say("cost.pays_after", **values, how=say("cost.pays_hours", **values),
                   months=amounts.open_count(met["months"], say("cost.never")))  # fmt: skip
    monthly = material.need.term_s == HOURS_PER_MONTH * HOUR_S  # what a month comes to, each way
    if met and not monthly and not _stated(material, record) and met["hours_per_month"]["value"] is not None:
        lacking = "" if result["own"]["complete"] else say("cost.incomplete")
        hours = amounts.open_count(met["hours_per_month"], say("cost.never"))
        return say("cost.turning", cards=cards + lacking, hours=hours, share=amounts.percent(met["busy_ratio"]),
                   years=f"{result['years']:g}")  # fmt: skip
    if met:
        return _winner(material, record, cards)
    if result["own"]:
        own = result["own"]
        unoffered = rents(material) and not result["rent"]
        first = say("cost.warn_no_offer") + say("list.sentence") if unoffered else ""
        return first + say("cost.own", cards=cards, monthly=amounts.amount(own["monthly_cost"], money),
                   total=amounts.amount(own["total_cost"], money), years=f"{result['years']:g}")  # fmt: skip
    first = result["rent"][0]
    if first["term_cost"]:
        return say(
            "cost.rent_term",
            cards=cards,
            hourly=amounts.amount(first["hourly_cost"], money, hourly=True),
            total=amounts.amount(first["term_cost"], money),
            time=span(material, first),
        ) + _cheapest_at(material, first, money)
    other = next((one for one in result["rent"][1:] if one["purchase"] == way), None)
    if other and _SPOT.search(material.text):
        paid = {name: amounts.amount(one["hourly_cost"], money, hourly=True)
                for name, one in (("full", first), ("other", other))}  # fmt: skip
        return say("cost.beside", cards=cards, way=say(f"over.{way}"), **paid)
    told = say("cost.rent", cards=cards, hourly=amounts.amount(first["hourly_cost"], money, hourly=True),
               monthly=amounts.amount(first["monthly_cost"], money))  # fmt: skip
    told += _cheapest_at(material, first, money)
    if not project or not record.request.get("years"):
        return told
    return told + say("cost.rent_in_all", total=amounts.amount(first["total_cost"], money),
                      years=f"{result['years']:g}")  # fmt: skip


def _cheapest_at(material: Material, rent: dict[str, Any], money: str) -> str:
    """The cloud that lets it for the least, where offers were read; who says what they pay knows theirs."""
    if not rent["cheapest"]:
        return ""
    least = numbers.money(rent["hourly_cost"]["low"], money, hourly=True)
    return material.say("cost.cheapest_at", hourly=least, where=rent["cheapest"],
                        date=rent["as_of"] or material.say("cost.undated"))  # fmt: skip


def _against_api(material: Material, result: dict[str, Any]) -> str:
    """What the provider's price that was stated is beside it: below both ways, above both, or between."""
    asked, money = material.need.api_million_price, result["currency"]
    costs = [result["tokens"][f"{way}_million_cost"] for way in ("own", "rent")]
    known = [one["value"] for one in costs if one]
    if asked is None or not known:
        return ""
    key = "below" if asked < min(known) else "above" if asked > max(known) else "between"
    return material.say(f"cost.api_{key}", api=numbers.money(asked, money, hourly=True))


def _close(result: dict[str, Any]) -> bool:
    """Whether owning is ahead at the hours stated, but neither clearly nor certainly: what is rented can be given back.

    Clearly: half as many hours again as where the two meet; certainly: more than the upper end of that.
    """
    meet, hours = result["break_even"]["hours_per_month"], result["hours_per_month"]
    if meet["value"] is None or hours < meet["value"]:
        return False
    return hours < CLEAR_RATIO * meet["value"] and (meet["high"] is None or hours < meet["high"])


def _winner(material: Material, record: ToolCallRecord, cards: str) -> str:
    """Who is cheaper at the hours stated; that one is rented and another bought is said of both."""
    say, result, money = material.say, record.result, record.result["currency"]
    lease = _leased(material, record)
    own, rent = result["own"]["monthly_cost"]["value"], result["rent"][0]["monthly_cost"]["value"]
    key = "cost.even" if _close(result) else "cost.buy_wins" if own < rent else "cost.rent_wins"
    lacking = "" if result["own"]["complete"] else say("cost.incomplete")
    return say(key, leased=lease or cards, bought=say("cost.other", cards=cards) if lease else "",
               own=numbers.money(own, money) + lacking, rent=numbers.money(rent, money),
               hours=numbers.count(result["hours_per_month"]), years=f"{result['years']:g}")  # fmt: skip


def _lease(material: Material, record: ToolCallRecord) -> Configuration | None:
    """The cheapest configuration to rent, where its rent stands in because none is offered for the cards bought."""
    rented = as_wide([one for one in material.configurations if one.acquisition == "rent"], record.request)
    if record.request.get("rent_per_hour") is None or read_running(material.text).rent_per_hour is not None:
        return None
    return cheapest(rented) if rented else None


def _apart(material: Material, record: ToolCallRecord) -> str:
    """The card that is rented where another is bought, with where it is let and how old that price is."""
    if record.request.get("rent_per_hour") is None or read_running(material.text).rent_per_hour is not None:
        return ""
    pair, bought = rented_and_bought(material.text), record.result["gpu"]
    piece = boards.wanted(material.need, material.text)
    like = in_its_place(bought, material.need.provider) if money_plan.weighs(material.text) else None
    hired = pair[0] if pair and bought == pair[1] else like
    row = cheapest_offer(hired, material.need.provider) if hired else None
    if hired is None or row is None:
        return ""
    where = " ".join(filter(None, (row.provider, row.instance)))
    said = next((card.count for card in material.need.gpus_proposed if card.gpu == hired), None)
    let = said or int(row.gpu_count)
    as_many = hired == like and piece is None and record.result["gpu_count"] > 1
    count = (piece.count if piece else 1) if hired == like else let
    what = material.say("cost.as_many", card=names.gpu_name(hired)) if as_many else names.cards(hired, count or 1)
    return f"{what} ({where})"


def _leased(material: Material, record: ToolCallRecord) -> str:
    """What is rented, where it is not what is bought; empty where it is."""
    lease = _lease(material, record)
    return _apart(material, record) or (_named(lease) if lease else "")


def _named(one: Configuration) -> str:
    where = " ".join(filter(None, (one.provider, one.instance)))
    return f"{names.cards(one.gpu, one.gpu_count)} ({where})" if where else names.cards(one.gpu, one.gpu_count)


def _meeting(material: Material, record: ToolCallRecord) -> str:
    """From how many hours a month owning is cheaper, and after how many months it has paid."""
    say, met = material.say, record.result["break_even"]
    if not met or record.request.get("purchase_price") == 0:
        return ""
    stated = _stated(material, record)
    hours, months, never = met["hours_per_month"], met["months"], say("cost.never")
    texts = [
        say("cost.hours_never") if hours["value"] is None
        else say("cost.hours", hours=amounts.open_count(hours, never)),
        say("cost.months_never" if stated else "cost.always_never") if months["value"] is None
        else say("cost.months" if stated else "cost.always", months=amounts.open_count(months, never)),
    ]  # fmt: skip
    return ("" if say.language == "zh" else " ").join(texts)


def owning_table(material: Material, record: ToolCallRecord) -> str:
    """What owning consists of, a month and in all."""
    say, result = material.say, record.result
    own, money = result["own"], result["currency"]
    if not own or record.request.get("purchase_price") == 0:
        return ""
    rows = [[say("cost.row_purchase"), amounts.amount(own["purchase_cost"], money)]]
    rows += [[say(f"cost.part_{part['name']}"), amounts.amount(part["monthly_cost"], money)] for part in own["parts"]]
    rows += [
        [say("cost.row_monthly"), amounts.amount(own["monthly_cost"], money)],
        *_over(material, result),
        [say("cost.row_gpu_hour"), amounts.amount(own["gpu_hourly_cost"], money, hourly=True)],
    ]
    return table([say("cost.owning"), say("table.value")], rows)


def _over(material: Material, result: dict[str, Any]) -> list[list[str]]:
    """The row of all the years, where they are years: what cards fetch sooner nobody has read."""
    years, say = result["years"], material.say
    if years < 1:
        return []
    name = say("cost.row_total_one") if years == 1 else say("cost.row_total", years=f"{years:g}")
    return [[name, amounts.amount(result["own"]["total_cost"], result["currency"])]]


def ways(material: Material, record: ToolCallRecord) -> str:
    """Ways to rent in one line each: price, where the cheapest is, what it saves."""
    say, result = material.say, record.result
    lines = []
    for one in result["rent"]:
        price = amounts.amount(one["hourly_cost"], result["currency"], hourly=True)
        line = "- " + say(f"cost.way_{one['purchase']}", price=price)
        if one["saving_ratio"]:
            line += say("cost.saving", saving=amounts.percent_range(one["saving_ratio"]))
        if one["cheapest"]:
            line += say("cost.cheapest", where=one["cheapest"], date=one["as_of"] or say("cost.undated"))
        elif one["basis"] == "given" and (lease := _leased(material, record)):
            line += say("cost.basis_offer" if _apart(material, record) else "cost.basis_lease", where=lease)
        elif one["basis"] != "offers":
            line += say(f"cost.basis_{one['basis']}")
        lines.append(line)
    return "\n".join([f"**{say('cost.renting')}**", "", *lines]) if lines else ""


def _work(material: Material, record: ToolCallRecord) -> str:
    """The price of tokens beside another question."""
    say, tokens, money = material.say, record.result["tokens"], record.result["currency"]
    if not tokens or _TOKENS.search(material.text):
        return ""
    costs = [
        say(f"cost.{way}_million", cost=amounts.amount(tokens[f"{way}_million_cost"], money, hourly=True))
        for way in ("own", "rent") if tokens[f"{way}_million_cost"]
    ]  # fmt: skip
    return say("cost.tokens", costs=say.listed(costs), busy=amounts.percent(record.result["utilisation"]))


def warned(material: Material, result: dict[str, Any]) -> Iterator[str]:
    """The tool's warnings in words."""
    for warning in result["warnings"]:
        for pattern, key in _WARNINGS:
            if match := pattern.search(warning):
                yield material.say(f"cost.warn_{key}", **{"what": "", **_stripped(match)})


def _stripped(match: re.Match[str]) -> dict[str, str]:
    return {name: text.rstrip(".") for name, text in match.groupdict().items()}


def _used(material: Material, record: ToolCallRecord) -> Iterator[str]:
    """How long and how much the cards are taken to be used, where it was not said."""
    say, request, result = material.say, record.request, record.result
    if request.get("years") is None:
        yield say("cost.assume_years", years=f"{result['years']:g}")
    if not _stated(material, record):
        yield say("cost.assume_always")
    else:
        yield say("cost.usage", hours=numbers.count(result["hours_per_month"]))
    if request.get("utilisation") is None:
        yield say("cost.assume_busy", busy=amounts.percent(result["utilisation"]))


def _assumed(material: Material, record: ToolCallRecord) -> Iterator[str]:
    say, request, result = material.say, record.request, record.result
    if any(one["term_cost"] for one in result["rent"]) and not result["own"]:
        return
    if (form := request.get("weight_format")) and material.understanding.need.weight_format is None:
        yield say("cost.assume_format", format=names.format_name(form))
    own = result["own"]
    if own or not result["run"]:  # a run that is rented ends, and is paid by its hours
        yield from _used(material, record)
    if own:
        yield say("cost.assume_residual", share=amounts.percent(own["residual_ratio"]["value"]))
        yield from energy_lines(material, record)
        yield say("cost.assume_staff")
    if any(one["purchase"] == "spot" for one in result["rent"]) and _SPOT.search(material.text):
        yield say("cost.assume_spot")
    if result["tokens"] and request.get("concurrent_sequences") is None:
        yield say("cost.assume_sequences", count=result["tokens"]["concurrent_sequences"])


def energy_lines(material: Material, record: ToolCallRecord) -> Iterator[str]:
    """What was taken for electricity."""
    yield from energy_assumed(material, record.request, record.result["energy"])
