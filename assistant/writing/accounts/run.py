"""What a result of `find_ways_to_run` says: the verdict, what stands against it, how fast, and what would help."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from assistant.writing.accounts.cards import Call, told_cards, told_mixture
from assistant.writing.accounts.changes import told_changes
from assistant.writing.accounts.sentences import cards_used, memory, sentences, whole
from assistant.writing.accounts.spreading import told_division
from assistant.writing.accounts.worked.fewest import fewest_to_run
from assistant.writing.accounts.worked.reckoning import at_least
from assistant.writing.ways import (
    WayTold,
    assumed_card,
    changes,
    model_name,
    plain_way,
    told_limits,
    told_speed,
    verdict,
    ways,
    weights_alone,
)
from assistant.writing.words import Words
from kb.models import models
from tools.agent_tools.ledger import LookedUp
from tools.ways_to_run.tell.words import format_name

UNNOTICED = 0.5
"""Rise of perplexity in per cent that nobody notices; others are told as small, and above `NOTICED` as such."""
NOTICED = 5.0
NAMELESS = " card"
MACHINE_FULL = 8
WIDE_CACHES = ("auto", "bf16", "fp16")
LEFT = 0.02
"""Share of a card below which what is left is nothing."""


class Told(NamedTuple):
    """The account of one machine."""

    lead: str
    lines: tuple[str, ...]
    verdict: str


def told_run(one: LookedUp, call: Call, words: Words, *, brief: bool = False) -> Told:
    """The whole account of a result; `brief` = what decides, of a second machine beside the first."""
    lines = list(_following(one, call, words, brief=brief))
    return Told(lead(one, words), tuple(dict.fromkeys(lines)), verdict(one))


def lead(one: LookedUp, words: Words) -> str:
    """Whether it runs, with the figure that decides."""
    say, best = sentences(words), ways(one, words)
    cards = cards_asked(one, words)
    if weights_alone(one):
        return say.say("weights_alone", model=model_name(one), cards=cards, needed=_least(one))
    if (plain := plain_way(one, words)) is not None:
        name = "plain" if plain["rate"] else "plain_unpaced"
        fields = {**plain, "model": model_name(one), "cards": cards, "parts": parts_told(_meant(one, plain), say)}
        return say.say(name, **fields)
    if verdict(one) == "does_not_fit" or not best:
        return _no(one, say, cards)
    changed = changes(one, words)
    fields = {"changed": changed, **best[0].fields}
    if verdict(one) == "fits" or not changed:
        return say.say("fits", **fields)
    asked = str(one.request.get("weight_format") or "")
    if all(said.startswith("target_") for said in _changed(one)):
        wanted = [str(one.request[name]) for name in ("target_first_token", "target_tokens_per_s", "target_answer")
                  if name in one.request]  # fmt: skip
        return say.say("fits_late", target=say.listed(wanted), **fields)
    missed = miss(one, asked) if asked and "weight_format" in _changed(one) else None
    if missed is not None:
        return say.say("fits_otherwise", asked=format_name(asked), **missed, **fields)
    return say.say("fits_changed", **fields)


def _meant(one: LookedUp, plain: Mapping[str, str]) -> Mapping[str, Any]:
    """The row of the way that is told."""
    rows = [row for row in one.shown.get("ways", []) if isinstance(row, Mapping)]
    return next((row for row in rows if row.get("needed") == plain["needed"]), {})


def parts_told(row: Mapping[str, Any], say: Words) -> str:
    """What is on the card at once, where that is not everything."""
    parts = str(row.get("parts") or "")
    if parts.startswith("one after the other"):
        return say.say("parts_in_turn")
    return say.say("parts_from_host") if parts.startswith("weights in host memory") else ""


def drawn_otherwise(one: LookedUp, call: Call) -> LookedUp:
    """A work of pictures or clips in the program that moves its parts by itself, where the usual one has no room."""
    known = models().get(str(one.shown.get("answer", {}).get("model") or ""))
    if one.failed or known is None or known.kind not in ("diffusion", "video") or "engine" in one.request:
        return one
    if verdict(one) != "does_not_fit":
        return one
    other = call("find_ways_to_run", {**one.request, "engine": "comfyui"})
    return one if other.failed or verdict(other) == "does_not_fit" else other


def cards_asked(one: LookedUp, words: Words) -> str:
    """The cards of a request as they were called; a card without a name by its memory."""
    return called(str(one.request.get("cards") or one.request.get("host_memory") or ""), words)


def called(cards: str, words: Words) -> str:
    """Cards as they are called; those without a name by their number and memory."""
    if not cards.endswith(NAMELESS):
        return cards
    count, _, size = cards.removesuffix(NAMELESS).partition("x ")
    return sentences(words).say("nameless", count=count, memory=size or count)


def miss(one: LookedUp, form: str = "") -> dict[str, str] | None:
    """What the nearest way in a format (or in any) needs where less is usable."""
    rows = [row for row in whole(one).get("binds", []) if row.get("unit") == "bytes" and row.get("needed")]
    rows = [row for row in rows if row.get("available") and row["what"] in ("weights_memory", "cache_memory")]
    named = [row for row in rows if form and str(row.get("subject", "")).startswith(format_name(form))]
    found = (named or ([] if form else rows))[:1] or rows[:1]
    return {"asked_needs": memory(found[0]["needed"]), "available": memory(found[0]["available"])} if found else None


def _changed(one: LookedUp) -> list[str]:
    return [str(said) for said in one.shown.get("answer", {}).get("changed", [])]


def _least(one: LookedUp) -> str:
    """What the narrowest way of a work without text needs."""
    rows = [row for row in one.shown.get("ways", []) if isinstance(row, Mapping) and row.get("needed")]
    return str(rows[0]["needed"]) if rows else "–"


def _no(one: LookedUp, say: Words, cards: str) -> str:
    missed = miss(one)
    if missed is None and (rows := [row for row in one.shown.get("ways", []) if isinstance(row, Mapping)]):
        usable = str(rows[-1].get("usable") or "")
        if usable:
            return say.say("no_plain", model=model_name(one), cards=cards, needed=rows[-1]["needed"], usable=usable)
    if missed is None:
        return say.say("no", model=model_name(one), cards=cards)
    subject = next((row["subject"] for row in whole(one).get("binds", []) if row.get("unit") == "bytes"), "")
    return say.say("no_needs", model=model_name(one), cards=cards, way=subject, **missed)


def _following(one: LookedUp, call: Call, words: Words, *, brief: bool) -> Iterator[str]:
    say, best = sentences(words), ways(one, words)
    yield from _drawn(one, say)
    if not best or verdict(one) == "does_not_fit":
        if plain_way(one, words) is None or verdict(one) == "does_not_fit":
            yield from told_changes(one, words)
            yield from _over_cards(one, call, words)
        if _several_cards(one):
            yield say.say("one_model_one_card")
        yield from told_mixture(one, call, words)
        yield from _other_plain(one, words)
        return
    first = best[0]
    yield from _beside(one, say)
    yield from assumed_card(one, first.fields["cards"], words)
    yield say.say("assumed_load", **first.fields)
    yield " ".join([*told_speed(first, words), *met(one, first, words), *told_limits(first, words)])
    yield from tightly(one, words)
    if brief:
        return
    yield from against(one, words)
    yield from told_cards(one, call, words)
    yield from told_division(one, call, words)
    yield from told_mixture(one, call, words)
    for other in best[1:2]:
        yield from words.maybe("next", title=other.title, rate=other.fields["rate"])
    yield from narrow_cache(one, words)
    if verdict(one) != "fits":
        yield from told_changes(one, words)
        yield from _more_machines(one, call, words)
    elif first.met is False:
        yield from told_changes(one, words, most=2)
    yield f"{words.say('command')}\n```bash\n{first.command}\n```"


def narrow_cache(one: LookedUp, words: Words) -> Iterator[str]:
    """That the figures are for a cache in fewer bits, where nobody asked for one."""
    form = whole(one)["ways"][0].get("kv_format")
    if form not in (None, *WIDE_CACHES) and "kv_format" not in one.request:
        yield sentences(words).say("cache_is", format=format_name(str(form)))


def _more_machines(one: LookedUp, call: Call, words: Words) -> Iterator[str]:
    """How many cards of several machines hold it as asked, where one full machine does not."""
    found, given = cards_used(one), one.worked[-1].request.get("cards") or ()
    if len(found) != 1 or sum(row.get("count") or 1 for row in given) < MACHINE_FULL:
        return
    kept = {name: value for name, value in one.request.items() if name not in ("cards", "nodes")}
    more = fewest_to_run(kept, found[0].name, call, counts=(16, 24, 32))
    if more is not None:
        best = ways(more.result, words)[0].fields
        fields = {name: best[name] for name in ("format", "needed", "usable", "rate")}
        yield sentences(words).say("more_machines", count=more.number, card=found[0].name, **fields)


def tightly(one: LookedUp, words: Words) -> Iterator[str]:
    """That it only just fits, where the upper end of the estimate does not, or hardly anything is left."""
    row = whole(one)["ways"][0]["memory"]
    spare = row["usable_bytes_per_gpu"] - row["needed_bytes_per_gpu"]
    if row["surety"] == "tight" or spare < row["usable_bytes_per_gpu"] * LEFT:
        yield sentences(words).say(
            "only_just", high=memory(row["high_bytes_per_gpu"]), usable=memory(row["usable_bytes_per_gpu"])
        )


def _over_cards(one: LookedUp, call: Call, words: Words) -> Iterator[str]:
    """How many of the card its weights take, of a work whose program would have to split it."""
    rows = [row for row in one.shown.get("ways", []) if isinstance(row, Mapping) and row.get("usable")]
    if not rows:
        return
    last = len(rows) - 1
    count = at_least(f"{one.key}.ways[{last}].needed", f"{one.key}.ways[{last}].usable", call)
    if count and count != "1":
        yield sentences(words).say("over_cards", count=count, card=rows[last].get("card", ""))


def writes_no_text(one: LookedUp) -> bool:
    """Whether a result is of pictures, clips, sound or texts that are read."""
    rows = one.shown.get("ways", [])
    return bool(rows) and isinstance(rows[0], Mapping) and "fit" in rows[0]


def _several_cards(one: LookedUp) -> bool:
    """Whether a work that runs on one card was asked of several."""
    said = str(one.request.get("cards", ""))
    return writes_no_text(one) and ("+" in said or re.match(r"[2-9]\s?[x×]", said) is not None)


def _drawn(one: LookedUp, say: Words) -> Iterator[str]:
    """How long a picture or a clip takes, and what waits in host memory meanwhile."""
    speed = one.shown.get("speed") or {}
    for name in ("time_per_image", "time_per_clip"):
        if speed.get(name):
            yield say.say(name, time=speed[name], steps=speed.get("steps", "–"))
    if speed.get("host"):
        yield say.say("drawn_host", host=speed["host"])


def _beside(one: LookedUp, say: Words) -> Iterator[str]:
    """Models that share the card and write no text."""
    rows = [row for row in one.shown.get("beside_on_first_card", []) if isinstance(row, Mapping)]
    if rows:
        yield say.say("beside", models=say.listed([f"{row['model']} {row['needed']}" for row in rows]))


def _other_plain(one: LookedUp, words: Words) -> Iterator[str]:
    """Other ways of a work that writes no text, with what each takes on the card."""
    if plain_way(one, words) is None:
        return
    rows = [row for row in one.shown.get("ways", []) if isinstance(row, Mapping) and row.get("needed")]
    told = [f"{format_name(str(row['weight_format']))}: {row['needed']}" for row in rows]
    if len(set(told)) > 1:
        yield sentences(words).say("other_plain", rows=sentences(words).listed(list(dict.fromkeys(told))[:4]))


def against(one: LookedUp, words: Words) -> Iterator[str]:
    """Why not as published, and what the narrower format loses."""
    say, rows = sentences(words), whole(one).get("ways", [])
    narrower = one.shown.get("answer", {}).get("narrower")
    wide = next((row for row in whole(one).get("binds", []) if _is_wide(row, one)), None)
    if narrower and wide is not None:
        needed, available = memory(wide["needed"]), memory(wide["available"])
        yield say.say("not_published", way=wide["subject"], asked_needs=needed, available=available)
    lost = rows[0].get("loss_percent") if rows else None
    if lost and "weight_format" not in one.request:
        yield told_loss(rows[0]["weight_format"], lost, words)


def _is_wide(row: Mapping[str, Any], one: LookedUp) -> bool:
    """Whether it is a wider format that does not fit, rather than the speed of the one taken."""
    form = format_name(str(one.shown.get("answer", {}).get("weight_format") or ""))
    there = row.get("unit") == "bytes" and row.get("needed") and row.get("available")
    named = " in " in str(row.get("subject", "")) or str(row.get("subject", "")).isupper()
    return bool(
        there and named and row["what"] == "weights_memory" and not str(row.get("subject", "")).startswith(form)
    )


def told_loss(form: str, lost: float, words: Words) -> str:
    """What a format loses, and how much that is."""
    name = "loss_none" if lost <= UNNOTICED else "loss_small" if lost <= NOTICED else "loss_large"
    return sentences(words).say(name, format=format_name(form), percent=f"{lost:g}")


def met(one: LookedUp, way: WayTold, words: Words) -> list[str]:
    """Whether the speed and the wait that were wanted are reached."""
    wanted, wait = one.request.get("target_tokens_per_s"), one.request.get("target_first_token")
    if way.met is None or not (wanted or wait):
        return []
    target = words.listed([*([f"{wanted} tokens/s"] if wanted else []), *([str(wait)] if wait else [])])
    said = [words.say("target_met" if way.met else "target_missed", target=target)]
    return [*(words.maybe("first", first=way.fields["first"]) if wait else []), *said]
