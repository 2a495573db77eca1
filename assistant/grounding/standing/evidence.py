"""What may vouch for a figure: results that were shown, passages, the person's words, former answers, the catalog."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assistant.grounding.standing.around import Around, asked_lengths, field_name, is_alone, over_of, texts_of, unechoed
from assistant.grounding.standing.catalogued import catalogued
from assistant.grounding.standing.given import Given, counts_of_terms, roles_of_terms
from assistant.grounding.standing.held import BARE, BARE_MIN, TERM, UNITLESS, Held
from assistant.grounding.standing.nicknames import Nicknames
from assistant.grounding.standing.pasted import (
    active_sizes,
    named_with_memory,
    numbers_spelt,
    opened,
    settings_in,
    tight,
)
from assistant.grounding.standing.ranges import is_range
from assistant.grounding.standing.spans import Spans
from assistant.grounding.standing.unsaid import LEAF, in_a_sum, share_of, titled, unsaid
from assistant.grounding.standing.vouched import (
    BEFORE,
    CATALOG,
    PASSAGE_KEY,
    PERSON,
    WITHIN,
    Vouched,
    against,
    told_again,
    under,
    vouched,
)  # fmt: skip
from assistant.grounding.wording.cues import COUNTED, length_told, roles_of_key
from assistant.grounding.wording.figures import Figure, dates_in, figures, figures_of_text
from assistant.grounding.wording.mentions import ids_of, products
from assistant.grounding.wording.quantities import (
    BYTES,
    FLOPS,
    MONEY,
    PACE,
    PERCENT,
    PLAIN,
    POWER,
    RATE,
    TIME,
    quantities,
)  # fmt: skip
from assistant.grounding.wording.statements import Statement, statements
from tools.agent_tools.ledger import LookedUp

STRICT = frozenset({BYTES, RATE, FLOPS, MONEY, POWER, PACE})
"""Kinds whose unit is said wherever there is one: a bare number is none of them."""
QUOTES, BESIDE = "search_guidance", "guidance"
"""The tool that quotes documents, and the field in which another's result does: they vouch for nothing more there."""
HAN = re.compile("[一-鿿]")
NUMBER = re.compile(r"\d+(?:\.\d+)?")
LENGTH_DIGITS_MIN = 3
"""Fewer digits of a setting are no length in tokens."""
FIELD = re.compile(r"[a-z]+(?:_[a-z]+)+\b")
"""A field that a text is about: "sequence_tokens not stated: 2,048 assumed"."""
TIME_BY_TIME = "_s_per_s"
"""Fields that hold a time by the time it takes: seconds of audio a second."""
COUNTS = frozenset({"count", "gpu_count", "gpus", "cards", "owned_count", "min_gpus"})
"""Fields that count cards."""
NOTES = (".note", ".notes")
"""Fields of a row that speak of it by what it is compared with: "An A100 whose NVLink runs at 400 GB/s"."""
CALCULATION = re.compile(r"\d\s?[=≈]\s?[$¥€£]?\d")
EXCHANGE = re.compile(r"1 [A-Z]{3} = [\d.,]+ [A-Z]{3}\b")
INTERVAL = re.compile(
    r"[(（][^\d()（）]{0,4}\d[\d.,]*[^\d()（）]{0,12}[–—~-][^\d()（）]{0,4}\d[\d.,]*[^\d()（）]{0,12}[)）]"
)
"""The interval around a figure: "98 tokens/s (76–128)"."""
ENDS = frozenset({"low", "high", "low_amount", "high_amount"})
"""Fields for the ends of the interval around the figure before them."""
STEPS = ".steps"
"""Where a calculation is written out."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """By what a figure is vouched for; or by nothing, and what stands against the nearest that would."""

    sources: tuple[str, ...]
    against: str = ""


class Evidence:
    """Every figure, name and text that an answer may rest on."""

    def __init__(self) -> None:
        self._held = Held()
        self._texts: list[tuple[str, str]] = []
        self._settings: list[tuple[str, str]] = []
        self._releases: dict[str, str] = {}
        self._tight: dict[bool, str] = {}
        self._leaf = 0
        self._terms: Sequence[Mapping[str, str]] = ()
        self.known: set[str] = set()
        """Ids of the products that results, the person or former answers name."""
        self.quoted: set[str] = set()
        """Ids of those that only passages name."""
        self.spans, self.names = Spans(), Nicknames()
        self.given = Given(())
        """What the calls were given."""

    @classmethod
    def of(cls, looked_up: Iterable[LookedUp], words: Sequence[str] = (), former: Sequence[str] = ()) -> "Evidence":
        """Gather from results, what the person wrote in this conversation, and what former answers told."""
        evidence = cls()
        calls = tuple(looked_up)
        evidence.given = Given(calls)
        for one in calls:
            if one.failed:  # what it says of the nearest that would do counts as well
                evidence._walk(unechoed(one.shown, one.request), one.key, "", Around())
            elif one.tool == QUOTES:
                evidence._passages(one.key, one.shown)
            else:
                around = products(" \n ".join(texts_of(one.request)))
                evidence.known.update(*(product.ids for product in around))
                evidence._sizes(one)
                evidence._terms = roles_of_terms(one)
                shown = {name: told for name, told in one.shown.items() if name != BESIDE}
                evidence._walk(shown, one.key, "", Around(
                    ids_of(around, "card"), ids_of(around, "model"), over_of(one.request),
                    asked=asked_lengths(one.request), alone=is_alone(texts_of(one.request.get("cards"))),
                ))  # fmt: skip
                evidence._passages(one.key, one.shown.get(BESIDE) or {})
                evidence._calculated(one)
        for text in words:
            evidence._person(text)
        for text in former:
            evidence._prose(text, BEFORE)
        evidence._held.sort()
        return evidence

    def vouches(self, figure: Figure) -> Verdict:
        """What stands behind a figure with its unit, and what it is of."""
        lengths, loads = figure.lengths & self._held.lengths, figure.loads & self._held.loads
        nearest, held = "", []
        rest: list[tuple[Vouched, str]] = []
        for one in self._held.alike(figure):
            reason = against(figure, one) or under(lengths, loads, one)
            if not reason:
                held.append(one)
            elif one.kind != PLAIN:
                rest.append((one, reason))
            nearest = nearest or (f"{one.source} holds it {reason}" if reason else "")
        sources = [one.source for one in held if not told_again(figure, one, rest)]
        if sources and not all(map(PASSAGE_KEY.fullmatch, sources)):
            return Verdict(tuple(dict.fromkeys(sources)))
        if (source := self.typed(figure) or (CATALOG if self._catalogued(figure) else None)) is not None:
            return Verdict((source, *sources))
        return Verdict(tuple(dict.fromkeys(sources)), nearest)

    def read(self, statement: Statement, figures: Sequence[Figure]) -> Sequence[Figure]:
        """The figures of a statement with what only evidence tells: a unit, a card called by number."""
        return self.names.read(statement, self.spans.read(statement, figures))

    def _catalogued(self, figure: Figure) -> bool:
        return self.names.calls(figure) or catalogued(figure, self.known)

    def leaves(self, figure: Figure) -> frozenset[int]:
        """The texts that tell a figure of this value."""
        return frozenset(one.leaf for one in self._held.alike(figure))

    def rates(self, figure: Figure, currencies: Sequence[str]) -> bool:
        """Whether something tells a number as what one unit of another currency comes to."""
        return self._held.rates(figure, currencies)

    def dates(self, text: str) -> str | None:
        """The source of a text that holds this date, however it is written: "2026 年 3 月", "March 2026"."""
        wanted = dates_in(text)
        for source, held in self._texts:
            if any(one.startswith(other) or other.startswith(one) for one in dates_in(held) for other in wanted):
                return source
        return None

    def typed(self, figure: Figure) -> str | None:
        """The source of a text that has a bare number as a setting: a port, a flag's value."""
        if any(one.kind != PLAIN for one in figure.readings):
            return None
        if figure.roles.get(COUNTED) == "tokens" and len(figure.text) < LENGTH_DIGITS_MIN:
            return None
        digits = figure.text.replace(",", "")
        return next((source for source, held in self._settings if held == digits), None) or self._releases.get(digits)

    def mentions(self, text: str) -> str | None:
        """The source of a text that holds this very string: a date, a release."""
        return next((source for source, held in self._texts if text in held), None)

    def writes(self, name: str, *, quoted: bool) -> bool:
        """Whether a text holds a name, however it is spaced; `quoted`: passages count as well."""
        wanted = tight(name)
        held = self._tight.setdefault(quoted, tight("\n".join(
            text for source, text in self._texts if quoted or not PASSAGE_KEY.fullmatch(source)
        )))  # fmt: skip
        return wanted in held

    def texts(self) -> Iterator[str]:
        """Everything that was written to the turn: results, passages, the person's words, former answers."""
        return (text for _, text in self._texts)

    def _walk(self, value: Any, key: str, path: str, around: Around) -> None:
        """Take a result apart; what stands beside a figure says what it is of."""
        if isinstance(value, Mapping):
            around = around.within(value)
            for name, inner in value.items():
                name = field_name(value, str(name))
                for figure in figures_of_text(length_told(name)):
                    self._add(figure, key, Around())
                self._walk(inner, key, f"{path}.{name}", around.below(name))
        elif isinstance(value, list | tuple):
            for inner in value:
                self._walk(inner, key, path, around)
        elif isinstance(value, str):
            self._text(value, key, path, around)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            counts = path.rsplit(".", 1)[-1] in COUNTS
            self._held.keep(vouched(PLAIN, float(value), 0.0, key, around, counts=counts))
            for figure in unsaid(f"{value:.12g}", path):
                self._add(figure, key, around)

    def _text(self, value: str, key: str, path: str, around: Around) -> None:
        """A text of a result; what it says itself of its figures counts before what stands around it."""
        self._texts.append((key, value))
        self._settings += [(key, one) for one in settings_in(value)]
        self._names(value, self.known)
        if path.rsplit(".", 1)[-1] not in ENDS:
            self._leaf += 1
        if path.endswith(TIME_BY_TIME) and (number := NUMBER.search(value.replace(",", ""))):
            rate = float(number[0])  # so many times real time, or a share of it
            self._held.keep(vouched(PLAIN, rate, 0.0, key, around))
            if rate:
                self._held.keep(vouched(PERCENT, 100 / rate, 0.0, key, around))
        if path.endswith(".ratio") and (match := LEAF.fullmatch(value)) and 0 < (part := _amount(match)) < 1:
            self._held.keep(vouched(PLAIN, 1 / part, 0.01 / part, key, around))  # so many times as slow
        if EXCHANGE.match(value):  # of money alone, whatever card the row is of
            around = Around(roles={"rate": "exchange"})
            rate = tuple(quantities(value))[1].values[0]
            self._held.keep(vouched(PLAIN, rate, 0.0, key, around))
        field, headed = FIELD.match(value), titled(value)
        told = (*figures_of_text(value), *unsaid(value, path))
        ranged = is_range(value, told)
        inside = [(0, len(value))] if ranged else [match.span() for match in INTERVAL.finditer(value)]
        self.spans.take(value, told)
        if (share := share_of(value, path)) is not None:
            lost = replace(around, roles={**around.roles, "left": "lost"})
            self._held.keep(vouched(PERCENT, 100 * (1 - share), 0.0, key, lost))
        if CALCULATION.search(value):  # "steps" of a calculation counts none
            around = replace(around, roles={group: role for group, role in around.roles.items() if group != COUNTED})
        terms = self._terms if path == STEPS and len(self._terms) < len(told) else ()
        for place, figure in enumerate(told):
            self._release(figure, key)
            roles = {**around.roles, **(roles_of_key(field[0]) if field else {}), **figure.roles}
            if place < len(terms):
                roles |= terms[place]
            if any(start <= figure.start < end for start, end in inside):
                roles["end"] = WITHIN
            for digits in in_a_sum(figure):
                self._held.keep(vouched(TERM, digits, 0.0, key, around))
            if figure.readings and figure.readings[0].kind in {TIME, PERCENT}:
                for bare in figure.readings[1:]:  # its unit is told; in a sum it may be left out
                    self._held.keep(vouched(TERM, bare.values[0], bare.tolerances[0], key, around))
                figure = replace(figure, readings=figure.readings[:1])
            cards = figure.cards | around.cards if path.endswith(NOTES) else figure.cards or headed or around.cards
            self._add(figure, key, replace(
                around, cards=cards, models=figure.models | around.models, roles=roles,
                ways={**around.ways, **{name: ids for name, ids in figure.ways.items() if ids}},
            ))  # fmt: skip
        if ranged:
            self._held.ranges.take(*self._held.of(told[1].readings[0].kind)[-2:])

    def _sizes(self, one: LookedUp) -> None:
        """A model that a call names by its size alone is known by it: "40B"."""
        for figure in figures_of_text(str(one.request.get("model") or "")):
            self._add(figure, one.key, Around())

    def _calculated(self, one: LookedUp) -> None:
        """The value of a calculation that asked for no unit, which the writer gives one; and what its terms count."""
        for count, roles in counts_of_terms(one):
            self._held.keep(vouched(PLAIN, count, 0.0, one.key, Around(roles=roles)))
        value = one.shown.get("value")
        if isinstance(value, str) and (match := LEAF.fullmatch(value)):
            self._held.keep(vouched(UNITLESS, _amount(match), 0.0, one.key, Around()))

    def _passages(self, key: str, shown: Mapping[str, Any]) -> None:
        for number, passage in enumerate(shown.get("passages") or (), 1):
            for text in texts_of(passage):
                self._prose(text, f"{key}.{number}", known=self.quoted)

    def _person(self, text: str) -> None:
        """What the person wrote: their bare sums are of the currency of their language."""
        self._held.home = "CNY" if HAN.search(text) else "USD"
        self._prose(text, PERSON)
        if (plain := opened(text)) != text:
            self._prose(plain, PERSON)
        for number in active_sizes(text):
            self._held.keep(vouched(PLAIN, number, 0.0, PERSON, Around()))
        self._versions(text)
        for number in numbers_spelt(text):
            self._held.keep(vouched(PLAIN, number, 0.0, PERSON, Around()))
        for one in list(self._held.of(PLAIN)):
            if one.source != PERSON or one.in_unit or one.counts or COUNTED in one.roles:
                continue
            self._held.keep(replace(one, kind=UNITLESS))
            if one.value >= BARE_MIN:
                self._held.keep(replace(one, kind=f"{MONEY}:{BARE}"))

    def _versions(self, text: str) -> None:
        """A card that the person names with its memory is known by its bare name too, and its memory is theirs."""
        for name, memory in named_with_memory(one.text for one in products(text) if one.dimension == "card"):
            self._names(name, self.known)
            for figure in figures_of_text(memory):
                self._add(figure, PERSON, Around())

    def _prose(self, text: str, source: str, known: set[str] | None = None) -> None:
        self._texts.append((source, text))
        self._names(text, self.known if known is None else known)
        for statement in statements(text):
            self._leaf += 1
            for figure in figures(statement):
                self._release(figure, source)
                self._add(figure, source, Around(figure.cards, figure.models, figure.roles, figure.ways))
                for reading in figure.readings[:1]:
                    digits = NUMBER.search(reading.text.replace(",", "")) if source == PERSON else None
                    if digits and reading.kind != PLAIN:  # told again without its unit: 「为什么是 910」
                        bare = vouched(PLAIN, float(digits[0]), 0.0, source, Around())
                        self._held.keep(replace(bare, in_unit=True))
                    if source == PERSON and reading.kind == TIME:  # in a sum it may stand in seconds, without a unit
                        self._held.keep(vouched(TERM, reading.values[0], 0.0, source, Around()))

    def _release(self, figure: Figure, source: str) -> None:
        """Keep a release or compute capability, whose number may be told again without that word."""
        if figure.version and "." in figure.text:
            self._releases.setdefault(figure.text, source)

    def _add(self, figure: Figure, source: str, around: Around) -> None:
        for reading in figure.readings:
            for place, value in enumerate(reading.values):
                for kind in [f"{MONEY}:{code}" for code in reading.currencies] or [reading.kind]:
                    slack = reading.tolerances[place]
                    one = vouched(kind, value, slack, source, around, counts=figure.counts, leaf=self._leaf)
                    self._held.keep(one)

    def _names(self, text: str, into: set[str]) -> None:
        for one in products(text):
            into |= one.ids
        if into is self.known:
            self.names.take(products(text))


def _amount(leaf: re.Match[str]) -> float:
    return float(leaf["number"].replace(",", ""))


__all__ = ["BEFORE", "CATALOG", "PASSAGE_KEY", "PERSON", "Evidence", "Verdict", "dates_in"]
