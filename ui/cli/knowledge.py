"""`gpu-advisor ingest` and `gpu-advisor kb`: documents in, state, search, and claims that do not hold."""

import argparse
import json
import sys
from typing import Any

from pydantic import ValidationError

from kb.base import BadInput
from kb.retrieval.passage_filter import PassageFilter
from tools.refused import bad_input
from ui.cli.lines import read_lines, write_line
from ui.cli.progress import bar


def add_to(commands: Any) -> None:
    """The `ingest` and `kb` commands."""
    ingest = commands.add_parser("ingest", help="sync documents, folders or web pages into the index")
    ingest.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="a file, a folder or an http(s) address: Markdown, text, HTML, PDF, Word, PowerPoint, Excel, CSV",
    )
    ingest.add_argument("--only", action="store_true", help="replace the bundled guidance by these documents")
    ingest.add_argument("--bulk", action="store_true", help="read the documents on a Ray cluster (extra `bulk`)")
    ingest.add_argument("--json", action="store_true")
    ingest.set_defaults(run=run_ingest)

    kb = commands.add_parser("kb", help="state of the index, search, check of claims")
    parts = kb.add_subparsers(dest="part", required=True, metavar="status|search|check")
    status = parts.add_parser("status", help="documents and chunks in the index")
    status.add_argument("--json", action="store_true")
    status.set_defaults(run=run_status)
    search = parts.add_parser("search", help="passages for a query")
    search.add_argument("query", nargs="?")
    search.add_argument("--top", type=int, default=5, metavar="K")
    search.add_argument("--json", action="store_true", help="one passage a line")
    search.add_argument("--batch", metavar="FILE", help='JSON lines {"id", "query"}')
    search.add_argument("--language", action="append", choices=["zh", "en"], help="passages in this language only")
    search.add_argument("--since", metavar="DATE", help="documents from this date on: YYYY, YYYY-MM or YYYY-MM-DD")
    search.add_argument("--until", metavar="DATE", help="documents up to this date")
    search.add_argument("--source", action="append", metavar="NAME", help="documents of this name or pattern: *.pdf")
    search.add_argument("--trust", action="append", choices=["bundled", "user"], help="documents of this origin only")
    search.set_defaults(run=run_search)
    check = parts.add_parser("check", help="claims that disagree with the facts or with each other")
    check.add_argument("paths", nargs="*", metavar="PATH", help="documents; all that were ingested when none is given")
    check.add_argument("--json", action="store_true", help="one finding a line")
    check.set_defaults(run=run_check)


def run_ingest(options: argparse.Namespace) -> int:
    """Sync, and say what happened to every file; 2 when some could not be read."""
    from ingest.sync import sync
    from kb.settings import stay_offline

    stay_offline()
    report = sync(options.paths, only=options.only, progress=None if options.json else bar, bulk=options.bulk)
    if options.json:
        print(json.dumps(report.model_dump(mode="json"), ensure_ascii=False))
    else:
        print(
            f"{len(report.added)} added, {len(report.changed)} changed, {len(report.unchanged)} unchanged, "
            f"{len(report.removed)} removed, {len(report.failed)} failed; {report.chunks} chunks in the index"
        )
        for failure in report.failed:
            print(f"failed: {failure.path}: {failure.reason}", file=sys.stderr)
    return 2 if report.failed else 0


def run_status(options: argparse.Namespace) -> int:
    """What the index holds."""
    from ingest.sync import status

    state = status()
    if options.json:
        print(json.dumps(state, ensure_ascii=False, default=str))
    else:
        for name, value in state.items():
            print(f"{name}: {value}")
    return 0


def run_search(options: argparse.Namespace) -> int:
    """Passages for one query or a batch of them."""
    if (options.query is None) == (options.batch is None):
        raise BadInput("query", "give either a query or --batch FILE.")
    if not 1 <= options.top <= 50:
        raise BadInput("--top", "must lie between 1 and 50.")
    from ingest.sync import ensure_bundled
    from kb.retrieval.search import search
    from kb.settings import stay_offline

    among = _filter(options)
    stay_offline()
    ensure_bundled()
    if options.batch is not None:
        for line in read_lines(options.batch):
            if not isinstance(query := line.get("query"), str):
                write_line({"id": line.get("id"), "error": BadInput("query", "is missing or not text.").data()})
                continue
            found = [passage.model_dump(mode="json") for passage in search(query, top=options.top, among=among)]
            write_line({"id": line.get("id"), "passages": found})
        return 0
    for passage in search(options.query, top=options.top, among=among):
        if options.json:
            write_line(passage.model_dump(mode="json"))
        else:
            print(f"{passage.document}:{passage.line_start}  {passage.heading}  ({passage.score:.2f})")
            print("    " + passage.text.replace("\n", "\n    ") + "\n")
    return 0


def _filter(options: argparse.Namespace) -> PassageFilter:
    """Which documents may answer."""
    try:
        return PassageFilter(
            languages=tuple(options.language or ()),
            since=options.since,
            until=options.until,
            sources=tuple(options.source or ()),
            trusts=tuple(options.trust or ()),
        )
    except ValidationError as problem:
        raise bad_input(problem) from None


def run_check(options: argparse.Namespace) -> int:
    """Findings of the claim check."""
    from ingest.claims import check

    for finding in check(options.paths):
        data = finding.model_dump(mode="json")
        if options.json:
            write_line(data)
        elif data.get("kind") == "contradiction":
            said = "; ".join(f"{s['document']}:{s['line']} says “{s['value']}”" for s in data["statements"])
            print(f"contradiction  {data['subject']} {data['attribute']}: {said}")
        elif data["verdict"] != "holds":
            print(
                f"{data['verdict']:12} {data['document']}:{data['line']}  {data['subject']}, {data['attribute']}: "
                f"says “{data['claimed_value']}”; {data['correct_value']}"
            )
    return 0
