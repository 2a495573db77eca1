"""What a language model is sent of the nine: few characters, every property described."""

import json

import pytest

from kb.base import UnknownName
from tools.agent_tools.desk import AgentTool
from tools.agent_tools.toolset import agent_tool, agent_tools, schema_of

CHARACTERS_MAX = 14_000
NINE = ("find_ways_to_run", "find_ways_to_train", "configure", "explain", "look_up", "cost", "launch_files",
        "search_guidance", "work_out")  # fmt: skip
each_tool = pytest.mark.parametrize("tool", agent_tools().values(), ids=lambda tool: tool.name)


def test_there_are_nine() -> None:
    assert tuple(agent_tools()) == NINE


def test_schemas_with_names_and_descriptions_stay_within_the_bound() -> None:
    sent = [
        {"name": one.name, "description": one.description, "parameters": schema_of(one)}
        for one in agent_tools().values()
    ]
    assert len(json.dumps(sent, ensure_ascii=False, separators=(",", ":"))) <= CHARACTERS_MAX


@each_tool
def test_every_property_has_a_description_and_a_type(tool: AgentTool) -> None:
    properties = schema_of(tool)["properties"]
    assert properties
    assert {name for name, one in properties.items() if not one.get("description") or not one.get("type")} == set()


@each_tool
def test_a_schema_names_every_field_of_the_request_and_nothing_else(tool: AgentTool) -> None:
    schema = schema_of(tool)
    assert set(schema["properties"]) == set(tool.request.model_fields)
    required = {name for name, field in tool.request.model_fields.items() if field.is_required()}
    assert set(schema.get("required", ())) == required


@each_tool
def test_a_tool_says_in_a_few_lines_what_it_is_for(tool: AgentTool) -> None:
    assert 40 < len(tool.description) < 600
    assert "\n" not in tool.description


def test_an_unknown_tool_is_refused_with_the_closest() -> None:
    with pytest.raises(UnknownName) as refusal:
        agent_tool("find_way_to_run")
    assert "find_ways_to_run" in refusal.value.data()["close"]
