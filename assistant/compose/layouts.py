"""The same cards with the model laid out otherwise: what tensor parallelism has no room for, stages or ranks may."""

from assistant.compose import numbers
from assistant.compose.material import Estimate, Material
from assistant.compose.orders import in_hand, split


def in_stages(material: Material, main: Estimate) -> str:
    """That the cards in hand hold it in the same format laid out otherwise; empty where they do not."""
    if main.task != "inference" or main.gpus == 1:
        return ""
    same = (main.gpu, main.result.weight_format)
    for one in material.configurations:
        otherwise = one.tensor_parallel < main.gpus and one.gpu_count <= main.gpus
        if in_hand(one) and (one.gpu, one.weight_format) == same and otherwise:
            return material.say(
                "fit.other_layout",
                layout=split(one),
                needed=numbers.gib(one.memory.needed_bytes_per_gpu, digits=1),
                usable=numbers.gib(one.memory.usable_bytes_per_gpu, digits=1),
            )
    return ""
