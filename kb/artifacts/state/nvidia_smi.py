"""The table of `nvidia-smi`."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator

from kb.artifacts.amounts import number, ratio, size_bytes
from kb.artifacts.artifact import Block, Fact, Format, Read, Spot
from kb.artifacts.logs.joined import Joined
from kb.artifacts.sheet import Line, Sheet
from kb.artifacts.state.tables import ROWS_MAX, grown, stated

_BORDER = re.compile(r"\s*(?:\+[-=+|\s]{6,}|\|[-=+|]{6,}|[-=+|]{12,})\s*$")
_MEMORY = re.compile(r"\d{1,7}\s?MiB\s?/\s{0,6}\d{1,7}\s?MiB", re.IGNORECASE)
_WATTS = re.compile(r"\d{1,3} ?C {1,6}P\d{1,2} {1,14}\d{1,5} ?W ?/ {0,5}\d{1,5} ?W", re.IGNORECASE)
_DAY = re.compile(r"\s*[A-Z][a-z]{2}\s[A-Z][a-z]{2}\s{1,2}\d{1,2}\s\d{2}:\d{2}:\d{2}\s\d{4}\s*$")
_HEADER = {
    "tool_version": re.compile(r"NVIDIA-SMI\s{0,4}([\d.]{3,16})", re.IGNORECASE),
    "driver_version": re.compile(r"(?:Driver|KMD) Version\s?:\s{0,4}([\d.]{3,16})", re.IGNORECASE),
    "cuda_version": re.compile(r"CUDA (?:UMD )?Version\s?:\s{0,4}([\d.]{2,8})", re.IGNORECASE),
}
_NAME = re.compile(
    r"(?:^|[|\s])(?P<index>\d{1,3}) +(?P<name>(?:NVIDIA|Tesla|GeForce|Quadro|Graphics|RTX|GRID|[A-Z])[^|]{1,60}?)"
    r"(?: +(?P<persistence>On|Off|N/A|WDDM|TCC|MCDM))? ?\|? ?(?P<bus>[0-9A-F]{4,8}:[0-9A-F]{2}:[0-9A-F]{2}\.\d) +"
    r"(?P<display>On|Off|N/A) ?\|? ?(?P<ecc>\d{1,9}|Off|N/A|ERR!)?",
    re.IGNORECASE,
)
_STATS = re.compile(
    r"(?P<fan>N/A|ERR!|\d{1,3} ?%|\[[^]]{1,20}\]) +(?P<temperature>N/A|ERR!|\d{1,3}) ?°?C?"
    r" +(?P<state>P\d{1,2}|N/A|ERR!) +(?P<power>\d{1,5} ?W|N/A|ERR!|Unknown(?: Error)?) ?/"
    r" ?(?P<limit>\d{1,5} ?W|N/A|ERR!)"
    r"(?: ?\|? ?(?P<used>\d{1,7}) ?Mi ?B ?/ ?(?P<total>\d{1,7}) ?Mi? ?i?B ?\|? ?(?P<use>\d{1,3} ?%|N/A|ERR!)?"
    r"(?: +(?P<mode>Default|E\. ?Process|Exclusive_Process|Prohibited))?)?",
    re.IGNORECASE,
)
"""A card's second line; a quotation of it may end after the watts."""
_MIG = re.compile(r"\| \| (?:\| )?(Enabled\*?|Disabled\*?) \|", re.IGNORECASE)
_PROCESS = re.compile(
    r"\| {0,4}(?P<gpu>\d{1,3}) +(?:(?P<gi>N/A|\d{1,3}) +(?P<ci>N/A|\d{1,3}) +)?(?P<pid>\d{1,10}) +(?P<type>[CGM+]{1,5}) +"
    r"(?P<name>[^|]{1,160}?) +(?P<used>\d{1,7} ?MiB|N/A|Insufficient Permissions) ?\|?",
    re.IGNORECASE,
)
_DEVICE = re.compile(
    r"\| {0,4}(?P<gpu>\d{1,3}) +(?P<gi>\d{1,3}) +(?P<ci>\d{1,3}) +(?P<dev>\d{1,3}) ?\| ?(?P<used>\d{1,7}) ?MiB ?/ ?"
    r"(?P<total>\d{1,7}) ?MiB ?\|",
    re.IGNORECASE,
)


