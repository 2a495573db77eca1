"""How well search finds the bundled guidance, beside the tutorial way: split by characters, embed, ask Chroma.

    python tests/bench/bench_retrieval.py [--misses] [--plain] [--require RECALL:MRR:NOTHING]

Questions are asked of guidance in their own language, of the other language alone, and with typing errors. Weights
were fitted on half A of the first set and on every other question of the second (2 A); the rest was kept out of it.
"fresh" and "fresh 2" were written when the ranking was fixed, for sections picked at random; they count on their own.
"fresh 2" was written before the questions beside the sections were trebled, by who then trebled them.
"asked" are askings of one language each, with every section that answers them: three rounds (retrieval_asked.yaml).
`--plain` leaves out the questions that sections are known to answer (kb/index/questions):
what a person's documents get.
Answers that another section gives as well were added after judging blind the best of both systems (pool_retrieval.py).
Whether to answer at all was fitted on half of the questions without an answer (tests/bench/fit_topic.py).
Speed at scale: tests/bench/bench_retrieval_scale.py.
"""

import argparse
import hashlib
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from ingest.chunk import chunk
from ingest.convert import convert
from ingest.sync import GUIDANCE
from kb.index.archive import Chunk, Document, Entry, Library
from kb.index.asked import with_questions
from kb.index.connection import changing
from kb.index.index_words import language_of
from kb.index.store import Store
from kb.records.passage import Passage
from kb.retrieval.search import opened, search
from kb.settings import settings, stay_offline
from kb.vectors.embedder import Embedder, embedder
from kb.vectors.minilm import packaged

TOP = 5
SIZE, OVERLAP = 1000, 200
FIRST, SECOND, THIRD, FOURTH = (
    yaml.safe_load(Path(__file__).with_name(f"retrieval{part}.yaml").read_text(encoding="utf-8"))
    for part in ("", "_more", "_fresh", "_fresh_2")
)
NOTHING: list[str] = yaml.safe_load(Path(__file__).with_name("retrieval_nothing.yaml").read_text(encoding="utf-8"))
ASKED: dict[str, list[dict[str, Any]]] = yaml.safe_load(
    Path(__file__).with_name("retrieval_asked.yaml").read_text(encoding="utf-8")
)
Case = dict[str, Any]

Section = tuple[str, int]
Find = Callable[[str], list[Section]]


@dataclass
class Score:
    """Ranks of the right section, one a question; 0 = not among the first five."""

    ranks: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    misses: list[str] = field(default_factory=list)

    def add(self, other: "Score") -> None:
        """Take in another run."""
        self.ranks += other.ranks
        self.seconds += other.seconds

    @property
    def recall(self) -> float:
        return sum(rank > 0 for rank in self.ranks) / len(self.ranks)

    @property
    def mrr(self) -> float:
        return sum(1 / rank for rank in self.ranks if rank) / len(self.ranks)


def sections_of(language: str) -> Iterator[tuple[str, tuple[Chunk, ...]]]:
    for path in sorted((GUIDANCE / language).glob("*.md")):
        yield path.stem, chunk(convert(path), str(path))


@lru_cache
def headings(slug: str) -> dict[str, int]:
    """Heading → its number among the sections of a document."""
    return {one.heading: one.section for one in chunk(convert(GUIDANCE / "en" / f"{slug}.md"), slug)}


def section_of(label: str) -> Section:
    """The section that `document: heading` names.

    Raises:
        KeyError: the document has no such heading any more.
    """
    slug, heading = label.split(": ", 1)
    return slug, headings(slug)[heading]


def build(
    home: Path,
    languages: tuple[str, ...],
    topics: Collection[str] | None = None,
    like: Path | None = None,
    *,
    searchable: bool = True,
    plain: bool = False,
) -> None:
    """An index of the guidance in some languages (and on some topics only), under a home of its own.

    Vectors are taken over from the index under `like` where it has them; exact search will do if not `searchable`.
    A `plain` one has no questions beside its sections.
    """
    library = Library(home / "index")
    model = embedder()
    with library.writer():
        for language in languages:
            for path in sorted((GUIDANCE / language).glob("*.md")):
                if topics is not None and path.stem not in topics:
                    continue
                found = convert(path)
                document = Document(
                    name=f"{language}/{path.stem}", path=str(path), root="", sha256="", title=found.title,
                    language=language, trust="bundled", twin=path.stem,
                )  # fmt: skip
                pieces = chunk(found, path.name)
                pieces = pieces if plain else with_questions(pieces, path.stem)
                library.put(Entry(document=document, chunks=pieces))
        if like is not None:
            take_vectors(library, like)
        missing = library.unembedded(model.name, model.languages)
        if missing:
            texts = list(missing.values())
            library.put_vectors(model.name, list(missing), model.passages(texts), model.sentences(texts))
        if searchable:
            Store(library, model).build()


