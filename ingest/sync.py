"""Sync: make the library hold what the files say, with as little work as their changes need, and nothing lost.

Every document is replaced in one transaction; one that cannot be read any more keeps its former chunks. The list of
what was ever ingested stands beside the library in a file of its own, so that a damaged library fills itself anew.
"""

import hashlib
import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ingest.bulk import spread
from ingest.chunk import chunk
from ingest.claims import check_document
from ingest.convert import KINDS, Converted, convert
from ingest.duplicates import fold
from ingest.fetch import is_url
from ingest.sources import (
    GUIDANCE,
    File,
    Sources,
    download,
    files,
    is_gone,
    refuse_oddity,
    remember,
    remembered,
    rooted,
    shown,
)
from kb.base import BadDocument, BadInput, Frozen, IndexUnavailable
from kb.catalog import FACTS
from kb.index.archive import SCHEMA, Document, Entry, Library
from kb.index.asked import QUESTIONS, asked_file, with_questions
from kb.index.store import Store, current
from kb.vectors.embedder import Embedder, embedder

__all__ = ["GUIDANCE", "Failure", "SyncReport", "ensure_bundled", "is_ready", "status", "sync"]
EMBED_BATCH = 256
"""Vectors committed together: what a kill costs at most, some seconds of work."""

Progress = Callable[[int, int, str], None]
_log = logging.getLogger(__name__)


class Failure(Frozen):
    """A file that could not be ingested."""

    path: str
    reason: str


class SyncReport(Frozen):
    """What a sync did, by document name."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    failed: tuple[Failure, ...] = ()
    chunks: int = 0
    """Chunks in the library afterwards."""
    seconds: float = 0.0


def sync(
    paths: Sequence[str | Path], *, only: bool = False, progress: Progress | None = None, bulk: bool = False
) -> SyncReport:
    """Bring the library up to date with files, folders and pages; with `only` it holds nothing else afterwards.

    With `bulk` the documents are read on a Ray cluster (`bulk.py`); storing and vectors stay with this process.

    Raises:
        BadInput: no path is given.
        IndexUnavailable: the library cannot be written.
    """
    if not paths:
        raise BadInput("path", "name at least one file or folder.")
    library = Library()
    roots = list(dict.fromkeys(map(rooted, paths)))
    with library.writer():
        sources = remembered(library)
        with_guidance = str(GUIDANCE) in roots
        kept = () if only else sources.paths
        named = tuple(root for root in roots if root != str(GUIDANCE))
        sources = Sources(
            bundled=with_guidance or (sources.bundled and not only), paths=tuple(dict.fromkeys((*kept, *named)))
        )
        remember(library, sources)
        failed = _download(library, roots)
        return _run(library, sources, roots, failed, progress, bulk=bulk)


def ensure_bundled() -> None:
    """Have the bundled guidance in a sound index; costs a few hashes when all is in place.

    After `sync(…, only=True)` the guidance stays out. A library that was lost or is of an older schema is filled anew
    from every path it was made of.
    """
    if is_ready():
        return
    library = Library()
    sources = remembered(library)
    with library.writer():
        whole = library.fact("ready") is None
        roots = [*([str(GUIDANCE)] if sources.bundled else []), *(sources.paths if whole else ())]
        _run(library, sources, roots, [], None)


def is_ready() -> bool:
    """Whether the index is sound and holds the bundled guidance as it is, unless that was left out."""
    library = Library()
    library.afresh()
    return library.fact_or_none("ready") == _ready(remembered(library)) and Store(library, embedder()).is_current()


def status() -> dict[str, Any]:
    """What the index holds, for people."""
    library = Library()
    generation = current(library.folder)
    documents = library.documents().values()
    return {
        "home": str(library.folder.parent),
        **library.counts(),
        "bundled_documents": sum(document.trust == "bundled" for document in documents),
        "languages": sorted({document.language for document in documents}),
        "embedding_model": embedder().name,
        "index": generation.directory if generation else None,
        "index_current": library.path.exists() and Store(library, embedder()).is_current(),
        "sources": list(remembered(library).paths),
    }


def _run(
    library: Library,
    sources: Sources,
    roots: Sequence[str],
    failed: list[Failure],
    progress: Progress | None,
    *,
    bulk: bool = False,
) -> SyncReport:
    started = time.monotonic()
    known = library.documents()
    wanted = {file.name: file for root in roots for file in files(root, library, known)}
    outcome: dict[str, list[str]] = {"added": [], "changed": [], "unchanged": []}
    tasks = [(file, known.get(name)) for name, file in wanted.items()]
    outcomes = spread(_read, tasks) if bulk else ((task, _read(task)) for task in tasks)
    for done, ((file, former), found) in enumerate(outcomes, 1):
        if isinstance(found, Failure):
            failed.append(found)
        elif found is None:
            outcome["unchanged"].append(file.name)
        else:
            library.put(found)
            outcome["added" if former is None else "changed"].append(file.name)
        if progress:
            progress(done, len(wanted), shown(file.name))
    _recheck(library, [known[name] for name in outcome["unchanged"]])
    removed = [name for name, one in known.items() if name not in wanted and is_gone(one, sources, roots)]
    if removed:
        library.drop(removed)
    fold(library)
    _embed(library, embedder(), progress)
    store = Store(library, embedder())
    if not store.is_current():
        store.build()
    if str(GUIDANCE) in roots or not sources.bundled:
        library.remember(ready=_ready(sources))
    return SyncReport(
        **outcome,
        removed=tuple(removed),
        failed=tuple(failed),
        chunks=library.counts()["chunks"],
        seconds=round(time.monotonic() - started, 3),
    )


def _download(library: Library, roots: Sequence[str]) -> list[Failure]:
    """Fetch the pages among the roots anew; one that does not come keeps its former copy."""
    failed = []
    for root in filter(is_url, roots):
        try:
            download(root, library)
        except BadDocument as problem:
            failed.append(Failure(path=shown(problem.path), reason=problem.reason))
    return failed


def _read(task: tuple[File, Document | None]) -> Entry | Failure | None:
    """What a file holds, why it cannot be read, or nothing when it is as it was; touches no library."""
    file, former = task
    try:
        refuse_oddity(file)
        digest = _digest(file.path)
        return None if former is not None and former.sha256 == digest else _entry(file, digest)
    except BadDocument as problem:
        return Failure(path=shown(problem.path), reason=problem.reason)


def _entry(file: File, digest: str) -> Entry:
    """A file as a document with its chunks and findings.

    Raises:
        BadDocument: it cannot be read.
    """
    converted = convert(file.path)
    bundled = file.path.is_relative_to(GUIDANCE)
    document = Document(
        name=file.name,
        path=str(file.path),
        root=file.root,
        sha256=digest,
        title=file.root if is_url(file.root) and converted.title == file.path.stem else converted.title,
        language=converted.language,
        date=converted.date,
        trust="bundled" if bundled else "user",
        twin=file.path.stem if bundled else None,
    )
    pieces = chunk(converted, str(file.path))
    if bundled:
        pieces = with_questions(pieces, file.path.stem)
    return Entry(document=document, chunks=pieces, findings=_findings(converted, document))


def _digest(path: Path) -> str:
    if path.suffix.lower() not in KINDS or not path.is_file():
        convert(path)  # names the reason
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256")
        if path.is_relative_to(GUIDANCE) and asked_file(path.stem).exists():
            digest.update(asked_file(path.stem).read_bytes())
        return digest.hexdigest()
    except OSError as problem:
        raise BadDocument(str(path), f"cannot be read: {problem.strerror or problem}.") from problem


def _findings(converted: Converted, document: Document) -> tuple[dict[str, Any], ...]:
    """What the claim check says about a person's document; the bundled guidance is checked by its own tests."""
    if document.trust == "bundled":
        return ()
    return tuple(one.model_dump(mode="json") for one in check_document(converted, document.name))


