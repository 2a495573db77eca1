"""Chinese in MiniLM's space: one vector a word, fitted so that a Chinese line lands where its English twin does.

The vector of a text is the sum of its words' vectors: glossary terms, pairs of characters, single characters, and the
Latin words between them. The table is a ridge regression on the lines of the bilingual guidance and the glossary
(tests/bench/fit_chinese_vectors.py), kept as bytes with one scale a word.
"""

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kb.index.index_words import HAN, chinese_terms, content_runs, without_markup, words
from kb.naming.names import normalise

TABLE = Path(__file__).with_name("chinese_vectors.npz")
_RUN = re.compile(rf"[{HAN}]+|[a-z0-9]+(?:[.\-_][a-z0-9]+)*")
_HAN_RUN = re.compile(rf"[{HAN}]+")


def features(text: str) -> frozenset[str]:
    """The words of a text that have vectors: `t:` glossary terms, `c:` characters, pairs and Latin words bare."""
    found: set[str] = set()
    for run in _RUN.findall(without_markup(normalise(text))):
        if not _HAN_RUN.match(run):
            found.update(words(run))
            continue
        found.update(f"t:{term}" for term in chinese_terms(run))
        for piece in content_runs(run):
            found.update(f"c:{character}" for character in piece)
            found.update(piece[i : i + 2] for i in range(len(piece) - 1))
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class ChineseVectors:
    """Word → row, with the rows as bytes and their scales."""

    rows: dict[str, int]
    vectors: NDArray[np.int8]
    scales: NDArray[np.float32]
    digest: str

    def vector(self, text: str) -> NDArray[np.float32] | None:
        """The unit vector of a text; null when it knows none of its words."""
        known = [self.rows[feature] for feature in sorted(features(text)) if feature in self.rows]
        total = self.scales[known] @ self.vectors[known].astype(np.float32)
        norm = float(np.linalg.norm(total))
        return np.asarray(total / norm, dtype=np.float32) if norm else None

    def known(self, text: str) -> float:
        """Share of a text's pairs of characters and Latin words that have a vector; 1 of one without any."""
        pairs = [feature for feature in features(text) if not feature.startswith(("c:", "t:"))]
        return sum(pair in self.rows for pair in pairs) / len(pairs) if pairs else 1.0


@lru_cache(maxsize=1)
def chinese_vectors() -> ChineseVectors:
    """The packaged table."""
    with np.load(TABLE) as held:
        names = bytes(held["words"]).decode().split("\n")
        vectors, scales = held["vectors"], held["scales"]
    digest = hashlib.sha256(TABLE.read_bytes()).hexdigest()[:8]
    return ChineseVectors({name: row for row, name in enumerate(names)}, vectors, scales, digest)


def store_vectors(names: list[str], vectors: NDArray[np.float32], path: Path = TABLE) -> None:
    """Write a table: rows rounded to 127 steps of their largest component."""
    scales = np.abs(vectors).max(axis=1).astype(np.float32) / 127
    rounded = np.round(vectors / np.maximum(scales, np.finfo(np.float32).tiny)[:, None]).astype(np.int8)
    np.savez_compressed(path, words=np.frombuffer("\n".join(names).encode(), np.uint8), vectors=rounded, scales=scales)
