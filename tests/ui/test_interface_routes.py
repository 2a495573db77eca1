"""The routes that answers name are those that are served."""

from fastapi.testclient import TestClient

from assistant.plan.interface import MODEL, ROUTES


def test_routes_told_are_served(site: TestClient) -> None:
    assert site.get(ROUTES["docs"]).status_code == 200
    assert site.post(ROUTES["ask"], json={}).status_code == 422
    assert site.get(ROUTES["memory"]).status_code == 200
    assert site.get(ROUTES["mcp"]).status_code != 404
    assert MODEL in {one["id"] for one in site.get(f"{ROUTES['openai']}/models").json()["data"]}
