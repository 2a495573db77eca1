"""The bill of materials of a configuration: what, how many, at which price, from where and of when."""

from html import escape

from kb.catalog import sources
from tools.configuration import Configuration, Item
from ui.words.labels import label
from ui.words.quantities import money


def bill(one: Configuration) -> str:
    """The parts behind a fold; nothing when there are none."""
    if not one.items:
        return ""
    rows = "".join(_row(item, one.price.currency) for item in one.items)
    return f'<details class="fold"><summary>{label("bill")}</summary><ul class="bill">{rows}</ul></details>'


def _row(item: Item, currency: str) -> str:
    each = f" × {money(item.unit_price, currency)}" if item.unit_price is not None and item.count > 1 else ""
    total = label("price_unknown") if item.subtotal is None else money(item.subtotal, currency)
    band = ""
    if item.low is not None and item.high is not None and item.low != item.high:
        band = f"{money(item.low, currency)} – {money(item.high, currency)}"
    said = [escape(source_title(item.source)) if item.source else "", escape(item.price_date or ""), band]
    note = " · ".join(part for part in said if part)
    return (
        f"<li><span>{item.count:,}{each} {escape(item.product)}"
        f'<small class="quiet">{label(f"item_{item.part}")}{" · " if note else ""}{note}</small></span>'
        f"<b>{total}</b></li>"
    )


def source_title(source_id: str) -> str:
    """The title of a source; its id when it is not in the list of sources."""
    known = sources().get(source_id)
    return known.title if known else source_id
