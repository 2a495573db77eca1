"""What to say of ways on cards that hardly anyone measured."""

from collections.abc import Iterable, Iterator

from kb.catalog import gpus
from kb.constants.weak_stacks import weak_stack
from kb.programs.releases import releases
from kb.records.gpu import Gpu
from tools.release_check import last_before
from tools.ways_to_run.result import Way
from tools.ways_to_run.space.formats import engine_rule
from tools.ways_to_run.tell.words import ENGINES
from tools.ways_to_run.weigh.ceiling import reached


def doubts(ways: Iterable[Way]) -> Iterator[str]:
    """A line for every engine and card of the ways that today's release leaves out, or whose speed is a ceiling."""
    for engine, gpu in dict.fromkeys((way.engine, card.gpu) for way in ways for card in way.cards):
        card = gpus()[gpu]
        yield from _left_out(card, engine)
        share, stack = reached(card, engine), weak_stack(card, engine)
        if share is None or stack is None:
            continue
        reported = any(row.gpu == gpu and row.engine == engine for row in stack.rows)
        known = "hardly a measurement" if reported else "no measurement"
        yield (
            f"{known} of this engine on this card: {ENGINES[engine]} on {card.name} may reach as little as "
            f"{share.decode:.0%} of these tokens a second and {share.prefill:.0%} of the prompt's, as reports of cards "
            "like it did; the estimate is a ceiling."
        )


def _left_out(card: Gpu, engine: str) -> Iterator[str]:
    """That an older release of the engine has to be taken for the card."""
    newest = releases()[engine][-1].label if engine in releases() else None
    last, rule = last_before(engine, newest, card) if newest else None, engine_rule(engine, card)
    if last is not None and rule is not None:
        yield f"{ENGINES[engine]} {newest} does not run on {card.name}. {rule.instead}."
