"""Servers: how many of which cards they take, how they are cooled and linked; and the same of cards in them."""

import re
from collections.abc import Iterator
from functools import lru_cache

from ingest.claims.facts import cards, shared_name
from ingest.claims.finding import Finding
from ingest.claims.reading import Clause, rigs_in
from kb.catalog import gpus, servers, sources
from kb.naming.names import Mention, Names
from kb.records.server import Server

_LIQUID = re.compile(r"液冷|水冷|liquid|water[- ]cool", re.IGNORECASE)
_MUST = re.compile(
    r"(?:必须|需要?|要求|务必|只能|仅支持|must|requires?|needs?|only)(?:(?!不|无|not |no )[^。；;]){0,14}"
    r"(?:液冷|水冷|liquid|water)",
    re.IGNORECASE,
)
_LIQUID_RATED = re.compile(r"\d\s*W\s*[(（]\s*(?:液冷|水冷|liquid)", re.IGNORECASE)
_OPTIONAL = re.compile(r"可选|支持液冷|技术可|选项|optional|option\b|available", re.IGNORECASE)
_AIR_LIMIT = re.compile(
    r"(?:风冷|air[- ]cool\w*)[^。；;]{0,24}?(?:<|≤|小于|不超过|以下|below|under|up to)\s*(\d{2,4})\s*W"
    r"|(\d{2,4})\s*W\s*[(（]\s*(?:风冷极限|风冷上限|air[- ]cooling limit)",
    re.IGNORECASE,
)
_ANY_CARDS = re.compile(
    r"(\d{1,2})\s*(?:张|块|[x×]|个|片)?\s*(?:双宽|全高|双槽|double[- ]wide|dual[- ]slot|full[- ]height)?\s*(?:的)?"
    r"(?:GPUs?|显卡|加速卡|cards?\b)(?!\s*显存)",
    re.IGNORECASE,
)
_AIR = re.compile(r"风冷|air[- ]cool", re.IGNORECASE)
_USUALLY = re.compile(r"通常|一般|多数|往往|typically|usually|generally|\bmost\b", re.IGNORECASE)
_NETWORK = re.compile(r"(\d{2,3})\s*Gb(?:/s|ps|E)?", re.IGNORECASE)
_FABRIC = re.compile(r"infiniband|\bIB\b|roce|rdma", re.IGNORECASE)
_INNER = re.compile(
    r"^\s*(?:[x×]\s*\d+)?\s*[(（]\s*(?:InfiniBand|IB|RoCE|以太网|Ethernet)\s*(?:互联|互连|interconnect)", re.IGNORECASE
)
NODE_MAX = 8
NEAR = 40


@lru_cache(maxsize=1)
def server_names() -> Names:
    """Names of every server of the catalog."""
    return Names("server", {row.id: tuple(_spellings(row)) for row in servers().values()})


def _spellings(server: Server) -> Iterator[str]:
    """The name without what stands in brackets, with and without its maker."""
    short = re.sub(r"\s*\(.*?\)", "", server.name).strip()
    for name in (server.name, short, *server.aliases):
        yield name
        yield f"{server.vendor} {name}"


def machine_findings(clause: Clause) -> Iterator[Finding]:
    """Judge what the clause says of servers, and of the cooling and links of cards."""
    for mention in _named(clause.text):
        yield from _server(clause, servers()[mention.ids[0]], mention)
    if clause.cells and clause.text != clause.cells[0]:
        for mention in _named(clause.cells[0])[:1]:
            yield from _cell(clause, servers()[mention.ids[0]])
    yield from _cooling(clause)
    yield from _air_limit(clause)
    yield from _fabric(clause)
    yield from _inner_link(clause)
    yield from _pcie_cards(clause)


def _named(text: str) -> list[Mention]:
    return [one for one in server_names().scan(text) if one.exact and len(one.ids) == 1]


def _cell(clause: Clause, server: Server) -> Iterator[Finding]:
    """What a row whose first cell names a server says of its cards and its cooling."""
    rigs = rigs_in(clause.text, clause.line)
    if len(rigs) == 1 and server.gpus and not _is_older(clause, server):
        names = ", ".join(gpus()[key].name for key in server.gpus)
        fits = rigs[0].count <= server.max_gpus and bool(set(rigs[0].gpus) & set(server.gpus))
        yield _finding(clause, server, "GPUs", rigs[0].text, fits, f"up to {server.max_gpus} of: {names}")
    said = [name for name, words in (("liquid", _LIQUID), ("air", _AIR)) if words.search(clause.text)]
    if len(said) == 1 and server.cooling in {"air", "liquid"} and not _OPTIONAL.search(clause.text):
        yield _finding(clause, server, "cooling", said[0], said[0] == server.cooling, f"cooling: {server.cooling}")


