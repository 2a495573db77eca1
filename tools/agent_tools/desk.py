"""The desk a language model works at: it calls registered tools, and what it looked up stays at hand under a key."""

import logging
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from kb.base import AdvisorError, Frozen
from kb.catalog import gpus
from kb.lexicon import CardCount
from tools.agent_tools import known, reading
from tools.agent_tools.ledger import Ledger, LookedUp, Worked
from tools.agent_tools.shown import bounded
from tools.refused import bad_input
from tools.registry import tool

logger = logging.getLogger(__name__)
LOAD = (
    "users",
    "concurrent_sequences",
    "context_tokens",
    "input_tokens",
    "output_tokens",
    "shared_prefix_tokens",
    "host_memory",
    "memory_taken",
    "size",
    "samples",
    "sample_tokens",
    "dataset_tokens",
    "epochs",
    "sequence_tokens",
    "global_batch",
    "micro_batch",
    "lora_rank",
    "years",
    "hours_per_day",
    "utilisation",
    "hours_per_month",
    "tokens_per_month",
    "target_tokens_per_s",
    "target_first_token",
    "target_answer",
    "deadline",
)
"""Fields that say for what a result holds: an answer may repeat them."""
OF_TIME = {"hours_per_day": "h/day", "hours_per_month": "h/month", "years": "years", "epochs": "epochs"}
"""What a bare number in these is."""


class Desk:
    """Where one call of an agent's tool is worked out.

    Args:
        ledger: what was looked up before.
        words: what the person wrote in this conversation; a figure of theirs may go into a calculation.
    """

    def __init__(self, ledger: Ledger, words: tuple[str, ...] = ()) -> None:
        self.ledger, self.words = ledger, words
        self.worked: list[Worked] = []

    def call(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """What a registered tool says.

        Raises:
            AdvisorError: whatever it refuses.
        """
        given = {key: value for key, value in arguments.items() if value is not None and value != () and value != []}
        try:
            result = tool(name).call(given).model_dump(mode="json")
        except AdvisorError as problem:
            self.worked.append(Worked(tool=name, request=_plain(given), result={"error": problem.data()}))
            raise
        self.worked.append(Worked(tool=name, request=_plain(given), result=result))
        return result

    def tried(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
        """The same, null where the tool refuses: what is told beside the main thing."""
        try:
            return self.call(name, arguments)
        except AdvisorError:
            self.worked.pop()
            return None


@dataclass(frozen=True, slots=True)
class AgentTool:
    """A tool as a language model sees it."""

    run: Callable[[Any, Desk], dict[str, Any]]
    request: type[Frozen]

    @property
    def name(self) -> str:
        """The function's name, which is the tool's."""
        return self.run.__name__

    @property
    def description(self) -> str:
        """The docstring, which the model reads."""
        return " ".join((self.run.__doc__ or "").split())

    def look_up(
        self, arguments: Mapping[str, Any], ledger: Ledger, words: tuple[str, ...] = (), key: str | None = None
    ) -> LookedUp:
        """Run it; what it says, or why it refuses, is kept in the ledger. Never raises for what was asked.

        `key` is the one that the ledger gave for this call, where several run at once; else the next.
        """
        desk = Desk(ledger, words)
        try:
            request = self.request.model_validate(dict(arguments))
            asked = request.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
            told = bounded(self._told(request, asked, desk))
        except ValidationError as problem:
            asked, told = _plain(arguments), {"error": bad_input(problem, self.request.model_fields).data()}
        except AdvisorError as problem:
            asked, told = _plain(arguments), {"error": problem.data()}
        except Exception:  # a defect of one tool must not cost the person the whole answer
            logger.exception("%s failed", self.name)
            asked = _plain(arguments)
            told = {"error": {"code": "internal_error", "message": f"{self.name} failed; the defect was logged."}}
        one = LookedUp(
            key=key or ledger.next_key(), tool=self.name, request=asked, shown=told, worked=tuple(desk.worked)
        )
        return ledger.keep(one)

    def _told(self, request: Any, asked: dict[str, Any], desk: Desk) -> dict[str, Any]:
        """What it says; where cards are not known, that first, and what the call says without them.

        Raises:
            AdvisorError: whatever it refuses; an unknown card by its field, where nothing can be said without it.
        """
        unknown = known.unknown_cards(asked)
        if not unknown:
            return _with_reading(self.run(request, desk), asked)
        lesser = known.without(request, unknown)
        left = lesser.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
        try:
            found = _with_reading(self.run(lesser, desk), left)
        except AdvisorError:
            field, names = next(iter(unknown.items()))
            names[0].field = field
            raise names[0] from None
        return {"not_known": known.told(unknown), **found}


def _with_reading(found: dict[str, Any], asked: Mapping[str, Any]) -> dict[str, Any]:
    """A result with the load it holds for and how names were read, behind what it says of that itself."""
    said = [*found.get("read_as", ()), *_read_as(asked).get("read_as", ())]
    return {**found, **_load(asked), **({"read_as": said} if said else {})}


def _load(asked: Mapping[str, Any]) -> dict[str, Any]:
    """For which load and lengths a result holds, as they were passed; never a price or a figure that was seen."""
    told = {name: _with_time(name, asked[name]) for name in LOAD if asked.get(name)}
    return {"for": told} if told else {}


def _with_time(name: str, said: Any) -> Any:
    """A bare number with the unit that its field is of: "8" hours a day are "8 h/day"."""
    unit = OF_TIME.get(name)
    return f"{said} {unit}" if unit and re.fullmatch(r"\s*\d+(?:\.\d+)?\s*", str(said)) else said


def _read_as(asked: Mapping[str, Any]) -> dict[str, Any]:
    """What was assumed in reading names of cards: which of several, or which for a memory without a name."""
    said: list[str] = []
    for field, names in (("cards", asked.get("cards")), ("owned", asked.get("owned")), ("names", asked.get("names"))):
        for one in _cards_of(field, names):
            said += one.assumptions
            if one.gpu is None and (usual := reading.usual(one.memory_bytes)):
                said.append(f"“{one.name}” is taken for {gpus()[usual].name}, the usual card of that memory.")
    models = [reading.model_read_as(one) for one in (asked.get("model"), *(asked.get("works") or ()))]
    models += [reading.format_read_as(asked.get(field)) for field in ("model", "weight_format")]
    said += dict.fromkeys(one for one in models if one)
    if asked.get("host_memory"):
        said += reading.host_read_as(asked["host_memory"])
    return {"read_as": said} if said else {}


def _cards_of(field: str, names: Any) -> tuple[CardCount, ...]:
    """Cards of a field; of one that may name other things as well, those that are cards."""
    if field != "names":
        return reading.cards(names, field)
    found: list[CardCount] = []
    for name in names or ():
        with suppress(AdvisorError):
            found += reading.cards(name, field)
    return tuple(found)


def _plain(given: Mapping[str, Any]) -> dict[str, Any]:
    """A request as JSON would hold it."""
    return {key: _json(value) for key, value in given.items()}


def _json(value: Any) -> Any:
    if isinstance(value, Frozen):
        return value.model_dump(mode="json", exclude_none=True)
    if isinstance(value, Mapping):
        return {str(key): _json(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_json(one) for one in value]
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)
