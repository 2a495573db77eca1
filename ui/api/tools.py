"""`/v1/tools`: every tool of the registry, declared once there and offered here."""

from typing import Annotated, Any

from fastapi import APIRouter, Body, Request
from fastapi.responses import JSONResponse, Response
from pydantic import Field

from kb.base import AdvisorError, Frozen, UnknownName
from tools.registry import Tool, tool, tools
from ui.assets import requests
from ui.entrance import problem
from ui.entrance.access import spend

MOST_REQUESTS = 100
UNKNOWN: dict[int | str, dict[str, Any]] = {404: {"description": "No such tool; names the closest"}}


class Wanted(Frozen):
    """One line of a batch."""

    id: str | int | None = None
    """Comes back with the result."""
    request: dict[str, Any]
    """The fields of the tool."""


class Batch(Frozen):
    """Several requests to one tool, worked out in order."""

    requests: tuple[Wanted, ...] = Field(min_length=1, max_length=MOST_REQUESTS, examples=[[{"id": 1, "request": {}}]])


class Results(Frozen):
    """One entry a request, in order: `{id, result}` or `{id, error}`."""

    results: list[dict[str, Any]]


class ToolInfo(Frozen):
    """A tool and its fields."""

    name: str
    description: str
    request_schema: dict[str, Any]


def router() -> APIRouter:
    """The listing and one route a tool."""
    routes = APIRouter(prefix="/v1/tools", tags=["tools"])

    @routes.get("", summary="The tools and their fields")
    def listing() -> list[ToolInfo]:
        return [information(each) for each in tools().values()]

    for each in tools().values():
        _add(routes, each)

    @routes.get("/{name}", summary="One tool and its fields", responses=UNKNOWN)
    def one(name: str, request: Request) -> Any:
        try:
            return information(tool(name))
        except UnknownName as error:
            return problem.of(error, 404, problem.reader(request))

    @routes.post("/{name}/batch", summary="Run one tool on several requests", responses=UNKNOWN)
    def batch(name: str, body: Batch, request: Request) -> Any:
        """Each is worked out or refused by itself. A caller with a limit spends one request an entry."""
        try:
            each = tool(name)
        except UnknownName as error:
            return problem.of(error, 404, problem.reader(request))
        spend(request.scope, len(body.requests) - 1)
        return Results(results=[_worked_out(each, wanted) for wanted in body.requests])

    @routes.post("/{name}", include_in_schema=False)
    def unknown(name: str, request: Request) -> JSONResponse:
        try:
            tool(name)
        except UnknownName as error:
            return problem.of(error, 404, problem.reader(request))
        raise AssertionError("every tool of the registry has its own route")

    return routes


def _worked_out(each: Tool, wanted: Wanted) -> dict[str, Any]:
    try:
        return {"id": wanted.id, "result": each.call(wanted.request).model_dump(mode="json")}
    except AdvisorError as error:
        return {"id": wanted.id, "error": error.data()}


def information(each: Tool) -> ToolInfo:
    """What the listing says of a tool."""
    return ToolInfo(name=each.name, description=each.description, request_schema=each.request.model_json_schema())


def _add(routes: APIRouter, each: Tool) -> None:
    # Validation by FastAPI, so that its errors are those of every other route; the result is encoded once, as it is.
    def run(request: Any) -> Response:
        return Response(each.answer(request).model_dump_json(), media_type="application/json")

    run.__annotations__["request"] = Annotated[each.request, Body(examples=[requests()[each.name]])]
    routes.add_api_route(
        f"/{each.name}",
        run,
        methods=["POST"],
        response_model=None,
        responses={200: {"model": each.result}},
        summary=each.description.splitlines()[0],
        description=each.description,
        name=each.name,
    )
