"""Sync: make the library hold what the files say, with as little work as their changes need, and nothing lost.

Every document is replaced in one transaction; one that cannot be read any more keeps its former chunks. The list of
what was ever ingested stands beside the library in a file of its own, so that a damaged library fills itself anew.
"""

import hashlib
import json
import logging
import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from ingest.chunk import chunk
from ingest.claims import check_document
from ingest.convert import KINDS, Converted, convert
from kb.archive import SCHEMA, Document, Entry, Library
from kb.base import BadDocument, BadInput, Frozen, IndexUnavailable
from kb.catalog import FACTS
from kb.embedder import Embedder, embedder
from kb.store import Store, current

GUIDANCE = Path(__file__).resolve().parent.parent / "kb" / "guidance"
SOURCES = "sources.json"
FILES_MAX = 100_000
EMBED_BATCH = 64
"""Vectors committed together: what a kill costs at most."""

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


class Sources(Frozen):
    """What the library was made of; enough to make it again."""

    bundled: bool = True
    """Whether the bundled guidance is part of it."""
    paths: tuple[str, ...] = Field(default=())
    """Files and folders a person ingested."""


def sync(paths: Sequence[str | Path], *, only: bool = False, progress: Progress | None = None) -> SyncReport:
    """Bring the library up to date with files and folders; with `only` it holds nothing else afterwards.

    Raises:
        BadInput: no path is given.
        IndexUnavailable: the library cannot be written.
    """
    if not paths:
        raise BadInput("path", "name at least one file or folder.")
    library = Library()
    roots = [Path(path).expanduser().resolve() for path in paths]
    with library.writer():
        sources = _remembered(library)
        with_guidance = any(root == GUIDANCE for root in roots)
        kept = () if only else sources.paths
        named = tuple(str(root) for root in roots if root != GUIDANCE)
        sources = Sources(
            bundled=with_guidance or (sources.bundled and not only), paths=tuple(dict.fromkeys((*kept, *named)))
        )
        _remember(library, sources)
        return _run(library, sources, roots, progress)


def ensure_bundled() -> None:
    """Have the bundled guidance in a sound index; costs a few hashes when all is in place.

    After `sync(…, only=True)` the guidance stays out. A library that was lost or is of an older schema is filled anew
    from every path it was made of.
    """
    library = Library()
    sources = _remembered(library)
    if library.fact_or_none("ready") == _ready(sources) and Store(library, embedder()).is_current():
        return
    with library.writer():
        whole = library.fact("ready") is None
        roots = [*([GUIDANCE] if sources.bundled else []), *(map(Path, sources.paths) if whole else ())]
        _run(library, sources, roots, None)


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
        "sources": list(_remembered(library).paths),
    }


def _run(library: Library, sources: Sources, roots: Sequence[Path], progress: Progress | None) -> SyncReport:
    started = time.monotonic()
    known = library.documents()
    wanted = {name: (path, root) for root in roots for name, path in _files(root, known)}
    outcome: dict[str, list[str]] = {"added": [], "changed": [], "unchanged": []}
    failed: list[Failure] = []
    for done, (name, (path, root)) in enumerate(wanted.items(), 1):
        try:
            outcome[_take(library, known.get(name), name, path, root)].append(name)
        except BadDocument as problem:
            failed.append(Failure(path=problem.path, reason=problem.reason))
        if progress:
            progress(done, len(wanted), name)
    _recheck(library, [known[name] for name in outcome["unchanged"]])
    removed = [name for name, document in known.items() if _is_gone(document, name, wanted, sources, roots)]
    if removed:
        library.drop(removed)
    _embed(library, embedder(), progress)
    store = Store(library, embedder())
    if not store.is_current():
        store.build()
    if GUIDANCE in roots or not sources.bundled:
        library.remember(ready=_ready(sources))
    return SyncReport(
        **outcome,
        removed=tuple(removed),
        failed=tuple(failed),
        chunks=library.counts()["chunks"],
        seconds=round(time.monotonic() - started, 3),
    )


