"""Figures of cards against the facts: memory, bandwidth, rates, power, cores, year."""

import re
from collections.abc import Iterator, Sequence

from ingest.claims.belonging import nearest, paired
from ingest.claims.facts import cards, listed, shared_name, show_flops, source_of
from ingest.claims.figures import ATTRIBUTES, NUMBER, TOLERANCE, Attribute, Claimed, claimed, rate_of
from ingest.claims.finding import Finding, Verdict
from ingest.claims.reading import SPARSE, Clause, count_before, gpus_in, rigs_in
from ingest.claims.traits import TRAITS
from kb.catalog import gpus
from kb.naming.names import Mention
from kb.records.gpu import Gpu

_PRECISION = re.compile(
    r"(?<![A-Za-z])(FP64|FP32|TF32|FP16|BF16|FP8|INT8|FP4|NVFP4)(?![0-9])(?!\s*(?:累加|accumul))", re.IGNORECASE
)
_SIZE_IN_ID = re.compile(r"-\d+gb$")
_PRECISION_AFTER = re.compile(rf"\s*(?:in|at|of|[(（])?\s*{_PRECISION.pattern}", re.IGNORECASE)
_RATES = (("fp32_flops", "FP32"), ("int8_ops", "INT8"), ("fp16_flops", "FP16"), ("tf32_flops", "TF32"))
_PRINTED = re.compile(
    r"\b(?:print\w*|lists?|listed|repeat|sources?|sheets?|some|also|tables?|shows?|or)\b", re.IGNORECASE
)
"""Words of a note on figures that differ between sources."""
_RUMOURED = re.compile(r"before the launch|rumou?r|leaked", re.IGNORECASE)
"""What was written before anybody knew excuses nobody who writes it now."""


def spec_findings(clause: Clause) -> Iterator[Finding]:
    """Judge every figure of a card in the clause."""
    for attribute in ATTRIBUTES:
        if attribute.label and not attribute.label.search(f"{clause.label} {clause.text}"):
            continue
        about = clause.label if attribute.name == "memory" else clause.said if clause.cells else clause.text
        if attribute.unless and attribute.unless.search(_nameless(about)):
            continue
        matches = list(attribute.pattern.finditer(clause.text))
        for match, mentions in paired(clause, matches, attribute):
            yield from _judge(clause, attribute, match, mentions)
    yield from _rates(clause)


def _nameless(text: str) -> str:
    """A text without the names of cards: the "PCIe" of an "H100 PCIe" says nothing of a link."""
    for mention in reversed(gpus_in(text)):
        text = f"{text[: mention.start]} {text[mention.end :]}"
    return text


def _rates(clause: Clause) -> Iterator[Finding]:
    """Peak rates, which need a precision beside them."""
    pattern = re.compile(rf"{NUMBER}\s*(T|P)(?:FLOPS|OPS|FLOP/s)", re.IGNORECASE)
    for match in pattern.finditer(clause.text):
        precision = _precision(clause, match)
        mentions = nearest(clause, match)
        if precision is None or not mentions:
            continue
        sparse = bool(SPARSE.search(f"{clause.said} {' '.join(clause.headers)}"))
        yield from _judge(clause, rate_of(precision, sparse=sparse), match, mentions)


def _precision(clause: Clause, value: re.Match[str]) -> str | None:
    """The precision between the name and the value, else right after the value, else that of the label."""
    beside = _PRECISION_AFTER.match(clause.text, value.end())
    if beside:
        return beside[1].lower()
    start = max((one.end for one in clause.gpus if one.end <= value.start()), default=0)
    between = [match[1].lower() for match in _PRECISION.finditer(clause.text, start, value.start())]
    if between:
        return between[-1]
    after = _PRECISION.search(clause.text, value.end(), value.end() + 16)
    if after:
        return after[1].lower()
    labelled = {match[1].lower() for match in _PRECISION.finditer(clause.label)}
    return labelled.pop() if len(labelled) == 1 else None


def _judge(
    clause: Clause, attribute: Attribute, match: re.Match[str], mentions: Sequence[Mention]
) -> Iterator[Finding]:
    unit = (match[2] or "").lower()
    number = float(match[1].replace(",", "")) * attribute.scale[unit]
    if attribute.name == "TDP" and not 15 <= number <= 3000:
        return
    claim = claimed(clause, attribute, match, number)
    found = [_finding(clause, attribute, claim, mention) for mention in mentions]
    judged = [one for one in found if one]
    # "A and B are alike, but it draws 230 W": of several names the value need only be that of one.
    meant = any(one.verdict == "holds" for one in judged) and not re.search(r"[/、]", clause.text[: match.start()])
    yield from (one if not (meant and one.disputed) else one.as_unsupported() for one in judged)


