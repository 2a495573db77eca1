"""`/v1/catalog`: the rows of GPUs, models, servers and offers, filtered by any of their fields."""

from collections.abc import Callable, Mapping
from typing import Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse

from kb.base import AdvisorError, AmbiguousName, BadInput, Frozen, UnknownName
from kb.catalog import gpu, gpus, model, models, offers, server, servers
from kb.naming.names import close_names
from ui.entrance import problem

KINDS: dict[str, Callable[[], list[Any]]] = {
    "gpus": lambda: list(gpus().values()),
    "models": lambda: list(models().values()),
    "servers": lambda: list(servers().values()),
    "offers": lambda: list(offers()),
}
ONE: dict[str, Callable[[str], Frozen]] = {"gpus": gpu, "models": model, "servers": server}
OWN_PARAMETERS = frozenset({"q", "limit", "offset", "sort"})
MISSING: dict[int | str, dict[str, Any]] = {
    404: {"description": "No such row; names the closest"},
    422: {"description": "Several rows fit the name"},
}


class Rows(Frozen):
    """Some rows of the catalog."""

    total: int
    """Rows that match, of which `rows` holds one page."""
    rows: list[dict[str, Any]]


def router() -> APIRouter:
    """Listings with filters, and single rows by id, name or alias."""
    routes = APIRouter(prefix="/v1/catalog", tags=["catalog"])

    @routes.get("/{kind}", summary="Rows of the catalog: gpus, models, servers or offers", responses=MISSING)
    def rows(
        kind: str,
        request: Request,
        q: str | None = Query(default=None, max_length=100, description="Only rows that contain this text."),
        sort: str | None = Query(default=None, max_length=60, description="A field to sort by; `-field` descends."),
        limit: int = Query(default=100, ge=1, le=1000),
        offset: int = Query(default=0, ge=0, le=100_000),
    ) -> Any:
        """Besides `q`, any field is a filter: `vendor=NVIDIA`, `gpu=h100-sxm-80gb`, and for numbers also
        `min_memory_bytes=…` and `max_tdp_w=…`."""
        if kind not in KINDS:
            return problem.of(_no_such(kind, list(KINDS)), 404, problem.reader(request))
        wanted = {name: value for name, value in request.query_params.items() if name not in OWN_PARAMETERS}
        found = filtered(KINDS[kind](), wanted, q)
        if sort:
            found = in_order(found, sort)
        return Rows(total=len(found), rows=[row.model_dump(mode="json") for row in found[offset : offset + limit]])

    @routes.get("/{kind}/{name:path}", summary="One row by id, name or alias", responses=MISSING)
    def row(kind: str, name: str, request: Request) -> Any:
        if kind not in ONE:
            return problem.of(_no_such(kind, list(ONE)), 404, problem.reader(request))
        try:
            return JSONResponse(ONE[kind](name).model_dump(mode="json"))
        except AmbiguousName as error:
            return problem.of(error, 422, problem.reader(request))
        except AdvisorError as error:
            return problem.of(error, 404, problem.reader(request))

    return routes


def _no_such(kind: str, kinds: list[str]) -> UnknownName:
    return UnknownName("catalog", kind, close_names(kind, kinds) or kinds)


def filtered(rows: list[Any], wanted: Mapping[str, str], text: str | None = None) -> list[Any]:
    """The rows whose fields are as wanted.

    Raises:
        BadInput: a filter names no field, or its value cannot be read; names the closest field.
    """
    found = rows
    for name, value in wanted.items():
        field, bound = _field(name, list(type(rows[0]).model_fields)) if rows else (name, None)
        if bound is None:
            found = [row for row in found if _equals(getattr(row, field), value)]
        else:
            limit = _number(name, value)
            found = [row for row in found if _within(getattr(row, field), bound, limit)]
    if text:
        found = [row for row in found if text.casefold() in row.model_dump_json().casefold()]
    return found


def in_order(rows: list[Any], sort: str) -> list[Any]:
    """The rows by one field; those that do not state it come last."""
    if not rows:
        return rows
    field, bound = _field(sort.removeprefix("-"), list(type(rows[0]).model_fields))
    stated = [row for row in rows if isinstance(getattr(row, field), str | int | float) or _is_money(row, field)]
    if bound or not stated:
        raise BadInput("sort", "is not a field that can be ordered.", "Sort by a number or a name.")
    ordered = sorted(stated, key=lambda row: getattr(row, field), reverse=sort.startswith("-"))
    kept = set(map(id, stated))
    return ordered + [row for row in rows if id(row) not in kept]


def _is_money(row: Any, field: str) -> bool:
    return hasattr(getattr(row, field), "quantize")


def _field(name: str, fields: list[str]) -> tuple[str, str | None]:
    if name in fields:
        return name, None
    for bound in ("min", "max"):
        if name.startswith(f"{bound}_") and name[4:] in fields:
            return name[4:], bound
    close = close_names(name, fields) or fields[:8]
    raise BadInput("query", "holds a filter that is no field of these rows.", f"Fields: {', '.join(close)} …")


def _number(name: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if number != number or number in (float("inf"), float("-inf")):
        raise BadInput(name, "is not a finite number.", f"Write for example {name}=1000.")
    return number


def _equals(stated: Any, wanted: str) -> bool:
    if isinstance(stated, tuple | list):
        return any(_equals(part, wanted) for part in stated)
    if isinstance(stated, bool):
        return str(stated).casefold() == wanted.casefold()
    if isinstance(stated, int | float) or hasattr(stated, "quantize"):
        try:
            return float(stated) == float(wanted)
        except ValueError:
            return False
    return stated is not None and str(stated).casefold() == wanted.casefold()


def _within(stated: Any, bound: str, limit: float) -> bool:
    if stated is None or isinstance(stated, str | tuple | dict):
        return False
    return float(stated) >= limit if bound == "min" else float(stated) <= limit
