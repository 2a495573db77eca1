"""What the results of all registered tools have in common."""

import pytest

from tools.registry import tools


@pytest.mark.parametrize("name", list(tools()))
def test_no_result_has_a_field_that_means_refusal(name: str) -> None:
    # Every face tells a refusal by the key `error`; a result that holds one would be taken for it.
    assert "error" not in tools()[name].result.model_fields
