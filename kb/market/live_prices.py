"""Offers fetched live, kept in the folder of state until they are fetched again."""

import json
import os
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from kb.base import Frozen
from kb.index.index_stamp import mark
from kb.lock import exclusive
from kb.records.offer import Offer
from kb.settings import settings

LOCK_WAIT_S = 10.0


class Fetched(Frozen):
    """What one provider answered."""

    provider: str
    """As gpuhunt names it."""
    observed_at: str
    """When it was fetched (ISO time, UTC)."""
    catalog_version: str | None = None
    """Version of the published catalog; null = asked of the provider itself."""
    offers: tuple[Offer, ...]


class LivePrices(Frozen):
    """Everything fetched so far, each provider at its last answer."""

    version: Literal[1] = 1
    """Of the file's shape; a file of another is ignored, as if nothing had been fetched."""
    providers: dict[str, Fetched] = Field(default_factory=dict)

    @property
    def offers(self) -> tuple[Offer, ...]:
        """Offers of all providers."""
        return tuple(one for fetched in self.providers.values() for one in fetched.offers)

    @property
    def observed_at(self) -> str | None:
        """The oldest of the answers; null when nothing was fetched."""
        return min((one.observed_at for one in self.providers.values()), default=None)


def path() -> Path:
    """Where they are kept."""
    return Path(_name(settings().home))


def stamp() -> tuple[str, int, int] | None:
    """What tells one state of the file from another; null when there is none."""
    name = _name(settings().home)
    found = mark(name)
    return None if found is None else (name, *found)


@lru_cache(maxsize=8)
def _name(home: Path) -> str:
    return str(home / "prices" / "offers.json")


def read() -> LivePrices:
    """What was fetched; nothing when there is no file, or one that another version wrote."""
    try:
        return LivePrices.model_validate_json(path().read_text(encoding="utf-8"))
    except (OSError, ValidationError, UnicodeDecodeError):
        return LivePrices()


def keep(fetched: list[Fetched]) -> LivePrices:
    """Add what was fetched to what is held, provider by provider; the file is replaced whole or not at all.

    One writer at a time: two refreshes at once keep the providers of both.
    """
    target = path()
    target.parent.mkdir(parents=True, exist_ok=True)
    with exclusive(target.with_suffix(".lock"), wait_s=LOCK_WAIT_S):
        state = LivePrices(providers={**read().providers, **{one.provider: one for one in fetched}})
        _replace(target, state)
    return state


def _replace(target: Path, state: LivePrices) -> None:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".offers-", suffix=".json")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(state.model_dump(mode="json"), file, ensure_ascii=False)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
