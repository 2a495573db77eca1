"""A model on cards made in China, in the place of another or of whichever maker: how many of each maker's it takes."""

from collections.abc import Sequence
from typing import Any

from assistant.answer import ToolCallRecord
from assistant.plan import alike, requests
from assistant.plan.amounts import model_kind
from assistant.plan.call import PlannedCall, planned
from assistant.plan.cheaper import card_of
from assistant.plan.enough import on_enough
from assistant.plan.formats import smaller_formats
from assistant.plan.outcomes import estimates
from assistant.plan.provisional import chinese_cards
from assistant.plan.raced import LAYOUT
from assistant.understand.text import grammar
from assistant.understanding import Understanding
from kb.catalog import model, models
from tools.need import GpuCount, Need

USUAL = "h20-96gb"
"""The card that those made in China are measured by where none was named: what they are bought in the place of."""
MAKERS_MAX = 5
"""Makers told side by side."""
_WHICH = grammar(
    r"哪(?:家|款|些|种|个|几家|几款)|什么(?:国产)?(?:卡|芯片|加速卡)|几[张块]|多少[张块]|有啥|推荐"
    r"|(?<![a-z])(?:which|what|options|alternatives?|how many)(?![a-z])"
)
"""Words that leave open whose card it is, or how many it takes."""


def asked(understanding: Understanding) -> bool:
    """Whether a language model is to be served on cards made in China, whosever they are."""
    need = understanding.need
    serves = requests.sized(need) and not requests.is_training(need) and model_kind(need) in ("llm", "vlm", None)
    if not serves or need.budget is not None or not chinese_cards(understanding) or understanding.command:
        return False
    return alike.domestic(understanding) or _WHICH.search(understanding.text.lower()) is not None


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """The memory on one card of each maker as published and in the next narrower format, their facts and software."""
    named = requests.named_gpus(understanding.need)
    cards = alike.made_in_china(named[0] if named else USUAL, MAKERS_MAX, roomy=True)
    first = [requests.memory(need, GpuCount(gpu=one, count=1)) for one in cards]
    return [
        *first,
        *(_narrower(need, one) for one in cards if need.weight_format is None),
        requests.gpu_facts(need, names=cards),
        planned("check_compatibility", gpus=cards, engine=need.engine or alike.ENGINE),
    ]


def _narrower(need: Need, card: str) -> PlannedCall | None:
    native = model(need.model).native_format if need.model in models() else None
    form = next(iter(smaller_formats("bf16" if native == "fp8" else native, need.engine, card)), None)
    return requests.memory(need, GpuCount(gpu=card, count=1), weight_format=form) if form else None


def more(need: Need, understanding: Understanding, results: Sequence[ToolCallRecord]) -> list[PlannedCall | None]:
    """The speed on as many of each as it takes as published."""
    found: list[PlannedCall | None] = []
    seen: set[str] = set()
    for record in estimates(results):
        card = record.request.get("gpu")
        held = on_enough(need, record) if card and card not in seen else None
        seen.add(card or "")
        if held is None:
            continue
        laid: dict[str, Any] = {name: held.request.get(name) for name in LAYOUT}
        found.append(requests.speed(need, card_of(held.request), record.result.get("weight_format"), **laid))
    return found
