"""Whether fine-tuning is asked about without saying how, and the ways that then deserve a figure each."""

import re

from assistant.plan.formats import TRAINING_LADDER
from assistant.plan.requests import FULL, is_training, lighter_tasks
from assistant.understand.tuning import way_left_open
from assistant.understanding import Understanding
from tools.need import Need

_BOTH = re.compile(
    r"(?:推理|部署|运行|跑)\s?(?:和|与|跟|、|及|以及|还是|/)\s?(?:全参|全量|lora)?\s?(?:训练?|微调)"
    r"|(?:训练?|微调)\s?(?:和|与|跟|、|及|以及|还是|/)\s?(?:推理|部署|运行)"
    r"|(?:inference|serving|running|run|serve) (?:and|or|vs\.?|versus) (?:train|fine-?tun)\w*"
    r"|(?:train|fine-?tun)\w* (?:and|or|vs\.?|versus) (?:inference|serving|running|run|serve)",
    re.I,
)
"""Running and training in one breath."""


NO_ADAPTERS = re.compile(
    r"(?:not|no|without|isn't|never|don't want|instead of|rather than) (?:a |an |using |any |just |q?)?lora"
    r"|q?lora is not|\(not q?lora"
    r"|(?:不要|不用|不是|不想用|非)\s?q?lora",
    re.I,
)
"""Words that rule adapters out."""


def both(understanding: Understanding) -> bool:
    """Whether the memory of running a model and that of training it are both asked for."""
    asked = {understanding.need.intent, *understanding.asks}
    return "min_vram" in asked and _BOTH.search(understanding.text) is not None


def unsaid(understanding: Understanding, need: Need) -> bool:
    """Whether a model is to be fine-tuned and this turn leaves open in which way.

    A turn that does not speak of fine-tuning keeps the way that the conversation settled on.
    """
    return is_training(need) and way_left_open(understanding.text) is True


def still_open(understanding: Understanding, need: Need) -> bool:
    """The same over the conversation: a turn that does not speak of the way leaves it as it was."""
    return unsaid(understanding, need) or (is_training(need) and understanding.need.way_open is True)


def other_ways(understanding: Understanding, need: Need) -> tuple[str, ...]:
    """Ways to fine-tune that deserve a figure beside the one taken.

    All of them when none was said; else the cheaper ones where the most thorough was asked for.
    """
    lighter = lighter_tasks(need, "full_finetune")
    if both(understanding):
        return tuple(task for task in ("inference", *TRAINING_LADDER) if task != need.task)
    if need.method not in (None, "sft") and FULL.search(understanding.text):
        return ()
    if lighter and unsaid(understanding, need):
        return tuple(task for task in TRAINING_LADDER if task != need.task)
    return lighter if need.task == "full_finetune" else ()
