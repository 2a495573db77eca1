"""Settings of a training run: optimizer, sharding, checkpointing, LoRA rank, epochs."""

from typing import Literal

from assistant.understand.numbers import DIGITS, HAN, number
from assistant.understand.text import Found, grammar

_OPTIMIZERS: tuple[tuple[str, str], ...] = (
    (r"paged[-_ ]?adamw?[-_ ]?(?:8[-_ ]?bit|32bit)?", "paged_adamw_8bit"),
    (r"(?:8[-_ ]?bit[-_ ]?adamw?|adamw?[-_ ]?(?:bnb[-_ ]?)?8[-_ ]?bit)", "adamw_8bit"),
    (r"adafactor", "adafactor"),
    (r"adam-?mini", "adam_mini"),
    (r"adamw?(?:_torch(?:_fused)?)?", "adamw"),
    (r"muon", "muon"),
    (r"lion", "lion"),
    (r"galore", "galore"),
    (r"sgd", "sgd"),
)
_OPTIMIZER = grammar("|".join(f"(?P<o{i}>(?<![a-z0-9])(?:{w})(?![a-z0-9]))" for i, (w, _) in enumerate(_OPTIMIZERS)))
_SHARDING = grammar(
    r"(?<![a-z0-9])(?:(?:deepspeed[-_ ]?)?(?:zero|ds[-_]?z|ds_zero)(?:[-_ ]?(?:stage|optimi[sz]ation))?[-_ ]?([123])"
    r"|(?:deepspeed|ds).{0,12}?(?:stage|z)[-_ =:\"']{0,4}([123])|\"?stage\"?\s{0,3}:\s{0,3}([123])"
    r"|(fsdp2?|full[-_ ]shard)|(ddp))(?![a-z0-9])"
)
_CHECKPOINTING_ON = grammar(
    r"(?:gradient|grad)[-_ ]?(?:checkpointing|ckpt)(?!\s{0,3}[:=]?\s{0,3}(?:false|off|none))|梯度检查点"
    r"|激活重计算|重计算|activation (?:re)?checkpointing|recompute"
)
_CHECKPOINTING_OFF = grammar(
    r"gradient[-_ ]?checkpointing\s{0,3}[:=]?\s{0,3}(?:false|off|none)|(?:no|without|not?用|不开|没开"
    r"|关闭|关掉) ?(?:gradient[-_ ]?checkpointing|梯度检查点|重计算)"
)
_RANK = grammar(
    r"(?:(?:lora[-_ ]?(?:rank|r|dim)|(?<![a-z\[])rank|network[-_ ]?dim|秩)\s{0,2}[:=为是]?"
    r"|(?<![a-z0-9_])r\s{0,2}[:=])\s{0,2}(\d{1,5})(?![0-9bkg.])"
)
_EPOCHS = grammar(
    rf"({DIGITS}|{HAN}|(?<![a-z])(?:one|single|two|three|four|five|ten)(?![a-z]))\s?(?:个 ?)?(?:full )?"
    r"(?:epochs?|轮(?!对话)|遍|ep(?![a-z]))|(?:num[-_](?:train[-_])?epochs"
    r"|epochs?)\s{0,3}[:=]?\s{0,3}(\d{1,5}(?:\.\d{1,3})?)(?!\s?(?:要|takes?|小时|h))"
)
_OFFLOAD = grammar(
    r"(?<!不)(?<!不 )(?<!不用)(?<!不用 )(?<!不想用)(?<!不开)(?<!no )(?<!not )(?<!without )(?<!w/o )(?<!no_)"
    r"(?:(?P<all>(?:zero-?3|z3|stage ?3)[-_ +]{0,3}(?:with |加 ?|开 ?)?(?:cpu[-_ ])?off-?load"
    r"|off-?load[-_ ](?:params?|parameters|everything|all)|全部(?:卸载|off-?load)|参数和优化器都?(?:卸载|off-?load)"
    r"|(?:every|all(?: the| possible)?) (?:memory[- ]saving|mem(?:ory)?[- ]opti\w{1,9}) (?:option|trick|setting)s?"
    r"|(?:省显存|省内存|显存优化)的?(?:选项|手段|办法|技巧|功能)?(?:都|全)(?:部|都)?(?:打?开|用|上))"
    r"|(?:cpu[-_ ])?off-?load(?:ing|ed)?|优化器(?:状态)?(?:卸载|放(?:到|在)?(?:cpu|内存))|卸载到 ?(?:cpu|内存))"
)
_WORKS = grammar(
    r"[^。?!\n]{0,8}?(?:只占|可以|能跑|就能|就行|没问题|正常|才行|才能"
    r"|(?<![a-z])(?:works?|worked|fits?|runs?|ran|is fine))(?![^。!,\n]{0,8}[?吗么])"
)
"""What is said of a setting that works, where the run in question is the one without it."""
_BATCH = grammar(
    r"(?:per[-_]device[-_](?:train|eval)[-_]batch[-_]size|(?:micro|mini)?[-_ ]?batch(?:[-_ ]?size)?"
    r"|(?<![a-z])bsz?|(?<![a-z])mbs|批大小|批次(?:大小)?|批量)"
    r"\s{0,3}(?:[:=为是]|of|is|to|(?:想|要|打算|准备|能)?开到?|设为?|改成?|改为|换成|调到|降到)?\s{0,3}(\d{1,6})(?![0-9.]*\s?(?:(?:gb?|mb"
    r"|h)(?![a-z])|%|个?小时|frames|帧|tokens))"
)
_GLOBAL_BEFORE = grammar(
    r"(?:global|total|effective|overall|全局|总(?:的)?|合计)[-_ ]?(?:train[-_ ])?(?:batch[-_ ]?size|batch|bs)?\s?$"
)
_GLOBAL_AFTER = grammar(r"\s?(?:in )?(?:total|global(?:ly)?|overall|altogether|over all|across (?:all|the)|合计|总共)")
"""What makes a batch that of all cards together."""
_RESOLUTION = grammar(r"(\d{3,5})\s?[x×*]\s?(\d{3,5})")


