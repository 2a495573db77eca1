"""What to say of ways on cards that hardly anyone measured."""

from collections.abc import Iterable, Iterator

from kb.catalog import gpus
from kb.weak_stacks import weak_stack
from tools.ways_to_run.result import Way
from tools.ways_to_run.tell.words import ENGINES
from tools.ways_to_run.weigh.ceiling import reached


def doubts(ways: Iterable[Way]) -> Iterator[str]:
    """A line for every engine and card of the ways whose speed is a ceiling."""
    for engine, gpu in dict.fromkeys((way.engine, card.gpu) for way in ways for card in way.cards):
        card = gpus()[gpu]
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