def take_vectors(library: Library, like: Path) -> None:
    """Take the vectors of the same texts over from another index."""
    with changing(library.path) as connection:
        connection.execute("ATTACH ? AS other", (str(Library(like / "index").path),))
        connection.execute(
            "INSERT OR IGNORE INTO vectors SELECT * FROM other.vectors WHERE sha256 IN (SELECT sha256 FROM chunks)"
        )
        connection.commit()


def ours(home: Path) -> Find:
    """Search as it ships, on the index under `home`."""

    def find(query: str) -> list[Section]:
        return sections_found(home, search(query, top=TOP))

    return find


def sections_found(home: Path, found: Sequence[Passage]) -> list[Section]:
    """Document and section of each passage of the index under `home`."""
    starts = section_starts(home)
    return [(one.document.split("/", 1)[1], starts[one.document, one.line_start]) for one in found]


@lru_cache
def section_starts(home: Path) -> dict[tuple[str, int], int]:
    """Document and first line of every passage → its section."""
    return {
        (one.name, row["line_start"]): row["section"]
        for one in Library(home / "index").documents().values()
        for row in rows(home, one.name)
    }


def rows(home: Path, name: str) -> list[dict[str, int]]:
    with Library(home / "index").reading() as connection:
        found = connection.execute(
            "SELECT line_start, section FROM chunks JOIN documents ON documents.id = document WHERE name = ?", (name,)
        )
        return [dict(row) for row in found]


def tutorial(languages: tuple[str, ...]) -> Find:
    """Pieces of a thousand characters, every language through the English model, the five nearest."""
    pieces: list[tuple[Section, str]] = []
    for language in languages:
        for path in sorted((GUIDANCE / language).glob("*.md")):
            text = path.read_text(encoding="utf-8")
            starts = [text.find(one.text[:40]) for one in chunk(convert(path), path.name)]
            numbers = [one.section for one in chunk(convert(path), path.name)]
            for start in range(0, len(text), SIZE - OVERLAP):
                middle = start + SIZE // 2
                place = max((i for i, begin in enumerate(starts) if begin <= middle), default=0)
                pieces.append(((path.stem, numbers[place]), text[start : start + SIZE]))
    model = Embedder(str(packaged()), ())
    matrix = model.passages([text for _, text in pieces])

    def find(query: str) -> list[Section]:
        return [pieces[i][0] for i in np.argsort(-(matrix @ model.query(query)))[:TOP]]

    return find


def misspell(query: str, generator: random.Random) -> str:
    """Swap two letters inside one long word."""
    words = query.split()
    long = [i for i, word in enumerate(words) if len(word) >= 6 and word.isascii() and word.isalpha()]
    if not long:
        return query
    index = generator.choice(long)
    place = generator.randrange(1, len(words[index]) - 2)
    word = words[index]
    words[index] = word[:place] + word[place + 1] + word[place] + word[place + 2 :]
    return " ".join(words)


def is_fitted_on(case: Case) -> bool:
    """Half A of the first set."""
    return hashlib.sha256(str(case["en"]).encode()).digest()[0] % 2 == 0


SETS: dict[str, list[Case]] = {
    "1 A": [case for case in FIRST["questions"] if is_fitted_on(case)],
    "2 A": SECOND["questions"][::2],
    "1 B": [case for case in FIRST["questions"] if not is_fitted_on(case)],
    "2 B": SECOND["questions"][1::2],
    "fresh": THIRD["questions"],
    "fresh 2": FOURTH["questions"],
}


def ask(find: Find, cases: list[Case], language: str, *, spoil: bool = False) -> Score:
    score, generator = Score(), random.Random(7)
    for case in cases:
        query = misspell(case[language], generator) if spoil else case[language]
        if spoil and query == case[language]:
            continue
        right = {section_of(at) for at in (case["at"], *case.get("also", ()))}
        started = time.perf_counter()
        found = find(query)
        score.seconds.append(time.perf_counter() - started)
        rank = next((rank for rank, section in enumerate(found, 1) if section in right), 0)
        score.ranks.append(rank)
        if rank != 1:
            score.misses.append(f"{rank} {query} -> {case['at']}, found {found[:3]}")
    return score


