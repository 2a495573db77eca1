"""Values of quotations, parsed by the lexicon from words, slot and neighbours; never taken from a reader."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from assistant.reading.annotation import MarkedFact
from assistant.reading.slots import slots
from assistant.reading.vocabulary import word_of
from kb.base import AdvisorError, AmbiguousName, BadInput
from kb.lexicon import (
    Money,
    read_cards,
    read_count,
    read_duration,
    read_duty,
    read_format,
    read_growth,
    read_host_memory,
    read_link,
    read_memory,
    read_model,
    read_money,
    read_params,
    read_picture_size,
    read_power,
    read_rate,
    read_share,
    size_in_name,
)
from kb.lexicon.count.rules import numbers
from kb.lexicon.text import grammar, plain

KIBI = 1024
AMONG_MAX = 3
"""Models that a name may mean of which the first is taken, and told; of more nobody knows which is meant."""
HOUR_S = 3600.0
_THOUSANDS = grammar(r"(\d+(?:\.\d+)?) ?k(?![a-z])")
_PAGES = grammar(r"(?:pages?|页)")
_PARALLEL = grammar(
    r"(?P<kind>tp|pp|dp|ep|tensor[ -]parallel(?:ism|[ -]size)?|pipeline[ -]parallel(?:ism|[ -]size)?|"
    r"data[ -]parallel(?:ism|[ -]size)?|expert[ -]parallel(?:ism|[ -]size)?|张量并行|流水线并行|数据并行|专家并行)"
    r" ?(?:=|:|of|度|为|size)? ?(?P<n>\d{1,4})?"
)
_KINDS = {"t": "tp", "p": "pp", "d": "dp", "e": "ep", "张": "tp", "流": "pp", "数": "dp", "专": "ep"}
_SETTING = grammar(r"^-{0,2}(?P<name>[a-z_][\w.-]*)(?:(?: ?[=:] ?| )(?P<value>\S.*))?$")
_LABELLED = grammar(r"^[a-z][a-z _-]{0,14}[=:]?(?P<n>\d+)$")
"""A label with its number and no blank between: bs16, rank64, r8."""
_EACH = grammar(r" ?(?:/|per|a|每|一) ?(?:its?|iter(?:ation)?s?|steps?|imgs?|images?|samples?|页|步|次|张|条|轮)$")
"""Of one what a time is told."""
_CLOCK = grammar(
    r"(?P<from>\d{1,2})(?::\d\d| ?点| ?am| ?pm)? ?(?:-|–|—|~|to|till|until|and|到|至) ?(?:下午|晚上?)?"
    r"(?P<to>\d{1,2})(?::\d\d| ?点| ?am| ?pm)?"
)
"""From when to when of a day."""
_FORMS = grammar(r"(?:the |(?<![a-z0-9])(?:pcie|sxm\d?|nvl|\d{1,3} ?gi?b?)(?![a-z0-9])|版本?|的)")
"""Words by which cards of one name differ."""
HALF_DAY_H, DAY_H = 12, 24
_BARE = grammar(r"^\D{0,6}\d+(?:[.,]\d+)?\D{0,2}$")


_CURRENCY = {
    "zh": "CNY",
    "zh-Hans": "CNY",
    "en": "USD",
    "ja": "JPY",
    "ko": "KRW",
    "de": "EUR",
    "fr": "EUR",
    "it": "EUR",
}
"""What people of a language mean by an amount without a currency; languages of several countries are left open."""


class Value(NamedTuple):
    """What a quotation says."""

    value: Any
    inherited: tuple[str, ...] = ()
    """Parts that a neighbour states."""


Read = Callable[[str, str], Any]


def with_neighbours(facts: Sequence[tuple[MarkedFact, str]], language: str | None = None) -> list[Value | str]:
    """The value of every quotation, or why it has none.

    An amount of money that names no currency, or no time it is paid for, takes what the other amounts of the message
    in the same slot name ("0.72" beside "1.80/gpu/h" is a rent an hour and card), and of any slot the currency; where
    no amount names one, the currency is that of the language. What was not said is told in `inherited`.
    """
    alone = [_alone(mark.slot, quote) for mark, quote in facts]
    named = [one.value for one in alone if isinstance(one, Value) and isinstance(one.value, Money)]
    for place, ((mark, quote), one) in enumerate(zip(facts, alone, strict=True)):
        if slots()[mark.slot].reads == "money" and isinstance(one, str):
            alone[place] = _in_currency(quote, one, named, _CURRENCY.get(language or ""))
    told = [one.value if isinstance(one, Value) and isinstance(one.value, Money) else None for one in alone]
    completed = []
    for (mark, quote), one in zip(facts, alone, strict=True):
        if slots()[mark.slot].reads == "money":
            others = [money for (other, _), money in zip(facts, told, strict=True) if money and other.slot == mark.slot]
            one = _paid_per(one, quote, others)
        completed.append(_plain(one))
    return completed


def value_of(slot: str, quote: str) -> Value | str:
    """The value of one quotation by itself, or why it has none."""
    return _plain(_alone(slot, quote))


def _alone(slot: str, quote: str) -> Value | str:
    read = _READERS[slots()[slot].reads]
    try:
        return Value(read(quote, slot))
    except AdvisorError as problem:
        return str(problem)


def _plain(one: Value | str) -> Value | str:
    """The value as plain JSON."""
    if isinstance(one, str):
        return one
    value = one.value
    return Value(value.model_dump(mode="json") if hasattr(value, "model_dump") else value, one.inherited)


def _in_currency(quote: str, refused: str, named: Sequence[Money], usual: str | None) -> Value | str:
    """An amount without a currency, in that of the other amounts, else in the usual one; or why it is none."""
    currency = next((money.currency for money in named), usual)
    if currency is None:
        return refused
    try:
        return Value(read_money(quote, currency=currency), ("currency",))
    except AdvisorError as problem:
        return str(problem)


def _paid_per(one: Value | str, quote: str, same: Sequence[Money]) -> Value | str:
    """An amount that names no time it is paid for, with that of its neighbours."""
    if isinstance(one, str):
        return one
    money: Money = one.value
    paid = next((other for other in same if other.per is not None), None)
    if paid is None or money.per is not None or money.each is not None or not _BARE.match(plain(quote)):
        return one
    return Value(money.model_copy(update={"per": paid.per, "each": paid.each}), (*one.inherited, "per"))


def _cards(quote: str, slot: str) -> Any:
    return [card.model_dump(mode="json", exclude_defaults=True) | {"gpu": card.gpu, "count": card.count}
            for card in read_cards(quote, field=slot)]  # fmt: skip


def _model(quote: str, slot: str) -> Any:
    """A model of the catalog, else a size alone, else the size in the name of one that is not listed, else a kind."""
    try:
        return read_model(quote, field=slot).model_dump(mode="json", exclude_none=True)
    except AdvisorError as unknown:
        try:
            return read_params(quote).model_dump(mode="json", exclude_none=True)
        except AdvisorError:
            if isinstance(unknown, AmbiguousName) and len(unknown.candidates) <= AMONG_MAX:
                return {"model": unknown.candidates[0], "text": quote, "among": unknown.candidates}
            if (size := size_in_name(quote, any_family=True)) is not None:
                return {**size.model_dump(mode="json", exclude_none=True), "unlisted": quote.strip()}
            if (kind := word_of("model", quote)) is not None:
                return {"kind": kind}
            raise unknown from None


def _tokens(quote: str, slot: str) -> Any:
    """Tokens; `16k` of them are 16,384. Pages stay pages: how many tokens one holds is nobody's to say here."""
    words = plain(quote)
    if _PAGES.search(words):
        return {"pages": _first(words, slot, quote)}
    if said := _THOUSANDS.search(words):
        return {"tokens": round(float(said[1]) * KIBI)}
    return {"tokens": round(_first(words, slot, quote))}


