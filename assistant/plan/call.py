"""A tool call that is meant to run: only ever one that the tool's own request model accepts."""

from typing import Any

from pydantic import ValidationError

from kb.base import Frozen
from tools.registry import tools


class PlannedCall(Frozen):
    """One call of the plan."""

    tool: str
    request: dict[str, Any]


def planned(tool: str, **values: object) -> PlannedCall | None:
    """The call of `tool` with those of `values` that it declares and accepts; None when it cannot run.

    A Need holds what people write ("adam-mini"), a request only what the tool models. What the tool does not
    model is left out rather than guessed; composing says so, by comparing the Need with the request.
    """
    found = tools().get(tool)
    if found is None:
        return None
    known = {key: value for key, value in values.items() if key in found.request.model_fields and not _empty(value)}
    while True:
        try:
            request = found.request.model_validate(known)
        except ValidationError as problem:
            refused = {str(error["loc"][0]) for error in problem.errors(include_url=False) if error["loc"]} & set(known)
            if not refused:
                return None
            known = {key: value for key, value in known.items() if key not in refused}
            continue
        return PlannedCall(tool=tool, request=request.model_dump(mode="json", exclude_defaults=True))


def _empty(value: object) -> bool:
    return value is None or value == () or value == [] or value == ""
