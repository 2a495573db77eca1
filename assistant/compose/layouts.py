"""How large a batch the cards hold, and the same cards with the model laid out otherwise."""

import re
from typing import Any

from assistant.compose import names, numbers
from assistant.compose.arithmetic import cite, workload
from assistant.compose.material import Estimate, Material
from assistant.compose.orders import cards_of, in_hand, split

_BATCH_ASKED = re.compile(
    r"(?:how (?:big|large)|what|max(?:imum)?|largest|biggest)[^.?!\n]{0,12}\bbatch"
    r"|batch ?(?:size)?\s?(?:能|可以|最大|最多)?(?:开|设|用)?(?:到)?(?:多大|多少|几)|(?:最大|多大|多少)的? ?batch",
    re.I,
)
"""Words that ask how large a batch may be."""


def largest_batch(material: Material, main: Estimate) -> str:
    """The most samples a card holds in a step, where that is asked of a training that fits; else nothing."""
    most = main.placed.max_micro_batch_size
    if main.task == "inference" or not most or not main.fits or not _BATCH_ASKED.search(material.text):
        return ""
    what, cards = workload(material, main), names.cards(main.placed.gpu, main.gpus)
    return material.say("fit.max_batch", what=what, cards=cards, count=numbers.count(most)) + cite(material, main)


def in_stages(material: Material, main: Estimate) -> str:
    """That the cards in hand hold it in the same format laid out otherwise; empty where they do not."""
    if main.task != "inference" or main.gpus == 1:
        return ""
    same = (main.gpu, main.result.weight_format)
    for one in material.configurations:
        otherwise = one.tensor_parallel < main.gpus and one.gpu_count <= main.gpus
        mixed = len(one.cards) > 1
        if mixed and in_hand(one) and one.weight_format == main.result.weight_format:
            return material.say("fit.mixed", cards=cards_of(one))
        if in_hand(one) and (one.gpu, one.weight_format) == same and otherwise:
            return material.say(
                "fit.other_layout",
                layout=split(one),
                needed=numbers.gib(one.memory.needed_bytes_per_gpu, digits=1),
                usable=numbers.gib(one.memory.usable_bytes_per_gpu, digits=1),
            )
    return ""


def apart(material: Material, result: dict[str, Any]) -> str:
    """The cards of a speed, with how the model lies on them where the same cards have a speed laid out otherwise."""
    cards = names.cards(result["gpu"], result["gpu_count"])
    alike = ("gpu", "gpu_count", "weight_format")
    ways = {
        other.get("tensor_parallel")
        for other in material.results("estimate_inference_speed")
        if all(other.get(key) == result.get(key) for key in alike)
    }
    if len(ways) == 1 or result["gpu_count"] == 1:
        return cards
    return material.say("link.way_tensor" if (result["tensor_parallel"] or 1) > 1 else "link.way_layers", cards=cards)
