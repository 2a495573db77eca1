"""Configurations as cards: what to order, whether it fits, what it costs and why."""

from collections.abc import Sequence
from html import escape

from tools.configuration import Configuration, Item
from ui.web.chart import fit_bar
from ui.web.labels import label
from ui.web.quantities import money, price

SHOWN_FIRST = 3


def cards(configurations: Sequence[Configuration]) -> str:
    """The best few at once, the rest behind a fold."""
    if not configurations:
        return ""
    first = "".join(map(card, configurations[:SHOWN_FIRST]))
    more = configurations[SHOWN_FIRST:12]
    rest = ""
    if more:
        folded = "".join(map(card, more))
        title = f"+ {len(more)} {label('more')}"
        rest = f'<details class="fold"><summary>{title}</summary><div class="cards">{folded}</div></details>'
    return f'<section class="part"><h2>{label("configurations")}</h2><div class="cards">{first}</div>{rest}</section>'


def card(one: Configuration) -> str:
    """One configuration."""
    where = " · ".join(part for part in (one.provider, one.instance, one.region) if part)
    layout = " · ".join(
        part
        for part in (
            one.weight_format,
            one.engine,
            f"TP {one.tensor_parallel}" if one.tensor_parallel > 1 else "",
            f"PP {one.pipeline_parallel}" if one.pipeline_parallel > 1 else "",
            one.sharding if one.sharding not in (None, "none") else "",
        )
        if part
    )
    facts = [
        f'<p class="quiet">{escape(where)}</p>' if where else "",
        f'<p class="quiet">{escape(layout)}</p>' if layout else "",
        fit_bar(one.memory),
        _speed(one),
        f'<p><span lang="en">{escape(one.why)}</span></p>' if one.why else "",
        _list(one.trade_offs),
        f'<p class="quiet">{label("power")}: {one.power_w / 1000:.2g} kW</p>' if one.power_w else "",
        _bill(one),
    ]
    return (
        f'<article class="card"><header><span class="badge {one.acquisition}">{label(one.acquisition)}</span>'
        f"<h3>{escape(one.title)}</h3></header>"
        f'{_price(one)}<p class="quiet">{_dated(one)}</p>{"".join(facts)}</article>'
    )


def _speed(one: Configuration) -> str:
    """How fast it answers one user, with the range that is honest."""
    speed = one.speed or {}
    value, low, high = (speed.get(f"tokens_per_s_per_user{end}") for end in ("", "_low", "_high"))
    if not isinstance(value, float | int):
        return ""
    spread = f" ({low:.0f} – {high:.0f})" if isinstance(low, float | int) and isinstance(high, float | int) else ""
    return f'<p><b>≈ {value:.0f}</b> {label("speed")}<span class="quiet">{spread}</span></p>'


def _price(one: Configuration) -> str:
    """What it costs; cards that one has already cost nothing, which is said in words."""
    if one.price.amount == 0 and one.owned_count:
        return f'<p class="price owned">{label("owned")}</p>'
    return f'<p class="price">{price(one.price)}</p>'


def _dated(one: Configuration) -> str:
    parts = [f"{label('as_of')} {escape(one.price.as_of)}"] if one.price.as_of else []
    if one.price.low is not None and one.price.high is not None and one.price.low != one.price.high:
        parts.append(f"{money(one.price.low, one.price.currency)} – {money(one.price.high, one.price.currency)}")
    if not one.price.complete:
        parts.append(label("incomplete"))
    return " · ".join(parts)


def _list(lines: Sequence[str]) -> str:
    return f'<ul class="trade" lang="en">{"".join(f"<li>{escape(line)}</li>" for line in lines)}</ul>' if lines else ""


def _bill(one: Configuration) -> str:
    if not one.items:
        return ""
    rows = "".join(_row(item, one.price.currency) for item in one.items)
    return f'<details class="fold"><summary>{label("bill")}</summary><ul class="bill">{rows}</ul></details>'


def _row(item: Item, currency: str) -> str:
    each = f" × {money(item.unit_price, currency)}" if item.unit_price is not None and item.count > 1 else ""
    total = label("price_unknown") if item.subtotal is None else money(item.subtotal, currency)
    return f'<li><span>{item.count:,}{each} <span class="quiet">{escape(item.product)}</span></span><b>{total}</b></li>'
