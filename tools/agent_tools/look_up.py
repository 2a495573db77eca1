"""`look_up`: what is known of cards, models, clouds and software."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import Field

from kb.base import AdvisorError, BadInput, UnknownName
from kb.catalog import gpus
from kb.lexicon import CardCount, read_power
from kb.market.exports import restriction, rules_held
from kb.market.rates import convert, rate
from kb.models import models
from kb.units import HOURS_PER_MONTH
from tools.agent_tools import reading
from tools.agent_tools.asked import AgentRequest
from tools.agent_tools.desk import Desk
from tools.agent_tools.known import NAME_MAX
from tools.agent_tools.shown import shown, shown_row
from tools.agent_tools.sold import priced, server_of
from tools.check_compatibility import OWN_CARDS, names_something
from tools.prices import MONEY_OF

ROWS_MAX = 6
FORMATS = ("tf32", "bf16", "fp16", "fp8", "int8", "fp4")
KINDS = ("spec", "compare", "find_cards", "model", "offers", "compatibility", "server")
CARD = (
    "name", "status", "year", "architecture", "form_factor", "memory_bytes", "usable_bytes", "memory_type", "ecc",
    "bandwidth_bytes_per_s", "bf16_flops", "fp16_flops", "fp8_flops", "fp4_flops", "int8_ops", "fp32_flops",
    "nvlink_bytes_per_s", "nvlink_note", "pcie", "tdp_w", "power_connectors", "slot_width", "mig_instances",
    "compute_capability", "msrp_usd", "price", "price_high_usd", "price_cny", "price_cny_as_of", "export_note", "notes",
)  # fmt: skip
MODEL = (
    "name", "kind", "params", "active_params", "layers", "hidden_size", "heads", "kv_heads", "head_dim", "vocab_size",
    "attention",
    "experts", "sliding", "linear", "max_context_tokens", "native_format", "checkpoint_bytes", "licence", "released",
    "notes",
)  # fmt: skip
SET_FIELDS = {"power_w": "wall_with_host_w", "cards_w": "cards_alone_w"}
"""What figures of a set are called where their names leave open what they include."""
OFFER = (
    "provider", "instance", "gpu_text", "gpu_count", "vcpus", "host_memory_bytes", "interconnect", "region", "country",
    "purchase", "usd_per_hour", "usd_per_gpu_hour", "as_of",
)  # fmt: skip


class LookUpRequest(AgentRequest):
    """What to look up."""

    kind: str = Field(max_length=40)
    """spec, compare, find_cards, model, offers (rents), compatibility, server."""
    names: tuple[str, ...] = Field(default=(), max_length=8)
    """Cards, models, servers; compare: also sets ["2x 3090", "Mac Studio 512GB"]."""
    model: str | None = Field(default=None, max_length=200)
    """compare: the work of sets."""
    by: str | None = Field(default=None, max_length=40)
    """compare: speed, context, cost, power …"""
    engine: str | None = Field(default=None, max_length=100)
    """compatibility: "vllm 0.9"."""
    feature: str | None = Field(default=None, max_length=100)
    """compatibility: bf16, awq, p2p …; find_cards: "fp8 nvlink pcie"."""
    words: str | None = Field(default=None, max_length=400)
    """compatibility: what was asked, in words that name features and versions."""
    cuda: str | None = Field(default=None, max_length=40)
    """compatibility: "12.4", "cu121"."""
    driver: str | None = Field(default=None, max_length=40)
    """compatibility."""
    min_memory: str | None = Field(default=None, max_length=40)
    """find_cards, offers: least memory."""
    max_memory: str | None = Field(default=None, max_length=40)
    """find_cards: most."""
    max_price: str | None = Field(default=None, max_length=60)
    """Of a card; offers: an hour."""
    vendor: str | None = Field(default=None, max_length=60)
    """find_cards: NVIDIA, AMD …"""
    market: str | None = Field(default=None, max_length=40)
    """find_cards: consumer, workstation, data_center, apu …"""
    max_power: str | None = Field(default=None, max_length=20)
    """find_cards: "75 W"."""
    sort: str | None = Field(default=None, max_length=40)
    """find_cards: memory, bandwidth, price, price_per_gib, tdp."""
    provider: str | None = Field(default=None, max_length=60)
    """offers: only this cloud."""
    country: str | None = Field(default=None, max_length=20)
    """offers: where; compatibility: export rules."""
    purchase: str | None = Field(default=None, max_length=20)
    """offers: spot, reserved; else on demand."""
    gpu_count: str | None = Field(default=None, max_length=20)
    """offers: cards of an instance, at least."""


def look_up(request: LookUpRequest, desk: Desk) -> dict[str, Any]:
    """Facts: specifications and prices of cards, comparisons (of sets at a work too), cards by conditions, shapes of
    models, servers, rents; whether card, format, engine, CUDA, driver go together."""
    kind = request.kind.strip().lower().replace(" ", "_")
    found = KIND_OF.get(kind)
    if found is None:
        raise BadInput("kind", f"is “{request.kind}”.", f"Use {', '.join(KINDS)}.")
    return found(request, desk)


def _spec(request: LookUpRequest, desk: Desk) -> dict[str, Any]:
    """Cards by name; a name that is no card's is looked for among models and servers."""
    rows: list[Any] = []
    for name in _named(request):
        try:
            ids = [one["gpu"] for one in reading.stated(reading.cards(name, "names"), "names")]
        except AdvisorError as problem:
            other = _other(name, desk)
            if other is None:
                raise problem from None
            rows.append(other)
            continue
        result = desk.call("find_gpus", {"names": ids, "limit": len(ids)})
        rows += [_card(row, request.country) for row in result["gpus"]]
    return {"found": rows}


