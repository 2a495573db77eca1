"""The matrix of `nvidia-smi topo -m`, `rocm-smi --showtopo` and `npu-smi info -t topo`; `nvidia-smi nvlink -s`."""

import re
from dataclasses import dataclass, field

from tools.topology.smi import numa_nodes

DEVICES_MAX = 128
"""Columns read: more than any machine has."""
_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_CODE = re.compile(r"^(?:X|NV\d{1,3}|PIX|PXB|PHB|NODE|SYS|SOC|HCCS|HCCS_SW|SIO|UB|XGMI|PCIE|P2P|PSB|N/?A)$", re.I)
_NAME = re.compile(r"^(GPU|NIC|NPU|Phy-ID|mlx\d{1,2}_|rdma)(\d{1,3})$", re.I)
_AFFINITY = re.compile(r"^\d{1,4}(?:-\d{1,4})?(?:,\d{1,4}(?:-\d{1,4})?){0,31}$")
_LEGEND = re.compile(r"^\s{0,8}(NIC\d{1,3}):\s{0,8}(\S{1,64})", re.M)
_NVLINK_GPU = re.compile(r"^\s{0,4}GPU (\d{1,3}):", re.M)
_NVLINK_ROW = re.compile(r"Link (\d{1,2}):\s{0,8}(?:<?(inactive)>?|(\d{1,4}(?:\.\d{1,4})?)\s?GB/s)", re.I)
_OLD = {"SOC": "SYS", "PSB": "PIX", "NA": "N/A"}
"""Older or other makers' letters for the same ways."""


@dataclass
class Matrix:
    """A square of codes with what stands beside it."""

    names: list[str] = field(default_factory=list)
    """Row names in order."""
    cells: dict[tuple[str, str], str] = field(default_factory=dict)
    affinity: dict[str, str] = field(default_factory=dict)
    """Row → processor cores."""
    numa: dict[str, int] = field(default_factory=dict)
    nic_names: dict[str, str] = field(default_factory=dict)
    """NIC0 → mlx5_0, from the legend."""

    @property
    def gpus(self) -> list[str]:
        """The rows that are cards."""
        return [name for name in self.names if name.upper().startswith(("GPU", "NPU", "PHY"))]

    @property
    def nics(self) -> list[str]:
        """The rows that are network cards."""
        return [name for name in self.names if name not in self.gpus]


def plain(text: str) -> str:
    """The text without the colours of a terminal."""
    return _ANSI.sub("", text)


def index_of(name: str) -> int:
    """The number in a device's name."""
    return int(re.sub(r"\D", "", name.split("_")[-1]) or 0)


def read_matrix(text: str) -> Matrix | None:
    """The matrix of a text; null when there is none.

    The header names the columns; each row starts with one of these names. Columns are taken in order, so that tabs
    that were turned into blanks do no harm.
    """
    matrix = Matrix()
    header: list[str] = []
    for line in text.splitlines():
        words = line.split()
        if not header:
            found = [word for word in words if _NAME.match(word)]
            if len(found) >= 1 and words and words[0] == found[0] and not _has_codes(words[1:]):
                header = found[:DEVICES_MAX]
            continue
        if not words or not _NAME.match(words[0]) or words[0] in matrix.names:
            continue
        _read_row(matrix, header, words)
    if not matrix.gpus:
        return None
    matrix.nic_names = dict(_LEGEND.findall(text))
    numa = {f"GPU{index}": node for index, node in numa_nodes(text).items()}
    matrix.numa |= {name: node for name, node in numa.items() if name in matrix.names}
    matrix.cells = {pair: _by_numa(matrix, pair, code) for pair, code in matrix.cells.items()}
    return matrix


def _by_numa(matrix: Matrix, pair: tuple[str, str], code: str) -> str:
    """rocm-smi writes PCIE for every way without a link of its own; its NUMA nodes say whether processors lie between.

    Where they are not shown it is taken for the way over one processor.
    """
    if code != "PCIE":
        return code
    nodes = {matrix.numa[name] for name in pair if name in matrix.numa}
    return "SYS" if len(nodes) > 1 else "PHB"


def _has_codes(words: list[str]) -> bool:
    return any(_CODE.match(word) for word in words)


def _read_row(matrix: Matrix, header: list[str], words: list[str]) -> None:
    """One row: a code for every column, then cores and NUMA node where shown."""
    codes: list[str] = []
    for word in words[1:]:
        if len(codes) == len(header):
            break
        if word == "0" and header[len(codes)] == words[0]:  # how rocm-smi writes a card's way to itself
            word = "X"
        if not _CODE.match(word):
            break
        codes.append(_OLD.get(word.upper(), word.upper()))
    if len(codes) < len(header):
        return
    name = words[0]
    matrix.names.append(name)
    matrix.cells |= {(name, column): code for column, code in zip(header, codes, strict=True)}
    rest = words[1 + len(codes) :]
    if rest and _AFFINITY.match(rest[0]):
        matrix.affinity[name] = rest[0]
        if len(rest) > 1 and rest[1].isdecimal():
            matrix.numa[name] = int(rest[1])


def read_nvlinks(text: str) -> dict[int, list[float | None]]:
    """Card → speed of each of its links in B/s, null for one that is down (`nvidia-smi nvlink -s`)."""
    found: dict[int, list[float | None]] = {}
    starts = list(_NVLINK_GPU.finditer(text))
    for start, after in zip(starts, [*starts[1:], None], strict=False):
        block = text[start.end() : after.start() if after else len(text)]
        rows = [None if row[2] else float(row[3]) * 1e9 for row in _NVLINK_ROW.finditer(block)]
        if rows:
            found[int(start[1])] = rows
    return found
