"""Rates that no layout on a card can exceed, from what every layout of the formulas spends at least.

A bound costs a few multiplications where an estimate costs a tenth of a millisecond; it may be loose, never too low.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

from kb.constants.speed_constants import constants
from tools.configure.load.layout import Layout
from tools.configure.pace.speeds import MEASURES, Given, Speed, loaded, of_items, served
from tools.speed.decode import decode_step, read_bytes
from tools.speed.estimate import token_pace
from tools.speed.evidence import case_of as served_case
from tools.speed.evidence import least_factor
from tools.speed.item import item_kind
from tools.speed.prefill import prompt_launch_s, prompt_s
from tools.speed.work import READERS, Work
from tools.training_time.evidence import case_of as trained_case
from tools.training_time.images import most_images
from tools.training_time.job import job_of
from tools.training_time.request import TrainingTimeRequest
from tools.training_time.step import least_s, token_time

ROUNDING = 1 + 1e-9
COPYING = "tensorrt-llm"
"""Serves with attention copied to every card: caches divide further than the heads, prompts are read otherwise."""
DEALS = "llama.cpp"
"""Deals its layers over all the cards there are, whatever copies were thought of."""
MOST_CARDS = 10**6
"""Cards whose tokens fill every expert's tiles."""
MANY = 1e6
"""Sequences with which every expert is visited."""


class Bound(ABC):
    """What the layouts of one kind on one card have in common."""

    @abstractmethod
    def most(self, layout: Layout) -> float:
        """A rate of all cards that the layout does not exceed."""

    def most_per_user(self, layout: Layout) -> float:
        """The same for the tokens a second that every user gets."""
        return math.inf

    def least_first_s(self, layout: Layout) -> float:
        """Seconds within which the layout gives no first token."""
        return 0.0


@dataclass(frozen=True, slots=True)
class Each(Bound):
    """So much a card at most."""

    rate: float

    def most(self, layout: Layout) -> float:
        """Cards · rate."""
        return layout.gpus * self.rate * ROUNDING


NO_BOUND = Each(math.inf)


@dataclass(frozen=True, slots=True)
class Generating(Bound):
    """Seconds on one card of the parts of a step and of a prompt, and how they divide."""

    work: Work
    sequences: int
    dense_s: float
    routed_s_per_byte: float
    multiply_s: float
    """Of one sequence, at the best efficiency."""
    cache_s: float
    """Of one sequence."""
    fixed_s: float
    """Launching kernels, in every layout."""
    prompt_s: float
    """Reading one prompt, for every token of its answer."""
    least_factor: float

    def most(self, layout: Layout) -> float:
        """Tokens a second without links, scheduling, spilling and waiting, and with everything divided evenly.

            copies · b / (max(read, b'·multiply)/n + b'·cache/n_kv + fixed + (b−1) · prompt/(n · stages)) / factor

        b' = b / stages. The step is no shorter than reading the weights at 95 % of the bandwidth either.
        """
        copies = layout.data_parallel // layout.expert_parallel
        each = max(self.sequences / copies, 1.0)
        return copies * each / self._step_s(layout, each, max(each - 1.0, 0.0)) * ROUNDING  # prompts of the others

    def most_per_user(self, layout: Layout) -> float:
        """The same of one user, with no prompt of others in the way: fewer may be running than were asked for."""
        copies = layout.data_parallel // layout.expert_parallel
        return ROUNDING / self._step_s(layout, max(self.sequences / copies, 1.0), 0.0)

    def least_first_s(self, layout: Layout) -> float:
        """The first token of one sequence that is alone, its prompt divided evenly over the cards."""
        cards = layout.group if layout.expert_parallel == 1 else math.inf
        cards = layout.gpus if self.work.engine == DEALS else cards
        prompt = constants().queue.alone_ratio * self.prompt_s * self.work.output_tokens / cards
        launched = prompt_launch_s(self.work) / layout.pipeline_parallel
        return (math.hypot(prompt, launched) + self._step_s(layout, 1.0, 0.0)) / ROUNDING

    def _step_s(self, layout: Layout, each: float, prompts: float) -> float:
        step, clamp = self._formula_s(layout, each, prompts)
        return max(step * self.least_factor, clamp)

    def _formula_s(self, layout: Layout, each: float, prompts: float) -> tuple[float, float]:
        """The step before it is corrected by measurements, and the time to read the weights that nothing corrects."""
        arch, tensor, stages = self.work.arch, layout.group // layout.pipeline_parallel, layout.pipeline_parallel
        copied = layout.expert_parallel > 1
        batch = max(each / stages, 1.0)
        dense, routed = read_bytes(self.work, batch)
        read = self.dense_s + routed * self.routed_s_per_byte
        heads = 1 if arch.latent else arch.kv_heads
        cards = tensor if copied or self.work.engine == COPYING else min(tensor, heads)
        step = max(read, batch * self.multiply_s) / tensor + batch * self.cache_s / cards + self.fixed_s
        step += 0.0 if copied else prompts * self.prompt_s / (tensor * stages)
        clamp = (dense + routed) / (tensor * self.work.bandwidth * constants().peak_ratio)
        return step, clamp


