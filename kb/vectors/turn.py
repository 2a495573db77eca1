"""A question's vector turned towards the passages that answer it.

MiniLM lays a question where texts that resemble it lie; what answers it often resembles it little. One matrix a
language, fitted on questions whose answers are known (tests/bench/fit_turn.py), says in which directions of the space
that difference lies: q' = (q + q·W) / |q + q·W|. Sections it was not fitted on gain as well, and so do documents for
which nobody wrote down what they answer.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

TABLE = Path(__file__).with_name("turn.npz")
Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Turn:
    """Language → its matrix, (384, 384)."""

    matrices: dict[str, Vectors]

    def of(self, vector: Vectors, language: str) -> Vectors:
        """The unit vector of a question of a language, turned; as it is in a language without a matrix."""
        matrix = self.matrices.get(language)
        if matrix is None:
            return vector
        turned = vector + vector @ matrix
        return np.asarray(turned / np.linalg.norm(turned), dtype=np.float32)


@lru_cache(maxsize=1)
def turn() -> Turn:
    """The packaged matrices."""
    with np.load(TABLE) as held:
        languages = sorted({name.split("_")[0] for name in held.files})
        return Turn({one: held[f"{one}_rows"].astype(np.float32) * held[f"{one}_scales"][:, None] for one in languages})


def store_turn(matrices: dict[str, Vectors], path: Path = TABLE) -> None:
    """Write matrices: rows rounded to 127 steps of their largest component."""
    held: dict[str, NDArray[np.generic]] = {}
    for language, matrix in matrices.items():
        scales = (np.abs(matrix).max(axis=1) / 127).astype(np.float32)
        steps = np.maximum(scales, np.finfo(np.float32).tiny)[:, None]
        held |= {f"{language}_rows": np.round(matrix / steps).astype(np.int8), f"{language}_scales": scales}
    turn.cache_clear()
    np.savez_compressed(path, **held)  # type: ignore[arg-type]
