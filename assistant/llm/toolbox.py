"""The nine tools as LangChain tools of one turn: schemas as they are, results as text with the record beside."""

from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool

from tools.agent_tools.desk import AgentTool
from tools.agent_tools.ledger import Ledger, LookedUp
from tools.agent_tools.shown import written
from tools.agent_tools.toolset import agent_tools, schema_of

KEY: ContextVar[str | None] = ContextVar("key", default=None)
"""Key of the call that is being worked out: calls of one reply run at once, and are told in their order."""


def toolbox(ledger: Ledger, words: Sequence[str]) -> list[BaseTool]:
    """Every tool for one turn; what it finds goes into `ledger`. None ever raises."""
    return [_adapted(tool, ledger, tuple(words)) for tool in agent_tools().values()]


def _adapted(tool: AgentTool, ledger: Ledger, words: tuple[str, ...]) -> BaseTool:
    def run(**arguments: Any) -> tuple[str, LookedUp]:
        one = tool.look_up(arguments, ledger, words, KEY.get())
        return shown_of(one), one

    return StructuredTool(
        name=tool.name,
        description=tool.description,
        args_schema=schema_of(tool),
        func=run,
        response_format="content_and_artifact",
    )


def shown_of(one: LookedUp) -> str:
    """A result as the model reads it: its key first."""
    return written({"key": one.key, **one.shown})
