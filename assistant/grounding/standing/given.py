"""What the writer's own calls were given: it may be told again, as what was assumed."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from assistant.grounding.standing.around import texts_of
from assistant.grounding.wording.cues import COUNTED, roles_of_key
from assistant.grounding.wording.figures import Figure
from assistant.grounding.wording.quantities import PERCENT, PLAIN, quantities
from tools.agent_tools.ledger import LookedUp

REFERENCE = re.compile(r"R\d+[.\[]")
TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\d.]*(?:e\d+)?")
"""Names and numbers of an expression, in its order."""
PARTS = frozenset({"memory", "bill", "draw", "wait"})
CARDS = ("cards", "owned")
"""Fields that count cards."""


class Given:
    """The figures of requests, each with the key of the result that it led to."""

    def __init__(self, looked_up: Iterable[LookedUp]) -> None:
        self._values: dict[float, str] = {}
        self._counts: dict[float, str] = {}
        for one in looked_up:
            if not one.failed:
                self._take(one.key, one.request)

    def _take(self, key: str, request: Mapping[str, Any]) -> None:
        for name, value in request.items():
            for text in texts_of(value) if not isinstance(value, int | float) else (f"{value:.12g}",):
                for one in quantities(text):
                    for number in one.values:
                        self._values.setdefault(number, key)
                if name in CARDS and (first := next(iter(quantities(text.replace("x", " x"))), None)) is not None:
                    self._counts.setdefault(first.values[0], key)
                    nodes = next(iter(quantities(str(request.get("nodes") or ""))), None)
                    if nodes is not None and nodes.values[0] and not first.values[0] % nodes.values[0]:
                        self._counts.setdefault(first.values[0] / nodes.values[0], key)

    def holds(self, figure: Figure) -> str | None:
        """The key of the result that a call with this figure led to: in its unit, or in none that was passed."""
        for reading in figure.readings:
            digits = next(iter(quantities(reading.text.split()[0].strip("$¥￥€£%"))), None)
            shares = [value / 100 for value in reading.values] if reading.kind == PERCENT else []
            for value in (*reading.values, *shares, *(digits.values if digits else ())):
                if value in self._values:
                    return self._values[value]
        return None

    def counts(self, figure: Figure) -> str | None:
        """The key of the result that a call for so many cards led to."""
        return self._counts.get(figure.readings[0].values[0]) if figure.readings else None


def counts_of_terms(one: LookedUp) -> Iterator[tuple[float, Mapping[str, str]]]:
    """Bare numbers among the terms of a calculation, with what their names say they count."""
    told = one.request.get("values")
    for name, term in told.items() if isinstance(told, Mapping) else ():
        for count in quantities(str(term)):
            if count.kind == PLAIN and COUNTED in (roles := roles_of_key(str(name))):
                yield count.values[0], roles


def roles_of_terms(one: LookedUp) -> Sequence[Mapping[str, str]]:
    """What each figure of a calculation is, in its order: what the field says that it was taken from."""
    told, expression = one.request.get("values"), one.request.get("expression")
    if not isinstance(told, Mapping) or not isinstance(expression, str):
        return ()
    taken = (str(told.get(token, "")) for token in TOKEN.findall(expression))
    return [_parts(path.rsplit(".", 1)[-1]) if REFERENCE.match(path) else {} for path in taken]


def _parts(name: str) -> Mapping[str, str]:
    """Which part a field tells; of how many cards or users a term is, its sum decides."""
    return {group: role for group, role in roles_of_key(name).items() if group in PARTS}
