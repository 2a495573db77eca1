"""The cards that an asker proposes, in exactly that number: what they would cost and how they would run."""

from dataclasses import dataclass, replace

from kb.catalog import gpus
from tools.configure.load.precision import LOSSES
from tools.configure.market.choice import Choice
from tools.configure.market.own import NOTHING, Own
from tools.configure.market.purchases import purchased
from tools.configure.market.rentals import rented
from tools.configure.pace.judged import Pace
from tools.configure.rank.options import Options
from tools.configure.rank.ranking import Found
from tools.memory.result import Verdict

SURE_FIRST: tuple[Verdict, ...] = ("yes", "tight")


@dataclass(frozen=True, slots=True)
class Proposal:
    """So many of a card, and where they may come from."""

    gpu: str
    count: int
    way: str
    country: str | None
    provider: str | None
    own: Own = NOTHING


def exactly(proposal: Proposal, options: Options, pace: Pace) -> Found | None:
    """The cheapest way to so many of a card with the fastest layout on them; null when they do not hold the work.

    Sure fits come first, then published precision, then price. Where no layout takes them all, the most of them that
    one does take, and the others stay free. Limits are not asked: a proposal is answered, and what it exceeds is told.
    """
    choices = _choices(proposal)
    for verdict in SURE_FIRST:
        for loss in LOSSES:
            for choice in choices:
                found = _on(choice, verdict, loss, options, pace)
                if found is not None:
                    return found
    return None


def _choices(proposal: Proposal) -> tuple[Choice, ...]:
    gpu = gpus()[proposal.gpu]
    if proposal.way == "rent":
        return rented(gpu, proposal.count, proposal.provider, proposal.country, proposal.own)
    return purchased(gpu, proposal.count, country=proposal.country, own=proposal.own)


def _on(choice: Choice, verdict: Verdict, loss: int, options: Options, pace: Pace) -> Found | None:
    """The fastest layout on all of the cards, else on the most of one machine that a layout takes."""
    used = choice
    while used.count:
        option = options.option(used, verdict, loss)
        paced = pace.fastest(choice.gpu, option.rows) if option else None
        if option is not None and paced is not None:
            return Found(replace(option, choice=choice), paced)
        if choice.machines > 1 or used.count == 1:
            return None
        used = replace(choice, cards=used.cards - 1)
    return None
