"""The claim check: every judged claim of some documents, and where they contradict each other."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ingest.claims.ageing import ageing_findings, caption_findings
from ingest.claims.cloud import cloud_findings
from ingest.claims.finding import Contradiction, Finding, Statement
from ingest.claims.fits import fit_findings
from ingest.claims.kinds import kind_findings
from ingest.claims.machines import machine_findings
from ingest.claims.needs import need_findings
from ingest.claims.ratios import ratio_findings
from ingest.claims.reading import clauses
from ingest.claims.sizes import size_findings
from ingest.claims.software import software_findings
from ingest.claims.specs import spec_findings
from ingest.claims.sums import sum_findings
from ingest.claims.traits import trait_findings
from ingest.convert import KINDS, Converted, convert
from kb.base import BadInput
from kb.index.archive import Library

JUDGES = (
    spec_findings, trait_findings, kind_findings, cloud_findings, machine_findings, need_findings, size_findings,
    ratio_findings, ageing_findings, sum_findings, software_findings, fit_findings,
)  # fmt: skip
_WORTH_JUDGING = re.compile(
    r"\d|✅|✔|✓|√|❌|✘|✗|×|支持|support|turing|volta|pascal|ada|cdna|rdna|nvlink|pcie|ecc|fp|bf|batch|批量|架构|冷|ampere|hopper|blackwell|[xz]eon|槽|cool|liquid|slot|淘汰|激活|活跃|active|最|有|无|否|是|yes|no",
    re.IGNORECASE,
)
"""Names and figures have digits; what else is judged is one of these. Everything else costs one scan."""
_QUESTION = re.compile(r"[?？]|吗\s*$")
"""A question claims nothing."""
_REPORTED = re.compile(
    r"误区|谣言|误解|误传|传言|有人(?:说|认为|以为|声称)|不少人|常见错误|错误地|\bmyth\b|misconception|rumou?r"
    r"|\b(?:some|many|people|they|others|sellers|guides|forums)\b[^.]{0,24}\b(?:claim|say|think|believe|write|assume)\b"
    r"|\b(?:claims?|idea|belief) that\b|contrary to|\bis (?:wrong|false|not true)\b|\bdoes not mean\b",
    re.IGNORECASE,
)
"""What a document reports or refutes it does not claim."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_PAIR = re.compile(rf"({_NUMBER.pattern})\s?[A-Za-z/]{{0,8}}\s?(?:对|比|against|vs\.?)\s?({_NUMBER.pattern})")
"""Two cards' values set against each other: 「带宽 2,039 对 1,555 GB/s」."""
OPINIONS = {"standing", "generation", "currency", "availability", "full training", "latest version"}
"""Attributes whose values are words; two of them may both be meant."""
APART = 0.05
"""From which relative difference two stated values contradict each other."""


def check(paths: Sequence[str | Path]) -> list[Finding | Contradiction]:
    """Judge documents and folders; every ingested document of a person when none is named.

    Raises:
        BadInput: a path does not exist.
        BadDocument: a named file cannot be read.
    """
    findings: list[Finding] = []
    for path in _files(paths):
        findings.extend(check_document(convert(path), str(path)))
    return [*findings, *contradictions(findings)]


def check_document(document: Converted, name: str) -> list[Finding]:
    """Every judged claim of one document, in its order, each once."""
    found: dict[tuple[object, ...], Finding] = {}
    read = list(clauses(document, name))
    for clause in read:
        if _QUESTION.search(clause.text) or _REPORTED.search(clause.row or clause.text):
            continue
        if not _WORTH_JUDGING.search(f"{clause.label} {clause.text}" if clause.cells else clause.text):
            continue
        paired = _paired(clause.text)
        for judge in JUDGES:
            for finding in judge(clause):
                if finding.disputed and paired.intersection(_NUMBER.findall(finding.claimed_value)):
                    continue
                key = (finding.line, finding.subject, finding.attribute, finding.claimed_value)
                found.setdefault(key, finding)
    for finding in caption_findings(read):
        found[finding.line, finding.subject, finding.attribute, finding.claimed_value] = finding
    pages = {line.number: line.page for line in document.lines if line.page is not None}
    paged = (one.model_copy(update={"page": pages[one.line]}) if one.line in pages else one for one in found.values())
    return sorted(paged, key=lambda one: one.line)


def _paired(text: str) -> set[str]:
    """Numbers of values set against each other: which card each belongs to is not certain, so none is disputed."""
    return {number for pair in _PAIR.findall(text) for number in pair}


def contradictions(findings: Sequence[Finding]) -> list[Contradiction]:
    """Claims on one thing whose values differ, in different places."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        if finding.verdict != "unsupported" and finding.attribute not in OPINIONS:
            groups.setdefault((finding.subject, finding.attribute), []).append(finding)
    found = []
    for (subject, attribute), claims in groups.items():
        apart = _apart(claims)
        if len(apart) > 1:
            statements = tuple(
                Statement(document=claim.document, line=claim.line, value=claim.claimed_value) for claim in apart
            )
            place = {"document": apart[0].document, "line": apart[0].line}
            found.append(Contradiction(**place, subject=subject, attribute=attribute, statements=statements))
    return found


def _apart(claims: Sequence[Finding]) -> list[Finding]:
    """One claim for each value, when a true one and a disputed one or two numbers stand against each other."""
    distinct: list[Finding] = []
    for claim in claims:
        if not any(_agree(claim, other) for other in distinct):
            distinct.append(claim)
    lines = [claim.line for claim in distinct]
    # Neighbouring lines of a list tell cases apart.
    listed = len({claim.document for claim in distinct}) == 1 and max(lines) - min(lines) < len(lines)
    return [] if listed else distinct


def _agree(claim: Finding, other: Finding) -> bool:
    if claim.verdict == other.verdict == "holds":
        return True  # two right values belong to two variants
    if claim.number is not None and other.number is not None:
        return abs(claim.number - other.number) <= APART * max(abs(claim.number), abs(other.number))
    return claim.claimed_value.casefold() == other.claimed_value.casefold()


def _files(paths: Sequence[str | Path]) -> Iterator[Path]:
    if not paths:
        yield from (Path(one.path) for one in Library().documents().values() if one.trust == "user")
        return
    for path in map(Path, paths):
        if path.is_dir():
            inside = (one for one in sorted(path.rglob("*")) if one.is_file() and one.suffix.lower() in KINDS)
            yield from (one for one in inside if not any(part.startswith(".") for part in one.relative_to(path).parts))
        elif path.exists():
            yield path
        else:
            raise BadInput("path", f"{path} does not exist.")