def find_optimizer(text: str) -> Found[str] | None:
    """The optimizer named."""
    match = _OPTIMIZER.search(text)
    if match is None:
        return None
    name = next(value for i, (_, value) in enumerate(_OPTIMIZERS) if match[f"o{i}"] is not None)
    return Found(name, match.start(), match.end())


def find_offload(text: str) -> Found[Literal["optimizer", "all"]] | None:
    """What of a training goes to host memory; None where that is only what worked, or is ruled out."""
    match = _OFFLOAD.search(text)
    if match is None or _WORKS.match(text, match.end()):
        return None
    return Found("all" if match["all"] else "optimizer", match.start(), match.end())


def find_sharding(text: str) -> Found[str] | None:
    """How states are spread over cards: the strongest form named."""
    found = []
    named = list(_SHARDING.finditer(text))
    for match in [one for one in named if not _WORKS.match(text, one.end())] or named:
        stage = match[1] or match[2] or match[3]
        found.append(Found(f"zero{stage}" if stage else "fsdp" if match[4] else "ddp", match.start(), match.end()))
    return max(found, key=lambda f: ("ddp", "zero1", "zero2", "fsdp", "zero3").index(f.value), default=None)


def find_checkpointing(text: str) -> Found[str] | None:
    """Whether activations are recomputed: full or none."""
    for pattern, value in ((_CHECKPOINTING_OFF, "none"), (_CHECKPOINTING_ON, "full")):
        if match := pattern.search(text):
            return Found(value, match.start(), match.end())
    return None


def find_lora_rank(text: str) -> Found[int] | None:
    """The rank of the adapter."""
    match = _RANK.search(text)
    return Found(int(match[1]), match.start(), match.end()) if match and 0 < int(match[1]) <= 65536 else None


def find_epochs(text: str) -> Found[float] | None:
    """Passes over the data."""
    for match in _EPOCHS.finditer(text):
        value = number(match[1] or match[2])
        if value and 0 < value <= 10**5:
            return Found(value, match.start(), match.end())
    return None


def is_global(text: str, batch: Found[int]) -> bool:
    """Whether a batch is that of all cards together: "batch 256 total", 「全局 batch 128」."""
    before = text[max(0, batch.start - 14) : batch.start]
    return _GLOBAL_BEFORE.search(before) is not None or _GLOBAL_AFTER.match(text, batch.end) is not None


def find_batch(text: str) -> Found[int] | None:
    """Samples a card holds in a step."""
    for match in _BATCH.finditer(text):
        if int(match[1]):
            return Found(int(match[1]), match.start(), match.end())
    return None
