"""Whole planner turns without documents: what is read, called and composed, in a few milliseconds each."""

from assistant.answer import Draft, ToolCallRecord
from assistant.compose import compose
from assistant.finish import counted
from assistant.ground import ground
from assistant.plan import PlannedCall, plan, plan_more
from assistant.understand import understand
from assistant.understanding import Understanding
from kb.base import AdvisorError
from tools.need import Need
from tools.registry import tools


def run(call: PlannedCall) -> ToolCallRecord:
    """The record of one call, an error as data."""
    try:
        result = tools()[call.tool].call(call.request).model_dump(mode="json")
    except AdvisorError as problem:
        result = {"error": problem.data()}
    return ToolCallRecord(tool=call.tool, request=call.request, result=result)


def turn(text: str, previous: Need | None = None) -> tuple[Understanding, list[ToolCallRecord], Draft]:
    """One turn: the reading, the calls less the search of documents, and the answer.

    Every number of a first turn must be vouched for: a line whose numbers are not would be taken out of the answer.
    """
    understanding = understand(text, previous)
    records = [run(call) for call in plan(understanding) if call.tool != "search_guidance"]
    records += [run(call) for call in plan_more(understanding, records) if call.tool != "search_guidance"]
    draft = compose(understanding, records)
    if previous is None:
        loose = ground(draft.answer, records, (text, counted(understanding)), draft.citations).ungrounded
        assert not loose, f"{loose} of {text}"
    return understanding, records, draft


def talk(*texts: str) -> tuple[Understanding, list[ToolCallRecord], Draft]:
    """The last turn of a conversation."""
    previous = None
    for text in texts[:-1]:
        previous = understand(text, previous).need
    return turn(texts[-1], previous)
