"""Which CUDA a release of a framework is said to need."""

import re
from collections.abc import Iterator

from ingest.claims.finding import Finding, Verdict
from ingest.claims.reading import Clause
from kb.catalog import sources
from kb.programs.releases import Release, release
from kb.programs.software import version

_PACKAGES = {"pytorch": "pytorch", "torch": "pytorch", "tensorflow": "tensorflow", "vllm": "vllm"}
_NEEDS = re.compile(
    r"\b(PyTorch|torch|TensorFlow|vLLM)\s*(?:==|v|版本)?\s*(\d{1,2}\.\d{1,2})(?:\.\d+)?(?![\d.]*[+以])"
    r"([^,，。;；.]{0,24}?(?:需|要求|对应|默认|自带|编译|依赖|\bneeds?|\brequires?|\bbuilt (?:for|with|against)"
    r"|\bships? with|\bdefaults? to)[^,，。;；.\d]{0,12})"
    r"CUDA\s*(?:Toolkit|版本)?\s*(?:>=|≥)?\s*(\d{2}\.\d)\s*(以上|及以上|\+|or (?:later|newer|higher|above)|起)?",
    re.IGNORECASE,
)


def software_findings(clause: Clause) -> Iterator[Finding]:
    """Judge "TensorFlow 2.12 needs CUDA 12.0" against the toolkits that release was built for."""
    for match in _NEEDS.finditer(clause.text):
        package, wanted, cuda = _PACKAGES[match[1].lower()], match[2], match[4]
        known = release(package, wanted)
        if known is None or known.version != version(wanted):
            continue
        verdict = _verdict(known, cuda, open_ended=bool(match[5]) or ">" in match[0] or "≥" in match[0])
        if verdict:
            source = sources().get(known.source)
            yield clause.finding(
                subject=f"{match[1]} {wanted}",
                attribute="CUDA",
                claimed_value=f"CUDA {cuda}",
                verdict=verdict,
                correct_value=f"built for CUDA {', '.join(known.cudas)}",
                source=f"{source.title}, {source.url}" if source else known.source,
            )


def _verdict(known: Release, cuda: str, *, open_ended: bool) -> Verdict | None:
    """Nothing where a toolkit lies between those there are wheels for, or an old one is only the least."""
    claimed, built = version(cuda), [version(one) for one in known.cudas]
    if claimed in built:
        return "holds"
    if claimed > max(built) or (claimed < min(built) and not open_ended):
        return "wrong"
    return None
