"""Sets of cards weighed for a stated load: who serves that many, how fast each is served, and for what money."""

from collections.abc import Sequence

from assistant.compose import comparison as cards_compared
from assistant.compose import contest, facts, names, numbers, pace, paces, ranges, runners, take
from assistant.compose.arithmetic import cite, subject, workload
from assistant.compose.assume import assumed
from assistant.compose.caveats import caveats
from assistant.compose.material import Estimate, Material
from assistant.compose.runners import Pace
from assistant.compose.section import Section
from assistant.plan import loaded
from assistant.plan.formats import unified
from assistant.plan.requests import compared
from tools.compare_gpus import Comparison
from tools.need import GpuCount

FEW = 1.1
"""Times the rate that is asked for up to which cards only just keep up with it."""


def comparison(material: Material) -> Section:
    """Cards against each other: at the load that was stated, else at the work, else as they are."""
    return _served(material) or cards_compared.comparison(material)


def _served(material: Material) -> Section | None:
    """Who of the sets serves the load; None where none was stated, or not every set was worked out."""
    cards = compared(material.need)
    if not loaded.asked(material.need, material.text) or not any((card.count or 1) > 1 for card in cards):
        return None
    firsts = [_first(material, card) for card in cards]
    per_set = [one for one in firsts if one is not None]
    if len(per_set) < len(cards):
        return None
    rate = loaded.rate(material.text)
    told = _at_rate(material, per_set, rate) if rate else _at_once(material, per_set)
    if told is None:
        return None
    headline, shown = told
    lines = [_rooms(material, per_set), _narrowed(material, per_set, shown)]
    section = Section("comparison", headline, ["\n".join(filter(None, lines))])
    section.body.append(paces.side_by_side(material, shown, placed=not rate))
    published = {one.record.result["weight_format"] for one in shown} <= {per_set[0].result.weight_format}
    known = (*(() if published else ("format",)), *(("sequences",) if rate else ()))
    section.assumptions = assumed(material, per_set[0], told=known)
    if shown:
        result = shown[0].record.result
        values = {"prompt": numbers.tokens(result["input_tokens"]), "answer": numbers.tokens(result["output_tokens"])}
        section.assumptions.append(material.say("loaded.lengths", **values))
    for one in per_set:
        section.caveats += [line for line in caveats(material, one) if line not in section.caveats]
    rows = next((Comparison.model_validate(one).gpus for one in material.results("compare_gpus")), ())
    section.caveats += facts.old_prices(material, rows)
    section.configurations = material.configurations
    section.settled = True
    return section


def _first(material: Material, card: GpuCount) -> Estimate | None:
    """The load as it was asked about on a set."""
    fitted = (one for one in material.estimates if one.fit and (one.gpu, one.gpus) == (card.gpu, card.count or 1))
    return next(fitted, None)


def _at_once(material: Material, per_set: Sequence[Estimate]) -> tuple[str, Sequence[Pace]] | None:
    """Who holds as many requests at once, and how fast each of them is answered there."""
    say = material.say
    ways = [[way for way in runners.ways(material, one.gpu or "") if _serves(material, way)] for one in per_set]
    racing = [one for one in runners.racing(material) if _serves(material, one)]
    shown = racing if len(racing) > 1 else [found[0] for found in ways if found]
    held = {one.held.gpu for one in shown}
    missing = [one for one in per_set if one.gpu not in held]
    count = per_set[0].request.get("concurrent_sequences") or 1
    if count < 2 or any((one.record.request.get("concurrent_sequences") or 1) != count for one in shown):
        return None
    values = {"load": _load(material, count), "what": _what(material, shown, per_set[0])}
    figures = say("list.semicolon").join(_figure(material, one, shown) for one in shown)
    if not shown:
        told = [say("loaded.none", **values), _most(material, per_set)]
        return _joined(material, told), shown
    if len(missing) == len(per_set):
        return None
    if missing:
        told = [say("loaded.only", cards=shown[0].cards, figures=figures, **values)]
    else:
        told = [say(f"loaded.{_order(shown)}", cards=shown[0].cards, figures=figures, **values)]
        told += [_everyone(material, shown), contest.choice(material)]
    told[1:1] = [_most(material, missing)] if missing else []
    return _joined(material, told), shown


def _serves(material: Material, one: Pace) -> bool:
    """Whether it is in a format that many are served in: files of llama.cpp only where they were asked for, or where
    nothing else runs."""
    asked = runners.is_file(material.need.weight_format) or material.need.engine == "llama.cpp"
    return asked or unified(one.held.gpu) or not runners.is_file(one.record.result.get("weight_format"))


def _at_rate(material: Material, per_set: Sequence[Estimate], rate: float) -> tuple[str, Sequence[Pace]] | None:
    """How many requests a second each set finishes with as many at once as it holds, and who keeps up."""
    say = material.say
    full = [one for card in per_set for one in runners.ways(material, card.gpu or "") if _finishes(one)]
    best: dict[str, Pace] = {}
    for one in sorted(full, key=lambda one: -_finished(one)):
        best.setdefault(one.cards, one)
    shown = list(best.values())
    if len(shown) < len(per_set):
        return None
    figures = say("list.semicolon").join(_finishing(material, one) for one in shown)
    enough = [one for one in shown if _finished(one) >= rate]
    key = "keeps_all" if len(enough) == len(shown) else "keeps" if enough else "keeps_none"
    count, minutely = loaded.stated(material.text) or (rate, False)
    asked, what = f"{count:,g}", _what(material, shown, per_set[0])
    values = {"cards": say.listed([one.cards for one in enough]), "figures": figures}
    load = say("loaded.minutely" if minutely else "loaded.secondly", rate=asked)
    told = [say(f"loaded.{key}", load=load, what=what, **values)]
    if not enough and not minutely:
        most = numbers.figure(_finished(shown[0]))
        times = numbers.figure(float(asked.replace(",", "")) / float(most.replace(",", "")))
        told.append(say("loaded.times", cards=shown[0].cards, rate=asked, most=most, times=times))
    if len(enough) != 1:
        sets = [(one.record.result["gpu"], one.record.result["gpu_count"], _finished(one)) for one in shown]
        told.append(take.take(material, sets))
    return _joined(material, told), shown


