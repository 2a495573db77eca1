"""A training on cards that nobody lets: the rent of the same training on the nearest cards that are let."""

import re
from collections.abc import Sequence

from assistant.answer import ToolCallRecord
from assistant.plan import money
from assistant.plan.call import PlannedCall
from assistant.plan.nearest import nearest_let
from assistant.understanding import Understanding
from tools.need import GpuCount, Need

_HAS = re.compile(
    r"我|现有|已有|手头|手上|手里|自有|自己的|咱|公司有|实验室有|(?<![a-z])(?:i|we|i.?ve|we.?ve|my|our|own|owned|existing|already)(?![a-z])",
    re.I,
)


def rented_like(need: Need, understanding: Understanding, results: Sequence[ToolCallRecord]) -> list[PlannedCall]:
    """What the run costs where a card much like the one named is let, if none of those is and none is in hand."""
    if in_hand(need, understanding.text) or not money.prices_run(understanding.text, need):
        return []
    lacking = (
        one.result for one in results
        if one.tool == "estimate_cost" and (one.result.get("run") or {}).get("rent_cost", True) is None
    )  # fmt: skip
    result = next(lacking, None)
    card = nearest_let(result["gpu"]) if result else None
    if result is None or card is None:
        return []
    stated = GpuCount(gpu=card, count=result["gpu_count"])
    like = need.model_copy(
        update={"gpus_owned": (), "gpus_asked": (card,), "gpus_proposed": (stated,), "gpu_count": stated.count}
    )
    call = money.cost(like, understanding, acquisition="rent")
    return [call] if call else []


def in_hand(need: Need, text: str) -> bool:
    """Whether the cards are said to be the asker's: "with 16 H800" alone does not say so."""
    return bool(need.gpus_owned) and _HAS.search(text) is not None
