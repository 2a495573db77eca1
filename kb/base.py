"""The frozen base model and the one tree of errors.

AdvisorError                     anything the advisor refuses to do, with data rather than prose
├── BadInput                     a field holds something that cannot be used: names it and the remedy
├── UnknownName                  no such GPU, model, provider …: carries the closest real names
│   └── ClosedModel              a model that runs only as its maker's service: carries the maker and an open one
├── AmbiguousName                several things bear the name: carries them all
├── UnsupportedAttention         no memory formula for this attention
├── NothingFits                  the search came back empty: carries what came closest
├── BadDocument                  a document cannot be read: carries the path and the reason
├── IndexUnavailable             the index of documents cannot be opened or built
├── PricesUnavailable            live prices cannot be fetched: those held stay as they are
├── StateUnavailable             conversations cannot be read or kept: the disk is full, the database is away
├── ConversationBusy             another turn of this conversation is running
├── Overloaded                   more is asked than can be worked out soon: carries how long the wait would be
└── ModelFailed                  the language model did not answer usably
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, PlainSerializer

if TYPE_CHECKING:
    from pydantic import GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core import CoreSchema

Money = Annotated[Decimal, PlainSerializer(float, return_type=float, when_used="json")]
"""An exact amount inside, an ordinary number in JSON."""


class Frozen(BaseModel):
    """An immutable record that refuses unknown fields, NaN and infinity."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
        ser_json_inf_nan="null",
    )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: "CoreSchema", handler: "GetJsonSchemaHandler"
    ) -> "JsonSchemaValue":
        """The schema, each field described by the string beneath it."""
        from kb.described import meanings

        schema = handler(core_schema)
        properties = handler.resolve_ref_schema(schema).get("properties", {})
        for name, meaning in meanings(cls).items():
            if name in properties:
                properties[name].setdefault("description", meaning)
        return schema


class AdvisorError(Exception):
    """Anything the advisor refuses to do; `data()` is the same on every face."""

    code = "advisor_error"

    def data(self) -> dict[str, Any]:
        """What went wrong as plain JSON: `code`, `message` and the fields of the error."""
        return {"code": self.code, "message": str(self), **vars(self)}


class BadInput(AdvisorError):
    """`field` cannot be used for `reason`; `remedy` says what would do."""

    code = "bad_input"

    def __init__(self, field: str, reason: str, remedy: str = "") -> None:
        super().__init__(f"{field}: {reason}" + (f" {remedy}" if remedy else ""))
        self.field, self.reason, self.remedy = field, reason, remedy


NOTHING_NEAR = {
    "model": "Give its size as params, or the path of its config.json.",
    "GPU": "List the cards with find_gpus.",
    "provider": "List the providers with find_offers.",
}
"""What to do when no name is near, by kind."""


class UnknownName(AdvisorError):
    """Nothing of this `kind` is called `name`; `close` holds the nearest real names, best first."""

    code = "unknown_name"

    def __init__(self, kind: str, name: str, close: Sequence[str] = ()) -> None:
        hint = f" Did you mean {', '.join(close)}?" if close else f" {NOTHING_NEAR.get(kind, '')}".rstrip()
        super().__init__(f"Unknown {kind} “{name[:80]}”.{hint}")
        self.kind, self.name, self.close = kind, name[:200], list(close)
        self.field = kind


class ClosedModel(UnknownName):
    """`name` is a model of `maker` whose weights are not published: it cannot be self-hosted."""

    def __init__(self, name: str, maker: str, close: Sequence[str] = ()) -> None:
        super().__init__("model", name, close)
        instead = f" An open model instead: {', '.join(close)}." if close else ""
        said = (
            f"“{name[:80]}” is a closed model of {maker}: its weights are not published, so it cannot be self-hosted."
        )
        self.args = (said + instead,)
        self.maker = maker


class AmbiguousName(AdvisorError):
    """`name` fits every one of `candidates`, and they differ in what matters."""

    code = "ambiguous_name"

    def __init__(self, kind: str, name: str, candidates: Sequence[str]) -> None:
        super().__init__(f"“{name[:80]}” could be any of: {', '.join(candidates)}. Say which {kind}.")
        self.kind, self.name, self.candidates = kind, name[:200], list(candidates)
        self.field = kind


class UnsupportedAttention(AdvisorError):
    """No memory formula is known for this model's attention."""

    code = "unsupported_attention"

    def __init__(self, model: str, attention: str) -> None:
        super().__init__(f"No memory formula for the attention of {model}: {attention}.")
        self.model, self.attention = model, attention
        self.field = "model"


class NothingFits(AdvisorError):
    """No configuration meets the need; `closest` says what came nearest and why it fails."""

    code = "nothing_fits"

    def __init__(self, reason: str, closest: Sequence[str] = ()) -> None:
        super().__init__(reason)
        self.reason, self.closest = reason, list(closest)


class BadDocument(AdvisorError):
    """The document at `path` cannot be read, for `reason`."""

    code = "bad_document"

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path, self.reason = path, reason
        self.field = "path"


class IndexUnavailable(AdvisorError):
    """The index of documents cannot be opened or built, for `reason`."""

    code = "index_unavailable"

    def __init__(self, reason: str) -> None:
        super().__init__(f"The document index is unavailable: {reason}")
        self.reason = reason


class PricesUnavailable(AdvisorError):
    """Live prices cannot be fetched, for `reason`; what was held before is held still."""

    code = "prices_unavailable"

    def __init__(self, reason: str) -> None:
        super().__init__(f"No live prices could be fetched: {reason} The prices held before are unchanged.")
        self.reason = reason


class StateUnavailable(AdvisorError):
    """Conversations cannot be read or kept, for `reason`."""

    code = "state_unavailable"

    def __init__(self, reason: str) -> None:
        super().__init__(f"Conversations cannot be read or kept: {reason}")
        self.reason = reason


class ConversationBusy(AdvisorError):
    """Another turn of this conversation is still running."""

    code = "conversation_busy"

    def __init__(self, conversation_id: str) -> None:
        super().__init__(f"Conversation {conversation_id} is answering another question; try again in a moment.")
        self.conversation_id = conversation_id
        self.field = "conversation_id"


class Overloaded(AdvisorError):
    """Whoever asks now would wait for `wait_s`; later the line is shorter."""

    code = "busy"

    def __init__(self, wait_s: float) -> None:
        super().__init__("Too many questions at once. Try again in a moment.")
        self.wait_s = round(wait_s, 1)


class ModelFailed(AdvisorError):
    """The language model did not answer usably, for `reason`."""

    code = "model_failed"

    def __init__(self, reason: str) -> None:
        super().__init__(f"The language model failed: {reason}")
        self.reason = reason