def _finishing(material: Material, one: Pace) -> str:
    """How many requests a second one set finishes."""
    value = ranges.ranged(material, "requests_per_s", one.record.result["requests_per_s"])
    count = numbers.count(one.record.request["concurrent_sequences"])
    text = material.say("loaded.finishes", cards=one.cards, value=value, count=count)
    return text + pace.cite_pace(material, one.record.tool, one.record.result)


def _finishes(one: Pace) -> bool:
    """Whether it is the speed of many at once, with the requests that come to their end a second."""
    return bool(one.record.result.get("requests_per_s")) and (one.record.request.get("concurrent_sequences") or 1) > 1


def _finished(one: Pace) -> float:
    return float(one.record.result["requests_per_s"]["value"])


def _everyone(material: Material, shown: Sequence[Pace]) -> str:
    """Who would hold all the people at once, where not all of the sets would."""
    need = material.need
    if not need.users or need.concurrent_sequences is not None:
        return ""
    able = [one for one in shown if (one.held.placed.max_concurrent_sequences or 0) >= need.users]
    if len(able) in (0, len(shown)):
        return ""
    cards = material.say.listed([one.cards for one in able])
    return material.say("loaded.everyone", users=numbers.count(need.users), cards=cards)


def _narrowed(material: Material, per_set: Sequence[Estimate], shown: Sequence[Pace]) -> str:
    """On whom the load does not fit in the format that it was asked about in, where it is told in a narrower."""
    failing = [one for one in per_set if not one.fits]
    if not failing or not shown:
        return ""
    told = [names.cards(one.gpu or "", one.gpus) + cite(material, one) for one in failing]
    what = workload(material, failing[0]).strip()
    return "- " + material.say("loaded.narrowed", what=what, cards=material.say.listed(told))


def _order(shown: Sequence[Pace]) -> str:
    return "even" if shown[0].value < contest.EVEN_RATIO * shown[-1].value else "faster"


def _load(material: Material, count: int) -> str:
    """The load in words: so many people, or so many requests at once."""
    need, say = material.need, material.say
    if need.users and need.concurrent_sequences is None:
        return say("loaded.users", users=numbers.count(need.users), count=numbers.count(count))
    return say("loaded.requests", count=numbers.count(count))


def _what(material: Material, shown: Sequence[Pace], first: Estimate) -> str:
    """The work, in the format that was timed where that is one."""
    formats = {one.record.result["weight_format"] for one in shown}
    if len(formats) != 1:
        return subject(material, first) if formats else workload(material, first).strip()
    form = names.format_name(formats.pop())
    return material.say("workload.serve", model=subject(material, first), format=form)


def _figure(material: Material, one: Pace, shown: Sequence[Pace]) -> str:
    """What one set does under the load: for each, in all, and until the first token."""
    say, result = material.say, one.record.result
    unlike = len({other.record.result["weight_format"] for other in shown}) > 1
    form = names.format_name(result["weight_format"])
    figure, unit = numbers.duration(result["time_to_first_token_s"]["value"])
    return say(
        "loaded.figure",
        cards=say("compare.in_format", card=one.cards, format=form) if unlike else one.cards,
        each=numbers.figure(result["tokens_per_s_per_user"]["value"]),
        whole=numbers.figure(result["tokens_per_s_total"]["value"]),
        wait=f"{figure} {say(f'unit.{unit}')}",
    ) + pace.cite_pace(material, one.record.tool, result)


def _most(material: Material, missing: Sequence[Estimate]) -> str:
    """How many at once those hold that do not hold all of them, in the format that leaves them most room."""
    say, found = material.say, []
    for first in missing:
        same = [one for one in material.estimates if one.fit and (one.gpu, one.gpus) == (first.gpu, first.gpus)]
        same = [one for one in same if not runners.is_file(one.result.weight_format)] or same
        best = max(same, key=lambda one: one.placed.max_concurrent_sequences or 0)
        count, form = best.placed.max_concurrent_sequences or 0, names.format_name(best.result.weight_format)
        card = say("compare.in_format", card=names.cards(first.gpu or "", first.gpus), format=form)
        key = "loaded.most" if count else "loaded.weightless"
        found.append(say(key, card=card, count=numbers.tokens(count)) + cite(material, best))
    return say("loaded.rest", figures=say.listed(found))


def _rooms(material: Material, per_set: Sequence[Estimate]) -> str:
    """How many at once each set holds in the format that was asked for."""
    say = material.say
    rooms = [(one, one.placed.max_concurrent_sequences or 0) for one in per_set]
    told = [
        say("loaded.most", card=names.cards(one.gpu or "", one.gpus), count=numbers.tokens(most)) + cite(material, one)
        for one, most in rooms
        if most
    ]
    what = workload(material, per_set[0]).strip()
    return (
        "- " + say("loaded.room", what=what, rooms=say.listed(told))
        if told and any(one.fits for one in per_set)
        else ""
    )


def _joined(material: Material, told: Sequence[str]) -> str:
    return ("" if material.say.language == "zh" else " ").join(filter(None, told))
