"""A turn that corrects what was understood: the named fields of the Need change, and nothing else does."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from assistant.understand.language import language_of
from assistant.understand.stated import internal
from assistant.understand.worded import with_before
from assistant.understanding import Asked, Understanding, changed
from kb.base import BadInput
from kb.catalog import gpu, model
from tools.need import Need

FIXED = frozenset({"intent", "matter", "model_text", "asks", "shown"})
"""What is asked is changed by asking, not by a correction."""


def corrected(text: str, previous: Need | None, changes: Mapping[str, Any]) -> Understanding:
    """The Need before with `changes` put in; a null clears its field.

    Raises:
        BadInput: nothing was asked before, or a field does not exist or cannot hold its value.
        UnknownName, AmbiguousName: a model or card of the changes.
    """
    if previous is None:
        raise BadInput("changes", "corrects a conversation that has no turn yet.", "Ask a question first.")
    if unknown := sorted(set(changes) - (set(Asked.model_fields) - FIXED)):
        raise BadInput(unknown[0], "is not something that can be corrected.", "Use a field of the need.")
    before = internal(previous)
    fields = before.model_dump() | _resolved(changes, before)
    try:
        need = Asked.model_validate(fields)
    except ValidationError as problem:
        fault = problem.errors()[0]
        raise BadInput(str(fault["loc"][0]), f"{fault['msg']}.") from None
    made = changed(before, need)
    language, words = language_of(text.lower()), with_before(need, text)
    return Understanding(language=language, need=need, text=words, follow_up=True, changed=made)


def _resolved(changes: Mapping[str, Any], before: Asked) -> dict[str, Any]:
    """The changes with names as catalog ids, and the fields that say the same kept in step."""
    found = dict(changes)
    if "model" in found:
        chosen = model(str(found["model"])) if found["model"] else None
        found |= {"model": chosen.id if chosen else None, "model_text": found["model"]}
        found.setdefault("params", chosen.params if chosen else None)
    elif "params" in found:
        found |= {"model": None, "model_text": None}
    for name in ("gpus_owned", "gpus_proposed"):
        if name in found:
            found[name] = [{**row, "gpu": gpu(str(row["gpu"])).id} for row in _rows(name, found[name])]
    if "gpus_asked" in found:
        found["gpus_asked"] = [gpu(str(name)).id for name in found["gpus_asked"] or ()]
        found.setdefault("gpus_proposed", [c for c in before.gpus_proposed if c.gpu in found["gpus_asked"]])
    elif "gpus_proposed" in found:
        stated = {card.gpu for card in before.gpus_proposed}
        rest = [name for name in before.gpus_asked if name not in stated]
        found["gpus_asked"] = list(dict.fromkeys([*(row["gpu"] for row in found["gpus_proposed"]), *rest]))
    if "gpus_owned" in found and before.gpu_count and not before.gpus_owned:
        found |= {"gpu_count": None, "memory_bytes_per_gpu": None}
    return found


def _rows(name: str, value: Any) -> list[dict[str, Any]]:
    rows = list(value or ())
    if not all(isinstance(row, dict) and "gpu" in row for row in rows):
        raise BadInput(name, "is not a list of cards.", 'Write [{"gpu": "rtx-4090", "count": 2}].')
    return rows
