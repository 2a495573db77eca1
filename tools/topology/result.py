"""What the reading of a topology answers."""

from typing import Literal

from kb.base import Frozen
from tools.base import ToolResult

Severity = Literal["error", "warning", "note"]


class Link(Frozen):
    """The way between two devices."""

    a: str
    b: str
    code: str
    """As the matrix writes it: NV12, PIX, SYS …"""
    nvlinks: int = 0
    bytes_per_s: float | None = None
    """One direction, what large copies can reach; null where generation and width are not known."""


class Device(Frozen):
    """One card as the text shows it; null = not shown."""

    index: int
    name: str | None = None
    gpu: str | None = None
    """Catalog id, when the name is known."""
    memory_used_bytes: int | None = None
    memory_total_bytes: int | None = None
    power_w: float | None = None
    power_cap_w: float | None = None
    temperature_c: float | None = None
    utilisation: float | None = None
    ecc_errors: int | None = None
    """Uncorrected volatile errors."""
    persistence: bool | None = None
    mig: bool | None = None
    fallen_off: bool = False
    """Whether the driver lost it."""
    health: str | None = None
    """What `npu-smi info` says of an Ascend card: OK, Warning, Alarm, Critical …"""
    cpu_affinity: str | None = None
    numa_node: int | None = None
    pcie_generation: int | None = None
    pcie_width: int | None = None


class Process(Frozen):
    """A program that holds memory of a card."""

    device: int
    pid: int
    name: str
    memory_bytes: int | None = None


class Group(Frozen):
    """Cards that reach each other equally well."""

    devices: tuple[int, ...]
    code: str
    """The worst way between any two of them."""
    tensor_parallel: Literal["good", "fair", "poor"]


class NearNic(Frozen):
    """The network card that is nearest to a GPU."""

    device: int
    nic: str
    code: str


class Problem(Frozen):
    """Something that costs speed or reliability."""

    kind: str
    """card_fallen_off, ecc_errors, power_capped, hot, taken, mixed_cards, link_down, cross_socket, no_direct_link …"""
    severity: Severity
    devices: tuple[int, ...]
    detail: str
    """With its figures, in English."""
    action: str
    """What to do."""
    detail_zh: str
    action_zh: str


class Topology(ToolResult):
    """The cards of a machine and what joins them."""

    driver: str | None = None
    cuda: str | None = None
    """Newest CUDA that the driver supports."""
    devices: tuple[Device, ...]
    nics: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    """Every pair of cards, once."""
    near_nics: tuple[NearNic, ...] = ()
    processes: tuple[Process, ...] = ()
    groups: tuple[Group, ...] = ()
    """For tensor parallelism: the best first, each card once."""
    tensor_parallel: int | None = None
    """Widest group joined well enough to share every layer; null without a matrix."""
    pipeline_parallel: int | None = None
    """Groups of that width, which would take the layers in turn."""
    all_to_all: bool | None = None
    """Whether every two cards are joined by NVLink, Infinity Fabric, HCCS or UB."""
    problems: tuple[Problem, ...] = ()
    """The gravest first."""
    actions: tuple[str, ...] = ()
    """Commands and settings that follow."""
