"""`/v1/tools`: every tool of the registry, declared once there and offered here."""

from typing import Annotated, Any

from fastapi import APIRouter, Body
from fastapi.responses import JSONResponse, Response

from kb.base import Frozen, UnknownName
from tools.registry import Tool, tool, tools
from ui import problem


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

    @routes.get("/{name}", summary="One tool and its fields", responses={404: {"description": "No such tool"}})
    def one(name: str) -> Any:
        try:
            return information(tool(name))
        except UnknownName as error:
            return problem.of(error, 404)

    @routes.post("/{name}", include_in_schema=False)
    def unknown(name: str) -> JSONResponse:
        try:
            tool(name)
        except UnknownName as error:
            return problem.of(error, 404)
        raise AssertionError("every tool of the registry has its own route")

    return routes


def information(each: Tool) -> ToolInfo:
    """What the listing says of a tool."""
    return ToolInfo(name=each.name, description=each.description, request_schema=each.request.model_json_schema())


def _add(routes: APIRouter, each: Tool) -> None:
    # Validation by FastAPI, so that its errors are those of every other route; the result is encoded once, as it is.
    def run(request: Any) -> Response:
        return Response(each.answer(request).model_dump_json(), media_type="application/json")

    run.__annotations__["request"] = Annotated[each.request, Body()]
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
