"""What a language model may write into a request: names and quantities in people's words, numbers or nothing."""

from collections.abc import Mapping
from typing import Any

from pydantic import model_validator

from kb.base import Frozen

NOTHING = frozenset({"", "null", "none", "n/a", "unknown", "unspecified", "not specified", "not stated", "未知", "无"})


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
            if not (value is None or (isinstance(value, str) and value.strip().lower() in NOTHING))
        }


def _fitted(cls: type[AgentRequest], key: str, value: Any) -> Any:
    field = cls.model_fields.get(key)
    if field is None:
        return value
    takes = str(field.annotation)
    if "tuple" in takes:
        return (value,) if isinstance(value, str | dict) else value
    if "str" in takes and "dict" not in takes and isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:.12g}"
    if "str" in takes and isinstance(value, list) and all(isinstance(one, str) for one in value):
        return " + ".join(value)
    return value
