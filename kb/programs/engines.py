"""Programs that no estimator knows, each with the engine that stands for it, so that an answer can say so."""

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, Literal

from kb.base import Frozen
from kb.catalog import FACTS, load_yaml
from kb.records.source import Source

Work = Literal["runs", "trains"]


class Program(Frozen):
    """A program outside the estimators."""

    id: str
    """Its name as its makers write it."""
    aliases: tuple[str, ...]
    runs: str | None = None
    """Engine that stands for it where a model is run; null = it runs none, or none comes near."""
    trains: str | None = None
    """Engine that stands for it where one is trained; null = it trains none."""
    differs: str
    """What the figures of that engine do not show."""
    training: str | None = None
    """How it trains, where no engine stands for that."""
    source: str
    own_workings: bool = False
    """Whether it shares no workings with that engine: what goes wrong in the engine alone does not go wrong in it."""
    own_settings: bool = True
    """Whether its settings are named otherwise than that engine's."""

    def said(self, engine: str) -> str:
        """What an answer worked out with the other engine must say."""
        return f"{self.id} is not modelled: worked out as {engine}, the nearest engine that is known. {self.differs}."


@lru_cache(maxsize=1)
def programs() -> Mapping[str, Program]:
    """Every such program by each of its names."""
    rows = [Program.model_validate(row) for row in load_yaml(FACTS / "engines.yaml")["programs"]]
    return {alias: row for row in rows for alias in (*row.aliases, row.id.lower())}


@lru_cache(maxsize=1)
def of_huggingface() -> frozenset[str]:
    """Programs, in small letters, that take the settings of Hugging Face's libraries."""
    return frozenset(load_yaml(FACTS / "engines.yaml")["huggingface"])


@lru_cache(maxsize=1)
def engine_sources() -> dict[str, Source]:
    """Sources of what is known of them."""
    return {key: Source(id=key, **row) for key, row in load_yaml(FACTS / "engines.yaml")["sources"].items()}


SLIP = 0.8
"""How alike a name must be to one that is known to be taken for it."""

WORDS = re.compile(r"[a-z0-9]+(?:[._-][a-z0-9]+)*")


def program(name: str) -> Program | None:
    """The program of that name, alone or among other words ("kohya_ss 的 GUI"); null where none bears it."""
    plain = name.strip().lower()
    for written in (plain, plain.replace("_", "-"), *_runs(WORDS.findall(plain))):
        if written in programs():
            return programs()[written]
    return None


def _runs(words: Sequence[str]) -> Iterator[str]:
    """Words that follow each other, the longest runs first, as they are and with hyphens."""
    for length in range(min(len(words), 3), 0, -1):
        for start in range(len(words) - length + 1):
            run = " ".join(words[start : start + length])
            yield run
            yield run.replace("_", "-")


def stand_in(given: Any, work: Work, known: tuple[str, ...] = (), *, takes: Sequence[str] = ()) -> Any:
    """Fields of a request whose `engine` no estimator knows, with the nearest one in its place and `engine_said`.

    `known` are names that the request itself takes and that stand for themselves. `takes` are all names that it takes:
    where they are given, another spelling of one is that one, and a program nobody has heard of leaves the engine open
    instead of being refused. Anything else is passed on as it is.
    """
    if not isinstance(given, dict) or not isinstance(given.get("engine"), str) or given["engine"] in known:
        return given
    said = given["engine"].strip()
    spelt = {_squeezed(one): one for one in takes}.get(_squeezed(said))
    if spelt is not None:
        return {**given, "engine": spelt}
    found = program(said)
    engine = getattr(found, work) if found is not None else None
    near = get_close_matches(said.lower(), takes, n=1, cutoff=SLIP) if engine is None and found is None else []
    if near:
        return {**given, "engine": near[0], "engine_said": said[:60]}
    if engine is None and takes:
        return {**given, "engine": None, "engine_said": (found.id if found else said)[:60]}
    return {**given, "engine": engine, "engine_said": found.id} if found is not None and engine else given


def _squeezed(name: str) -> str:
    return re.sub(r"[\s._-]+", "", name).lower()


def engine_note(said: str | None, engine: str | None) -> tuple[str, ...]:
    """What to say of an engine that stands for another; nothing where none does."""
    found = program(said) if said else None
    if said and found is None:
        return (f"“{said}” is no program known here: worked out as {engine or 'the usual engines'}.",)
    if found is not None and found.runs is None and found.trains is None:
        return (f"{found.id} is not modelled, and no engine that is comes near: {found.differs}.",)
    if said and engine is None and found is not None and found.training:
        return (f"{found.id} is not modelled here, these are the usual engines: {found.training}.",)
    if said and engine is None:
        return (f"{said} does not do this: worked out as the usual engines.",)
    return (found.said(engine),) if found is not None and engine else ()
