"""Ratios and products that a document works out: faster by a factor, links against each other, energy of a year."""

import re
from collections.abc import Iterator

from ingest.claims.facts import cards, source_of
from ingest.claims.finding import Finding
from ingest.claims.reading import Clause
from kb.catalog import conventional, gpus
from kb.records.gpu import Gpu

SLACK = 0.05
"""How far a factor may lie outside the range of like pairs of variants."""
HOURS_A_YEAR = 8760
TIMES_OF = 48
"""Characters after a factor within which stands what grew: "2.5 times the A100's bandwidth"."""
_FACTOR = re.compile(
    r"(\d{1,3}(?:\.\d{1,2})?)\s*(?:[-–~至到]\s*(\d{1,3}(?:\.\d{1,2})?)\s*)?(?:[×x✕](?![\d\s]*[A-Z])|倍|times)",
    re.IGNORECASE,
)
_RATE = re.compile(r"(\d{1,5}(?:\.\d{1,3})?)\s*(GB|TB)\s*[/p]\s*s", re.IGNORECASE)
_ENERGY = re.compile(r"PUE\s*(?:=|为|of)?\s*(\d\.\d{1,2}).{0,24}?(\d{1,3}(?:,\d{3})+|\d{3,6})\s*kWh", re.IGNORECASE)
_KINDS = (
    ("memory bandwidth ratio", re.compile(r"带宽|bandwidth", re.IGNORECASE), "bandwidth_bytes_per_s"),
    ("FP8 ratio", re.compile(r"FP8", re.IGNORECASE), "fp8_flops"),
    ("TF32 ratio", re.compile(r"TF32", re.IGNORECASE), "tf32_flops"),
    ("FP32 ratio", re.compile(r"FP32", re.IGNORECASE), "fp32_flops"),
    ("FP16 ratio", re.compile(r"FP16|BF16", re.IGNORECASE), "fp16_flops"),
    ("memory ratio", re.compile(r"显存(?!带宽)|VRAM|memory(?! bandwidth)", re.IGNORECASE), "memory_bytes"),
)
"""What is compared, how it is called, where the catalog keeps it."""
_ALIKE = re.compile(
    r"(?:与|和|跟|同)\s*$|\bsame\b[^.;]{0,40}\bas (?:the |an? )?$"
    r"|\b(?:on par with|equal to|equals|matches) (?:the |an? )?$",
    re.IGNORECASE,
)
"""What stands before the second of two cards that are called alike."""
_ALIKE_AFTER = re.compile(r"\s*(?:的)?(?:完全)?(?:相当|一样|相同|持平|一致|同级|差不多)")
_ALIKE_KINDS = (*_KINDS, ("FP16 rate", re.compile(r"算力|计算能力|compute|TFLOPS", re.IGNORECASE), "fp16_flops"))
ALIKE, UNLIKE = 1.1, 1.3
"""Up to which ratio two figures are alike, and from which they are not; between them it is a matter of taste."""
_SLIGHTLY = re.compile(
    r"[稍略](?:微)?(?:低|少|小|弱)(?:的)?\s*(显存带宽|带宽|显存|算力)|(显存带宽|带宽|显存|算力)[稍略](?:微)?(?:低|少|小|弱)"
    r"|slightly (?:lower|less|smaller|reduced) (memory bandwidth|bandwidth|memory|VRAM|compute)",
    re.IGNORECASE,
)
_VARIANT = re.compile(r"-(?:pcie|nvl)-")
_SPEED = re.compile(
    r"fast|slow|quick|cheap|dear|speed|price|cost|throughput|快|慢|贵|便宜|价|吞吐|token", re.IGNORECASE
)
"""What follows a factor that is not of a figure of the cards."""
_LINK = re.compile(r"nvlink|pcie", re.IGNORECASE)


def ratio_findings(clause: Clause) -> Iterator[Finding]:
    """Judge the factors and products of the clause."""
    yield from _between_cards(clause)
    yield from _alike(clause)
    yield from _slightly(clause)
    yield from _between_links(clause)
    yield from _energy(clause)


def _between_cards(clause: Clause) -> Iterator[Finding]:
    """「H100 … 带宽提升2.3×」 beside A100: against every pair of variants of one form factor."""
    names = list({mention.ids: mention for mention in clause.gpus}.values())
    if len(names) != 2 or _LINK.search(clause.text):
        return
    for match in _FACTOR.finditer(clause.text):
        # Only the words between the last comma and the factor say what grew.
        before = re.split(r"[,，;；:：。]", clause.text[: match.start()])[-1]
        after = re.split(r"[,，;；:：。]", clause.text[match.end() : match.end() + TIMES_OF])[0]
        said = (before,) if _SPEED.search(after) else (before, after)
        kind = next((kind for part in said for kind in _KINDS if kind[1].search(part)), None)
        if kind is None:
            continue
        name, _, field = kind
        ratios = _ratios(names[0].ids, names[1].ids, field)
        if not ratios:
            continue
        low, high = float(match[1]), float(match[2] or match[1])
        holds = low <= max(ratios) * (1 + SLACK) and high >= min(ratios) * (1 - SLACK)
        span = f"{min(ratios):.2f}" + (f" to {max(ratios):.2f}" if max(ratios) - min(ratios) > 0.01 else "")
        yield clause.finding(
            subject=f"{names[0].text} / {names[1].text}",
            attribute=name,
            claimed_value=match[0],
            verdict="holds" if holds else "wrong",
            correct_value=f"{span} times, by variants of one form factor",
            source=source_of(names[0].ids, field),
            number=low,
        )


