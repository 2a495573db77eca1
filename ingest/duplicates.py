"""Near-duplicate passages: found by MinHash, kept once in the index, the other places listed with the one kept.

Guides copy each other. A passage whose words are nearly those of another (Jaccard similarity of shingles of five words,
or of Han characters, at 0.8 or more) adds nothing to an answer but crowds out what would. One that is the same to the
letter, title and heading included, is folded however short: thousands of equal vectors, which a damaged or endless file
makes, cut a vector index into parts that do not find each other.

Method: A. Broder, "On the resemblance and containment of documents", 1997; banding as in Leskovec, Rajaraman and
Ullman, "Mining of Massive Datasets", chapter 3.
"""

import re
import zlib
from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from kb.index.archive import Library

SIMILAR = 0.8
"""Estimated share of common shingles from which one passage repeats another."""
SHINGLE = 5
WORDS_MIN = 12
"""Words from which a passage is compared; shorter ones are alike by chance."""
HASHES, BANDS = 64, 16
"""Positions of a signature, and groups of them of which one must agree before two are compared."""
BATCH = 2000
RULE = "2"
"""Raised when other passages are folded, so that a library folds its own anew."""
_WORD = re.compile(r"[\u4e00-\u9fff]|[^\W_]+(?:\.\d+)?", re.UNICODE)
_PRIME = np.uint64(4_294_967_311)
_CHANCE = np.random.default_rng(1997)
_FACTORS = _CHANCE.integers(1, 2**31, size=HASHES, dtype=np.uint64)
_SHIFTS = _CHANCE.integers(0, 2**31, size=HASHES, dtype=np.uint64)

Signature = NDArray[np.uint32]
Signed = tuple[str, bytes, str]
"""Language of a passage, its signature (empty for one too short to compare), and the digest of all it says."""


def signature(text: str) -> Signature | None:
    """The least hashes of a passage's shingles; null for one too short to compare."""
    words = _WORD.findall(text.lower())
    if len(words) < WORDS_MIN:
        return None
    shingles = {" ".join(words[place : place + SHINGLE]) for place in range(len(words) - SHINGLE + 1)}
    hashes = np.fromiter((zlib.crc32(shingle.encode()) for shingle in shingles), dtype=np.uint64, count=len(shingles))
    mixed = (hashes[:, None] * _FACTORS + _SHIFTS) % _PRIME
    least: Signature = mixed.min(axis=0).astype(np.uint32)
    return least


def fold(library: Library) -> None:
    """Bring the folds up to date with the passages; costs one look when none has changed."""
    if library.fact("folded") == f"{RULE}:{library.revision()}":
        return
    missing = library.unsigned()
    keys = list(missing)
    for start in range(0, len(keys), BATCH):
        signed = {key: signature(missing[key]) for key in keys[start : start + BATCH]}
        library.put_signatures({key: b"" if one is None else one.tobytes() for key, one in signed.items()})
    library.set_folds(_groups(library.signatures()))
    library.remember(folded=f"{RULE}:{library.revision()}")


def _groups(signed: dict[int, Signed]) -> dict[int, int]:
    """Passage → the earlier one that it repeats; `signed` is in the order in which passages are kept."""
    buckets: dict[tuple[str, int, bytes], list[int]] = defaultdict(list)
    kept: dict[int, Signature] = {}
    folds: dict[int, int] = {}
    first: dict[str, int] = {}
    width = 4 * HASHES // BANDS
    for key, (language, packed, digest) in signed.items():
        if (same := first.setdefault(digest, key)) != key:
            folds[key] = folds.get(same, same)
            continue
        if not packed:
            continue
        own = np.frombuffer(packed, dtype=np.uint32)
        bands = [(language, band, packed[band * width : (band + 1) * width]) for band in range(BANDS)]
        near = {other for band in bands for other in buckets.get(band, ())}
        best = max(near, key=lambda other: (float(np.mean(kept[other] == own)), -other), default=None)
        if best is not None and float(np.mean(kept[best] == own)) >= SIMILAR:
            folds[key] = best
            continue
        kept[key] = own
        for band in bands:
            buckets[band].append(key)
    return folds
