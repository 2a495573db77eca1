"""The figures of one load on one layout, from the formulas alone."""

from typing import NamedTuple

from kb.constants.speed_constants import constants
from tools.speed.capacity import sequences_that_fit, spilled_share
from tools.speed.decode import DecodeStep, decode_step, host_shares, read_bytes
from tools.speed.prefill import burst_s, first_token_s, most_flops, prefill_s, prompt_s, prompt_stages, prompt_stall_s
from tools.speed.work import Layout, Work

PROMPT_TOKENS = 512
"""Prompt that the reading speed is given for when the request has none."""


class Pace(NamedTuple):
    """Seconds and rates of one copy; `total` counts all copies."""

    work: Work
    step: DecodeStep
    prefill_s: float
    interference_s: float
    output_token_s: float
    per_user: float
    total: float
    first_token_s: float
    burst_s: float
    """The last first token when all requests come at the same moment."""
    prompt_rate: float
    least_s: float
    """A step at 95 % of the bandwidth of all cards: nothing is faster."""
    most_prompt_rate: float
    """Prompt tokens a second at 95 % of the compute peak."""
    room: int | None
    """Sequences that fit one copy."""
    clamped: bool
    """Whether the formula had to be held below a physical peak."""

    @property
    def at_capacity(self) -> bool:
        """Whether more sequences were asked than the memory holds."""
        return self.room is not None and self.work.sequences > max(self.room, 1) * constants().capacity.tolerance


def pace(work: Work) -> Pace:
    """Every figure of one load.

        TPOT = t_step + stall((b - 1) / output_tokens)
        total = copies · b / (t_step + stall(b / output_tokens))

    Each slot is filled anew once every `output_tokens` steps, and its prompt delays the others (`prompt_stall_s`).
    Beyond what the memory holds sequences wait: the total stays, every user gets less.
    """
    return placed_pace(work, sequences_that_fit(work))


def placed_pace(work: Work, room: int | None, spilled: float | None = None) -> Pace:
    """The same where memory was laid out elsewhere: `room` sequences fit, `spilled` of the weights lie with the host.

    Without `spilled`: as llama.cpp leaves weights there when the cards are full.
    """
    asked = work.sequences
    running = work
    if room is not None and asked > max(room, 1) * constants().capacity.tolerance:
        running = work.on(Layout(*work.layout[:2], 1, work.layout.attention_copies), max(room, 1))
    away = spilled_share(running) if spilled is None else spilled
    step, least = decode_step(running, away), _least_s(running, away)
    total_s = max(step.total_s, least)
    prompt = prompt_s(running)
    stages = prompt_stages(running, int(max(work.new_tokens, 1) * running.sequences))
    token_s, cycle_s = (total_s + prompt_stall_s(running, prompt / stages, running.sequences - own) for own in (1, 0))
    total = work.layout.replicas * running.sequences / cycle_s
    alone = prompt / prompt_stages(running, max(work.new_tokens, 1))
    rate = min(_prompt_rate(running, alone), _most_prompt_rate(running))
    # Where the pace of answers without a prompt is told, what is waited for is still a usual question.
    awaited = alone if running.input_tokens else PROMPT_TOKENS / rate
    burst = running.sequences * (prompt / stages if running.input_tokens else awaited)
    return Pace(
        work=work, step=step, prefill_s=alone, interference_s=token_s - total_s, output_token_s=token_s,
        per_user=running.sequences / asked / token_s, total=total,
        first_token_s=first_token_s(running, awaited, total_s),
        burst_s=burst_s(running, burst, total_s, asked, running.output_tokens * token_s), prompt_rate=rate,
        least_s=least, most_prompt_rate=_most_prompt_rate(running), room=room, clamped=step.total_s < least,
    )  # fmt: skip


def reading_pace(found: Pace) -> Pace:
    """The pace of a model that only reads: every token is one of a prompt."""
    rate = found.prompt_rate * constants().compute.reader_ratio
    tokens = (found.work.input_tokens or PROMPT_TOKENS) * max(found.work.sequences, 1.0)
    return found._replace(
        prompt_rate=rate, output_token_s=1 / rate, per_user=rate / max(found.work.sequences, 1.0),
        total=rate * found.work.layout.replicas, first_token_s=tokens / rate, burst_s=tokens / rate,
        least_s=1 / found.most_prompt_rate,
    )  # fmt: skip


def _least_s(work: Work, spilled: float) -> float:
    """The step that reads its weights at 95 % of the bandwidth of all its cards; what is spilled is slower anyway."""
    dense, routed = read_bytes(work, max(work.sequences / work.layout.pipeline, 1.0))
    dense_away, routed_away = host_shares(work, spilled)
    resident = dense * (1 - dense_away) + routed * (1 - routed_away)
    return resident / (work.layout.tensor * work.bandwidth * constants().peak_ratio)


def _prompt_rate(work: Work, alone_s: float) -> float:
    """Prompt tokens a second of one copy that reads a whole prompt: in `alone_s`, unless part of it is held already."""
    if work.input_tokens and not work.cached_tokens:
        return work.input_tokens / alone_s
    tokens = work.input_tokens or PROMPT_TOKENS
    return tokens * prompt_stages(work, tokens) / prefill_s(work, tokens)


def _most_prompt_rate(work: Work) -> float:
    cards = work.layout.tensor * work.layout.pipeline
    return (
        constants().peak_ratio
        * most_flops(work)
        * cards
        / (2 * max(work.arch.active_params - work.arch.head_params, 1))
    )
