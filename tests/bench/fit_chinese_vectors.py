"""Fit the packaged table of Chinese word vectors, on the bilingual guidance and the glossary.

    python tests/bench/fit_chinese_vectors.py [--without TOPIC ...] [--to FILE]

The two languages of a guidance document say the same on the same line, so each line is a pair: MiniLM's vector of the
English is what the words of the Chinese should add up to. Ridge regression in its dual form:
W = Xᵀ (X Xᵀ + λ I)⁻¹ Y, X the unit rows of words weighted by rarity, Y the English vectors. About a minute.
"""

import argparse
import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import yaml

from ingest.sync import GUIDANCE
from kb.index.asked import QUESTIONS
from kb.index.index_words import DICTIONARY, GLOSSARY, without_markup
from kb.settings import stay_offline
from kb.vectors.chinese_vectors import TABLE, features, store_vectors
from kb.vectors.embedder import Embedder
from kb.vectors.minilm import packaged

RIDGE = 0.3
"""λ; 0.1 to 1 measured alike."""


def guidance_pairs(without: frozenset[str]) -> Iterator[tuple[str, str]]:
    """English and Chinese of every line that stands in both."""
    for path in sorted((GUIDANCE / "en").glob("*.md")):
        twin = GUIDANCE / "zh" / path.name
        if path.stem in without or not twin.exists():
            continue
        english, chinese = (one.read_text(encoding="utf-8").split("---\n", 2)[2].split("\n") for one in (path, twin))
        if len(english) != len(chinese):
            print(f"{path.stem}: {len(english)} and {len(chinese)} lines; left out")
            continue
        for one, other in zip(english, chinese, strict=True):
            pair = one.strip("-# |"), other.strip("-# |")
            if all(any(character.isalpha() for character in text) for text in pair):
                yield pair


def glossary_pairs() -> Iterator[tuple[str, str]]:
    for path in (GLOSSARY, DICTIONARY):
        for entry in yaml.safe_load(path.read_text(encoding="utf-8")):
            yield from ((str(entry["en"][0]), str(term)) for term in entry["zh"])


def question_pairs(without: frozenset[str]) -> Iterator[tuple[str, str]]:
    """What people ask in Chinese beside the heading and what they ask in English that the same section answers."""
    for path in sorted(QUESTIONS.glob("*.yaml")):
        if path.stem in without:
            continue
        for row in yaml.safe_load(path.read_text(encoding="utf-8")):
            english = ". ".join([row["at"], *row["en"]])
            yield from ((english, one) for one in row["zh"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--without", nargs="*", default=[], help="topics of the guidance to leave out, for a test")
    parser.add_argument("--to", type=Path, default=TABLE)
    options = parser.parse_args()
    stay_offline()
    without = frozenset(options.without)
    pairs = [*guidance_pairs(without), *question_pairs(without), *glossary_pairs()]
    said = [features(chinese) for _, chinese in pairs]
    frequency = Counter(feature for one in said for feature in one)
    names = sorted(frequency)
    rarity = np.array([math.log(1 + len(pairs) / frequency[name]) for name in names], dtype=np.float32)
    place = {name: i for i, name in enumerate(names)}
    rows = np.zeros((len(pairs), len(names)), dtype=np.float32)
    for row, one in zip(rows, said, strict=True):
        known = [place[feature] for feature in one]
        row[known] = rarity[known] / (float(np.linalg.norm(rarity[known])) or 1.0)
    target = Embedder(str(packaged()), ()).passages([without_markup(english) for english, _ in pairs])
    weights = np.linalg.solve(rows @ rows.T + RIDGE * np.eye(len(pairs)), target)
    store_vectors(names, (rarity[:, None] * (rows.T @ weights)).astype(np.float32), options.to)
    print(f"{len(pairs)} pairs, {len(names)} words, {options.to.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
