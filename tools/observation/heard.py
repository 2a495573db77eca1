"""What goes wrong as it was told: a symptom of the vocabulary, the wording of an error, or what means nearly that."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kb.base import UnknownName
from kb.index.index_words import language_of
from kb.observation import CauseFact, Symptom, described, observation_facts, symptom, symptom_in
from kb.vectors.chinese_vectors import chinese_vectors
from kb.vectors.minilm import minilm
from tools.observation.causes import concerns
from tools.observation.errors import XID, read_error
from tools.observation.judge import PACES
from tools.observation.request import ObservationRequest
from tools.observation.result import ObservedCause
from tools.observation.setup import Setup

NEAREST_MAX = 3
MEANT = "meant"
"""Id of a symptom that words only come near to."""
LEAST_COSINE = {"zh": 0.6, "en": 0.52}
"""Cosine of words and a cause, by language, from which they may mean it: of threads whose cause is known, two of three
English ones are right from here on, and of Chinese ones, through a table of words, half."""
OF_MEANING = 2.0
"""How much likelier a cause is that words mean by their nearness alone, at a cosine of one."""
BY_FIGURES = ("beyond_limit", "kernel_otherwise")
"""Causes that arithmetic and rules of compatibility tell, never words."""
LEAST_WORDS = 4
"""Words below which nearness says nothing."""


class Cards(NamedTuple):
    """Causes, and the vectors of what they are."""

    ids: tuple[str, ...]
    vectors: NDArray[np.float32]


def symptom_of(
    request: ObservationRequest, setup: Setup, stated: list[ObservedCause], *, seen: bool, judged: bool = False
) -> Symptom | None:
    """The symptom that was told. Words of none are read as an error is, then by what they mean; where something else
    was `seen` and they mean nothing that is known they are left, as they are where a figure could be `judged`: nearness
    of words is no evidence beside arithmetic.

    Raises:
        UnknownName: they say nothing that is known, and nothing else was given.
    """
    if not request.symptom:
        return symptom_in("", flags=request.flags) if request.flags else None
    if not request.error_text and XID.search(request.symptom):  # a number of the driver says more than the words
        stated += read_error(request.symptom, setup)[1]
    try:
        return symptom(request.symptom, ran=_ran(request), flags=request.flags or "")
    except UnknownName:
        _, causes = read_error(request.symptom, setup)
        known_ids = {one.id for one in stated}
        stated += [one for one in causes if one.id not in known_ids]
        if stated:
            return None
        near = None if judged else nearest(request.symptom, setup)
        if near is not None or seen:
            return near
        raise


def _ran(request: ObservationRequest) -> bool:
    """Whether a pace was seen: what gives tokens or steps does not hang."""
    return any(getattr(request.seen, name) is not None for name in PACES)


def nearest(words: str, setup: Setup | None = None) -> Symptom | None:
    """The causes whose description is nearest in meaning to the words, as a symptom; null where none is near, or the
    nearest cannot be met with this set-up.

    Cosine of MiniLM's vectors, of Chinese by the packaged table into the same space.
    """
    if len(words.split()) < LEAST_WORDS and language_of(words) != "zh":
        return None
    vector = _vector(words)
    if vector is None:
        return None
    cards = _cards()
    cosines = cards.vectors @ vector
    facts = observation_facts().causes
    least = LEAST_COSINE["zh" if language_of(words) == "zh" else "en"]
    first = [
        int(place)
        for place in np.argsort(-cosines)[:NEAREST_MAX]
        if cosines[place] >= least and (setup is None or _met(facts[cards.ids[place]], setup))
    ]
    if not first:
        return None
    weights = {cards.ids[place]: 1 + OF_MEANING * float(cosines[place]) for place in first}
    return Symptom(id=MEANT, name="What the words come near to", name_zh="意思相近", words="", causes=weights)


def _met(fact: CauseFact, setup: Setup) -> bool:
    """Whether it can be met here, and the program and system that it takes were said: nearness alone supposes none."""
    asked = setup.request
    unsaid = (fact.engines and not setup.workings) or (fact.platforms and asked.platform is None)
    return not unsaid and concerns(fact, setup)


def _vector(words: str) -> NDArray[np.float32] | None:
    if language_of(words) == "zh":
        return chinese_vectors().vector(words)
    found: NDArray[np.float32] = minilm().vectors([words])[0]
    return found


@lru_cache(maxsize=1)
def _cards() -> Cards:
    """Every fault that people describe, with its name and what it is, as vectors; reckoned once, in about a second."""
    known = described()
    every = [one for one in observation_facts().causes.values() if one.id in known and one.id not in BY_FIGURES]
    faults = [one for one in every if not (one.instead or one.beyond or one.residual)]
    return Cards(tuple(one.id for one in faults), minilm().vectors([f"{one.name}. {one.what}" for one in faults]))
