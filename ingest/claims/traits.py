"""What cards have or lack: NVLink, ECC, a number format, a memory type, an architecture, a slot width."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ingest.claims.facts import cards, link_source, links, listed, shared_name, source_of
from ingest.claims.finding import Finding, Verdict
from ingest.claims.reading import Clause
from kb.names import Mention
from kb.records.gpu import Gpu

NEAR, FAR = 36, 90
"""Characters between a card and what it has; the larger where it is the only card and a verb of having stands there."""
YES = re.compile(r"✅|✔|✓|√|^\s*(?:yes|supported|有|是|支持)(?!\w)", re.IGNORECASE)
NO = re.compile(r"❌|✘|✗|^\s*[×✕]\s*$|^\s*(?:no|none|not supported|无|否|不支持|没有)(?!\w)", re.IGNORECASE)
_DENIED = re.compile(r"不支持|没有|无|缺少|不带|不具备|取消|\bno\b|\bnot\b|without|\black|n't |cannot", re.IGNORECASE)
_TURNS = re.compile(r"但|却|不过|保留|\b(?:but|yet|however|keeps?|retains?)\b", re.IGNORECASE)
"""Where a denial ends: what follows is said of something else."""
_AFFIRMED = re.compile(
    r"支持|配合|通过|具备|具有|带有|采用|搭载|保留|互联|互连|连接|桥接|原生|support|via|with|using|has |offers|features"
    r"|\bkeeps?\b|\bretains?\b"
    r"|(?:connect|link|join|communicat|talk)\w*(?: \w+){0,2} over|走"
    r"|\bby\b|\bruns?\b|\bcomputes?\b|accelerates?|introduc\w+|引入|(?<![没只才])有\s*$",
    re.IGNORECASE,
)


_MEANS = re.compile(r"(?:用|通过|借助|经由|\b(?:via|over|by|with|using|use))\s*$", re.IGNORECASE)
_JOINS = re.compile(
    r".{0,12}?(?:连接|互联|互连|相连|桥接|组成|connect|join|link|bridge|pair)(?:ed|ing|s)?", re.IGNORECASE
)
_COMPARED = re.compile(r"相比|而不是|不同于|unlike|compared|instead|rather|\bthan\b|would|if\b|如果|若", re.IGNORECASE)
_SAID_OF_IT = re.compile(
    r"(?:[,，]|\band|并|且)\s*(?:也|还|均)?\s*(?:支持|具备|带有|通过|supports?|offers|features|connects? over)"
    r"\s*(?:原生|native)?\s*$",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(r"(?:如果|假如|要是|倘若|假设|\bif\b|\bsuppos|\bassum)[^,，。;；]*$", re.IGNORECASE)
"""What stands before a property that is only imagined."""
_PRAISE = re.compile(r"优点|优势|特点|亮点|advantages?|pros|strengths?|features", re.IGNORECASE)
"""Labels of a list of what a card has."""


Claimed = tuple[Mention, bool, str]
"""A card, whether it is said to have the trait, and the words that say so."""


@dataclass(frozen=True)
class Trait:
    """Something a card has or has not."""

    name: str
    pattern: re.Pattern[str]
    has: Callable[[Gpu], bool | None]
    field: str
    show: Callable[[Gpu], str]


def _nvlink(card: Gpu) -> bool | None:
    """Other makers' links have other names."""
    return bool(card.nvlink_bytes_per_s) and card.vendor == "NVIDIA"


def _show_nvlink(card: Gpu) -> str:
    if card.vendor != "NVIDIA":
        return f"no NVLink, which is NVIDIA's; {card.nvlink_note or 'PCIe'}"
    if card.nvlink_bytes_per_s:
        return f"NVLink, {card.nvlink_bytes_per_s / 1e9:g} GB/s in all"
    return f"no NVLink, PCIe {card.pcie or ''} only".replace("  ", " ")


def _format(field: str, oldest: float) -> Callable[[Gpu], bool | None]:
    """Whether a card computes in a format: its rate, else its CUDA generation."""

    def has(card: Gpu) -> bool | None:
        if getattr(card, field):
            return True
        if card.vendor != "NVIDIA" or card.compute_capability is None:
            return None
        return float(card.compute_capability) >= oldest

    return has


def _tensor_cores(card: Gpu) -> bool | None:
    """From Volta on, but not in the GTX 16 cards of Turing; other makers' matrix units have other names."""
    if card.vendor != "NVIDIA" or card.compute_capability is None:
        return None
    return float(card.compute_capability) >= 7.0 and not card.id.startswith("gtx-")