def _first(words: str, slot: str, quote: str) -> float:
    found = numbers(words, letters="kmw", articles=False)
    if not found:
        raise BadInput(slot, f"“{quote[:60]}” holds no number.", 'Give one number, e.g. "1.5k", "50,000", 「200万」.')
    return found[-1].value


def _count(quote: str, slot: str) -> Any:
    """A count; "single", 「自己」 and "once" are one."""
    if not any(letter.isdigit() for letter in quote) and (said := word_of("count", quote)) is not None:
        return int(said)
    try:
        return read_count(quote, field=slot)
    except AdvisorError:
        if (labelled := _LABELLED.match(plain(quote))) is not None:
            return int(labelled["n"])
        return _first(plain(quote), slot, quote)


def _duration(quote: str, slot: str) -> Any:
    """Seconds; of one step or item less the words that say so; from when to when of a day as what lies between."""
    words = plain(quote)
    if slot == "busy_hours" and (span := _CLOCK.search(words)) is not None:
        begins, ends = int(span["from"]), int(span["to"])
        if begins < DAY_H and ends <= DAY_H:
            whole = HALF_DAY_H if ends <= begins <= HALF_DAY_H and "点" not in words and ":" not in words else DAY_H
            return ((ends - begins) % whole or whole) * HOUR_S
    return read_duration(_EACH.sub("", words) if slot == "step_time" else quote, field=slot)


