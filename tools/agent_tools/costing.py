"""`cost`: what owning, renting, running and powering a machine costs."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from kb.lexicon import read_power
from tools.agent_tools import reading
from tools.agent_tools.api_tokens import of_tokens, paid_in, tokens_said
from tools.agent_tools.asked import AgentRequest
from tools.agent_tools.desk import Desk
from tools.agent_tools.quoted import held_against_usual
from tools.agent_tools.shown import SHOWN_MAX, plain, shown_row, written
from tools.cost.break_even import MONTHS_MOST
from tools.power.request import USUAL_UTILISATION
from tools.prices import MONEY_OF

YEAR_S = 365.25 * 86400
COST = (
    "gpu", "gpu_count", "nodes", "currency", "years", "hours_per_month", "own", "rent", "break_even", "against",
    "growth", "tokens", "run", "volume", "assumptions", "warnings",
)  # fmt: skip
OWN = ("purchase_cost", "prices", "residual_ratio", "resale_cost", "parts", "monthly_cost", "total_cost", "hourly_cost")
EVEN = {
    "purchase": "purchase", "hours_per_month": "hours_per_month", "busy_ratio": "busy_ratio",
    "months_with_residual": "months", "months": "months_if_never_resold",
    "residual_ratio_even": "residual_even_ratio", "reached": "reached",
}  # fmt: skip
"""What is told of breaking even, and as what: months by the residual that stands beside them come first."""
RENT = (
    "purchase", "hourly_cost", "gpu_hourly_cost", "monthly_cost", "total_cost", "term_cost", "offers", "cheapest",
    "as_of",
)  # fmt: skip
AGAINST = ("which", "offer", "gpu_hourly_cost", "monthly_cost")
"""What is told of each rent that owning is held against; its day stands with the rents."""
POWER = (
    "gpu", "gpu_count", "nodes", "cards_w", "hosts_w", "inside_max_w", "node_wall_max_w", "wall_max_w", "sustained_w",
    "idle_w", "ten_ms_w", "supply",
    "vendor_suggested_psu_w", "circuits", "heat_btu_per_hour", "racks", "energy", "power_limit", "assumptions",
    "warnings",
)  # fmt: skip
API = ("provider", "input_million_price", "output_million_price", "as_of")
PRICES = ("what", "count", "unit_cost", "as_of")
ONCE_S = 60 * 86400
"""Time below which hardware is wanted for a single job."""
ONCE = ("which", "offer", "gpu_hourly_cost", "term_cost")
IN_HAND = {"yes": "enough", "tight": "tight, it bears the steady load but not every spike", "no": "too small"}
OF_POWER = ("psu", "circuit")
OF_OWNING = (
    "model", "purchase_price", "machine_price", "rent", "hosting", "residual", "support", "growth", "provider",
    "tokens_per_month", "api_price",
)  # fmt: skip
"""What only one of the two questions counts."""
CIRCUITS_MAX, API_MAX = 4, 2
CIRCUIT = ("continuous_w", "full_w", "drawn_w", "steady_ratio", "load_ratio", "verdict", "needed", "fitting_limit_w")
BY_DAY = frozenset({"kwh_per_year", "kwh_per_day"})
"""Energy that the month's tells as well."""
OF_DESK = 260
"""Characters that are said beside: for which load, and how names were read."""

MONTHLY = {f"{name}_cost": f"{name}_monthly_cost" for name in ("own", "rent", "rent_needed", "api")}
"""Costs of a month's tokens, which are sums a month."""
HELD_ALL_DAY = (
    "utilisation counts for power alone: rents here run 24 h a day. Where machines are rented only while they work, "
    "pass hours_per_day = 24 × utilisation instead."
)
"""What is told where a share of full load was given and no hours: it says nothing of how long a rented card is held."""


