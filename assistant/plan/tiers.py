"""Hardware for a purchase of which nobody said what it is to run: the usual classes of model, small to large."""

import re

from assistant.plan import money, requests
from assistant.plan.call import PlannedCall
from assistant.understanding import Understanding
from tools.need import Need

SIZES = (8 * 10**9, 14 * 10**9, 24 * 10**9, 32 * 10**9, 70 * 10**9, 235 * 10**9)
"""Parameters of the classes that published models come in, from one small card to a server."""
DESK, SHARED = (SIZES[0], SIZES[1], SIZES[3], SIZES[4]), SIZES[3:]
"""Those told to who states no budget: for a desk, for an organisation."""
FORMAT = "int4"
"""How they are run on one's own hardware; the fine-tuning that goes with it is QLoRA."""
_SERVER = re.compile(r"服务器|公司|企业|单位|学校|机房|集群|\bservers?\b|company|business|enterprise|cluster", re.I)
_ONE_CARD = re.compile(
    r"\b(?:gpu|(?:graphics |video )?card)\b(?!s|[ -](?:rig|server|cluster|setup))"
    r"|(?:买|选|配|换|入|哪|什么|一)[张款块]?(?:样的?)?显卡|显卡推荐|推荐[^,，。]{0,4}显卡",
    re.I,
)
_MACHINE = re.compile(
    r"\bgpus\b|\bcards\b|\brig|\bbuild\b|多卡|双卡|几张|两张|[2-9] ?[x×张块]|机器|主机|整机|工作站|服务器", re.I
)
"""Words of who may have several cards."""
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
            max_gpus=need.max_gpus or (1 if need.budget and _one_card(need, understanding.text) else None),
        )
        for size in _classes(need, understanding)
    ]


def _one_card(need: Need, text: str) -> bool:
    """Whether a card is to be chosen, not cards or a machine: two small ones are no answer to who asks for the best.

    What several people share is a machine, whatever it is called.
    """
    return bool(_ONE_CARD.search(text)) and not _MACHINE.search(text) and (need.users or 1) == 1


def _classes(need: Need, understanding: Understanding) -> tuple[int, ...]:
    """The small ones for a desk, the large ones for an organisation, all where a budget decides."""
    if need.budget:
        return SIZES
    return SHARED if _SERVER.search(understanding.text) else DESK
