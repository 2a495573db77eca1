"""The speed that was asked for: of one set of cards, or of several side by side with who cannot hold the work."""

from collections.abc import Sequence
from itertools import chain

from assistant.compose import contest, hybrid, names, numbers, observed, pace, ranges, runners
from assistant.compose.arithmetic import arithmetic, cite, column_name, subject, total
from assistant.compose.assume import assumed
from assistant.compose.caveats import caveats
from assistant.compose.material import Estimate, Material
from assistant.compose.orders import orders
from assistant.compose.runners import Pace
from assistant.compose.section import Section
from assistant.compose.table import table
from assistant.plan import raced
from assistant.plan.formats import bits
from assistant.plan.requests import compared
from tools.need import GpuCount

COLUMNS_MAX = 5
"""Sets of cards and formats side by side."""
ROWS = tuple(dict.fromkeys((*pace.SPEED_ROWS, *pace.ITEM_ROWS, *pace.TIME_ROWS)))


def speed(material: Material) -> Section:
    """The speed asked for; of several cards, who is faster."""
    if (section := each(material)) is not None:
        return section
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
    if faster := contest.race(material) or contest.items(material):
        section.headline, section.verdict = verdict + gap + faster, "comparison"
    return section


def settled(material: Material) -> set[str]:
    """Further intents that an answer which holds cards against each other has settled."""
    if material.intents[0] == "compare" and contest.race(material):
        return {"speed"}
    paced = material.intents[0] in ("speed", "training_time") and each(material) is not None
    return {"compare", "can_it_run"} if paced else set()


def each(material: Material) -> Section | None:
    """How fast each of the cards asked about is; None where one is asked about, or a rate that was measured."""
    cards = compared(material.need)
    sized = {one.gpu for one in material.estimates if one.fit}
    asked = raced.asked(material.understanding, material.need) and all(card.gpu in sized for card in cards)
    if not asked or hybrid.split(material) or _otherwise_told(material):
        return None
    ways = {card.gpu: runners.ways(material, card.gpu) for card in cards}
    missing = [miss for card in cards if not ways[card.gpu] and (miss := _least(material, card))]
    shown = _shown(material, list(ways.values()))
    if not shown and any("host" in pace.warned(material, one) for one in material.results("estimate_inference_speed")):
        return None  # part of it stays in the host's memory, which a computer that has one of them does as well
    section = Section("comparison", _headline(material, shown, missing))
    if not shown:
        section.verdict = "does_not_fit"
        section.body.append(orders(material, material.configurations))
        section.configurations = material.configurations
    section.body.append(side_by_side(material, shown))
    held = [_exact(material, one) or one.held for one in shown] or missing
    section.assumptions = assumed(material, held[0], told=("format",) if len(shown) > 1 else ())  # told of each
    warned = (pace.warned(material, one.record.result).values() for one in shown)
    section.caveats += dict.fromkeys(chain(*warned, *(caveats(material, one) for one in held)))
    return section


def ratio(material: Material) -> str:
    """How many times as fast the first is as the last, beside a choice between cards that asks for their speeds."""
    return contest.ratio(material) if raced.wanted(material.understanding) else ""


def beside(material: Material) -> str:
    """The speeds side by side, beside a choice between cards that asks for them."""
    held = runners.racing(material) if raced.wanted(material.understanding) else []
    return side_by_side(material, held[:COLUMNS_MAX])


def _otherwise_told(material: Material) -> bool:
    """Whether a rate that was measured is to be judged, or how long a training of known data takes."""
    first = next(material.results("estimate_inference_speed"), {})
    judged = observed.judged(material, first) or observed.complained(material, first)
    timed = any(result.get("time_s") for result in material.results("estimate_training_time"))
    return bool(timed or judged or observed.judged_item(material, first))


def _exact(material: Material, one: Pace) -> Estimate | None:
    """The memory of the very format that was timed; None where only that of a wider one was worked out."""
    timed = one.record.result.get("weight_format")
    if one.record.tool != "estimate_inference_speed" or one.held.result.weight_format == timed:
        return one.held
    alike = (row for row in material.estimates if row.fits and (row.gpu, row.gpus) == (one.held.gpu, one.held.gpus))
    return next((row for row in alike if row.result.weight_format == timed), None)


def _least(material: Material, card: GpuCount) -> Estimate | None:
    """The smallest way of those tried on a card."""
    tried = [one for one in material.estimates if one.fit and one.gpu == card.gpu]
    return min(tried, key=lambda one: one.result.per_gpu.total_bytes, default=None)


def _shown(material: Material, ways: Sequence[Sequence[Pace]]) -> list[Pace]:
    """Those raced, the fastest first, then each card as published where it holds that, too."""
    racing = runners.racing(material)
    told = [*racing, *sorted((one[0] for one in ways if one), key=lambda one: -one.value)]
    kept: dict[tuple[str, str | None], Pace] = {}
    for one in told:
        kept.setdefault((one.cards, one.record.result.get("weight_format")), one)
    return list(kept.values())[:COLUMNS_MAX]