class CostRequest(AgentRequest):
    """A machine, its use, and the person's own prices."""

    what: str = Field(default="own_or_rent", max_length=40)
    """own_or_rent, power or tokens (against an API)."""
    cards: str | None = Field(default=None, max_length=300)
    """"4x 4090"."""
    server: str | None = Field(default=None, max_length=120)
    """Or a server."""
    model: str | None = Field(default=None, max_length=200)
    """For tokens."""
    years: str | None = Field(default=None, max_length=40)
    """"18 months"."""
    hours_per_day: str | None = Field(default=None, max_length=20)
    """Of use."""
    utilisation: str | None = Field(default=None, max_length=20)
    """Share of full load."""
    country: str | None = Field(default=None, max_length=20)
    """For electricity."""
    currency: str | None = Field(default=None, max_length=10)
    """To tell in."""
    tariff: str | None = Field(default=None, max_length=40)
    """"¥0.8/kWh"."""
    purchase_price: str | None = Field(default=None, max_length=60)
    """"$700 each", "server 285k EUR"."""
    machine_price: str | None = Field(default=None, max_length=60)
    """Without cards."""
    rent: str | None = Field(default=None, max_length=60)
    """"$2.10/gpu/h", "6.2万/月"."""
    hosting: str | None = Field(default=None, max_length=60)
    """"$2,400/mo", "$150/kW/mo"."""
    residual: str | None = Field(default=None, max_length=20)
    """Left at the end."""
    support: str | None = Field(default=None, max_length=40)
    """"6%", "12k/yr"."""
    growth: str | None = Field(default=None, max_length=40)
    """"5% a month"."""
    pue: str | None = Field(default=None, max_length=20)
    """Of the site."""
    provider: str | None = Field(default=None, max_length=60)
    """Only this cloud."""
    power_limit: str | None = Field(default=None, max_length=20)
    """Of each card: "280 W"."""
    psu: str | None = Field(default=None, max_length=20)
    """In hand: "1000 W"."""
    host: str | None = Field(default=None, max_length=120)
    """CPU, or watts."""
    circuit: str | None = Field(default=None, max_length=60)
    """"230V 16A + 2 kW", "8 kW rack"."""
    tokens_per_month: str | None = Field(default=None, max_length=40)
    """For tokens."""
    api_price: str | None = Field(default=None, max_length=60)
    """Of a million tokens."""


def cost(request: CostRequest, desk: Desk) -> dict[str, Any]:
    """Buying against rents and an API, break-even, energy, power supply, circuits, heat.
    Pass the person's own prices as written."""
    held = reading.cards(request.cards)
    card, number = reading.one_kind(held)
    country = (request.country or "").upper()[:2] or None
    currency = (request.currency or "").upper() or _stated(request) or MONEY_OF.get(country or "")
    machine = {
        "gpu": card if len(held) < 2 else None, "gpu_count": number if len(held) < 2 else None,
        "gpus": [{"gpu": one["gpu"], "count": one["count"]} for one in reading.stated(held)] if len(held) > 1 else None,
        "server": request.server, **_host(request.host), "power_limit_w": _watts(request.power_limit, "power_limit"),
        "hours_per_day": reading.number(request.hours_per_day, "hours_per_day"),
        "utilisation": reading.ratio(request.utilisation, "utilisation"), "pue": reading.number(request.pue, "pue"),
        "country": country,
        "currency": currency,
    }  # fmt: skip
    if request.what.strip().lower() in {"power", "energy", "electricity", "psu", "circuit"}:
        tariff = reading.money(request.tariff, "tariff")
        paid = {"tariff_per_kwh": float(tariff.amount), "currency": tariff.currency} if tariff else {}
        machine["utilisation"] = machine["utilisation"] or USUAL_UTILISATION  # as owning is reckoned
        return {**_left(request, OF_OWNING), **_power(desk, machine | paid, request, _years(request.years))}
    asked = {
        **machine, **_priced(request, currency or "USD"), **_horizon(request),
        "provider": request.provider, "tariff": request.tariff,
        "hosting": request.hosting, "residual": request.residual, "support": request.support, "growth": request.growth,
        **of_tokens(request, currency or "USD"),
    }  # fmt: skip
    found = desk.call("estimate_cost", asked)
    usual = desk.tried("estimate_cost", machine) if request.purchase_price else None
    told = _costs(found, held_against_usual(found, usual) if usual else None)
    if request.tokens_per_month and (said := tokens_said(request)):
        told["assumptions"] = [*said, *told.get("assumptions", [])]
    if request.utilisation and not request.hours_per_day:
        told["assumptions"] = [HELD_ALL_DAY, *told.get("assumptions", [])]
    return {**_left(request, OF_POWER), **told}


def _host(text: str | None) -> dict[str, Any]:
    """The processor of the machine, or what it draws without its cards."""
    if text is None:
        return {}
    watts = re.search(r"\d\s*(?:k?w|瓦)(?![a-z])", text, re.I)
    return {"host_w": read_power(text, "host")} if watts else {"cpu": text}


def _left(request: CostRequest, unread: tuple[str, ...]) -> dict[str, Any]:
    """Fields that were given and that this question does not count, by name: nobody is to take them for judged."""
    left = [name for name in unread if getattr(request, name) is not None]
    return {"not_counted": left} if left else {}