def bound_of_serving(given: Given, sequences: int) -> Bound:
    """The bound of serving layouts on a card.

    Raises:
        AdvisorError: the estimator refuses the model or the card.
    """
    fields = dict(given)
    if of_items(fields):
        return _each_item(served(given))
    for name in ("gpu_count", "tensor_parallel", "pipeline_parallel"):
        fields.pop(name)
    work, request = loaded(tuple(fields.items()))
    if work.arch.kind in READERS:
        return Each(token_pace(work, request).found.total / least_factor(served_case(work), "decode"))
    return bound_of_generating(work, sequences)


def bound_of_generating(work: Work, sequences: int) -> Bound:
    """The bound of layouts of a load that generates text, as it is on one card."""
    work = work.on(work.layout, 1.0)
    crowded = work.on(work.layout, MANY)
    one, all_experts = decode_step(work), decode_step(crowded)
    (_, some), (_, every) = read_bytes(work, 1.0), read_bytes(work, MANY)
    routed = (all_experts.read_s - one.read_s) / (every - some) if every > some else 0.0
    return Generating(
        work=work, sequences=sequences, dense_s=one.read_s - some * routed, routed_s_per_byte=routed,
        multiply_s=all_experts.multiply_s / MANY, cache_s=one.cache_s,
        fixed_s=one.floor_s,
        # Of many, whose weights the steps beside it read: one that is alone reads them itself, which takes longer.
        prompt_s=0.0 if work.engine == COPYING else prompt_s(crowded) / work.output_tokens,
        least_factor=least_factor(served_case(work), "decode"),
    )  # fmt: skip


def _each_item(rates: Speed) -> Bound:
    """Cards work on different items, so that each adds what one does."""
    clip = rates.get("time_per_clip_s")
    known = (rate for name in MEASURES if isinstance(rate := rates.get(name), float))
    return Each(next(known, 1 / clip if isinstance(clip, float) else math.inf))


def bound_of_training(given: Given) -> Bound:
    """The bound of training layouts of one engine on a card: the time of a token without links, bubbles and waiting.

    Raises:
        AdvisorError: the estimator refuses the model or the card.
    """
    request = TrainingTimeRequest.model_validate(dict(given))
    if item_kind(request.model) is not None:
        return Each(most_images(request))
    least: dict[str, object] = {"expert_parallel": 1}
    if request.gradient_checkpointing is None and request.task == "pretrain":
        least |= {"gradient_checkpointing": "none"}
    job = replace(job_of(request.model_copy(update=least))[0], together=MOST_CARDS)
    factor = least_factor(trained_case(job), "training")
    return Each(min(1 / (token_time(job).total_s * factor), 1 / least_s(job)))
