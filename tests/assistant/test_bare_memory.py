"""How much memory a card should have, asked of no work, gets the classes of models – no text on other memory."""

import pytest

from assistant.answer import ToolCallRecord
from assistant.compose import compose
from kb.records.passage import Passage
from tests.assistant.planning import turn


def _with_passage(text: str) -> str:
    """The answer where a passage on host memory was found to speak to the question."""
    understanding, records, _ = turn(text)
    passage = Passage(
        document="docs/host.md", title="Host memory", heading="How much", text="Have 32 GB more than the model.",
        line_start=1, line_end=1, score=0.9, answers=0.9, language=understanding.language,
    )  # fmt: skip
    found = ToolCallRecord(tool="search_guidance", request={}, result={"passages": [passage.model_dump(mode="json")]})
    return compose(understanding, [*records, found]).answer


@pytest.mark.parametrize(
    "text", ["how much vram do i need", "How much GPU memory should I get?", "我需要多少显存", "多大显存才够用？"]
)
def test_classes_of_models_answer_the_bare_question(text: str) -> None:
    answer = _with_passage(text)
    assert "32 GB more" not in answer
    assert "8B" in answer
    assert "70B" in answer


def test_a_question_with_a_topic_is_answered_by_the_documents() -> None:
    assert "32 GB more" in _with_passage("how much memory should the host have for serving?")
