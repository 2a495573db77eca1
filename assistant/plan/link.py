"""What a link between cards is worth: the same work on one card, and on all of them in each way of splitting it."""

import re

from assistant.plan import requests
from assistant.plan.call import PlannedCall, planned
from assistant.understanding import Understanding
from kb.catalog import gpu
from tools.memory.formats import weight_format
from tools.need import GpuCount, Need, Task

EXAMPLE_CARD = "rtx-4090-24gb"
"""The card reckoned with where none was named: the commonest without a link of its own."""
SERVED_PARAMS, TRAINED_PARAMS = 8 * 10**9, 3 * 10**8
"""Sizes reckoned with where none was named: what one such card serves, and trains in full."""
LARGE_CARD, LARGE_PARAMS = "a100-sxm-80gb", 40 * 10**9
"""The card reckoned with for models that two of the other do not hold in four bits with room to spare."""
NETWORK = re.compile(
    r"多机|跨机|跨节点|多节点|两台|以太|infiniband|\bib\b|\broce\b|\bnet/|ethernet|multi-?node|\bnodes?\b"
    r"|\d\s?g(?:bps|bit|be)\b",
    re.I,
)
TOPOLOGY = re.compile(
    r"\b(?:pix|pxb|phb|p2p|peer[- ]to[- ]peer|nvidia-smi topo|topo -m|acs|iommu)\b|带宽测试|拓扑", re.I
)
"""How cards see each other in a machine, which no rate of tokens explains."""
OUTSIDE = re.compile(r"\begpu\b|thunderbolt|雷电|oculink|usb ?4|外接", re.I)
"""A single card outside the machine."""
SECOND = re.compile(r"\bsecond\b|\banother\b|第二[张块]|再加(?:一|1)[张块]", re.I)
MORE = re.compile(
    r"\b(?:two|three|four|more|several|multiple|extra|additional) (?:cards|gpus|of them|gives?)\b"
    r"|多(?:加)?(?:几)?(?:张|块|卡)"
    r"|(?:两|三|四|双)(?:张|块|卡)",
    re.I,
)
"""Several cards spoken of beside one that is named."""
_BY_HOW_MUCH = re.compile(
    r"how (?:much|many times) (?:slower|faster|quicker)|(?:慢|快)(?:多少|几倍)|(?:差|相差)(?:多少|几倍|多大)", re.I
)
WAYS = re.compile(
    r"(?:tensor[- ]?parallel\w*|(?<![a-z])tp ?=? ?\d{0,2}|张量并行)[^.?!\n]{0,40}?(?:or|vs\.?|versus|还是|和|,|/)"
    r"[^.?!\n]{0,30}?(?:pipeline|layer split|(?<![a-z])pp ?=? ?\d{0,2}(?![a-z])|流水线)"
    r"|(?:pipeline|(?<![a-z])pp ?=? ?\d{0,2}|流水线)[^.?!\n]{0,40}?(?:or|vs\.?|versus|还是|和|,|/)"
    r"[^.?!\n]{0,30}?(?:tensor|(?<![a-z])tp ?=? ?\d{0,2}(?![a-z])|张量)",
    re.I,
)
"""The two ways of splitting a model set against each other."""
TOGETHER = re.compile(
    r"两|双|多卡|几张|张量|并行|差多少|tensor|parallel|multi|second (?:card|gpu)|two|dual|one card|single", re.I
)
SIXTEEN_BIT_BYTES = 2
NARROWER = ("gguf:Q3_K_M", "gguf:Q2_K")
FILLED = 0.75
"""Share of the memory that weights may take: the rest is for the cache and what the engine keeps."""
WIDTH_MAX = 8


