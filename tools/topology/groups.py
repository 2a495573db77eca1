"""Which cards belong together: cliques over the best ways first."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kb.machines.topology import topology_facts
from tools.topology.matrix import Matrix, index_of
from tools.topology.result import Group, Link


class Rank(NamedTuple):
    """How near two cards are: lower is nearer."""

    path: int
    fewer_links: int


def rank(code: str) -> Rank:
    """The place of a code in the order of ways; more NVLinks are nearer; what is unknown comes last."""
    codes = [one.code for one in topology_facts().paths]
    kind = "NV" if code.startswith("NV") else code
    return Rank(codes.index(kind) if kind in codes else len(codes), -nvlinks(code))


def nvlinks(code: str) -> int:
    """Links in `NV12`: 12."""
    return int(code[2:]) if code.startswith("NV") and code[2:].isdecimal() else 0


def groups(matrix: Matrix) -> tuple[Group, ...]:
    """Every card once, with those it reaches best: connected over the best way, then all to all within.

    A chain over NVLink is no group: each member must reach each other that way.
    """
    left, found = list(matrix.gpus), []
    for kind in [one.code for one in topology_facts().paths]:
        while clique := _largest(matrix, left, kind):
            found.append(_group(matrix, clique))
            left = [name for name in left if name not in clique]
    found += [Group(devices=(index_of(name),), code="X", tensor_parallel="good") for name in left]
    return tuple(sorted(found, key=lambda one: (-len(one.devices), rank(one.code), one.devices)))


def _largest(matrix: Matrix, names: Sequence[str], kind: str) -> list[str]:
    """A largest set of cards that reach each other at least as well as `kind`; empty when no two do.

    Greedy from each card: exact on the regular machines there are, and bounded on those there are not.
    """
    worst = next(index for index, one in enumerate(topology_facts().paths) if one.code == kind)
    best: list[str] = []
    for start in names:
        members = [start]
        for name in names:
            if name != start and all(rank(_code(matrix, name, other)).path <= worst for other in members):
                members.append(name)
        if len(members) > len(best):
            best = members
    return sorted(best, key=index_of) if len(best) > 1 else []


def _code(matrix: Matrix, a: str, b: str) -> str:
    return matrix.cells.get((a, b)) or matrix.cells.get((b, a)) or "N/A"


def _group(matrix: Matrix, names: Sequence[str]) -> Group:
    codes = [_code(matrix, a, b) for position, a in enumerate(names) for b in names[position + 1 :]]
    worst = max(codes, key=rank)
    path = topology_facts().path(worst)
    return Group(devices=tuple(index_of(name) for name in names), code=worst,
                 tensor_parallel=path.tensor_parallel if path else "poor")  # fmt: skip


def pairs(matrix: Matrix, link_bytes_per_s: float | None, slot_bytes_per_s: float | None) -> Iterator[Link]:
    """Every pair of cards with its way and what it carries in one direction."""
    names = matrix.gpus
    for position, a in enumerate(names):
        for b in names[position + 1 :]:
            code = _code(matrix, a, b)
            yield Link(a=a, b=b, code=code, nvlinks=nvlinks(code),
                       bytes_per_s=_speed(code, link_bytes_per_s, slot_bytes_per_s))  # fmt: skip


def _speed(code: str, link_bytes_per_s: float | None, slot_bytes_per_s: float | None) -> float | None:
    if count := nvlinks(code):
        return count * link_bytes_per_s if link_bytes_per_s else None
    path = topology_facts().path(code)
    if path is None or path.transfer_ratio is None or slot_bytes_per_s is None:
        return None
    return path.transfer_ratio * slot_bytes_per_s


def code_between(matrix: Matrix, a: str, b: str) -> str:
    """The way between two devices, whichever row has it."""
    return _code(matrix, a, b)
