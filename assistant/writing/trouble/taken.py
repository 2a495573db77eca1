"""What a setup takes of a card, part by part, and what a server's pool holds, as `explain` reckons it."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from assistant.writing.trouble.causes import result_of
from assistant.writing.words import Words
from kb.models import models
from tools.agent_tools.ledger import LookedUp

PARTS_MAX = 5


class Taken(NamedTuple):
    """Figures written out."""

    model: str
    cards: str
    needed: str
    usable: str
    fits: bool | None
    surely: bool
    """Whether also the upper end of the estimate fits."""
    parts: str
    pool: str
    tokens: str
    share: str
    each: str
    high: str
    largest: str
    """Name of the part that takes most: weights, logits …"""
    cache: str


def taken(one: LookedUp, words: Words) -> Taken | None:
    """What the setup takes; None where it says too little to reckon it."""
    told, row = one.shown.get("takes"), result_of(one).get("takes")
    if not isinstance(told, Mapping) or not isinstance(row, Mapping):
        return None
    cards = str(told["cards"]) if result_of(one).get("gpu") else ""
    return Taken(
        model=_model(one), cards=cards, needed=told["needed_per_gpu"],
        usable=told.get("usable_per_gpu", ""), fits=row.get("fits"), surely=_surely(row), parts=_parts(told, words),
        pool=told.get("pool_per_gpu", ""), tokens=str(told.get("pool_tokens", "")),
        share=str(told.get("reserved", "")), each=str(told.get("cache_per_token", "")),
        high=str(told.get("high_per_gpu", "")), largest=next(iter(told.get("parts") or {}), ""),
        cache=str((told.get("parts") or {}).get("kv_cache", "")),
    )  # fmt: skip


def _surely(row: Mapping[str, Any]) -> bool:
    return bool(row.get("usable_bytes_per_gpu")) and row["high_bytes_per_gpu"] <= row["usable_bytes_per_gpu"]


def _model(one: LookedUp) -> str:
    named = result_of(one).get("model")
    known = models().get(named) if isinstance(named, str) else None
    return known.name if known else str(one.request.get("model", ""))


def _parts(told: Mapping[str, Any], words: Words) -> str:
    rows = list(dict(told.get("parts") or {}).items())[:PARTS_MAX]
    return "\n".join(words.say("part", name=words.say(f"part_{name}"), size=size) for name, size in rows)


def told_taken(of: Taken, words: Words) -> Iterator[str]:
    """The parts, and of a server that reserves its share what is left of it for the cache."""
    if of.parts:
        yield f"{words.say('taken_parts')}\n{of.parts}"
    if of.pool and of.tokens and of.each:
        yield words.say("taken_pool", share=of.share, usable=of.usable, pool=of.pool, tokens=of.tokens, each=of.each)
