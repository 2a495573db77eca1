"""What a model costs to host over a time, rented: "monthly cost to host X in the cloud", 「租卡部署 X 半年多少钱」."""

import re
from collections.abc import Sequence

from assistant.answer import ToolCallRecord
from assistant.plan import bill, money, requests
from assistant.plan.call import PlannedCall
from assistant.plan.preferred import preferred
from assistant.plan.ways import buys, only
from assistant.understanding import Understanding
from tools.configuration import Configuration
from tools.need import GpuCount, Need

TRIED_MAX = 3
"""Configurations priced over the time."""
_ASKS = re.compile(r"多少钱|费用|花费|成本|价格|预算|多少|how much|\bcosts?\b|\bprice|\bbill\b|\bspend", re.I)
_HOSTED = re.compile(r"\bhosting\b|\bto host\b|托管", re.I)


def asked(understanding: Understanding) -> bool:
    """Whether a served model's rent over a time is asked, without cards named."""
    need, text = understanding.need, understanding.text
    served = requests.sized(need) and not requests.is_training(need) and not requests.named_gpus(need)
    timed = need.term_s is not None and need.tokens_per_month is None and need.budget is None
    rented = only(text.lower(), need) == "rent" or (_HOSTED.search(text) is not None and not buys(text))
    return served and timed and rented and _ASKS.search(text) is not None and not understanding.command


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """What holds it, rented."""
    return [requests.configure(need, acquisition="rent", with_frontier=False), requests.memory(need)]


def more(need: Need, understanding: Understanding, results: Sequence[ToolCallRecord]) -> list[PlannedCall | None]:
    """The time's rent of the cheapest few, and the memory in the format that each of them holds it in."""
    found = [
        Configuration.model_validate(row)
        for one in results if one.tool == "configure" for row in one.result.get("configurations") or ()
    ]  # fmt: skip
    kinds: dict[tuple[str, int], Configuration] = {}
    for one in preferred(found, understanding.text.lower(), need):
        kinds.setdefault((one.gpu, one.gpu_count), one)
    tried = list(kinds.items())[:TRIED_MAX]
    bare = need.model_copy(update={"model": None, "params": None, "task": None, "gpus_owned": ()})
    return [
        money.cost(
            bare.model_copy(update={"gpus_asked": (card,), "gpus_proposed": (GpuCount(gpu=card, count=count),)}),
            understanding, acquisition="rent", term_s=bill.hired_s(need),
        )
        for (card, count), _ in tried
    ] + [_held(need, one) for _, one in tried if one.data_parallel == 1]  # fmt: skip


def _held(need: Need, one: Configuration) -> PlannedCall | None:
    """The memory as it is laid out in a configuration."""
    return requests.memory(
        need, GpuCount(gpu=one.gpu, count=one.gpu_count), weight_format=one.weight_format,
        tensor_parallel=one.tensor_parallel, pipeline_parallel=one.pipeline_parallel, data_parallel=1,
    )  # fmt: skip