def _finding(clause: Clause, attribute: Attribute, claim: Claimed, mention: Mention) -> Finding | None:
    """What the facts say of a figure of one card; null for what several cards have together, which follows no rule."""
    known = [(card, attribute.value(card)) for card in cards(mention.ids)]
    figures = [value for _, value in known if value]
    right = [*figures, *_also_right(clause, attribute, mention)]
    verdict: Verdict = "unsupported"
    if any(claim.covers(value) for value in right):
        verdict = "holds"
    elif not figures and _lacks(attribute, [card for card, _ in known]):
        verdict = "wrong"
    elif figures and (len(figures) == len(known) or attribute.name.startswith("NVLink")):
        verdict = "wrong"
        if _count(clause, mention) > 1:
            return None
        if any(_is_noted(claim.text, card) for card, _ in known) and not _says_dense(clause, attribute):
            verdict = "unsupported"
        if attribute.name == "release year" and any(abs(claim.low - value) <= 1 for value in figures):
            verdict = "unsupported"  # announced in one year, sold in the next
    return clause.finding(
        subject=shared_name(mention.ids, mention.text),
        attribute=attribute.name,
        claimed_value=claim.text,
        verdict=verdict,
        correct_value=_correct(attribute, mention.ids, claim.low) if figures else _lacking(attribute, verdict),
        source=source_of(mention.ids, attribute.field),
        number=claim.low,
    )


def _lacks(attribute: Attribute, known: Sequence[Gpu]) -> bool:
    """Whether a rate is claimed in a format that none of these cards computes in."""
    format_name = attribute.name.partition(" ")[0]
    trait = next((one for one in TRAITS if one.name == format_name), None)
    return trait is not None and bool(known) and all(trait.has(card) is False for card in known)


def _lacking(attribute: Attribute, verdict: Verdict) -> str | None:
    return f"no {attribute.name.partition(' ')[0]} in hardware" if verdict == "wrong" else None


def _says_dense(clause: Clause, attribute: Attribute) -> bool:
    """Whether a rate is expressly the one without sparsity, so that the sparse one is no excuse."""
    return attribute.show is show_flops and bool(re.search(r"稠密|\bdense\b", clause.text, re.IGNORECASE))


def _is_noted(claimed: str, card: Gpu) -> bool:
    """Whether the catalog notes that other sources print this figure, so that it need not be an error."""
    number = re.match(r"[\d.,]+", claimed)
    parts = re.split(r"(?<=[.;])\s", card.notes)
    printed = " ".join(part for part in parts if _PRINTED.search(part) and not _RUMOURED.search(part))
    figures = {float(one) for one in re.findall(r"(?<![\d.x])\d+(?:\.\d+)?", printed)}
    return bool(number and float(number[0].replace(",", "")) in figures)


def _count(clause: Clause, mention: Mention) -> int:
    """How many of the card the clause, or the first cell of its row, speaks of."""
    if mention in clause.gpus:
        return count_before(clause.text, mention)
    head = clause.cells[0] if clause.cells else ""
    counted = [rig.count for rig in rigs_in(head, clause.line) if rig.gpus == mention.ids]
    return counted[0] if counted else 2 if re.search(r"\d\s*[x×]|[x×]\s*\d", head) else 1


def _also_right(clause: Clause, attribute: Attribute, mention: Mention) -> list[float]:
    """Other readings that make a figure true: one way of a link, the other kind of rate, a variant with more memory."""
    if attribute.field == "nvlink_bytes_per_s" and re.search(r"单向|each way|per direction|one way", clause.text):
        return [rate / 2 for card in cards(mention.ids) if (rate := card.nvlink_bytes_per_s)]
    if clause.sparse_noted and attribute.show is show_flops:
        rates = [(card.sparsity_ratio, getattr(card, attribute.field)) for card in cards(mention.ids)]
        return [ratio * rate for ratio, rate in rates if rate]
    if attribute.name.endswith("with sparsity"):
        return [rate for card in cards(mention.ids) if (rate := getattr(card, attribute.field))]
    if attribute.name == "memory":
        stem = re.escape(_SIZE_IN_ID.sub("", mention.ids[0]))
        return [card.memory_bytes for card in gpus().values() if re.fullmatch(rf"{stem}-\d+gb", card.id)]
    return []


def _correct(attribute: Attribute, ids: Sequence[str], number: float) -> str:
    """The right figure, and what the claimed one may have been mistaken for."""
    right = listed(ids, lambda card: attribute.show(attribute.value(card)))
    if attribute.show is not show_flops:
        return right
    hints: list[str] = []
    for card in cards(ids)[:1]:
        own = getattr(card, attribute.field, None)
        if own and card.sparsity_ratio > 1 and abs(own * card.sparsity_ratio - number) <= 0.02 * number:
            hints.append(f"{attribute.show(number)} only with structured sparsity")
        for field, name in _RATES:
            value = getattr(card, field)
            if own and abs(own - number) <= TOLERANCE * own:
                break  # nothing was mistaken
            if value and field != attribute.field and abs(value - number) <= 0.02 * value:
                hints.append(f"{attribute.show(value)} is its {name} rate")
    dense = "" if attribute.name.endswith("sparsity") else " dense"
    return f"{right}{dense}" + (f"; {hints[0]}" if hints else "")