def _alike(clause: Clause) -> Iterator[Finding]:
    """「H20 的算力与 H100 相当」, "the same bandwidth as the H100": by the variants nearest to each other."""
    said = next((one for one in clause.gpus[1:] if _ALIKE.search(clause.text[: one.start])), None)
    first = next((one for one in reversed(clause.gpus) if said and one.end <= said.start), None)
    if first is None or said is None or first.ids == said.ids:
        return
    second = said
    # Only the words since the last comma say what is alike.
    between = re.split(r"[,，;；]", clause.text[first.end : second.start])[-1]
    after = clause.text[second.end :]
    word = _ALIKE.search(between)
    english = word is not None and word[0].isascii()
    if word is None or (not english and not _ALIKE_AFTER.match(after)) or re.search(r"不|非|\bnot\b|n't", between):
        return
    kind = next((one for one in _ALIKE_KINDS if one[1].search(between)), None)
    if kind is None or _LINK.search(between):
        return
    name, _, field = kind
    pairs = [(getattr(one, field), getattr(other, field)) for one in _usual(first.ids) for other in _usual(second.ids)]
    ratios = [max(a, b) / min(a, b) for a, b in pairs if a and b]
    if ratios and not ALIKE < min(ratios) < UNLIKE:
        yield clause.finding(
            subject=f"{first.text} / {second.text}",
            attribute=name,
            claimed_value=clause.text[first.start : second.end].strip(),
            verdict="holds" if min(ratios) <= ALIKE else "wrong",
            correct_value=f"{min(ratios):.2f} times apart",
            source=source_of(first.ids, field),
        )


def _slightly(clause: Clause) -> Iterator[Finding]:
    """「H100 PCIe …稍低带宽」: a little less than the module of the same name and memory, when it is far less."""
    match = _SLIGHTLY.search(clause.text)
    named = {mention.ids for mention in clause.gpus}
    if match is None or len(named) != 1:
        return
    (ids,) = named
    said = next(filter(None, match.groups()))
    kind = next((one for one in _ALIKE_KINDS if one[1].search(said)), None)
    if kind is None or len(ids) != 1 or not _VARIANT.search(ids[0]):
        return
    card = gpus()[ids[0]]
    stem, size = _VARIANT.split(ids[0])
    module = next((one for one in gpus().values() if re.fullmatch(rf"{re.escape(stem)}-sxm\d?-{size}", one.id)), None)
    ours, theirs = getattr(card, kind[2]), getattr(module, kind[2], None)
    if module and ours and theirs and theirs / ours >= UNLIKE:
        yield clause.finding(
            subject=card.name,
            attribute=kind[0],
            claimed_value=match[0],
            verdict="wrong",
            correct_value=f"{1 - ours / theirs:.0%} less than {module.name}",
            source=source_of(ids, kind[2]),
        )


def _ratios(left: tuple[str, ...], right: tuple[str, ...], field: str) -> list[float]:
    """Larger over smaller for each pair of variants that plug into the same kind of slot."""
    found = []
    for one in _usual(left):
        for other in _usual(right):
            a, b = getattr(one, field), getattr(other, field)
            if a and b and one.form_factor[:3] == other.form_factor[:3]:
                found.append(max(a, b) / min(a, b))
    return found


def _usual(ids: tuple[str, ...]) -> list[Gpu]:
    """The variants with as much memory as the one people mean by the name: not the H100 NVL for "H100"."""
    memory_bytes = gpus()[conventional(ids)].memory_bytes
    return [card for card in cards(ids) if card.memory_bytes == memory_bytes]


def _between_links(clause: Clause) -> Iterator[Finding]:
    """「900GB/s … 是 PCIe 4.0(64GB/s)的14倍」: the two rates on the line against the factor."""
    rates = list(_RATE.finditer(clause.text))
    factor = next((match for match in _FACTOR.finditer(clause.text) if rates and match.start() > rates[-1].end()), None)
    if len(rates) != 2 or factor is None or not _LINK.search(clause.text) or factor.start() - rates[-1].end() > 16:
        return
    first, second = (float(rate[1]) * (1000 if rate[2].lower() == "tb" else 1) for rate in rates)
    ratio, claimed = max(first, second) / min(first, second), float(factor[1])
    # "Faster by nine times" is said of a ratio of nine as well as of ten.
    holds = any(abs(claimed - one) <= 0.1 * ratio for one in (ratio, ratio - 1))
    yield clause.finding(
        subject="NVLink / PCIe",
        attribute="bandwidth ratio",
        claimed_value=factor[0],
        verdict="holds" if holds else "wrong",
        correct_value=f"{ratio:.1f} times",
        source="arithmetic",
        number=claimed,
    )


def _energy(clause: Clause) -> Iterator[Finding]:
    match = _ENERGY.search(clause.text)
    if match is None or not clause.gpus:
        return
    claimed, pue = float(match[2].replace(",", "")), float(match[1])
    years = [card.tdp_w * HOURS_A_YEAR * pue / 1000 for card in cards(clause.gpus[-1].ids) if card.tdp_w]
    if years:
        yield clause.finding(
            subject=clause.gpus[-1].text,
            attribute="energy in a year",
            claimed_value=f"{match[2]} kWh",
            verdict="holds" if any(abs(claimed - one) <= 0.03 * one for one in years) else "wrong",
            correct_value=" or ".join(f"{one:,.0f} kWh" for one in sorted(set(years))),
            source="arithmetic",
            number=claimed,
        )
