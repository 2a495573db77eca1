"""Tools and catalog over REST."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from kb.catalog import gpus
from tools.registry import tool, tools

REQUESTS: dict[str, dict[str, Any]] = {
    "estimate_memory": {"model": "Qwen2.5-72B", "task": "inference", "gpu": "4090", "context_tokens": 8192},
    "find_gpus": {"min_memory_bytes": 80 * 2**30},
    "compare_gpus": {"gpus": ["4090", "A6000"]},
    "configure": {"model": "Llama-3.1-8B", "task": "inference"},
    "what_fits": {"gpus_owned": [{"gpu": "4090", "count": 1}]},
}


def test_the_listing_describes_every_tool(site: TestClient) -> None:
    listed = site.get("/v1/tools").json()
    assert [entry["name"] for entry in listed] == list(tools())
    assert all(entry["request_schema"]["type"] == "object" and entry["description"] for entry in listed)


@pytest.mark.parametrize("name", ["estimate_memory", "compare_gpus", "configure"])
def test_a_tool_answers_as_it_does_when_called_directly(site: TestClient, name: str) -> None:
    answer = site.post(f"/v1/tools/{name}", json=REQUESTS[name])
    assert answer.status_code == 200
    assert answer.json() == tools()[name].call(REQUESTS[name]).model_dump(mode="json")


def test_an_unknown_tool_names_the_closest(site: TestClient) -> None:
    answer = site.post("/v1/tools/estimate_memry", json={})
    assert answer.status_code == 404
    assert "estimate_memory" in answer.json()["close"]


def test_an_unknown_model_names_the_closest(site: TestClient) -> None:
    answer = site.post("/v1/tools/estimate_memory", json={"model": "Qwen2.5-7222B"})
    assert answer.status_code == 422
    assert answer.json()["field"] == "model"


@pytest.mark.parametrize("tokens", [0, -1, 1e30, "many", None, [8192]])
def test_an_impossible_context_names_field_and_bound(site: TestClient, tokens: Any) -> None:
    answer = site.post("/v1/tools/estimate_memory", json={"model": "Qwen2.5-72B", "context_tokens": tokens})
    if tokens is None:
        assert answer.status_code == 200
    else:
        assert answer.status_code == 422
        assert "context_tokens" in answer.json()["field"]


@pytest.mark.parametrize("kind", ["gpus", "models", "servers", "offers"])
def test_the_catalog_has_rows_of_each_kind(site: TestClient, kind: str) -> None:
    page = site.get(f"/v1/catalog/{kind}", params={"limit": 3}).json()
    assert page["total"] >= len(page["rows"]) == 3


def test_the_catalog_is_filtered_by_any_field(site: TestClient) -> None:
    query = {"vendor": "nvidia", "min_memory_bytes": 80 * 2**30, "sort": "-memory_bytes", "limit": 1000}
    rows = site.get("/v1/catalog/gpus", params=query).json()["rows"]
    wanted = [gpu for gpu in gpus().values() if gpu.vendor == "NVIDIA" and gpu.memory_bytes >= 80 * 2**30]
    assert len(rows) == len(wanted)
    assert [row["memory_bytes"] for row in rows] == sorted((gpu.memory_bytes for gpu in wanted), reverse=True)


def test_a_filter_that_is_no_field_names_the_fields(site: TestClient) -> None:
    answer = site.get("/v1/catalog/gpus", params={"memory": "80"})
    assert answer.status_code == 422
    assert "memory_bytes" in answer.json()["detail"]


def test_an_unknown_kind_is_not_found(site: TestClient) -> None:
    assert site.get("/v1/catalog/gpu").status_code == 404


@pytest.mark.parametrize("name", ["4090", "RTX4090", "rtx-4090-24gb"])
def test_a_gpu_is_found_by_any_of_its_names(site: TestClient, name: str) -> None:
    assert site.get(f"/v1/catalog/gpus/{name}").json()["id"] == "rtx-4090-24gb"


def test_an_unknown_gpu_is_not_found_and_names_the_closest(site: TestClient) -> None:
    answer = site.get("/v1/catalog/gpus/RTX 4091")
    assert answer.status_code == 404
    assert answer.json()["close"]


def test_an_ambiguous_gpu_names_its_candidates(site: TestClient) -> None:
    answer = site.get("/v1/catalog/gpus/A100")
    assert answer.status_code == 422
    assert len(answer.json()["candidates"]) > 1


def test_a_model_whose_id_has_a_slash_is_found(site: TestClient) -> None:
    first = site.get("/v1/catalog/models", params={"limit": 1}).json()["rows"][0]
    assert "/" in first["id"]
    assert site.get(f"/v1/catalog/models/{first['id']}").json() == first


def test_a_batch_works_each_request_out_or_says_why_not(site: TestClient) -> None:
    good = {"model": "Qwen2.5-72B", "gpu": "4090"}
    requests = [{"id": 1, "request": good}, {"id": 2, "request": good | {"context_tokens": 0}}]
    results = site.post("/v1/tools/estimate_memory/batch", json={"requests": requests}).json()["results"]
    assert results[0] == {"id": 1, "result": tool("estimate_memory").call(good).model_dump(mode="json")}
    assert results[1]["error"]["field"] == "context_tokens"
    assert site.post("/v1/tools/estimate_memry/batch", json={"requests": requests}).status_code == 404
    assert site.post("/v1/tools/estimate_memory/batch", json={"requests": requests * 51}).status_code == 422
