"""The Chroma index is disposable: whatever befalls it, exact search answers and the next sync rebuilds it."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from kb.index.archive import Chunk, Document, Entry, Library
from kb.index.store import Store, current
from kb.vectors.embedder import Embedder, Vectors

ROWS = 60


@pytest.fixture
def library(advisor_home: Path) -> Library:
    """Sixty chunks with random unit vectors."""
    held = Library()
    chunks = tuple(
        Chunk(section=n, heading=f"h{n}", text=f"text {n}", line_start=n + 1, line_end=n + 1, language="en")
        for n in range(ROWS)
    )
    document = Document(name="d", path="/d", root="/d", sha256="0", title="t", language="en")
    with held.writer():
        held.put(Entry(document=document, chunks=chunks))
        missing = held.unembedded("random", ())
        vectors = np.random.default_rng(1).standard_normal((len(missing), 16)).astype(np.float32)
        held.put_vectors("random", list(missing), unit(vectors))
    return held


def unit(vectors: Vectors) -> Vectors:
    return (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)


@pytest.fixture
def store(library: Library) -> Callable[[], Store]:
    """A store as another process would open it."""
    return lambda: Store(library, Embedder("random", ()))


def query() -> Vectors:
    return unit(np.random.default_rng(2).standard_normal(16).astype(np.float32))


def test_chroma_finds_what_an_exact_scan_finds(store: Callable[[], Store]) -> None:
    exact = store().nearest(query(), 5)
    assert store().build() is not None
    indexed = store()
    assert indexed.nearest(query(), 5) == pytest.approx(exact, abs=1e-5)
    assert indexed._state().collection is not None


def test_an_index_older_than_the_library_is_passed_over(store: Callable[[], Store], library: Library) -> None:
    store().build()
    assert store().is_current()
    with library.writer():
        library.drop(["d"])
    assert not store().is_current()
    assert store().nearest(query(), 5) == {}


def test_a_reader_sees_the_library_change(store: Callable[[], Store], library: Library) -> None:
    reader = store()
    assert len(reader.nearest(query(), 5)) == 5
    with library.writer():
        library.drop(["d"])
    assert reader.nearest(query(), 5) == {}


@pytest.mark.parametrize("damage", ["truncate", "zero", "delete", "delete-all", "pointer", "pointer-gone"])
def test_a_damaged_index_is_never_opened_and_is_rebuilt(
    store: Callable[[], Store], library: Library, damage: str
) -> None:
    exact = store().nearest(query(), 5)
    store().build()
    generation = current(library.folder)
    assert generation is not None
    (data,) = (library.folder / generation.directory).rglob("data_level0.bin")
    match damage:
        case "truncate":
            data.write_bytes(data.read_bytes()[:100])
        case "zero":
            data.write_bytes(bytes(data.stat().st_size))
        case "delete":
            data.unlink()
        case "delete-all":
            shutil.rmtree(library.folder / generation.directory)
        case "pointer":
            (library.folder / "current.json").write_text("{not json")
        case "pointer-gone":
            (library.folder / "current.json").unlink()
    damaged = store()
    assert not damaged.is_current()
    assert damaged.nearest(query(), 5) == pytest.approx(exact, abs=1e-6)
    store().build()
    assert store().is_current()
    assert store().nearest(query(), 5) == pytest.approx(exact, abs=1e-5)


def test_a_generation_that_fails_its_check_is_not_switched_to(
    store: Callable[[], Store], library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    store().build()
    before = (library.folder / "current.json").read_text()

    def fail(*arguments: object) -> None:
        raise RuntimeError("check failed")

    monkeypatch.setattr("kb.index.store._check_in_child", fail)
    assert store().build() is None
    assert (library.folder / "current.json").read_text() == before
    assert len(list(library.folder.glob("chroma.gen-*"))) == 1


def test_old_generations_are_removed_but_the_former_one(store: Callable[[], Store], library: Library) -> None:
    for _ in range(4):
        store().build()
    kept = {path.name for path in library.folder.glob("chroma.gen-*")}
    assert kept == {"chroma.gen-3", "chroma.gen-4"}
    assert json.loads((library.folder / "current.json").read_text())["directory"] == "chroma.gen-4"


def test_a_collection_that_fails_in_use_gives_way_to_the_exact_scan(store: Callable[[], Store]) -> None:
    exact = store().nearest(query(), 5)
    store().build()
    used = store()
    used.nearest(query(), 1)

    class Broken:
        def query(self, **options: object) -> None:
            raise RuntimeError("Error finding id")

    used._state().collection = Broken()
    assert used.nearest(query(), 5) == pytest.approx(exact, abs=1e-6)
    assert not store().is_current()


@pytest.mark.parametrize(
    "spoil", [lambda data: b"", lambda data: data[: len(data) // 2], lambda data: b"x" * len(data)]
)
def test_damage_to_chromas_own_database_is_noticed_by_the_first_reader_and_mended(
    store: Callable[[], Store], library: Library, spoil: Callable[[bytes], bytes]
) -> None:
    exact = store().nearest(query(), 5)
    generation = store().build()
    assert generation is not None
    path = library.folder / generation.directory / "chroma.sqlite3"
    path.write_bytes(spoil(path.read_bytes()))
    assert store().nearest(query(), 5) == pytest.approx(exact, abs=1e-6)
    assert not store().is_current()
    store().build()
    assert store().is_current()


def test_a_passage_that_repeats_another_waits_for_no_vector(advisor_home: Path) -> None:
    held = Library()
    texts = ("one", "two", "two again")
    chunks = tuple(
        Chunk(section=n, heading="", text=text, line_start=n + 1, line_end=n + 1, language="en")
        for n, text in enumerate(texts)
    )
    with held.writer():
        held.put(
            Entry(
                document=Document(name="d", path="/d", root="/d", sha256="0", title="t", language="en"), chunks=chunks
            )
        )
        _, second, third = _keys(held)
        held.set_folds({third: second})
        assert [one.body for one in held.unembedded("random", ()).values()] == ["one", "two"]
        held.set_folds({})
        assert len(held.unembedded("random", ())) == 3


def _keys(library: Library) -> list[int]:
    with library.reading() as connection:
        return [row["id"] for row in connection.execute("SELECT id FROM chunks")]


def steps_of_sentences(store: Store, library: Library) -> int:
    """How often SQLite reports work, every ten steps, while the sentences of fifty chunks are read."""
    reports = 0

    def noted() -> None:
        nonlocal reports
        reports += 1

    with library.reading() as connection:
        keys = [row[0] for row in connection.execute("SELECT id FROM chunks ORDER BY id LIMIT 50")]
        connection.set_progress_handler(noted, 10)
        try:
            store.sentences(connection, keys)
        finally:
            connection.set_progress_handler(None, 0)
    return reports


def test_reading_the_sentences_of_a_few_chunks_does_not_grow_with_the_library(
    store: Callable[[], Store], library: Library
) -> None:
    reader = store()
    reader.nearest(query(), 1)
    few = steps_of_sentences(reader, library)
    more = tuple(
        Chunk(section=n, heading="h", text=f"more {n}", line_start=n + 1, line_end=n + 1, language="en")
        for n in range(20 * ROWS)
    )
    with library.writer():
        library.put(
            Entry(document=Document(name="e", path="/e", root="/e", sha256="1", title="t", language="en"), chunks=more)
        )
        missing = library.unembedded("random", ())
        vectors = np.random.default_rng(3).standard_normal((len(missing), 16)).astype(np.float32)
        library.put_vectors("random", list(missing), unit(vectors))
    reader = store()
    reader.nearest(query(), 1)
    assert few > 0
    assert steps_of_sentences(reader, library) < 2 * few
