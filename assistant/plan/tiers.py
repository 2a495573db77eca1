"""Hardware for a purchase of which nobody said what it is to run: the usual classes of model, small to large."""

import re

from assistant.plan import money, requests
from assistant.plan.call import PlannedCall
from assistant.understanding import Understanding
from tools.need import Need

SIZES = (8 * 10**9, 32 * 10**9, 70 * 10**9, 235 * 10**9)
"""Parameters of the classes that published models come in, from one small card to a server."""
FORMAT = "int4"
"""How they are run on one's own hardware; the fine-tuning that goes with it is QLoRA."""
_SERVER = re.compile(r"服务器|公司|企业|单位|学校|机房|集群|\bservers?\b|company|business|enterprise|cluster", re.I)
_OPEN = {None, "general", "inference", "full_finetune", "lora", "qlora"}


def unsized_purchase(need: Need) -> bool:
    """Whether hardware is to be chosen, and neither a model, nor its size, a purpose or a card was named."""
    if (need.gpu_count or 1) > 1:
        return False
    said = requests.sized(need) or need.purpose or requests.named_gpus(need) or need.memory_bytes_per_gpu
    return not said and need.task in _OPEN and need.model_text is None


def tiers(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """A search for each class, within the budget; fine-tuned when training is spoken of."""
    training = requests.is_training(need)
    task, used = ("qlora", None) if training else ("inference", FORMAT)
    way = None if need.budget or need.acquisition else "buy"
    return [
        requests.configure(
            need,
            params=size,
            task=task,
            weight_format=used,
            acquisition=need.acquisition or way,
            max_power_w=money.power_left(understanding.text),
        )
        for size in _classes(need, understanding)
    ]


def _classes(need: Need, understanding: Understanding) -> tuple[int, ...]:
    """The small ones for a desk, the large ones for an organisation, all where a budget decides."""
    if need.budget:
        return SIZES
    return SIZES[1:] if _SERVER.search(understanding.text) else SIZES[:-1]
