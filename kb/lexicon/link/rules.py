"""Links between cards and machines as people write them: x8 · PCIe 3.0 x4 · nvlink bridge · 100GbE · infiniband ndr."""

import re
from functools import lru_cache
from typing import Literal

from kb.base import BadInput, Frozen
from kb.lexicon.text import grammar, plain
from kb.lexicon.words import any_of, meaning, vocabulary
from kb.machines.topology import topology_facts

Kind = Literal["pcie", "nvlink", "infinity_fabric", "hccs", "thunderbolt", "ethernet", "infiniband"]
THUNDERBOLT_BITS_PER_S = 32e9
"""PCIe that Thunderbolt 3, 4 and USB4 carry: four lanes of generation 3."""
OCULINK = (4, 4)
"""Generation and lanes of the usual OCuLink port."""
_GENERATION = grammar(
    r"(?:(?:pci[- ]?e(?:xpress)?|pci express) ?(?:gen)?[ -]?([1-6])(?:\.0)?|gen ?([1-6]))(?![0-9]|x(?![0-9])| ?gb)"
    r"|(?<![\d.])([1-6])\.0(?= ?[x×])"
)
_LANES = grammar(
    r"(?:(?<![a-z0-9])|(?<=[.]0)|(?<=gen[1-6])|(?<=e[1-6]))[x×] ?(1|2|4|8|16)(?![0-9])"
    r"|(?<![0-9])(1|2|4|8|16) ?(?:[x×](?![0-9])|lanes?|条?通道)"
)
_RATE = grammar(r"(?<![\d.])(\d{1,4}(?:\.\d)?) ?(?P<u>gbe|gige|gbit(?:/s)?|gbps|gb/s|g)(?![a-z])")
_BANDWIDTH = grammar(
    r"(?<![\d.])(\d{1,6}(?:\.\d{1,3})?) ?(?P<p>[kmgt]?)i?(?P<u>bytes?|bits?|b)(?:/ ?s(?:ec)?|ps| per second)(?![a-z])"
)
_SMALL_B = re.compile(r"[kKmMgGtT]?i?b ?/ ?s(?![a-z])")
"""Bits, in letters as they were written: 100 Mb/s."""
_WIDTHS = (1, 2, 4, 8, 16)
_ROUNDED = 1.06
"""16 GB/s are said of a slot that moves 15.75."""
_PREFIXES = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
_PATH = grammar(r"(?<![a-z0-9])(nv\d{1,2}|pix|pxb|phb|node|sys)(?![a-z0-9])")
"""Cells of `nvidia-smi topo -m`."""
_RUN = grammar(r"(?<![\d.])(\d{1,2}) ?[-–~,到至] ?(\d{1,2})(?![\d.])")
"""Cards by their numbers: 0-1 · 4-7."""
_PORTS = grammar(r"(?<![\d.])(\d{1,2}) ?[x×*] ?(?=\d{1,3} ?g)")
_GENERATION_OF_LINK = grammar(r"(?:nv ?link|tb|thunderbolt|usb) ?(\d)(?:\.0)?")


class Link(Frozen):
    """How cards or machines are joined."""

    name: str
    """The link in one spelling: `pcie4.0x8`, `nvlink`, `ethernet-100g`, `infiniband-400g`."""
    kind: Kind
    generation: int | None = None
    """Of PCIe, NVLink or Thunderbolt; null = not said."""
    lanes: int | None = None
    """Of PCIe; null = not said."""
    bytes_per_s: float | None = None
    """One direction, of one slot or port, before protocol losses; null = not known from what was said."""
    path: str | None = None
    """Letters of a topology matrix (PIX, PXB, PHB, NODE, SYS, NV4), where they were said; of several the nearest."""
    beyond: str | None = None
    """The farthest of several such letters."""
    together: int | None = None
    """Cards that the nearest path joins, where groups of them were said ("PHB within 0-1 and 2-3"); null = not said."""


