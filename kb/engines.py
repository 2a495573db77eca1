"""Programs that no estimator knows, each with the engine that stands for it, so that an answer can say so."""

from collections.abc import Mapping
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, Literal

from kb.base import Frozen
from kb.catalog import FACTS, load_yaml
from kb.records.source import Source

Work = Literal["runs", "trains"]
SLIP = 0.8
"""How alike a name must be to one that is known to be taken for it."""


class Program(Frozen):
    """A program outside the estimators."""

    id: str
    """Its name as its makers write it."""
    aliases: tuple[str, ...]
    runs: str | None = None
    """Engine that stands for it where a model is run; null = it runs none."""
    trains: str | None = None
    """Engine that stands for it where one is trained; null = it trains none."""
    differs: str
    """What the figures of that engine do not show."""
    source: str

    def said(self, engine: str) -> str:
        """What an answer worked out with the other engine must say."""
        return f"{self.id} is not modelled: worked out as {engine}, the nearest engine that is known. {self.differs}."


@lru_cache(maxsize=1)
def programs() -> Mapping[str, Program]:
    """Every such program by each of its names."""
    rows = [Program.model_validate(row) for row in load_yaml(FACTS / "engines.yaml")["programs"]]
    return {alias: row for row in rows for alias in (*row.aliases, row.id.lower())}


@lru_cache(maxsize=1)
def engine_sources() -> dict[str, Source]:
    """Sources of what is known of them."""
    return {key: Source(id=key, **row) for key, row in load_yaml(FACTS / "engines.yaml")["sources"].items()}


def program(name: str) -> Program | None:
    """The program of that name; null where none bears it."""
    plain = name.strip().lower()
    return programs().get(plain) or programs().get(plain.replace("_", "-"))


def stand_in(given: Any, work: Work, known: tuple[str, ...] = (), allowed: tuple[str, ...] = ()) -> Any:
    """Fields of a request whose `engine` no estimator knows, with the nearest one in its place and `engine_said`.

    `known` are names that the request itself takes; `allowed`, where given, all that it does: of a program that is
    neither one of them nor known the engine is left open, and the answer says so; a slip of the pen is put right.
    """
    if not isinstance(given, dict) or not isinstance(given.get("engine"), str) or given["engine"] in known:
        return given
    found = program(given["engine"])
    engine = getattr(found, work) if found is not None else None
    if engine is None and allowed and given["engine"] not in allowed:
        near = get_close_matches(given["engine"].strip().lower(), allowed, n=1, cutoff=SLIP)
        return {**given, "engine": near[0] if near else None, "engine_said": given["engine"][:60]}
    return {**given, "engine": engine, "engine_said": found.id} if found is not None and engine else given


def engine_note(said: str | None, engine: str | None) -> tuple[str, ...]:
    """What to say of an engine that stands for another; nothing where none does."""
    found = program(said) if said else None
    if said and found is None:
        return (f"“{said}” is no program known here: worked out as {engine or 'the usual engines'}.",)
    if said and found is not None and engine is None:
        return (f"{found.id} does not do this: worked out as the usual engines.",)
    return (found.said(engine),) if found is not None and engine else ()
