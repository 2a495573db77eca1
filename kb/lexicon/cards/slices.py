"""Instances that a card is cut into (MIG), by profile and card: 7x 1g.10gb on A100 80GB · H100 MIG 3g.40gb."""

import re
from dataclasses import dataclass

from kb.base import BadInput
from kb.catalog import conventional, gpus
from kb.lexicon.count.rules import han_value
from kb.lexicon.text import grammar
from kb.machines.mig import Cut, Profile, cuts

_COUNT = r"\d{1,3}|[一二两三四五六七八九十]{1,2}"
_PROFILE = grammar(
    rf"(?:(?<![a-z0-9.])(?P<n>{_COUNT}) ?(?:[x×*]|个|片|块)? ?(?:mig[ -]?)?)?"
    rf"(?<![a-z0-9])(?P<name>\dg\.\d{{1,3}}gb)(?:\+me(?:\.all)?)?(?: ?[x×*] ?(?P<after>{_COUNT})(?![a-z0-9.]))?"
)
_AROUND = grammar(
    r"(?<![a-z])(?:mig|slices?|instances?|partitions?|profiles?|of|on|an?|from|each|cut|split|into|as|in)(?![a-z0-9])"
    r"|切片|切分|切成|实例|分区|上的?|的|每张"
)


@dataclass(frozen=True, slots=True)
class Slice:
    """So many instances of one profile on a card."""

    gpu: str
    """Catalog id of the whole card."""
    profile: Profile
    count: int
    assumed: tuple[str, ...]


def named_slices(words: str) -> tuple[list[tuple[str, int]], str] | None:
    """Profiles with how many of each, and the words without them, which name the card; null where none is named."""
    found = list(_PROFILE.finditer(words))
    if not found:
        return None
    counted = [(one["name"], _count(one["n"] or one["after"] or "1")) for one in found]
    return counted, re.sub(r"\s+", " ", _AROUND.sub(" ", _PROFILE.sub(" ", words))).strip(" ,，、+()·-")


def slices(named: list[tuple[str, int]], parents: tuple[str, ...], cards: int, field: str) -> list[Slice]:
    """The instances of the card, or of the usual one that has such profiles where none was named.

    Raises:
        BadInput: the card has no such profile, or fewer of it.
    """
    able = [key for key, cut in cuts().items() if all(_profile(cut, name) for name, _ in named)]
    kept = [key for key in able if not parents or key in parents]
    if not kept:
        said = gpus()[parents[0]].name if parents else "any card"
        cut = cuts().get(parents[0]) if parents else None
        has = ", ".join(one.name for one in cut.profiles) if cut else "none that is known"
        raise BadInput(field, f"{', '.join(name for name, _ in named)} is no MIG profile of {said}.", f"It has {has}.")
    gpu = conventional(tuple(kept))
    others = ", ".join(gpus()[key].name for key in kept if key != gpu)
    assumed = () if parents else (f"{named[0][0]} is taken to be of {gpus()[gpu].name}; it could be of {others}.",)
    found = []
    for name, count in named:
        profile = _profile(cuts()[gpu], name)
        if profile is None:
            continue
        if count > profile.most * cards:
            raise BadInput(
                field, f"{count} instances {name}: {gpus()[gpu].name} takes {profile.most} at most.",
                f"Give up to {profile.most * cards}, or a smaller profile.",
            )  # fmt: skip
        found.append(Slice(gpu, profile, count, assumed))
    return found


def _profile(cut: Cut, name: str) -> Profile | None:
    return next((one for one in cut.profiles if one.name == name), None)


def _count(said: str) -> int:
    return int(said) if said.isascii() else int(han_value(said))
