"""What a machine draws and needs: the supply, the outlet, the rack or the bill that was asked about leads."""

import re
from collections.abc import Iterator
from typing import Any

from assistant.answer import ToolCallRecord
from assistant.compose import amounts, names, numbers
from assistant.compose.material import Material
from assistant.compose.pace import cite_pace
from assistant.compose.section import Section
from assistant.compose.table import table
from assistant.plan import feeding, money, of_each, requests
from assistant.understand.sources import find_source
from assistant.understand.text import Text
from kb.units import DAY_S

_BILL = re.compile(
    r"(?:电费|度电|用电)[^，。？?,]{0,8}(?:多少|几|大概)|(?:多少|几)(?:度电|电费)"
    r"|how much[^.?!]{0,40}electricity|electricity[^.?!]{0,24}(?:cost|bill|come to)",
    re.I,
)
"""Words that ask for the bill, whatever is said of how the cards were come by."""
_HOSTED = re.compile(r"托管|机柜租|机位|\bcolo(?:cation)?\b|\bhosting fees?\b|rack rent", re.I)
"""Words of a place in somebody else's hall."""
_POWERS_OFF = re.compile(
    r"power(?:s|ed|ing)? (?:\w+ ){0,3}off|shuts? (?:down|off)|reboots?|restarts? (?:itself|when)|turns? off|blacks? out"
    r"|跳闸|断电|关机|重启|黑屏|掉电", re.I,
)  # fmt: skip
_RACKS = re.compile(r"机柜|机架|\brack|cabinet", re.I)
_UPS = re.compile(r"(?<![a-z])ups(?![a-z])|不间断|uninterruptible", re.I)
_SUPPLY = re.compile(r"电源|(?<![a-z])psu|power suppl", re.I)
_COOLING = re.compile(r"散热|风量|制冷|空调|发热|冷却|cooling|airflow|\bbtu\b|\bcfm\b|heat|air con|\bac\b|liquid", re.I)
_WARNINGS = (
    (re.compile("power limit lowers"), "spikes_remain"), (re.compile("Nobody measured"), "limit_of_others"),
    (re.compile("liquid cooling is needed"), "liquid"), (re.compile("An ordinary outlet"), "electrician"),
    (re.compile("Server fans are loud"), "loud"), (re.compile("give tariff_per_kwh"), "no_tariff"),
    (re.compile(r"price of electricity is of (?P<date>[\d-]+)"), "old_tariff"),
)  # fmt: skip


_KILOWATTS = re.compile(r"(?<![a-z])kw(?!h)|千瓦(?!时)|kilowatts?(?! ?-?hour)", re.I)


def electricity(material: Material) -> Section | None:
    """The plan of the first machine, and in short those of the others; None when none was planned."""
    records = list(material.records("plan_power"))
    if not records:
        return None
    first = records[0]
    section = Section("estimate", _headline(material, first) + cite_pace(material, "plan_power", first.result))
    section.body = [_table(material, first), _circuits(material, first), _racks(material, first)]
    section.body += others(material)
    section.caveats = list(_warned(material, first.result))
    section.assumptions = list(_assumed(material, first))
    return section


def fed(material: Material, record: ToolCallRecord) -> str:
    """Whether the circuit or the rack that was named feeds it, in a sentence."""
    return _headline(material, record) + cite_pace(material, "plan_power", record.result)


def others(material: Material) -> list[str]:
    """In short the plans of the machines after the first."""
    return [_other(material, record) for record in list(material.records("plan_power"))[1:]]


def draws(material: Material) -> bool:
    """Whether it is what cards that are weighed against each other draw that is asked, not how to feed or pay it."""
    fed = _SUPPLY.search(material.text) or money.asks_power(material.text) or any(
        record.request.get(name) for record in material.records("plan_power")
        for name in ("power_limit_w", "psu_w", "circuit_amps", "rack_limit_w")
    )  # fmt: skip
    hungrier = of_each.asks_power(material.understanding)
    paid = _BILL.search(material.text) or money.asks_energy(material.text)
    return of_each.several(material.need) and (hungrier or not (fed or paid))