def _headline(material: Material, shown: Sequence[Pace], missing: Sequence[Estimate]) -> str:
    gap = "" if material.say.language == "zh" else " "
    faster = contest.race(material) or contest.items(material)
    told = [material.say("pace.none_alone")] if _on_more(material, shown) else []
    told += [faster, contest.ratio(material), _wider(material, shown)] if faster else [_unraced(material, shown)]
    told += [*(_cannot(material, one) for one in missing), contest.choice(material)]
    return gap.join(filter(None, told))


def _on_more(material: Material, shown: Sequence[Pace]) -> bool:
    """Whether the speeds are all of more cards than were asked about."""
    asked = {card.gpu: card.count or 1 for card in compared(material.need)}
    return bool(shown) and all(one.held.gpus > asked.get(one.held.gpu or "", one.held.gpus) for one in shown)


def _unraced(material: Material, shown: Sequence[Pace]) -> str:
    """The figures of those that are not held against each other: one alone holds it, or each in a way of its own."""
    if not shown:
        return ""
    say, first = material.say, shown[0]
    key = runners.figure_of(first.record.result) or ""
    alone = len({one.cards for one in shown}) == 1
    values = {"card": first.cards, "what": subject(material, first.held), "measure": say(f"pace.{key}")}
    figures = [_figure(material, one, with_card=not alone) for one in shown]
    return say("pace.alone" if alone else "pace.apiece", figures=say.listed(figures), **values)


def _figure(material: Material, one: Pace, *, with_card: bool = True) -> str:
    """A figure with its interval, its cards and its format: "1×RTX 4090 in BF16 ≈ 58 (47–73)"."""
    say, key = material.say, runners.figure_of(one.record.result) or ""
    how = contest.named(material, one)
    card = say("compare.in_format", card=one.cards, format=how) if with_card else how
    text = say("compare.pace", card=card, value=ranges.ranged(material, key, one.record.result[key]))
    return text + pace.cite_pace(material, one.record.tool, one.record.result)


def _wider(material: Material, shown: Sequence[Pace]) -> str:
    """What those do in a wider format that hold it in one, where the race is run in a narrower."""
    racing = runners.racing(material)
    if not racing:
        return ""
    raced_bits = bits(racing[0].record.result.get("weight_format"))
    more = [one for one in shown if one not in racing and bits(one.record.result.get("weight_format")) > raced_bits]
    return (
        material.say("pace.wider", figures=material.say.listed([_figure(material, one) for one in more]))
        if more
        else ""
    )


def _cannot(material: Material, one: Estimate) -> str:
    """That a card holds it in no way that was tried, and how many of it would."""
    say, more = material.say, one.minimum(one.gpu or "")
    text = say(
        "pace.cannot", cards=names.cards(one.gpu or "", one.gpus), how=column_name(material, one), total=total(one),
        usable=numbers.gib(one.placed.usable_bytes, digits=1),
    )  # fmt: skip
    enough = more is not None and more.verdict != "no" and more.count > one.gpus
    needs = say("pace.would", cards=names.cards(more.gpu, more.count)) if more and enough else say("pace.no_number")
    return text + needs + cite(material, one)


def side_by_side(material: Material, shown: Sequence[Pace], *, placed: bool = True) -> str:
    """A column for each set of cards and format, a row for each figure, where `placed` the memory last."""
    say = material.say
    if not shown:
        return ""
    head = [
        say("compare.in_format", card=one.cards, format=contest.named(material, one))
        + pace.cite_pace(material, one.record.tool, one.record.result)
        for one in shown
    ]
    alone = all((one.record.request.get("concurrent_sequences") or 1) == 1 for one in shown)
    keys = [key for key in ROWS if any(one.record.result.get(key) for one in shown)]
    keys = [key for key in keys if not (alone and key == "tokens_per_s_total" and "prefill_tokens_per_s" in keys)]
    if all(one.trains and one.held.gpus == 1 for one in shown):
        keys = [key for key in keys if key not in ("tokens_per_s_total", "samples_per_s_total")]
    each_waited = [key for key in ("time_per_image_s", "time_per_clip_s") if key in keys]
    if all(one.record.result.get("time_s") == one.record.result.get(key) for one in shown for key in each_waited):
        keys = [key for key in keys if key != "time_s" or not each_waited]
    rows = [[say(f"pace.{key}"), *(_cell(material, key, one) for one in shown)] for key in keys]
    if not placed:
        return table([say("table.what"), *head], rows)
    held = [_exact(material, one) for one in shown]
    usable = [numbers.gib(one.held.placed.usable_bytes, digits=1) for one in shown]
    totals = [total(one) + cite(material, one) if one else "–" for one in held]
    rows.append([say("table.gib", column=say("table.total")), *totals])
    rows.append([say("table.gib", column=say("table.usable")), *usable])
    rows.append(
        [
            say("table.fits"),
            *(say(f"mark.{(one or timed.held).placed.verdict}") for one, timed in zip(held, shown, strict=True)),
        ]
    )
    return table([say("table.what"), *head], rows)


def _cell(material: Material, key: str, one: Pace) -> str:
    measured = one.record.result.get(key)
    return ranges.ranged(material, key, measured) if measured else "–"
