"""Hardware for several kinds of work: each is sized, and what the heaviest takes is searched for all."""

from collections.abc import Sequence

from assistant.answer import ToolCallRecord
from assistant.plan import money, purse, requests
from assistant.plan.call import PlannedCall
from assistant.understanding import Understanding, Workload
from kb.catalog import models
from tools.need import Need

LIGHT = "int4"
"""How a language model is run on a machine shared with other work, where no format was said."""


def need_of(work: Workload, need: Need) -> Need:
    """The need of one kind of work: money and place as for all, the load only where it is served."""
    model = models().get(work.model or "")
    language = model is None or model.kind in {"llm", "vlm"}
    serves = work.task == "inference" and language
    load = {} if serves else {"users": None, "concurrent_sequences": None, "context_tokens": None, "engine": None}
    return need.model_copy(
        update=load | {
            "task": work.task, "model": work.model, "model_text": None, "purpose": None,
            "params": model.params if model else work.params,
            "weight_format": work.weight_format or (LIGHT if serves else None),
        }
    )  # fmt: skip


def sizes(understanding: Understanding, need: Need) -> list[PlannedCall | None]:
    """The memory of each kind of work."""
    return [requests.memory(need_of(work, need)) for work in understanding.workloads]


def machines(understanding: Understanding, need: Need, results: Sequence[ToolCallRecord]) -> list[PlannedCall | None]:
    """Configurations for each kind of work, heaviest first: where it finds none, the next heaviest is met."""
    left = money.power_left(understanding.text)
    return [_search(work, need, understanding, left) for work in heaviest_first(understanding, need, results)]


def _search(work: Workload, need: Need, understanding: Understanding, power_w: int | None) -> PlannedCall | None:
    """Any format that fits may be taken, unless one was said."""
    wanted = need_of(work, need).model_copy(update={"weight_format": work.weight_format})
    return requests.configure(wanted, max_power_w=power_w, whole_budget=purse.whole(wanted, understanding) or None)


def heaviest_first(understanding: Understanding, need: Need, results: Sequence[ToolCallRecord]) -> list[Workload]:
    """The kinds of work that could be sized, by the memory they take."""
    sized = [(size, work) for work in understanding.workloads if (size := memory_of(work, need, results)) is not None]
    return [work for _, work in sorted(sized, key=lambda pair: -pair[0])]


def memory_of(work: Workload, need: Need, results: Sequence[ToolCallRecord]) -> int | None:
    """Bytes that the work takes on one card, where that was worked out."""
    record = record_of(work, need, results)
    return int(record.result["per_gpu"]["total_bytes"]) if record else None


def record_of(work: Workload, need: Need, results: Sequence[ToolCallRecord]) -> ToolCallRecord | None:
    """The estimate of the work."""
    call = requests.memory(need_of(work, need))
    return next(
        (one for one in results if call and one.tool == call.tool and one.request == call.request
         and "error" not in one.result), None,
    )  # fmt: skip
