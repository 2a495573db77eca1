"""Cards at the same work: which of them holds it in what format, and which is faster at it."""

from collections.abc import Sequence

from assistant.compose import names, numbers, pace, take
from assistant.compose.arithmetic import cite, column_name, subject, total, workload
from assistant.compose.citations import joined
from assistant.compose.material import Estimate, Material
from assistant.compose.runners import RACES, Pace, counted, held_against, is_file, raced, racing
from assistant.plan import requests
from assistant.plan.formats import bits
from assistant.understand import worded
from kb.units import DAY_S

EVEN_RATIO = 1.1
"""Speeds closer than this are the same: the interval of each is wider."""
NEARLY_FULL, SPARE = 0.9, 0.1
"""Share of a card from which nothing more goes beside the work, and how much less leaves room for it."""


def on_each(material: Material) -> list[Estimate]:
    """The workload as asked on each card compared; on as many of each as it takes, where that was worked out."""
    fitted = [one for one in material.estimates if one.fit]
    if not fitted:
        return []
    first = fitted[0]
    kept: dict[str | None, Estimate] = {}
    for one in fitted:
        if one.task == first.task and (one.gpu == first.gpu or one.gpu not in kept):
            kept.setdefault(one.gpu, one)
    stated = {card.gpu for card in requests.compared(material.need) if card.count}
    held = {card: next((more for more in fitted if _more_of(more, one)), None) for card, one in kept.items()}
    if len(kept) > 1 and not stated and all(held.values()):
        return [one for one in held.values() if one]
    return list(kept.values())


def _more_of(more: Estimate, one: Estimate) -> bool:
    """Whether the same work in the same format fits on more of the same card, where it does not on fewer."""
    same = (more.gpu, more.task, more.result.weight_format) == (one.gpu, one.task, one.result.weight_format)
    return same and not one.fits and more.fits and more.gpus > one.gpus


def takes(material: Material, per_card: Sequence[Estimate]) -> str:
    """How many of each card the work takes, where no single one was enough and no numbers were stated."""
    said = {card.gpu: card.count for card in requests.compared(material.need)}
    if len(per_card) < 2 or any(one.gpus < 2 or said.get(one.gpu or "") or not one.fits for one in per_card):
        return ""
    cards = [names.cards(one.gpu or "", one.gpus) + cite(material, one) for one in per_card]
    gap = "" if material.say.language == "zh" else " "
    return material.say("compare.takes", what=workload(material, per_card[0]),
                        cards=material.say.listed(cards, conjunction="or")) + gap  # fmt: skip


def best_formats(material: Material, per_card: Sequence[Estimate]) -> list[Estimate]:
    """For each card the first way in which it holds the work, those tried first being the better ones.

    For a card that holds it in none, the smallest that was tried.
    """
    found = []
    for first in per_card:
        same = (
            one for one in material.estimates if (one.gpu, one.gpus, one.task) == (first.gpu, first.gpus, first.task)
        )
        tried = sorted(same, key=lambda one: one.request.get("offload") == "all")
        least = min(tried, key=lambda one: one.result.per_gpu.total_bytes, default=first)
        found.append(next((one for one in tried if one.fits), least))
    return found


def lighter(material: Material, best: Sequence[Estimate], *, takes: bool = True) -> str:
    """What is said when none of the cards holds the work as published, but some do in a smaller format.

    `takes`: whether a card may be chosen for its room; not beside one that was chosen for its speed or its price.
    """
    say, holding = material.say, [one for one in best if one.fits]
    holding.sort(key=lambda one: (one.request.get("offload") == "all", -bits(one.result.weight_format)))
    alike = len({bits(one.result.weight_format) for one in holding}) == 1
    told = [
        say(
            "compare.room",
            card=names.cards(one.placed.gpu, one.gpus),
            how=column_name(material, one),
            total=total(one),
            usable=numbers.gib(one.placed.usable_bytes, digits=1),
        )
        + cite(material, one)
        for one in holding
    ]
    what, rooms = subject(material, holding[0]), say.listed(told)
    if len(holding) < len(best):
        missing = say.listed([names.cards(one.gpu or "", one.gpus) for one in best if not one.fits])
        return say("compare.one_lighter", what=what, rooms=rooms, missing=missing)
    first = min(holding, key=_filled) if alike else holding[0]
    others = [_filled(one) for one in holding if one is not first]
    cached = len({one.request.get("kv_format") for one in holding}) == 1  # a narrower cache makes room on any card
    roomy = takes and alike and cached and others and min(others) > NEARLY_FULL >= _filled(first) + SPARE
    phrase = "compare.roomy" if roomy else "compare.all_lighter" if alike else "compare.roomier"
    return say(phrase, what=what, rooms=rooms, card=names.cards(first.placed.gpu, first.gpus))


