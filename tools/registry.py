"""The one list of tools. Every face loops over `tools()`; registering a tool is one line of `HOMES`."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from typing import Any, get_type_hints

from pydantic import ValidationError

from kb.base import Frozen, UnknownName
from kb.naming.names import close_names
from tools.base import ToolResult
from tools.memo import Memo, documents
from tools.refused import bad_input

READING = {"search_guidance"}
"""Tools whose result depends on documents, which change."""
MEMO = Memo()
SEARCHED = Memo(most=256, world=documents)
"""What was found, while no document changes; some 30 kB each."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that every face can offer: one frozen request in, one frozen result out."""

    run: Callable[[Any], ToolResult]
    request: type[Frozen]
    result: type[ToolResult]

    @classmethod
    def of(cls, run: Callable[[Any], ToolResult]) -> "Tool":
        """Read request and result from the function's own annotations."""
        hints = get_type_hints(run)
        return cls(run, hints["request"], hints["return"])

    @property
    def name(self) -> str:
        """The function's name, which is the tool's."""
        return self.run.__name__

    @property
    def description(self) -> str:
        """The docstring, which people and language models read alike."""
        return (self.run.__doc__ or "").strip()

    def call(self, arguments: dict[str, Any]) -> ToolResult:
        """Validate plain arguments and run.

        Raises:
            BadInput: an argument is missing, unknown or out of bounds; names the field.
            AdvisorError: whatever the tool itself refuses.
        """
        try:
            request = self.request.model_validate(arguments)
        except ValidationError as problem:
            raise bad_input(problem, self.request.model_fields) from None
        return self.answer(request)

    def answer(self, request: Frozen) -> ToolResult:
        """The result of a valid request, remembered while facts and, where it reads them, documents are the same.

        Raises:
            BadInput: another tool, which this one asks in turn, cannot take a field as it was given.
            AdvisorError: whatever the tool itself refuses.
        """
        try:
            return (SEARCHED if self.name in READING else MEMO).result(self.name, request, self.run)
        except ValidationError as problem:
            refused = bad_input(problem)
            if refused.field not in self.request.model_fields:  # a defect of ours, not the caller's
                raise
            raise refused from None


HOMES = {
    "estimate_memory": "tools.memory",
    "estimate_inference_speed": "tools.speed",
    "estimate_training_time": "tools.training_time",
    "find_ways_to_run": "tools.ways_to_run",
    "what_fits": "tools.what_fits",
    "find_ways_to_train": "tools.ways_to_train",
    "configure": "tools.configure",
    "find_gpus": "tools.find_gpus",
    "compare_gpus": "tools.compare_gpus",
    "find_offers": "tools.find_offers",
    "estimate_cost": "tools.cost",
    "plan_power": "tools.power",
    "check_compatibility": "tools.check_compatibility",
    "make_launch_files": "tools.launch",
    "check_setup": "tools.check_setup",
    "explain_observation": "tools.observation",
    "diagnose_oom": "tools.oom",
    "read_topology": "tools.topology",
    "forecast_capacity": "tools.capacity_forecast",
    "search_guidance": "tools.search_guidance",
}
"""Every tool's name and the module that holds the function of that name, in the order shown to people.

Registering a tool is one line here; a module is imported when its tool is first asked for, so that one tool on the
command line does not wait for all.
"""


@lru_cache(maxsize=1)
def tools() -> dict[str, Tool]:
    """Every tool by name."""
    return {name: _tool(name) for name in HOMES}


def tool(name: str) -> Tool:
    """The tool called `name`; only its own module is imported.

    Raises:
        UnknownName: with the closest tool names.
    """
    if name not in HOMES:
        raise UnknownName("tool", name, close_names(name, list(HOMES)) or list(HOMES))
    return _tool(name)


@cache
def _tool(name: str) -> Tool:
    return Tool.of(getattr(import_module(HOMES[name]), name))
