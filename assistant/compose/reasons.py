"""What the configurator says of a configuration, in the asker's language: its codes worded from the phrases."""

from collections.abc import Iterable

from assistant.compose import names, numbers
from assistant.phrases import Phrases
from tools.base import Scalar
from tools.configuration import Reason

_FORMATS = frozenset({"format", "native"})
_CARDS = frozenset({"gpu"})
_CURRENCIES = frozenset({"excess", "extra"})


def said(one: Reason, say: Phrases) -> str:
    """The sentence of one reason."""
    values = {name: _worded(name, value, say) for name, value in one.values.items()}
    return say(f"reason.{one.code}", **values)


def sentences(reasons: Iterable[Reason], kind: str, say: Phrases) -> list[str]:
    """The sentences of one kind: `why`, `trade_off`, `availability`, or `reason` and `change` of a near miss."""
    return [said(one, say) for one in reasons if one.kind == kind]


def _worded(name: str, value: Scalar, say: Phrases) -> str:
    """One value as a person of that language writes it."""
    if name in _FORMATS:
        return names.format_name(str(value))
    if name in _CARDS:
        return str(value).removeprefix("NVIDIA ").removeprefix("GeForce ")
    if name == "country":
        return say.get(f"country.{value}") or str(value)
    if name == "status":
        return say.get(f"availability.{value}") or str(value)
    if name == "allowance":
        return f"{float(value or 0):.0%}"
    if name == "per":
        return say.get("reason.an_hour") or "" if value else ""
    if name in _CURRENCIES:
        return numbers.usd(float(value or 0))
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return str(value if value is not None else "")
    return numbers.count(value) if isinstance(value, int) else numbers.figure(value)
