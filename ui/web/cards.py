"""Configurations as cards: what to order, whether it fits, what it costs and why."""

from collections.abc import Sequence
from html import escape

from assistant.compose.names import engine_name, format_name
from assistant.compose.reasons import sentences
from assistant.phrases import phrases
from assistant.plan.preferred import main_date
from tools.configuration import Configuration
from tools.prices import is_stale
from ui.web.bill import bill
from ui.web.chart import fit_bar
from ui.words.labels import both, label, labels
from ui.words.quantities import money, price, price_range

SHOWN_FIRST = 3
MOST = 12
SPEEDS = {
    "tokens_per_s_per_user": "speed",
    "images_per_s": "speed_images",
    "clips_per_s": "speed_clips",
    "documents_per_s": "speed_documents",
    "audio_s_per_s": "speed_audio",
    "tokens_per_s_total": "speed_total",
    "samples_per_s_total": "speed_samples",
}
"""Measures a card shows, the first that is known."""


def cards(configurations: Sequence[Configuration], answer_id: str = "") -> str:
    """The best few at once, the rest behind a fold; two to four can be laid side by side."""
    if not configurations:
        return ""
    first = "".join(card(one, answer_id) for one in configurations[:SHOWN_FIRST])
    more = configurations[SHOWN_FIRST:MOST]
    rest = ""
    if more:
        folded = "".join(card(one, answer_id) for one in more)
        title = f"+ {len(more)} {label('more')}"
        rest = f'<details class="fold"><summary>{title}</summary><div class="cards">{folded}</div></details>'
    side = ""
    if answer_id and len(configurations) > 1:
        side = (
            f'<p class="compare-bar"><button type="button" class="button" data-compare="{escape(answer_id)}" disabled>'
            f'{label("compare")}</button> <span class="quiet">{label("compare_hint")}</span></p>'
            f'<div class="compared" data-compared="{escape(answer_id)}" role="region" aria-live="polite"></div>'
        )
    name = label("configurations")
    return f'<section class="part"><h2>{name}</h2><div class="cards">{first}</div>{rest}{side}</section>'


def card(one: Configuration, answer_id: str = "") -> str:
    """One configuration."""
    facts = [
        _quiet(where(one)),
        _quiet(layout(one)),
        fit_bar(one.memory),
        speed(one),
        _reasons(one),
        _rent(one),
        _network(one),
        f'<p class="quiet">{power(one)}</p>' if one.power_w else "",
        bill(one),
    ]
    picked = ""
    if answer_id:
        picked = (
            f'<label class="pick"><input type="checkbox" data-pick="{escape(answer_id)}" value="{one.rank}"> '
            f"{label('pick')}</label>"
        )
    return (
        f'<article class="card"><header><p class="tags">{_way(one)}{picked}</p><h3>{title(one)}</h3></header>'
        f'{price_line(one)}<p class="quiet">{dated(one)}</p>{"".join(facts)}</article>'
    )


def title(one: Configuration) -> str:
    """The cards and how many, then how many machines."""
    name = (one.gpu_name or one.gpu).removeprefix("NVIDIA ").removeprefix("GeForce ")
    nodes = f' <span class="quiet">({one.nodes} {label("nodes")})</span>' if one.nodes > 1 else ""
    return f"{one.gpu_count} × {escape(name)}{nodes}"


def where(one: Configuration) -> str:
    """Of whom it is rented."""
    return " · ".join(part for part in (one.provider, one.instance, one.region) if part)


def layout(one: Configuration) -> str:
    """Format, engine and how the work is spread."""
    spread = (
        (one.tensor_parallel, "TP"), (one.pipeline_parallel, "PP"), (one.data_parallel, "DP"),
        (one.context_parallel, "CP"), (one.expert_parallel, "EP"),
    )  # fmt: skip
    parts = [format_name(one.weight_format) if one.weight_format else "", engine_name(one.engine) if one.engine else ""]
    parts += [f"{name}{count}" for count, name in spread if count > 1]
    if one.sharding not in (None, "none", "ddp"):
        parts.append(phrases("en").get(f"sharding.{one.sharding}") or str(one.sharding))
    return " · ".join(part for part in parts if part)


def speed(one: Configuration) -> str:
    """How fast it works, with the range that is honest."""
    found = one.speed or {}
    for name, key in SPEEDS.items():
        value, low, high = (found.get(f"{name}{end}") for end in ("", "_low", "_high"))
        if isinstance(value, float | int):
            known = isinstance(low, float | int) and isinstance(high, float | int)
            spread = f" ({_figure(low)} – {_figure(high)})" if known else ""  # type: ignore[arg-type]
            return f'<p><b>≈ {_figure(value)}</b> {label(key)}<span class="quiet">{spread}</span></p>'
    return ""


