"""What stands around a figure in a result: whose row it is in, how that is run, and under which load."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from assistant.grounding.wording.cards import counted_cards
from assistant.grounding.wording.cues import roles_of_key, unit_of_key
from assistant.grounding.wording.mentions import ids_of, mentions_of, products
from assistant.grounding.wording.quantities import quantities
from assistant.grounding.wording.ways import by_dimension, ways

NAMES = frozenset({
    "card", "cards", "gpu", "gpus", "gpu_name", "gpu_text", "model", "models", "title", "name", "names", "product",
    "server", "machine", "instance", "part", "used", "subject", "id",
})  # fmt: skip
"""Fields that say what the figures beside them are of."""
RUNS = ("title", "weight_format", "kv_format", "engine", "method", "sharding", "change", "effect")
"""Fields that say how what the figures beside them are of is run."""
CACHE_FORMAT = "kv_format"
LENGTHS, LOADS = ("context_tokens", "input_tokens", "sequence_tokens"), ("concurrent_sequences", "users")
"""Fields that say the length and the number of requests that the figures beside them hold for."""
BOUNDS = frozenset({"limit", "seen", "expected", "low", "high"})
"""Fields of a row that say its figure, where another names what it is."""
PERIODS = ("day", "month", "year")
"""Times by which a row tells an amount of work: what that costs is told by it as well."""
ONCE = ("purchase", "price", "deposit")
"""In names of fields for money that is paid once, or for each of something."""
ASKED = (*LENGTHS, "prefix_tokens", "shared_prefix_tokens", "prompt_tokens")
"""Fields of a call that say a length, which its result tells rounded up to what is laid out for it."""
HOST = frozenset({"host", "host_memory"})
"""Fields of what is no card's."""
BILL = "bill"
PROCESSOR = re.compile(r"\bon the (?:processor|CPU)\b", re.I)
ROUNDED_MAX = 2.0
"""How many times as long that may be."""
VOLUME_PRICE, ANY = "_million_price", "any"
"""In the path of a price by volume; and the time that an amount over it is told by."""
LIMITS = "limits"
"""What holds below it does so at its own length and load."""


@dataclass(frozen=True, slots=True)
class Around:
    """What the fields around one place of a result say of every figure there."""

    cards: frozenset[str] = frozenset()
    models: frozenset[str] = frozenset()
    roles: Mapping[str, str] = field(default_factory=dict)
    ways: Mapping[str, frozenset[str]] = field(default_factory=dict)
    lengths: frozenset[float] = frozenset()
    """Tokens of context or prompt."""
    loads: frozenset[float] = frozenset()
    """Requests at once."""
    asked: frozenset[float] = frozenset()
    """Tokens that the call gave for a length."""
    alone: bool | None = None
    """Whether it is of one card; null = not said."""

    def within(self, row: Mapping[str, Any]) -> "Around":
        """The same, narrowed by what the fields of a row say of it."""
        beside = products(" \n ".join(_names_beside(row)))
        lengths = frozenset(one for key in LENGTHS for one in _numbers(row.get(key)))
        if any(one <= rounded < ROUNDED_MAX * one for one in self.asked for rounded in lengths):
            lengths |= self.asked
        loads = frozenset(one for key in LOADS for one in _numbers(row.get(key)))
        best = row.get("answer")  # what a result says beside its rows is said of the best of them
        over = next((by for key in row for by in PERIODS if key.endswith(f"_per_{by}") and not _is_money(key)), None)
        told = {**(_runs(best) if isinstance(best, Mapping) else {}), **_runs(row)}
        return replace(
            self,
            cards=ids_of(beside, "card") or (frozenset() if _on_processor(row) else self.cards),
            models=ids_of(beside, "model") or self.models,
            ways={**self.ways, **told},
            roles={**self.roles, **_bill(row), **({"over": over} if over else {})},
            lengths=lengths | self.lengths if lengths else self.lengths,
            loads=loads or self.loads,
            alone=self.alone if (alone := is_alone(_names_beside(row))) is None else alone,
        )

    def below(self, name: str) -> "Around":
        """What stands around a field that is called so."""
        roles = {**self.roles, **roles_of_key(name)}
        if any(word in name for word in ONCE):
            roles.pop("over", None)
        inner = replace(self, roles=roles, cards=frozenset() if name in HOST else self.cards)
        if name != LIMITS and not name.startswith("max_"):
            return inner
        return replace(inner, roles={**inner.roles, "bound": "limit"}, lengths=frozenset(), loads=frozenset())


def asked_lengths(request: Mapping[str, Any]) -> frozenset[float]:
    """The lengths in tokens that a call gave."""
    return frozenset(one for key in ASKED for one in _numbers(request.get(key)))


def over_of(request: Mapping[str, Any]) -> dict[str, str]:
    """The role of a calculation over prices by volume: its value is told by whatever time that volume is of."""
    return {"over": ANY} if any(VOLUME_PRICE in text for text in texts_of(request.get("values"))) else {}


def is_alone(texts: Iterable[str]) -> bool | None:
    """Whether texts name one card; null where they name none."""
    alone: bool | None = None
    for text in texts:
        named = [one for one in products(text) if one.dimension == "card"]
        counts = [one.count for one in counted_cards(text, mentions_of(named))]
        if any(one > 1 for one in counts) or len(named) > 1:
            return False
        alone = True if named else alone
    return alone


def field_name(row: Mapping[str, Any], name: str) -> str:
    """What the field `name` of a row is of: its own name, or that which the row gives its quantity."""
    said = str(row.get("figure") or row.get("name") or "")
    return said if name in BOUNDS and unit_of_key(said) else name


def texts_of(value: Any) -> Iterator[str]:
    """Every text below a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from texts_of(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts_of(inner)


def _bill(row: Mapping[str, Any]) -> dict[str, str]:
    """Which part of a bill a row tells."""
    return {group: role for group, role in roles_of_key(str(row.get("name") or "")).items() if group == BILL}


def _on_processor(row: Mapping[str, Any]) -> bool:
    """Whether what a row tells of runs on no card."""
    return PROCESSOR.search(str(row.get("title") or "")) is not None


def _is_money(key: str) -> bool:
    return "cost" in key or "price" in key


def _names_beside(row: Mapping[str, Any]) -> Iterator[str]:
    for key in NAMES & row.keys():
        yield from texts_of(row[key])


def _runs(row: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    """How the thing of a row is run, by dimension."""
    told = " | ".join(str(row[key]) for key in RUNS if key != CACHE_FORMAT and isinstance(row.get(key), str))
    cache = f" | {row[CACHE_FORMAT]} cache" if isinstance(row.get(CACHE_FORMAT), str) else ""
    return by_dimension(ways(told + cache)) if told or cache else {}


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)
    elif isinstance(value, str):
        for one in quantities(value):
            yield from one.values


def unechoed(value: Any, request: Mapping[str, Any]) -> Any:
    """What a refusal says, less what it repeats of the request: that vouches for nothing."""
    if isinstance(value, Mapping):
        return {name: unechoed(inner, request) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [unechoed(inner, request) for inner in value]
    if isinstance(value, str):
        for text in sorted(texts_of(request), key=len, reverse=True):
            value = re.sub(re.escape(text), " ", value, flags=re.I)
    return value
