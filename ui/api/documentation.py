"""`/docs`: the operations of /openapi.json on one page of our own, which needs no other host."""

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from ui.assets import asset


def router() -> APIRouter:
    """The page and nothing else."""
    routes = APIRouter()

    @routes.get("/docs", include_in_schema=False, response_class=HTMLResponse)
    def docs() -> HTMLResponse:
        return HTMLResponse(asset("docs.html"))

    return routes
