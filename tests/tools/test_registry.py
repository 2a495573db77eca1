"""What every tool does with requests at the edge of what it takes."""

import pytest
from pydantic import BaseModel

from kb.base import BadInput, Frozen
from tools.base import ToolResult
from tools.registry import Tool, tool


class Asked(Frozen):
    """What the outer tool takes."""

    mode: str = ""
    count: int = 0


class Inner(BaseModel):
    """What the tool behind it takes."""

    mode: int = 0
    other: int = 0


class Told(ToolResult):
    """Nothing much."""


def refuses_mode(request: Asked) -> Told:
    """Hand the mode on."""
    Inner.model_validate({"mode": request.mode})
    return Told()


def has_a_defect(request: Asked) -> Told:
    """Hand on what nobody asked for."""
    Inner.model_validate({"other": "three"})
    return Told()


def test_a_field_that_another_tool_cannot_take_is_the_callers_to_mend() -> None:
    with pytest.raises(BadInput) as refusal:
        Tool.of(refuses_mode).call({"mode": "never heard of"})
    assert refusal.value.field == "mode"
    assert "never heard of" not in str(refusal.value)


def test_a_defect_of_a_tool_is_not_blamed_on_the_caller() -> None:
    with pytest.raises(ValueError, match="other"):
        Tool.of(has_a_defect).call({})


def test_a_purchase_refuses_what_the_memory_estimate_does_not_know() -> None:
    with pytest.raises(BadInput) as refusal:
        tool("configure").call({"task": "qlora", "params": 7_000_000_000, "gradient_checkpointing": "now and then"})
    assert refusal.value.field == "gradient_checkpointing"


@pytest.mark.parametrize("params", [1, 2, 3, 100])
@pytest.mark.parametrize("name", ["configure", "estimate_memory", "estimate_inference_speed"])
def test_a_model_of_next_to_no_parameters_is_worked_out(name: str, params: int) -> None:
    card = {} if name == "configure" else {"gpu": "h100-sxm-80gb"}
    assert tool(name).call({"params": params, **card})
