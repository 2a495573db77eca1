"""`gpu-advisor chat` and `gpu-advisor mcp`: the servers."""

import argparse
from typing import Any

from kb.settings import settings


def add_to(commands: Any) -> None:
    """The `chat` and `mcp` commands."""
    chat = commands.add_parser("chat", help="serve the chat page, the REST API and MCP on one port")
    chat.add_argument("--host", default=settings().host)
    chat.add_argument("--port", type=int, default=settings().port)
    chat.set_defaults(run=run_chat)
    mcp = commands.add_parser("mcp", help="serve the tools over MCP on standard input and output")
    mcp.set_defaults(run=run_mcp)


def run_chat(options: argparse.Namespace) -> int:
    """Ingest the bundled guidance if the index is missing or stale, then serve until stopped."""
    from ui.cli.model import at_start
    from ui.serving.serve import serve

    print(at_start(), flush=True)
    return serve(options.host, options.port)


def run_mcp(options: argparse.Namespace) -> int:
    """Speak MCP on standard input and output."""
    from ui.mcp_server import serve_stdio

    return serve_stdio()
