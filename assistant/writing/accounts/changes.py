"""Changes that would help, as the two solvers of ways give them, in words."""

from collections.abc import Iterator, Mapping
from typing import Any

from assistant.writing.accounts.sentences import memory, rate, sentences, whole
from assistant.writing.words import Words
from kb.catalog import gpus
from kb.models import models
from tools.agent_tools.ledger import LookedUp
from tools.ways_to_run.tell.words import format_name

CARDS_MAX = 1024
"""A number beyond is no number of cards: Macs are told how many megabytes their GPU may use."""
TOLD_MAX = 3


def told_changes(one: LookedUp, words: Words, *, most: int = TOLD_MAX) -> list[str]:
    """What would help, a line each under one heading; nothing where nothing is known to."""
    say = sentences(words)
    found = [said for row in whole(one).get("changes", []) if isinstance(row, Mapping) for said in _told(row, one, say)]
    lines = list(dict.fromkeys(found))[:most]
    return ["\n".join([say.say("changes"), *(f"- {line}" for line in lines)])] if lines else []


def first_change(one: LookedUp, words: Words) -> Iterator[dict[str, str]]:
    """What first makes it fit on the same cards: what, and its effect."""
    say = sentences(words)
    for row in whole(one).get("changes", []):
        if row.get("field") in ("cards", None):
            continue
        what, effect = _what(row, one, say), _effect(row, one, say)
        if what and effect:
            yield {"what": what, "effect": effect}


def _effect(row: Mapping[str, Any], one: LookedUp, say: Words) -> str:
    return _trained(row, say, paced=not _draws(one)) if "needed_bytes_per_gpu" in row else _run(row, say)


def _draws(one: LookedUp) -> bool:
    known = models().get(str(whole(one).get("answer", {}).get("model") or ""))
    return known is not None and known.kind in ("diffusion", "video")


def _told(row: Mapping[str, Any], one: LookedUp, say: Words) -> Iterator[str]:
    effect = _effect(row, one, say)
    what = _what(row, one, say)
    if what and effect:
        yield say.say("change", what=what, effect=effect)


def _what(row: Mapping[str, Any], one: LookedUp, say: Words) -> str:
    """What is changed."""
    field, value = row.get("field"), row.get("value")
    if field == "cards":
        return _cards(value, one, say)
    if field == "host_memory_bytes" and isinstance(value, (int, float)):
        return say.say("change_host", memory=memory(value))
    if field == "method":
        return say.say("change_method", method=say.say(f"method_{value}") if say.knows(f"method_{value}") else value)
    if field in ("context_tokens", "sequence_tokens", "concurrent_sequences") and value:
        return say.say(f"change_{field}", value=f"{int(float(value)):,}")
    if field == "kv_format" and value:
        return say.say("change_cache", format=format_name(str(value)))
    if field == "optimizer" and value:
        return say.say("change_optimizer", optimizer=value)
    return ""


def _cards(value: object, one: LookedUp, say: Words) -> str:
    """So many of a card: more of the same, or others instead."""
    if isinstance(value, (int, float)) and value <= CARDS_MAX:
        held = [row for row in one.worked[-1].request.get("cards") or () if isinstance(row, Mapping)]
        name = gpus()[held[0]["gpu"]].name if held and held[0].get("gpu") in gpus() else ""
        return say.say("change_cards", count=int(value), card=name) if name else ""
    count, _, card = value.rpartition("x ") if isinstance(value, str) else ("", "", "")
    return say.say("change_cards", count=count or 1, card=gpus()[card].name) if card in gpus() else ""


def _run(row: Mapping[str, Any], say: Words) -> str:
    """What comes of it for a model that runs."""
    speed, form = row.get("tokens_per_s_per_user"), row.get("weight_format")
    if row.get("field") == "kv_format" and row.get("max_context_tokens"):
        return say.say("effect_context", tokens=f"{row['max_context_tokens']:,}")
    tight = "effect_tight" if str(row.get("effect", "")).startswith("fits tightly") else "effect_run"
    if not form or row.get("field") == "weight_format":
        return ""
    return say.say(tight, format=format_name(str(form)), rate=say.say("per_second", rate=rate(speed)) if speed else "–")


def _trained(row: Mapping[str, Any], say: Words, *, paced: bool) -> str:
    """What comes of it for a training."""
    name = "effect_tight_train" if row.get("surety") == "tight" else "effect_train"
    speed = row.get("tokens_per_s")
    pace = say.say("and_pace", rate=say.say("per_second", rate=rate(speed))) if speed and paced else ""
    return say.say(name, needed=memory(row["needed_bytes_per_gpu"]), pace=pace)
