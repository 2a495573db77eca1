"""Which format to take, or what one loses: those that are named, or the ways there are, with memory, speed and loss."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assistant.answer import AnswerVerdict
from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.accounts.cards import judged, told_mixture
from assistant.writing.accounts.needs import needed
from assistant.writing.accounts.run import drawn_otherwise, told_loss, told_run
from assistant.writing.accounts.run import lead as run_lead
from assistant.writing.accounts.sentences import cards_used, whole
from assistant.writing.arguments import running
from assistant.writing.setups import THOUGHT_OF, Setup, setups
from assistant.writing.ways import WayTold, leading, model_name, verdict, ways
from assistant.writing.words import Words
from kb.models import models
from kb.records.gpu import Gpu
from tools.agent_tools.ledger import LookedUp
from tools.ways_to_run.tell.words import format_name

ROWS_MAX = 4
SERVED = frozenset({"awq", "gptq", "fp8", "int8", "nvfp4", "mxfp4", "w8a8"})
"""Formats of servers: named beside each other they are meant for one engine."""
NARROW = frozenset({"awq", "gptq", "int4", "gguf:Q4_K_M", "nf4"})
WIDE = ("bf16", "fp16")


def applies(ask: Ask, situation: Situation) -> bool:
    """A model that is run; cards may be named or not."""
    return any(one.work is not None and not one.trains for one in setups(situation, ask))


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """The format to take with its figures, then the others, and why."""
    setup = next(one for one in setups(situation, ask) if one.work is not None and not one.trains)
    asked: dict[str, Any] = dict(running(setup, situation))
    if not setup.machines:
        return _anywhere(ask, setup, situation, calls, words)
    if _draws(asked):
        drawn = calls.call("find_ways_to_run", dict(asked))
        if drawn.failed:
            return None
        account = told_run(drawn_otherwise(drawn, calls.call), calls.call, words)
        return SectionTold(account.lead, account.lines, "fits" if account.verdict == "fits" else "fits_with_changes")
    cache = asked.get("kv_format")
    if ask.ask == "quality" and cache:
        return _cache(asked, cache, calls, words)
    theirs = asked.pop("weight_format", None)
    named = _named(setup, theirs, ask)
    found = [_tried(asked, form, named, calls) for form in named] or [calls.call("find_ways_to_run", dict(asked))]
    told = [(one, ways(one, words)) for one in found if not one.failed]
    if not told:
        return None
    many = len(named) > 0
    rows = [(one, way) for one, kept in told for way in kept[: 1 if many else ROWS_MAX] if _is_meant(one, way)]
    out = [str(one.request.get("weight_format")) for one, kept in told if not any(_is_meant(one, way) for way in kept)]
    if not rows and (less := _for_fewer(ask, setup, situation, asked, named, calls, words)) is not None:
        return less
    if not rows:
        return _none_of(asked, out, told[0][0], calls, words)
    if many:
        rows.sort(key=lambda row: (verdict(row[0]) != "fits", -_rate(row[1])))
    used = [str(one.value) for one in setup.every("format", "have")]
    lines = list(_following(ask, rows, out, used, calls, words))
    kind: AnswerVerdict = "fits" if verdict(rows[0][0]) == "fits" else "fits_with_changes"
    return SectionTold(_lead(ask, rows, words), tuple(dict.fromkeys(lines)), kind)


def _draws(asked: dict[str, Any]) -> bool:
    """Whether the model makes pictures or clips, whose parts may leave the card."""
    known = models().get(str(asked.get("model", "")))
    return known is not None and known.kind in ("diffusion", "video")


def _lead(ask: Ask, rows: list[tuple[LookedUp, WayTold]], words: Words) -> str:
    """The format to take; where its loss is asked, that first."""
    first = rows[0][1]
    if ask.ask == "quality" and (lost := _loss(rows[0][0], first)):
        return told_loss(first.form, lost, words)
    return words.say("take", **first.fields)


def _tried(asked: dict[str, Any], form: str, named: list[str], calls: Calls) -> LookedUp:
    """One of the formats; those of servers on one, where several of them are weighed."""
    one = calls.call("find_ways_to_run", {**asked, "weight_format": form})
    rows = whole(one).get("ways", [])
    several = any(name in asked for name in ("users", "concurrent_sequences"))
    beside = any(other in SERVED or other in WIDE for other in named if other != form)
    served = "engine" not in asked and form in (*SERVED, "int4") and (beside or several)
    if served and rows and rows[0].get("engine") == "llama.cpp":
        other = calls.call("find_ways_to_run", {**asked, "weight_format": form, "engine": "vllm"})
        return other if not other.failed and whole(other).get("ways") else one
    return one


def _is_meant(one: LookedUp, way: WayTold) -> bool:
    """Whether a way is of the format that was asked, rather than one taken instead."""
    asked = one.request.get("weight_format")
    return not asked or "weight_format" not in " ".join(whole(one).get("answer", {}).get("changed") or ())


def _for_fewer(
    ask: Ask, setup: Setup, situation: Situation, asked: dict[str, Any], named: list[str], calls: Calls, words: Words
) -> SectionTold | None:
    """Where none holds so many at once: what each holds of one, and how many it does hold."""
    bare = {name: value for name, value in asked.items() if name not in LOADS}
    if len(bare) == len(asked):
        return None
    found = [_tried(bare, form, named, calls) for form in named]
    kept = [(one, ways(one, words)) for one in found if not one.failed]
    rows = [(one, way) for one, told in kept for way in told[:1] if _is_meant(one, way)]
    if not rows:
        return None
    rows.sort(key=lambda row: -int(row[1].fields["max_sequences"].replace(",", "") or 0))
    told = [_row(one, way, words) + words.say("row_most", **way.fields) for one, way in rows]
    said = words.say(
        "for_fewer", count=str(asked.get("concurrent_sequences") or asked.get("users")), **rows[0][1].fields
    )
    lines = ["\n".join(f"- {line}" for line in told)]
    lines += [one for gpu in cards_used(rows[0][0])[:1] for form in named for one in _units(gpu, form, calls, words)]
    return SectionTold(said, tuple(lines), "fits_with_changes")


def _named(setup: Setup, theirs: str | None, ask: Ask) -> list[str]:
    """The formats the person weighs; beside one that is in use, where its loss is asked, the published one."""
    weighed = list(dict.fromkeys(str(one.value) for one in setup.every("format", "plan", "proposed")))
    named = list(dict.fromkeys(str(one.value) for one in setup.every("format", *THOUGHT_OF)))
    if len(weighed) > 1:
        return weighed
    if len(named) > 1:
        return named
    return [theirs or named[0]] if ask.ask == "quality" and (theirs or named) else []


def _anywhere(ask: Ask, setup: Setup, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """No machine was named: the memory of each format, and the rule of choice."""
    told = needed(setup, situation, calls.call, words)
    if told is None:
        return None
    return SectionTold(told.lead, (words.say("rule"), *told.lines, words.say("question_cards")), "estimate")


def _cache(asked: dict[str, Any], cache: str, calls: Calls, words: Words) -> SectionTold | None:
    """What a narrower cache changes: twice the tokens, hardly any quality."""
    wide = calls.call("find_ways_to_run", {**asked, "kv_format": "bf16"})
    narrow = calls.call("find_ways_to_run", dict(asked))
    before, then = (ways(one, words) if not one.failed else [] for one in (wide, narrow))
    if not before or not then:
        return None
    lead = words.say("cache_loss_4" if "4" in cache else "cache_loss", format=format_name(cache))
    name = "max_context" if before[0].fields["max_context"] != then[0].fields["max_context"] else "max_sequences"
    lines = words.maybe(f"cache_{name}", before=before[0].fields[name], then=then[0].fields[name],
                        cards=then[0].fields["cards"], context=then[0].fields["context"])  # fmt: skip
    return SectionTold(lead, tuple(lines), "estimate")


def _none_of(asked: dict[str, Any], out: list[str], first: LookedUp, calls: Calls, words: Words) -> SectionTold:
    """None of the named ones runs there: what does."""
    said = words.say("none", model=model_name(first), formats=words.listed([format_name(one) for one in out]))
    other = calls.call("find_ways_to_run", dict(asked))
    lines = [] if other.failed else [run_lead(other, words)]
    gpus = cards_used(first)
    lines += [said for gpu in gpus[:1] for form in out for said in _units(gpu, form, calls, words)]
    return SectionTold(said, tuple(lines), "does_not_fit")


def _rate(way: WayTold) -> float:
    return leading(way.fields["rate"]) or 0.0


def _loss(one: LookedUp, way: WayTold) -> float | None:
    rows = [row for row in whole(one).get("ways", []) if row.get("weight_format") == way.form]
    return rows[0].get("loss_percent") if rows else None


def _following(
    ask: Ask, rows: list[tuple[LookedUp, WayTold]], out: list[str], used: list[str], calls: Calls, words: Words
) -> Iterator[str]:
    lines = [_row(one, way, words) for one, way in rows]
    if len(lines) > 1:
        yield "\n".join(f"- {line}" for line in lines)
    elif ask.ask == "quality":
        yield lines[0]
    yield from (words.say("not", format=format_name(form)) for form in out)
    first = rows[0][0]
    formats = [*(way.form for _, way in rows), *out]
    formats += [form for form in used if form not in formats]
    for gpu in cards_used(first)[:1]:
        barred = [said for form in dict.fromkeys(formats) for said in _units(gpu, form, calls, words)]
        yield from barred
        if not out and any(form in NARROW and form in SERVED for form in formats) and len(formats) > 1:
            yield words.say("by_load_fp8" if gpu.fp8_flops else "by_load_int8" if gpu.int8_ops else "by_load")
    yield from told_mixture(first, calls.call, words)


def _units(gpu: Gpu, form: str, calls: Calls, words: Words) -> list[str]:
    """What a card lacks for a format."""
    if form.startswith("gguf:"):
        return []
    if form in WIDE:
        return judged(gpu, {"feature": form}, calls.call, words) if form == "bf16" and gpu.half == "fp16" else []
    if form == "fp8" and gpu.fp8_flops is not None:
        return []
    return judged(gpu, {"feature": form}, calls.call, words)


def _row(one: LookedUp, way: WayTold, words: Words) -> str:
    said = words.say("row", title=way.title, **{name: way.fields[name] for name in FIGURES})
    lost = _loss(one, way)
    return f"{said}{words.say('row_loss', percent=f'{lost:g}')}" if lost else said


LOADS = ("users", "concurrent_sequences")
FIGURES = ("needed", "usable", "rate", "max_context")


TOPIC = Topic("format", Path(__file__).parent, ("format", "quality"), applies, answer)
