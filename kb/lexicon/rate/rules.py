"""Rates as people write them: 40 tok/s · 18.5 s/it · 每秒 20 个token · 3 requests per minute · 15x realtime."""

from functools import lru_cache
from re import Pattern

from kb.base import BadInput, Frozen
from kb.lexicon.count.rules import numbers
from kb.lexicon.text import grammar, plain
from kb.lexicon.words import any_of, meaning, vocabulary


class Rate(Frozen):
    """So many of a thing in a second."""

    per_s: float
    """Things a second; of a range, the upper end. Times real time, where the thing is `realtime`."""
    of: str | None = None
    """tokens images frames steps samples requests pages realtime; null = not said."""


def read_rate(text: str, field: str = "rate") -> Rate:
    """The rate that `text` says; seconds a thing ("18.5 s/it") are turned over, a bare number is a second's.

    Raises:
        BadInput: no number, or one that is not above zero.
    """
    words = plain(text)
    found = numbers(words, letters="kmw")
    if not found or found[-1].value <= 0:
        raise BadInput(field, f"“{text[:60]}” holds no rate.", "Write for instance “40 tok/s” or “18.5 s/it”.")
    value = found[-1].value
    if turned := _time_a_thing().search(words):
        before = [one.value for one in found if one.end <= turned.start("per")] or [value]
        return Rate(per_s=1 / (before[-1] * meaning("rate", "per", turned["per"])), of=_thing(turned["thing"]))
    if long := _every_so_long().search(words):
        others = [one.value for one in found if not long.start("span") <= one.start < long.end("span")]
        spans = float(long["span"]) * meaning("rate", "per", long["per"])
        thing = _things().search(words)
        return Rate(per_s=(others[-1] if others else 1.0) / spans, of=_thing(thing[0]) if thing else None)
    said = _things_a_time().search(words) or _a_time_first().search(words)
    thing = _things().search(words)
    if said:  # the article of "a minute" is no number of things
        counted = [one.value for one in found if not said.start() <= one.start < said.end()]
        value = counted[-1] if counted else value
    return Rate(
        per_s=value / (meaning("rate", "per", said["per"]) if said else 1.0), of=_thing(thing[0]) if thing else None
    )


def _thing(said: str) -> str:
    """What there is so much of."""
    return str(meaning("rate", "things", said))


@lru_cache(maxsize=1)
def _things() -> Pattern[str]:
    return grammar(any_of(vocabulary("rate", "things")))


@lru_cache(maxsize=1)
def _time_a_thing() -> Pattern[str]:
    """`s/it`, "minutes per image", 「秒/张」, 「秒一张」."""
    things, per = any_of(vocabulary("rate", "things")), any_of(vocabulary("rate", "per"))
    return grammar(rf"(?P<per>{per}) ?(?:/|per |an? |each |every |每|一) ?(?P<thing>{things})")


@lru_cache(maxsize=1)
def _every_so_long() -> Pattern[str]:
    """ "every 2 seconds", 「每5分钟」."""
    return grammar(
        rf"(?:/|per |every |each |每) ?(?P<span>\d+(?:\.\d+)?) ?(?P<per>{any_of(vocabulary('rate', 'per'))})"
    )


@lru_cache(maxsize=1)
def _things_a_time() -> Pattern[str]:
    """`/s`, "per second", "an hour"."""
    return grammar(rf"(?:/|per |an? |each |every |每|一) ?(?P<per>{any_of(vocabulary('rate', 'per'))})")


@lru_cache(maxsize=1)
def _a_time_first() -> Pattern[str]:
    """「每秒」, "per second" before the number."""
    return grammar(rf"(?:每|一|per |each |every )(?P<per>{any_of(vocabulary('rate', 'per'))})")