def _server(clause: Clause, server: Server, mention: Mention) -> Iterator[Finding]:
    after = clause.text[mention.end :]
    if re.match(r"\s*(?:集群|机群|cluster|pod)", after, re.IGNORECASE) or _is_older(clause, server):
        return
    for rig in rigs_in(after, clause.line)[:1]:
        if not server.gpus:
            break
        fits = rig.count <= server.max_gpus
        takes = bool(set(rig.gpus) & set(server.gpus))
        names = ", ".join(gpus()[key].name for key in server.gpus)
        yield _finding(
            clause, server, "GPUs", rig.text, fits and takes,
            f"up to {server.max_gpus} of: {names}",
        )  # fmt: skip
    around = clause.text[max(0, mention.start - NEAR) : mention.end + NEAR]
    for match in _ANY_CARDS.finditer(around):
        if not rigs_in(after, clause.line) and 2 <= int(match[1]) <= 16:
            fits = int(match[1]) <= server.max_gpus
            yield _finding(clause, server, "GPUs", match[0], fits, f"at most {server.max_gpus} GPUs")
    if _LIQUID.search(after) and server.cooling and not _OPTIONAL.search(after):
        holds = bool(re.search(r"liquid|water|dlc|oem", server.cooling, re.IGNORECASE))
        yield _finding(clause, server, "cooling", "liquid", holds, f"cooling: {server.cooling}")
    elif _AIR.search(after) and (server.cooling or "").startswith("liquid") and not _OPTIONAL.search(after):
        yield _finding(clause, server, "cooling", "air", False, f"cooling: {server.cooling}")
    speed = _NETWORK.search(after)
    reference = _NETWORK.search(server.network or "")
    if speed and reference and _FABRIC.search(after):
        yield _finding(clause, server, "network", speed[0], speed[1] == reference[1], f"network: {server.network}")
    pcie = re.search(r"PCIe\s*(?:Gen\s*)?([3-6])(?:\.0)?", after, re.IGNORECASE)
    if pcie and server.gpus:
        newest = max(int((gpus()[key].pcie or "0")[0]) for key in server.gpus)
        if newest:
            yield _finding(clause, server, "PCIe", pcie[0], int(pcie[1]) <= newest, f"its GPUs link at PCIe {newest}.0")


def _is_older(clause: Clause, server: Server) -> bool:
    """Whether the clause means an earlier machine of the same name, built around earlier cards."""
    named = [card.year for rig in rigs_in(clause.text, clause.line) for card in cards(rig.gpus) if card.year]
    built = [year for key in server.gpus if (year := gpus()[key].year)]
    return bool(named and built and max(named) < min(built))


def _finding(clause: Clause, server: Server, attribute: str, claimed: str, holds: bool, correct: str) -> Finding:
    vouching = next((sources()[key].title for key in server.sources if key in sources()), None)
    return clause.finding(
        subject=server.name,
        attribute=attribute,
        claimed_value=claimed,
        verdict="holds" if holds else "wrong",
        correct_value=correct,
        source=vouching,
    )


def _about_card(
    clause: Clause, ids: tuple[str, ...], text: str, attribute: str, claimed: str, holds: bool, by: Server, correct: str
) -> Finding:
    return _finding(clause, by, attribute, claimed, holds, correct).model_copy(
        update={"subject": shared_name(ids, text)}
    )


def air_cooled(ids: tuple[str, ...]) -> list[Server]:
    """Servers on sale that cool these cards with air alone."""
    return [
        row
        for row in servers().values()
        if set(ids) & set(row.gpus) and (row.cooling or "").startswith("air") and row.max_gpus <= 16
        if not re.search(r"liquid|water|dlc|assist", row.cooling or "", re.IGNORECASE)
    ]


def _cooling(clause: Clause) -> Iterator[Finding]:
    """Cards said to need liquid that are sold in air-cooled servers."""
    required = _MUST.search(clause.text) or _LIQUID_RATED.search(clause.text)
    if not required or not clause.gpus or server_names().scan(clause.text):
        return
    mention = clause.gpus[-1]
    by = air_cooled(mention.ids)
    if by:
        names = ", ".join(row.name for row in by[:3])
        yield _about_card(
            clause, mention.ids, mention.text, "cooling", "liquid", False, by[0], f"air-cooled servers take it: {names}"
        )


def _air_limit(clause: Clause) -> Iterator[Finding]:
    match = _AIR_LIMIT.search(clause.text)
    if match is None:
        return
    claimed = int(match[1] or match[2])
    by = max(
        (row for row in servers().values() if row.gpus and air_cooled(row.gpus) and row in air_cooled(row.gpus)),
        key=_hottest,
    )
    hottest = _hottest(by)
    yield clause.finding(
        subject="air cooling",
        attribute="air cooling limit",
        claimed_value=f"{claimed} W",
        number=float(claimed),
        verdict="wrong" if claimed < hottest else "holds",
        correct_value=f"air-cooled servers take cards of {hottest} W: {by.name}",
        source=next((sources()[key].title for key in by.sources if key in sources()), None),
    )


