"""Claims about servers."""

import re
from collections.abc import Callable

from judging.ruling import COUNT, NUMBER, Ruling

from kb.catalog import server, servers
from kb.records.server import Server
from tools.find_gpus import GpuQuery, find_gpus
from tools.lookup import look_up


def by_machine(subject: str, attribute: str, value: str, claim: str) -> Ruling | None:
    """Properties of a server; one that does not exist holds none."""
    board = re.fullmatch(r"HGX[ -](.+)", subject, re.IGNORECASE)
    if board and attribute in ("gpus", "gpu", "gpu count"):
        return _board(board[1], value)
    meaning = look_up(subject)
    if meaning.kind != "server":
        machine = re.search(r"(?:Dell|PowerEdge|SYS-|AS-|HPE|Apollo|ProLiant|DGX|Inspur|Supermicro)", subject)
        return Ruling("contradicted", f"nearest: {meaning.nearest}") if machine and meaning.kind is None else None
    held = server(subject)
    rule = MACHINE.get(attribute.split(" /")[0])
    return rule(held, value) if rule else None


WORDS = {"one": "1x", "two": "2x", "four": "4x", "eight": "8x", "sixteen": "16x"}


def _gpus_of(held: Server, value: str) -> Ruling:
    first, _, rest = value.partition(" ")
    value = f"{WORDS[first.lower()]} {rest}" if rest and first.lower() in WORDS else value
    counted = COUNT.match(re.sub(r"\s*\(.*|\s*,.*", "", value))
    number = int(counted[1] or counted[4]) if counted else int(value) if value.isdigit() else None
    card = (counted[2] or counted[3]) if counted else ""
    takes = {held.takes(one) for one in look_up(card).ids} if card else {held.max_gpus}
    found = f"{held.name}: {held.gpu_text}, {held.max_gpus}"
    if not any(takes):
        return Ruling("contradicted", found)
    return Ruling("holds" if number in takes else "partly" if number and number < max(takes) else "contradicted", found)


def _board(card: str, value: str) -> Ruling:
    """A board of SXM modules: as many as a server that takes the card holds."""
    counts = {one.takes(key) for one in servers().values() for key in look_up(card).ids} - {0}
    number = NUMBER.search(value)
    return Ruling("holds" if number and int(number[1]) in counts else "contradicted", f"{counts}")


def _network_of(held: Server, value: str) -> Ruling:
    said, rates = ([int(one) for one in re.findall(r"(\d{2,4})\s*Gb", text)] for text in (value, held.network or ""))
    if not rates:
        return Ruling("unknown", f"{held.network}")
    return Ruling("holds" if said and said[0] == max(rates) else "contradicted", f"{held.network}")


def _cooling_of(held: Server, value: str) -> Ruling:
    if held.cooling is None:
        return Ruling("unknown", f"cooling of {held.name}")
    cooling = held.cooling.lower()
    kinds = {kind for kind in ("air", "liquid", "refrigerant", "water") if kind in cooling}
    wanted = (
        "liquid"
        if value.lower() in ("liquid", "液冷")
        else "air"
        if value.lower() in ("air", "风冷")
        else value.lower()
    )
    if wanted not in kinds:
        return Ruling("contradicted", cooling)
    return Ruling("holds" if len(kinds) == 1 else "partly", cooling)


def _memory_of(held: Server, value: str) -> Ruling:
    said = float(NUMBER.search(value)[1])  # type: ignore[index]
    totals = {
        one.memory_bytes / 2**30 * held.takes(one.id) for one in find_gpus(GpuQuery(names=held.gpus, limit=50)).gpus
    }
    return Ruling("holds" if said in totals else "contradicted", f"{totals}")


def _pcie_of(held: Server, value: str) -> Ruling:
    most = max(float((one.pcie or "0").split("/")[0]) for one in find_gpus(GpuQuery(names=held.gpus, limit=50)).gpus)
    return Ruling("holds" if float(NUMBER.search(value)[1]) <= most else "contradicted", f"cards of PCIe {most}")  # type: ignore[index]


def _form_of(held: Server, value: str) -> Ruling:
    return Ruling("holds" if value.lower() in held.gpu_form_factor.lower() else "contradicted", held.gpu_form_factor)


MACHINE: dict[str, Callable[[Server, str], Ruling]] = {
    "gpus": _gpus_of, "gpu": _gpus_of, "gpu count": _gpus_of, "existence": lambda held, value: Ruling("holds", held.id),
    "network": _network_of, "cooling": _cooling_of, "spec": _memory_of, "gpu memory": _memory_of, "pcie": _pcie_of,
    "module type": _form_of, "form factor": _form_of,
    "height": lambda held, value: Ruling(
        "holds" if held.rack_units == int(NUMBER.search(value)[1]) else "contradicted", f"{held.rack_units}U"  # type: ignore[index]
    ),
}  # fmt: skip
