"""Every number that a need may state is answered or refused by name, however large."""

import pytest
from annotated_types import Le

from kb.base import BadInput
from tools.configure.request import ConfigureRequest
from tools.registry import tool

LOADS = (
    {"task": "inference", "model": "Qwen/Qwen2.5-7B"},
    {"task": "lora", "model": "Qwen/Qwen2.5-7B"},
    {"task": "pretrain", "params": 1_000_000_000},
    {"task": "rendering"},
    {"task": "diffusion", "model": "black-forest-labs/FLUX.1-dev"},
    {"task": "vision"},
    {"task": "embedding"},
)
LARGEST = {
    name: bound.le
    for name, field in ConfigureRequest.model_fields.items()
    for bound in field.metadata
    if isinstance(bound, Le) and name not in ("max_results", "params")
}


def test_the_bounds_are_read() -> None:
    assert {"batch_size", "users", "context_tokens", "frames"} <= set(LARGEST)


@pytest.mark.parametrize("load", LOADS, ids=lambda load: str(load["task"]))
@pytest.mark.parametrize("name", LARGEST)
def test_the_largest_number_is_answered_or_refused_by_name(name: str, load: dict[str, object]) -> None:
    field = None
    try:
        assert tool("configure").call({**load, name: LARGEST[name], "max_results": 1}) is not None
    except BadInput as refused:
        field = refused.field
    assert field is None or field in ConfigureRequest.model_fields
