"""Does it fit, how many cards, how much memory: answers that rest on memory estimates."""

from collections.abc import Collection, Sequence

from assistant.answer import AnswerVerdict
from assistant.compose import (
    aside,
    capacity,
    cardless,
    hybrid,
    lasting,
    layouts,
    names,
    needless,
    numbers,
    opening,
    own_file,
    pictured,
    pictures,
    shares,
    squeezed,
    trained,
    unlike,
    weighed,
    whole_job,
)
from assistant.compose.acquisition import rents
from assistant.compose.arithmetic import (
    COLUMNS_MAX,
    arithmetic,
    cite,
    column_name,
    in_all,
    interval,
    room_of,
    subject,
    total,
    workload,
)
from assistant.compose.assume import assumed
from assistant.compose.by_then import stated
from assistant.compose.caveats import caveats
from assistant.compose.for_fit import in_hand_with_room, to_order
from assistant.compose.leading import fewer_each, in_machines, main_and_others, other_cards, told_by
from assistant.compose.levers import levers, smallest
from assistant.compose.material import Estimate, Material
from assistant.compose.orders import orders
from assistant.compose.section import Section
from assistant.plan import requests
from assistant.plan.cheaper import SHARES, SPREAD
from assistant.plan.formats import AS_PUBLISHED, bits, same_format
from assistant.plan.method import NO_ADAPTERS
from assistant.plan.provisional import compared_formats
from assistant.plan.requests import PATIENCE_S
from tools.configuration import Configuration

BARE_BITS = "int4"
"""The format of which only the bits are known."""
FOUR_BITS = 4
"""Bits a weight below which a format is named only where none above fits."""


def can_it_run(material: Material) -> Section:
    """Whether the cards named hold the workload, and what would if they do not."""
    main, others = main_and_others(material)
    if main is None:
        return memory_needed(material)
    shared = hybrid.split(material)
    alternatives = _alternatives(material, main, others)
    own = own_file.asked(material, main) and not _insists(material, main)
    if own and (not shared or any(bits(one.result.weight_format) >= FOUR_BITS for one in alternatives)):
        return _by_file(material, main)
    others = pictures.unstreamed(others, main, alternatives, stated=_insists(material, main))
    headline, verdict = unlike.verdict_on(material, main) or verdict_on(material, main, alternatives)
    headline = (
        needless.told(material, main)
        or layouts.largest_batch(material, main)
        or opening.opened(material, headline, verdict, main)
    )
    if shared and not main.fits:
        headline, verdict = hybrid.headline(material, shared)
        section = Section(verdict, headline, [arithmetic(material, [main, shared])])
        section = finished(material, section, shared)
        section.assumptions = [*hybrid.taken(material, shared), *hybrid.assumptions(material, shared)]
        return section
    if NO_ADAPTERS.search(material.text):
        others = [one for one in others if one.task not in SPREAD]
    shown = [main, *(one for one in others if (one.gpu == main.gpu or one.fits) and not told_by(one, main))]
    shown = squeezed.needed(shown)
    series, listed = capacity.of_series(material) if verdict == "does_not_fit" else ("", "")
    table = arithmetic(material, squeezed.columns(shown, alternatives))
    section = Section(verdict, headline + series, [listed, table])
    section.body += [card_line(material, card) for card in other_cards(material, main)]
    section.levers = levers(material, main) if not series else []
    if verdict == "fits_with_changes" and main.task == "inference" and alternatives and requests.cards(material.need):
        section.levers = []  # these cards do in a smaller format: what else holds the published one is not asked
    if len(compared_formats(material.understanding)) > 1 and main.fits:
        section.levers = []
        section.headline = weighed.formats(material, [main, *others]) or section.headline
        section.body.insert(0, room_of(material, [main, *(one for one in others if one.gpu == main.gpu)]))
    changed = verdict == "fits_with_changes" and bool(alternatives) and main.task == "inference"
    return finished(material, section, main, says=("format",) if changed else ())


def _by_file(material: Material, main: Estimate) -> Section:
    """By the best file that the asker's own card holds."""
    section, best = own_file.section(material, main)
    series, listed = capacity.of_series(material) if section.verdict == "does_not_fit" else ("", "")
    section.headline += series
    section.body.insert(0, listed)
    if section.verdict == "does_not_fit" and not series:
        section.levers = levers(material, best)[1 if own_file.on_more(material, best) else 0 :]  # told already
    return finished(material, section, best, told=best, says=("format",))


