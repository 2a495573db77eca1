"""The machine around the cards: `free`, `lscpu`, `lspci`."""

import re
from collections.abc import Callable, Iterable, Iterator

from kb.artifacts.amounts import count, number, size_bytes
from kb.artifacts.artifact import Block, Fact, Format, Read, Spot, Value
from kb.artifacts.sheet import Line, Sheet
from kb.artifacts.state.tables import ROWS_MAX, grown, stated
from kb.units import GB, GIB, KIB, MB, MIB

_FREE_HEAD = re.compile(r"\s*(?:total|总计|總計)\s+(?:used|已用)\s+(?:free|空闲|可用)\b")
_FREE_ROW = re.compile(r"\s*(Mem|Swap|内存|交换|Low|High|Total)\s?[:：](?:\s+[\d.,]{1,15}(?:[KMGTP]i?B?|B)?){2,7}\s*$")
_FREE_UNITS = (("-g", GIB), ("--gibi", GIB), ("--giga", GB), ("-m", MIB), ("--mebi", MIB), ("--mega", MB), ("-b", 1))
_FREE_NAMES = ("total", "used", "free", "shared", "cache", "available")


def _detects_free(sheet: Sheet) -> Iterable[Spot]:
    rows = [
        one for word in ("mem:", "内存", "swap:") for one in sheet.at(word) if _FREE_ROW.match(sheet.lines[one].text)
    ]
    belongs = lambda line: bool(_FREE_ROW.match(line.text) or _FREE_HEAD.match(line.text) or _is_command(line))  # noqa: E731
    return grown(sheet, sorted(rows), belongs)


def _is_command(line: Line) -> bool:
    return bool(re.match(r"\s*(?:sudo )?free(?:\s+-\S+){0,4}\s*$", line.text))


def _read_free(block: Block) -> Read:
    command = next((line.text.split() for line in block.lines if _is_command(line)), [])
    unit = next((size for flag, size in _FREE_UNITS if flag in command), KIB)
    facts: list[Fact] = []
    for line in block.lines:
        if not _FREE_ROW.match(line.text):
            continue
        label, _, rest = line.text.replace("：", ":").partition(":")
        swap = label.strip() in ("Swap", "交换")
        if not swap and label.strip() not in ("Mem", "内存"):
            continue
        for name, words in zip(_FREE_NAMES, rest.split(), strict=False):
            size = size_bytes(words) if words[-1].isalpha() else size_bytes(words, "b")
            plain = size * unit if size is not None and not words[-1].isalpha() else size
            known = {"total": "swap_total_bytes", "used": "swap_used_bytes"} if swap else {
                "total": "host_memory_bytes", "used": "host_memory_used_bytes", "free": "host_memory_free_bytes",
                "available": "host_memory_available_bytes",
            }  # fmt: skip
            if name in known:
                facts += stated({known[name]: plain}, line)
    return Read(tuple(facts))


_CPU: dict[str, tuple[str, Callable[[str], Value | None]]] = {
    "model name": ("cpu_name", str), "型号名称": ("cpu_name", str), "cpu(s)": ("cpu_threads", count),
    "socket(s)": ("cpu_sockets", count), "座": ("cpu_sockets", count), "core(s) per socket": ("cores_per_socket", count),
    "每个座的核数": ("cores_per_socket", count), "thread(s) per core": ("threads_per_core", count),
    "每个核的线程数": ("threads_per_core", count), "numa node(s)": ("numa_nodes", count), "numa 节点": ("numa_nodes", count),
    "architecture": ("cpu_architecture", str), "架构": ("cpu_architecture", str),
    "cpu max mhz": ("cpu_clock_max_hz", lambda words: (lambda value: None if value is None else round(value * 1e6))(number(words))),
}  # fmt: skip
_CPU_ROW = re.compile(r"\s{0,4}([A-Za-z\u4e00-\u9fff][^:]{1,50}):\s+(\S.*)$")


def _detects_cpu(sheet: Sheet) -> Iterable[Spot]:
    rows = [one for word in ("socket(s)", "model name", "numa node", "型号名称") for one in sheet.at(word)]
    rows = [one for one in rows if _CPU_ROW.match(sheet.lines[one].text)]
    return (
        spot
        for spot in grown(sheet, sorted(set(rows)), lambda line: bool(_CPU_ROW.match(line.text)))
        if spot.last - spot.first >= 2
    )


def _read_cpu(block: Block) -> Read:
    facts: list[Fact] = []
    for line in block.lines[:400]:
        row = _CPU_ROW.match(line.text)
        if row is not None and (rule := _CPU.get(row[1].strip().lower())) is not None:
            facts += stated({rule[0]: rule[1](row[2].strip())}, line)
    return Read(tuple(facts))


_PCI = re.compile(
    r"\s{0,4}(?:[0-9a-f]{4}:)?([0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f])\s+(VGA compatible controller|3D controller|Display controller"
    r"|Processing accelerators|Infiniband controller|Ethernet controller|Co-processor)(?: \[\w{4}\])?:\s+(\S[^\n]{2,160})$",
    re.I,
)
_LINK = re.compile(r"\s*Lnk(Cap|Sta):.{0,60}?Speed ([\d.]{1,5})\s?GT/s[^,]{0,20}, Width x(\d{1,2})")
_GENERATIONS = {2.5: 1, 5.0: 2, 8.0: 3, 16.0: 4, 32.0: 5, 64.0: 6}


def _detects_pci(sheet: Sheet) -> Iterable[Spot]:
    words = ("controller", "accelerators", "lnkcap:", "lnksta:")
    rows = [one for word in words for one in sheet.at(word) if _is_pci(sheet.lines[one])]
    return grown(sheet, sorted(set(rows)), lambda line: _is_pci(line) or line.text.startswith(("\t", "    ")))


def _is_pci(line: Line) -> bool:
    return bool(_PCI.match(line.text) or _LINK.match(line.text))


def _read_pci(block: Block) -> Read:
    return Read(tuple(list(_pci(block))[:ROWS_MAX]))


def _pci(block: Block) -> Iterator[Fact]:
    of: str | None = None
    for line in block.lines:
        if (device := _PCI.match(line.text)) is not None:
            of = f"pci {device[1].lower()}"
            graphics = device[2].lower() in ("vga compatible controller", "3d controller", "display controller",
                                             "processing accelerators", "co-processor")  # fmt: skip
            name = re.sub(r"\s*\(rev \w+\).*", "", device[3])
            yield from stated({"gpu_name" if graphics else "nic_name": name}, line, of)
        elif (link := _LINK.match(line.text)) is not None:
            end = "_max" if link[1] == "Cap" else ""
            generation = _GENERATIONS.get(float(link[2]))
            yield from stated({f"pcie_generation{end}": generation, f"pcie_lanes{end}": int(link[3])}, line, of)


FREE = Format("free", "state", ("mem:", "swap:", "内存"), _detects_free, _read_free)
LSCPU = Format("lscpu", "state", ("socket(s)", "model name", "numa node", "型号名称"), _detects_cpu, _read_cpu)
LSPCI = Format("lspci", "state", ("controller", "accelerators", "lnkcap:", "lnksta:"), _detects_pci, _read_pci)
