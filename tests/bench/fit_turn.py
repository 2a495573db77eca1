"""Fit how a question's vector is turned towards what answers it (kb/vectors/turn.npz), and say what that gains.

    python tests/bench/fit_turn.py [--to FILE] [--like HOME] [--folds N]

On the questions written beside the sections of the guidance and on their headings, none of the bench's: each is to lie
nearer to its section than to all others, half of the time with the other written questions of all sections among what
it may lie near, half of the time without any, as in a person's documents. A contrastive loss, by gradient descent with
ridge towards no turn at all. Then the same with the sections in parts, each part judged by a matrix that has seen none
of its sections: recall@5 and MRR of vectors alone, for the bench's questions and for the written ones.
"""

import argparse
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from bench_retrieval import SETS, TOP, Score, build, section_of, use
from torch import Tensor
from torch.nn import functional

from kb.index.archive import LANGUAGES, Library
from kb.index.index_words import language_of
from kb.settings import settings, stay_offline
from kb.vectors.embedder import Bilingual, embedder, unpacked
from kb.vectors.turn import TABLE, Turn, store_turn

STEPS, BATCH, NEGATIVES, RATE = 300, 192, 1500, 1e-3
SHARPNESS, RIDGE = 30.0, 0.01
WITHOUT_QUESTIONS = 0.5
"""Share of the steps in which only passages count."""
FAR = -9.0


class Space(NamedTuple):
    """What questions may lie near, and the questions that are fitted on."""

    places: Tensor
    """Vectors of passages, then of written questions."""
    sections: Tensor
    """Section of each place, by its number."""
    passages: int
    asked: Tensor
    """Vectors of the fitted questions, not turned."""
    answers: Tensor
    """Section of each."""
    languages: list[str]
    own: Tensor
    """Place of each question itself; -1 of a heading, which is no place."""
    numbers: dict[tuple[str, int], int]


def space(model: Bilingual) -> Space:
    """The guidance of the library in use."""
    numbers: dict[tuple[str, int], int] = {}
    passages, of_passages, headings = [], [], dict[str, int]()
    written: dict[tuple[str, int], np.ndarray] = {}
    with Library(settings().home / "index").reading() as connection:
        rows = connection.execute(
            """SELECT section, heading, asked, twin, vector, sentences FROM chunks
               JOIN documents ON documents.id = document JOIN vectors USING (sha256) WHERE model = ?""",
            (model.name,),
        )
        for row in rows:
            number = numbers.setdefault((row["twin"], row["section"]), len(numbers))
            passages.append(np.frombuffer(row["vector"], np.float32))
            of_passages.append(number)
            headings[row["heading"]] = number
            asked = row["asked"].split("\n") if row["asked"] else []
            vectors = unpacked(row["sentences"] or b"", len(passages[0])).astype(np.float32)
            written.update(zip(((one, number) for one in asked), vectors[len(vectors) - len(asked) :], strict=True))
    questions = [*written, *headings.items()]
    own = [*range(len(passages), len(passages) + len(written)), *[-1] * len(headings)]
    return Space(
        places=torch.tensor(np.stack([*passages, *written.values()])),
        sections=torch.tensor([*of_passages, *(number for _, number in written)]),
        passages=len(passages),
        asked=torch.tensor(np.stack([model.unturned(text) for text, _ in questions])),
        answers=torch.tensor([number for _, number in questions]),
        languages=[language_of(text) for text, _ in questions],
        own=torch.tensor(own),
        numbers=numbers,
    )


def nearest(of: Space, rows: Tensor, *, passages_only: bool) -> Tensor:
    """The place in its own section that each question lies nearest to, itself left out."""
    places = of.places[: of.passages] if passages_only else of.places
    cosines = of.asked[rows] @ places.T
    is_wrong = of.sections[: len(places)][None] != of.answers[rows][:, None]
    is_itself = torch.arange(len(places))[None] == of.own[rows][:, None]
    return cosines.masked_fill(is_wrong | is_itself, FAR).argmax(dim=1)


