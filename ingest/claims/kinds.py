"""What cards are: their kind of memory, architecture, width, interface and generation of tensor cores."""

import re
from collections.abc import Iterator, Sequence

from ingest.claims.facts import cards, link_source, links, listed
from ingest.claims.finding import Finding, Verdict
from ingest.claims.reading import Clause
from ingest.claims.traits import DENIED, card_finding, names_before
from kb.naming.names import Mention

_MEMORY_TYPE = re.compile(r"(?<![A-Za-z])(GDDR[56]X?|GDDR7|HBM[234]?e?)(?![A-Za-z0-9])", re.IGNORECASE)
_SIZED = re.compile(r"\d+(?:\.\d+)?\s*(?:GB|GiB|G)\s*(?:of|的)?\s*", re.IGNORECASE)
"""A capacity that stands before the kind of memory."""
_ARCHITECTURES = (
    "Ada Lovelace", "Ada", "Ampere", "Hopper", "Blackwell", "Turing", "Volta", "Pascal",
    *(f"{family} {number}" for family in ("CDNA", "RDNA") for number in (2, 3, 4)),
)  # fmt: skip
_IS_OF = (
    r"(?:采用|基于|使用的是|用的是|使用|属于|搭载|(?:仍然|依然|仍|也)?是"
    r"|(?:is|are|was) (?:still )?(?:built|based) (?:on|around)|uses|(?:is|are|was)|belongs to)"
)
"""What stands between a card and its architecture."""
_SLOTS = {"单槽": 1, "双槽": 2, "三槽": 3, "single-slot": 1, "dual-slot": 2, "triple-slot": 3}
_SLICED = re.compile(
    r"(?:最多)?(?:可以?|能)?(?:切|分|划分|切分|拆)(?:成|为|出)\s*(\d)\s*(?:个|份|片)"
    r"|(?:splits?|sliced?|partition(?:s|ed)?|divided?)\s+into (?:up to )?(\d)\b",
    re.IGNORECASE,
)
_OWN_BUS = re.compile(
    r"\s*(?:card|显卡)?\s*(?:(?:is|are) an?\s+(?:native )?PCIe\s*(?:Gen\s*)?([3456](?:\.0)?)\s*(?:x16\s*)?"
    r"(?:card|device)"
    r"|(?:has|uses|comes with) an?\s*PCIe\s*(?:Gen\s*)?([3456](?:\.0)?)\s*(?:x16\s*)?interface"
    r"|(?:是|采用|使用|的接口是|接口为)\s*PCIe\s*([3456](?:\.0)?)\s*(?:x16\s*)?(?:的卡|的显卡|接口|总线))",
    re.IGNORECASE,
)
_GENERATION = re.compile(r"第\s*([一二三四五1-5])\s*代|([1-5])(?:st|nd|rd|th)[ -]gen", re.IGNORECASE)
_DIGIT = {"一": 1, "二": 2, "三": 3, "四": 4, "五": 5}


def kind_findings(clause: Clause) -> Iterator[Finding]:
    """Judge what the clause says a card is."""
    yield from _memory_type(clause)
    yield from _architecture(clause)
    yield from _slots(clause)
    yield from _bus(clause)
    yield from _tensor_generation(clause)
    yield from _slices(clause)


def _memory_type(clause: Clause) -> Iterator[Finding]:
    for match in _MEMORY_TYPE.finditer(clause.text):
        mentions = names_before(clause, match.start())
        if not mentions and not clause.gpus and re.search(r"显存|VRAM|memory", clause.label, re.IGNORECASE):
            mentions = list(clause.subject[:1])
        gap = clause.text[mentions[-1].end : match.start()] if mentions and mentions[-1] in clause.gpus else ""
        if len(_SIZED.sub("", gap)) > 16 or re.search(r"优于|than|vs", clause.text):
            continue
        for mention in mentions[-1:]:
            types = {(card.memory_type or "").lower() for card in cards(mention.ids)}
            said = match[1].lower()
            verdict: Verdict = "holds" if any(kind.startswith(said) for kind in types) else "wrong"
            if "" in types or (said == "hbm" and any("hbm" in kind for kind in types)):
                continue
            yield card_finding(
                clause, mention, "memory type", match[1], verdict,
                listed(mention.ids, lambda card: card.memory_type or "not stated"), "memory_type",
            )  # fmt: skip


def _architecture(clause: Clause) -> Iterator[Finding]:
    """「架构 | Ampere」 under a card's name, and 「Ampere 架构(A100/A30)」."""
    said = next((name for name in _ARCHITECTURES if re.search(rf"(?<![a-z]){name}(?![a-z])", clause.text, re.I)), None)
    if said is None:
        return
    if re.search(r"架构|architecture", clause.label, re.IGNORECASE) and clause.subject and not clause.gpus:
        mentions: Sequence[Mention] = clause.subject[:1]
    else:
        listed_in = re.search(rf"{said}\s*(?:架构|architecture)?\s*[(（]([^)）]*)[)）]", clause.text, re.IGNORECASE)
        mentions = [one for one in clause.gpus if listed_in and listed_in.start(1) <= one.start < listed_in.end(1)]
        mentions = mentions or _built_on(clause, said) or _after_comma(clause, said)
    for mention in mentions:
        truths = {card.architecture.lower() for card in cards(mention.ids)}
        verdict: Verdict = "holds" if any(said.lower() in truth for truth in truths) else "wrong"
        yield card_finding(
            clause, mention, "architecture", said, verdict, listed(mention.ids, lambda card: card.architecture),
            "architecture",
        )  # fmt: skip