def _files(root: Path, known: dict[str, Document]) -> Iterator[tuple[str, Path]]:
    """Name and path of every file that `root` stands for; hidden ones and links to folders are left out."""
    if not root.is_dir():
        # A file that is gone takes its document with it; one that never was is an error.
        if root.exists() or str(root) not in known:
            yield str(root), root
        return
    count = 0
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(name for name in names if not name.startswith(".")):
            count += 1
            if count > FILES_MAX:
                raise BadInput("path", f"{root} holds more than {FILES_MAX:,} files.")
            path = Path(folder, name)
            yield _name(path), path


def _name(path: Path) -> str:
    """What a document is called: bundled ones by their place in the package, others by their path."""
    return f"guidance/{path.relative_to(GUIDANCE).as_posix()}" if path.is_relative_to(GUIDANCE) else str(path)


def _take(library: Library, former: Document | None, name: str, path: Path, root: Path) -> str:
    """Store one file unless it is unchanged; says what was done.

    Raises:
        BadDocument: it cannot be read; its former self stays.
    """
    digest = _digest(path)
    if former is not None and former.sha256 == digest:
        return "unchanged"
    converted = convert(path)
    bundled = path.is_relative_to(GUIDANCE)
    document = Document(
        name=name,
        path=str(path),
        root=str(root),
        sha256=digest,
        title=converted.title,
        language=converted.language,
        date=converted.date,
        trust="bundled" if bundled else "user",
        twin=path.stem if bundled else None,
    )
    library.put(Entry(document=document, chunks=chunk(converted, str(path)), findings=_findings(converted, document)))
    return "added" if former is None else "changed"


def _digest(path: Path) -> str:
    if path.suffix.lower() not in KINDS:
        convert(path)  # names the reason
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
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


def _is_gone(document: Document, name: str, wanted: dict[str, Any], sources: Sources, roots: Sequence[Path]) -> bool:
    """Whether a document belongs to none of the sources any more, or its file has left a folder just synced."""
    if name in wanted:
        return False
    if document.trust == "bundled":
        return not sources.bundled or GUIDANCE in roots
    path = Path(document.path)
    if not any(path.is_relative_to(source) for source in sources.paths):
        return True
    return any(path.is_relative_to(root) for root in roots)


def _embed(library: Library, model: Embedder, progress: Progress | None) -> None:
    """Vectors for the chunks that have none; without a model, words alone find them."""
    missing = library.unembedded(model.name, model.languages)
    # Long texts together: a batch costs what its longest text costs.
    digests = sorted(missing, key=lambda digest: len(missing[digest]))
    try:
        for start in range(0, len(digests), EMBED_BATCH):
            batch = digests[start : start + EMBED_BATCH]
            library.put_vectors(model.name, batch, model.passages([missing[digest] for digest in batch]))
            if progress:
                progress(min(start + EMBED_BATCH, len(digests)), len(digests), "vectors")
    except IndexUnavailable as problem:
        _log.warning("%s", problem)
    library.forget_orphans(model.name)


def _ready(sources: Sources) -> str:
    """What must be unchanged for the index to need no work: schema, model, and every bundled file."""
    digest = hashlib.sha256(f"{SCHEMA} {embedder().name} {sources.bundled}".encode())
    for path in sorted(GUIDANCE.rglob("*")) if sources.bundled else ():
        if path.is_file():
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def _remembered(library: Library) -> Sources:
    try:
        return Sources.model_validate_json((library.folder / SOURCES).read_bytes())
    except FileNotFoundError:
        return Sources()
    except (OSError, ValueError):
        _log.warning("%s cannot be read; the documents in the library stay.", library.folder / SOURCES)
        return Sources(paths=tuple(sorted({document.root for document in library.documents().values()})))


def _remember(library: Library, sources: Sources) -> None:
    new = library.folder / f"{SOURCES}.new"
    with new.open("w", encoding="utf-8") as file:
        file.write(json.dumps(sources.model_dump(mode="json"), ensure_ascii=False, indent=1))
        file.flush()
        os.fsync(file.fileno())
    new.replace(library.folder / SOURCES)
