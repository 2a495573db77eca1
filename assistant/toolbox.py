"""The registry's tools as LangChain tools: one loop, no tool declared twice."""

import json
from collections.abc import Callable
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import ValidationError

from assistant.answer import ToolCallRecord
from assistant.call import call, citation_key
from tools.refused import bad_input
from tools.registry import Tool, tools

LONGEST_CONTENT = 24_000
"""Characters of a result a language model is shown; the full result travels beside it."""


def toolbox() -> list[BaseTool]:
    """Every registered tool for the agent; each answers with text for the model and the record for us."""
    return [adapt(tool) for tool in tools().values()]


def adapt(tool: Tool) -> BaseTool:
    """One tool: results and refusals alike come back as data, so that a turn never dies of a bad argument."""

    def run(**arguments: Any) -> tuple[str, ToolCallRecord]:
        record = call(tool, arguments)
        return shown(record), record

    return StructuredTool.from_function(
        func=run,
        name=tool.name,
        description=tool.description,
        args_schema=tool.request,
        response_format="content_and_artifact",
        handle_validation_error=explain(tool),
    )


def explain(tool: Tool) -> Callable[[Any], str]:
    """What a model is told when its arguments do not validate: the field and the reason, not the value."""

    def message(problem: Any) -> str:
        if isinstance(problem, ValidationError):
            return json.dumps({"error": bad_input(problem, tool.request.model_fields).data()}, ensure_ascii=False)
        return json.dumps({"error": {"code": "bad_input", "message": f"{tool.name}: arguments do not validate"}})

    return message


def shown(record: ToolCallRecord) -> str:
    """The text of a result that a model reads: its citation key and the result as JSON, bounded."""
    text = json.dumps({"cite": citation_key(record), "result": record.result}, ensure_ascii=False)
    return text if len(text) <= LONGEST_CONTENT else text[:LONGEST_CONTENT] + "…(cut)"
