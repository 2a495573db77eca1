"""`--field value …` on the command line, read by the fields of a tool's request."""

import json
import sys
import types
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from kb.base import BadInput, Frozen, UnknownName
from kb.naming.names import close_names

NOTHING = frozenset({"null", "none"})


def read(request: type[Frozen], arguments: Sequence[str]) -> dict[str, Any]:
    """The arguments as plain values for the request, which checks and types them itself.

    `--field value` and `--field=value`; dashes and underscores are alike. A list is written as several values, several
    times or with commas; a part of an object as `--budget.amount 5000`; lists and objects also as JSON. A text given as
    `-` is read from standard input.

    Raises:
        BadInput: an argument that is no option, or an option without a value.
        UnknownName: no such field; names the closest.
    """
    found: dict[str, Any] = {}
    for written, values in _options(arguments):
        name, _, part = written.removeprefix("--").replace("-", "_").partition(".")
        if name not in request.model_fields:
            raise UnknownName("option", f"--{name}", [f"--{one}" for one in close_names(name, [*request.model_fields])])
        accepted = set(_types(request.model_fields[name].annotation))
        if not values and bool in accepted and not part:
            values = ["true"]
        if not values:
            raise BadInput(name, "has no value.", f"Write --{name} VALUE.")
        if part:
            whole = found.setdefault(name, {})
            if not isinstance(whole, dict):
                raise BadInput(name, "is given both whole and in parts.", "Write one of them.")
            whole[part] = _plain(" ".join(values))
        elif accepted & {list, tuple, set, frozenset}:
            found[name] = [*found.get(name, []), *_listed(name, values)]
        elif len(values) > 1:
            raise BadInput(name, "takes one value.", f'Quote it if it holds spaces: --{name} "…".')
        elif name in found:
            raise BadInput(name, "is given twice.", "Write it once.")
        else:
            found[name] = _value(name, values[0], accepted)
    return found


def _options(arguments: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    option, values = "", list[str]()
    for argument in arguments:
        if argument.startswith("--") and len(argument) > 2:
            if option:
                yield option, values
            option, equals, value = argument.partition("=")
            values = [value] if equals else []
        elif not option:
            raise BadInput("arguments", f"“{argument[:80]}” is not an option.", "Write --field value; see --help.")
        else:
            values.append(argument)
    if option:
        yield option, values


def _types(annotation: Any) -> Iterator[Any]:
    """The classes a value may be: `list` for `list[str] | None`, and so on."""
    origin = get_origin(annotation)
    if origin in (Union, types.UnionType):
        for part in get_args(annotation):
            yield from _types(part)
    elif origin is Annotated:
        yield from _types(get_args(annotation)[0])
    elif origin is Literal:
        yield from {type(value) for value in get_args(annotation)}
    else:
        yield origin or annotation


def _value(name: str, text: str, accepted: set[Any]) -> Any:
    if text.strip().lower() in NOTHING and type(None) in accepted and str not in accepted:
        return None
    if text == "-" and str in accepted:
        return sys.stdin.read()
    if text.lstrip().startswith("{") and any(_is_object(kind) for kind in accepted):
        return _json(name, text)
    return text


def _listed(name: str, values: Sequence[str]) -> list[Any]:
    if len(values) == 1 and values[0].lstrip().startswith(("[", "{")):
        whole = _json(name, values[0])
        return whole if isinstance(whole, list) else [whole]
    if any(value.lstrip().startswith("{") for value in values):
        return [_json(name, value) for value in values]
    return [part.strip() for value in values for part in value.split(",") if part.strip()]


def _plain(text: str) -> Any:
    return None if text.lower() in NOTHING else text


def _json(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise BadInput(name, "is not valid JSON.", "Quote the whole value for the shell.") from None


def _is_object(kind: Any) -> bool:
    return kind is dict or (isinstance(kind, type) and issubclass(kind, BaseModel))