def _stated(request: CostRequest) -> str | None:
    """Money of the prices that the person gave: what they count in."""
    given = (request.purchase_price, request.machine_price, request.rent, request.hosting, request.tariff)
    read = (reading.money(one, "prices") for one in given if one)
    found = [one.currency for one in read if one is not None]
    return found[0] if found else None


def _priced(request: CostRequest, currency: str) -> dict[str, Any]:
    """The person's prices as they gave them: of cards alone where no machine is priced beside them."""
    chassis = reading.money(request.machine_price, "machine_price")
    return {
        "prices": request.purchase_price, "buys": "cards" if request.purchase_price and not chassis else None,
        "rents": request.rent, "machine_price": paid_in(chassis, currency),
    }  # fmt: skip


def _horizon(request: CostRequest) -> dict[str, Any]:
    """How long, in words or as a bare number of years; what is over in weeks is rented once and bought by nobody."""
    bare = (request.years or "").replace(".", "", 1).strip().isdigit()
    if bare:
        return {"years": float(request.years or 0)}
    once_s = reading.seconds(request.years, "years")
    return {"term_s": once_s} if once_s is not None and once_s < ONCE_S else {"horizon": request.years}


def _costs(result: dict[str, Any], quoted: dict[str, Any] | None = None) -> dict[str, Any]:
    told = {name: result[name] for name in COST if result.get(name) is not None}
    if own := told.get("own"):
        told["own"] = {name: own[name] for name in OWN if own.get(name) is not None}
        told["own"]["parts"] = [{"name": one["name"], "monthly_cost": one["monthly_cost"]["value"]}
                                for one in own["parts"]]  # fmt: skip
        told["own"]["prices"] = [{key: one[key] for key in PRICES} for one in own["prices"]]
        if quoted:
            told["own"] = {"usual": quoted, **told["own"]}
        if lacking := [one["what"] for one in own["prices"] if one["unit_cost"] is None]:
            told["own"]["incomplete"] = f"without {', '.join(lacking)}: no price of it is known"
    told["rent"] = [_rent(one) for one in result["rent"][:3]]
    if even := told.get("break_even"):
        told["break_even"] = {said: even[key] for key, said in EVEN.items()}
    told["against"] = [_against(one) for one in result["against"]]
    if any("term_cost" in one for one in told["against"]):  # what a single job costs is asked
        told.pop("break_even", None)
        told.pop("years", None)
        told["own"] = {name: told["own"][name] for name in ("purchase_cost", "prices")}
        told["against"] = [{name: one[name] for name in ONCE if name in one} for one in told["against"]]
    if volume := told.get("volume"):  # what the tokens cost is asked: the rents stand in `against`
        told.pop("break_even", None)
        told["volume"] = {MONTHLY.get(name, name): one for name, one in volume.items()
                          if name not in {"gpu", "gpu_count"}}  # fmt: skip
        told["volume"]["api"] = [{key: one[key] for key in API} for one in volume["api"]]
    told["assumptions"], told["warnings"] = result["assumptions"][:4], result["warnings"][:2]
    return _within(shown_row(told))


def _within(told: dict[str, Any]) -> dict[str, Any]:
    """The same short enough to be shown uncut: what other rows say again goes first."""
    for lose in (_spot, _assumption, _even):
        while len(written(told)) > SHOWN_MAX - OF_DESK and lose(told):
            pass
    return told


def _spot(told: dict[str, Any]) -> bool:
    """Ways to rent behind the first: the rents that owning is held against stand for them."""
    return len(told["rent"]) > 1 and told["rent"].pop() is not None


def _assumption(told: dict[str, Any]) -> bool:
    """Assumptions and warnings behind the first."""
    for name in ("assumptions", "warnings"):
        if len(told.get(name) or ()) > 1:
            told[name].pop()
            return True
    return False


def _even(told: dict[str, Any]) -> bool:
    """Services behind the first two, then rents between the cheapest and the dearest."""
    api = (told.get("volume") or {}).get("api") or []
    if len(api) > API_MAX:
        api.pop()
        return True
    return len(told.get("against") or ()) > API_MAX and told["against"].pop(-2) is not None


def _rent(one: dict[str, Any]) -> dict[str, Any]:
    """A way to rent; of a single card once, and of spot that nobody was read to let, from what it was taken."""
    told = {name: one[name] for name in RENT if one.get(name) is not None}
    if told.get("hourly_cost") == told.get("gpu_hourly_cost"):
        told.pop("hourly_cost")
    if one.get("basis") == "derived":
        told = {name: value for name, value in told.items() if name not in {"offers", "as_of"}}
        told["from"] = "no spot offer read: on demand less the usual discount"
    return told


