"""Language models without any card: what they take of the host's memory, and how fast the processor answers."""

import re

from assistant.plan import requests
from assistant.plan.amounts import model_kind
from assistant.plan.call import PlannedCall, planned
from assistant.plan.cardless import needed, without
from assistant.plan.formats import packed_format
from assistant.understand.host_memory import bandwidth_bytes_per_s
from assistant.understanding import Understanding
from kb.catalog import models
from tools.need import Need
from tools.speed.host_only import CPU

_WITHOUT = re.compile(
    r"\bcpu[- ]?only\b|\bonly (?:a |the |my |on )?cpu\b|\bcpu inference\b|gpu-?less"
    r"|\b(?:on|just|using|with)(?: (?:the|a|my|plain|just|pure))? cpu\b"
    r"|\b(?:no|without(?: an?| any)?|don'?t have an?) (?:gpu|graphics card|(?:dedicated|discrete) gpu)\b"
    r"|(?:纯|只用|只有|仅|单靠) ?cpu|cpu ?(?:推理|跑|运行)"
    r"|没有?(?:独立|独)?(?:显卡|gpu|显)|无(?:独立)?(?:显卡|gpu)|不用(?:显卡|gpu)",
    re.I,
)
_FOR_HARDWARE = ("which_to_buy", "budget", "cloud_or_buy", "compare", "how_many_gpus", "power", "oom", "spec")
"""Questions of who has no card and wants one."""
EXAMPLES = (
    "Qwen/Qwen3-4B", "Qwen/Qwen3-8B", "Qwen/Qwen3-14B", "openai/gpt-oss-20b", "Qwen/Qwen3-30B-A3B", "Qwen/Qwen3-32B",
    "openai/gpt-oss-120b", "Qwen/Qwen3-235B-A22B",
)  # fmt: skip
"""What is tried where no model is named, smallest first."""


def asked(understanding: Understanding) -> bool:
    """Whether a language model is to run on a processor alone."""
    need = understanding.need
    wonders = needed(understanding.text) or without(understanding.text)
    if (
        (_WITHOUT.search(understanding.text) is None and not wonders)
        or requests.named_gpus(need)
        or requests.is_training(need)
    ):
        return False
    if wonders and requests.sized(need) and not (need.budget or memory_bytes(need) or understanding.error_text):
        return model_kind(need) in {"llm", "vlm", None}
    wants_card = need.intent in _FOR_HARDWARE and "speed" not in understanding.asks
    if wants_card or understanding.command or understanding.error_text:
        return False
    return model_kind(need) in {"llm", "vlm", None} if requests.sized(need) else memory_bytes(need) is not None


def memory_bytes(need: Need) -> int | None:
    """The machine's memory; without a card every size that is said is of it."""
    return need.host_memory_bytes or need.memory_bytes_per_gpu


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """Memory and speed of the model, or of examples of every size."""
    found: list[PlannedCall | None] = []
    for one in _tried(need):
        form = need.weight_format or packed_format(one.model)
        found += [
            requests.memory(one, weight_format=form, engine="llama.cpp"),
            _speed(one, form, understanding),
        ]
    return found


def _tried(need: Need) -> list[Need]:
    if requests.sized(need):
        return [need]
    room = memory_bytes(need) or 0
    known = [models()[key] for key in EXAMPLES if key in models()]
    held = [one for one in known if (one.params or 0) * 0.6 <= room]
    return [need.model_copy(update={"model": one.id, "params": one.params}) for one in held[-4:]]


def _speed(need: Need, form: str, understanding: Understanding) -> PlannedCall | None:
    return planned(
        "estimate_inference_speed",
        model=need.model, params=None if need.model else need.params, gpu=CPU, weight_format=form,
        context_tokens=need.context_tokens, engine="llama.cpp",
        host_bandwidth_bytes_per_s=bandwidth_bytes_per_s(understanding.text),
    )  # fmt: skip
