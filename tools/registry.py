"""The one list of tools. Every face loops over `TOOLS`; registering a tool is one line here."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, get_type_hints

from pydantic import ValidationError

from kb.base import BadInput, Frozen, UnknownName
from kb.names import close_names
from tools.base import ToolResult


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
            raise bad_input(problem) from None
        return self.run(request)


def bad_input(problem: ValidationError) -> BadInput:
    """The first complaint of pydantic as an error that names the field and never echoes the value."""
    first = problem.errors(include_url=False, include_input=False)[0]
    field = ".".join(str(part) for part in first["loc"]) or "request"
    remedy = "Remove it or check its spelling." if first["type"] == "extra_forbidden" else ""
    return BadInput(field, first["msg"].rstrip(".") + ".", remedy)


@lru_cache(maxsize=1)
def tools() -> dict[str, Tool]:
    """Every tool by name, in the order shown to people.

    Imported on first use, so that a face that needs one tool's name does not pay for all of them at import.
    """
    from tools.check_compatibility import check_compatibility
    from tools.compare_gpus import compare_gpus
    from tools.configure import configure
    from tools.cost import estimate_cost
    from tools.find_gpus import find_gpus
    from tools.find_offers import find_offers
    from tools.memory import estimate_memory
    from tools.power import plan_power
    from tools.search_guidance import search_guidance
    from tools.speed import estimate_inference_speed
    from tools.training_time import estimate_training_time
    from tools.what_fits import what_fits

    functions: tuple[Callable[[Any], ToolResult], ...] = (
        estimate_memory, estimate_inference_speed, estimate_training_time, what_fits, configure, find_gpus,
        compare_gpus, find_offers, estimate_cost, plan_power, check_compatibility, search_guidance,
    )  # fmt: skip
    return {tool.name: tool for tool in map(Tool.of, functions)}


def tool(name: str) -> Tool:
    """The tool called `name`.

    Raises:
        UnknownName: with the closest tool names.
    """
    found = tools().get(name)
    if found is None:
        raise UnknownName("tool", name, close_names(name, list(tools())) or list(tools()))
    return found
