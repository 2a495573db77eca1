"""One call of a tool as a turn keeps it: what was asked and what came back, an error included."""

import hashlib
import json
import logging
from typing import Any

from assistant.answer import ToolCallRecord
from kb.base import AdvisorError
from tools.registry import Tool

logger = logging.getLogger(__name__)


def call(tool: Tool, arguments: dict[str, Any]) -> ToolCallRecord:
    """Run a tool and record what it was asked and what it said, an error included."""
    valid = tool.request.model_validate(arguments)
    request = valid.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    result: dict[str, Any]
    try:
        result = tool.answer(valid).model_dump(mode="json")
    except AdvisorError as problem:
        result = {"error": problem.data()}
    except Exception:  # a defect of one tool must not cost the person the whole answer
        logger.exception("tool %s failed", tool.name)
        result = {"error": {"code": "internal_error", "message": f"{tool.name} failed; the defect was logged."}}
    return ToolCallRecord(tool=tool.name, request=request, result=result)


def citation_key(record: ToolCallRecord) -> str:
    """Six hex digits that name this very call, whatever order calls finish in."""
    text = json.dumps([record.tool, record.request], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:6]
