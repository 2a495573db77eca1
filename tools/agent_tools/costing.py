"""`cost`: what owning, renting, running and powering a machine costs."""

import re
from typing import Any

from pydantic import Field

from kb.lexicon import Money
from kb.units import HOURS_PER_MONTH
from tools.agent_tools import reading
from tools.agent_tools.asked import AgentRequest
from tools.agent_tools.desk import Desk
from tools.agent_tools.shown import shown_row

YEAR_S = 365.25 * 86400
COST = (
    "gpu", "gpu_count", "nodes", "currency", "years", "hours_per_month", "own", "rent", "break_even", "tokens", "run",
    "volume", "assumptions", "warnings",
)  # fmt: skip
OWN = ("purchase_cost", "prices", "residual_ratio", "resale_cost", "parts", "monthly_cost", "total_cost", "hourly_cost")
RENT = ("purchase", "hourly_cost", "gpu_hourly_cost", "monthly_cost", "term_cost", "offers", "cheapest", "as_of")
POWER = (
    "gpu", "gpu_count", "nodes", "cards_w", "hosts_w", "wall_max_w", "sustained_w", "idle_w", "ten_ms_w", "supply",
    "vendor_suggested_psu_w", "circuits", "heat_btu_per_hour", "racks", "energy", "power_limit", "assumptions",
    "warnings",
)  # fmt: skip
CIRCUITS_MAX = 4
WHOLE = re.compile(r"total|in all|altogether|whole|everything|整|总|總|合计|一共", re.I)
"""What says that a price is of everything, not of one card."""


class CostRequest(AgentRequest):
    """A machine, its use, and the person's own prices."""

    what: str = Field(default="own_or_rent", max_length=40)
    """own_or_rent, power (supply, circuits, energy) or tokens (against an API)."""
    cards: str | None = Field(default=None, max_length=300)
    """"4x 4090"."""
    server: str | None = Field(default=None, max_length=120)
    """Or a server."""
    model: str | None = Field(default=None, max_length=200)
    """For tokens."""
    years: str | None = Field(default=None, max_length=40)
    """"3 years", "18 months"."""
    hours_per_day: str | None = Field(default=None, max_length=20)
    """Of use."""
    utilisation: str | None = Field(default=None, max_length=20)
    """Share of full load in use."""
    country: str | None = Field(default=None, max_length=20)
    """For electricity."""
    currency: str | None = Field(default=None, max_length=10)
    """To tell in."""
    tariff: str | None = Field(default=None, max_length=40)
    """The person's: "¥0.8/kWh"."""
    purchase_price: str | None = Field(default=None, max_length=60)
    """The person's, of one card."""
    machine_price: str | None = Field(default=None, max_length=60)
    """The person's, without cards."""
    rent: str | None = Field(default=None, max_length=60)
    """The person's: "$2.10/gpu/h"."""
    hosting: str | None = Field(default=None, max_length=60)
    """A kW and month."""
    residual: str | None = Field(default=None, max_length=20)
    """Share left at the end."""
    pue: str | None = Field(default=None, max_length=20)
    """Of the site."""
    provider: str | None = Field(default=None, max_length=60)
    """Only this cloud."""
    power_limit: str | None = Field(default=None, max_length=20)
    """Of each card: "280 W"."""
    psu: str | None = Field(default=None, max_length=20)
    """In hand: "1000 W"."""
    circuit: str | None = Field(default=None, max_length=40)
    """In hand: "230V 16A"."""
    tokens_per_month: str | None = Field(default=None, max_length=40)
    """For tokens."""
    api_price: str | None = Field(default=None, max_length=60)
    """Of a million tokens."""


def cost(request: CostRequest, desk: Desk) -> dict[str, Any]:
    """Costs: buying against renting and where they break even, monthly cost, energy, power supply, circuits, heat,
    tokens against an API. Pass the person's own prices."""
    held = reading.cards(request.cards)
    card, number = reading.one_kind(held)
    tariff, rent = reading.money(request.tariff, "tariff"), reading.money(request.rent, "rent")
    bought = reading.money(request.purchase_price, "purchase_price")
    currency = (request.currency or "").upper() or next((one.currency for one in (bought, rent, tariff) if one), None)
    machine = {
        "gpu": card if len(held) < 2 else None, "gpu_count": number if len(held) < 2 else None,
        "gpus": [{"gpu": one["gpu"], "count": one["count"]} for one in reading.stated(held)] if len(held) > 1 else None,
        "server": request.server, "power_limit_w": _watts(request.power_limit, "power_limit"),
        "hours_per_day": reading.number(request.hours_per_day, "hours_per_day"),
        "utilisation": reading.ratio(request.utilisation, "utilisation"), "pue": reading.number(request.pue, "pue"),
        "country": (request.country or "").upper()[:2] or None,
        "tariff_per_kwh": float(tariff.amount) if tariff else None, "currency": currency,
    }  # fmt: skip
    years = _years(request.years)
    if request.what.strip().lower() in {"power", "energy", "electricity", "psu", "circuit"}:
        return _power(desk, machine, request, years)
    asked = {
        **machine, **_priced(request, rent, bought, number or 1), "years": years, "provider": request.provider,
        "residual_ratio": reading.ratio(request.residual, "residual"), **_work(request),
    }  # fmt: skip
    return _costs(desk.call("estimate_cost", asked))


