"""Which of the cards compared does the work for less: a million tokens, or a training run, at rents read."""

import re
from collections.abc import Sequence

from assistant.answer import ToolCallRecord
from assistant.plan import money, requests
from assistant.plan.call import PlannedCall
from assistant.plan.formats import same_format
from assistant.understanding import Understanding
from tools.need import GpuCount, Need

SAMPLE_TOKENS = 100_000_000
"""What a training is priced by where its data are not stated: the ratio between cards is the same for any amount."""
_LESS = re.compile(
    r"cheap|(?:price|cost)[- ]?wise|better value|best value|value for money|cost[- ]?(?:per|effective|efficient)"
    r"|per (?:dollar|buck|usd|\$|euro)|per (?:million|m|1m"
    r"|mtok)? ?tokens?"
    r"|price[-/ ]perf|bang for|costs? less|less expensive|性价比|便宜|划算|合算|省钱|成本|百万 ?token|每 ?token",
    re.I,
)


def asked(understanding: Understanding) -> bool:
    """Whether the price of the work decides between the cards."""
    need = understanding.need
    less = _LESS.search(understanding.text) or (understanding.follow_up and need.matter == "price")
    return requests.sized(need) and len(requests.compared(need)) > 1 and bool(less)


def calls(need: Need, understanding: Understanding, results: Sequence[ToolCallRecord]) -> list[PlannedCall | None]:
    """The cost of the work on each card, in the first format that every one of them holds, else in its own first."""
    if not asked(understanding):
        return []
    fits = [
        one for one in results
        if one.tool == "estimate_memory" and (one.result.get("fit") or {}).get("verdict") in {"yes", "tight"}
    ]  # fmt: skip
    cards = requests.compared(need)
    held = {
        card.gpu: [one.result["weight_format"] for one in fits if one.request.get("gpu") == card.gpu] for card in cards
    }
    every = list(held.values())
    each = (form for form in held[cards[0].gpu] if all(any(same_format(form, one) for one in forms) for forms in every))
    shared = next(each, None)
    cards, held = _enough(need, results, cards, held)
    data = need.dataset_tokens or (SAMPLE_TOKENS if requests.is_training(need) else None)
    return [
        money.cost(
            _on(need, card).model_copy(update={"weight_format": shared or held[card.gpu][0], "dataset_tokens": data}),
            understanding,
            acquisition=None,
        )
        for card in cards
        if held[card.gpu]
    ]


def _enough(
    need: Need, results: Sequence[ToolCallRecord], cards: tuple[GpuCount, ...], held: dict[str, list[str]]
) -> tuple[tuple[GpuCount, ...], dict[str, list[str]]]:
    """As many of each card as hold a training that no one card does: the same number of each."""
    if not requests.is_training(need) or any(held.values()) or any(card.count for card in need.gpus_proposed):
        return cards, held
    least: dict[str, tuple[int, str]] = {}
    for one in results:
        for row in one.result.get("minimum_gpus") or () if one.tool == "estimate_memory" else ():
            if row["verdict"] != "no":
                least.setdefault(row["gpu"], (row["count"], one.result["weight_format"]))
    if not all(card.gpu in least for card in cards):
        return cards, held
    count = max(least[card.gpu][0] for card in cards)
    return tuple(GpuCount(gpu=card.gpu, count=count) for card in cards), {
        card.gpu: [least[card.gpu][1]] for card in cards
    }


def _on(need: Need, card: GpuCount) -> Need:
    stated = (card,) if card.count else ()
    return need.model_copy(
        update={"gpus_owned": (), "gpus_asked": (card.gpu,), "gpus_proposed": stated, "gpu_count": 1}
    )
