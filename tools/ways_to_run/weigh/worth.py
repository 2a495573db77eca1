"""What a candidate is worth: targets first, then quality against speed, then how simple it is."""

import math
from typing import NamedTuple

from kb.constants.quality import quality
from tools.ways_to_run.space.formats import SERVERS, made_by_others
from tools.ways_to_run.space.load import Load
from tools.ways_to_run.weigh.candidate import Candidate
from tools.ways_to_run.weigh.pace import Speed, in_time

UNKNOWN_RATE = 1.0
"""Tokens a second that a card without a stated bandwidth is ranked by."""
CARDS_PERCENT, STAGES_PERCENT, HOST_PERCENT, ENGINE_PERCENT, OTHERS_PERCENT = 0.35, 0.05, 0.2, 0.02, 1.0
"""What simplicity is worth, in per cent of quality: half the cards, a stage less, no host memory, the usual engine, and
for a server a checkpoint by the model's own makers."""

SLOTS_PERCENT, SEVERAL = 4.0, 8
"""What an engine that pages its cache and batches requests as they come is worth, from so many sequences at once: slots
of fixed size hold as much on paper, and nobody serves many people so."""


class Weighed(NamedTuple):
    """A candidate with its speed and its rank."""

    candidate: Candidate
    speed: Speed | None
    loss_percent: float
    meets: bool | None
    """Whether targets are met; null = none was given."""
    rank: tuple[float, ...]
    """Larger is better."""

    @property
    def rate(self) -> float:
        """Tokens a second of one user."""
        return self.speed.per_user.value if self.speed else UNKNOWN_RATE


def weighed(load: Load, candidate: Candidate, speed: Speed | None) -> Weighed:
    """Rank one candidate.

    `most_users` counts those served at a pace people accept. Without an objective: targets, then

        doubling · log2(rate / pace) − loss of weights and cache − tight − complexity

    where beyond the pace (the target, else the one people wait for) a doubling counts little.
    """
    rules = quality()
    loss = rules.weights_percent(candidate.form, load.native, load.shape.params) + rules.cache_percent(candidate.kv)
    meets = _meets(load, speed)
    rate = speed.per_user.value if speed else UNKNOWN_RATE
    score = _score(load, candidate, rate, loss)
    sure = float(candidate.held.surety == "yes")
    usable = float(loss <= rules.exchange.usable_percent)
    first, objective = (float(meets is not False),), load.objective
    if objective == "fastest":
        rank: tuple[float, ...] = (*first, usable, sure, rate, score)
    elif objective == "best_quality":
        rank = (*first, sure, float(rate >= rules.exchange.least_tokens_per_s), -loss, score)
    elif objective == "longest_context":
        rank = (*first, usable, sure, _longer_ratio(load, candidate), score)
    elif objective == "most_users":
        rank = (*first, usable, sure, float(candidate.engine in SERVERS), _users_score(load, candidate, speed, loss))
    elif objective == "simplest":
        rank = (*first, usable, sure, -float(candidate.offloads), -float(candidate.used), score)
    else:
        rank = (*first, score)
    return Weighed(candidate, speed, loss, meets, rank)


def _meets(load: Load, speed: Speed | None) -> bool | None:
    if load.target_rate is None and load.target_first_s is None and load.target_answer_s is None:
        return None
    if speed is None:
        return False
    return (load.target_rate is None or speed.per_user.value >= load.target_rate) and in_time(load, speed)


def _score(load: Load, candidate: Candidate, rate: float, loss: float) -> float:
    exchange = quality().exchange
    doublings = math.log2(rate / (load.pace or exchange.pace_tokens_per_s))
    worth = (exchange.doubling_percent if doublings < 0 else exchange.beyond_percent) * doublings
    tight = exchange.tight_percent if candidate.held.surety == "tight" else 0.0
    return worth - loss - tight - _complexity(load, candidate)


def _complexity(load: Load, candidate: Candidate) -> float:
    others = candidate.engine in SERVERS and made_by_others(load, candidate.engine, candidate.form)
    engine = SERVERS.index(candidate.engine) if candidate.engine in SERVERS else 0
    return (
        CARDS_PERCENT * math.log2(max(candidate.used, 1))
        + STAGES_PERCENT * (candidate.layout.pipeline > 1)
        + HOST_PERCENT * candidate.offloads
        + ENGINE_PERCENT * engine
        + OTHERS_PERCENT * others
        + SLOTS_PERCENT * (load.sequences >= SEVERAL and candidate.engine not in SERVERS)
    )


def _longer_ratio(load: Load, candidate: Candidate) -> float:
    """How many times the context asked for would fit, about; no more than the model has."""
    return min(candidate.room, load.longest / load.context) if load.longest else candidate.room


def _users_score(load: Load, candidate: Candidate, speed: Speed | None, loss: float) -> float:
    """Doublings of the users served at a pace they accept, against quality; by the pace alone where it serves none.

    An engine that pages its cache and batches as requests come goes first, by the rank's own place for it: slots of
    fixed size hold as much memory on paper, and nobody serves many people so.
    """
    exchange = quality().exchange
    served = speed.at_pace if speed and speed.at_pace is not None else 0
    rate = speed.per_user.value if speed else UNKNOWN_RATE
    least = load.pace or exchange.served_tokens_per_s
    doublings = math.log2(served) if served else min(math.log2(rate / least), 0.0) - 1
    return exchange.doubling_percent * doublings - loss - _complexity(load, candidate)