def _recheck(library: Library, documents: Sequence[Document]) -> None:
    """Judge unchanged documents again when the facts have changed since."""
    facts = _facts_digest()
    if library.fact("facts") == facts:
        return
    found = {}
    for document in documents:
        if document.trust == "user":
            try:
                found[document.name] = _findings(convert(Path(document.path)), document)
            except BadDocument:
                continue
    if found:
        library.set_findings(found)
    library.remember(facts=facts)


def _facts_digest() -> str:
    digest = hashlib.sha256()
    for path in sorted(FACTS.rglob("*")):
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _embed(library: Library, model: Embedder, progress: Progress | None) -> None:
    """Vectors for the chunks that have none; without a model, words alone find them."""
    missing = library.unembedded(model.name, model.languages)
    # Texts of like length together: a batch costs what its longest text costs.
    digests = sorted(missing, key=lambda digest: len(missing[digest].text))
    try:
        for start in range(0, len(digests), EMBED_BATCH):
            batch = digests[start : start + EMBED_BATCH]
            texts = [missing[digest] for digest in batch]
            library.put_vectors(model.name, batch, model.passages(texts), model.sentences(texts))
            if progress:
                progress(min(start + EMBED_BATCH, len(digests)), len(digests), "vectors")
    except IndexUnavailable as problem:
        _log.warning("%s", problem)
    library.forget_orphans(model.name)


def _ready(sources: Sources) -> str:
    """What must be unchanged for the index to need no work: schema, model, and every bundled file."""
    digest = hashlib.sha256(f"{SCHEMA} {embedder().name} {sources.bundled}".encode())
    for path in sorted([*GUIDANCE.rglob("*"), *QUESTIONS.glob("*")]) if sources.bundled else ():
        if path.is_file():
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()
