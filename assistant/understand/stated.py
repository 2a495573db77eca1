"""The Need as it is shown: cards without a name appear as "24gb-gpu"."""

import re

from assistant.understanding import Asked
from kb.base import AdvisorError
from kb.catalog import gpu, gpus
from kb.units import GIB
from tools.need import GpuCount, Need

_UNNAMED = re.compile(r"(?:(\d{1,6})gb-)?gpu")


def stated(need: Asked) -> Asked:
    """For people: 「两张 24G 的卡」 is 2 × `24gb-gpu`. No tool knows that name; they are asked with the Need itself."""
    owned = need.gpus_owned
    if not owned and (need.gpu_count or need.memory_bytes_per_gpu):
        size = f"{need.memory_bytes_per_gpu // GIB}gb-" if need.memory_bytes_per_gpu else ""
        owned = (GpuCount(gpu=f"{size}gpu", count=need.gpu_count),)
    return need.model_copy(update={"gpus_owned": owned})


def internal(need: Need) -> Asked:
    """The way back: catalog ids only; names nothing bears are left out."""
    owned = [card.model_copy(update={"gpu": key}) for card in need.gpus_owned if (key := _id(card.gpu))]
    unnamed = next((m for card in need.gpus_owned if (m := _UNNAMED.fullmatch(card.gpu))), None)
    update: dict[str, object] = {
        "gpus_owned": tuple(owned),
        "gpus_asked": tuple(key for name in need.gpus_asked if (key := _id(name))),
    }
    if unnamed and need.memory_bytes_per_gpu is None and unnamed[1]:
        update["memory_bytes_per_gpu"] = int(unnamed[1]) * GIB
    return (need if isinstance(need, Asked) else Asked.model_validate(need)).model_copy(update=update)


def _id(name: str) -> str | None:
    if name in gpus():
        return name
    if _UNNAMED.fullmatch(name):
        return None
    try:
        return gpu(name).id
    except AdvisorError:
        return None
