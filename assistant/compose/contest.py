"""Cards at the same work: which of them holds it in what format, and which is faster at it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assistant.answer import ToolCallRecord
from assistant.compose import hybrid, names, numbers, observed, pace, take, trained
from assistant.compose.arithmetic import arithmetic, cite, column_name, subject, total, workload
from assistant.compose.citations import joined
from assistant.compose.material import Estimate, Material
from assistant.compose.section import Section
from assistant.plan import requests
from assistant.plan.formats import bits
from assistant.understand import worded
from kb.units import DAY_S

EVEN_RATIO = 1.1
"""Speeds closer than this are the same: the interval of each is wider."""
RACES = (("estimate_inference_speed", "tokens_per_s_per_user"), ("estimate_training_time", "tokens_per_s_per_gpu"))
"""The tools that say how fast, and the figure each is compared by."""

NEARLY_FULL, SPARE = 0.9, 0.1
"""Share of a card from which nothing more goes beside the work, and how much less leaves room for it."""
COUNTED = ("audio_s_per_s", "documents_per_s")
"""Figures of work that is not counted in answer tokens."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast one set of cards does the work."""

    record: ToolCallRecord
    cards: str
    figure: str
    value: float
    held: Estimate
    """In what these cards hold the work, the roomiest of what was worked out."""

    @property
    def snug(self) -> bool:
        """Whether they hold it only just in what is raced: what holds more bits only just holds fewer with room."""
        alike = bits(self.held.result.weight_format) == bits(self.record.result.get("weight_format"))
        return self.held.placed.verdict == "tight" and (alike or self.held.task != "inference")


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


def lighter(material: Material, best: Sequence[Estimate]) -> str:
    """The headline when none of the cards holds the work as published, but some do in a smaller format."""
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
    roomy = alike and others and min(others) > NEARLY_FULL >= _filled(first) + SPARE
    phrase = "compare.roomy" if roomy else "compare.all_lighter" if alike else "compare.roomier"
    return say(phrase, what=what, rooms=rooms, card=names.cards(first.placed.gpu, first.gpus))


def _filled(one: Estimate) -> float:
    """Share of the card that the work takes."""
    return one.result.per_gpu.total_bytes / one.placed.usable_bytes


def race(material: Material) -> str:
    """Who is faster at the work in the same format, with both figures; nothing when only one speed is known."""
    for tool, key in RACES:
        runners = _runners(material, tool, key)
        if len(runners) < 2:
            continue
        runners.sort(key=lambda one: -one.value)
        fastest, slowest = runners[0], runners[-1]
        unlike = len({_way(material, one) for one in runners}) > 1
        figures = material.say.listed([_told(material, one, with_format=unlike) for one in runners])
        what = subject(material, fastest.held) if unlike else _raced_at(material, fastest).strip()
        marks = joined([pace.cite_pace(material, one.record.tool, one.record.result).strip() for one in runners])
        unequal = len({one.record.result["gpu_count"] for one in runners}) > 1
        kind = "serving" if tool == RACES[0][0] else "training_in_all" if unequal else "training"
        values = {"card": fastest.cards, "figures": figures, "what": what}
        if squeezed := _squeezed(material, runners):
            return squeezed + material.say(f"compare.unraced_{kind}", **values) + marks
        even = fastest.value < EVEN_RATIO * slowest.value
        return material.say(f"compare.{'even' if even else 'faster'}_{kind}", **values) + marks
    return ""


def _raced_at(material: Material, one: Pace) -> str:
    """The work in the format that was timed, which those that hold it in more bits hold as well."""
    timed = one.record.result.get("weight_format") or ""
    if one.record.tool != RACES[0][0] or bits(timed) == bits(one.held.result.weight_format):
        return workload(material, one.held)
    return material.say("workload.serve", model=subject(material, one.held), format=names.format_name(timed))


def _told(material: Material, one: Pace, *, with_format: bool) -> str:
    """A runner's figure, with the format where not all hold the work in the same kind of file."""
    cards = (
        material.say("compare.in_format", card=one.cards, format=_named(material, one)) if with_format else one.cards
    )
    return material.say("compare.pace", card=cards, value=one.figure)


def _way(material: Material, one: Pace) -> str | bool:
    """What has to be alike for figures to be told without it: the kind of file, or the way to train."""
    return column_name(material, one.held) if _trains(one) else _is_file(one.record.result.get("weight_format"))


def _named(material: Material, one: Pace) -> str:
    return column_name(material, one.held) if _trains(one) else names.format_name(one.record.result["weight_format"])


def _trains(one: Pace) -> bool:
    return one.record.tool == RACES[1][0]


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
    paces = _raced(material)
    ways = {(one.held.request.get("sharding") or "ddp", _way(material, one)) for one in paces}
    if not paces or not _trains(paces[0]) or len(ways) < 2:
        return []
    return [_room(material, one) for one in paces]


def otherwise_trained(material: Material) -> bool:
    """Whether some of those raced in training hold it only with other settings than the others, not only spread."""
    paces = _raced(material)
    return bool(paces) and _trains(paces[0]) and len({_way(material, one) for one in paces}) > 1


def _room(material: Material, one: Pace) -> str:
    how, usable = column_name(material, one.held), numbers.gib(one.held.placed.usable_bytes, digits=1)
    told = material.say("compare.room", card=one.cards, how=how, total=total(one.held), usable=usable)
    return told + cite(material, one.held)


def _raced(material: Material) -> list[Pace]:
    return next((found for tool, key in RACES if len(found := _runners(material, tool, key)) > 1), [])