def _other(name: str, desk: Desk) -> dict[str, Any] | None:
    try:
        return _model_row(name)
    except AdvisorError:
        pass
    found = desk.tried("plan_power", {"server": name})
    return (
        shown({"server": name, "gpu": found["gpu"], "gpu_count": found["gpu_count"], "wall_max_w": found["wall_max_w"]})
        if found
        else None
    )


def _card(row: Mapping[str, Any], country: str | None = None) -> dict[str, Any]:
    told = {name: row.get(name) for name in CARD if row.get(name) not in (None, "", False, 0)}
    return shown_row({**told, **priced(row, country)})


def _compare(request: LookUpRequest, desk: Desk) -> dict[str, Any]:
    read = [reading.cards(name, "names") for name in _named(request)]
    if len(read) > 1 and (request.model or request.by or any(len(one) > 1 or one[0].count > 1 for one in read if one)):
        return _compare_sets(request, desk)
    ids = [one["gpu"] for name in _named(request) for one in reading.stated(reading.cards(name, "names"), "names")]
    unique = list(dict.fromkeys(ids))
    if len(unique) < 2:
        return _spec(request, desk)
    result = desk.call("compare_gpus", {"gpus": unique[:ROWS_MAX]})
    rows = [
        shown(
            {name: row.get(name) for name in CARD[:22] if row.get(name) not in (None, "", False, 0)}
            | {name: row.get(name) for name in ("msrp_usd", "price_cny", "usd_per_gib") if row.get(name)}
            | priced(row, request.country)
        )
        for row in result["gpus"]
    ]
    return {"cards": rows, "warnings": result["warnings"][:2]}


def _compare_sets(request: LookUpRequest, desk: Desk) -> dict[str, Any]:
    result = desk.call("compare_gpus", {
        "sets": _named(request)[:ROWS_MAX], "model": request.model, "by": _first_measure(request.by),
    })  # fmt: skip
    rows = [
        shown({SET_FIELDS.get(name, name): value for name, value in one.items() if name != "cards"})
        for one in result["compared"]["sets"]
    ]
    told = {"winner": result["winner"], "by": result["decided_by"], "reason": result["reason"]}
    return {**told, "sets": rows, "assumptions": result["assumptions"][:3]}


def _first_measure(text: str | None) -> str | None:
    """What decides, where several measures are named the first: the others stand in the rows all the same."""
    named = next((one.strip() for one in re.split(r"[,;/，、]|\band\b|和", (text or "").lower()) if one.strip()), "")
    return {"price": "cost"}.get(named, named.replace(" ", "_")) or None