def of(need: Need, understanding: Understanding) -> Need:
    """The need with a card and a size, stand-ins where they were not named, in a format that the cards can hold."""
    card = next(iter(requests.cards(need)), None)
    split = need.tensor_parallel if (need.tensor_parallel or 1) > 1 else None
    stated = split or (card.count if card else None) or need.gpu_count
    if stated in (None, 1) and SECOND.search(understanding.text):
        stated = 2
    large = requests.sized(need) and (need.params or 0) > LARGE_PARAMS
    count = 1 if stated in (None, 1) and OUTSIDE.search(understanding.text) else max(2, stated or 2)
    adapted = _task(need, understanding) == "lora"
    size = TRAINED_PARAMS if need.task in ("full_finetune", "pretrain") and not adapted else SERVED_PARAMS
    full = need.model_copy(
        update={
            "gpus_owned": (GpuCount(gpu=card.gpu if card else LARGE_CARD if large else EXAMPLE_CARD, count=count),),
            "gpus_asked": (),
            "params": need.params if requests.sized(need) else size,
            "tensor_parallel": None,
            "task": _task(need, understanding),
        }
    )
    return full.model_copy(update={"weight_format": need.weight_format or _narrower(full)})


def _task(need: Need, understanding: Understanding) -> Task | None:
    """As stated; adapters where fine-tuning was named without a way and a model; else serving."""
    if requests.sized(need):
        return need.task
    if not requests.is_training(need):
        return "inference"
    return "lora" if understanding.need.way_open else need.task


def _narrower(need: Need) -> str | None:
    """Four bits where sixteen are more than the cards hold, three or two where four are; None = as published."""
    card = need.gpus_owned[0]
    if need.engine == "llama.cpp" and not requests.is_training(need):
        return "gguf:Q4_K_M"
    room = gpu(card.gpu).usable_bytes * (card.count or 1)
    if requests.is_training(need) or (need.params or 0) * SIXTEEN_BIT_BYTES <= room:
        return None
    ladder = ("gguf:Q4_K_M" if need.engine == "llama.cpp" else "int4", *NARROWER)
    sizes = {name: (need.params or 0) * weight_format(name).body_bits / 8 for name in ladder}
    return next((name for name in ladder if sizes[name] <= FILLED * room), ladder[0])


def weighs(text: str) -> bool:
    """Whether it is asked by how much one way is slower or faster than another, not why it is."""
    return _BY_HOW_MUCH.search(text) is not None


def exemplary(need: Need, understanding: Understanding) -> bool:
    """Whether speeds help: not for the property of a card, other work than language, or a network that is at fault."""
    if requests.sized(need) and requests.cards(need):
        return True
    card = next(iter(requests.cards(need)), None)
    several = ((card.count if card else None) or need.gpu_count or need.tensor_parallel or 1) > 1
    several = several or MORE.search(understanding.text) is not None
    if TOPOLOGY.search(understanding.text) and not requests.sized(need):
        return False
    known = card is not None or NETWORK.search(understanding.text) is None
    together = several or requests.sized(need) or (card is None and TOGETHER.search(understanding.text) is not None)
    special = need.task in ("vision", "diffusion", "speech", "embedding", "rendering")
    other = special or (need.model_text is not None and not requests.sized(need))
    return known and together and not other


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """Speed on one card and on all, split by tensors and by layers; rates of training on one and on all."""
    if not exemplary(need, understanding):
        return []
    full = of(need, understanding)
    card = full.gpus_owned[0]
    one = card.model_copy(update={"count": 1})
    if card.count == 1:
        return [_rate(full, one) if requests.is_training(full) else requests.speed(full, one)]
    if requests.is_training(full):
        return [_rate(full, one), _rate(full, card)]
    width = min(card.count or 2, WIDTH_MAX)
    stages = (card.count or 2) // width
    return [
        requests.speed(full, one),
        requests.speed(full, card, tensor_parallel=width, pipeline_parallel=stages),
        requests.speed(full, card, tensor_parallel=1, pipeline_parallel=card.count),
    ]


def memories(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """Whether the work fits one card, and all of them: the speed of what does not fit is nobody's."""
    if not exemplary(need, understanding):
        return []
    full = of(need, understanding)
    card = full.gpus_owned[0]
    return [requests.memory(full, card), requests.memory(full, card.model_copy(update={"count": 1}))]


def _rate(need: Need, card: GpuCount) -> PlannedCall | None:
    values = need.model_dump(exclude={"intent"}) | {"gpu": card.gpu, "gpu_count": card.count}
    return planned("estimate_training_time", **values)
