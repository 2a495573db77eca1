"""The same cards with the model laid out otherwise: what tensor parallelism has no room for, stages may hold."""

from assistant.compose import numbers
from assistant.compose.material import Estimate, Material
from assistant.compose.orders import in_hand


def in_stages(material: Material, main: Estimate) -> str:
    """That the cards in hand hold it in the same format with the layers dealt out to them; empty where they do not."""
    if main.task != "inference" or main.gpus == 1:
        return ""
    same = (main.gpu, main.result.weight_format)
    for one in material.configurations:
        if in_hand(one) and (one.gpu, one.weight_format) == same and 1 < one.pipeline_parallel <= main.gpus:
            return material.say(
                "fit.other_layout",
                layout=material.say("fit.layout", count=one.pipeline_parallel),
                needed=numbers.gib(one.memory.needed_bytes_per_gpu, digits=1),
                usable=numbers.gib(one.memory.usable_bytes_per_gpu, digits=1),
            )
    return ""