TRAITS = (
    Trait("NVLink", re.compile("nvlink", re.IGNORECASE), _nvlink, "nvlink_bytes_per_s", _show_nvlink),
    Trait("ECC", re.compile(r"(?<![a-z])ecc(?![a-z])", re.IGNORECASE), lambda card: card.ecc, "ecc",
          lambda card: "has ECC memory (switchable in the driver on GeForce cards)" if card.ecc else "no ECC"),
    Trait("FP8", re.compile(r"(?<![a-z])fp8(?!\d)", re.IGNORECASE), _format("fp8_flops", 8.9), "fp8_flops",
          lambda card: "FP8 in hardware" if card.fp8_flops else "no FP8 in hardware"),
    Trait("BF16", re.compile(r"(?<![a-z])bf16(?!\d)", re.IGNORECASE), _format("bf16_flops", 8.0), "bf16_flops",
          lambda card: "BF16 in hardware" if card.bf16_flops else "no BF16 in hardware"),
    Trait("MIG", re.compile(r"(?<![a-z])mig(?![a-z])", re.IGNORECASE), lambda card: bool(card.mig_instances),
          "mig_instances", lambda card: f"MIG, up to {card.mig_instances} parts" if card.mig_instances else "no MIG"),
    # Cores of a format or a generation are another question than cores at all.
    Trait("tensor cores",
          re.compile(r"(?<![\d代])(?<!\d )(?<!gen )(?<!generation )(?:tensor\s*cores?|张量核心)", re.IGNORECASE),
          lambda card: _tensor_cores(card), "compute_capability",
          lambda card: "tensor cores" if _tensor_cores(card) else "no tensor cores"),
)  # fmt: skip
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


def trait_findings(clause: Clause) -> Iterator[Finding]:
    """Judge what the clause says a card has, lacks or is."""
    for trait in TRAITS:
        for mention, claimed, words in _claimed(clause, trait):
            yield _judge(clause, trait, mention, words, claimed=claimed)
    yield from _memory_type(clause)
    yield from _architecture(clause)
    yield from _slots(clause)
    yield from _bus(clause)
    yield from _tensor_generation(clause)
    yield from _slices(clause)


def _claimed(clause: Clause, trait: Trait) -> Iterator[Claimed]:
    if trait.pattern.search(clause.label) and clause.subject and not clause.gpus:
        if YES.search(clause.text) and not NO.search(clause.text):
            yield from ((mention, True, f"{trait.name}: {clause.text.strip()}") for mention in clause.subject)
        elif NO.search(clause.text):
            yield from ((mention, False, f"{trait.name}: {clause.text.strip()}") for mention in clause.subject)
        return
    for match in trait.pattern.finditer(clause.text):
        yield from _in_prose(clause, trait, match)
        yield from _by_means_of(clause, match)


def _in_prose(clause: Clause, trait: Trait, match: re.Match[str]) -> Iterator[Claimed]:
    near = _TURNS.split(clause.text[max(0, match.start() - 18) : match.start()])[-1]
    after = clause.text[match.end() : match.end() + 6]
    mentions = _before(clause, match.start())
    if not mentions and len({one.ids for one in clause.gpus}) == 1 and _SAID_OF_IT.search(clause.text[: match.start()]):
        mentions = _before(clause, match.start(), FAR)
    if not mentions:
        mentions = list(clause.subject[:1]) if not clause.gpus and _is_about(clause) else []
        between = near
    else:
        between = clause.text[mentions[-1].end : match.start()]
    if (
        not mentions
        or re.search(r"[?？]|吗|是否|whether", clause.text, re.IGNORECASE)
        or _SUPPOSED.search(clause.text[: match.start()])
    ):
        return
    words = f"{between}{match[0]}".strip(" ,，、的()（）")
    denied = _DENIED.search(near) and not re.search(r"不需要|无需|not only", near)
    if denied:
        yield from ((mention, False, words) for mention in mentions)
    elif (
        (_PRAISE.search(clause.label) and not re.search(r"需要|要求|need", between))
        or _AFFIRMED.search(between[-16:])
        or re.match(r"\s*(?:互联|互连|桥)", after)
        or (trait.name == "ECC" and re.search(r"(?:GDDR|HBM)\w*\s*$", between))
    ):
        yield from ((mention, True, words) for mention in mentions)


