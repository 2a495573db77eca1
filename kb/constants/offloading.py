"""Facts about what is left to the host: how fast it reads and multiplies weights, and what a training leaves there."""

from functools import lru_cache

from kb.base import Frozen
from kb.catalog import FACTS, load_yaml
from kb.records.source import Source

IN_TABLES = "gguf:IQ"
"""File types whose weights are looked up in tables, which processors do far slower than the others' arithmetic."""


class Host(Frozen):
    """The host's memory, where weights lie that do not fit the cards."""

    bandwidth_bytes_per_s: float
    """Of a desktop's memory, assumed unless something else is said."""
    server_bandwidth_bytes_per_s: float
    """Of one socket of a server, for those who say it is one."""
    cores_bytes_per_s: float
    """Quantised weights that the cores of such a desktop widen and multiply a second."""
    server_cores_bytes_per_s: float
    """The same of one socket of a server."""
    table_ratio: float
    """Of those two, what files with weights in tables (IQ2, IQ3, IQ4) reach."""
    handover_s: float
    """Passing the activations of one layer to the host and back."""
    source: str

    def cores(self, bandwidth_bytes_per_s: float, form: str = "") -> float:
        """Weights a second of format `form` that the cores behind memory of this bandwidth multiply: a desktop's up to
        a desktop's bandwidth, a server's from a server's on, in between by the bandwidth."""
        low, high = self.bandwidth_bytes_per_s, self.server_bandwidth_bytes_per_s
        share = min(max((bandwidth_bytes_per_s - low) / (high - low), 0.0), 1.0)
        found = self.cores_bytes_per_s + share * (self.server_cores_bytes_per_s - self.cores_bytes_per_s)
        return found * (self.table_ratio if form.startswith(IN_TABLES) else 1.0)


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
