"""Links between cards: `topo -m` of NVIDIA, AMD and Ascend, `nvidia-smi nvlink -s`."""

import re
from collections.abc import Iterable, Iterator

from kb.artifacts.amounts import number
from kb.artifacts.artifact import Block, Fact, Format, Read, Spot
from kb.artifacts.sheet import Line, Sheet
from kb.artifacts.state.tables import grown, stated

DEVICES_MAX = 128
CODE = re.compile(
    r"^(?:X|NV\d{1,3}|PIX|PXB|PHB|NODE|SYS|SOC|HCCS|HCCS_SW|SIO|UB|XGMI|PCIE|P2P|PSB|N/?A|OK|NS|CNS|GNS|TNS)$", re.I
)
NAME = re.compile(r"^(GPU|NIC|NPU|Phy-ID|mlx\d{1,2}_|rdma)(\d{1,3})$", re.I)
_AFFINITY = re.compile(r"^\d{1,4}(?:-\d{1,4})?(?:,\d{1,4}(?:-\d{1,4})?){0,31},?$")
_OLD = {"SOC": "SYS", "PSB": "PIX", "NA": "N/A"}
"""Older or other makers' letters for the same ways."""
_LEGEND = re.compile(
    r"^\s{0,8}(?:Legend:|NIC Legend:|NIC\d{1,3}:|X\s+= |SYS\s+= |NODE\s+= |PHB\s+= |PXB\s+= |PIX\s+= |NV#\s+= )"
)
_GPU = re.compile(r"^\s{0,8}GPU (\d{1,3}):")
_LINK = re.compile(r"^\s{0,12}Link (\d{1,2}):\s{0,8}(?:<?(inactive)>?|(\d{1,4}(?:\.\d{1,4})?)\s?GB/s)", re.I)


def _words(line: Line) -> list[str]:
    return line.text.replace("|", " ").split()


def _header(line: Line) -> list[str]:
    """Names of the columns, where the line is the header of a matrix."""
    words = _words(line)
    found = [word for word in words if NAME.match(word)]
    return (
        found[:DEVICES_MAX] if found and words[0] == found[0] and not any(CODE.match(one) for one in words[1:]) else []
    )


def _is_row(line: Line) -> bool:
    words = _words(line)
    return bool(words) and (
        (bool(NAME.match(words[0])) and len(words) > 1 and bool(CODE.match(words[1]) or words[1] == "0"))
        or bool(_LEGEND.match(line.text))
    )


def _detects(sheet: Sheet) -> Iterable[Spot]:
    heads = [one for word in ("gpu0", "npu0", "phy-id0") for one in sheet.at(word) if _header(sheet.lines[one])]
    return (spot for spot in grown(sheet, sorted(heads), _is_row, gap=3, up=False) if spot.last > spot.first)


def _read(block: Block) -> Read:
    header = next((found for line in block.lines if (found := _header(line))), [])
    facts = [fact for line in block.lines[1:] for fact in _row(header, line)]
    return Read(tuple(facts))


def _row(header: list[str], line: Line) -> Iterator[Fact]:
    words = _words(line)
    if not words or not NAME.match(words[0]):
        legend = re.match(r"\s*(NIC\d{1,3}):\s{0,8}(\S{1,64})", line.text)
        if legend:
            yield from stated({"nic_name": legend[2]}, line, legend[1].lower())
        return
    codes = []
    for word in words[1 : len(header) + 1]:
        plain = "X" if word == "0" and header[len(codes)] == words[0] else word
        if not CODE.match(plain):
            break
        codes.append(_OLD.get(plain.upper(), plain.upper()))
    name = _named(words[0])
    for column, code in zip(header, codes, strict=False):
        if code != "X":
            yield from stated({"link": code}, line, f"{name} - {_named(column)}")
    rest = words[1 + len(codes) :]
    if rest and _AFFINITY.match(rest[0]):
        yield from stated({"cpu_affinity": rest[0]}, line, name)
        numa = next((one for one in rest[1:3] if one.isdecimal()), None)
        if numa is not None:
            yield from stated({"numa_node": int(numa)}, line, name)


def _named(word: str) -> str:
    match = NAME.match(word)
    if match is None:
        return word.lower()
    return f"gpu {int(match[2])}" if match[1].upper() in ("GPU", "NPU", "PHY-ID") else word.lower()


def _detects_links(sheet: Sheet) -> Iterable[Spot]:
    rows = [one for one in sheet.at("link ") if _LINK.match(sheet.lines[one].text)]
    return grown(sheet, rows, lambda line: bool(_LINK.match(line.text) or _GPU.match(line.text)))


def _read_links(block: Block) -> Read:
    of, facts = "gpu 0", []
    for line in block.lines:
        if (gpu := _GPU.match(line.text)) is not None:
            of = f"gpu {gpu[1]}"
            name = re.match(r"\s*GPU \d+:\s*([^(]{2,60})", line.text)
            facts += stated({"gpu_name": name[1].strip() if name else None}, line, of)
        elif (row := _LINK.match(line.text)) is not None:
            speed = number(row[3]) if row[3] else None
            value = {"nvlink_bytes_per_s": speed * 1e9} if speed else {"nvlink_down": True}
            facts += stated(value, line, f"{of} link {row[1]}")
    return Read(tuple(facts))


FORMAT = Format("topology_matrix", "state", ("gpu0", "npu0", "phy-id0"), _detects, _read, weight=1)
LINKS = Format("nvlink_status", "state", ("link 0", "link 1"), _detects_links, _read_links, weight=1)