def _hottest(server: Server) -> int:
    return max(gpus()[key].tdp_w or 0 for key in server.gpus)


def _fabric(clause: Clause) -> Iterator[Finding]:
    """Network of a node of eight, against the reference machine with the same cards."""
    match = _NETWORK.search(clause.text)
    rig = clause.rig
    if match is None or rig is None or rig.count != NODE_MAX:
        return
    if not re.match(r"网络|网卡|network|fabric|interconnect|nics?\b", clause.label, re.IGNORECASE):
        return
    if server_names().scan(clause.text) or rig.line == clause.line:
        return
    by = next(
        (
            row
            for row in servers().values()
            if set(rig.gpus) & set(row.gpus) and _reference(row) and not row.discontinued
        ),
        None,
    )
    if by is None:
        return
    ports = _ports(clause.text, rig.count)
    claimed = ports * int(match[1])
    reference = _reference(by)
    yield _about_card(
        clause, rig.gpus, rig.text, "network of a node", match[0], claimed * 2 >= reference, by,
        f"{by.name} has {by.network}",
    )  # fmt: skip


def _ports(text: str, cards_held: int) -> int:
    """How many ports a network has: counted, one for each card, two, or one."""
    if re.search(r"每(?:张)?\s*(?:卡|GPU)|每个\s*GPU|(?:per|each|every) (?:GPU|card)", text, re.IGNORECASE):
        return cards_held
    counted = re.search(
        r"(?<![\d.])(\d{1,2})\s*(?:个)?\s*(?:口|端口|[x×](?!\d)|块|张|ports?\b|NICs?\b)", text, re.IGNORECASE
    )
    return int(counted[1]) if counted else 2 if re.search(r"双口|双端口|dual", text, re.IGNORECASE) else 1


def _reference(server: Server) -> int:
    """Gb/s of a server's fabric; 0 when the catalog does not say."""
    match = re.match(r"(\d+)x\s*(\d+)Gb", server.network or "")
    return int(match[1]) * int(match[2]) if match else 0


def _inner_link(clause: Clause) -> Iterator[Finding]:
    """Cards of one node said to be joined by a network."""
    for mention in clause.gpus:
        rigs = rigs_in(clause.text, clause.line)
        found = [card for card in cards(mention.ids) if card.nvlink_bytes_per_s and card.form_factor.startswith("SXM")]
        if _INNER.match(clause.text[mention.end :]) and rigs and 2 <= rigs[0].count <= NODE_MAX and found:
            rate = f"{found[0].nvlink_bytes_per_s / 1e9:g} GB/s" if found[0].nvlink_bytes_per_s else ""
            yield clause.finding(
                subject=shared_name(mention.ids, mention.text),
                attribute="link inside a node",
                claimed_value="InfiniBand",
                verdict="wrong",
                correct_value=f"NVLink at {rate} inside the node; InfiniBand joins nodes",
                source=None,
            )


def _pcie_cards(clause: Clause) -> Iterator[Finding]:
    """What is said of all PCIe cards, in a sentence or in a column about them: a power limit, no link but the slot."""
    about = (
        clause.headers[clause.cells.index(clause.text)] if clause.text in clause.cells[: len(clause.headers)] else ""
    )
    if not re.match(r"\s*PCIe", about or clause.text, re.IGNORECASE) or clause.gpus:
        return
    pluggable = [card for card in gpus().values() if card.form_factor.startswith("PCIe") and card.vendor == "NVIDIA"]
    limit = re.search(
        r"(?:限制在|不超过|最高|limited to|up to|at most)[^。；;]{0,10}?(?:\d{2,4}\s*[-–~]\s*)?(\d{3,4})\s*W",
        clause.text,
    )
    hottest = max((card for card in pluggable if card.tdp_w), key=lambda card: card.tdp_w or 0)
    holds = bool(limit and hottest.tdp_w and int(limit[1]) >= hottest.tdp_w)
    # What is usually so may be otherwise in one card.
    if limit and hottest.tdp_w and (holds or not _USUALLY.search(clause.text[: limit.start()])):
        yield _general(
            clause,
            "power of PCIe cards",
            limit[0],
            holds,
            f"{hottest.name}: {hottest.tdp_w} W",
        )
    bridged = [card.name for card in pluggable if card.nvlink_bytes_per_s and card.market == "data_center"]
    only = re.search(r"受限于\s*PCIe|只能通过\s*PCIe|limited to PCIe|only (?:over|via) PCIe", clause.text)
    if only and bridged:
        yield _general(
            clause, "link of PCIe cards", only[0], False, f"an NVLink bridge joins pairs of {', '.join(bridged[:3])}"
        )


def _general(clause: Clause, attribute: str, claimed: str, holds: bool, correct: str) -> Finding:
    return clause.finding(
        subject="PCIe cards",
        attribute=attribute,
        claimed_value=claimed,
        verdict="holds" if holds else "wrong",
        correct_value=correct,
        source="catalog of GPUs",
    )
