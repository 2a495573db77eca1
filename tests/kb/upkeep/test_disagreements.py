"""A figure that was set aside differs from the one that is used, and its source vouches for neither."""

import pytest

from kb.catalog import gpus, sources
from kb.records.gpu import Gpu
from kb.upkeep.disagreements import Disagreement, disagreements

CASES = [pytest.param(one, id=f"{one.gpu}-{one.field}-{one.source}") for one in disagreements()]


@pytest.mark.parametrize("one", CASES)
def test_a_figure_set_aside_is_another_than_the_one_used(one: Disagreement) -> None:
    assert one.field in Gpu.model_fields
    used = getattr(gpus()[one.gpu], one.field)
    assert used is not None
    assert one.said != pytest.approx(float(used), rel=0.005)


@pytest.mark.parametrize("one", CASES)
def test_its_source_is_known_and_vouches_for_no_such_field(one: Disagreement) -> None:
    assert one.source in sources()
    assert one.field not in gpus()[one.gpu].sources.get(one.source, ())
    assert one.because.strip()


def test_a_figure_is_set_aside_once() -> None:
    keys = [(one.gpu, one.field, one.source) for one in disagreements()]
    assert len(keys) == len(set(keys)) >= 40
