"""How to make a card in hand answer faster: "how do I make the P40 faster?", 「V100 跑 14B 太慢，怎么提速」."""

import re

from assistant.plan import requests, upgrade
from assistant.plan.amounts import model_kind
from assistant.plan.call import PlannedCall
from assistant.plan.formats import packed_format, smaller_formats
from assistant.understand.reading import TRAINING
from assistant.understanding import Understanding
from kb.catalog import gpu, models
from tools.configure.market.suitable import served_in
from tools.need import SERVED, GpuCount, Need

_HOW = (
    r"(?:\bhow\b|\bways? to\b|\bwhat (?:else )?can (?:i|we)\b|\banything (?:i|we) can\b|\btips\b|\bcan (?:i|we)\b"
    r"|\bany way\b|\bhelp me\b)"
)
_QUICKER = (
    r"(?:\b(?:make|get|run|have)\b[^?!\n]{0,48}\b(?:faster|quicker)|\bspeed(?:ing)?(?: \w+){0,5} up\b|\bspeed up\b"
    r"|\bmore (?:speed|performance|throughput|tokens?\S{0,3}|t/s|tok/s) (?:out of|from|with)"
    r"|\b(?:improve|increase|boost|optimi[sz]e|raise)\b[^?!\n]{0,32}\b(?:speed|performance|throughput|tokens?\S{0,6}|t/s))"
)
_SPEED_UP = re.compile(
    rf"{_HOW}[^.?!]{{0,60}}{_QUICKER}"
    r"|(?:怎么|如何|怎样|咋|有(?:什么|啥|没有)?(?:办法|方法|招))[^,，。?？!！]{0,14}"
    r"(?:提速|加速|变快|更快|快(?:一?点|些)|优化|提[高升][^,，。?？!！]{0,8}(?:速度|性能|吞吐))"
    r"|(?:提速|加速|优化)的?(?:办法|方法|建议|手段|技巧)|(?:想|能|可以|还能)[^,，。?？!！]{0,8}(?:跑|出字|生成|推理)?快(?:一?点|些)[^,，。?？!！]{0,4}(?:吗|么|怎么)",
    re.I,
)
"""Words that want more speed out of what is there."""
_OTHER = re.compile(
    r"train|fine-?tun|download|boot|load(?:s|ing)?\b|训|微调|炼丹|下载|加载|启动|显存(?:占用|不够|不足)|占显存", re.I
)
"""Words of other things that may be quicker."""
_MIXTURES = ("openai/gpt-oss-120b", "Qwen/Qwen3-30B-A3B", "openai/gpt-oss-20b")
"""Mixtures of experts that people run on a card or two, the largest first."""
FILLED = 0.9
"""Share of the memory that the weights of such a mixture may take."""
PACKED_BITS = 4.85
"""Bits a weight of the files that most people download."""
EXAMPLE_PARAMS = 8 * 10**9
"""Size of the language model that is reckoned with where none was named."""


def asked(understanding: Understanding) -> bool:
    """Whether a card that is there is to give more speed with a language model."""
    need, text = understanding.need, understanding.text
    if understanding.error_text or need.budget or need.intent == "oom" or need.task in TRAINING:
        return False
    if requests.compared(need)[1:] or not requests.cards(need) or model_kind(need) not in ("llm", "vlm", None):
        return False
    if need.task not in SERVED or _OTHER.search(text):
        return False
    return _SPEED_UP.search(text) is not None


def of(need: Need) -> Need:
    """The need with a stand-in where no model was named."""
    if requests.sized(need):
        return need.model_copy(update={"task": "inference"})
    return need.model_copy(update={"task": "inference", "params": EXAMPLE_PARAMS})


def formats(need: Need, card: GpuCount) -> list[str | None]:
    """The format that was said, or that in which it is published, and those of fewer bits that run on the card."""
    if served_in(gpu(card.gpu)) == "files":
        ladder: list[str | None] = ["gguf:Q8_0", packed_format(need.model)]
    else:
        widest = None if gpu(card.gpu).bf16_flops else "fp16"
        ladder = [widest, *smaller_formats(None, need.engine, card.gpu)]
    said = need.weight_format
    return list(dict.fromkeys([said, *smaller_formats(said, need.engine, card.gpu)] if said else ladder))


def mixture(need: Need, card: GpuCount) -> tuple[str, str] | None:
    """A mixture of experts for the card, in four bits; None where one runs already or none would have room."""
    record = models().get(need.model or "")
    if record is not None and record.experts:
        return None
    room = gpu(card.gpu).usable_bytes * (card.count or 1) * FILLED
    known = (models()[key] for key in _MIXTURES if key in models())
    held = next((one for one in known if one.params * PACKED_BITS / 8 <= room), None)
    return (held.id, packed_format(held.id)) if held else None


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """The speed in each format, of a mixture, with a second card, and on the next faster card."""
    full, card = of(need), requests.cards(need)[0]
    tried = formats(full, card)
    paced = [requests.speed(full, card, name) for name in tried]
    if (other := mixture(full, card)) is not None:
        light = full.model_copy(update={"model": other[0], "params": models()[other[0]].params})
        paced.append(requests.speed(light, card, other[1]))
    twice = card.model_copy(update={"count": 2 * (card.count or 1)})
    paced.append(requests.speed(full, twice, tried[-1]))
    better = faster_card(need)
    if better is not None:
        paced.append(requests.speed(full, GpuCount(gpu=better, count=card.count or 1), tried[-1]))
    names = (card.gpu, better) if better else (card.gpu,)
    return [*paced, requests.gpu_facts(need, names=names)]


def faster_card(need: Need) -> str | None:
    """The first of what one would put in its place that reads its memory clearly faster; None where there is none."""
    card = requests.cards(need)[0]
    own = gpu(card.gpu).bandwidth_bytes_per_s or 0
    found = (gpu(one.gpu) for one in upgrade.choices(need) if one.gpu != card.gpu)
    return next((one.id for one in found if (one.bandwidth_bytes_per_s or 0) >= upgrade.FASTER * own), None)