def _alternatives(material: Material, main: Estimate, others: Sequence[Estimate]) -> list[Estimate]:
    """Other ways that fit the same cards, each once; those that only just fit where none has room."""
    same = [one for one in others if one.fits and (one.gpu, one.gpus) == (main.gpu, main.gpus)]
    named = {column_name(material, one): one for one in reversed(same) if one.placed.host is None}
    found = [one for one in same if named.get(column_name(material, one)) is one]
    if NO_ADAPTERS.search(material.text):
        found = [one for one in found if one.task not in SPREAD]
    found = pictures.unstreamed(found, main, found, stated=_insists(material, main))
    if main.task == "inference":
        found = squeezed.needed(found)
        roomy = [one for one in found if one.placed.verdict == "yes"]
        found = pictures.ranked(found, main, roomy, stated=_insists(material, main))
    return [one for one in found if bits(one.result.weight_format) >= FOUR_BITS] or found


def card_line(material: Material, one: Estimate) -> str:
    """Whether it fits there, in one line."""
    fit = one.placed
    return "- " + material.say(
        f"fit.on_card_{fit.verdict}",
        cards=names.cards(fit.gpu, one.gpus),
        total=total(one),
        usable=numbers.gib(fit.usable_bytes, digits=1),
    )


def verdict_on(material: Material, main: Estimate, alternatives: Sequence[Estimate]) -> tuple[str, AnswerVerdict]:
    """The verdict in a sentence or two, and in a word."""
    say, fit = material.say, main.placed
    values = {
        "what": workload(material, main),
        "cards": names.cards(fit.gpu, main.gpus),
        "total": total(main),
        "interval": interval(main),
        "usable": numbers.gib(fit.usable_bytes, digits=1),
    }
    markers = cite(material, main)
    if fit.verdict != "no":
        roomy = [one for one in alternatives if one.task != main.task and one.placed.verdict == "yes"]
        told = say("fit.with_room", how=column_name(material, roomy[0]), total=total(roomy[0])) if roomy else ""
        told = told + cite(material, roomy[0]) if roomy and fit.verdict == "tight" else ""
        return say(f"fit.{fit.verdict}", **values) + markers + told, "fits"
    text = say("fit.no", **values) + markers
    if staged := layouts.in_stages(material, main):
        return staged + text.removeprefix(say("fit.no_word")), "fits_with_changes"
    same = any(one.result.weight_format == main.result.weight_format for one in alternatives)
    stated = _insists(material, main) and not (same and main.task == "inference")
    shared = main.request.get("sharding") in SHARES and main.task != "inference"
    copies = shared or (main.task == "inference" and (main.request.get("data_parallel") or 1) > 1)
    weights = main.part("weights") * (1 if copies else main.gpus)
    if main.part("weights") > fit.usable_bytes:
        text += say("fit.weights_alone", weights=numbers.both_units(weights))
    if not alternatives:
        less = "" if _insists(material, main) else squeezed.shorter(material, main)
        text += "" if less or _insists(material, main) else squeezed.on_more_cards(material, main)
        return (less + text, "fits_with_changes") if less else (text, "does_not_fit")
    ways = [
        say(f"fit.way_{one.placed.verdict}", how=_difference(material, one, main), total=total(one))
        + cite(material, one)
        for one in alternatives
    ]
    if stated and not any(_as_asked(one, main) or _as_many_bits(one, main) for one in alternatives):
        return text + say("fit.instead", ways=say.listed(ways, conjunction="or")), "does_not_fit"
    how, listed = column_name(material, main, (main, *alternatives)), say.listed(ways, conjunction="or")
    alike = any(one.task == main.task for one in alternatives)
    key = "fit.but" if main.task == "inference" else "fit.but_settings" if alike else "fit.but_training"
    led = say(key, ways=listed, how=how, **values)
    return led + markers + text.removeprefix(say("fit.no", **values) + markers), "fits_with_changes"


def _difference(material: Material, one: Estimate, main: Estimate) -> str:
    """What is done otherwise than asked: of the same training its settings, else the way as a whole."""
    whole = column_name(material, one, (main, one))
    cut = any(one.request.get(key) != main.request.get(key) for key in ("sequence_tokens", "fused_loss"))
    if one.task != main.task or one.task == "inference" or cut:
        return whole
    same = column_name(material, main, (main, one))
    rest = whole.removeprefix(same).strip().removeprefix(material.say("fit.with"))
    return rest if rest and rest != whole else whole


def _as_asked(one: Estimate, main: Estimate) -> bool:
    """Whether it is the training asked for, only with other settings."""
    return one.task == main.task != "inference"


