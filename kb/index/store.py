"""The dense index: a Chroma collection built from the library, and exact search while there is none.

Chroma's directory survives neither two writers nor every kill, so it is never the truth: each generation is built in a
new directory, checked in a child process (a damaged one can crash whoever opens it), made current by replacing one
small file, and never written again. Whatever is missing, damaged or older than the library is passed over for an exact
scan of the vectors, and built anew at the next sync.
"""

import contextlib
import hashlib
import json
import logging
import os
import shutil
import sqlite3
import subprocess
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from kb.base import Frozen
from kb.child import environment
from kb.index.archive import Library
from kb.index.indexed import Indexed, beginning, indexed
from kb.vectors.embedder import Embedder, Vectors, unpacked

POINTER = "current.json"
CONDEMNED = "failed"
"""File in the directory of a generation that failed a reader: Chroma's SQLite file changes too often for a digest."""
BATCH = 1000
SENTENCES_KEPT = 2048
"""Chunks whose sentence vectors stay in memory: some 15 kB each."""
PASSAGES_KEPT = 2048
"""Chunks whose row and words stay in memory: some 12 kB each."""
CHECK_WAIT_S = 60.0
CHECK_SAMPLES = 8
SEARCH_BREADTH = 200
"""Candidates HNSW keeps while it searches; its default of 100 loses neighbours in larger collections."""
_log = logging.getLogger(__name__)


class Generation(Frozen):
    """One immutable build of the collection."""

    directory: str
    collection: str
    revision: int
    """Revision of the library it was built from."""
    count: int
    digests: dict[str, str]
    """SHA-256 of the files that opening does not rewrite."""


@dataclass
class _Open:
    """What this process has loaded."""

    key: tuple[int, str | None]
    """Revision of the library, and the generation that was current."""
    collection: Any
    chunks: list[int]
    matrix: Vectors
    sentences: dict[int, Vectors] = field(default_factory=dict)
    """Sentence vectors of the chunks that were asked for most recently, (n, size); (0, size) of one that has none."""
    passages: dict[tuple[str, int], Indexed | None] = field(default_factory=dict)
    """Language and chunk → what is indexed of those asked for most recently; null where the language has no such."""
    twins: dict[tuple[str, int, str], sqlite3.Row | None] = field(default_factory=dict)
    """Twin, section and language → the beginning of that section in a translation; null where there is none."""


