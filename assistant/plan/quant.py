"""Which quantised file of a model to take on given cards, or in given memory: "what quant of X fits in 24GB"."""

import re
from collections.abc import Sequence
from typing import Any

from assistant.answer import ToolCallRecord
from assistant.plan import requests
from assistant.plan.amounts import model_kind
from assistant.plan.call import PlannedCall
from assistant.understanding import Understanding
from kb.units import GIB
from tools.need import GpuCount, Need

_WHICH = re.compile(
    r"\b(?:what|which|best|highest|largest|biggest)(?: \w+){0,3}? (?:quants?|quanti[sz]ations?)\b"
    r"|\bquants?\b[^.?!\n]{0,20}\b(?:fits?|should i)\b"
    r"|(?:什么|哪种|哪个|最高|最大)(?:的)?(?:gguf)?(?:量化|精度)|量化(?:版本|等级|档)?(?:选|用)?(?:哪|什么|到多少)",
    re.I,
)
_STATED = re.compile(
    r"(?<![a-z])(?:q[2-8](?:_\w+)?|iq[1-4]\w*|[2-8][- ]?bits?|int[48]|fp8|awq|gptq)(?![a-z])|位量化", re.I
)
_ROOM = re.compile(
    r"\b(?:in|into|on|within|for)(?: \w+){0,2} (\d{1,4})\s?gi?b\b(?! (?:of )?(?:ram|ddr))"
    r"|(\d{1,4})\s?gi?b? ?(?:显存|vram)",
    re.I,
)
LADDER = ("gguf:Q8_0", "gguf:Q6_K", "gguf:Q5_K_M", "gguf:Q4_K_M", "gguf:Q3_K_M", "gguf:Q2_K")
"""llama.cpp's usual files, widest first."""


def asked(understanding: Understanding) -> bool:
    """Whether the file to take is asked for, of a language model on known cards or in a stated memory."""
    need, text = understanding.need, understanding.text
    if not requests.sized(need) or requests.is_training(need) or understanding.command or understanding.error_text:
        return False
    if _WHICH.search(text) is None or _STATED.search(text) or model_kind(need) not in {"llm", "vlm", None}:
        return False
    return len(requests.named_gpus(need)) == 1 or (not requests.named_gpus(need) and room_bytes(understanding) > 0)


def room_bytes(understanding: Understanding) -> int:
    """The memory that is named without a card; 0 for none."""
    stated = understanding.need.memory_bytes_per_gpu
    if stated:
        return stated * (understanding.need.gpu_count or 1)
    said = _ROOM.search(understanding.text)
    return int(said[1] or said[2]) * GIB if said else 0


def card(need: Need) -> GpuCount | None:
    """The cards, counted."""
    found = next(iter(requests.compared(need) or requests.cards(need)), None)
    return found and found.model_copy(update={"count": found.count or 1})


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """The memory of every file."""
    one, plain = card(need), _plain(need)
    stages: dict[str, Any] = (
        {"tensor_parallel": None, "pipeline_parallel": one.count} if one and (one.count or 1) > 1 else {}
    )
    return [requests.memory(plain, one, weight_format=form, **stages) for form in LADDER]


def more(need: Need, results: Sequence[ToolCallRecord]) -> list[PlannedCall | None]:
    """The speed of the widest that fits the cards."""
    one = card(need)
    fits = [each for each in results if (each.result.get("fit") or {}).get("verdict") in {"yes", "tight"}]
    return [requests.speed(_plain(need), one, fits[0].request["weight_format"])] if one and fits else []


def _plain(need: Need) -> Need:
    return need.model_copy(update={"engine": "llama.cpp", "weight_format": None, "tensor_parallel": None})
