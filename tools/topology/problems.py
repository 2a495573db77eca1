"""What in a reading costs speed or reliability, and what to do about it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from kb.machines.topology import topology_facts
from kb.records.gpu import Gpu
from kb.units import format_bytes
from tools.topology.groups import nvlinks, rank
from tools.topology.matrix import Matrix, index_of
from tools.topology.result import Device, Group, NearNic, Problem, Process, Severity

ORDER: tuple[Severity, ...] = ("error", "warning", "note")
PROGRAMS_NAMED = 3


def problem(kind: str, devices: Sequence[int], **figures: object) -> Problem:
    """A problem in the words the facts have for its kind."""
    wording = topology_facts().problems[kind]
    said = {key: getattr(wording, key).format(**figures) for key in ("detail", "action", "detail_zh", "action_zh")}
    return Problem(kind=kind, severity=wording.severity, devices=tuple(devices), **said)


def of_devices(devices: Sequence[Device], cards: Mapping[int, Gpu], processes: Sequence[Process]) -> Iterator[Problem]:
    """What the table shows of each card."""
    limits = topology_facts().limits
    for one in devices:
        at, card = [one.index], cards.get(one.index)
        if one.fallen_off:
            yield problem("card_fallen_off", at, gpu=one.index)
        if one.health and one.health.upper() not in {"OK", "NORMAL"}:
            yield problem("unhealthy", at, gpu=one.index, state=one.health)
        if one.ecc_errors:
            yield problem("ecc_errors", at, gpu=one.index, count=one.ecc_errors)
        if card and card.tdp_w and one.power_cap_w and one.power_cap_w < limits.capped_ratio * card.tdp_w:
            yield problem("power_capped", at, gpu=one.index, cap=f"{one.power_cap_w:g}", tdp=card.tdp_w)
        if one.temperature_c and one.temperature_c >= limits.hot_c:
            yield problem("hot", at, gpu=one.index, temperature=f"{one.temperature_c:g}")
        if one.mig:
            yield problem("mig_on", at, gpu=one.index)
        yield from _taken(one, [process for process in processes if process.device == one.index])
    if off := [one.index for one in devices if one.persistence is False]:
        yield problem("persistence_off", off, gpu=", ".join(map(str, off)))
    names = Counter(one.name for one in devices if one.name)
    if len(names) > 1:
        said = ", ".join(f"{count} × {name}" for name, count in names.items())
        yield problem("mixed_cards", [one.index for one in devices], names=said)


def _taken(one: Device, mine: Sequence[Process]) -> Iterator[Problem]:
    used, total = one.memory_used_bytes, one.memory_total_bytes
    if used is None or not total or used < topology_facts().limits.held_ratio * total:
        return
    who = ", ".join(f"{process.name} (pid {process.pid})" for process in mine[:PROGRAMS_NAMED])
    yield problem("taken" if mine else "taken_unseen", [one.index], gpu=one.index, used=format_bytes(used),
                  total=format_bytes(total), who=who)  # fmt: skip


def links_down(down: Mapping[int, int]) -> Iterator[Problem]:
    """Cards with NVLinks that are down, and how many."""
    return (problem("link_down", [index], gpu=index, count=count) for index, count in down.items() if count)


def of_links(
    matrix: Matrix, groups: Sequence[Group], cards: Mapping[int, Gpu], wanted: int | None
) -> Iterator[Problem]:
    """What the ways between the cards cost."""
    names = matrix.gpus
    codes = {(a, b): matrix.cells.get((a, b), "N/A") for position, a in enumerate(names) for b in names[position + 1 :]}
    linked = {pair: nvlinks(code) for pair, code in codes.items() if nvlinks(code)}
    if linked and len(set(linked.values())) > 1:
        least, most = min(linked.values()), max(linked.values())
        weak = _named(pair for pair, count in linked.items() if count == least)
        yield problem("uneven_links", weak, least=least, most=most)
    yield from _bridges(codes, linked, cards)
    widest = max((len(one.devices) for one in groups if one.tensor_parallel != "poor"), default=1)
    if wanted and widest < wanted <= len(names):
        yield problem("too_wide", _named(codes), wanted=wanted, widest=widest)
    far = [pair for pair, code in codes.items() if code == "SYS"]
    if far:
        yield problem("cross_socket", _named(far), count=len(far), pairs=len(codes))
    if codes and not linked and all(rank(code).path >= rank("PHB").path for code in codes.values()):
        yield problem("no_direct_link", _named(codes))


def _named(pairs: Iterable[tuple[str, str]]) -> list[int]:
    return sorted({index_of(name) for pair in pairs for name in pair})


def _bridges(
    codes: Mapping[tuple[str, str], str], linked: Mapping[tuple[str, str], int], cards: Mapping[int, Gpu]
) -> Iterator[Problem]:
    """Cards that have NVLink by their data sheet but show none."""
    shown, joined = set(_named(codes)), set(_named(linked))
    alone = [
        index for index, card in cards.items()
        if card.vendor == "NVIDIA" and card.nvlink_bytes_per_s and index in shown - joined
    ]  # fmt: skip
    if len(alone) > 1:
        board = any(cards[index].form_factor.upper().startswith("SXM") for index in alone)
        yield problem("fabric_down" if board else "bridge_missing", alone)


def of_nics(near: Sequence[NearNic]) -> Iterator[Problem]:
    """Cards whose nearest network card is behind a processor."""
    far = [one for one in near if rank(one.code).path > rank("PXB").path]
    if far:
        yield problem("nic_far", [one.device for one in far], count=len(far), code=far[0].code)


def of_numa(matrix: Matrix) -> Iterator[Problem]:
    """Cards on several NUMA nodes."""
    nodes = {matrix.numa[name] for name in matrix.gpus if name in matrix.numa}
    if len(nodes) > 1:
        yield problem("numa_unset", [index_of(name) for name in matrix.gpus], count=len(nodes))