def _headline(material: Material, record: ToolCallRecord) -> str:
    """What was asked about, first: supply, outlet, limit, shutdown, racks, heat, the bill; else what to plan for."""
    request, result = record.request, record.result
    supply, values = result["supply"], _values(material, record)
    if request.get("power_limit_w") and result["power_limit"]:
        return _limited(material, result, values)
    if request.get("psu_w") and supply:
        counted = feeding.asks_count(material.text) and not any(card.count for card in requests.cards(material.need))
        if counted and supply["at_hand"] == "yes":
            return material.say("feed.most_supply", **values, at_hand=amounts.watts(request["psu_w"]))
        own = {"at_hand": amounts.watts(request["psu_w"]), "needed": amounts.watts(supply["needed_w"])}
        return material.say(f"feed.supply_{supply['at_hand']}", **values, **own)
    if request.get("circuit_amps"):
        asked = feeding.asks_count(material.text) or feeding.asks_machines(material.text)
        most = _most(material, record) if asked else ""
        return most + _circuit(material, result, values)
    if request.get("rack_limit_w") and result["racks"]:
        one = result["racks"][0]
        key = "feed.rack_fits" if one["racks"] else "feed.rack_short"
        own = {"limit": amounts.watts(one["limit_w"]), "node": amounts.watts(result["node_wall_max_w"])}
        if result["nodes"] > 1 and one["racks"]:
            key = "feed.racks_needed"
        racks = material.say(key, **values, **own, nodes=one["nodes_per_rack"], racks=one["racks"], all=result["nodes"])
        paid = _BILL.search(material.text) is not None or money.names_energy(material.text)
        gap = "" if material.say.language == "zh" else " "
        return racks + (gap + _billed(material, result["energy"], values) if paid else "")
    if source := find_source(Text.of(material.text).plain):
        share = result["wall_max_w"] / source
        key = "yes" if share <= feeding.LOAD_RATIO else "tight" if share <= 1 else "no"
        return material.say(f"feed.source_{key}", **values, source=amounts.watts(source))
    if _POWERS_OFF.search(material.text):
        return material.say("feed.shutdown", **values, spike=amounts.watts(result["one_ms_w"]))
    if _UPS.search(material.text):
        minutes, watt_hours = f"{result['ups_s'] / 60:g}", numbers.count(result["ups_wh"])
        return material.say("feed.ups", **values, va=numbers.count(result["ups_va"]), wh=watt_hours, minutes=minutes)
    billed = money.asks_energy(material.text) or _BILL.search(material.text)
    running = billed or money.asks_running(material.text, material.need)
    if running or (material.understanding.follow_up and material.need.matter == "energy"):
        energy = result["energy"]
        return _billed(material, energy, values) + _over_years(material, energy) + _hosted(material, values)
    if _COOLING.search(material.text):
        return material.say("feed.heat", **values, **_cooling(result))
    if supply and not supply["redundant"] and not _RACKS.search(material.text):
        return material.say("feed.supply", **values, rated=rated(supply))
    return material.say("feed.draw", **values, sustained=amounts.watt_range(result["sustained_w"]))


def _billed(material: Material, energy: dict[str, Any], values: dict[str, str]) -> str:
    """The electricity and its price: of a year or a day where those are asked about, else of a month."""
    term, paid_in = material.need.term_s or 0, energy["currency"]
    unit = "day" if term == DAY_S else "year" if term >= money.YEAR_S else "month"
    key = "feed.bill" if unit == "month" else f"feed.bill_{unit}"
    if _KILOWATTS.search(material.text):
        key, unit = "feed.bill_kw", "month"
    return material.say(
        key, **values, kwh=amounts.count_range(energy[f"kwh_per_{unit}"]),
        bill=amounts.amount(energy["monthly_cost"], paid_in), daily=amounts.amount(energy["daily_cost"], paid_in),
        yearly=(amounts.amount(energy["yearly_cost"], paid_in) if unit == "year"
                else numbers.money(energy["yearly_cost"]["value"], paid_in)),
    )  # fmt: skip


def _over_years(material: Material, energy: dict[str, Any]) -> str:
    """What the electricity of all the years asked about comes to."""
    years = energy.get("term_years")
    if not years or years == 1:
        return ""
    total = amounts.amount(energy["term_cost"], energy["currency"])
    return material.say("feed.years", years=f"{years:g}", total=total)


