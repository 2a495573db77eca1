"""MCP over both transports, proved with the official client."""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from starlette.requests import Request

from tools.agent_tools.ledger import Ledger
from tools.agent_tools.toolset import agent_tool, agent_tools
from ui.mcp_server import client_of

ROOT = Path(__file__).parents[2]
REQUEST = {"model": "Qwen2.5-72B", "cards": "4x 4090"}


def stdio(home: Path) -> Any:
    """The server as another program starts it."""
    code = "from ui.cli import main; raise SystemExit(main(['mcp']))"
    environment = {
        "GPU_ADVISOR_HOME": str(home),
        "PATH": "/usr/bin:/bin",
        "GPU_ADVISOR_TODAY": os.environ["GPU_ADVISOR_TODAY"],
    }
    return stdio_client(StdioServerParameters(command=sys.executable, args=["-c", code], env=environment, cwd=ROOT))


@pytest.fixture(params=["http", "stdio"])
def server(request: pytest.FixtureRequest, address: str, shared_home: Path) -> Any:
    """What the client connects to."""
    return f"{address}/mcp" if request.param == "http" else stdio(shared_home)


def data(result: Any) -> Any:
    """The JSON of a tool result, which text and structure must agree on."""
    said = json.loads(result.content[0].text)
    assert result.structured_content == said
    return said


def test_the_listing_is_ask_and_the_nine(server: Any) -> None:
    async def run() -> Any:
        async with Client(server) as client:
            return await client.list_tools()

    listed = asyncio.run(run()).tools
    assert [tool.name for tool in listed] == ["ask", *agent_tools()]
    assert len(listed) == 10
    for tool in listed:
        assert tool.description
        assert tool.input_schema["type"] == "object"
        assert [name for name, one in tool.input_schema["properties"].items() if not one.get("description")] == []


def test_a_tool_gives_what_it_gives_directly_and_refuses_with_the_kind_and_the_closest(server: Any) -> None:
    async def run() -> Any:
        async with Client(server) as client:
            good = await client.call_tool("find_ways_to_run", REQUEST)
            card = await client.call_tool("find_ways_to_run", REQUEST | {"cards": "4x 4091"})
            model = await client.call_tool("find_ways_to_run", REQUEST | {"model": "Qwen3-900B"})
            field = await client.call_tool("find_ways_to_run", REQUEST | {"contxt_tokens": "8k"})
            unknown = await client.call_tool("find_ways_to_runn", {})
            return good, card, model, field, unknown

    good, card, model, field, unknown = asyncio.run(run())
    said = data(good)
    assert {name: value for name, value in said.items() if name != "key"} == agent_tool("find_ways_to_run").look_up(
        REQUEST, Ledger()
    ).shown
    assert not card.is_error
    assert "rtx-4090-24gb" in data(card)["not_known"][0]["close"]
    assert model.is_error
    assert (data(model)["kind"], bool(data(model)["close"])) == ("model", True)
    assert field.is_error
    assert "contxt_tokens" in json.dumps(data(field))
    assert unknown.is_error
    assert "find_ways_to_run" in data(unknown)["close"]


def test_a_result_is_taken_up_by_its_key(server: Any) -> None:
    async def run() -> Any:
        async with Client(server) as client:
            first = await client.call_tool("look_up", {"kind": "spec", "names": ["4090"]})
            path = f"{data(first)['key']}.found[0].tdp"
            return await client.call_tool(
                "work_out", {"expression": "cards * each", "values": {"cards": "4", "each": path}, "unit": "W"}
            )

    assert data(asyncio.run(run()))["value"] == "1,800 W"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({}, {}, True),
        ({"authorization": "Bearer a"}, {"authorization": "Bearer b"}, False),
        ({"mcp-session-id": "a"}, {"mcp-session-id": "b"}, False),
    ],
)
def test_clients_with_keys_or_sessions_of_their_own_share_no_results(
    one: dict[str, str], other: dict[str, str], same: bool
) -> None:
    def request(headers: dict[str, str], host: str = "10.0.0.1") -> Request:
        raw = [(name.encode(), value.encode()) for name, value in headers.items()]
        return Request({"type": "http", "headers": raw, "client": (host, 1)})

    assert (client_of(request(one)) == client_of(request(other))) is same
    assert client_of(request(one)) != client_of(request(one, "10.0.0.2"))


def test_ask_answers(server: Any) -> None:
    async def run() -> Any:
        async with Client(server) as client:
            return await client.call_tool("ask", {"question": "Does the RTX 6000 Ada support NVLink?"})

    answer = data(asyncio.run(run()))
    assert answer["verdict"] == "fact"
    assert answer["citations"]


def test_a_foreign_host_name_is_turned_away(site: Any) -> None:
    answer = site.post("/mcp", json={}, headers={"Host": "attacker.example"})
    assert answer.status_code == 421
