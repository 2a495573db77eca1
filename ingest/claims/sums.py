"""Sums that a document works out: memory and power of several cards, and products written out."""

import re
from collections.abc import Iterator

from ingest.claims.facts import cards, shared_name
from ingest.claims.finding import Finding
from ingest.claims.reading import Clause, Rig, rigs_in
from kb.catalog import gpus
from kb.units import GIB

_AMOUNT = r"(\d{1,3}(?:,\d{3})+|\d{1,5}(?:\.\d{1,2})?)\s*(GB|TB)"
_TOTAL = re.compile(
    rf"(?:总显存|共有?|聚合|total|aggregate|合计|总计)\s*(?:为|是|约|of|:|：)?\s*{_AMOUNT}"
    rf"|{_AMOUNT}\s*(?:聚合|总|total|aggregate"
    r"|(?:of (?:VRAM|memory|HBM\w*)\s*)?(?:in total|together|combined|altogether|in all))",
    re.IGNORECASE,
)
_NUMBER = r"(\d{1,3}(?:,\d{3})+|\d{1,7}(?:\.\d{1,3})?)"
_POWER = re.compile(
    r"(?:总|合计|共|满载)(?:板卡|显卡)?(?:的)?(?:功耗|功率|耗电)?\s*(?:共|合计|约|为|是|:|：)*\s*"
    rf"{_NUMBER}\s*(kW|W|瓦|千瓦)"
    rf"|{_NUMBER}\s*(kW|W)\s*(?:in total|together|combined|altogether|in all|合计|总功耗)",
    re.IGNORECASE,
)
_PRODUCT = re.compile(
    r"(?<![\d.×x*+\-])(\d{1,5}(?:\.\d{1,3})?)\s*(?:张|块|GB|W|台)?\s*[×x*]\s*(\d{1,5}(?:\.\d{1,3})?)"
    rf"\s*(GB|GiB|W|TFLOPS)?\s*(?:=|＝)\s*(?:约|~|≈)?\s*{_NUMBER}\s*(GB|GiB|W|TFLOPS|kW|TB)?"
    r"(?!\s*[×x*/+\-]\s*\d)",
    re.IGNORECASE,
)
_THOUSANDS = {("w", "kw"), ("gb", "tb"), ("gib", "tb")}


def sum_findings(clause: Clause) -> Iterator[Finding]:
    """Judge the sums and products of the clause."""
    yield from _totals(clause)
    yield from _power(clause)
    yield from _products(clause)


def _totals(clause: Clause) -> Iterator[Finding]:
    """Memory of several cards added up; several sums on one line each take the cards since the one before."""
    start = 0
    for match in _TOTAL.finditer(clause.text):
        rigs = rigs_in(clause.text[start : match.start()], clause.line)
        start = match.end()
        yield from _total(clause, match, rigs)


def _total(clause: Clause, match: re.Match[str], rigs: list[Rig]) -> Iterator[Finding]:
    if not rigs:
        return
    rig, unit = rigs[-1], (match[2] or match[4]).lower()
    if unit == "gb" and len(rigs) > 1:
        return  # the sum may be of both
    claimed = float((match[1] or match[3]).replace(",", "")) * (1000 if unit == "tb" else 1)
    # Terabytes are rounded, and made of a thousand or of 1,024.
    slack = 0.04 if unit == "tb" else 0.02
    sums = {rig.count * card.memory_bytes / GIB for card in cards(rig.gpus)}
    yield clause.finding(
        subject=f"{rig.count} × {shared_name(rig.gpus, gpus()[rig.gpus[0]].name)}",
        attribute="memory in all",
        claimed_value=f"{claimed:g} GB",
        verdict="holds" if any(abs(claimed - one) <= slack * one for one in sums) else "wrong",
        correct_value=" or ".join(f"{one:g} GB" for one in sorted(sums)),
        source="arithmetic",
        number=claimed * GIB,
    )


def _power(clause: Clause) -> Iterator[Finding]:
    """Power of several cards added up: less than the cards draw is wrong, more may be the machine around them."""
    match = _POWER.search(clause.text)
    rigs = [one for one in rigs_in(clause.text[: match.start()], clause.line) if one.count > 1] if match else []
    if match is None or len(rigs) != 1:
        return
    (rig,) = rigs
    draws = [rig.count * card.tdp_w for card in cards(rig.gpus) if card.tdp_w]
    unit = (match[2] or match[4]).lower()
    claimed = float((match[1] or match[3]).replace(",", "")) * (1000 if unit in {"kw", "千瓦"} else 1)
    # A rounded kilowatt, and cards held below their limit, are no errors.
    slack = 0.06 if unit in {"kw", "千瓦"} else 0.03
    holds = any(abs(claimed - one) <= slack * one for one in draws)
    if not draws or re.search(r"限|limit|cap|idle|待机|每", clause.text) or not (holds or claimed < min(draws)):
        return
    yield clause.finding(
        subject=f"{rig.count} × {shared_name(rig.gpus, gpus()[rig.gpus[0]].name)}",
        attribute="power in all",
        claimed_value=match[0].strip(),
        verdict="holds" if holds else "wrong",
        correct_value=" or ".join(f"{one:,} W" for one in sorted(set(draws))),
        source="arithmetic",
        number=claimed,
    )


def _products(clause: Clause) -> Iterator[Finding]:
    """「8×80GB=640GB」: the product of two numbers that stand there."""
    for match in _PRODUCT.finditer(clause.text):
        unit, result = (match[3] or "").lower(), (match[5] or "").lower()
        if unit and result and unit != result and (unit, result) not in _THOUSANDS:
            continue
        product = float(match[1]) * float(match[2])
        claimed = float(match[4].replace(",", "")) * (1000 if (unit, result) in _THOUSANDS else 1)
        slack = 0.03 if (unit, result) in _THOUSANDS else 0.01
        yield clause.finding(
            subject=f"{match[1]} × {match[2]}",
            attribute="product",
            claimed_value=match[0].strip(),
            verdict="holds" if abs(claimed - product) <= slack * product + 0.5 else "wrong",
            correct_value=f"{product:,g} {match[3] or ''}".strip(),
            source="arithmetic",
            number=claimed,
        )
