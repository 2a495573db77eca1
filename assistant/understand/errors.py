"""Pasted material: error text and logs, nvidia-smi tables, flags of command lines and YAML."""

import re
from dataclasses import dataclass

from assistant.understand.sizes import box_bytes
from assistant.understand.text import Found, Text, grammar
from kb.units import GIB, MIB

_ERROR_LINE = grammar(
    r"traceback \(most recent|\w{0,30}(?:error|exception)\s{0,2}[:(]|out ?of ?memory|tried to allocate"
    r"|cuda error|(?:exit|return) ?code|exitcode|sigkill|killed|被杀|assert"
    r"|no kernel image|not compatible with the current|only supports? ampere|oom-?kill"
    r"|has a total capac\w{1,6} of|failed to allocate|no available memory for the cache blocks"
    r"|warn(?:ing)?[ :\]]|nccl (?:warn"
    r"|error)|requires? (?:compute )?capability"
    r"|requires \d{8,15} bytes of|not enough memory to handle|resource_exhausted|leave no gpu memory for"
    r"|not enough memory\.? please|increase --?mem-fraction-static"
    r"|is larger than the maximum number of tokens|max seq len|raise \w{1,40}|file \"[^\"\n]{1,200}\", line"
)
_OOM = grammar(
    r"out ?of ?memory|tried to allocate|(?<![a-z])oom(?:s|ed|ing|-?kill\w{0,3})?(?![a-z])|爆显存"
    r"|显存(?:不足|不够|爆|溢出|会?一直涨)|爆了|爆内存|炸显存|显存炸|(?<![a-z])(?:cuda )?memory error"
    r"|has a total capac\w{1,6} of|failed to allocate|no available memory for the cache|leave no gpu memory for"
    r"|requires \d{8,15} bytes of|not enough memory to handle|resource_exhausted|insufficient (?:device )?memory"
    r"|not enough memory\.? please|increase --?mem-fraction-static"
    r"|blows? up|overflow(?:s|ed)?|killed|sigkill|signal 9"
    r"|被(?:系统)? ?(?:杀|kill)|exit ?(?:code|status):? ?137|挂了|内存不够"
    r"|max(?:imum)? ?(?:seq(?:uence)?|model) ?len(?:gth)?[^,，。\n]{0,30}(?:larger|greater|exceed|大于|超)[^。\n]{0,40}"
    r"kv ?cache"
    r"|runs? out of (?:v?ram|memory|gpu memory)|ran out of|内存不足|爆(?!料|炸|款|发)(?=$|[^\w])"
)
FEARED = grammar(
    r"(?:会不会|会|怕|担心|容易|爆不|不会|是否会)[^。?!,，\n]{0,6}?(?:爆(?:显存)?|oom|炸)(?:掉|了)?\s?(?=[吗么嘛不?]|$)|爆不爆"
    r"|(?:会不会|是否会|不会)\s?(?:爆(?:显存)?|oom|炸)"
    r"|(?<![a-z])(?:can|will|would|does|could|might|going to|gonna) (?:it|this|that|they|i|we)?\s?(?:go |just |still )?"
    r"(?:oom|run out(?: of \w+)?)(?![a-z])"
    r"|(?<![a-z])(?<!why )(?<!how )(?:can|will|would|could|might|does) [^.?!\n]{0,32}?(?<![a-z])(?:oom"
    r"|run out of (?:v?ram"
    r"|memory))(?![a-z])"
    r"|(?<![a-z])(?:without|avoid(?:ing)?|before|not) (?:going )?(?:oom|running out)\w{0,3}"
)
"""Running out of memory that is feared, not met."""
_CAPACITY = grammar(
    r"(?:gpu \d{1,3}[;:]?\s?(?:has a total capac\w{1,6} of\s)?)?(\d{1,4}(?:\.\d{1,3})?)\s?(gib|mib|gb"
    r"|mb) (?:total capacity|is the total capacity)"
    r"|total capac\w{1,6} of\s(\d{1,4}(?:\.\d{1,3})?)\s?(gib|mib|gb|mb)"
)
_SMI_ROW = grammar(r"\|\s{1,4}\d{1,3}\s{1,4}[^|\n]{3,60}\s(?:on|off|n/a)\s{0,3}\|")
_SMI_MEMORY = grammar(r"(\d{1,6})mib\s?/\s?(\d{1,6})mib")
_FLAG_TP = grammar(
    r"(?:--?tensor[-_]parallel(?:[-_]size)?|--?tp(?:[-_]size)?|tensor[-_]parallel[-_]size"
    r"|tensor[-_]model[-_]parallel[-_]size|(?<![a-z])tp)\s{0,3}[=: ]?\s{0,3}(\d{1,5})(?![0-9]|\.\d|s(?![a-z]))"
    r"|(?<![\d.])(\d{1,2})[- ]?way (?:tp|tensor[- ]parallel)"
)
_FLAG_GPUS = grammar(
    r"(?:--?nproc[-_]per[-_]node|--?num[-_]gpus|--?num[-_]processes|--?gpus|n_gpus|num_gpus"
    r"|gpus_per_node|nvidia\.com/gpu\"?)\s{0,3}[=: ]\s{0,3}['\"]?(\d{1,5})(?![0-9])"
)
_FLAG_NODES = grammar(r"(?:--?nnodes|--?num[-_]nodes|--?nodes|num_machines)\s{0,3}[=: ]\s{0,3}(\d{1,5})(?![0-9])")
_FLAG_PP = grammar(r"(?:--?pipeline[-_]parallel(?:[-_]size)?|--?pp(?:[-_]size)?)\s{0,3}[=: ]\s{0,3}(\d{1,4})(?![0-9])")
_VISIBLE = grammar(r"cuda_visible_devices\s{0,2}=\s{0,2}['\"]?((?:\d{1,2},){0,31}\d{1,2})(?![0-9])")


