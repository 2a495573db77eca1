"""The list of the nine, and their schemas as a language model is sent them."""

from functools import lru_cache
from typing import Any, get_type_hints

from kb.base import UnknownName
from kb.naming.names import close_names
from tools.agent_tools.configuring import configure
from tools.agent_tools.costing import cost
from tools.agent_tools.desk import AgentTool
from tools.agent_tools.explaining import explain
from tools.agent_tools.launching import launch_files, search_guidance
from tools.agent_tools.look_up import look_up
from tools.agent_tools.run import find_ways_to_run
from tools.agent_tools.train import find_ways_to_train
from tools.agent_tools.work_out import work_out

FUNCTIONS = (
    find_ways_to_run, find_ways_to_train, configure, explain, look_up, cost, launch_files, search_guidance, work_out,
)  # fmt: skip
NOISE = ("title", "default", "maxLength", "minLength", "maxItems", "minItems", "additionalProperties", "maxProperties")


@lru_cache(maxsize=1)
def agent_tools() -> dict[str, AgentTool]:
    """The nine by name."""
    found = {}
    for function in FUNCTIONS:
        found[function.__name__] = AgentTool(function, get_type_hints(function)["request"])
    return found


def agent_tool(name: str) -> AgentTool:
    """The tool called `name`.

    Raises:
        UnknownName: with the closest names.
    """
    known = agent_tools()
    if name not in known:
        raise UnknownName("tool", name, close_names(name, list(known)) or list(known))
    return known[name]


def schema_of(tool: AgentTool) -> dict[str, Any]:
    """The JSON schema of its request, less what says nothing to a model: bounds, titles, nulls.

    Every property keeps its description.
    """
    schema: dict[str, Any] = tool.request.model_json_schema()
    properties = {name: _slim(one) for name, one in schema["properties"].items()}
    required = {"required": schema["required"]} if schema.get("required") else {}
    return {"type": "object", "properties": properties, **required}


def _slim(schema: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in schema.items() if key not in NOISE and key != "anyOf"}
    typed: dict[str, Any] = next((one for one in schema.get("anyOf", ()) if one.get("type") != "null"), {})
    kept = {**{key: value for key, value in typed.items() if key not in NOISE}, **kept}
    if isinstance(kept.get("items"), dict):
        kept["items"] = {key: value for key, value in kept["items"].items() if key not in NOISE}
    return {key: kept[key] for key in ("type", "items", "description") if key in kept}
