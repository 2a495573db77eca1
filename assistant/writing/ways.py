"""Ways to run, as a result tells them, in the words of a language."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from assistant.writing.words import Words
from kb.models import models
from tools.agent_tools.ledger import LookedUp
from tools.agent_tools.media import WEIGHTS_FIT
from tools.agent_tools.ranged import middle, parted
from tools.ways_to_run.tell.words import ENGINES, format_name

CHANGED = re.compile(r"(?P<field>[a-z_]+): (?P<new>\S+) instead of (?P<old>\S+)")
PLAIN_SPEEDS = ("audio_s_per_s", "images_per_s", "documents_per_s", "frames_per_s")
"""Speeds of works that generate no text; the more, the faster."""
UNIT = re.compile(r" (?:s of audio|images|documents|frames)/s")
"""The unit as results tell it, which the sentence tells in the asker's language."""
BARE = re.compile(r"[a-z_]+")
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


class WayTold(NamedTuple):
    """One way, its figures written out."""

    title: str
    fields: dict[str, str]
    """model format engine cards needed usable host rate total first max_context max_sequences context sequences."""
    command: str
    several: bool
    """Whether more than one request runs at once."""
    met: bool | None
    form: str
    """As tools take it: `gguf:Q4_K_M`."""
    engine: str


def verdict(one: LookedUp) -> str:
    """fits, fits_with_changes, does_not_fit; of weights alone that fit, the second."""
    said = str(one.shown.get("answer", {}).get("verdict", "does_not_fit"))
    return "fits_with_changes" if said == WEIGHTS_FIT else said


def weights_alone(one: LookedUp) -> bool:
    """Whether nothing but the weights of the model is known to fit, which answers no question."""
    return bool(one.shown.get("answer", {}).get("verdict") == WEIGHTS_FIT)


def ways(one: LookedUp, words: Words) -> list[WayTold]:
    """The ways of a result of `find_ways_to_run`, best first."""
    if not one.worked:
        return []
    rows = [row for row in one.worked[-1].result.get("ways", []) if "layout" in row]
    shown = [row for row in one.shown.get("ways", []) if isinstance(row, Mapping)]
    return [_way(row, told, one, words) for row, told in zip(rows, shown, strict=False)]


def _way(row: Mapping[str, Any], told: Mapping[str, Any], one: LookedUp, words: Words) -> WayTold:
    memory, limits, speed = (told.get(name) or {} for name in ("memory", "limits", "speed"))
    host = memory.get("host")
    fields = {
        "model": model_name(one),
        "format": format_name(row["weight_format"]),
        "engine": ENGINES[row["engine"]],
        "cards": cards_name(row),
        "needed": memory.get("needed_per_gpu", ""),
        "usable": memory.get("usable_per_gpu", ""),
        "host": words.say("host", host=host) if host else "",
        "rate": speed.get("tokens_per_s_per_user", ""),
        "total": speed.get("tokens_per_s_total") or speed.get("tokens_per_s_per_user", ""),
        "first": speed.get("first_token", ""),
        "max_context": _grouped(limits.get("max_context_tokens")),
        "max_sequences": _grouped(limits.get("max_concurrent_sequences")),
        "context": _grouped(row["context_tokens"]),
        "sequences": _grouped(row["concurrent_sequences"]),
    }
    title = f"{fields['format']} ({fields['engine']}, {fields['cards']}{fields['host']})"
    return WayTold(
        title,
        fields,
        row["command"],
        row["concurrent_sequences"] > 1,
        row.get("meets_targets"),
        row["weight_format"],
        row["engine"],
    )


def plain_way(one: LookedUp, words: Words) -> dict[str, str] | None:
    """The best way of a work that generates no text (pictures, speech, texts read): how needed usable card rate value.

    None where the result is of a language model, or nothing fits.
    """
    rows = [row for row in one.shown.get("ways", []) if isinstance(row, Mapping)]
    if not rows or "fit" not in rows[0]:
        return None
    row = next((row for row in rows if row["fit"] == "yes"), None) or next(
        (row for row in rows if row["fit"] != "no"), None
    )
    if row is None:
        return None
    speed = one.shown.get("speed") or {}
    name = next((name for name in PLAIN_SPEEDS if speed.get(name)), "")
    rate = words.say(name, rate=UNIT.sub("", str(speed[name]))) if name else ""
    value = leading(str(speed.get(name, "")))
    return {
        "how": format_name(str(row["weight_format"])),
        "needed": str(row.get("needed", "")),
        "usable": str(row.get("usable", "")),
        "card": str(row.get("card", "")),
        "rate": rate,
        "value": "" if value is None else str(value),
    }


def leading(said: str) -> float | None:
    """The number a told figure is compared by: its first, or the middle of a range that stands alone ("47–94")."""
    if (ends := parted(said)) is not None:
        return middle(*(leading(end) or 0.0 for end in ends))
    found = NUMBER.match(said)
    return float(found[0].replace(",", "")) if found else None


def _grouped(number: Any) -> str:
    return f"{number:,}" if isinstance(number, int) else ""


def cards_name(row: Mapping[str, Any]) -> str:
    """The cards of a way: `2×GeForce RTX 3090`."""
    cards = " + ".join(f"{one['count']}×{one['name']}" for one in row["cards"]) or "CPU"
    nodes = row.get("nodes") or 1
    return f"{nodes} × ({cards})" if nodes > 1 else cards


def model_name(one: LookedUp) -> str:
    """The model of a result as people call it."""
    named = one.shown.get("answer", {}).get("model") or one.request.get("model", "")
    known = models().get(named) if isinstance(named, str) else None
    return known.name if known else str(named)


def assumed_card(one: LookedUp, cards: str, words: Words) -> list[str]:
    """Which card was taken, where only its memory was said."""
    nameless = str(one.request.get("cards", "")).endswith(" card")
    return [words.say("card_assumed", cards=cards)] if nameless and cards else []


def changes(one: LookedUp, words: Words) -> str:
    """What had to be changed for it to fit."""
    told = []
    for said in one.shown.get("answer", {}).get("changed", []):
        if found := CHANGED.fullmatch(said):
            name = f"changed_{found['field']}"
            known = words.knows(name)
            name = name if found["field"] in one.request or not known else f"{name}_unsaid"
            figures = {"new": _thousands(found["new"]), "old": _thousands(found["old"])}
            told.append(
                words.say(name, **figures) if known else words.say("changed_other", field=found["field"], **figures)
            )
        elif BARE.fullmatch(said) and said in one.request:
            new = str(one.shown.get("answer", {}).get(said, ""))
            old = str(one.request[said])
            if said == "weight_format":
                told += words.maybe("changed_format", new=format_name(new), old=format_name(old))
            else:
                told += words.maybe("changed_other", field=said, new=new, old=old)
    return words.listed(told)


def _thousands(said: str) -> str:
    return f"{int(said):,}" if said.isdigit() else said


def told_speed(way: WayTold, words: Words) -> list[str]:
    """How fast a way is: for one user, or for each and together."""
    keys = ("sequences", "rate", "total") if way.several else ("rate",)
    return words.maybe("speed_many" if way.several else "speed", **{key: way.fields[key] for key in keys})


def told_limits(way: WayTold, words: Words) -> list[str]:
    """How long and how many it goes."""
    keys = ("max_context", "context", "max_sequences")
    return words.maybe("limits", **{key: way.fields[key] for key in keys}) or words.maybe(
        "limit_context", max_context=way.fields["max_context"]
    )
