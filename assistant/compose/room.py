"""How long a context and how many requests at once the cards leave room for."""

from assistant.compose import names, numbers, streams
from assistant.compose.arithmetic import arithmetic, cite, room_of, workload
from assistant.compose.fit import can_it_run, finished, memory_needed, verdict_on
from assistant.compose.leading import main_and_others
from assistant.compose.levers import levers
from assistant.compose.material import Estimate, Material
from assistant.compose.section import Section
from kb.base import AdvisorError
from kb.catalog import model


def context_and_users(material: Material) -> Section:
    """How long a context and how many requests the cards hold; of live speech, how many streams they keep up with."""
    if material.intents[0] == "concurrency" and (live := streams.streams(material)) is not None:
        return live
    main, others = main_and_others(material)
    if main is None or main.fit is None:
        return memory_needed(material)
    if main.fit.verdict == "no":
        section = can_it_run(material)
        lines = room_of(material, others).split("\n")
        counted = material.intents[0] == "concurrency" and not (
            material.need.concurrent_sequences or material.need.users
        )
        if (counted or material.intents[0] == "context_length") and lines[0]:
            section.body.insert(0, section.headline)
            section.headline = lines.pop(0).removeprefix("- ")
        told = {line for block in section.body for line in block.split("\n")}
        section.body.insert(0, "\n".join(line for line in lines if line not in told))
        return section
    say, fit, need = material.say, main.fit, material.need
    open_question = {
        "concurrency": not (need.concurrent_sequences or need.users),
        "context_length": not (need.context_tokens or need.sequence_tokens),
    }.get(material.intents[0], True)
    limits = [("fit.max_context", fit.max_context_tokens), ("fit.max_sequences", fit.max_concurrent_sequences)]
    if material.intents[0] == "concurrency":
        limits = limits[1:]
    elif open_question and material.intents[0] == "context_length":
        limits = limits[:1]
    room = [say(key, value=numbers.tokens(value)) for key, value in limits if value]
    headline, verdict = verdict_on(material, main, [])
    if room and open_question:
        headline = say(
            "fit.room",
            what=workload(material, main),
            cards=names.cards(fit.gpu, main.gpus),
            room=say.listed(room, conjunction="or"),
        ) + cite(material, main)
        if limits[0][0] == "fit.max_context" and _own_limit(main):
            headline += say("fit.own_limit")
    elif room:
        headline += " " + say("fit.and_room", room=say.listed(room, conjunction="or"))
    crowded = [one for one in material.estimates if one.fits and _more_at_once(one, main)]
    section = Section(verdict, headline, [arithmetic(material, [main, *(crowded or others)])])
    said = section.headline if room else ""
    section.levers = [] if said and fit.verdict == "yes" else levers(material, main)
    return finished(material, section, main, says=("sequences",) if crowded else ())


def _own_limit(main: Estimate) -> bool:
    """Whether the longest context that fits is as long as the model takes."""
    try:
        longest = model(main.result.model).max_context_tokens if main.result.model else None
    except AdvisorError:
        return False
    return longest is not None and (main.placed.max_context_tokens or 0) >= longest


def _more_at_once(one: Estimate, main: Estimate) -> bool:
    """Whether it is the same workload with more requests at once."""
    alike = (one.gpu, one.gpus, one.result.weight_format) == (main.gpu, main.gpus, main.result.weight_format)
    counts = (estimate.request.get("concurrent_sequences") or 1 for estimate in (one, main))
    return alike and next(counts) > next(counts)