def _as_many_bits(one: Estimate, main: Estimate) -> bool:
    """Whether it is another file of as many bits, where only the bits were said: "4 bit", not AWQ."""
    return main.result.weight_format == BARE_BITS and bits(one.result.weight_format) == FOUR_BITS


def _insists(material: Material, main: Estimate) -> bool:
    """Whether the asker stated this very format, or full fine-tuning: then what a lighter way holds is no yes."""
    if main.task != "inference":
        return requests.FULL.search(material.text) is not None
    return bool(material.understanding.need.weight_format) or AS_PUBLISHED.search(material.text) is not None


def memory_needed(material: Material) -> Section:
    """How much memory it takes in all, in each usual way when none was stated."""
    estimates = _on_cards(material)
    if not estimates:
        return Section("clarification", material.say("fit.unsized"))
    first = estimates[0]
    ways = [
        material.say(
            "fit.way" if one.task == "inference" else "fit.way_training",
            how=column_name(material, one, estimates),
            size=in_all(one),
        )
        + cite(material, one)
        for one in estimates
    ]
    spread = any(one.gpus > 1 for one in estimates)
    headline = material.say(
        "fit.needs_all" if spread else "fit.needs", what=subject(material, first), ways=material.say.listed(ways)
    )
    headline = pictured.headline(material, estimates) or headline
    headline += _on_named_card(material, estimates) + cardless.least_card(material, estimates)
    headline = cardless.on_one_card(material, estimates) + headline
    section = Section("estimate", headline, [arithmetic(material, estimates), *_minimum_lines(material)])
    return finished(material, section, first, says=_formats(estimates))


def _formats(told: Sequence[Estimate]) -> tuple[str, ...]:
    """That the formats are told, where there are several to choose from: then none of them is taken for granted."""
    return ("format",) if len({one.result.weight_format for one in told}) > 1 else ()


def _on_cards(material: Material) -> list[Estimate]:
    """As many estimates as a sentence takes: the first, then those that fit the card named before the rest.

    Those that leave a part to host memory hold the same in all, and are left out.
    """
    found = [one for one in material.estimates if one.fit is None or one.placed.host is None]
    others = sorted(found[1:], key=lambda one: one.fit is not None and not one.fits)
    return [*found[:1], *others][:COLUMNS_MAX]


def _on_named_card(material: Material, estimates: Sequence[Estimate]) -> str:
    """Whether the card that was named with the question holds it, in a sentence of its own: the first way, or which."""
    first = estimates[0]
    if first.fit is None:
        return ""
    values = {"cards": names.cards(first.fit.gpu, first.gpus), "usable": numbers.gib(first.fit.usable_bytes, digits=1)}
    holding = [one for one in estimates if one.fits and one.gpus == first.gpus]
    told = [first] if first.fits or not holding else holding
    how = material.say.listed([column_name(material, one, estimates) for one in told], conjunction="or")
    key = f"fit.card_{first.fit.verdict}" if first.fits or not holding else "fit.card_with"
    shared = hybrid.split(material)
    if key == "fit.card_no" and shared is not None and hybrid.host_of(shared).verdict != "no":
        return ("" if material.say.language == "zh" else " ") + hybrid.headline(material, shared)[0]
    return material.say(key, how=how, **values)


def _minimum_lines(material: Material) -> list[str]:
    """Fewest cards for each way, over the common cards; ways that need the same are said together."""
    if material.need.conditions or material.need.max_gpus:
        return []  # the common cards are not chosen by what was ruled out
    say = material.say
    same: dict[str, list[str]] = {}
    for one in (shown := _on_cards(material)):
        cards = say.listed([names.cards(row.gpu, row.count) for row in smallest(one)], conjunction="or")
        if cards:
            same.setdefault(cards, []).append(column_name(material, one, shown))
    lines = ["- " + say("fit.minimum", how=say.listed(ways), cards=cards) for cards, ways in same.items()]
    return ["\n".join(lines)] if lines else []


