"""What cards and servers are sold for, as `look_up` tells it: ranges with their day, in the money of the asker."""

from collections.abc import Mapping, Sequence
from typing import Any

from kb.base import AdvisorError
from kb.catalog import server as find_server
from kb.catalog import servers
from kb.lexicon import CardCount
from kb.market.rates import convert
from tools.agent_tools.desk import Desk
from tools.agent_tools.shown import shown, shown_row
from tools.prices import MONEY_OF

SERVER = (
    "gpus", "gpu_text", "max_gpus", "cpu", "max_memory", "storage", "network", "psu_w", "cooling", "rack_units",
    "notes",
)  # fmt: skip
READ_MAX, HOLDING_MAX = 3, 4
SECOND_HAND = frozenset({"discontinued", "modified"})


def priced(row: Mapping[str, Any], country: str | None = None) -> dict[str, Any]:
    """The price of a card from its lower to its upper end, with the day and whether it is second-hand.

    In yuan besides, for somebody in China, where nobody was read to ask them.
    """
    price, high = row.get("price"), row.get("price_high_usd")
    if not price:
        return {"price_high_usd": None}
    low = float(price["amount_usd"])
    used = row.get("status") in SECOND_HAND and price["kind"] == "street"
    ends = {"high_usd": float(high)} if high and float(high) > low else {}
    money = MONEY_OF.get((country or "").upper()[:2])
    local = {} if money is None or row.get("price_cny") else {"amount_cny": float(convert(low, "USD", money))}
    kind = "street, second-hand" if used else price["kind"]
    return {"price": {**local, **price, **ends, "kind": kind}, "price_high_usd": None}


def server_row(name: str, desk: Desk) -> dict[str, Any]:
    """A server by name: what it holds, its supply, and what it costs.

    Raises:
        UnknownName: no such server.
    """
    row = find_server(name).model_dump(mode="json")
    power = desk.tried("plan_power", {"server": row["id"]}) or {}
    fields = {key: row[key] for key in SERVER if row.get(key) not in (None, "", [], {})}
    told = {"server": f"{row['vendor']} {row['name']}", **fields, "prices": row["prices"][:READ_MAX],
            "wall_max_w": power.get("wall_max_w")}  # fmt: skip
    return dict(shown(told))


def server_of(name: str, cards: Sequence[CardCount], country: str | None, desk: Desk) -> dict[str, Any]:
    """A machine by the cards in it, "8x H20": which servers are sold with them, and what such a machine costs.

    Raises:
        AdvisorError: no cards are named either.
    """
    try:
        return server_row(name, desk)
    except AdvisorError:
        if len(cards) != 1 or cards[0].gpu is None:
            raise
    one = cards[0]
    place = (country or "").upper()[:2] or None
    money = MONEY_OF.get(place or "")
    asked = {"gpu": one.gpu, "gpu_count": one.count, "country": place, "currency": money}
    own = (desk.tried("estimate_cost", asked) or {}).get("own")
    return {"cards": f"{one.count} × {one.name}", **_machine(own, money), "sold_as": _holding(one)}


def _machine(own: Mapping[str, Any] | None, currency: str | None) -> dict[str, Any]:
    """What it costs together and in lines; nothing where nobody was read to sell it."""
    if own is None:
        return {"note": "no price of it is known"}
    lines = [{name: one[name] for name in ("what", "count", "unit_cost", "as_of")} for one in own["prices"]]
    whole = all(one["unit_cost"] is not None for one in own["prices"])
    told = {"purchase_cost": own["purchase_cost"] if whole else None, "lines": lines}
    return shown_row(told, currency or "USD")


def _holding(card: CardCount) -> list[str]:
    """Servers that take so many of the card."""
    held = (one for one in servers().values() if not one.discontinued and one.takes(str(card.gpu)) >= card.count)
    return [f"{one.vendor} {one.name}" for one in held][:HOLDING_MAX]