class Store:
    """Nearest chunks by vector."""

    def __init__(self, library: Library, embedder: Embedder) -> None:
        self._library, self._embedder = library, embedder
        self._open: _Open | None = None
        self._lock = Lock()

    def nearest(self, vector: Vectors, top: int) -> dict[int, float]:
        """Chunk id → cosine similarity of the `top` closest."""
        state = self._state()
        if state.collection is not None:
            try:
                return _ask(state.collection, vector, min(top, len(state.chunks)))
            except Exception as problem:
                _log.warning("The Chroma index failed (%s); searching exactly until it is rebuilt.", problem)
                state.collection = None
                _condemn(self._library.folder, state.key[1])
        return _exact(state, vector, top)

    def cosines(self, vector: Vectors, keys: Iterable[int]) -> dict[int, float]:
        """Cosine similarity of these chunks, near or not; one without a vector is left out."""
        state = self._state()
        places = {key: bisect_left(state.chunks, key) for key in keys}
        held = {key: at for key, at in places.items() if at < len(state.chunks) and state.chunks[at] == key}
        if not held:
            return {}
        return dict(zip(held, (state.matrix[list(held.values())] @ vector).tolist(), strict=True))

    def sentences(self, connection: sqlite3.Connection, keys: Iterable[int]) -> dict[int, Vectors]:
        """The vectors of each chunk's sentences, (n, size), for those that have them."""
        state = self._state()
        size = state.matrix.shape[1]
        wanted = list(keys)
        found: dict[int, Vectors] = {}
        if missing := [key for key in wanted if key not in state.sentences]:
            # CROSS JOIN keeps the order: the planner would rather walk through every vector of the model.
            rows = connection.execute(
                f"""SELECT chunks.id, sentences FROM chunks CROSS JOIN vectors USING (sha256)
                    WHERE model = ? AND chunks.id IN ({",".join("?" * len(missing))})""",  # noqa: S608 - placeholders
                (self._embedder.name, *missing),
            )
            # At single precision: turning them for every question costs more than all products with them.
            found = {row["id"]: unpacked(row["sentences"] or b"", size).astype(np.float32) for row in rows}
            while state.sentences and len(state.sentences) + len(found) > SENTENCES_KEPT:
                state.sentences.pop(next(iter(state.sentences)), None)
            state.sentences.update(found)
        held = {key: found[key] if key in found else state.sentences.get(key) for key in wanted}
        return {key: own for key, own in held.items() if own is not None and len(own)}

    def passages(self, connection: sqlite3.Connection, keys: Iterable[int], language: str) -> list[Indexed]:
        """What is indexed of those of the chunks that are in a language, in the order of their numbers."""
        held = self._state().passages
        wanted = sorted(keys)
        found: dict[tuple[str, int], Indexed | None] = {}
        if missing := [key for key in wanted if (language, key) not in held]:
            found = {(language, key): None for key in missing}
            found.update(((language, one.row["id"]), one) for one in indexed(connection, missing, language))
        known = [found[language, key] if (language, key) in found else held.get((language, key)) for key in wanted]
        if len(held) + len(found) > PASSAGES_KEPT:
            held.clear()  # taking the oldest out one by one costs more than reading them again
        held.update(found)
        return [one for one in known if one is not None]

    def translations(self, connection: sqlite3.Connection) -> Callable[[sqlite3.Row, str], sqlite3.Row | None]:
        """What tells the beginning of a passage's section in the document's translation to a language."""
        held = self._state().twins

        def twin(row: sqlite3.Row, language: str) -> sqlite3.Row | None:
            key = (row["twin"], row["section"], language)
            if key in held:
                return held.get(key)
            if len(held) >= PASSAGES_KEPT:
                held.clear()
            found = held[key] = beginning(connection, *key)
            return found

        return twin

    def is_current(self) -> bool:
        """Whether a sound generation of the library as it is now exists."""
        generation = current(self._library.folder)
        return (
            generation is not None
            and generation.revision == self._library.revision()
            and generation.collection == self._collection_name()
            and is_intact(self._library.folder, generation)
        )

    def build(self) -> Generation | None:
        """Build, check and switch to a new generation; null when Chroma cannot, and exact search goes on serving.

        Only the library's writer may call this.
        """
        revision = self._library.revision()
        chunks, matrix = self._load()
        folder = self._library.folder
        directory = folder / f"chroma.gen-{_next_number(folder)}"
        try:
            _fill(directory, self._collection_name(), chunks, matrix)
            _check_in_child(directory, self._collection_name(), chunks, matrix)
        except Exception as problem:
            _log.warning("No Chroma index could be built (%s); searching exactly.", problem)
            shutil.rmtree(directory, ignore_errors=True)
            return None
        generation = Generation(
            directory=directory.name,
            collection=self._collection_name(),
            revision=revision,
            count=len(chunks),
            digests=_digests(directory),
        )
        _switch(folder, generation)
        return generation

    def _state(self) -> _Open:
        with self._lock:
            revision, generation = self._library.revision(), current(self._library.folder)
            key = (revision, generation.directory if generation else None)
            if self._open is None or self._open.key != key:
                chunks, matrix = self._load()
                self._open = _Open(key, self._collection(revision, generation), chunks, matrix)
            return self._open

    def _collection(self, revision: int, generation: Generation | None) -> Any:
        if generation is not None and generation.revision > revision:
            # Its journal was cut off, or a former copy put in its place: SQLite itself takes either for sound.
            _log.warning("The library has lost changes that the index was built from; sync the documents again.")
        if generation is None or generation.revision != revision or generation.collection != self._collection_name():
            return None
        if not is_intact(self._library.folder, generation):
            _log.warning("The Chroma index is damaged; searching exactly until it is rebuilt.")
            return None
        try:
            collection = _client(self._library.folder / generation.directory).get_collection(
                generation.collection, embedding_function=None
            )
            if collection.count() == generation.count:
                return collection
            problem: object = f"{collection.count()} of {generation.count} rows"
        except Exception as raised:
            problem = raised
        _log.warning("The Chroma index cannot be opened (%s); searching exactly until it is rebuilt.", problem)
        _condemn(self._library.folder, generation.directory)
        return None

    def _load(self) -> tuple[list[int], Vectors]:
        with self._library.reading() as connection:
            rows = connection.execute(
                """SELECT chunks.id, vector FROM chunks JOIN vectors USING (sha256)
                   WHERE model = ? AND chunks.id NOT IN (SELECT chunk FROM folds) ORDER BY chunks.id""",
                (self._embedder.name,),
            ).fetchall()
        vectors = [np.frombuffer(row["vector"], dtype=np.float32) for row in rows]
        return [row["id"] for row in rows], np.stack(vectors) if vectors else np.zeros((0, 1), dtype=np.float32)

    def _collection_name(self) -> str:
        """Carries the model, so that vectors of two models never mix."""
        return "chunks-" + hashlib.sha256(self._embedder.name.encode()).hexdigest()[:16]


def current(folder: Path) -> Generation | None:
    """The generation in use; null when there is none or the pointer cannot be read."""
    path = folder / POINTER
    try:
        found = path.stat()
    except OSError:
        return None
    return _pointed_at(path, (found.st_ino, found.st_mtime_ns, found.st_size))