def how_many(material: Material) -> Section:
    """Fewest cards of the kind asked about, and of what else would do."""
    gpu = next((one.gpu for one in material.estimates if one.gpu), None)
    if in_time := _in_time(material, gpu):
        return in_time
    counted = [(one, row) for one in material.estimates if gpu and (row := one.minimum(gpu)) and one.gpus == 1]
    counted = counted or [(one, row) for one in material.estimates if gpu and (row := one.minimum(gpu))]
    if not gpu or not counted:
        return can_it_run(material) if gpu else memory_needed(material)
    insists = requests.FULL if requests.is_training(material.need) else AS_PUBLISHED
    if insists.search(material.text):
        counted = counted[:1]
    counted = fewer_each(counted)
    ways = [
        material.say(f"fit.count_{row.verdict}", how=column_name(material, one), cards=in_machines(material, row))
        + cite(material, one)
        for one, row in counted
    ]
    headline = material.say("fit.how_many", what=subject(material, counted[0][0]), ways=material.say.listed(ways))
    headline += _on_the_others(material, counted[0][0], gpu) + lasting.on_cards(material, gpu, counted[0][1].count)
    spread = [one for one in material.estimates if one.gpus > 1] or [one for one, _ in counted]
    section = Section("recommendation", headline, [arithmetic(material, spread)], assumptions=whole_job.taken(material))
    return finished(material, section, spread[0], says=_formats([one for one, _ in counted]))


def _on_the_others(material: Material, main: Estimate, counted: str) -> str:
    """The fewest of each other kind of card that was named, in the same format."""
    kinds = [card for card in material.need.gpus_asked if card != counted]
    same = (one for one in material.estimates if one.task == main.task)
    others = [one for one in same if same_format(one.result.weight_format, main.result.weight_format)]
    found = {
        card: row for card in kinds for one in others if (row := one.minimum(card)) is not None and row.verdict != "no"
    }
    if not found:
        return ""
    cards = material.say.listed([names.cards(card, row.count) for card, row in found.items()])
    gap = "" if material.say.language == "zh" else " "
    return gap + material.say("fit.on_the_others", how=column_name(material, main), cards=cards)


def by_deadline(material: Material, gpu: str | None = None) -> Configuration | None:
    """The fewest cards (of `gpu`) that finish the training in time, where their number was asked for: however they are
    to be had, since it takes as many rented as bought."""
    need = material.need
    within = need.deadline_s or (PATIENCE_S if need.task == "pretrain" else None)
    asked = material.intents[0] == "how_many_gpus" and within and need.dataset_tokens
    if not asked or not requests.is_training(need):
        return None
    timed = [one for one in material.found if (one.speed or {}).get("time_s") and gpu in {None, one.gpu}]
    return min(timed, key=lambda one: one.gpu_count, default=None)


def _in_time(material: Material, gpu: str | None) -> Section | None:
    """So many cards as finish the training by the deadline: memory alone would do with fewer."""
    need, say, best = material.need, material.say, by_deadline(material, gpu)
    if best is None:
        return None
    figure, unit = numbers.duration(float((best.speed or {})["time_s"] or 0))
    held = sorted(material.estimates, key=lambda one: one.fit is not None and not one.fits)
    headline = say(
        "fit.in_time",
        what=begun(workload(material, held[0])) if held else "",
        cards=names.cards(best.gpu, best.gpu_count),
        time=f"{figure} {say(f'unit.{unit}')}",
        allowed=stated(material, need.deadline_s or PATIENCE_S),
    )
    section = Section("recommendation", headline, [arithmetic(material, held[:1])])
    let = [one for one in material.found if (one.gpu, one.acquisition) == (best.gpu, "rent")]
    if rents(material) and not let:
        section.body.insert(0, say("fit.unlet", card=names.gpu_name(best.gpu)))
    first = min(let, key=lambda one: one.gpu_count, default=None) if rents(material) else None
    return finished(material, section, held[0], first=first) if held else section


def begun(text: str) -> str:
    """The text as a sentence begins."""
    return text[:1].upper() + text[1:]


def finished(
    material: Material,
    section: Section,
    main: Estimate,
    *,
    told: Estimate | None = None,
    first: Configuration | None = None,
    says: Collection[str] = (),
) -> Section:
    """The section with speeds less that `told` already, what to order (`first` before all), caveats, assumptions less
    what it `says` already."""
    section.configurations = material.configurations
    timed, data = trained.told(material, main)
    leads = section.verdict in ("fits", "fits_with_changes")
    if timed and leads:
        section.headline += ("" if material.say.language == "zh" else " ") + timed
    brief = aside.brief(material, told) if not any(material.results("what_fits")) else ""
    section.body += [brief, f"- {timed}" if timed and not leads else ""]
    if not in_hand_with_room(material, main):
        asked = [first] if first else []
        section.body.insert(
            0, orders(material, asked + [one for one in to_order(material, section.verdict) if one != first])
        )
    spread = shares.told(material, main)
    section.caveats += [*([spread] if spread else []), *caveats(material, main)]
    section.assumptions += [*assumed(material, main, told=says), *data]
    return section
