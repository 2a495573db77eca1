"""Former turns as messages: questions, answers, and of the last one what was looked up."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from assistant.answer import Answer
from assistant.llm.toolbox import shown_of

TURNS_MAX, CALLS_MAX, TEXT_MAX = 6, 4, 2500
"""Former turns that a model is shown, results of the last of them, and characters of each answer."""


def messages_of(history: Sequence[Answer]) -> list[BaseMessage]:
    """The conversation so far: later turns build on these calls and words."""
    shown = list(history[-TURNS_MAX:])
    messages: list[BaseMessage] = []
    for answer in shown:
        messages.append(HumanMessage(answer.question))
        if answer is shown[-1]:
            messages += _calls(answer)
        messages.append(AIMessage(answer.answer[:TEXT_MAX]))
    return messages


def _calls(answer: Answer) -> list[BaseMessage]:
    """The calls of a turn with their results, as they once stood."""
    made = [one for one in answer.looked_up if not one.failed][-CALLS_MAX:]
    if not made:
        return []
    calls = [{"name": one.tool, "args": one.request, "id": f"former_{one.key}", "type": "tool_call"} for one in made]
    results = [ToolMessage(shown_of(one), tool_call_id=f"former_{one.key}", name=one.tool) for one in made]
    return [AIMessage("", tool_calls=calls), *results]
