"""How far below the formula cards came that were hardly measured: the low end of what is told for their like."""

from functools import lru_cache
from typing import NamedTuple

from kb.constants.adapters import adapter_facts
from kb.constants.weak_stacks import Report, WeakStack, comparable, weak_stack
from kb.records.gpu import Gpu
from tools.speed.estimate import token_pace
from tools.speed.request import InferenceSpeedRequest
from tools.speed.result import Interval
from tools.speed.work import work_of


class Reached(NamedTuple):
    """Worst shares of the formula's rates that reports of such cards show."""

    decode: float
    prefill: float


def reached(gpu: Gpu, engine: str) -> Reached | None:
    """What such cards reached; null where the card was measured in the engine, or its stack is well kept."""
    stack = weak_stack(gpu, engine)
    return None if stack is None else _worst(stack, engine)


@lru_cache(maxsize=64)
def _worst(stack: WeakStack, engine: str) -> Reached:
    """min(measured / formula) over the reports and what is comparable; prompts by those that tell them, else alike."""
    shares = [_shares(row) for row in stack.rows]
    decode = min([share for share, _ in shares] + list(comparable(stack, engine, "decode")))
    prompts = [share for _, share in shares if share is not None] + list(comparable(stack, engine, "prefill"))
    return Reached(min(decode, 1.0), min([*(prompts or [decode]), 1.0]))


def _shares(row: Report) -> tuple[float, float | None]:
    request = InferenceSpeedRequest.model_validate(
        row.model_dump(exclude={"sequences", "decode", "prefill", "source"}) | {"concurrent_sequences": row.sequences}
    )
    found = token_pace(work_of(request)[0], request)
    return row.decode / found.per_user.value, row.prefill / found.found.prompt_rate if row.prefill else None


def lowered(rate: Interval, share: float) -> Interval:
    """A rate whose low end is what the worst reports leave of it."""
    return rate.model_copy(update={"low": min(rate.low, rate.value * share)})


def with_adapters(rate: Interval) -> Interval:
    """A rate with adapters served beside the model: slower by what reports of it say, as uncertain as they are."""
    ratio = adapter_facts().time_ratio
    low, high = rate.low / ratio.high, rate.high / ratio.low
    return rate.model_copy(update={"value": rate.value / ratio.value, "low": low, "high": high})


def later(time: Interval, share: float) -> Interval:
    """A time whose high end is what the worst reports make of it."""
    return time.model_copy(update={"high": max(time.high, time.value / share)})
