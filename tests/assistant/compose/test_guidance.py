from collections.abc import Callable
from typing import Any

from assistant.answer import ToolCallRecord
from assistant.compose import compose
from assistant.understanding import Understanding
from tools.check_compatibility import CompatibilityRequest, check_compatibility
from tools.need import Need

Passages = Callable[..., ToolCallRecord]


def reading(text: str, language: str, **need: Any) -> Understanding:
    return Understanding(text=text, language=language, need=Need.model_validate(need))


def test_the_closest_statement_is_the_verdict_when_documents_are_the_answer(passages: Passages) -> None:
    call = passages("- 能放进一张卡的模型不要用张量并行。 [^a]\n- 电源要留余量。 [^b]", "- 张量并行每层都要通信。 [^c]")
    draft = compose(reading("张量并行为什么反而慢", "zh", intent="guidance"), [call])
    assert draft.verdict == "fact"
    assert "张量并行" in draft.answer.splitlines()[0]
    assert "[^" not in draft.answer


def test_without_a_word_about_it_the_documents_are_not_quoted(passages: Passages) -> None:
    draft = compose(reading("what about gardening", "en", intent="guidance"), [passages("显卡要散热。")])
    assert draft.verdict == "clarification"
    assert not draft.citations


def test_a_passage_judged_wrong_is_corrected_not_quoted(passages: Passages) -> None:
    wrong = passages(
        "The RTX 6000 Ada supports NVLink.", language="en", disputes=["The RTX 6000 Ada has no NVLink connector."]
    )
    draft = compose(reading("does the RTX 6000 Ada have NVLink?", "en", intent="guidance"), [wrong])
    assert "supports NVLink" not in draft.answer
    assert "has no NVLink connector" in draft.answer


def test_a_passage_in_the_asker_s_language_is_preferred(passages: Passages) -> None:
    calls = [passages("NVLink helps training.", language="en"), passages("NVLink 对训练有帮助。", language="zh")]
    draft = compose(reading("NVLink 对训练有用吗", "zh", intent="guidance"), calls)
    assert "有帮助" in draft.answer.splitlines()[0]


def test_a_bracketed_number_of_a_document_does_not_pass_for_a_marker(passages: Passages) -> None:
    draft = compose(
        reading("NVLink", "en", intent="guidance"), [passages("NVLink is fast, see [7] there.", language="en")]
    )
    assert "[7]" not in draft.answer
    assert "[1]" in draft.answer


def test_what_hardware_lacks_is_the_verdict_on_compatibility() -> None:
    request = CompatibilityRequest(gpus=("a100-sxm-80gb",), precision="fp8", question="A100 能用 fp8 吗")
    call = ToolCallRecord(
        tool="check_compatibility",
        request=request.model_dump(mode="json"),
        result=check_compatibility(request).model_dump(mode="json"),
    )
    for language in ("zh", "en"):
        draft = compose(
            reading("A100 能用 fp8 吗", language, intent="compatibility", gpus_asked=["a100-sxm-80gb"]), [call]
        )
        assert draft.verdict == "fact"
        assert "FP8" in draft.answer.splitlines()[0]
        assert "A100" in draft.answer.splitlines()[0]
