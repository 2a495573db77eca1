"""Training over several machines that a stated network joins: one machine alone, all of them, and faster networks."""

import re

from assistant.plan import requests
from assistant.plan.amounts import model_kind
from assistant.plan.call import PlannedCall, planned
from assistant.understand.numbers import number
from assistant.understanding import Understanding
from tools.need import GpuCount, Need

_BANDWIDTH = re.compile(
    r"(?<![\d.])(?P<n>\d{1,3}(?:\.\d)?)\s?(?P<u>[gG](?:bE|bps|b/s|bit|BE|igabit|E)?|[gG](?=\s?(?:网|口|光|以太"
    r"|交换|带宽|IB|RoCE|ib|InfiniBand|infiniband|ethernet|Ethernet|nic|NIC|LAN|lan|network)))(?![A-Za-z])",
)
_APART = re.compile(r"[,;:()*×，；：（）。]")
"""What parts a number from the words after it: in "A100 40G*8 (no IB)" the forty are no network's."""
_NAMED = ((re.compile(r"万兆"), 10.0), (re.compile(r"千兆|\bgigabit\b", re.I), 1.0))
_GIGABIT_WORDS = re.compile(
    r"bE|bps|b/s|bit|BE|igabit|网|口|光|以太|交换|IB|RoCE|InfiniBand|ethernet|NIC|LAN|network", re.I
)
_MACHINES = re.compile(
    r"(?<![a-z\d])(?P<n>\d{1,3}|[两二三四五六七八九十]|two|three|four|five|six|eight|ten|sixteen)\s?(?:x|×)?\s?"
    r"(?:个|台)?\s?(?:separate |different |dgx |gpu )?(?:servers?|nodes?|machines?|boxes|hosts?|机(?!房)|台"
    r"|节点|服务器)",
    re.I,
)
GIGABIT_BYTES_PER_S = 1.25e8
FASTER_BYTES_PER_S = 100 * GIGABIT_BYTES_PER_S
"""The network set beside a slower one: what a usual card and switch of today bring."""
MACHINES_MOST = 512


def bandwidth(text: str) -> float | None:
    """Bytes a second of the network that is named; null = none is."""
    for match in _BANDWIDTH.finditer(text):
        around = match["u"][1:] + _APART.split(text[match.end() : match.end() + 12])[0]
        if _GIGABIT_WORDS.search(around):
            return float(match["n"]) * GIGABIT_BYTES_PER_S
    return next((speed * GIGABIT_BYTES_PER_S for rule, speed in _NAMED if rule.search(text)), None)


def machines(text: str) -> int | None:
    """How many machines are spoken of."""
    for match in _MACHINES.finditer(text):
        count = number(match["n"].lower())
        if count and 2 <= count <= MACHINES_MOST:
            return int(count)
    return None


def spread(need: Need, understanding: Understanding) -> tuple[GpuCount, int] | None:
    """The cards of a training over several machines and the number of those; null where it is none."""
    text, card = understanding.text, next(iter(requests.cards(need)), None)
    count = machines(text)
    language = requests.sized(need) and model_kind(need) in ("llm", "vlm", None)
    if card is None or count is None or not language or not requests.is_training(need) or bandwidth(text) is None:
        return None
    if not card.count or card.count % count:
        return None
    return card, count


def asked(understanding: Understanding) -> bool:
    """Whether a training over several machines is asked about, with their network stated."""
    about = understanding.need.intent not in ("oom", "which_to_buy", "budget", "cloud_or_buy", "min_vram")
    return about and not understanding.error_text and spread(understanding.need, understanding) is not None


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """Rates on one machine, on all over the stated network and over a faster one; and with weights kept in each."""
    found = spread(need, understanding)
    if found is None:
        return []
    card, count = found
    each, stated = (card.count or 1) // count, bandwidth(understanding.text) or 0.0
    common = need.model_dump(exclude={"intent"}) | {
        "gpu": card.gpu, "cards_per_node": each, "micro_batch_size": need.batch_size, "accumulation": None,
        "sharding": need.sharding or (None if need.task in ("lora", "qlora") else "zero3"),
    }  # fmt: skip
    wide = common | {"gpu_count": card.count}
    networks = [stated, *([FASTER_BYTES_PER_S] if stated < FASTER_BYTES_PER_S else [])]
    ways = [common | {"gpu_count": each}, *(wide | {"network_bytes_per_s": one} for one in networks)]
    if common["sharding"] in ("zero3", "fsdp"):
        ways.append(wide | {"network_bytes_per_s": stated, "sharding": "ddp"})
    one_machine = card.model_copy(update={"count": each})
    return [*(planned("estimate_training_time", **way) for way in ways), requests.memory(need, one_machine)]
