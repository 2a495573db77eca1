"""How search keeps its speed as the corpus grows: 1,000, 10,000 and, with --long, 100,000 passages.

    python tests/bench/bench_retrieval_scale.py [--long]

The corpus is made of the guidance: its lines mixed anew with other numbers, so that words are as frequent as in real
text; vectors are those of passages with noise of a third of their length. Embedding is not timed
(tests/bench/bench_ingest.py does), only building the index and asking.
"""

import argparse
import random
import re
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from bench_retrieval import SETS, sections_of, use

from kb.index.archive import Chunk, Document, Entry, Library
from kb.index.index_words import language_of
from kb.index.store import Store
from kb.retrieval.search import search
from kb.settings import stay_offline
from kb.vectors.embedder import Vectors, embedder

SIZES, LONG = (1_000, 10_000), 100_000
CHUNKS_PER_DOCUMENT = 200
NOISE = 1 / 3
QUESTIONS = 120
SENTENCES = 6
"""Sentences of a passage, as a Chinese one of 300 characters has."""
VECTORS = 200
"""Passages that vectors are made from."""


def fill(home: Path, size: int, generator: random.Random) -> float:
    """Make a library of `size` passages; seconds that its index took."""
    originals = [chunk for language in ("en", "zh") for _, chunks in sections_of(language) for chunk in chunks]
    model = embedder()
    vectors = model.passages([chunk.text for chunk in originals[:: max(1, len(originals) // VECTORS)]])
    by_language = {
        language: [i for i, chunk in enumerate(originals) if chunk.language == language] for language in ("en", "zh")
    }
    library = Library(home / "index")
    with library.writer():
        for number in range(size // CHUNKS_PER_DOCUMENT):
            language = ("en", "zh")[number % 2]
            picked = [generator.choice(by_language[language]) for _ in range(CHUNKS_PER_DOCUMENT)]
            chunks = tuple(
                mixed(originals, one, by_language[language], place, generator) for place, one in enumerate(picked)
            )
            name = f"made/{number}"
            document = Document(name=name, path=name, root="made", sha256=str(number), title=name, language=language)
            library.put(Entry(document=document, chunks=chunks))
        missing = library.unembedded(model.name, model.languages)
        base = vectors[[generator.randrange(len(vectors)) for _ in missing]]
        noise = np.random.default_rng(1).standard_normal(base.shape).astype(np.float32)
        near = base + NOISE * noise / np.linalg.norm(noise, axis=1, keepdims=True)
        within = [sentences_of(language_of(one.text), near[place]) for place, one in enumerate(missing.values())]
        library.put_vectors(model.name, list(missing), near / np.linalg.norm(near, axis=1, keepdims=True), within)
        started = time.perf_counter()
        Store(library, model).build()
        return time.perf_counter() - started


def sentences_of(language: str, vector: Vectors) -> Vectors:
    """Vectors of a Chinese passage's sentences, which lie around its own; English ones are stored without."""
    if language != "zh":
        return np.zeros((0, 0), dtype=np.float32)
    around = vector + NOISE * np.random.default_rng(2).standard_normal((SENTENCES, len(vector))).astype(np.float32)
    return np.asarray(around / np.linalg.norm(around, axis=1, keepdims=True), dtype=np.float32)


def mixed(originals: list[Chunk], one: int, others: list[int], place: int, generator: random.Random) -> Chunk:
    """A passage with lines of others and with other numbers, on one line."""
    lines = originals[one].text.split("\n")
    lines.append(generator.choice(originals[generator.choice(others)].text.split("\n")))
    generator.shuffle(lines)
    text = re.sub(r"\d+", lambda _: str(generator.randrange(1, 2000)), " ".join(lines))
    return originals[one].model_copy(
        update={"text": text, "section": place, "line_start": place + 1, "line_end": place + 1, "context": ""}
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", action="store_true", help="100,000 passages, too: minutes")
    options = parser.parse_args()
    stay_offline()
    generator = random.Random(3)
    asked = [case[language] for cases in SETS.values() for case in cases for language in ("en", "zh")]
    asked = generator.sample(asked, QUESTIONS)
    print(f"{'passages':>10}{'index s':>9}{'first s':>9}{'p50 ms':>8}{'p99 ms':>8}")
    for size in (*SIZES, LONG) if options.long else SIZES:
        with tempfile.TemporaryDirectory() as folder:
            use(Path(folder))
            built = fill(Path(folder), size, generator)
            started = time.perf_counter()
            search("power supply for two cards")
            first = time.perf_counter() - started
            seconds = []
            for query in asked:
                started = time.perf_counter()
                search(query)
                seconds.append(time.perf_counter() - started)
        seconds.sort()
        middle, tail = (1e3 * one for one in (statistics.median(seconds), seconds[int(0.99 * len(seconds))]))
        print(
            f"{size:>10}{built:>9.1f}{first:>9.2f}{middle:>8.1f}{tail:>8.1f}",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
