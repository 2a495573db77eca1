"""Several cards for pictures or clips: "does a second 4090 make FLUX faster?", 「两张 3090 出图能翻倍吗」."""

import re

from assistant.plan import one_more, requests
from assistant.plan.amounts import model_kind
from assistant.plan.call import PlannedCall
from assistant.plan.widest import Way, widest
from assistant.understanding import Understanding
from kb.catalog import gpus
from tools.need import GpuCount, Need

KINDS = ("diffusion", "video")
_QUICKER = re.compile(
    r"\b(?:faster|quicker|twice|double[sd]?|halve[sd]?|half the time|speed(?:s|ing)?(?: it| things)? ?up|speed ?up"
    r"|scale[sd]?|linear\w*)\b|翻倍|翻一倍|快[一两]?倍|快(?:多少|一半|吗|么|些|一?点)|更快|加速|提速|减半|速度",
    re.I,
)
"""Words that ask whether more cards are quicker."""
_POOLED = re.compile(
    r"\b(?:combin\w+|pool\w*|add(?:s|ed)? up|stack\w*|shar\w+|merg\w+|split\w*"
    r"|both(?: (?:of )?(?:my|the))? ?(?:gpus?|cards?|\d{4}\w*)|use (?:both|two|all)|uses both|across|multi-?gpu|sli)\b"
    r"|合并|叠加|合起来|合在一起|加起来|拼(?:起来|在一起)|一起(?:用|跑)|同时用|共用|共享|多卡|双卡|拆(?:到|开|分)|分(?:到|配|摊)|并行",
    re.I,
)
"""Words that ask whether cards work on one picture, or hold one model, together."""
_OTHER = re.compile(r"train|fine-?tun|lora|训|微调|炼|nvlink|桥接|\bpsu\b|电源|电费|rent|租", re.I)
"""Words of other questions about several cards."""


def asked(understanding: Understanding) -> bool:
    """Whether it is asked what several cards of a kind do for pictures or clips."""
    need, text = understanding.need, understanding.text
    if understanding.error_text or understanding.command or need.budget or need.trained or _OTHER.search(text):
        return False
    if requests.is_training(need) or model_kind(of(need)) not in KINDS or need.dataset_tokens is not None:
        return False
    pair = cards(need, text)
    if pair is None:
        return False
    added = one_more.numbers(need, text) is not None
    return bool(_QUICKER.search(text) or _POOLED.search(text) or (added and one_more.judges(text)))


def pooled(text: str) -> bool:
    """Whether the memory of several cards is to be one, rather than their speed."""
    return _POOLED.search(text) is not None and _QUICKER.search(text) is None


def of(need: Need) -> Need:
    """The need on the model that most people mean where none was named."""
    usual = getattr(need, "usual_model", None)
    return need if requests.sized(need) or usual is None else need.model_copy(update={"model": usual})


def cards(need: Need, text: str) -> tuple[GpuCount, GpuCount] | None:
    """One card, and all of them; None where several of one kind are not spoken of."""
    found = one_more.numbers(need, text)
    if found is not None:
        return found[0].model_copy(update={"count": 1}), found[1]
    every = requests.cards(need)
    if len(every) != 1 or every[0].gpu not in gpus() or (every[0].count or 1) < 2:
        return None
    return every[0].model_copy(update={"count": 1}), every[0]


def way(need: Need, card: GpuCount) -> Way | None:
    """How one card holds the model: as widely as it can, else with its parts taken in turn, else streamed."""
    found = widest(need, card)
    if found is None or found.fits:
        return found
    for offload in ("components", "all"):
        turns = widest(need.model_copy(update={"offload": offload}), card)
        if turns is not None and turns.fits:
            return turns
    return found


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """The memory of one card, the pace of one and of all."""
    wanted, pair = of(need), cards(need, understanding.text)
    held = way(wanted, pair[0]) if pair else None
    if pair is None or held is None:
        return []
    paced = [requests.speed(wanted, card, held.weight_format) for card in pair] if held.fits else []
    return [held.call, *paced]
