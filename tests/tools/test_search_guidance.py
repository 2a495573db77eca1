"""`search_guidance` hands out passages with what the facts say against them, and loads nothing until it is called."""

import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from kb.records.passage import Passage
from kb.retrieval.passage_filter import PassageFilter
from tools.registry import tool
from tools.search_guidance import GuidanceRequest, search_guidance

PASSAGE = Passage(
    document="notes.md", title="Notes", line_start=3, line_end=5, heading="Links", text="The T4 has NVLink.", score=0.8,
    language="en", disputes=("NVIDIA T4 NVLink: “yes” is wrong; no NVLink",),
)  # fmt: skip


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """Calls of the search, which finds one disputed passage."""
    calls: list[dict[str, object]] = []

    def search(query: str, **options: object) -> list[Passage]:
        calls.append({"query": query, **options})
        return [PASSAGE]

    monkeypatch.setattr("kb.retrieval.search.reading", nullcontext)
    monkeypatch.setattr("kb.retrieval.search.search", search)
    monkeypatch.setattr("kb.retrieval.contested.contested", lambda query, **options: [])
    monkeypatch.setattr("kb.retrieval.section_rest.section_rest", lambda found, *, sections: [])
    return calls


def test_the_request_reaches_the_search(asked: list[dict[str, object]]) -> None:
    found = search_guidance(GuidanceRequest(query="T4 links", top=3, language="en"))
    assert asked == [{"query": "T4 links", "top": 3, "language": "en", "among": PassageFilter()}]
    assert found.passages == (PASSAGE,)


def test_conditions_reach_the_search(asked: list[dict[str, object]]) -> None:
    conditions = {"languages": ("zh",), "since": "2026", "sources": ("*.pdf",), "trusts": ("user",)}
    search_guidance(GuidanceRequest.model_validate({"query": "T4 links", **conditions}))
    (call,) = asked
    assert call["among"] == PassageFilter.model_validate(conditions)


def test_a_disputed_passage_warns(asked: list[dict[str, object]]) -> None:
    (warning,) = search_guidance(GuidanceRequest(query="T4 links")).warnings
    assert "notes.md:3-5" in warning
    assert "no NVLink" in warning


def test_other_tools_never_load_the_index_or_the_model() -> None:
    """`gpu-advisor tool estimate_memory` answers in well under a second."""
    root = Path(__file__).resolve().parents[2]
    code = (
        "import sys; from tools.registry import tool; tool('search_guidance'); tool('estimate_memory');"
        "print([name for name in ('torch', 'chromadb', 'sentence_transformers', 'numpy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_tool_is_registered() -> None:
    assert tool("search_guidance").request is GuidanceRequest
