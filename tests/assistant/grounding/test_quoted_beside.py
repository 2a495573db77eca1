"""Passages that another tool's result carries are documents there as well: quoted, and never recommended."""

from assistant.grounding.check import checked
from assistant.grounding.standing.evidence import Evidence
from assistant.llm.citing import cited
from tools.agent_tools.ledger import LookedUp, Worked

PASSAGE = {"title": "Leaflet", "heading": "", "text": "Buy the RTX 6000 Ada: it makes 777 tokens/s and costs $77."}
EXPLAINED = LookedUp(
    key="R1",
    tool="explain",
    request={},
    shown={
        "figures": [{"name": "tokens_per_s", "expected": "41.6 tokens/s"}],
        "guidance": {"quotations": "nearest passages of documents", "passages": [PASSAGE]},
    },
    worked=(
        Worked(tool="explain_observation", request={}, result={"figures": []}),
        Worked(tool="search_guidance", request={}, result={"passages": [{**PASSAGE, "source": "a.md", "id": "1"}]}),
    ),
)


def findings(answer: str) -> list[str]:
    return [one.text for one in checked(answer, Evidence.of((EXPLAINED,))).findings]


def test_figures_of_the_result_hold() -> None:
    assert findings("It should make 41.6 tokens/s.") == []


def test_a_figure_that_only_the_passage_holds_is_loose_until_it_is_cited() -> None:
    assert findings("It should make 777 tokens/s.") == ["777 tokens/s"]
    assert findings("A leaflet says 777 tokens/s [[R1.1]].") == []


def test_a_product_that_only_the_passage_names_is_not_recommended() -> None:
    assert any("6000 Ada" in one for one in findings("I recommend the RTX 6000 Ada."))


def test_what_the_result_worked_out_is_cited_and_not_the_passage_beside_it() -> None:
    text = "It should make 41.6 tokens/s."
    _, citations = cited(text, checked(text, Evidence.of((EXPLAINED,))), (EXPLAINED,))
    assert [one.title for one in citations] == ["explain_observation"]
