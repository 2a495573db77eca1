"""Several models in one question: whether all fit at once, or each by itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from assistant.answer import AnswerVerdict
from assistant.compose import names, numbers
from assistant.compose.arithmetic import cite, subject, workload
from assistant.compose.assume import assumed
from assistant.compose.caveats import caveats
from assistant.compose.levers import smallest
from assistant.compose.material import Estimate, Material
from assistant.compose.orders import orders
from assistant.compose.section import Section
from assistant.compose.split import split
from assistant.compose.table import table
from assistant.plan import split as divisions
from assistant.plan import together as plan
from assistant.understanding import Workload
from kb.catalog import gpu, models
from kb.units import GIB
from tools.memory.result import MemoryEstimate
from tools.need import GpuCount

MINIMA_MAX = 3


@dataclass(frozen=True, slots=True)
class _Part:
    """One model and the ways of running it that were worked out, widest format first."""

    work: Workload
    ways: tuple[Estimate, ...]


def together(material: Material) -> Section | None:
    """The answer for several models; None where there is but one, or one could not be sized."""
    understanding = material.understanding
    if not plan.asked(understanding):
        return None
    if understanding.beside:
        return _at_once(material)
    if divisions.asked(understanding) and (divided := split(material)) is not None:
        return divided
    return _one_by_one(material)


def _parts(material: Material, works: Sequence[Workload], cards: Sequence[GpuCount | None]) -> list[_Part]:
    found = []
    for work, card in zip(works, cards, strict=True):
        records = plan.records_of(work, material.need, card, material.calls)
        ways = tuple(Estimate(one.request, MemoryEstimate.model_validate(one.result)) for one in records)
        if ways:
            found.append(_Part(work, ways))
    return found


def _at_once(material: Material) -> Section | None:
    """The main model and its companions on the same cards: their sum against what is usable."""
    card, beside = plan.card_of(material.need), material.understanding.beside
    works = [plan.main_of(material.understanding, material.need), *beside]
    parts = _parts(material, works, plan.shares(material.understanding, material.need))
    if len(parts) != len(works):
        return None
    count = (card.count if card else None) or 1
    usable = gpu(card.gpu).usable_bytes if card else _usable(material)
    split = plan.parted(material.understanding, material.need)
    chosen = _each_on_its_own(parts) if split else _chosen(parts, usable, count)
    fits = usable is not None and chosen is not None
    shown = chosen or [part.ways[-1] for part in parts]
    say = material.say
    values = {
        "what": say.listed([_placed(material, one, split=split) + cite(material, one) for one in shown]),
        "sum": _sum(shown),
        "room": _room(usable or 0, count),
        "cards": names.cards(card.gpu, count) if card else say("together.card"),
    }
    if usable is None:
        section = Section("estimate", say("together.needs", **values), [_table(material, shown)])
        section.configurations = material.configurations
        section.body.insert(0, orders(material, material.configurations))
    else:
        as_said = shown == [part.ways[0] for part in parts]
        verdict: AnswerVerdict = "does_not_fit" if not fits else "fits" if as_said else "fits_with_changes"
        key = "no" if not fits else "yes" if as_said else "yes_smaller"
        key = f"split_{key}" if split else key
        section = Section(verdict, say(f"together.{key}", **values), [_table(material, shown)])
        if not fits and not split and all(_all_fit([one], usable, one.gpus) for one in shown):
            section.levers.append(say("together.in_turn"))
    return _finished(material, section, parts, shown)


def _each_on_its_own(parts: Sequence[_Part]) -> list[Estimate] | None:
    """The widest format of each that its share of the cards holds."""
    chosen = [next((one for one in part.ways if one.fits), None) for part in parts]
    return [one for one in chosen if one] if all(chosen) else None


def _placed(material: Material, one: Estimate, *, split: bool) -> str:
    """The model and its format, with the cards that are its share."""
    if not split or not one.request.get("gpu"):
        return _plain(material, one)
    cards = names.cards(one.request["gpu"], one.gpus)
    return material.say("together.on", what=_plain(material, one), cards=cards)


def _chosen(parts: Sequence[_Part], usable: int | None, count: int) -> list[Estimate] | None:
    """The widest formats with which all fit: the main model is narrowed before its companions."""
    options = sorted(product(*(range(len(part.ways)) for part in parts)), key=lambda picks: (sum(picks), -picks[0]))
    for picks in options:
        chosen = [part.ways[pick] for part, pick in zip(parts, picks, strict=True)]
        if usable is None or _all_fit(chosen, usable, count):
            return chosen
    return None


def _all_fit(chosen: Sequence[Estimate], usable: int, count: int) -> bool:
    """Each companion goes on the card with most room; the main model takes its share of every card."""
    main, *others = (one.result.per_gpu.total_bytes for one in chosen)
    free = sorted((usable - main for _ in range(count)), reverse=True)
    for size in sorted(others, reverse=True):
        free.sort(reverse=True)
        free[0] -= size
    return min(free) >= 0


def _sum(shown: Sequence[Estimate]) -> str:
    """ "17.6 GiB + 4.4 GiB = 22.0 GiB", of the figures as they are written."""
    sizes = [_written(one) for one in shown]
    return " + ".join(f"{size:,.1f} GiB" for size in sizes) + f" = {sum(sizes):,.1f} GiB"


def _written(one: Estimate) -> float:
    return round(one.result.per_gpu.total_bytes * one.gpus / GIB, 1)


def _room(usable: int, count: int) -> str:
    each = round(usable / GIB, 1)
    return f"{each:,.1f} GiB" if count == 1 else f"{count} × {each:,.1f} GiB = {count * each:,.1f} GiB"


def _usable(material: Material) -> int | None:
    """Usable memory of a card known only by its size."""
    return next((size for one in material.results("what_fits") if (size := one.get("usable_bytes_per_gpu"))), None)


def _one_by_one(material: Material) -> Section | None:
    """Each model on the cards: who fits, in what format."""
    card, works = plan.card_of(material.need), material.understanding.apart
    parts = _parts(material, works, [card for _ in works])
    if len(parts) < 2:
        return None
    usable = _usable(material) if card is None else None
    if card is None and usable is None:
        return _needed(material, parts)
    say = material.say
    lines, shown, verdicts = [], [], []
    for part in parts:
        main = part.ways[0]
        best = next((one for one in part.ways if _holds(one, usable)), main)
        shown.append(best)
        verdicts.append("no" if not _holds(best, usable) else "yes" if best is main else "changed")
        room = best.placed.usable_bytes if best.fit else usable or 0
        key = {"no": "no", "yes": _tight(best, usable), "changed": "changed"}[verdicts[-1]]
        lines.append(
            say(
                f"together.each_{key}",
                what=_plain(material, best),
                total=numbers.gib(best.result.per_gpu.total_bytes, digits=1),
                usable=numbers.gib(room, digits=1),
                published=names.format_name(main.result.weight_format)
                if main.task == "inference"
                else names.task_name(main.task, say),
            )
            + cite(material, best)
        )
    count = parts[0].ways[0].gpus
    cards = names.cards(card.gpu, count) if card else say("together.card")
    alike: dict[str, AnswerVerdict] = {"yes": "fits", "no": "does_not_fit", "changed": "fits_with_changes"}
    verdict: AnswerVerdict = alike[verdicts[0]] if len(set(verdicts)) == 1 else "fits_with_changes"
    turns = card is not None and any(one.task != "inference" for one in shown)
    headline = say("together.each", cards=cards, lines=say("together.stop").join(lines))
    if turns and "no" not in verdicts:
        headline = say("together.turns") + headline
    section = Section(verdict, headline, [_side_by_side(material, shown, count) if turns else ""])
    section.body.append(_minima(material, [one for one, said in zip(shown, verdicts, strict=True) if said == "no"]))
    return _finished(material, section, parts, shown)


def _side_by_side(material: Material, shown: Sequence[Estimate], count: int) -> str:
    """That works that take turns would run at once, too, each on cards of its own; empty where they would not."""
    rows = [one.minimum(one.gpu) if one.gpu else None for one in shown]
    needed = [row.count for row in rows if row is not None]
    if len(needed) < len(shown) or sum(needed) > count:
        return ""
    ways = [
        material.say("together.on", what=_plain(material, one), cards=names.cards(row.gpu, row.count))
        for one, row in zip(shown, rows, strict=True)
        if row is not None
    ]
    return material.say("together.at_once", ways=material.say.listed(ways))


def _holds(one: Estimate, usable: int | None) -> bool:
    return one.fits if one.fit else usable is not None and one.result.per_gpu.total_bytes <= usable


def _tight(one: Estimate, usable: int | None) -> str:
    tight = one.placed.verdict == "tight" if one.fit else usable is not None and one.result.per_gpu.high_bytes > usable
    return "tight" if tight else "yes"


def _needed(material: Material, parts: Sequence[_Part]) -> Section:
    """What each needs, where no card was named."""
    say = material.say
    ways = [
        say(
            "fit.way", how=_plain(material, one), size=numbers.both_units(one.result.per_gpu.total_bytes * one.gpus)
        ) + cite(material, one)
        for part in parts
        for one in part.ways
    ]  # fmt: skip
    shown = [one for part in parts for one in part.ways]
    section = Section("estimate", say("together.each_needs", ways=say.listed(ways)), [_minima(material, shown)])
    return _finished(material, section, parts, shown[:1])


def _minima(material: Material, estimates: Sequence[Estimate]) -> str:
    """Fewest cards for each."""
    say = material.say
    lines = []
    for one in estimates:
        cards = [names.cards(row.gpu, row.count) for row in smallest(one, MINIMA_MAX)]
        if cards:
            listed = say.listed(cards, conjunction="or")
            lines.append("- " + say("fit.minimum", how=_plain(material, one), cards=listed))
    return "\n".join(lines)


def _plain(material: Material, one: Estimate) -> str:
    if one.task != "inference":
        return workload(material, one)
    return material.say(
        "workload.serve", model=subject(material, one), format=names.format_name(one.result.weight_format)
    )


def _table(material: Material, shown: Sequence[Estimate]) -> str:
    say = material.say
    rows = [[_plain(material, one), f"{_written(one):,.1f}", str(one.gpus)] for one in shown]
    return table([say("several.head_work"), say("several.head_memory"), say("table.gpus")], rows)


def _finished(material: Material, section: Section, parts: Sequence[_Part], shown: Sequence[Estimate]) -> Section:
    say = material.say
    section.settled = True
    section.caveats += caveats(material, shown[0])
    if material.understanding.beside and _shared(material) and material.need.engine in (None, "vllm", "sglang"):
        section.caveats.append(say("together.reserve"))
    section.assumptions += [
        _stand_in(material, part.work.model) for part in parts if part.work.assumed and part.work.model
    ]
    section.assumptions += assumed(material, shown[0])
    return section


def _shared(material: Material) -> bool:
    return not plan.parted(material.understanding, material.need)


def _stand_in(material: Material, model: str) -> str:
    """That a model was not named, and which one the figures are of."""
    kind = material.say(f"task.{models()[model].kind}")
    return material.say("several.assumed", kind=kind, model=names.model_name(model))