@dataclass(frozen=True, slots=True)
class Pasted:
    """What pasted material says."""

    error_text: str | None = None
    oom: Found[str] | None = None
    card_bytes: Found[int] | None = None
    """Memory of the card that a log or table reports, as on the box."""
    cards: Found[int] | None = None
    """Cards that a table lists or flags ask for."""
    tensor_parallel: Found[int] | None = None


def find_pasted(text: Text) -> Pasted:
    """Read logs, tables and flags."""
    plain = text.plain
    smi = list(_SMI_MEMORY.finditer(plain))
    oom = _OOM.search(plain)
    return Pasted(
        error_text=_error_text(text),
        oom=Found(oom[0], oom.start(), oom.end()) if oom else None,
        card_bytes=_capacity(plain),
        cards=_cards(plain, len(_SMI_ROW.findall(plain)) or len(smi)),
        tensor_parallel=_flag(_FLAG_TP, plain),
    )


def is_oom(text: str) -> bool:
    """Whether memory ran out; whether it will is another question."""
    return _OOM.search(FEARED.sub(" ", text)) is not None


def _error_text(text: Text) -> str | None:
    """From the first line that reads like an error to the last, verbatim."""
    feared = FEARED.sub(lambda said: " " * len(said[0]), text.plain)
    matches = list(_ERROR_LINE.finditer(feared))
    if not matches:
        return None
    start = text.plain.rfind("\n", 0, matches[0].start()) + 1
    end = text.plain.find("\n", matches[-1].end())
    end = len(text.plain) if end < 0 else end
    return text.original[text.offsets[start] : text.offsets[end]].strip() or None


def _capacity(plain: str) -> Found[int] | None:
    if match := _CAPACITY.search(plain):
        value, unit = float(match[1] or match[3]), match[2] or match[4]
        reported = round(value * (GIB if unit.startswith("g") else MIB))
        return Found(box_bytes(reported), match.start(), match.end()) if reported else None
    if match := _SMI_MEMORY.search(plain):
        return Found(box_bytes(int(match[2]) * MIB), match.start(), match.end()) if int(match[2]) else None
    return None


def _cards(plain: str, rows: int) -> Found[int] | None:
    if rows:
        return Found(rows, 0, 0)
    gpus = _flag(_FLAG_GPUS, plain)
    if gpus:
        hosts = _flag(_FLAG_NODES, plain)
        return Found(gpus.value * (hosts.value if hosts else 1), gpus.start, gpus.end)
    if match := _VISIBLE.search(plain):
        return Found(match[1].count(",") + 1, match.start(), match.end())
    parallel = _flag(_FLAG_TP, plain)
    if parallel:
        stages = _flag(_FLAG_PP, plain)
        return Found(parallel.value * (stages.value if stages else 1), parallel.start, parallel.end)
    return None


def _flag(rule: re.Pattern[str], plain: str) -> Found[int] | None:
    match = rule.search(plain)
    value = int(next(filter(None, match.groups()), 0)) if match else 0
    return Found(value, match.start(), match.end()) if match and 0 < value <= 65536 else None
