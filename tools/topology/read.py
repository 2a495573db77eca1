"""`read_topology`: a pasted matrix or table in; links, groups, problems and actions out."""

from collections.abc import Iterator, Mapping, Sequence

from kb.base import AdvisorError, BadInput
from kb.catalog import gpu as catalog_gpu
from kb.machines.topology import Maker, TopologyFacts, topology_facts
from kb.records.gpu import Gpu
from kb.records.source import Source
from tools.base import Step
from tools.named import read_card
from tools.topology.groups import code_between, groups, pairs, rank
from tools.topology.matrix import Matrix, index_of, plain, read_matrix, read_nvlinks
from tools.topology.problems import ORDER, links_down, of_devices, of_links, of_nics, of_numa
from tools.topology.request import TopologyRequest
from tools.topology.result import Device, Group, Link, NearNic, Process, Topology
from tools.topology.smi import Table, read_table

WIDTH = 16
"""Lanes of a card's slot, unless the text says otherwise."""
MEMORY_APART = 0.3
"""Share by which the memory of the table may differ from the catalog's: drivers and ECC keep some back."""


def read_topology(request: TopologyRequest) -> Topology:
    """Read `nvidia-smi topo -m` and `nvidia-smi`: links, groups for tensor parallelism, problems, what to do.

    AMD's `rocm-smi --showtopo --showproductname` and Ascend's `npu-smi info -t topo` and `npu-smi info` are read too;
    `amd-smi` and tools of other makers are not. Paste the output; several outputs one after the other are read
    together. Says which cards to group, which network card is near, what each link carries, and what is wrong: no peer
    access, bridges, power caps, ECC, other programs.
    """
    text = plain(request.text)
    matrix, table, nvlinks = read_matrix(text), read_table(text), read_nvlinks(text)
    if matrix is None and table is None and not nvlinks:
        raise BadInput(
            "text", "it holds neither a topology matrix nor a table of nvidia-smi, rocm-smi or npu-smi.",
            "Paste the whole output of `nvidia-smi topo -m`, `rocm-smi --showtopo` or `npu-smi info -t topo`, "
            "its first line included.",
        )  # fmt: skip
    given, assumptions = read_card(request.gpu) if request.gpu else (None, ())
    indices = sorted(_indices(matrix, table, nvlinks))
    cards = {index: card for index in indices if (card := given or _card(table, index))}
    devices = tuple(_device(index, matrix, table, cards.get(index)) for index in indices)
    joined = groups(matrix) if matrix else ()
    one_link, slot = _speeds(cards)
    links = tuple(pairs(matrix, one_link, slot)) if matrix else ()
    near = tuple(_near(matrix)) if matrix else ()
    processes = tuple(Process.model_validate(row) for row in (table.processes if table else ()))
    down = {index: sum(speed is None for speed in speeds) for index, speeds in nvlinks.items()}
    width = max((len(one.devices) for one in joined if one.tensor_parallel != "poor"), default=1) if matrix else None
    found = [*of_devices(devices, cards, processes), *links_down(down)]
    if matrix is not None:
        found += [*of_links(matrix, joined, cards, request.tensor_parallel), *of_nics(near), *of_numa(matrix)]
    return Topology(
        driver=table.driver if table else None, cuda=table.cuda if table else None, devices=devices,
        nics=tuple(matrix.nic_names.get(name, name) for name in matrix.nics) if matrix else (), links=links,
        near_nics=near, processes=processes, groups=joined, tensor_parallel=width,
        pipeline_parallel=max(1, len(indices) // width) if width else None,
        all_to_all=bool(links) and all(map(_own_link, links)) if matrix and len(indices) > 1 else None,
        problems=tuple(sorted(found, key=lambda one: ORDER.index(one.severity))),
        actions=tuple(_actions(joined, matrix, near, _maker(matrix, cards, text))),
        derivation=tuple(_steps(links, one_link, slot)),
        assumptions=assumptions, warnings=tuple(_warnings(matrix, indices)), sources=_sources(links),
    )  # fmt: skip


def _indices(matrix: Matrix | None, table: Table | None, nvlinks: Mapping[int, Sequence[float | None]]) -> set[int]:
    rows = {index_of(name) for name in matrix.gpus} if matrix else set()
    return rows | set(table.cards if table else ()) | set(nvlinks)


def _card(table: Table | None, index: int) -> Gpu | None:
    """The catalog row of a card the table names; null when its shortened name fits none."""
    name = table.cards.get(index, {}).get("name") if table else None
    if not name:
        return None
    try:
        card = catalog_gpu(name.removesuffix("...").removesuffix("..").strip())
    except AdvisorError:
        return None
    total = table.cards[index].get("memory_total_bytes") if table else None
    # `Ascend910` is what several generations call themselves; a card of quite another memory is another card.
    return None if total and abs(total / card.memory_bytes - 1) > MEMORY_APART else card


def _own_link(link: Link) -> bool:
    """Whether a pair is joined by a link made for cards, not by PCIe."""
    path = topology_facts().path(link.code)
    return path is not None and path.transfer_ratio is None


def _device(index: int, matrix: Matrix | None, table: Table | None, card: Gpu | None) -> Device:
    found = dict(table.cards.get(index, {})) if table else {}
    name = next((one for one in matrix.gpus if index_of(one) == index), None) if matrix else None
    if matrix and name:
        found |= {"cpu_affinity": matrix.affinity.get(name), "numa_node": matrix.numa.get(name)}
    return Device.model_validate({"index": index, "gpu": card.id if card else None, **found})


def _speeds(cards: Mapping[int, Gpu]) -> tuple[float | None, float | None]:
    """One NVLink and one slot, one direction each, of the slowest card known; null where none is."""
    facts = topology_facts()
    links = [
        row.link_bytes_per_s for card in cards.values() for row in facts.nvlinks
        if card.architecture.startswith(row.architecture)
    ]  # fmt: skip
    slots = [speed for card in cards.values() if (speed := _slot(facts, card)) is not None]
    return min(links, default=None), min(slots, default=None)


def _slot(facts: TopologyFacts, card: Gpu) -> float | None:
    generation = (card.pcie or "").split(".")[0]
    row = next((one for one in facts.pcie_lanes if str(one.generation) == generation), None)
    return row.lane_bytes_per_s * WIDTH if row else None


def _near(matrix: Matrix) -> Iterator[NearNic]:
    for name in matrix.gpus if matrix.nics else ():
        nic = min(matrix.nics, key=lambda other: (rank(code_between(matrix, name, other)), index_of(other)))
        yield NearNic(device=index_of(name), nic=matrix.nic_names.get(nic, nic), code=code_between(matrix, name, nic))


def _maker(matrix: Matrix | None, cards: Mapping[int, Gpu], text: str) -> Maker:
    """Whose cards these are: what the matrix calls them, else the catalog, else the program that printed it."""
    makers = topology_facts().makers
    if matrix and not matrix.gpus[0].upper().startswith("GPU"):
        return makers["Huawei"]
    vendor = next((card.vendor for card in cards.values() if card.vendor in makers), None)
    return makers[vendor or ("AMD" if "Link Type between two GPUs" in text else "NVIDIA")]


def _actions(joined: Sequence[Group], matrix: Matrix | None, near: Sequence[NearNic], maker: Maker) -> Iterator[str]:
    for one in joined:
        if 1 < len(one.devices) < len(matrix.gpus if matrix else ()) and one.tensor_parallel != "poor":
            cards = ",".join(map(str, one.devices))
            yield f"{maker.visible}={cards}  # tensor parallel {len(one.devices)}, joined by {one.code}"
    close = list(dict.fromkeys(one.nic for one in near if rank(one.code).path <= rank("PXB").path))
    if close:
        yield f"NCCL_IB_HCA={','.join(close)}"
    if matrix is not None and len(matrix.gpus) > 1:
        yield f"{maker.all_reduce.format(count=len(matrix.gpus))}  # {maker.tests}: what the links really carry"


def _steps(links: Sequence[Link], one_link: float | None, slot: float | None) -> Iterator[Step]:
    facts = topology_facts()
    for code in dict.fromkeys(one.code for one in links):
        first = next(one for one in links if one.code == code)
        path = facts.path(code)
        if first.bytes_per_s is None or path is None:
            continue
        if first.nvlinks:
            yield Step(label=f"{code}, one direction", formula="links · bytes_per_s of one", value=first.bytes_per_s,
                       inputs={"links": first.nvlinks, "one": one_link}, unit="bytes_per_s",
                       source=facts.nvlinks[0].source)  # fmt: skip
        else:
            yield Step(label=f"{code}, one direction", formula="slot · transfer_ratio", value=first.bytes_per_s,
                       inputs={"slot": slot, "transfer_ratio": path.transfer_ratio}, unit="bytes_per_s",
                       source=facts.transfer_source)  # fmt: skip


def _warnings(matrix: Matrix | None, indices: Sequence[int]) -> Iterator[str]:
    if matrix is None and len(indices) > 1:
        yield (
            "How the cards are joined is not in this text: paste `nvidia-smi topo -m` (`rocm-smi --showtopo`, "
            "`npu-smi info -t topo`) too."
        )
    if matrix is not None and any(one == "N/A" for one in matrix.cells.values()):
        yield "Some cells of the matrix are N/A: the driver could not read that way."


def _sources(links: Sequence[Link]) -> tuple[Source, ...]:
    facts = topology_facts()
    used = [path.source for one in links if (path := facts.path(one.code))]
    if any(one.bytes_per_s and one.nvlinks for one in links):
        used.append(facts.nvlinks[0].source)
    if any(one.bytes_per_s and not one.nvlinks for one in links):
        used += [facts.pcie_lanes[0].source, facts.transfer_source]
    return tuple(facts.sources[key] for key in dict.fromkeys(used))
