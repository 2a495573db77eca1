"""One setting from one value to another: "lora rank from 16 to 64, how much more vram", 「上下文从 8k 加到 32k」."""

import re
from dataclasses import dataclass
from typing import Literal

from assistant.plan import requests
from assistant.plan.amounts import model_kind
from assistant.plan.call import PlannedCall
from assistant.plan.formats import packed_format
from assistant.understand.numbers import scaled
from assistant.understanding import Understanding
from kb.catalog import gpu, model
from tools.need import GpuCount, Need

Field = Literal["lora_rank", "context", "batch", "at_once"]
_WORDS: tuple[tuple[Field, str], ...] = (
    ("lora_rank", r"(?:lora[- ]?)?(?:rank|(?<![a-z])r(?![a-z])|秩)"),
    (
        "context",
        r"(?:max[- ]?)?(?:context|ctx|seq(?:uence)?|上下文|序列)(?:[- ]?(?:len(?:gth)?|window|size)|长度|窗口)?",
    ),
    ("batch", r"(?:micro[- ]?)?(?:batch(?:[- ]?size)?|(?<![a-z])bsz?(?![a-z])|批次|批大小)"),
    ("at_once", r"(?:concurren(?:cy|t (?:users?|requests?))|parallel requests|并发(?:数|量)?)"),
)
_N = r"(?P<{0}>\d{{1,7}}(?:\.\d)?)\s?(?P<{0}s>k|千|万)?"
_TO = (
    r"\s?(?:tokens?|个)?\s?(?:(?<![a-z])(?:up )?(?:to|into)(?![a-z])|-+>|→|=>"
    r"|(?:再)?(?:提高?|加|改|升|涨|调|开|变|增)?(?:到|成|为|至))\s?(?:about |around )?"
)
_FROM = r"\s?(?:size |length )?(?:[:=]|of|is|up)?\s?(?:from|从|由)?\s?"
_WORD = "|".join(f"(?P<{{0}}{index}>{words})" for index, (_, words) in enumerate(_WORDS))
_AFTER = re.compile(rf"(?:{_WORD.format('a')}){_FROM}{_N.format('n')}{_TO}{_N.format('m')}(?![\d.])", re.I)
_BEFORE = re.compile(
    rf"(?<![a-z])(?:from |going |went )?{_N.format('n')}{_TO}{_N.format('m')}"
    rf"\s?(?:tokens? )?(?:of |的)?\s?(?:{_WORD.format('a')})",
    re.I,
)
_ASKS = re.compile(
    r"vram|memory|(?<![a-z])(?:ram|gb|gigs?|fits?|cost|more|extra|oom|still|change|difference|impact|enough|need)(?![a-z])"
    r"|显存|内存|多(?:占|吃|用|要|少)|还(?:能|够|行|放)|够(?:不够|吗|用)|差多少|增加",
    re.I,
)
"""Words that ask what it takes, or whether it still fits."""
FITS = re.compile(
    r"(?<![a-z])(?:fits?|still|enough|handle|oom|works?|runs?|possible)(?![a-z])|还(?:能|够|行|放)|够(?:不够|吗|用)|放得下|行吗|爆",
    re.I,
)
"""Words that ask whether it fits: the verdict then comes before what it takes."""
WIDE_BYTES, FILLED = 2, 0.85


@dataclass(frozen=True, slots=True)
class Raise:
    """A setting before and after."""

    field: Field
    before: int
    after: int


def read(text: str) -> Raise | None:
    """The setting that is changed, with both values; None where none is."""
    match = _AFTER.search(text) or _BEFORE.search(text)
    if match is None:
        return None
    field = next(field for index, (field, _) in enumerate(_WORDS) if match[f"a{index}"])
    second = match["ms"].lower() if match["ms"] else None
    first = match["ns"].lower() if match["ns"] else second if float(match["n"]) < float(match["m"]) else None
    values = [_whole(match["n"], first, field), _whole(match["m"], second, field)]
    return Raise(field, *values) if values[0] != values[1] and min(values) > 0 else None


def _whole(digits: str, scale: str | None, field: Field) -> int:
    """The number; thousands of tokens are binary."""
    binary = field == "context" and scale == "k" and float(digits).is_integer()
    return int(float(digits)) * 1024 if binary else round(scaled(digits, scale) or 0)


def asked(understanding: Understanding) -> bool:
    """Whether the memory of one setting raised, or lowered, is asked of a language model."""
    need, text = understanding.need, understanding.text
    known = requests.sized(need) and model_kind(need) in ("llm", "vlm", None) and not understanding.error_text
    if not known or understanding.command or need.intent in ("speed", "training_time", "oom", "compare", "budget"):
        return False
    return read(text) is not None and _ASKS.search(text) is not None


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """The memory of both, alike in all else, on the first card named."""
    change, card = read(understanding.text), next(iter(requests.cards(need)), None)
    if change is None:
        return []
    ranked = change.field == "lora_rank" and need.task not in ("lora", "qlora")
    task = str("lora" if ranked else need.task if requests.is_training(need) else "inference")
    alike = need.model_copy(update={"task": task})
    form = need.weight_format or (_held(need, card) if task == "inference" else None)
    lighter = [("qlora", change.after)] if task == "lora" and need.weight_format is None else []
    return [
        requests.memory(alike, card, weight_format=form, task=way, **{_name(change.field, way): value})
        for way, value in ((task, change.before), (task, change.after), *lighter)
    ]


def _name(field: Field, task: str) -> str:
    """The request's field."""
    training = task in requests.TRAINING
    names = {"lora_rank": "lora_rank", "context": "sequence_tokens" if training else "context_tokens",
             "batch": "micro_batch_size" if training else "concurrent_sequences",
             "at_once": "concurrent_sequences"}  # fmt: skip
    return names[field]


def _held(need: Need, card: GpuCount | None) -> str | None:
    """As published where the cards hold that, else what most people download."""
    if card is None or need.model is None:
        return None
    room = gpu(card.gpu).usable_bytes * (card.count or 1)
    return None if model(need.model).params * WIDE_BYTES <= FILLED * room else packed_format(need.model)
