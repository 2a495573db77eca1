"""What is said to the local model and by it: messages, tools, and replies held to a JSON schema."""

import json
import re
import uuid
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, SystemMessage, ToolCall, ToolMessage

from kb.base import ModelFailed

ROLES = {"human": "user", "ai": "assistant", "system": "system"}
CALLING = """You can use tools. Reply with one JSON object and nothing else. To use a tool:
{{"tool": NAME, "arguments": {{...}}}}
{answering}The tools, each with the JSON schema of its arguments:
{tools}"""
ANSWERING = 'To answer: {"answer": TEXT}\n'


def wire(messages: Sequence[BaseMessage]) -> list[dict[str, Any]]:
    """Messages as OpenAI's protocol writes them, for a model whose template knows tools."""
    return [_wire(message) for message in messages]


def _wire(message: BaseMessage) -> dict[str, Any]:
    if isinstance(message, ToolMessage):
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": str(message.text)}
    said: dict[str, Any] = {"role": ROLES.get(message.type, "user"), "content": str(message.text)}
    if isinstance(message, AIMessage) and message.tool_calls:
        said["tool_calls"] = [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": call["name"], "arguments": json.dumps(call["args"], ensure_ascii=False)},
            }
            for call in message.tool_calls
        ]
    return said


def wire_plain(
    messages: Sequence[BaseMessage], tools: Sequence[dict[str, Any]], *, may_answer: bool
) -> list[dict[str, Any]]:
    """The same for a model whose template knows none: calls and results are written out as text."""
    listed = "\n".join(json.dumps(tool["function"], ensure_ascii=False) for tool in tools)
    how = CALLING.format(answering=ANSWERING if may_answer else "", tools=listed)
    system = "\n\n".join([str(message.text) for message in messages if isinstance(message, SystemMessage)] + [how])
    said = [{"role": "system", "content": system}]
    for message in messages:
        if isinstance(message, ToolMessage):
            said.append({"role": "user", "content": f"Result of {message.name or 'the tool'}: {message.text}"})
        elif isinstance(message, AIMessage) and message.tool_calls:
            calls = [{"tool": call["name"], "arguments": call["args"]} for call in message.tool_calls]
            said += [{"role": "assistant", "content": json.dumps(call, ensure_ascii=False)} for call in calls]
        elif not isinstance(message, SystemMessage):
            said.append({"role": ROLES.get(message.type, "user"), "content": str(message.text)})
    return said


def one_of(tools: Sequence[dict[str, Any]], *, may_answer: bool) -> dict[str, Any]:
    """The JSON schema of one call of any of these tools, or of an answer."""
    choices: list[dict[str, Any]] = []
    definitions: dict[str, Any] = {}
    for tool in tools:
        function = tool["function"]
        name = function["name"]
        arguments = _lifted(function.get("parameters") or {"type": "object"}, name, definitions)
        choices.append(_object({"tool": {"const": name}, "arguments": arguments}))
    if may_answer:
        choices.append(_object({"answer": {"type": "string"}}))
    return {"anyOf": choices, "$defs": definitions} if definitions else {"anyOf": choices}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _lifted(schema: dict[str, Any], tool: str, definitions: dict[str, Any]) -> dict[str, Any]:
    """A schema whose own definitions have moved to the top, each under a name of its tool."""
    prefix = re.sub(r"\W", "_", tool)

    def moved(part: Any) -> Any:
        if isinstance(part, dict):
            return {
                key: value.replace("#/$defs/", f"#/$defs/{prefix}_", 1)
                if key == "$ref" and isinstance(value, str)
                else moved(value)
                for key, value in part.items()
            }
        return [moved(each) for each in part] if isinstance(part, list) else part

    for name, definition in schema.get("$defs", {}).items():
        definitions[f"{prefix}_{name}"] = moved(definition)
    lifted: dict[str, Any] = moved({key: value for key, value in schema.items() if key != "$defs"})
    return lifted


def heard(text: str, tools: Sequence[dict[str, Any]]) -> tuple[str, list[ToolCall]]:
    """A reply under `one_of`: its answer or its call.

    Raises:
        ModelFailed: it broke off before its end.
    """
    try:
        said = json.loads(text)
    except ValueError:
        raise ModelFailed("the local model's call broke off before its end.") from None
    names = {tool["function"]["name"] for tool in tools}
    if isinstance(said, dict) and said.get("tool") in names and isinstance(said.get("arguments"), dict):
        return "", [ToolCall(name=said["tool"], args=said["arguments"], id=new_id(), type="tool_call")]
    if isinstance(said, dict) and isinstance(said.get("answer"), str):
        return said["answer"], []
    return text, []


def new_id() -> str:
    """An id for a call."""
    return f"call_{uuid.uuid4().hex[:24]}"
