"""List the cards, models, machines, instances and software that documents name, and what the catalog makes of each.

    python tests/bench/names_in_documents.py PATH…

Prints one name a line: what it is and its ids, or the nearest real names when there is no such thing.
"""

import re
import sys
from pathlib import Path

from kb.naming.name_index import Names
from kb.naming.names import closed_names, gpu_names, model_names
from tools.check_compatibility import feature_names
from tools.lookup import Meaning, look_up

PRODUCTS = re.compile(
    r"(?<![A-Za-z0-9])(?:(?:Supermicro\s+)?(?:SYS|AS|SSG)-[0-9][0-9A-Z-]+"
    r"|(?:Dell|PowerEdge|GIGABYTE|Gigabyte|Inspur|浪潮|H3C|Lenovo|ThinkSystem|ASUS)\s?(?:PowerEdge\s|UniServer\s)?[A-Z]{0,3}-?\d{3,4}[A-Za-z0-9-]*"
    r"|(?:HPE\s+)?(?:Apollo|ProLiant)\s+[A-Z]{0,2}\d{3,4}[A-Za-z0-9]*(?:\s+Gen\d+(?:\s+Plus)?)?"
    r"|(?:NVIDIA\s+)?DGX[ -](?:Station(?:\s+[A-Z]+\d+)?|[A-Z]+\d+|Spark)"
    r"|ecs\.[a-z0-9.-]+|[a-z]\d[a-z]{0,3}(?:-[a-z0-9]+)?\.(?:\d*x?large|metal)|Standard_[A-Za-z0-9_]+"
    r"|(?:Azure\s+)?N[CDV](?:_[A-Z0-9]+)?_?v\d|Azure\s+N[CDV]\s+[A-Z]+\d+|a\d[a-z]?-[a-z]+gpu-\d+g|GN\d+"
    r"|(?:AMD\s+)?EPYC\s+\d{4}[A-Z]?|(?:Intel\s+)?Xeon\s+(?:Platinum|Gold|Silver|Bronze)\s+\d{4}[A-Z]?\+?)(?![A-Za-z0-9])"
)
"""Machines, instance types and processors as documents write them."""


def names_in(text: str) -> list[Meaning]:
    """Every name in the text, each once, in the order of first mention."""
    found: dict[str, tuple[int, Meaning]] = {}
    taken: list[tuple[int, int]] = []
    for match in PRODUCTS.finditer(text):
        meaning = look_up(match[0])
        taken.append(match.span())
        found.setdefault(match[0], (match.start(), meaning))
    scanners: tuple[tuple[str, Names], ...] = (
        ("gpu", gpu_names()), ("closed model", closed_names()), ("model", model_names()), ("software", feature_names()),
    )  # fmt: skip
    for kind, names in scanners:
        for mention in names.scan(text):
            if any(start < mention.end and mention.start < end for start, end in taken):
                continue
            taken.append((mention.start, mention.end))
            found.setdefault(mention.text, (mention.start, Meaning(name=mention.text, kind=kind, ids=mention.ids)))
    return [meaning for _, meaning in sorted(found.values(), key=lambda pair: pair[0])]


def main(paths: list[str]) -> int:
    """Print what each document names; exit code 1 when a name is neither known nor has a nearest real one."""
    helpless = 0
    for path in paths:
        print(f"# {Path(path).name}")
        for one in names_in(Path(path).read_text(encoding="utf-8")):
            known = ", ".join(one.ids[:3]) + (f" and {len(one.ids) - 3} more" if len(one.ids) > 3 else "")
            nearest = f"no such thing; nearest: {', '.join(one.nearest)}"
            print(f"  {one.name:<34} {f'{one.kind}: {known}' if one.kind else nearest}")
            helpless += one.kind is None and not one.nearest
    print(f"without an answer: {helpless}")
    return int(helpless > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