def _built_on(clause: Clause, architecture: str) -> list[Mention]:
    """「A40 采用 … 架构」, "the L4 is based on …": the cards said to be of an architecture in prose."""
    found = re.compile(
        rf"\s*(?:GPU|显卡|card)?\s*{_IS_OF}\s*(?:NVIDIA|英伟达)?\s*(?:的|the|an?)?\s*{architecture}"
        r"(?:\s*(?:架构|microarchitecture|architecture|generation|card|GPU|chip|芯片|核心)|\s*[.,;，。；]|\s*$)",
        re.IGNORECASE,
    )
    return [one for one in clause.gpus[-1:] if found.match(clause.text[one.end :])]


def _after_comma(clause: Clause, architecture: str) -> list[Mention]:
    """「L20 …,采用 Ada 架构」: the only card of the clause, where a part of its own says what it is built on."""
    if len({one.ids for one in clause.gpus}) != 1:
        return []
    said = re.search(
        r"(?:[,，]|\band is\b|\band\b)\s*(?:并|且)?\s*(?:采用|基于|用的是|使用|built on|based on)\s*(?:NVIDIA|英伟达)?"
        rf"\s*(?:的|the)?\s*{architecture}(?:\s*(?:架构|architecture)|\s*[.;,，。；]|\s*$)",
        clause.text[clause.gpus[0].end :],
        re.IGNORECASE,
    )
    return clause.gpus[:1] if said else []


def _slots(clause: Clause) -> Iterator[Finding]:
    said = next((words for words in _SLOTS if words in clause.text.lower()), None)
    mentions = names_before(clause, clause.text.lower().find(said)) if said else []
    mentions = mentions or (list(clause.subject[:1]) if said and not clause.gpus else [])
    for mention in mentions:
        widths = {(card.slot_width or "").lower() for card in cards(mention.ids)}
        if "" in widths or said is None:
            continue
        claimed = next(words for words, count in _SLOTS.items() if "-" in words and count == _SLOTS[said])
        verdict: Verdict = "holds" if claimed in widths else "wrong"
        yield card_finding(
            clause, mention, "slots", said, verdict, listed(mention.ids, lambda card: card.slot_width or "not stated"),
            "slot_width",
        )  # fmt: skip


def _bus(clause: Clause) -> Iterator[Finding]:
    """「4090 是 PCIe 5.0 的卡」: the generation of a card's own interface, not of a slot it sits in."""
    for mention in clause.gpus[:1]:
        said = _OWN_BUS.match(clause.text[mention.end :])
        if said is None:
            continue
        number = next(filter(None, said.groups()))
        truths = {card.pcie.split()[0] for card in cards(mention.ids) if card.pcie}
        if truths:
            yield card_finding(
                clause, mention, "PCIe generation", f"PCIe {number}",
                "holds" if any(float(one) == float(number) for one in truths) else "wrong",
                listed(mention.ids, lambda card: f"PCIe {card.pcie}" if card.pcie else "not stated"), "pcie",
            )  # fmt: skip


def _tensor_generation(clause: Clause) -> Iterator[Finding]:
    if not re.search(r"tensor\s*core|tensor核心|张量核心", clause.said):
        return
    match = _GENERATION.search(clause.text)
    mentions = clause.gpus[:1] or list(clause.subject[:1])
    if match is None or not mentions:
        return
    number = _DIGIT.get(match[1] or "") or int(match[1] or match[2])
    table = links()["tensor_core_generation"]
    truths = {table.get(card.architecture) for card in cards(mentions[0].ids)}
    if None in truths:
        return
    verdict: Verdict = "holds" if number in truths else "wrong"
    found = card_finding(
        clause, mentions[0], "tensor core generation", str(number), verdict,
        listed(mentions[0].ids, lambda card: str(table[card.architecture])), "architecture",
    )  # fmt: skip
    yield found.model_copy(update={"source": link_source("tensor_core")})


def _slices(clause: Clause) -> Iterator[Finding]:
    """「L40S 最多可以切成 4 个」: into how many MIG instances a card can be split, where MIG is spoken of."""
    if not re.search(r"(?<![a-z])MIG(?![a-z])", f"{clause.heading} {clause.row}", re.IGNORECASE):
        return
    for match in _SLICED.finditer(clause.text):
        mentions = names_before(clause, match.start())
        number = int(match[1] or match[2])
        for mention in mentions[-1:]:
            most = {card.mig_instances or 0 for card in cards(mention.ids)}
            if DENIED.search(clause.text[mention.end : match.end()]) or (0 in most and len(most) > 1):
                continue
            yield card_finding(
                clause, mention, "MIG instances", match[0].strip(), "holds" if number in most else "wrong",
                listed(mention.ids, lambda card: str(card.mig_instances) if card.mig_instances else "no MIG"),
                "mig_instances",
            )  # fmt: skip
