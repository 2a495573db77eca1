"""Facts about links inside a machine: the letters of a topology matrix, lanes, and readings that are problems."""

from functools import lru_cache
from typing import Literal

from kb.base import Frozen
from kb.catalog import FACTS, load_yaml
from kb.records.source import Source


class Path(Frozen):
    """A kind of way between two devices."""

    code: str
    name: str
    name_zh: str
    transfer_ratio: float | None = None
    tensor_parallel: Literal["good", "fair", "poor"]
    source: str


class NvLink(Frozen):
    """The links of one generation."""

    architecture: str
    links: int
    """Of the largest card."""
    link_bytes_per_s: float
    """One link, one direction."""
    source: str


class Lane(Frozen):
    """One PCIe lane, one direction."""

    generation: int
    lane_bytes_per_s: float
    source: str


class Wording(Frozen):
    """What is said of one kind of problem, in both languages, with gaps for its figures."""

    severity: Literal["error", "warning", "note"]
    detail: str
    detail_zh: str
    action: str
    action_zh: str


class Limits(Frozen):
    """From where on a reading is a problem."""

    hot_c: float
    held_ratio: float
    capped_ratio: float
    source: str


class Maker(Frozen):
    """The names a maker's software has for what every machine needs."""

    visible: str
    """Variable that chooses cards."""
    all_reduce: str
    """Command that measures the links, with a gap for the count of cards."""
    tests: str
    """The suite it belongs to."""
    source: str


class TopologyFacts(Frozen):
    """Everything in `topology.yaml`."""

    paths: tuple[Path, ...]
    """The nearest first."""
    transfer_source: str
    nvlinks: tuple[NvLink, ...]
    pcie_lanes: tuple[Lane, ...]
    limits: Limits
    makers: dict[str, Maker]
    problems: dict[str, Wording]
    sources: dict[str, Source]

    def path(self, code: str) -> Path | None:
        """The kind of way that a cell of the matrix names; `NV12` is NVLink."""
        kind = "NV" if code.startswith("NV") else code
        return next((one for one in self.paths if one.code == kind), None)


@lru_cache(maxsize=1)
def topology_facts() -> TopologyFacts:
    """The facts, loaded once."""
    rows = load_yaml(FACTS / "topology.yaml")
    rows["sources"] = {key: {"id": key, **row} for key, row in rows["sources"].items()}
    return TopologyFacts.model_validate(rows)
