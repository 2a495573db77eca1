"""MCP: the nine tools of an agent and `ask`, over standard input and output or streamable HTTP."""

import json
import logging
from collections.abc import Awaitable, Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import Field, ValidationError

from kb.base import AdvisorError, Frozen
from tools.agent_tools.desk import AgentTool
from tools.agent_tools.ledger import Ledger
from tools.agent_tools.toolset import agent_tool, agent_tools, schema_of
from tools.refused import bad_input
from ui.serving.metrics import counted

if TYPE_CHECKING:  # the agent's libraries take a second to load, which listing the tools need not wait for
    from assistant.agent import Advisor

logger = logging.getLogger(__name__)
LOOPBACK = ("127.0.0.1", "localhost", "::1")
INSTRUCTIONS = (
    "Answers what GPU hardware a workload needs. `ask` takes a whole question in Chinese or English and returns a "
    "cited answer. The other tools work one thing out each, from names and quantities as people write them; every "
    "result has a key, by which `work_out` takes its figures up."
)
CLIENTS_MAX = 512
"""Clients over HTTP whose results are kept; who was longest away looks things up again."""
Context = ServerRequestContext[Any, Any]


class AskRequest(Frozen):
    """A question for the advisor."""

    question: str = Field(max_length=100_000)
    """What is asked, in any language; Chinese and English are answered in kind."""
    conversation_id: str | None = Field(default=None, max_length=128)
    """To continue a conversation; a new one begins without it."""


def create_server(advisor: "Callable[[], Advisor]") -> Server[Any]:
    """The MCP server; `advisor` is only called when a question is asked.

    A driving model within the advisor sees the same nine tools, by the same schemas.
    """

    @lru_cache(maxsize=CLIENTS_MAX)
    def ledger_of(session: str) -> Ledger:
        """What one client has looked up."""
        return Ledger()

    async def list_tools(context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_ask_tool(), *map(_tool, agent_tools().values())])

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        ledger = ledger_of(client_of(context.request))

        def run() -> types.CallToolResult:
            if params.name == "ask":
                return _result(ask(advisor(), params.arguments or {}))
            one = agent_tool(params.name).look_up(params.arguments or {}, ledger)
            if one.failed:
                return _result(one.shown["error"], failed=True)
            return _result({"key": one.key, **one.shown})

        try:
            return await anyio.to_thread.run_sync(run)
        except AdvisorError as error:
            return _result(error.data(), failed=True)
        except Exception:  # the protocol's border: a client is told that, not how, something broke
            logger.exception("a tool call failed")
            return _result({"code": "internal_error", "message": "Something failed here; it was logged."}, failed=True)

    return Server(
        "gpu-advisor", version="1", instructions=INSTRUCTIONS, on_list_tools=list_tools, on_call_tool=call_tool
    )


def client_of(request: Any) -> str:
    """Who calls: by the session, the key and the address of a request over HTTP; one and the same over standard input.

    The protocol of 2026-07-28 has no sessions: clients without a key behind one address share what they looked up.
    """
    if request is None:
        return ""
    names = ("mcp-session-id", "authorization", "x-api-key")
    address = request.client.host if request.client else ""
    return "\n".join([address, *(request.headers.get(name, "") for name in names)])


def ask(advisor: "Advisor", arguments: dict[str, Any]) -> dict[str, Any]:
    """One answer from plain arguments."""
    try:
        request = AskRequest.model_validate(arguments)
    except ValidationError as problem:
        raise bad_input(problem, AskRequest.model_fields) from None
    return counted(advisor.ask(request.question, request.conversation_id), "mcp").model_dump(mode="json")


def _ask_tool() -> types.Tool:
    description = "Answer a question about GPU hardware, with configurations, arithmetic and sources."
    return types.Tool(name="ask", description=description, input_schema=AskRequest.model_json_schema())


def _tool(each: AgentTool) -> types.Tool:
    return types.Tool(name=each.name, description=each.description, input_schema=schema_of(each))


def _result(data: dict[str, Any], failed: bool = False) -> types.CallToolResult:
    text = types.TextContent(type="text", text=json.dumps(data, ensure_ascii=False))
    return types.CallToolResult(content=[text], structured_content=data, is_error=failed)


def http_manager(advisor: "Callable[[], Advisor]", host: str) -> StreamableHTTPSessionManager:
    """Sessions of the streamable HTTP transport; on a loopback address only loopback names are let in."""
    local = host in LOOPBACK
    names = [f"{'[::1]' if name == '::1' else name}:*" for name in LOOPBACK]
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=local,
        allowed_hosts=names,
        allowed_origins=[f"http://{name}" for name in names],
    )
    return StreamableHTTPSessionManager(create_server(advisor), json_response=False, security_settings=security)


def serve_stdio() -> int:
    """Speak MCP on standard input and output until the client leaves."""

    def advisor() -> "Advisor":
        from ui.serving.service import advisor as shared  # opens the index

        return shared()

    anyio.run(_serve_stdio, create_server(advisor))
    return 0


async def _serve_stdio(server: Server[Any]) -> None:
    run: Callable[..., Awaitable[None]] = server.run
    async with stdio_server() as (reader, writer):
        await run(reader, writer, server.create_initialization_options())
