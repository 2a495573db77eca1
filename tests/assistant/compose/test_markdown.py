"""Every answer is Markdown that renders: no stars are left standing where bold was meant."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from markdown_it import MarkdownIt

from assistant.answer import ToolCallRecord
from assistant.compose import compose
from assistant.compose.written import stressed
from assistant.phrases import phrases
from assistant.plan import plan, plan_more
from assistant.plan.call import PlannedCall
from assistant.understand import understand
from kb.base import AdvisorError
from tools.registry import tool

CASES = Path(__file__).parents[2] / "cases" / "questions.yaml"
QUESTIONS = [case["q"] for case in yaml.safe_load(CASES.read_text(encoding="utf-8"))]
HEADLINES = (
    "不能。Qwen 需要约 80 GiB。",
    "能。它（约 3 GiB）够。[1]",
    "约需 145 GB（135 GiB）。选它。",
    "No. It does not.",
    "“Killed” 是操作系统结束了进程。",
    "V100 不支持 FP8。[1]改用 INT8。",
)


def bold_left_over(text: str) -> str:
    """The stars that a reader would see, code left out."""
    html = MarkdownIt("commonmark").enable("table").render(text)
    return "".join(re.findall(r".{0,20}\*\*.{0,20}", re.sub(r"<code>.*?</code>", "", html)))


def run(call: PlannedCall) -> ToolCallRecord:
    try:
        result = tool(call.tool).call(call.request).model_dump(mode="json")
    except AdvisorError as error:
        result = {"error": {"type": "error", "message": str(error)}}
    return ToolCallRecord(tool=call.tool, request=call.request, result=result)


@pytest.mark.parametrize("headline", HEADLINES)
def test_the_verdict_is_bold_whatever_it_ends_in(headline: str) -> None:
    text = stressed(headline)
    assert bold_left_over(text) == ""
    assert text.replace("**", "") == headline


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_phrases_render(language: str) -> None:
    say = phrases(language)
    assert [key for key in sorted(say.keys()) if bold_left_over(say._wording[key])] == []


@pytest.mark.parametrize("question", QUESTIONS)
def test_bold_in_an_answer_renders(question: str) -> None:
    understanding = understand(question)
    calls = [run(call) for call in plan(understanding) if call.tool != "search_guidance"]
    calls += [run(call) for call in plan_more(understanding, calls)]
    answer = compose(understanding, calls).answer
    assert "**" in answer
    assert bold_left_over(answer) == ""


def test_bold_words_of_a_document_do_not_break_the_verdict(passages: Callable[..., ToolCallRecord]) -> None:
    call = passages("**显存**不够时先**量化**再说，电源要留余量。", language="zh")
    answer = compose(understand("显存不够怎么办，量化有用吗"), [call]).answer
    assert bold_left_over(answer) == ""
