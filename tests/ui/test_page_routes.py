"""What the page's scripts ask for: sources, comparison, forms, links to share."""

import pytest
from fastapi.testclient import TestClient

QUESTION = "4 张 3090 能跑 Qwen2.5-72B 吗？"


@pytest.fixture(scope="module")
def answers() -> dict[str, dict[str, object]]:
    """One answer for all tests of this file."""
    return {}


@pytest.fixture
def answer(site: TestClient, answers: dict[str, dict[str, object]]) -> dict[str, object]:
    if "one" not in answers:
        answers["one"] = site.post("/v1/ask", json={"question": QUESTION}).json()
    return answers["one"]


def test_a_source_shows_its_lines_with_the_cited_marked(site: TestClient) -> None:
    found = site.post("/v1/kb/search", json={"query": "NVLink between two 3090", "top": 1}).json()[0]
    place = {"document": found["document"], "first": found["line_start"], "last": found["line_end"]}
    html = site.get("/page/passage", params=place).text
    assert html.count("<mark>") == found["line_end"] - found["line_start"] + 1
    assert found["title"] in html


@pytest.mark.parametrize(
    "place",
    [
        {"document": "../../etc/passwd", "first": 1, "last": 2},
        {"document": "guidance/en/cloud-or-own.md", "first": 999_999, "last": 999_999},
        {"document": "guidance/en/cloud-or-own.md", "first": 5, "last": 2},
    ],
)
def test_what_is_no_place_in_a_document_is_refused(site: TestClient, place: dict[str, object]) -> None:
    assert site.get("/page/passage", params=place).status_code == 422


def test_configurations_of_an_answer_are_compared(site: TestClient, answer: dict[str, object]) -> None:
    ranks = [one["rank"] for one in answer["configurations"]][:2]  # type: ignore[attr-defined]
    body = {"conversation_id": answer["conversation_id"], "answer_id": answer["id"], "ranks": ranks}
    assert site.post("/page/compare", json=body).text.count('<th scope="col">') == 2
    assert site.post("/page/compare", json=body | {"ranks": ranks[:1]}).status_code == 422
    assert site.post("/page/compare", json=body | {"answer_id": "none"}).status_code == 404


def test_cards_are_compared_by_id(site: TestClient) -> None:
    html = site.post("/page/cards", json={"gpus": ["rtx-4090-24gb", "l40s-48gb"]}).text
    assert "L40S" in html
    assert "显存带宽" in html
    assert site.post("/page/cards", json={"gpus": ["l40s-48gb"]}).status_code == 422


@pytest.mark.parametrize(
    ("form", "given", "part"),
    [
        ("memory", {"model": "Qwen2.5-7B", "gpu": "RTX 4090", "context_tokens": "8,192"}, "KV cache"),
        ("what_fits", {"gpu": "RTX 4090", "gpu_count": "2"}, "Largest model"),
        ("planner", {"model": "Qwen2.5-7B", "amount": "3000", "acquisition": "buy"}, 'class="card"'),
        ("cost", {"gpu": "H100 SXM", "gpu_count": "8", "years": "2"}, "<circle"),
        ("power", {"gpu": "RTX 4090", "gpu_count": "4"}, "BTU"),
    ],
)
def test_a_form_shows_what_its_tool_says(site: TestClient, form: str, given: dict[str, str], part: str) -> None:
    answer = site.post(f"/page/form/{form}", json=given)
    assert answer.status_code == 200
    assert part in answer.text


@pytest.mark.parametrize(
    ("form", "given", "field"),
    [
        ("memory", {"model": "Qwen2.5-7B", "context_tokens": "many"}, "context_tokens"),
        ("memory", {"model": "Qwen2.5-7B", "concurrent_sequences": "-3"}, "concurrent_sequences"),
        ("memory", {"model": "no-such-model-at-all"}, "model"),
        ("nowhere", {}, "form"),
    ],
)
def test_a_form_refuses_by_the_name_of_the_field(
    site: TestClient, form: str, given: dict[str, str], field: str
) -> None:
    answer = site.post(f"/page/form/{form}", json=given)
    assert answer.status_code in {404, 422}
    assert answer.json()["field"] == field


def test_a_shared_conversation_is_read_by_its_link_until_it_is_closed(
    site: TestClient, answer: dict[str, object]
) -> None:
    name = {"conversation_id": answer["conversation_id"]}
    path = site.post("/page/share", json=name).json()["path"]
    html = site.get(path).text
    assert QUESTION in html
    assert 'property="og:title"' in html
    assert "data-helpful" not in html.split("</script>")[-1]
    assert str(answer["conversation_id"]) not in path
    assert site.post("/page/unshare", json=name).status_code == 204
    assert site.get(path).status_code == 404
    assert site.post("/page/share", json={"conversation_id": "never-seen"}).status_code == 404


def test_a_conversation_is_renamed_and_an_empty_name_refused(site: TestClient, answer: dict[str, object]) -> None:
    name = {"conversation_id": answer["conversation_id"]}
    assert site.post("/page/rename", json=name | {"title": "Our cluster"}).status_code == 204
    assert site.post("/page/rename", json=name | {"title": " "}).status_code == 422
    assert site.get(f"/page/turns/{answer['conversation_id']}").json() == {"turns": 1}


def test_the_names_to_choose_from_are_those_of_the_catalog(site: TestClient) -> None:
    found = site.get("/page/suggestions").json()
    assert "RTX 4090" in found["cards"]
    assert any(name.startswith("Qwen2.5-72B") for name in found["models"])