def _detects(sheet: Sheet) -> Iterable[Spot]:
    anchors = sorted({*sheet.at("nvidia-smi 1"), *sheet.at("driver version"), *_stat_lines(sheet)})
    tables = [one for one in anchors if _is_row(sheet.lines[one])]
    yield from grown(sheet, tables, _is_row, gap=2)


def _stat_lines(sheet: Sheet) -> list[int]:
    rows = [index for index in sheet.at("mib") if _MEMORY.search(sheet.lines[index].text)]
    return rows + [index for index in sheet.at_any(("w / ", "w/ ")) if _WATTS.search(sheet.lines[index].text)]


def _is_row(line: Line) -> bool:
    text = line.text.strip()
    return (
        (text[:1] in "|+" and text != "")
        or bool(_BORDER.match(text))
        or bool(_DAY.match(text))
        or bool(_MEMORY.search(text))
    )


def _read(block: Block) -> Read:
    joined = Joined(block.lines)
    facts = [*_header(joined), *_cards(joined), *_processes(joined)]
    return Read(tuple(sorted(facts[:ROWS_MAX], key=lambda one: one.line)))


def _header(joined: Joined) -> Iterator[Fact]:
    for name, pattern in _HEADER.items():
        if (match := pattern.search(joined.text)) is not None:
            yield from stated({name: match[1]}, joined.lines[joined.index(match.start(1))])


def _cards(joined: Joined) -> Iterator[Fact]:
    names = list(_NAME.finditer(joined.text))
    for match in names:
        line, of = joined.lines[joined.index(match.start("index"))], f"gpu {int(match['index'])}"
        persistence = (match["persistence"] or "").lower()
        ecc = match["ecc"] or ""
        yield from stated(
            {
                "gpu_name": match["name"].strip(" .|"), "bus_id": match["bus"].upper(),
                "persistence": {"on": True, "off": False}.get(persistence),
                "ecc": False if ecc.lower() == "off" else True if ecc.isdecimal() else None,
                "ecc_errors": int(ecc) if ecc.isdecimal() else None,
            }, line, of,
        )  # fmt: skip
    starts = [one.start() for one in names]
    for place, match in enumerate(_STATS.finditer(joined.text)):
        before = bisect_left(starts, match.start())
        of = f"gpu {int(names[before - 1]['index'])}" if before else f"gpu {place}"
        yield from stated(
            {
                "fan": ratio(match["fan"]), "temperature": number(match["temperature"]),
                "performance_state": match["state"].upper() if match["state"][0] in "Pp" else None,
                "power_w": number(match["power"].rstrip("Ww ")), "power_limit_w": number(match["limit"].rstrip("Ww ")),
                "memory_used_bytes": size_bytes(match["used"] or "", "MiB"),
                "memory_total_bytes": size_bytes(match["total"] or "", "MiB"),
                "utilisation": ratio(match["use"]) if match["use"] else None,
                "compute_mode": match["mode"], "card_lost": True if "ERR!" in match[0].upper() else None,
            }, joined.lines[joined.index(match.start())], of,
        )  # fmt: skip
        after = starts[before] if before < len(starts) else len(joined.text)
        mig = _MIG.search(joined.text, match.end(), min(match.end() + 260, after))
        if mig is not None:
            yield from stated({"mig": mig[1][0] in "Ee"}, joined.lines[joined.index(mig.start(1))], of)


def _processes(joined: Joined) -> Iterator[Fact]:
    if (none := re.search(r"No running processes found", joined.text, re.IGNORECASE)) is not None:
        yield from stated({"process_count": 0}, joined.lines[joined.index(none.start())])
    for match in _DEVICE.finditer(joined.text):
        of = f"gpu {match['gpu']} mig {match['gi']}"
        rows = {
            "memory_used_bytes": size_bytes(match["used"], "MiB"),
            "memory_total_bytes": size_bytes(match["total"], "MiB"),
        }
        yield from stated(rows, joined.lines[joined.index(match.start("gi"))], of)
    for match in _PROCESS.finditer(joined.text):
        line, of = joined.lines[joined.index(match.start("pid"))], f"gpu {match['gpu']} pid {match['pid']}"
        used = size_bytes(match["used"]) if match["used"][0].isdecimal() else None
        yield from stated({"process_name": match["name"].strip(), "process_memory_bytes": used}, line, of)


FORMAT = Format("nvidia_smi", "state", ("nvidia-smi", "mib", "w / ", "w/ "), _detects, _read)
