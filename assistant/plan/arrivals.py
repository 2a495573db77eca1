"""Cards for requests that come at a rate: "1000 requests a minute, how many H100?", 「每秒 5 个请求要几张 4090」."""

import math
from collections.abc import Sequence

from assistant.answer import ToolCallRecord
from assistant.plan import loaded, requests
from assistant.plan.amounts import model_kind
from assistant.plan.call import PlannedCall, planned
from assistant.plan.enough import on_enough
from assistant.plan.formats import smaller_formats
from assistant.plan.raced import LAYOUT
from assistant.understand.lengths import find_parts
from assistant.understanding import Understanding
from tools.memory import estimate_memory
from tools.memory.request import MemoryRequest
from tools.need import GpuCount, Need

AT_ONCE = 256
"""Requests at once at which a copy is timed: as many as servers admit of themselves; memory may hold fewer."""
TIMES = (1, 2, 4)
"""Times the fewest cards of a copy on which it is tried, too: more of them leave more room for the cache."""
NODE = 8
"""Cards beyond which a copy is not spread for the sake of speed."""
_ASKED = ("how_many_gpus", "can_it_run", "concurrency", "which_to_buy", "speed", "min_vram", "context_length", "budget")


def asked(understanding: Understanding) -> bool:
    """Whether one kind of card is to serve a language model to requests of a stated rate."""
    need = understanding.need
    if understanding.command or understanding.error_text or requests.is_training(need) or not requests.sized(need):
        return False
    named = {card.gpu for card in requests.cards(need)} | {card.gpu for card in requests.compared(need)}
    language = model_kind(need) in ("llm", "vlm", None) and need.intent in _ASKED
    return language and len(named) == 1 and loaded.rate(understanding.text) is not None


def held(need: Need) -> int | None:
    """The cards that are to do, where their number was stated."""
    return requests.cards(need)[0].count


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """One copy of the model on the fewest cards that hold it and on more, each as busy as it gets."""
    card, text = requests.cards(need)[0].gpu, understanding.text
    found = least(need, card)
    if found is None:
        return []
    fewest, used = spread(found), found.request.get("weight_format")
    parts = find_parts(text.lower())
    lengths: dict[str, object] = {}
    if parts is not None:
        lengths = {"context_tokens": None, "input_tokens": parts.value[0], "output_tokens": parts.value[1]}
    busy = need.model_copy(update={"concurrent_sequences": AT_ONCE, "users": None})
    ways: list[PlannedCall | None] = []
    for count in dict.fromkeys(fewest * times for times in TIMES if fewest * times <= max(NODE, fewest)):
        if (have := held(need)) and have % count:
            continue
        laid = {name: found.request.get(name) for name in LAYOUT} if count == fewest else {"tensor_parallel": count}
        ways.append(requests.speed(busy, GpuCount(gpu=card, count=count), used, **(laid | lengths)))
    return [found, *ways] if ways else []


def spread(call: PlannedCall) -> int:
    """Cards that one copy lies on."""
    values = (call.request.get(name) or 1 for name in ("tensor_parallel", "pipeline_parallel"))
    return math.prod(int(str(value)) for value in values)


def least(need: Need, card: str) -> PlannedCall | None:
    """The memory on the fewest cards that hold it: as published, or smaller where those in hand do not hold that."""
    alone = need.model_copy(update={"concurrent_sequences": None, "users": None})
    have, single = held(need), GpuCount(gpu=card, count=1)
    smaller = () if need.weight_format else smaller_formats(None, need.engine, card)
    for used in (None, *smaller):
        call = requests.memory(alone, single, weight_format=used)
        if call is None:
            return None
        result = estimate_memory(MemoryRequest.model_validate(call.request)).model_dump(mode="json")
        record = ToolCallRecord(tool=call.tool, request=call.request, result=result)
        fits = (result.get("fit") or {}).get("verdict") in ("yes", "tight")
        found = call if fits else on_enough(alone, record)
        if found is not None and (have is None or spread(found) <= have):
            return found
    return None


def best(results: Sequence[ToolCallRecord]) -> ToolCallRecord | None:
    """The way that finishes most requests for each card."""
    timed = [one for one in results if one.tool == "estimate_inference_speed" and one.result.get("requests_per_s")]
    busy = [one for one in timed if one.request.get("concurrent_sequences") == AT_ONCE]
    return max(busy, key=_each, default=None)


def _each(record: ToolCallRecord) -> float:
    return float(record.result["requests_per_s"]["value"]) / (record.request.get("gpu_count") or 1)


def copies(record: ToolCallRecord, rate: float, bound: str = "value") -> int:
    """Copies that finish as many as come."""
    return max(1, math.ceil(rate / float(record.result["requests_per_s"][bound])))


def more(need: Need, understanding: Understanding, results: Sequence[ToolCallRecord]) -> list[PlannedCall | None]:
    """The rate itself on as many copies as it takes, and on as many as it takes at the low end of the estimate."""
    rate, one = loaded.rate(understanding.text), best(results)
    if one is None or rate is None:
        return []
    size = one.request.get("gpu_count") or 1
    counts = dict.fromkeys(size * copies(one, rate, bound) for bound in ("value", "low"))
    values = {name: value for name, value in one.request.items() if name != "concurrent_sequences"}
    have = held(need)
    full = {"gpu_count": have, "concurrent_sequences": AT_ONCE * (have // size)} if have and have > size else None
    return [
        planned("estimate_inference_speed", **(values | full)) if full else None,
        *(_at_rate(values, count, rate) for count in counts),
    ]


def full_of(results: Sequence[ToolCallRecord], have: int) -> ToolCallRecord | None:
    """As many copies as the cards in hand hold, each as busy as it gets."""
    timed = (one for one in results if one.result.get("requests_per_s") and not one.request.get("requests_per_s"))
    return next((one for one in timed if (one.request.get("gpu_count") or 1) == have), None)


def _at_rate(values: dict[str, object], count: int, rate: float) -> PlannedCall | None:
    return planned("estimate_inference_speed", **(values | {"gpu_count": count, "requests_per_s": rate}))
