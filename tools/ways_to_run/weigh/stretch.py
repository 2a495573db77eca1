"""The way as far as it goes, where how far it goes is what was asked for: its flags then say so."""

from tools.ways_to_run.space.load import Load
from tools.ways_to_run.weigh.limits import limits_of
from tools.ways_to_run.weigh.pace import Paces
from tools.ways_to_run.weigh.worth import Weighed


def stretched(load: Load, one: Weighed) -> tuple[Load, Weighed]:
    """The load this way carries at the most, and the way with the memory and the speed it has there.

    `longest_context`: the longest that fits, or the model's own. `most_users`: as many sequences as each still sees an
    accepted pace of. Anything else, and whatever does not grow: as it was.
    """
    candidate, longer = one.candidate, load
    if load.objective == "longest_context":
        longer = load._replace(context=limits_of(load, candidate).max_context_tokens or load.context)
    elif load.objective == "most_users" and one.speed is not None and one.speed.at_pace:
        most = limits_of(load, candidate).max_concurrent_sequences or load.sequences
        longer = load._replace(sequences=max(min(one.speed.at_pace, most), load.sequences))
    held = candidate.at(load, longer.context, longer.sequences) if longer != load else None
    if held is None:
        return load, one
    there = candidate._replace(held=held)
    speed = Paces(longer._replace(objective=None)).of(there)
    if speed is not None and one.speed is not None:
        speed = speed._replace(at_pace=one.speed.at_pace)
    return longer, one._replace(candidate=there, speed=speed)