def read_link(text: str, field: str = "link") -> Link:
    """The link that `text` names; of two widths ("x8/x4") the narrower, which sets the pace.

    Raises:
        BadInput: it names none.
    """
    words = plain(text)
    if paths := [found[1].upper() for found in _PATH.finditer(words)]:
        near, far = min(paths, key=_order), max(paths, key=_order)
        runs = [int(last) - int(first) + 1 for first, last in _RUN.findall(words) if int(last) > int(first)]
        return Link(
            name=near, kind="nvlink" if near.startswith("NV") else "pcie", path=near,
            beyond=far if _order(far) > _order(near) else None, together=min(runs, default=None),
        )  # fmt: skip
    if _any("none").search(words):
        return _pcie(words) or Link(name="pcie", kind="pcie")
    kind = _kind(words)
    if kind == "oculink":
        return _slot(*OCULINK)
    if kind in {"nvlink", "infinity_fabric", "hccs"}:
        version = _GENERATION_OF_LINK.search(words)
        bridged = "-bridge" if _any("bridges").search(words) and kind == "nvlink" else ""
        return Link(
            name=f"{kind}{bridged}", kind=_checked(kind), generation=int(version[1]) if version else None,
            together=2 if _any("pairs").search(words) else None,
        )  # fmt: skip
    if kind == "thunderbolt":
        version = _GENERATION_OF_LINK.search(words)
        return Link(name="thunderbolt", kind="thunderbolt", bytes_per_s=THUNDERBOLT_BITS_PER_S / 8,
                    generation=int(version[1]) if version else None)  # fmt: skip
    found = _network(words, kind) or _pcie(words) or _stated(words, text)
    if found is None:
        raise BadInput(
            field, f"“{text[:60]}” names no link.", 'Give e.g. "PCIe 4.0 x8", "NVLink", "100GbE", "12 GB/s".'
        )
    return found


def _stated(words: str, text: str) -> Link | None:
    """A bandwidth in numbers, of a link whose kind is not said: the widest slot that moves no more stands for it."""
    rate = _BANDWIDTH.search(words)
    if rate is None:
        return None
    bits = "bit" in rate["u"] or _SMALL_B.search(text) is not None
    per_s = float(rate[1]) * _PREFIXES[rate["p"]] / (8 if bits else 1)
    if not per_s:
        return None
    slots = [(lanes * one.lane_bytes_per_s, one.generation, lanes) for one in topology_facts().pcie_lanes
             for lanes in _WIDTHS]  # fmt: skip
    _, generation, lanes = max((one for one in slots if one[0] <= per_s * _ROUNDED), default=min(slots))
    return Link(name=f"{per_s / 1e9:g}GB/s", kind="pcie", generation=generation, lanes=lanes, bytes_per_s=per_s)


def _order(code: str) -> int:
    """How far a path is: 0 = the nearest."""
    codes = [one.code for one in topology_facts().paths]
    return codes.index("NV" if code.startswith("NV") else code)


def _kind(words: str) -> str | None:
    match = _any("kinds").search(words)
    return str(meaning("link", "kinds", match[0])) if match else None


def _checked(kind: str) -> Kind:
    known: dict[str, Kind] = {"nvlink": "nvlink", "infinity_fabric": "infinity_fabric", "hccs": "hccs"}
    return known[kind]


@lru_cache(maxsize=8)
def _any(kind: str) -> re.Pattern[str]:
    return grammar(any_of(vocabulary("link", kind)))


def _network(words: str, kind: str | None) -> Link | None:
    """A network card's port: its rate said, or that of its generation (NDR)."""
    if kind == "pcie":
        return None
    named = _any("infiniband_rates").search(words)
    common = _any("rates").search(words)
    rate = _RATE.search(words)
    if named:
        bits, kind = meaning("link", "infiniband_rates", named[0]), "infiniband"
    elif rate and (kind or rate["u"] != "gb/s"):
        bits = float(rate[1]) * 1e9
    elif common:
        bits = meaning("link", "rates", common[0])
    elif kind in ("infiniband", "ethernet"):
        return Link(name=kind, kind="infiniband" if kind == "infiniband" else "ethernet")
    else:
        return None
    ports = _PORTS.search(words)
    name: Kind = "infiniband" if kind == "infiniband" else "ethernet"
    total = float(bits) * (int(ports[1]) if ports else 1)
    return Link(name=f"{name}-{total / 1e9:g}g", kind=name, bytes_per_s=total / 8)


def _pcie(words: str) -> Link | None:
    widths = [int(match[1] or match[2]) for match in _LANES.finditer(words)]
    generation = _GENERATION.search(words)
    if not widths and not generation and _kind(words) != "pcie":
        return None
    version = int(next(one for one in generation.groups() if one)) if generation else None
    return _slot(version, min(widths, default=None))


def _slot(generation: int | None, lanes: int | None) -> Link:
    rate = next((one.lane_bytes_per_s for one in topology_facts().pcie_lanes if one.generation == generation), None)
    name = "pcie" + (f"{generation}.0" if generation else "") + (f"x{lanes}" if lanes else "")
    speed = rate * lanes if rate and lanes else None
    return Link(name=name, kind="pcie", generation=generation, lanes=lanes, bytes_per_s=speed)
