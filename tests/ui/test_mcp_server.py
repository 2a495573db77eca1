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

from tools.registry import tools

ROOT = Path(__file__).parents[2]
REQUEST = {"model": "Qwen2.5-72B", "task": "inference", "gpu": "4090"}


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


def test_the_listing_is_the_registry_and_ask(server: Any) -> None:
    async def run() -> Any:
        async with Client(server) as client:
            return await client.list_tools()

    listed = asyncio.run(run()).tools
    assert [tool.name for tool in listed] == ["ask", *tools()]
    assert all(tool.description and tool.input_schema["type"] == "object" for tool in listed)


def test_a_tool_gives_the_result_it_gives_directly_and_refuses_with_the_field(server: Any) -> None:
    async def run() -> Any:
        async with Client(server) as client:
            good = await client.call_tool("estimate_memory", REQUEST)
            bad = await client.call_tool("estimate_memory", REQUEST | {"context_tokens": -1})
            unknown = await client.call_tool("estimate_memry", {})
            return good, bad, unknown

    good, bad, unknown = asyncio.run(run())
    assert data(good) == tools()["estimate_memory"].call(REQUEST).model_dump(mode="json")
    assert bad.is_error
    assert data(bad)["field"] == "context_tokens"
    assert unknown.is_error
    assert "estimate_memory" in data(unknown)["close"]


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