def _parallel(quote: str, slot: str) -> Any:
    said = {_KINDS[one["kind"][0]]: int(one["n"]) for one in _PARALLEL.finditer(plain(quote)) if one["n"]}
    if not said:
        raise BadInput(slot, f"“{quote[:60]}” says no layout.", "Write for instance “tp 4” or 「张量并行4」.")
    return said


def _setting(quote: str, slot: str) -> Any:
    said = _SETTING.match(plain(quote))
    if said is None:
        return {"name": quote.strip()}
    name, value = said["name"].replace("-", "_"), said["value"]
    return {"name": name, **({"value": value} if value else {})}


def _format(quote: str, slot: str) -> Any:
    return read_format(quote, field=slot)


def _words(quote: str, slot: str) -> Any:
    said = word_of(slot, quote)
    if said is None:
        raise BadInput(slot, f"“{quote[:60]}” is none of the values known here.", "It is kept as unread.")
    return said


def values_of(facts: Sequence[tuple[MarkedFact, str]], language: str | None = None) -> list[Value | str]:
    """The value of every quotation as its neighbours complete it, and cards by what was named before them."""
    found = _with_names(facts, with_neighbours(facts, language))
    return [_classed(mark, quote, one) for (mark, quote), one in zip(facts, found, strict=True)]


def _with_names(facts: Sequence[tuple[MarkedFact, str]], found: Sequence[Value | str]) -> list[Value | str]:
    """The values; a form or a memory alone ("SXM", "80GB SXM") is of the card that was named before it."""
    named, completed = "", []
    for (mark, quote), one in zip(facts, found, strict=True):
        if mark.slot == "cards" and isinstance(one, Value):
            named = _FORMS.sub(" ", plain(quote)).strip()
        elif mark.slot == "cards" and isinstance(one, str) and named and not _FORMS.sub("", plain(quote)).strip():
            again = value_of(mark.slot, f"{named} {quote}")
            one = Value(again.value, (*again.inherited, "name")) if isinstance(again, Value) else one
        completed.append(one)
    return completed


def _classed(mark: MarkedFact, quote: str, one: Value | str) -> Value | str:
    """A class of cards that is ruled out by words that name none of them."""
    if isinstance(one, str) and mark.slot == "cards" and mark.stance == "ruled_out" and (kind := _class_of(quote)):
        return Value([{"gpu": None, "count": 1, "class": kind}])
    return one


def _class_of(quote: str) -> str | None:
    """The class of cards that words name which name no card: GeForce, 专业卡."""
    return word_of("condition", quote)


def _rate(quote: str, slot: str) -> Any:
    """A rate; whether it is of all together, where the words say so."""
    rate = read_rate(quote, field=slot)
    told = dict(rate.model_dump(mode="json") if hasattr(rate, "model_dump") else rate)
    return {**told, "together": True} if word_of("together", quote) else rate


def _named(quote: str, slot: str) -> Any:
    """One of the words known in a slot that is open; anything else as it was written."""
    return word_of(slot, quote) or _text(quote, slot)


def _interruption(quote: str, slot: str) -> Any:
    """What share of the hours is lost, or how long a machine stays on average; else as it was written."""
    for name, read in (("every_s", read_duration), ("share", read_share)):
        try:
            return {name: read(quote, field=slot)}
        except AdvisorError:
            continue
    return _text(quote, slot)


def _host(quote: str, slot: str) -> Any:
    return read_host_memory(quote, field=slot).model_dump(mode="json", exclude_none=True)


def _link(quote: str, slot: str) -> Any:
    return read_link(quote, field=slot).model_dump(mode="json", exclude_none=True)


def _number(quote: str, slot: str) -> Any:
    return _first(plain(quote), slot, quote)


def _text(quote: str, slot: str) -> Any:
    """Kept as written, but for the blanks around and inside."""
    return re.sub(r"\s+", " ", quote).strip()


_READERS: Mapping[str, Read] = {
    "cards": _cards, "model": _model, "format": _format, "words": _words, "named": _named,
    "interruption": _interruption, "text": _text, "count": _count,
    "tokens": _tokens, "number": _number, "parallel": _parallel, "setting": _setting, "host_memory": _host,
    "link": _link, "memory": lambda quote, slot: read_memory(quote, field=slot),
    "money": lambda quote, slot: read_money(quote, field=slot),
    "duration": _duration,
    "rate": _rate,
    "share": lambda quote, slot: read_share(quote, field=slot),
    "growth": lambda quote, slot: read_growth(quote, field=slot),
    "power": lambda quote, slot: read_power(quote, field=slot),
    "duty": lambda quote, slot: read_duty(quote, field=slot),
    "picture": lambda quote, slot: read_picture_size(quote, field=slot),
}  # fmt: skip
