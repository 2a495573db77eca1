"""What cards have or lack: NVLink, ECC, a number format, MIG, tensor cores, CUDA."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from ingest.claims.facts import cards, listed, shared_name, source_of
from ingest.claims.finding import Finding, Verdict
from ingest.claims.reading import Clause
from kb.catalog import gpus
from kb.naming.names import Mention
from kb.records.gpu import Gpu

NEAR, FAR = 36, 90
"""Characters between a card and what it has; the larger where it is the only card and a verb of having stands there."""
YES = re.compile(r"✅|✔|✓|√|^\s*(?:yes|supported|有|是|支持)(?!\w)", re.IGNORECASE)
NO = re.compile(r"❌|✘|✗|^\s*[×✕]\s*$|^\s*(?:no|none|not supported|无|否|不支持|没有)(?!\w)", re.IGNORECASE)
DENIED = re.compile(r"不支持|没有|无|缺少|不带|不具备|取消|\bno\b|\bnot\b|without|\black|n't |cannot", re.IGNORECASE)
_TURNS = re.compile(r"但|却|不过|保留|\b(?:but|yet|however|keeps?|retains?)\b", re.IGNORECASE)
"""Where a denial ends: what follows is said of something else."""
_AFFIRMED = re.compile(
    r"支持|配合|通过|使用|\buses?\b|具备|具有|带有|采用|搭载|保留|互联|互连|连接|桥接|原生|support|via|with|using|has "
    r"|offers|features"
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
_PORTED = re.compile(
    r"(?<![A-Za-z])(?:HIP|ROCm|ZLUDA|SCALE)(?![A-Za-z])|移植|转换|迁移|兼容层|\bport(?:s|ed|ing)?\b|convert|translat",
    re.IGNORECASE,
)
"""What brings code for CUDA to other makers' cards."""
_SINCE = re.compile(
    r"之后|以后|以上|以来|开始|起|之前|onwards?|or (?:newer|later|above)|and (?:newer|later)|before|after",
    re.IGNORECASE,
)
"""What makes a generation only the border of those that are meant."""
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
    # What an NVIDIA card does with CUDA is no question of having it.
    Trait("CUDA",
          re.compile(r"(?<![a-z\d])(?<!\d )(?<!个)CUDA(?![\s-]*(?:cores?|核|版本|toolkit|\d|[a-z]))", re.IGNORECASE),
          lambda card: None if card.vendor == "NVIDIA" else False, "vendor", lambda card: "no CUDA, which is NVIDIA's"),
    # Cores of a format or a generation are another question than cores at all.
    Trait("tensor cores",
          re.compile(r"(?<![\d代])(?<!\d )(?<!gen )(?<!generation )(?:tensor\s*cores?|张量核心)", re.IGNORECASE),
          lambda card: _tensor_cores(card), "compute_capability",
          lambda card: "tensor cores" if _tensor_cores(card) else "no tensor cores"),
)  # fmt: skip
_OF_MAKER = ("Pascal", "Volta", "Turing", "Ampere", "Ada Lovelace", "Hopper", "Blackwell")


def trait_findings(clause: Clause) -> Iterator[Finding]:
    """Judge what the clause says a card has or lacks."""
    for trait in TRAITS:
        for mention, claimed, words in _claimed(clause, trait):
            ported = _PORTED.search(clause.text) or all(trait.has(card) is None for card in cards(mention.ids))
            if trait.name == "CUDA" and ported:
                continue
            yield _judge(clause, trait, mention, words, claimed=claimed)


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
    mentions = names_before(clause, match.start()) or _generation(clause, trait, match)
    if not mentions and len({one.ids for one in clause.gpus}) == 1 and _SAID_OF_IT.search(clause.text[: match.start()]):
        mentions = names_before(clause, match.start(), FAR)
    if not mentions:
        mentions = list(clause.subject[:1]) if not clause.gpus and _is_about(clause) else []
        between = near
    else:
        between = clause.text[mentions[-1].end : match.start()]
    if (
        not mentions
        or re.search(r"[?？]|吗|是否|whether", clause.text, re.IGNORECASE)
        or re.search(
            r"不同|unlike|\bthan\b|不如", clause.text[max(0, mentions[0].start - 8) : match.start()], re.IGNORECASE
        )
        or _SUPPOSED.search(clause.text[: match.start()])
    ):
        return
    words = f"{between}{match[0]}".strip(" ,，、的()（）")
    denied = DENIED.search(near) and not re.search(r"不需要|无需|not only", near)
    if denied:
        yield from ((mention, False, words) for mention in mentions)
    elif (
        (_PRAISE.search(clause.label) and not re.search(r"需要|要求|need", between))
        or _AFFIRMED.search(between[-16:])
        or re.match(r"\s*(?:互联|互连|桥)", after)
        or (trait.name == "ECC" and re.search(r"(?:GDDR|HBM)\w*\s*$", between))
    ):
        yield from ((mention, True, words) for mention in mentions)


def _generation(clause: Clause, trait: Trait, match: re.Match[str]) -> list[Mention]:
    """All cards of an architecture that a clause names instead of cards: "Volta tensor cores support BF16"."""
    before = clause.text[max(0, match.start() - NEAR) : match.start()]
    if clause.gpus or trait.name not in {"FP8", "BF16"} or _SINCE.search(before):
        return []
    named = [one for one in _OF_MAKER if re.search(rf"(?<![A-Za-z]){one}(?![A-Za-z])", before, re.IGNORECASE)]
    if len(named) != 1:
        return []
    place = match.start() - len(before) + before.lower().rindex(named[0].lower())
    return [Mention("GPU", _of_architecture(named[0]), place, place + len(named[0]), named[0], exact=True)]


@lru_cache(maxsize=16)
def _of_architecture(name: str) -> tuple[str, ...]:
    return tuple(key for key, card in gpus().items() if card.architecture == name and card.market == "data_center")


def _by_means_of(clause: Clause, match: re.Match[str]) -> Iterator[Claimed]:
    """「用 NVLink 连接两张 …」, "over NVLink, join two …": the link named before the cards it is to join."""
    means = _MEANS.search(clause.text[: match.start()])
    after = [one for one in clause.gpus if 0 <= one.start - match.end() <= NEAR]
    if not means or not after or DENIED.search(clause.text) or _COMPARED.search(clause.text):
        return
    between, rest = clause.text[match.end() : after[0].start], clause.text[after[0].end :]
    if not re.search(r"[,，、.。]", between) and (_JOINS.search(between) or _JOINS.match(rest)):
        yield after[0], True, clause.text[means.start() : after[0].end].strip()


def _is_about(clause: Clause) -> bool:
    """Whether a clause without a name goes on about the name before it: a list item or the next sentence."""
    return bool(clause.label) or clause.text.lstrip().startswith(("其", "它", "It", "该", "-", "→"))


def names_before(clause: Clause, place: int, reach: int = NEAR) -> list[Mention]:
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
    return card_finding(
        clause, mention, trait.name, words[:80], verdict, listed(mention.ids, trait.show), trait.field
    ).model_copy(update={"says": "has" if claimed else "lacks", "number": float(claimed)})


def card_finding(
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