def _against(one: dict[str, Any]) -> dict[str, Any]:
    """A rent that owning is held against; what is never reached is said."""
    hours, months = one["hours_per_month"], one["months"]
    return {
        **{name: one[name] for name in (*AGAINST, "term_cost") if one.get(name) is not None},
        "owning_cheaper_by_monthly_cost": one["owning_saves_monthly"],
        "even_at": "not even around the clock" if hours is None else f"{hours:.0f} h/month",
        "even_after": "never" if months is None or months > MONTHS_MOST else f"{plain(months)} months",
    }


def _power(desk: Desk, machine: dict[str, Any], request: CostRequest, years: float | None) -> dict[str, Any]:
    volts, amps = _circuit(request.circuit)
    own, _, other = (request.circuit or "").partition("+")
    asked = {
        **machine,
        "years": years,
        "psu_w": _watts(request.psu, "psu"),
        "circuit_volts": volts,
        "circuit_amps": amps,
        "other_load_w": _watts(other, "circuit") if other.strip() else None,
        "rack_limit_w": _watts(own, "circuit") if own.strip() and volts is None and amps is None else None,
    }
    result = desk.call("plan_power", asked)
    told = {name: result[name] for name in POWER if result.get(name) is not None}
    if len(result["cards"]) > 1:  # the first of unlike cards is not the card of all
        told = {"cards_of_machine": result["cards"], **{name: one for name, one in told.items() if name != "gpu"}}
    if asked["psu_w"] and told.get("supply"):
        told["supply"] = {"in_hand": _in_hand(asked["psu_w"], told["supply"]), **told["supply"]}
        told["supply"].pop("at_hand", None)
    told["circuits"] = [
        {"name": _circuit_name(one), **{key: one[key] for key in CIRCUIT if one.get(key) is not None}}
        for one in _deciding(result["circuits"])
    ]
    if told.get("energy"):
        told["energy"] = {name: one for name, one in told["energy"].items() if name not in BY_DAY}
    told["ups"] = _ups(result)
    told["note"] = "sustained: while the cards work; energy.average: over all hours it is on, idle ones too"
    return shown_row(told)


def _deciding(circuits: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Circuits between which it is decided: the ordinary outlet, the largest that does not do, and what does."""
    short = [one for one in circuits if one["verdict"] == "no"]
    tight = [one for one in circuits if one["verdict"] == "tight"]
    enough = [one for one in circuits if one["verdict"] == "yes"]
    kept = [*short[:1], *short[1:][-1:], *tight, *enough[:2]][:CIRCUITS_MAX]
    return [one for one in circuits if one in kept]


def _circuit_name(one: Mapping[str, Any]) -> str:
    """Its plug with voltage and phases: plugs of one name are made for several."""
    phases = ", three phases" if one["phases"] == 3 else ""
    return f"{one['name']}, {plain(one['volts'])} V{phases}" if one["name"] else ""


def _ups(result: Mapping[str, Any]) -> str:
    """What keeps it running while the mains are out: rating, and energy of the batteries for so long."""
    asked = f"{result['ups_va']:,.0f} VA, {result['ups_wh']:,.0f} Wh for {plain(result['ups_s'] / 60)} min"
    sold = result.get("ups")
    if sold and result["node_wall_max_w"] < sold["each_w"] * 2 / 3:  # those of machine rooms are no purchase for a desk
        sold = None
    return f"{asked}: {sold['count']} × {sold['product']}" if sold else asked


def _in_hand(watts: float, supply: dict[str, Any]) -> str:
    """Whether the supply that the person has will do: what is proposed stands beside it and is not theirs."""
    needed, older = supply["needed_w"], supply["needed_without_atx3_w"]
    said = f"{watts:,.0f} W of {needed:,.0f} W needed: {IN_HAND[supply['at_hand']]}"
    if supply["at_hand"] == "yes" and watts < older:
        said += f", if it is ATX 3 (an older one: {older:,.0f} W)"
    return said


def _circuit(text: str | None) -> tuple[float | None, float | None]:
    if text is None:
        return None, None

    volts = re.search(r"(\d{2,3}(?:\.\d+)?)\s*[vV伏]", text)
    amps = re.search(r"(\d{1,4}(?:\.\d+)?)\s*[aA安]", text)
    return float(volts[1]) if volts else None, float(amps[1]) if amps else None


def _years(text: str | None) -> float | None:
    if text is None:
        return None
    bare = text.replace(".", "", 1).strip()
    return float(text) if bare.isdigit() else (reading.seconds(text, "years") or 0) / YEAR_S or None


def _watts(text: str | None, field: str) -> float | None:
    return None if text is None else read_power(text, field)