def _filled(one: Estimate) -> float:
    """Share of the card that the work takes."""
    return one.result.per_gpu.total_bytes / one.placed.usable_bytes


def _order(runners: Sequence[Pace]) -> str:
    """How those raced, the fastest first, stand to each other."""
    if runners[0].value < EVEN_RATIO * runners[-1].value:
        return "even"
    return "faster" if len(runners) == 2 else "fastest"


def ratio(material: Material) -> str:
    """How many times as fast the first of those raced is as the last, where that is plain and decides."""
    runners = racing(material)
    if len(runners) < 2 or _order(runners) == "even" or _squeezed(material, runners):
        return ""
    first, last = runners[0], runners[-1]
    over, under = (last, first) if first.waits else (first, last)
    (many, _, unit), (few, _, same) = (one.figure.partition(" ") for one in (over, under))
    if unit != same:
        return ""  # in seconds and in minutes
    times = numbers.figure(float(many.replace(",", "")) / float(few.replace(",", "")))
    sides = {"over": over.figure, "under": under.figure, "ratio": times}
    return material.say("compare.ratio", card=first.cards, other=last.cards, **sides)


def race(material: Material) -> str:
    """Who is faster at the work in the same format, with both figures; nothing when only one speed is known."""
    if pace.of_prompts(material.text):
        return items(material)
    for tool, key in RACES:
        runners = held_against(material, tool, key)
        if len(runners) < 2:
            continue
        runners.sort(key=lambda one: -one.value)
        fastest = runners[0]
        unlike = len({_way(material, one) for one in runners}) > 1
        figures = material.say.listed([_told(material, one, with_format=unlike) for one in runners])
        what = subject(material, fastest.held) if unlike else _raced_at(material, fastest).strip()
        marks = joined([pace.cite_pace(material, one.record.tool, one.record.result).strip() for one in runners])
        unequal = len({one.record.result["gpu_count"] for one in runners}) > 1
        at_once = fastest.record.request.get("concurrent_sequences") or 1
        many = "serving_many" if at_once > 1 else "serving"
        kind = many if tool == RACES[0][0] else "training_in_all" if unequal else "training"
        values = {"card": fastest.cards, "figures": figures, "what": what, "count": numbers.count(at_once)}
        if squeezed := _squeezed(material, runners):
            return squeezed + material.say(f"compare.unraced_{kind}", **values) + marks
        return material.say(f"compare.{_order(runners)}_{kind}", **values) + marks
    return ""


def _raced_at(material: Material, one: Pace) -> str:
    """The work in the format that was timed, which those that hold it in more bits hold as well."""
    timed = one.record.result.get("weight_format") or ""
    if one.record.tool != RACES[0][0] or bits(timed) == bits(one.held.result.weight_format):
        return workload(material, one.held)
    return material.say("workload.serve", model=subject(material, one.held), format=names.format_name(timed))


def _told(material: Material, one: Pace, *, with_format: bool) -> str:
    """A runner's figure, with the format where not all hold the work in the same kind of file."""
    cards = material.say("compare.in_format", card=one.cards, format=named(material, one)) if with_format else one.cards
    return material.say("compare.pace", card=cards, value=one.figure)


def _way(material: Material, one: Pace) -> str | bool:
    """What has to be alike for figures to be told without it: the kind of file, or the way to train."""
    return column_name(material, one.held) if one.trains else is_file(one.record.result.get("weight_format"))


def named(material: Material, one: Pace) -> str:
    """The format that was timed; of a training the way."""
    return column_name(material, one.held) if one.trains else names.format_name(one.record.result["weight_format"])


