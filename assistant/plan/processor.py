"""Language models without any card: what they take of the host's memory, and how fast the processor answers."""

import re

from assistant.plan import requests
from assistant.plan.amounts import model_kind
from assistant.plan.call import PlannedCall, planned
from assistant.plan.cardless import needed, without
from assistant.plan.formats import packed_format
from assistant.plan.guidance import guidance
from assistant.plan.spill import SERVER
from assistant.understand.host_memory import bandwidth_bytes_per_s
from assistant.understanding import Understanding
from kb.catalog import models
from kb.units import GIB
from tools.memory.formats import weight_format
from tools.need import Need
from tools.speed.host_only import CPU

FILES = {"int4": "gguf:Q4_K_M", "int8": "gguf:Q8_0", "fp8": "gguf:Q8_0"}
"""Files of llama.cpp for formats of which only the bits were said."""

_WITHOUT = re.compile(
    r"\bcpu[- ]?only\b|\bonly (?:a |the |my |on )?cpu\b|\bcpu inference\b|gpu-?less"
    r"|\b(?:on|just|using|with)(?: (?:the|a|my|plain|just|pure))? cpu\b"
    r"|\b(?:no|without(?: an?| any)?|don'?t have an?) (?:gpu|graphics card|(?:dedicated|discrete) gpu)\b"
    r"|(?:纯|只用|只有|仅|单靠) ?cpu|cpu ?(?:推理|跑|运行)"
    r"|\b(?:igpu|apu)s?\b|\bintegrated (?:gpu|graphics)|\bradeon (?:6[68]|7[468]|8[468])0m\b|核显|集显|集成显卡"
    r"|没有?(?:独立|独)?(?:显卡|gpu|显)|无(?:独立)?(?:显卡|gpu)|不用(?:显卡|gpu)",
    re.I,
)
_ALONE = re.compile(
    r"\bcpu[- ]?only\b|\bonly (?:a |the |my |on )?cpu\b|\bcpu inference\b|gpu-?less"
    r"|(?:纯|只用|只有|仅|单靠) ?cpu|cpu ?(?:推理|跑|运行)",
    re.I,
)
"""Words that leave no room for a card."""
_FROM_MEMORY = re.compile(
    r"\b(?:from|in|out of|on|using|with) (?:the |plain |just |only |pure |system |host |main |server )*"
    r"(?:ram|system memory|host memory)\b"
    r"|k-?transformers|ik_llama|(?<![a-z])amx(?![a-z])|avx-?512"
    r"|(?:用|靠|在)?(?:大)?内存(?:里|上)?(?:来)?(?:跑|推理|部署)|(?:跑|放)(?:在)?内存",
    re.I,
)
"""Words of running a model out of the machine's memory."""
_PARTS = re.compile(
    r"\bddr[345]\b|(?:memory )?channels?\b|通道|\bepyc\b|\bxeon\b|threadripper|霄龙|至强|志强|双路"
    r"|dual[- ]socket|\bnuma\b",
    re.I,
)
"""Parts of a machine that holds a large model in its memory."""
_CARDS = re.compile(r"gpus?\b|卡|显存|vram|graphics|\bcards?\b", re.I)
_FOR_CARDS = ("which_to_buy", "budget", "cloud_or_buy", "how_many_gpus")
_SIZED_FOR = (*_FOR_CARDS, "min_vram", "can_it_run", "compatibility", "concurrency", "guidance", "other", "speed")
"""Questions that name parts to be chosen, or ask what a machine has to have."""
SERVER_MEMORIES = ("8-channel DDR4-3200", "8-channel DDR5-4800", "12-channel DDR5-4800")
"""Memory as servers have it, slowest first; its bandwidth is channels · 8 bytes · transfers a second."""
LARGEST_CARD_BYTES = 96 * GIB
"""Memory of the largest card of a workstation: what takes more is not run on one card."""
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
    if from_memory(understanding):
        return True
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


def from_memory(understanding: Understanding) -> bool:
    """Whether a machine is asked about that holds a named model in its own memory, large or said to go without a card.

    Parts of such a machine say so only of a model that no card of a workstation holds in four bits.
    """
    need, text = understanding.need, understanding.text
    if requests.named_gpus(need) or requests.is_training(need) or understanding.command or understanding.error_text:
        return False
    if not requests.sized(need) or model_kind(need) not in {"llm", "vlm", None} or need.intent not in _SIZED_FOR:
        return False
    if _ALONE.search(text) is not None:
        return need.intent in _FOR_CARDS
    said = _FROM_MEMORY.search(text) or (_large(need) and _PARTS.search(text))
    return bool(said) and _CARDS.search(text) is None and (need.intent in _FOR_CARDS or _large(need))


def _large(need: Need) -> bool:
    """Whether it is more in four bits than the largest card of a workstation holds."""
    return (need.params or 0) * weight_format(packed_format(need.model)).expert_bits / 8 > LARGEST_CARD_BYTES


def of_servers(need: Need, text: str) -> bool:
    """Whether the memories of servers are compared: nothing said fixes the bandwidth, and no desktop would do."""
    server = _large(need) or SERVER.search(text) is not None
    return server and bandwidth_bytes_per_s(text, usual_channels=None) is None


def memory_bytes(need: Need) -> int | None:
    """The machine's memory; without a card every size that is said is of it."""
    return need.host_memory_bytes or need.memory_bytes_per_gpu


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """Memory and speed of the model, or of examples of every size."""
    found: list[PlannedCall | None] = []
    servers = from_memory(understanding) and of_servers(need, understanding.text)
    for one in _tried(need):
        form = _file(need, one)
        found += [
            requests.memory(one, weight_format=form, engine="llama.cpp"),
            *(_speed(one, form, words) for words in (SERVER_MEMORIES if servers else (understanding.text,))),
        ]
    return [*found, requests.configure(need), guidance(understanding)] if servers else found


def _file(need: Need, one: Need) -> str:
    """The file of llama.cpp: as said, of as many bits as said, else what most people download."""
    said = need.weight_format
    return FILES.get(said, said) if said else packed_format(one.model)


def _tried(need: Need) -> list[Need]:
    if requests.sized(need):
        return [need]
    room = memory_bytes(need) or 0
    known = [models()[key] for key in EXAMPLES if key in models()]
    held = [one for one in known if (one.params or 0) * 0.6 <= room]
    return [need.model_copy(update={"model": one.id, "params": one.params}) for one in held[-4:]]


def _speed(need: Need, form: str, words: str) -> PlannedCall | None:
    return planned(
        "estimate_inference_speed",
        model=need.model, params=None if need.model else need.params, gpu=CPU, weight_format=form,
        context_tokens=need.context_tokens, engine="llama.cpp",
        host_bandwidth_bytes_per_s=bandwidth_bytes_per_s(words),
    )  # fmt: skip