@lru_cache(maxsize=8)
def _pointed_at(path: Path, _: tuple[int, int, int]) -> Generation | None:
    """What a pointer says, read once: another generation is another file."""
    try:
        return Generation.model_validate_json(path.read_bytes())
    except (OSError, ValueError):
        return None


def is_intact(folder: Path, generation: Generation) -> bool:
    """Whether the files are those that were checked when it was built, and no reader has failed on them."""
    try:
        if (folder / generation.directory / CONDEMNED).exists():
            return False
        return _digests(folder / generation.directory) == generation.digests
    except OSError:
        return False


def _condemn(folder: Path, directory: str | None) -> None:
    """Mark a generation that failed, so that the next sync builds another; a reader that may not write leaves it."""
    if directory is not None:
        with contextlib.suppress(OSError):
            (folder / directory / CONDEMNED).touch()


def _ask(collection: Any, vector: Vectors, top: int) -> dict[int, float]:
    if not top:
        return {}
    found = collection.query(query_embeddings=[vector], n_results=top, include=["distances"])
    return {int(key): 1.0 - distance for key, distance in zip(found["ids"][0], found["distances"][0], strict=True)}


def _exact(state: _Open, vector: Vectors, top: int) -> dict[int, float]:
    if not state.chunks:
        return {}
    scores = state.matrix @ vector
    best = np.argsort(-scores)[:top]
    return {state.chunks[i]: float(scores[i]) for i in best}


def _client(directory: Path) -> Any:
    import chromadb
    from chromadb.config import Settings

    return chromadb.PersistentClient(path=str(directory), settings=Settings(anonymized_telemetry=False))


def _fill(directory: Path, name: str, chunks: list[int], matrix: Vectors) -> None:
    directory.mkdir()
    client = _client(directory)
    try:
        # Without an embedding function of its own Chroma never downloads one.
        collection = client.create_collection(
            name,
            embedding_function=None,
            configuration={"hnsw": {"space": "cosine", "ef_search": SEARCH_BREADTH, **_flush_all(len(chunks))}},
        )
        for start in range(0, len(chunks), BATCH):
            rows = slice(start, start + BATCH)
            collection.add(ids=[str(key) for key in chunks[rows]], embeddings=matrix[rows])
    finally:
        client.close()


def _flush_all(rows: int) -> dict[str, int]:
    """Chroma's thresholds that put the graph on disk while it is built instead of at every opening."""
    return {"batch_size": 2, "sync_threshold": max(2, min(rows, BATCH))}


def _check_in_child(directory: Path, name: str, chunks: list[int], matrix: Vectors) -> None:
    """Open the new generation in another process and find some of its own vectors."""
    step = max(1, len(chunks) // CHECK_SAMPLES)
    task = {
        "directory": str(directory),
        "collection": name,
        "count": len(chunks),
        "samples": {str(chunks[i]): matrix[i].tolist() for i in range(0, len(chunks), step)},
    }
    done = subprocess.run(
        [sys.executable, "-m", "kb.index.store"],
        input=json.dumps(task).encode(),
        capture_output=True,
        timeout=CHECK_WAIT_S,
        env=environment(),
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"check failed with {done.returncode}: {done.stderr.decode(errors='replace')[-300:]}")


def check(task: dict[str, Any]) -> bool:
    """Whether a generation holds what it should and finds its own vectors; run in a child process."""
    collection = _client(Path(task["directory"])).get_collection(task["collection"], embedding_function=None)
    if collection.count() != task["count"]:
        return False
    for vector in task["samples"].values():
        found = _ask(collection, np.asarray(vector, dtype=np.float32), min(3, task["count"]))
        if max(found.values()) < 0.999:  # twins of one text may answer for each other
            return False
    return True


def _digests(directory: Path) -> dict[str, str]:
    """Digests of the graphs on disk; Chroma's own SQLite file is rewritten by every opening and checks itself."""
    if not directory.is_dir():
        raise FileNotFoundError(directory)
    graphs = [path.parent for path in directory.rglob("index_metadata.pickle")]
    files = sorted(file for graph in graphs for file in graph.iterdir())
    return {str(file.relative_to(directory)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def _next_number(folder: Path) -> int:
    return 1 + max((int(path.suffix.removeprefix(".gen-")) for path in folder.glob("chroma.gen-*")), default=0)


def _switch(folder: Path, generation: Generation) -> None:
    """Point at the new generation at once; keep the former one for readers that still have it open."""
    former = current(folder)
    new = folder / f"{POINTER}.new"
    with new.open("w", encoding="utf-8") as file:
        file.write(generation.model_dump_json())
        file.flush()
        os.fsync(file.fileno())
    new.replace(folder / POINTER)
    kept = {generation.directory, former.directory if former else None}
    for path in folder.glob("chroma.gen-*"):
        if path.name not in kept:
            shutil.rmtree(path, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(0 if check(json.load(sys.stdin)) else 1)
