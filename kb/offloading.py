"""Facts about what a training leaves to the host: bytes a parameter there, traffic of its step, use of a slot."""

from functools import lru_cache

from kb.base import Frozen
from kb.catalog import FACTS, load_yaml
from kb.records.source import Source


class Figure(Frozen):
    """One number and where it comes from."""

    value: float
    source: str


class Offloading(Frozen):
    """Everything in `offloading.yaml`."""

    optimizer_bytes: Figure
    """Host memory of a parameter whose optimizer states lie there."""
    weights_bytes: Figure
    """The same where its weight does as well."""
    slack_ratio: Figure
    """How much more than that buffers may take."""
    paged_bytes: Figure
    """A parameter's states that a paged optimizer moves out."""
    step_bytes: Figure
    """Memory traffic of a parameter's step on the processor."""
    pcie_reached_ratio: Figure
    """Of a slot's raw rate, what copies reach."""
    nvme_host_bytes: Figure
    """Host memory for each card, where weights and states lie on a drive."""
    nvme_bytes_per_s: Figure
    """What one drive reads or writes."""
    slower_ratio: Figure
    """How much longer than computed such a run may take."""
    sources: dict[str, Source]


@lru_cache(maxsize=1)
def offloading() -> Offloading:
    """The facts, loaded once."""
    rows = load_yaml(FACTS / "offloading.yaml")
    rows["sources"] = {key: {"id": key, **row} for key, row in rows["sources"].items()}
    return Offloading.model_validate(rows)
