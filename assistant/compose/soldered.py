"""Memory that a command, a driver or a setting is said to give a card: it is soldered onto the board."""

import re

from assistant.compose import facts, names
from assistant.compose.aspects import BY_KEY
from assistant.compose.citations import joined
from assistant.compose.material import Material
from assistant.plan import requests
from kb.catalog import gpu
from kb.units import GIB

_MEANS = re.compile(
    r"nvidia-smi|(?<!\w)--\w|\bunlock|\bjailbreak|\bflash(?!\w|[- ]?att)|\bv?bios\b"
    r"|\b(?:software|driver|firmware|registry|command|setting|script|tool|patch|hack)s?\b"
    r"|解锁|破解|刷(?:个|一下|机|写)?|软件|命令|脚本|驱动|设置|补丁",
    re.I,
)
"""What is said to do it."""
_GAIN = re.compile(
    r"\b(?:gives?|gets?|has|have|makes?|turns?|become|into|to|as|enables?|unlocks?|adds?)\b"
    r"[^.?!\n]{0,40}?\b(\d{1,3}) ?gb?\b"
    r"|(?:变|当|得到|达到|有|扩|升|解锁|用成|刷成|改成)[^。？！\n]{0,12}?(\d{1,3}) ?[gG]",
    re.I,
)
"""What is said to come of it: so much memory."""


def soldered(material: Material) -> str:
    """That nothing of the kind adds memory, with what the card has; empty where no more than it has is spoken of."""
    need, say = material.understanding.need, material.say
    named, gain = requests.named_gpus(need), _GAIN.search(material.text)
    if len(named) != 1 or requests.sized(need) or gain is None or not _MEANS.search(material.text):
        return ""
    card, said_bytes = gpu(named[0]), int(gain[1] or gain[2]) * GIB
    rebuilt = card.status == "modified"
    if said_bytes < card.memory_bytes or (said_bytes == card.memory_bytes and not rebuilt):
        return ""
    told, gap = say("premise.soldered"), "" if say.language == "zh" else " "
    if rebuilt:
        return told + gap + say("premise.soldered_modified", gpu=names.gpu_name(card.id))
    row = next((one for one in facts.cards(material) if one.id == card.id), None)
    if row is None:
        return told
    marker = joined([facts.cite_card(material, row, [BY_KEY["memory"]])])
    size = BY_KEY["memory"].value(row) or ""
    return told + gap + say("premise.soldered_has", gpu=names.gpu_name(card.id), size=size) + marker