def _hosted(material: Material, values: dict[str, Any]) -> str:
    """That a place in somebody's hall costs besides, and by what it is asked for: nobody publishes its price."""
    return material.say("feed.hosted", wall=values["wall"]) if _HOSTED.search(material.text) else ""


def _most(material: Material, record: ToolCallRecord) -> str:
    """How many of the card the circuit feeds, where the number was worked out; of machines, where those are asked."""
    one, count = record.result["circuits"][0], record.result["gpu_count"]
    if feeding.asks_machines(material.text) and record.result["nodes"] == 1:
        held = int(one["continuous_w"] // record.result["wall_max_w"])
        return material.say("feed.most_machines", machines=held, circuit=_named(one)) if held else ""
    if any(card.count for card in requests.cards(material.need)) or one["verdict"] != "yes":
        return ""
    return material.say("feed.most", cards=names.cards(record.result["gpu"], count), circuit=_named(one))


def _values(material: Material, record: ToolCallRecord) -> dict[str, str]:
    result, kinds = record.result, record.request.get("gpus") or ()
    cards = names.cards(result["gpu"], result["gpu_count"])
    if len(kinds) > 1:
        cards = " + ".join(names.cards(one["gpu"], one["count"] or 1) for one in kinds)
    if result["nodes"] > 1:
        cards = material.say("feed.nodes", cards=cards, nodes=result["nodes"])
    return {
        "cards": cards, "cards_w": amounts.watts(result["cards_w"]), "inside": amounts.watts(result["inside_max_w"]),
        "wall": amounts.watts(result["wall_max_w"]),
    }  # fmt: skip


def rated(supply: dict[str, Any]) -> str:
    """The supplies of a machine: "2 × 1,600 W"."""
    one = f"{supply['rated_w']:,.0f} W"
    return f"{supply['count']} × {one}" if supply["count"] > 1 else one


def _limited(material: Material, result: dict[str, Any], values: dict[str, str]) -> str:
    limit, say = result["power_limit"], material.say
    parts = [
        say(f"feed.left_{name}", left=amounts.percent_range(limit[name]))
        for name in ("decode", "prefill")
        if limit[name]
    ]
    label = say("feed.limit_" + limit["label"].replace(" ", "_"))
    if not parts:
        return say("feed.limit_unknown", **values, limit=amounts.watts(limit["limit_w"]))
    return say("feed.limit", **values, limit=amounts.watts(limit["limit_w"]), left=say.listed(parts), label=label)


def _circuit(material: Material, result: dict[str, Any], values: dict[str, str]) -> str:
    one, say = result["circuits"][0], material.say
    own = {
        "circuit": _named(one), "continuous": amounts.watts(one["continuous_w"]), "full": amounts.watts(one["full_w"]),
        "needed": one["needed"], "node": amounts.watts(result["node_wall_max_w"]),
    }  # fmt: skip
    counted = feeding.asks_circuits(material.text) and feeding.asks_count(material.text)
    kind = "several" if result["nodes"] > 1 else "count" if counted and one["verdict"] == "yes" else one["verdict"]
    text = say(f"feed.circuit_{kind}", **values, **own)
    if one["fitting_limit_w"]:
        text += say("feed.fitting", limit=amounts.watts(one["fitting_limit_w"]))
    return text


def _named(one: dict[str, Any]) -> str:
    phases = " 3~" if one["phases"] == 3 else ""
    return f"{one['volts']:g} V {one['amps']:g} A{phases}"


def _cooling(result: dict[str, Any]) -> dict[str, str]:
    return {
        "btu": numbers.count(result["heat_btu_per_hour"]), "air": numbers.count(result["airflow_m3_per_hour"]),
        "cfm": numbers.count(result["airflow_cfm"]), "water": f"{result['water_l_per_minute']:.1f}",
    }  # fmt: skip


def _table(material: Material, record: ToolCallRecord) -> str:
    say, result = material.say, record.result
    supply, energy = result["supply"], result["energy"]
    terms = say("feed.terms", cards=amounts.watts(result["cards_w"]), hosts=amounts.watts(result["hosts_w"]))
    rows = [
        [say("feed.row_inside"), f"{terms} = {amounts.watts(result['inside_max_w'])}"],
        [say("feed.row_wall"), amounts.watts(result["wall_max_w"])],
        [say("feed.row_sustained"), amounts.watt_range(result["sustained_w"])],
    ]
    if supply and not supply["redundant"]:
        older = amounts.watts(supply["needed_without_atx3_w"])
        rows += [
            [say("feed.row_spike"), amounts.watts(result["one_ms_w"])],
            [say("feed.row_supply"), say("feed.supply_cell", rated=rated(supply), older=older)],
        ]
    elif supply:
        rows.append([say("feed.row_supply"), say("feed.redundant", rated=rated(supply))])
    if result["plugs"]:
        plugs = [f"{one['count']} × {one['kind']}" for one in result["plugs"]]
        rows.append([say("feed.row_plugs"), say.listed(plugs)])
    rows += [
        [say("feed.row_heat"), say("feed.heat_cell", **_cooling(result))],
        [say("feed.row_energy"), say("feed.kwh", kwh=amounts.count_range(energy["kwh_per_month"]))],
        [say("feed.row_bill"), amounts.amount(energy["monthly_cost"], energy["currency"])],
    ]
    return table([say("table.what"), say("table.value")], rows)


def _circuits(material: Material, record: ToolCallRecord) -> str:
    """The usual circuits of the country, when none was asked about and the country is known or it is a desk machine."""
    say, result = material.say, record.result
    if record.request.get("circuit_amps") or not record.request.get("country"):
        return ""
    consumer = bool(result["supply"] and not result["supply"]["redundant"])
    rows = [one for one in result["circuits"] if consumer == (one["kind"] != "rack")]
    lines = [
        "- " + say(f"feed.line_{one['verdict']}", circuit=_named(one), continuous=amounts.watts(one["continuous_w"]),
                   needed=one["needed"]) for one in rows
    ]  # fmt: skip
    return "\n".join([f"**{say('feed.circuits')}**", "", *lines]) if lines else ""


def _racks(material: Material, record: ToolCallRecord) -> str:
    say, rows = material.say, record.result["racks"]
    lines = [
        "- " + (
            say("feed.rack", limit=amounts.watts(one["limit_w"]), nodes=one["nodes_per_rack"], racks=one["racks"])
            if one["racks"] else say("feed.rack_none", limit=amounts.watts(one["limit_w"]))
        ) for one in rows
    ]  # fmt: skip
    asked = record.request.get("rack_limit_w") or _RACKS.search(material.text) or record.result["nodes"] > 1
    return "\n".join([f"**{say('feed.racks')}**", "", *lines]) if lines and asked else ""


def _other(material: Material, record: ToolCallRecord) -> str:
    values = _values(material, record)
    sustained = amounts.watt_range(record.result["sustained_w"])
    return material.say("feed.draw", **values, sustained=sustained) + cite_pace(material, "plan_power", record.result)


def _warned(material: Material, result: dict[str, Any]) -> Iterator[str]:
    for warning in result["warnings"]:
        for pattern, key in _WARNINGS:
            if match := pattern.search(warning):
                yield material.say(f"feed.warn_{key}", **match.groupdict())


def _assumed(material: Material, record: ToolCallRecord) -> Iterator[str]:
    say, request, result = material.say, record.request, record.result
    yield say("feed.assume_hosts", hosts=amounts.watts(result["hosts_w"] / result["nodes"]))
    yield from energy_assumed(material, request, result["energy"])
    if request.get("utilisation") is None:
        yield say("feed.assume_busy")


def energy_assumed(material: Material, request: dict[str, Any], energy: dict[str, Any]) -> Iterator[str]:
    """The PUE and the price of electricity that were taken."""
    if request.get("pue") is None:
        yield material.say("feed.assume_pue", pue=f"{energy['pue']['value']:g}")
    if energy["tariff_country"]:
        low, value, high = (f"{energy['tariff_per_kwh'][name]:.2f}" for name in ("low", "value", "high"))
        said = {"value": value, "currency": energy["currency"], "date": energy["tariff_as_of"]}
        if low == high:
            yield material.say("feed.assume_one_tariff", **said)
        else:
            yield material.say("feed.assume_tariff", low=low, high=high, **said)
