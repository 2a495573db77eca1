"""Two to four configurations side by side."""

from collections.abc import Callable, Sequence
from html import escape

from assistant.compose.reasons import sentences
from assistant.phrases import phrases
from kb.base import BadInput
from tools.configuration import Configuration
from ui.web import cards
from ui.web.chart import fit_bar
from ui.words.labels import both, label

FEWEST, MOST = 2, 4
ROWS: tuple[tuple[str, Callable[[Configuration], str]], ...] = (
    ("price_column", cards.price_line),
    ("as_of", cards.dated),
    ("acquisition", lambda one: label(one.acquisition)),
    ("provider", lambda one: escape(cards.where(one)) or "–"),
    ("setup", lambda one: escape(cards.layout(one)) or "–"),
    ("memory_fit", lambda one: fit_bar(one.memory)),
    ("speed_row", lambda one: cards.speed(one) or "–"),
    ("power", lambda one: cards.power(one) if one.power_w else "–"),
    ("why", lambda one: _said(one, "why")),
    ("trade_offs", lambda one: _said(one, "trade_off")),
    ("availability", lambda one: _said(one, "availability")),
)


def comparison(configurations: Sequence[Configuration], ranks: Sequence[int]) -> str:
    """The table of the chosen ones, in the order chosen.

    Raises:
        BadInput: fewer than two, more than four, or one there is not.
    """
    if not FEWEST <= len(ranks) <= MOST:
        raise BadInput("ranks", f"holds {len(ranks)} configurations.", f"Choose {FEWEST} to {MOST} of them.")
    by_rank = {one.rank: one for one in configurations}
    chosen = [by_rank[rank] for rank in ranks if rank in by_rank]
    if len(chosen) < len(ranks):
        raise BadInput("ranks", "names a configuration that this answer has not.")
    head = "".join(f'<th scope="col">{cards.title(one)}</th>' for one in chosen)
    rows = "".join(
        f'<tr><th scope="row">{label(key)}</th>' + "".join(f"<td>{cell(one)}</td>" for one in chosen) + "</tr>"
        for key, cell in ROWS
    )
    return (
        f'<div class="scroll" tabindex="0"><table class="side"><thead><tr><td></td>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _said(one: Configuration, kind: str) -> str:
    english = sentences(one.reasons, kind, phrases("en"))
    chinese = sentences(one.reasons, kind, phrases("zh"))
    return "".join(f"<p>{both(*pair)}</p>" for pair in zip(english, chinese, strict=True)) or "–"