def _priced(request: CostRequest, rent: Money | None, bought: Money | None, cards: int) -> dict[str, Any]:
    chassis, hosting = reading.money(request.machine_price, "machine_price"), reading.money(request.hosting, "hosting")
    whole = None
    if bought:
        each = 1 if WHOLE.search(request.purchase_price or "") or bought.each == "machine" else cards
        whole = float(bought.amount) * each + (float(chassis.amount) if chassis else 0.0)
    hourly = None
    if rent:
        hourly = float(rent.amount) / (HOURS_PER_MONTH if rent.per == "month" else 24 if rent.per == "day" else 1)
        hourly *= cards if rent.each == "gpu" else 1
    return {
        "rent_per_hour": hourly, "purchase_price": whole,
        "machine_price": float(chassis.amount) if chassis and not bought else None,
        "colocation_per_kw_month": float(hosting.amount) if hosting else None,
    }  # fmt: skip


def _work(request: CostRequest) -> dict[str, Any]:
    named, form = reading.model_and_format(request.model, None)
    api = reading.money(request.api_price, "api_price")
    return {
        **named, "weight_format": form,
        "tokens_per_month": reading.number(request.tokens_per_month, "tokens_per_month"),
        "api_million_price": float(api.amount) if api else None,
    }  # fmt: skip


def _costs(result: dict[str, Any]) -> dict[str, Any]:
    told = {name: result[name] for name in COST if result.get(name) is not None}
    if own := told.get("own"):
        told["own"] = {name: own[name] for name in OWN if own.get(name) is not None}
        told["own"]["parts"] = [{"name": one["name"], "monthly_cost": one["monthly_cost"]} for one in own["parts"]]
    told["rent"] = [{name: one[name] for name in RENT if one.get(name) is not None} for one in result["rent"][:3]]
    if even := told.get("break_even"):
        told["break_even"] = {
            key: even[key] for key in ("purchase", "hours_per_month", "busy_ratio", "months", "reached")
        }
    told["assumptions"], told["warnings"] = result["assumptions"][:4], result["warnings"][:2]
    return shown_row(told)


def _power(desk: Desk, machine: dict[str, Any], request: CostRequest, years: float | None) -> dict[str, Any]:
    volts, amps = _circuit(request.circuit)
    asked = {
        **machine,
        "years": years,
        "psu_w": _watts(request.psu, "psu"),
        "circuit_volts": volts,
        "circuit_amps": amps,
    }
    result = desk.call("plan_power", asked)
    told = {name: result[name] for name in POWER if result.get(name) is not None}
    told["circuits"] = [
        {
            key: one[key]
            for key in ("name", "continuous_w", "load_ratio", "verdict", "needed", "fitting_limit_w")
            if one.get(key) is not None
        }
        for one in result["circuits"][:CIRCUITS_MAX]
    ]
    return shown_row(told)


def _circuit(text: str | None) -> tuple[float | None, float | None]:
    if text is None:
        return None, None
    import re

    volts = re.search(r"(\d{2,3}(?:\.\d+)?)\s*[vV伏]", text)
    amps = re.search(r"(\d{1,4}(?:\.\d+)?)\s*[aA安]", text)
    return float(volts[1]) if volts else None, float(amps[1]) if amps else None


def _years(text: str | None) -> float | None:
    if text is None:
        return None
    bare = text.replace(".", "", 1).strip()
    return float(text) if bare.isdigit() else (reading.seconds(text, "years") or 0) / YEAR_S or None


def _watts(text: str | None, field: str) -> float | None:
    if text is None:
        return None
    plain = text.lower().replace(" ", "")
    value = reading.number(plain.replace("kw", "").replace("w", ""), field)
    return None if value is None else value * (1000 if "kw" in plain else 1)
