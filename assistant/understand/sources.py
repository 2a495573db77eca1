"""Watts of what feeds a machine and is no supply of its own nor a circuit: an inverter, a generator, solar."""

from assistant.understand.numbers import number
from assistant.understand.text import grammar

_WATTS = r"(?<![\d.])(?P<{n}>\d{{1,5}}(?:\.\d{{1,2}})?)\s?(?P<{u}>kw|千瓦|w|watts?|瓦)(?![a-z]|时)"
_SOURCE = (
    r"(?:inverters?|generators?|genset|solar|photovoltaics?|power stations?|逆变器|发电机|光伏|太阳能|储能|户外电源)"
)
_SOURCES = grammar(
    rf"{_SOURCE}[^.?!。？]{{0,40}}?{_WATTS.format(n='n', u='u')}"
    rf"|{_WATTS.format(n='n2', u='u2')}\s?(?:的)?\s?(?:[a-z-]{{1,12}} ){{0,2}}{_SOURCE}"
    rf"|{_WATTS.format(n='n3', u='u3')}\s?(?:of (?:spare |free )?power |of )?"
    r"(?:to spare|spare|available|free|left)(?![a-z])"
    r"|(?:run|power|feed)[^.?!,]{1,32}? (?:on|from|off|with) (?:a |an |only |just |about )*"
    rf"{_WATTS.format(n='n4', u='u4')}"
    rf"|(?:只有|最多|还剩|余量|富余)\s?(?:有)?{_WATTS.format(n='n5', u='u5')}"
)


def find_source(plain: str) -> float | None:
    """Watts that are there for the whole machine."""
    match = _SOURCES.search(plain)
    groups = match.groupdict() if match else {}
    place = next((end for end in ("", "2", "3", "4", "5") if groups.get(f"n{end}")), None)
    if place is None:
        return None
    value = number(groups[f"n{place}"]) or 0.0
    return value * (1000 if groups[f"u{place}"] in ("kw", "千瓦") else 1) or None
