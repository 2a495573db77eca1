"""Reading by a language model: the same annotation by any chat model, held to its JSON schema where it can be."""

import json
import logging
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from pydantic import TypeAdapter, ValidationError

from assistant.llm.prompts import READING, READING_ON
from assistant.llm.provider import Breaker, Deadline, ProviderUnavailable
from assistant.reading.annotation import Annotation, Dropped, Entity, Marked, MarkedArtifact, MarkedAsk, MarkedFact
from assistant.reading.held import held
from assistant.reading.situation import Situation
from assistant.reading.slots import ASKS, KINDS, QUANTITIES, STANCES, slots
from kb.base import ModelFailed

logger = logging.getLogger(__name__)
CALLS_MAX = 2
"""A reply that is no JSON is asked for once more."""
AGAIN = "That is no JSON object of the form asked for. Write only the object."
_PARTS: dict[str, TypeAdapter[Any]] = {
    "asks": TypeAdapter(MarkedAsk), "facts": TypeAdapter(MarkedFact), "entities": TypeAdapter(Entity),
    "artifacts": TypeAdapter(MarkedArtifact),
}  # fmt: skip


class ModelReader:
    """Marks up messages by a chat model.

    Args:
        model: any LangChain chat model; small ones do.
        name: what annotations call it.
        within_s: longest time of a reading, all calls together.
        breaker: leaves a provider that is down alone for a while.
    """

    def __init__(self, model: BaseChatModel, name: str, within_s: float, breaker: Breaker) -> None:
        self._model = model
        self._name, self._within_s, self._breaker, self._deadline = name, within_s, breaker, Deadline()

    def read(self, message: str, before: Situation | None = None) -> Annotation:
        """The message marked up and held against its words.

        Raises:
            ModelFailed: the provider fails, or writes no annotation.
        """
        messages: list[BaseMessage] = [SystemMessage(told(before)), HumanMessage(message)]
        for _ in range(CALLS_MAX):
            said = self._said(messages, going_on=before is not None)
            given = _object(said)
            if given is not None:
                marked, spoilt = _marked(given)
                annotation = held(message, marked, self._name)
                return annotation.model_copy(update={"dropped": (*annotation.dropped, *spoilt)})
            messages += [AIMessage(said[:2000]), HumanMessage(AGAIN)]
        raise ModelFailed("it wrote no annotation")

    def _said(self, messages: Sequence[BaseMessage], *, going_on: bool) -> str:
        if not self._breaker.allows():
            raise ModelFailed("it failed several times and is left alone for a while")
        try:
            model = _constrained(self._model, schema(going_on=going_on))
            reply = self._deadline.run(lambda: model.invoke(messages), self._within_s / CALLS_MAX)
        except ProviderUnavailable as problem:
            self._breaker.failed()
            raise ModelFailed(str(problem)) from None
        except Exception as problem:  # the providers' exceptions share no base class
            self._breaker.failed()
            logger.warning("the language model failed to read: %s", type(problem).__name__)
            raise ModelFailed(type(problem).__name__) from None
        self._breaker.succeeded()
        return str(reply.text)


def told(before: Situation | None = None) -> str:
    """What the model is told: how to mark up, the closed lists, and what was said before, where there is something."""
    families: dict[str, list[str]] = {}
    for slot in slots().values():
        families.setdefault(slot.family, []).append(slot.name)
    lines = "\n".join(f"{family}: {' '.join(names)}" for family, names in families.items())
    former = READING_ON.format(told=before.told()) if before else ""
    return READING.format(slots=lines, asks=" ".join(ASKS), quantities=" ".join(QUANTITIES), before=former)


@lru_cache(maxsize=2)
def schema(*, going_on: bool = False) -> dict[str, Any]:
    """The JSON schema of what a reader writes: flat, closed, nothing that a small decoder cannot follow."""
    quote = {"type": "string"}
    numbers = {"type": "array", "items": {"type": "integer"}}
    fact = {"quote": quote, "slot": _one_of(slots()), "stance": _one_of(STANCES), "of": numbers}
    ask = {"ask": _one_of(ASKS), "quote": quote, "quantity": _one_of(("none", *QUANTITIES)), "about": numbers}
    parts: dict[str, Any] = {
        "facts": _rows_of(fact),
        "asks": _rows_of(ask),
        "unread": {"type": "array", "items": quote},
    }
    if going_on:
        entity = {"n": {"type": "integer"}, "what": _one_of(("work", "hardware")), "same_as": quote}
        parts = {"kind": _one_of(KINDS), **parts, "entities": _rows_of(entity)}
    return _object_of(parts)


def _one_of(names: Iterable[str]) -> dict[str, Any]:
    return {"type": "string", "enum": list(names)}


def _rows_of(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": _object_of(properties)}


def _object_of(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _constrained(model: BaseChatModel, wanted: dict[str, Any]) -> Any:
    """The model held to the schema, in the way its provider takes one; others are only told."""
    kind = model._llm_type
    if kind in ("openai-chat", "local", "azure-openai-chat"):
        named = {"name": "annotation", "schema": wanted, "strict": True}
        return model.bind(response_format={"type": "json_schema", "json_schema": named})
    if kind == "chat-ollama":
        return model.bind(format=wanted)
    return model


def _object(said: str) -> dict[str, Any] | None:
    """The first JSON object of a reply, whatever stands around it."""
    decoder, at = json.JSONDecoder(), said.find("{")
    while at >= 0:
        try:
            found, _ = decoder.raw_decode(said, at)
        except ValueError:
            at = said.find("{", at + 1)
            continue
        return found if isinstance(found, dict) and {"facts", "asks"} & set(found) else None
    return None


def _marked(given: dict[str, Any]) -> tuple[Marked, list[Dropped]]:
    """What of a reply keeps to the contract, row by row; one bad row costs no other."""
    kept: dict[str, list[Any]] = {}
    spoilt: list[Dropped] = []
    for part, adapter in _PARTS.items():
        rows = given.get(part)
        kept[part] = list(_rows(adapter, rows if isinstance(rows, list) else [], spoilt))
    unread = [one for one in given.get("unread") or () if isinstance(one, str) and one]
    head = {name: given[name] for name in ("kind", "language") if isinstance(given.get(name), str)}
    try:
        return Marked.model_validate({**head, **kept, "unread": unread}), spoilt
    except ValidationError:
        return Marked(**kept), spoilt


def _rows(adapter: TypeAdapter[Any], rows: Sequence[Any], spoilt: list[Dropped]) -> Iterator[Any]:
    for row in rows:
        if isinstance(row, dict):
            row = {name: value for name, value in row.items() if value not in (None, "none", "")}
        try:
            yield adapter.validate_python(row)
        except ValidationError as problem:
            first = problem.errors()[0]
            quote = str(row.get("quote", ""))[:200] if isinstance(row, dict) else str(row)[:200]
            spoilt.append(Dropped(quote=quote, why=f"{first['loc'][-1] if first['loc'] else 'row'}: {first['msg']}"))