def power(one: Configuration) -> str:
    """What the cards draw, and what the whole takes from the wall where that was worked out."""
    wall = (one.running_cost or {}).get("wall_max_w")
    text = f"{label('power')}: {(one.power_w or 0) / 1000:.2g} kW"
    return f"{text} · {label('at_the_wall')} {wall / 1000:.2g} kW" if isinstance(wall, float | int) else text


def price_line(one: Configuration) -> str:
    """What it costs; cards that one has already cost nothing, which is said in words."""
    if _owned(one):
        return f'<p class="price owned">{label("owned")}</p>'
    return f'<p class="price">{price(one.price)}</p>'


def dated(one: Configuration) -> str:
    """The day of the price of what matters most, its band, what it was read as, and whether anything is missing."""
    day = main_date(one)
    parts = [f"{label('as_of')} {escape(day)}"] if day else []
    if old := _old(one):
        parts.append(f'<span class="old">{label(old)}</span>')
    if band := price_range(one.price.asked_price or one.price):
        parts.append(band)
    if read := _read_as(one):
        parts.append(f"{label('read_as')} {read}")
    if not one.price.complete:
        parts.append(f'<span class="old">{label("incomplete")}</span>')
    return " · ".join(parts)


def dated_plain(one: Configuration, *, zh: bool) -> str:
    """The same remarks in one language, as text."""
    keys = [key for key in (_old(one), "" if one.price.complete else "incomplete") if key]
    remarks = [price_range(one.price), *(labels()[key][int(zh)] for key in keys)]
    return " · ".join(remark for remark in remarks if remark)


def _old(one: Configuration) -> str:
    """The label of what is to be said of the age of a price."""
    day = main_date(one)
    if not one.price.amount:
        return ""
    if day is None:
        return "undated"
    if is_stale(day):
        return "old_price"
    return "old_parts" if one.price.as_of and is_stale(one.price.as_of) else ""


def _read_as(one: Configuration) -> str:
    """The sum in the money it was read in, where it is told in another."""
    if one.price.asked_price is None or one.price.amount is None:
        return ""
    return price_range(one.price) or money(one.price.amount, one.price.currency)


def _reasons(one: Configuration) -> str:
    """Why this one and what one gives up, in both languages; the tool's own sentences where it gives no codes."""
    if not one.reasons:
        why = f'<p><span lang="en">{escape(one.why)}</span></p>' if one.why else ""
        lines = "".join(f"<li>{escape(line)}</li>" for line in one.trade_offs)
        return why + (f'<ul class="trade" lang="en">{lines}</ul>' if lines else "")
    english, chinese = phrases("en"), phrases("zh")
    why = both(" ".join(sentences(one.reasons, "why", english)), "".join(sentences(one.reasons, "why", chinese)))
    given_up = (sentences(one.reasons, "trade_off", say) for say in (english, chinese))
    pairs = zip(*given_up, strict=True)
    lines = "".join(f"<li>{both(*pair)}</li>" for pair in pairs)
    return f"<p>{why}</p>" + (f'<ul class="trade">{lines}</ul>' if lines else "")


def _rent(one: Configuration) -> str:
    """The other ways to pay for the same instances."""
    others = [offer for offer in one.rent_prices if offer.kind != "on_demand"]
    if not others:
        return ""
    rows = "".join(
        f"<li>{label(f'rent_{offer.kind}')} <b>{money(offer.usd_per_hour, 'USD')}{label('per_hour')}</b></li>"
        for offer in others
    )
    return f'<ul class="ways">{rows}</ul>'


def _network(one: Configuration) -> str:
    if one.network is None:
        return ""
    net = one.network
    english = (
        f"{net.rails} rails, {net.leaf_switches} leaf and {net.spine_switches} spine switches of {net.switch_ports} "
        f"ports, {net.link_bits_per_s / 1e9:,.0f} Gbit/s, {net.cables} cables"
    )
    chinese = (
        f"{net.rails} 轨，{net.leaf_switches} 台 leaf、{net.spine_switches} 台 spine 交换机（{net.switch_ports} 口），"
        f"{net.link_bits_per_s / 1e9:,.0f} Gbit/s，{net.cables} 根线缆"
    )
    return f'<p class="quiet">{label("network")}: {both(english, chinese)}</p>'


def _way(one: Configuration) -> str:
    """To buy or to rent, and whether used; neither where all of it is in hand."""
    if _owned(one):
        return ""
    used = f'<span class="badge plain">{label("used")}</span>' if one.condition == "used" else ""
    return f'<span class="badge {one.acquisition}">{label(one.acquisition)}</span>{used}'


def _owned(one: Configuration) -> bool:
    return one.price.amount == 0 and bool(one.owned_count)


def _quiet(text: str) -> str:
    return f'<p class="quiet">{escape(text)}</p>' if text else ""


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"