def _find_cards(request: LookUpRequest, desk: Desk) -> dict[str, Any]:
    price = reading.money(request.max_price, "max_price")
    most = float(convert(price.amount, price.currency, "USD")) if price else None
    result = desk.call("find_gpus", {
        "vendor": request.vendor, "market": (request.market or "").lower() or None,
        "min_memory_bytes": reading.memory(request.min_memory, "min_memory"),
        "max_memory_bytes": reading.memory(request.max_memory, "max_memory"),
        "max_price_usd": most,
        **_features(request.feature), "max_tdp_w": _watts(request.max_power),
        "sort": (request.sort or "").lower() or None, "limit": 10,
    })  # fmt: skip
    fields = ("name", "memory_bytes", "bandwidth_bytes_per_s", "tdp_w", "market", "status", "price", "price_cny")
    rows = [
        shown({name: row.get(name) for name in fields if row.get(name)} | priced(row, request.country))
        for row in result["gpus"]
    ]
    told = {"total": result["total"], "cards": rows, "warnings": result["warnings"][:2]}
    if price and most and price.currency != "USD":
        said = f"{price.amount:,.0f} {price.currency} are {most:,.0f} USD ({rate(price.currency).as_of})"
        told["assumptions"] = [said]
    return told


def _features(text: str | None) -> dict[str, Any]:
    """What cards must have: links, number formats, ECC, a slot.

    Raises:
        BadInput: something that cards cannot be looked up by.
    """
    told: dict[str, Any] = {}
    for word in re.split(r"[\s,，、+]+", (text or "").strip().lower()):
        if word in FORMATS:
            told["precisions"] = (*told.get("precisions", ()), word)
        elif word in {"nvlink", "ecc"}:
            told[word] = True
        elif word in {"pcie", "sxm", "oam", "mxm"}:
            told["form_factor"] = word.upper().replace("PCIE", "PCIe")
        elif word:
            raise BadInput(
                "feature", f"holds “{word}”.", f"Cards are found by nvlink, ecc, pcie, sxm, {', '.join(FORMATS)}."
            )
    return told


def _model(request: LookUpRequest, desk: Desk) -> dict[str, Any]:
    return {"models": [_model_row(name) for name in _named(request)]}


def _model_row(name: str) -> dict[str, Any]:
    named, form = reading.model_and_format(name, None)
    if "model" not in named:
        raise BadInput("names", f"holds “{name}”, a size and no model.", "Name a model.")
    row = models()[named["model"]].model_dump(mode="json")
    return {
        "model": named["model"],
        **shown({field: row[field] for field in MODEL if row.get(field) not in (None, "", 0)}),
        **({"format": form} if form else {}),
    }


def _paid(row: dict[str, Any]) -> dict[str, Any]:
    """The price of an offer in the money that was asked for, in place of dollars; nothing where that is dollars."""
    if row["currency"] == "USD":
        return {}
    hourly = float(row["per_hour"])
    return {
        "usd_per_hour": None, "usd_per_gpu_hour": None, "currency": row["currency"], "hourly_cost": hourly,
        "gpu_hourly_cost": hourly / float(row["gpu_count"]),
    }  # fmt: skip


def _rate(currency: str) -> str:
    known = rate(currency)
    return f"1 USD = {known.per_usd} {known.currency} ({known.as_of})"


def _offers(request: LookUpRequest, desk: Desk) -> dict[str, Any]:
    cards = [one["gpu"] for name in request.names for one in reading.stated(reading.cards(name, "names"), "names")]
    price = reading.money(request.max_price, "max_price")
    country = (request.country or "").upper()[:2] or None
    currency = price.currency if price else MONEY_OF.get(country or "")
    told = []
    for card in cards or [None]:
        result = desk.call("find_offers", {
            "gpu": card, "min_gpus": reading.count(request.gpu_count, "gpu_count"), "provider": request.provider,
            "country": country,
            "purchase": _purchase(request.purchase),
            "min_memory_bytes_total": reading.memory(request.min_memory, "min_memory"),
            "max_per_hour": float(price.amount) if price else None, "currency": currency,
            "limit": ROWS_MAX if len(cards) < 2 else 3,
        })  # fmt: skip
        rows = [
            shown(
                {name: row.get(name) for name in OFFER if row.get(name) not in (None, "", False)}
                | _paid(row)
                | {"monthly_cost": float(row["per_hour"]) * HOURS_PER_MONTH, "currency": row["currency"]}
            )
            for row in result["offers"]
        ]
        rows = [{name: one for name, one in row.items() if name != "currency"} for row in rows]
        near = [
            shown({"without": one["without"], "offer": {name: one["offer"].get(name) for name in OFFER}})
            for one in result["nearest"][:2]
        ]
        told.append(
            {
                "card": card,
                "offers_known": result["total"],
                "offers": rows,
                "nearest": near,
                "warnings": result["warnings"][:2],
                **({"rate": _rate(currency)} if currency and currency != "USD" else {}),
            }
        )
    return {"offers_by_card": told} if len(told) > 1 else told[0]