def fitted(of: Space, language: str, is_kept: Tensor) -> np.ndarray:
    """The matrix of a language, (384, 384), on the kept sections."""
    generator = torch.Generator().manual_seed(5)
    rows = torch.tensor([i for i, one in enumerate(of.languages) if one == language and is_kept[of.answers[i]]])
    right = {only: nearest(of, rows, passages_only=only) for only in (True, False)}
    pool = torch.nonzero(is_kept[of.sections]).squeeze(1)
    pools = {True: pool[pool < of.passages], False: pool}
    matrix = torch.zeros(of.asked.shape[1], of.asked.shape[1], requires_grad=True)
    optimiser = torch.optim.Adam([matrix], lr=RATE)
    for _ in range(STEPS):
        only = bool(torch.rand(1, generator=generator) < WITHOUT_QUESTIONS)
        picked = torch.randint(len(rows), (BATCH,), generator=generator)
        among = pools[only][torch.randint(len(pools[only]), (NEGATIVES,), generator=generator)]
        plain = of.asked[rows[picked]]
        turned = functional.normalize(plain + plain @ matrix, dim=1)
        nearness = (turned * of.places[right[only][picked]]).sum(1, keepdim=True)
        others = (turned @ of.places[among].T).masked_fill(
            of.sections[among][None] == of.answers[rows[picked]][:, None], FAR
        )
        loss = functional.cross_entropy(
            SHARPNESS * torch.cat([nearness, others], dim=1), torch.zeros(BATCH, dtype=torch.long)
        )
        optimiser.zero_grad()
        (loss + RIDGE * (matrix**2).sum()).backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    return matrix.detach().numpy()


def ranks(of: Space, vectors: Tensor, answers: list[set[int]], own: Tensor, *, passages_only: bool) -> list[int]:
    """Rank of the right section among the nearest five of each question; 0 when it is not there."""
    places = of.places[: of.passages] if passages_only else of.places
    cosines = (vectors @ places.T).masked_fill(torch.arange(len(places))[None] == own[:, None], FAR)
    best = torch.full((len(vectors), len(of.numbers)), FAR).scatter_reduce(
        1, of.sections[: len(places)][None].expand(len(vectors), -1), cosines, "amax"
    )
    found = best.topk(TOP, dim=1).indices.tolist()
    return [
        next((i for i, one in enumerate(row, 1) if one in right), 0) for row, right in zip(found, answers, strict=True)
    ]


def report(of: Space, model: Bilingual, folds: int) -> None:
    """What a turn gains for sections it has not seen."""
    fold = torch.randperm(len(of.numbers), generator=torch.Generator().manual_seed(7)) % folds
    turns = [Turn({language: fitted(of, language, fold != part) for language in LANGUAGES}) for part in range(folds)]
    asked: dict[str, list[tuple[str, np.ndarray, set[int], int]]] = {"written": []}
    for i, language in enumerate(of.languages):
        asked["written"].append((language, of.asked[i].numpy(), {int(of.answers[i])}, int(of.own[i])))
    for name, cases in SETS.items():
        for case in cases:
            right = {of.numbers[section_of(at)] for at in (case["at"], *case.get("also", ()))}
            asked.setdefault(name, []).extend((one, model.unturned(case[one]), right, -1) for one in LANGUAGES)
    print(f"{'vectors alone':16}{'questions':>10}{'recall@5':>10}{'MRR':>8}{'turned':>10}{'MRR':>8}")
    for passages_only in (False, True):
        for name, rows in asked.items():
            plain = np.stack([vector for _, vector, _, _ in rows])
            turned = np.stack([turns[fold[min(right)]].of(vector, one) for one, vector, right, _ in rows])
            own = torch.tensor([place for *_, place in rows])
            figures = ""
            for vectors in (plain, turned):
                found = ranks(of, torch.tensor(vectors), [row[2] for row in rows], own, passages_only=passages_only)
                score = Score(found)
                figures += f"{score.recall:>10.3f}{score.mrr:>8.3f}"
            print(f"{name + (', text' if passages_only else ''):16}{len(rows):>10}{figures}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=Path, default=TABLE)
    parser.add_argument("--like", type=Path, help="a home whose index has the guidance's vectors already")
    parser.add_argument("--folds", type=int, default=0, help="parts to hold out in turn; none, and nothing is judged")
    options = parser.parse_args()
    stay_offline()
    model = embedder()
    assert isinstance(model, Bilingual)
    with tempfile.TemporaryDirectory() as folder:
        home = options.like or Path(folder)
        if options.like is None:
            build(home, LANGUAGES, searchable=False)
        use(home)
        of = space(model)
        everywhere = torch.ones(len(of.numbers), dtype=torch.bool)
        store_turn({one: fitted(of, one, everywhere) for one in LANGUAGES}, options.to)
        print(f"{len(of.asked)} questions, {len(of.numbers)} sections, {options.to.stat().st_size / 1e3:.0f} kB")
        if options.folds:
            report(of, model, options.folds)


if __name__ == "__main__":
    main()
