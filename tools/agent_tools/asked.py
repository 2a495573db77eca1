"""What a language model may write into a request: names and quantities in people's words, numbers or nothing."""

from collections.abc import Mapping
from typing import Any

from pydantic import model_validator

from kb.base import Frozen

NOTHING = frozenset({"", "null", "none", "n/a", "unknown", "unspecified", "not specified", "not stated", "未知", "无"})
SAYS_NONE = frozenset({"gradient_checkpointing", "unit"})
"""Fields of which "none" is a value: no checkpointing, a bare number."""


class AgentRequest(Frozen):
    """Fields of text, read as people write: `"2x 3090"`, `"128GB"`, `"¥50000"`, `"6 weeks"`; a number does as well."""

    @model_validator(mode="before")
    @classmethod
    def _written_anyhow(cls, given: Any) -> Any:
        """Numbers become text where text is taken, one thing a list of one; what says nothing is left out."""
        if not isinstance(given, Mapping):
            return given
        return {
            key: _fitted(cls, str(key), value)
            for key, value in given.items()
            if value is not None and not _says_nothing(str(key), value)
        }


def _fitted(cls: type[AgentRequest], key: str, value: Any) -> Any:
    field = cls.model_fields.get(key)
    if field is None:
        return value
    takes = str(field.annotation)
    if "tuple" in takes:
        many = value if isinstance(value, list | tuple) else (value,)
        return tuple(_text(one) for one in many)
    if "str" in takes and "dict" not in takes and isinstance(value, int | float) and not isinstance(value, bool):
        return _text(value)
    if "str" in takes and isinstance(value, list) and all(isinstance(one, str) for one in value):
        return " + ".join(value)
    return value


def _says_nothing(key: str, value: Any) -> bool:
    """Whether a value only says that there is none; of some fields "none" is a value."""
    if not isinstance(value, str) or (plain := value.strip().lower()) not in NOTHING:
        return False
    return plain != "none" or key not in SAYS_NONE


def _text(value: Any) -> Any:
    """A number as the text of it; anything else as it is."""
    return f"{value:.12g}" if isinstance(value, int | float) and not isinstance(value, bool) else value