def settled(material: Material) -> bool:
    """Whether the race says who wins: not where some of the cards hold the work only just."""
    return len({one.snug for one in _raced(material)}) == 1


def choice(material: Material) -> str:
    """Which of those raced to take for the money."""
    paces = _raced(material)
    raced = [(one.record.result["gpu"], one.record.result["gpu_count"], _of_all(one)) for one in paces]
    snug = [one.cards for one in paces if one.snug]
    if len(snug) == 1 == len(paces) - 1:
        return take.roomier(material, raced, snug[0], trained=_trains(paces[0]))
    return take.take(material, raced, settled=settled(material))


def _of_all(one: Pace) -> float:
    """Its speed, of a training that of all its cards."""
    return float(one.record.result["tokens_per_s_total"]["value"]) if _trains(one) else one.value


def prompts(material: Material) -> str:
    """How fast each of those raced reads prompts."""
    say, (tool, key) = material.say, RACES[0]
    told = [
        say("compare.pace", card=one.cards, value=numbers.figure(read["value"]))
        for one in _runners(material, tool, key)
        if (read := one.record.result.get("prefill_tokens_per_s"))
    ]
    return "- " + say("compare.prompts", figures=say.listed(told)) if len(told) > 1 else ""


def items(material: Material) -> str:
    """Who is faster at work counted in audio, texts or pictures; with an amount of it, how long that takes each."""
    say = material.say
    for key in COUNTED:
        runners = _runners(material, "estimate_inference_speed", key)
        if len(runners) < 2:
            continue
        fastest, *others = sorted(runners, key=lambda one: -one.value)
        paces = [say("compare.pace", card=one.cards, value=one.figure) for one in (fastest, *others)]
        even = fastest.value < EVEN_RATIO * others[-1].value
        phrase = "compare.even_items" if even else "compare.faster_items"
        text = say(phrase, card=fastest.cards, what=say(f"pace.{key}"), figures=say.listed(paces))
        text += joined([pace.cite_pace(material, one.record.tool, one.record.result).strip() for one in runners])
        return text + _whole(material, runners)
    return ""


def _whole(material: Material, runners: Sequence[Pace]) -> str:
    """How long all there is to do takes each, and whether one of each keeps up with as much every day."""
    say = material.say
    taken = [(one.record.result["time_s"], one) for one in runners if one.record.result.get("time_s")]
    if len(taken) < len(runners):
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


def speed(material: Material) -> Section:
    """The speed asked for; of several cards, who is faster."""
    section = pace.speed(material)
    record = next(material.records("estimate_inference_speed"), None)
    over = record is not None and observed.spilled(material, record.result)
    verdict = observed.judged(material, record.result, over=over) if record else ""
    gap = " " if verdict and material.say.language != "zh" else ""
    if shared := hybrid.split(material):
        headline, section.verdict = hybrid.headline(material, shared)
        section.headline = verdict + gap + headline
        section.body = [arithmetic(material, [shared])]
        section.assumptions = hybrid.assumptions(material, shared)
    if faster := race(material) or items(material):
        section.headline, section.verdict = verdict + gap + faster, "comparison"
    return section


def _runners(material: Material, tool: str, key: str) -> list[Pace]:
    """The speeds that can be held against each other: one format, every card once, and all of it in memory.

    Of formats that all hold, the widest that all hold with room, else the widest.

    Training is told for each GPU; of unequal numbers of cards for all of them together.
    """
    by_format: dict[int, dict[str, Pace]] = {}
    for record in material.records(tool):
        result = record.result
        held = _held(material, record) if result.get(key) else None
        if held is None:
            continue
        cards, value = names.cards(result["gpu"], result["gpu_count"]), result[key]["value"]
        same = by_format.setdefault(bits(result.get("weight_format")), {})
        same.setdefault(cards, Pace(record, cards, numbers.figure(value), value, held))
    most = max((len(runners) for runners in by_format.values()), default=0)
    full = [list(by_format[size].values()) for size in sorted(by_format, reverse=True) if len(by_format[size]) == most]
    fullest = next((one for one in full if not any(each.snug for each in one)), next(iter(full), []))
    counts = {one.record.result["gpu_count"] for one in fullest}
    if tool == RACES[1][0] and len(counts) > 1:
        return [replace(one, figure=numbers.figure(_of_all(one)), value=_of_all(one)) for one in fullest]
    return fullest


def _held(material: Material, record: ToolCallRecord) -> Estimate | None:
    """This very workload on these cards where it fits, sooner with room: what holds more bits a weight holds fewer.

    Of as many bits a file of llama.cpp and weights in an engine that serves many take different amounts of memory.
    """
    result = record.result
    same = [one for one in material.estimates if (one.gpu, one.gpus) == (result["gpu"], result["gpu_count"])]
    if record.tool == "estimate_training_time":
        same = [one for one in same if trained.vouches(one, record)]
    else:
        same = [one for one in same if _vouches(one.result.weight_format, result["weight_format"])]
    fitting = sorted((one for one in same if one.fits), key=lambda one: one.placed.verdict != "yes")
    return next(iter(fitting), None)


def _vouches(held: str, raced: str) -> bool:
    """Whether cards that hold the work in one format hold it in the other as well."""
    return bits(held) > bits(raced) or (bits(held) == bits(raced) and _is_file(held) == _is_file(raced))


def _is_file(weight_format: str | None) -> bool:
    return (weight_format or "").startswith("gguf:")