def _by_means_of(clause: Clause, match: re.Match[str]) -> Iterator[Claimed]:
    """「用 NVLink 连接两张 …」, "over NVLink, join two …": the link named before the cards it is to join."""
    means = _MEANS.search(clause.text[: match.start()])
    after = [one for one in clause.gpus if 0 <= one.start - match.end() <= NEAR]
    if not means or not after or _DENIED.search(clause.text) or _COMPARED.search(clause.text):
        return
    between, rest = clause.text[match.end() : after[0].start], clause.text[after[0].end :]
    if not re.search(r"[,，、.。]", between) and (_JOINS.search(between) or _JOINS.match(rest)):
        yield after[0], True, clause.text[means.start() : after[0].end].strip()


def _is_about(clause: Clause) -> bool:
    """Whether a clause without a name goes on about the name before it: a list item or the next sentence."""
    return bool(clause.label) or clause.text.lstrip().startswith(("其", "它", "It", "该", "-", "→"))


def _before(clause: Clause, place: int, reach: int = NEAR) -> list[Mention]:
    """The names right before a place, listed together."""
    group: list[Mention] = []
    for mention in reversed([one for one in clause.gpus if one.end <= place]):
        gap = clause.text[mention.end : group[0].start if group else place]
        if group and not re.fullmatch(r"\s*[/、和与及]\s*|\s+(?:and|or)\s+|\s*或\s*", gap):
            break
        if not group and len(gap) > reach:
            break
        group.insert(0, mention)
    return group


def _judge(clause: Clause, trait: Trait, mention: Mention, words: str, *, claimed: bool) -> Finding:
    truths = {trait.has(card) for card in cards(mention.ids)}
    verdict: Verdict = "holds" if claimed in truths else "unsupported" if None in truths else "wrong"
    return _finding(
        clause, mention, trait.name, words[:80], verdict, listed(mention.ids, trait.show), trait.field
    ).model_copy(update={"says": "has" if claimed else "lacks", "number": float(claimed)})


def _finding(
    clause: Clause, mention: Mention, attribute: str, claimed: str, verdict: Verdict, correct: str, field: str
) -> Finding:
    return clause.finding(
        quote=f"{clause.label}: {clause.text}" if clause.cells else clause.text,
        subject=shared_name(mention.ids, mention.text),
        attribute=attribute,
        claimed_value=claimed,
        verdict=verdict,
        correct_value=correct,
        source=source_of(mention.ids, field),
    )


def _memory_type(clause: Clause) -> Iterator[Finding]:
    for match in _MEMORY_TYPE.finditer(clause.text):
        mentions = _before(clause, match.start())
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
            yield _finding(
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
        mentions = mentions or _built_on(clause, said)
    for mention in mentions:
        truths = {card.architecture.lower() for card in cards(mention.ids)}
        verdict: Verdict = "holds" if any(said.lower() in truth for truth in truths) else "wrong"
        yield _finding(
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


def _slots(clause: Clause) -> Iterator[Finding]:
    said = next((words for words in _SLOTS if words in clause.text.lower()), None)
    mentions = _before(clause, clause.text.lower().find(said)) if said else []
    mentions = mentions or (list(clause.subject[:1]) if said and not clause.gpus else [])
    for mention in mentions:
        widths = {(card.slot_width or "").lower() for card in cards(mention.ids)}
        if "" in widths or said is None:
            continue
        claimed = next(words for words, count in _SLOTS.items() if "-" in words and count == _SLOTS[said])
        verdict: Verdict = "holds" if claimed in widths else "wrong"
        yield _finding(
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
            yield _finding(
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
    found = _finding(
        clause, mentions[0], "tensor core generation", str(number), verdict,
        listed(mentions[0].ids, lambda card: str(table[card.architecture])), "architecture",
    )  # fmt: skip
    yield found.model_copy(update={"source": link_source("tensor_core")})


def _slices(clause: Clause) -> Iterator[Finding]:
    """「L40S 最多可以切成 4 个」: into how many MIG instances a card can be split, where MIG is spoken of."""
    if not re.search(r"(?<![a-z])MIG(?![a-z])", f"{clause.heading} {clause.row}", re.IGNORECASE):
        return
    for match in _SLICED.finditer(clause.text):
        mentions = _before(clause, match.start())
        number = int(match[1] or match[2])
        for mention in mentions[-1:]:
            most = {card.mig_instances or 0 for card in cards(mention.ids)}
            if _DENIED.search(clause.text[mention.end : match.end()]) or (0 in most and len(most) > 1):
                continue
            yield _finding(
                clause, mention, "MIG instances", match[0].strip(), "holds" if number in most else "wrong",
                listed(mention.ids, lambda card: str(card.mig_instances) if card.mig_instances else "no MIG"),
                "mig_instances",
            )  # fmt: skip