def _purchase(text: str | None) -> str | None:
    """How it is rented: "on demand", "on-demand" and 按需 are one."""
    plain = re.sub(r"[\s_-]+", "_", (text or "").strip().lower())
    return PURCHASES.get(plain, plain) or None


def _compatibility(request: LookUpRequest, desk: Desk) -> dict[str, Any]:
    cards = [one["gpu"] for name in request.names for one in reading.stated(reading.cards(name, "names"), "names")]
    asked = {
        "gpu": cards[0] if cards else None, "gpus": cards[1:] or None, "feature": request.feature,
        "engine": request.engine, "cuda": request.cuda, "driver": request.driver, "question": request.words,
    }  # fmt: skip
    named = any((request.feature, request.engine, request.cuda, request.driver))
    if request.words and not named and not names_something(request.words):
        raise BadInput("words", "name nothing that cards are checked for.", "Name a feature, a program or a version.")
    alone: list[str] = []
    try:
        result = desk.call("check_compatibility", asked)
    except UnknownName as unknown:
        if unknown.kind != "engine" or not any((request.feature, request.cuda, request.driver)):
            raise
        result = desk.call("check_compatibility", {**asked, "engine": None})
        alone.append(f"Nothing is known of {(request.engine or '')[:NAME_MAX]}: the rest is judged without it.")
    rows = [_finding(one) for one in result["findings"]]
    told = shown_row({**_finding({name: result[name] for name in ("verdict", "way", "reason", "instead")}),
                      **({"findings": rows} if len(rows) > 1 else {}), "warnings": result["warnings"]})  # fmt: skip
    said = [*alone, *(one for one in result["assumptions"] if one.startswith(OWN_CARDS))]
    if said:
        told["read_as"] = said
    if request.country:
        told["export"] = [_export(card, request.country.strip().upper()[:2]) for card in cards]
    return told


def _finding(row: Mapping[str, Any]) -> dict[str, Any]:
    """A finding as a model reads it, in English; what its verdict leaves out stands in the verdict's place."""
    told = {name: value for name, value in row.items() if value and name != "way" and not name.endswith("_zh")}
    return {**told, "verdict": row.get("way") or row["verdict"]}


def _export(card: str, country: str) -> str:
    """What the rules that are held say of a card and a country."""
    rule = restriction(card, country)
    name = gpus()[card].name
    if rule is not None:
        return f"{name}: {rule.effect.replace('_', ' ')} for {country} since {rule.since} ({rule.rule})"
    if rules_held(country):
        return f"{name}: no rule that is held bars it for {country}"
    return f"{name}: no rule is held for {country}, which does not mean that none applies: ask the seller"


def _server(request: LookUpRequest, desk: Desk) -> dict[str, Any]:
    """Servers by name or by the cards in them."""
    return {"servers": [server_of(name, _cards_of(name), request.country, desk) for name in _named(request)]}


def _cards_of(name: str) -> tuple[CardCount, ...]:
    try:
        return reading.cards(name, "names")
    except AdvisorError:
        return ()


def _named(request: LookUpRequest) -> tuple[str, ...]:
    if not request.names:
        raise BadInput("names", "is empty.", "Name the cards, models or servers.")
    return request.names


def _watts(text: str | None) -> int | None:
    return None if text is None else int(read_power(text, "max_power")) or None


PURCHASES = {
    "ondemand": "on_demand", "按需": "on_demand", "按量": "on_demand", "竞价": "spot", "抢占": "spot",
    "preemptible": "spot",
    "interruptible": "spot", "包月": "reserved", "包年": "reserved", "预留": "reserved", "committed": "reserved",
}  # fmt: skip
"""Other words for a way of renting."""
KIND_OF: Mapping[str, Callable[[LookUpRequest, Desk], dict[str, Any]]] = {
    "spec": _spec, "specs": _spec, "specification": _spec, "compare": _compare, "comparison": _compare,
    "find_cards": _find_cards, "find": _find_cards, "search": _find_cards, "model": _model, "models": _model,
    "offers": _offers, "offer": _offers, "rent": _offers, "prices": _offers, "compatibility": _compatibility,
    "compatible": _compatibility, "server": _server, "servers": _server, "card": _spec, "cards": _spec,
}  # fmt: skip
