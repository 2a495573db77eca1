"""The registry's tools as LangChain tools: one loop, no tool declared twice."""

import hashlib
import json
import logging
from collections.abc import Callable
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import ValidationError

from assistant.answer import ToolCallRecord
from kb.base import AdvisorError
from tools.registry import Tool, bad_input, tools

logger = logging.getLogger(__name__)
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


def call(tool: Tool, arguments: dict[str, Any]) -> ToolCallRecord:
    """Run a tool and record what it was asked and what it said, an error included."""
    valid = tool.request.model_validate(arguments)
    request = valid.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    try:
        result = tool.answer(valid).model_dump(mode="json")
    except AdvisorError as problem:
        result = {"error": problem.data()}
    except Exception:  # a defect of one tool must not cost the person the whole answer
        logger.exception("tool %s failed", tool.name)
        result = {"error": {"code": "internal_error", "message": f"{tool.name} failed; the defect was logged."}}
    return ToolCallRecord(tool=tool.name, request=request, result=result)


def explain(tool: Tool) -> Callable[[Any], str]:
    """What a model is told when its arguments do not validate: the field and the reason, not the value."""

    def message(problem: Any) -> str:
        if isinstance(problem, ValidationError):
            return json.dumps({"error": bad_input(problem).data()}, ensure_ascii=False)
        return json.dumps({"error": {"code": "bad_input", "message": f"{tool.name}: arguments do not validate"}})

    return message


def shown(record: ToolCallRecord) -> str:
    """The text of a result that a model reads: its citation key and the result as JSON, bounded."""
    text = json.dumps({"cite": citation_key(record), "result": record.result}, ensure_ascii=False)
    return text if len(text) <= LONGEST_CONTENT else text[:LONGEST_CONTENT] + "…(cut)"


def citation_key(record: ToolCallRecord) -> str:
    """Six hex digits that name this very call, whatever order calls finish in."""
    text = json.dumps([record.tool, record.request], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:6]