def asked_once(find: Find, plain: Find) -> None:
    """Report the askings that stand in one language."""
    for name, cases in ASKED.items():
        for language in ("en", "zh"):
            own = [
                {language: one["asked"], "at": one["at"][0], "also": one["at"]}
                for one in cases
                if language_of(one["asked"]) == language
            ]
            show(f"asked, {language}", name, ask(find, own, language), ask(plain, own, language))


def use(home: Path) -> None:
    import os

    os.environ["GPU_ADVISOR_HOME"] = str(home)
    settings.cache_clear()
    opened.cache_clear()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--plain", action="store_true", help="without the questions written for the sections")
    parser.add_argument("--require", help="least recall@5 : MRR : share of questions without answer that find nothing")
    options = parser.parse_args()
    stay_offline()
    total, baseline = ({name: Score() for name in (*SETS, "all")} for _ in range(2))
    with tempfile.TemporaryDirectory() as folder:
        corpora: tuple[tuple[str, ...], ...] = (("en", "zh"), ("en",), ("zh",))
        homes = {languages: Path(folder) / "-".join(languages) for languages in corpora}
        for languages, home in homes.items():
            build(home, languages, like=homes[corpora[0]] if languages != corpora[0] else None, plain=options.plain)
        runs = [
            ("en -> both", "en", ("en", "zh"), False), ("zh -> both", "zh", ("en", "zh"), False),
            ("en -> en only", "en", ("en",), False), ("zh -> zh only", "zh", ("zh",), False),
            ("en with errors", "en", ("en", "zh"), True),
            ("en -> zh only", "en", ("zh",), False), ("zh -> en only", "zh", ("en",), False),
        ]  # fmt: skip
        print(f"{'':16}{'set':>8}{'questions':>10}{'recall@5':>10}{'MRR':>8}{'tutorial':>10}{'MRR':>8}")
        for name, language, languages, spoil in runs:
            use(homes[languages])
            find, plain = ours(homes[languages]), tutorial(languages)
            for part, cases in SETS.items():
                score = ask(find, cases, language, spoil=spoil)
                other = ask(plain, cases, language, spoil=spoil)
                show(name, part, score, other)
                if options.misses:
                    print(*score.misses, sep="\n")
                for key in (part,) if part.startswith("fresh") else (part, "all"):
                    total[key].add(score)
                    baseline[key].add(other)
        for part in total:
            show("all", part, total[part], baseline[part])
        use(homes["en", "zh"])
        asked_once(ours(homes["en", "zh"]), tutorial(("en", "zh")))
        empty = [query for query in NOTHING if not search(query, top=TOP)]
        both = [case[language] for cases in SETS.values() for case in cases for language in ("en", "zh")]
        lost = [query for query in both if not search(query, top=TOP)]
        if options.misses:
            print("found something:", [query for query in NOTHING if query not in empty])
            print("found nothing:", lost)
    nothing = len(empty) / len(NOTHING)
    fitted, kept = (len(set(empty) & set(NOTHING[start::2])) / len(NOTHING[start::2]) for start in (0, 1))
    parts = f"fitted on {fitted:.2f}, others {kept:.2f}"
    print(f"off topic, nothing found: {nothing:.2f} of {len(NOTHING)} ({parts}); the tutorial 0")
    print(f"on topic, something found: {1 - len(lost) / len(both):.2f} of {len(both)}")
    for name, scores in (("here", total["all"]), ("tutorial", baseline["all"])):
        seconds = sorted(scores.seconds)
        print(
            f"{name}: seconds a query p50 {statistics.median(seconds):.4f}, p99 {seconds[int(0.99 * len(seconds))]:.4f}"
        )
    if options.require:
        least = [float(part) for part in options.require.split(":")]
        return int(total["all"].recall < least[0] or total["all"].mrr < least[1] or nothing < least[2])
    return 0


def show(name: str, part: str, score: Score, other: Score) -> None:
    figures = f"{score.recall:>10.3f}{score.mrr:>8.3f}{other.recall:>10.3f}{other.mrr:>8.3f}"
    print(f"{name:16}{part:>8}{len(score.ranks):>10}{figures}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