def _squeezed(material: Material, runners: Sequence[Pace]) -> str:
    """Who holds the work with room and who only just: speed alone decides nothing between them."""
    say = material.say
    snug, roomy = [one for one in runners if one.snug], [one for one in runners if not one.snug]
    if not snug or not roomy:
        return ""
    told = {True: "", False: ""}
    for among in (snug, roomy):
        told[among is snug] = say.listed([_room(material, one) for one in among])
    return say("compare.snug", what=subject(material, runners[0].held), roomy=told[False], snug=told[True])


def rooms(material: Material) -> list[str]:
    """For each of the cards raced in training the way in which it holds the work, where not all do in the same."""
    paces = raced(material)
    ways = {(one.held.request.get("sharding") or "ddp", _way(material, one)) for one in paces}
    if not paces or not paces[0].trains or len(ways) < 2:
        return []
    return [_room(material, one) for one in paces]


def otherwise_trained(material: Material) -> bool:
    """Whether some of those raced in training hold it only with other settings than the others, not only spread."""
    paces = raced(material)
    return bool(paces) and paces[0].trains and len({_way(material, one) for one in paces}) > 1


def _room(material: Material, one: Pace) -> str:
    how, usable = column_name(material, one.held), numbers.gib(one.held.placed.usable_bytes, digits=1)
    told = material.say("compare.room", card=one.cards, how=how, total=total(one.held), usable=usable)
    return told + cite(material, one.held)


def settled(material: Material) -> bool:
    """Whether the race says who wins: not where some of the cards hold the work only just."""
    return len({one.snug for one in raced(material)}) == 1


def choice(material: Material) -> str:
    """Which of those raced to take for the money."""
    paces = raced(material)
    sets = [(one.record.result["gpu"], one.record.result["gpu_count"], one.of_all) for one in paces]
    snug = [one.cards for one in paces if one.snug]
    if len(snug) == 1 == len(paces) - 1:
        return take.roomier(material, sets, snug[0], trained=paces[0].trains)
    return take.take(material, sets, settled=settled(material))


def prompts(material: Material) -> str:
    """How fast each of those raced reads prompts."""
    say, (tool, key) = material.say, RACES[0]
    told = [
        say("compare.pace", card=one.cards, value=numbers.figure(read["value"]))
        for one in held_against(material, tool, key)
        if (read := one.record.result.get("prefill_tokens_per_s"))
    ]
    return "- " + say("compare.prompts", figures=say.listed(told)) if len(told) > 1 else ""


def items(material: Material) -> str:
    """Who is faster at work counted in audio, texts or pictures; with an amount of it, how long that takes each."""
    say = material.say
    for tool, key in counted(material):
        runners = held_against(material, tool, key)
        if len(runners) < 2:
            continue
        runners.sort(key=lambda one: -one.value)
        unlike = len({one.record.result.get("weight_format") for one in runners}) > 1
        paces = say.listed([_told(material, one, with_format=unlike) for one in runners])
        what = say(f"pace.{key}")
        what = what[:1].upper() + what[1:]
        text = say(f"compare.{_order(runners)}_items", card=runners[0].cards, what=what, figures=paces)
        text += joined([pace.cite_pace(material, one.record.tool, one.record.result).strip() for one in runners])
        return text + _whole(material, runners)
    return ""


def _whole(material: Material, runners: Sequence[Pace]) -> str:
    """How long all there is to do takes each, and whether one of each keeps up with as much every day."""
    say = material.say
    taken = [(one.record.result["time_s"], one) for one in runners if one.record.result.get("time_s")]
    single = any(
        value in (one.record.result.get("time_per_image_s"), one.record.result.get("time_per_clip_s"))
        for value, one in taken
    )
    if len(taken) < len(runners) or single:
        return ""
    told = []
    for value, one in taken:
        figure, unit = numbers.duration(float(value["value"]))
        told.append(say("compare.pace", card=one.cards, value=f"{figure} {say(f'unit.{unit}')}"))
    gap = "" if say.language == "zh" else " "
    text = gap + say("compare.whole", times=say.listed(told))
    daily = worded.A_DAY.search(material.text) is not None
    slowest = max(float(value["high"] or value["value"]) for value, _ in taken)
    return text + (gap + say("compare.keeps_up") if daily and slowest <= DAY_S else "")
