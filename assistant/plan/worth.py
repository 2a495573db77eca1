"""Whether an older card is still worth buying for a model: "is a P40 still worth it for 7B", 「V100 还值得买吗」."""

import re
from collections.abc import Sequence

from assistant.answer import ToolCallRecord
from assistant.plan import requests
from assistant.plan.amounts import model_kind
from assistant.plan.call import PlannedCall, planned
from assistant.plan.formats import packed_format
from assistant.plan.guidance import guidance
from assistant.plan.market import left_out, recent, sold_alone
from assistant.plan.provisional import provisional
from assistant.understand.formats import compares_formats, find_formats
from assistant.understanding import Understanding
from kb.catalog import gpu, gpus
from kb.records.gpu import Gpu
from tools.need import GpuCount, Need
from tools.prices import CardPrice, card_price

_WORTH = re.compile(
    r"(?:还|仍然?|现在)\s?(?:值得|值不值得?|能不能|可以|能|适合|有必要|划算)\s?(?:买|入手?|购买|收|上车|用)?(?:吗|么|嘛|不|呢)?"
    r"(?=[,，。?？!！ ]|$|[跑做用来])|值(?:不值)?得(?:买|入手?|购买|收|上车)|(?:过时|淘汰|落伍)了?(?:吗|么|没)"
    r"|(?:still|even) (?:worth|an? (?:good|reasonable|decent|sensible|solid|smart|fair)"
    r" (?:buy|purchase|deal|choice|card|option|pick)"
    r"|viable|relevant|any good|ok(?:ay)? to buy)"
    r"|should (?:i|we) still (?:buy|get|pick up)"
    r"|(?<![a-z])(?:buy|get|pick|purchas)\w*[^.!\n]{0,60}?(?:good|bad|smart|wise|terrible) (?:idea|move|choice)"
    r"|(?:good|bad|smart|wise) (?:idea|move) to (?:buy|get|pick up)"
    r"|(?:买|入手?|收)[^。！\n]{0,24}?(?:靠谱|明智|合适)(?:吗|么|不)"
    r"|worth (?:buying|getting|it|picking up|the money)|outdated|obsolete|too old",
    re.I,
)
_SAYS_BUY = re.compile(
    r"买|入手|收|上车|值得|过时|淘汰|落伍|worth|buy|deal|choice|viable|relevant|good|outdated|obsolete|old", re.I
)
_NOT_ASKED = re.compile(
    r"(?:我|我们|手上|手里|公司|实验室)(?:已经|现)?(?:有|的)|nvlink|bridge|桥接|租"
    r"|(?<![a-z])(?:(?:i|we) (?:already )?(?:have|own|got)|my|our|rent\w{0,3}|hir\w{1,4}) ",
    re.I,
)
"""Words that put the card in the asker's hands, or ask what something else is worth."""
LADDER = ("gguf:Q8_0", "gguf:Q4_K_M")
"""What is tried on one card below the published precision."""
AS_FAST = 0.9
"""Bandwidth over the card's own from which another is as fast at writing answers."""
TENSOR_CORES = 7.0
"""Compute capability from which there are any."""
CURRENT = 8.0
"""Compute capability from which software of today asks for newer builds, if anything."""
ROOM = 0.97
"""Share of the card's own memory from which another has as much: labels of the same size differ by less."""
ABOUT_AS_DEAR = 1.25
"""Times the price up to which another costs about as much."""
_OF_A_CARD = ("which_to_buy", "guidance", "other", "spec", "compatibility", None)
"""Intents of whether to buy a card, not of what it costs to run or of renting it instead."""
_SERIES = {"rtx", "gtx", "rx", "arc", "radeon", "apple", "amd"}
"""What many different cards begin with."""
_PLACES = {"consumer", "workstation", "data_center"}


def asked(understanding: Understanding) -> bool:
    """Whether one named card is judged as a purchase for a language model of known size."""
    need = provisional(understanding)
    return requests.sized(need) and not requests.is_training(need) and _judged(understanding, need)


def asked_alone(understanding: Understanding) -> bool:
    """Whether one named card, and no more than one of it, is judged as a purchase and nothing is said of the work."""
    need = provisional(understanding)
    if requests.sized(need) or need.model_text or need.task not in {None, "inference", "general"}:
        return False
    if need.users or need.gpus_owned:
        return False
    if understanding.need.intent not in _OF_A_CARD or not _judged(understanding, need):
        return False
    return card(need).count == 1 and gpu(card(need).gpu).market in _PLACES


def _judged(understanding: Understanding, need: Need) -> bool:
    text = understanding.text
    if len(requests.named_gpus(need)) != 1 or need.budget is not None or understanding.command:
        return False
    if _NOT_ASKED.search(text) or compares_formats(find_formats(text.lower())):
        return False
    judged = _WORTH.search(text) is not None and _SAYS_BUY.search(text) is not None
    return judged and model_kind(need) in {"llm", "vlm", None}


def card(need: Need) -> GpuCount:
    """The card, as many of it as were said, else one."""
    found = requests.cards(need)[0]
    return found.model_copy(update={"count": found.count or need.gpu_count or 1})


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """Memory as published and in llama.cpp's formats, and what software still runs there."""
    one = card(need)
    forms = (need.weight_format,) if need.weight_format else (*_wide(gpu(one.gpu)), *_files(need))
    return [
        *(requests.memory(_in(need, form), one, weight_format=form) for form in forms),
        planned("check_compatibility", gpus=(one.gpu,), engine="pytorch", feature="flash_attention_2",
                precision="bf16"),
        requests.gpu_facts(need),
    ]  # fmt: skip


def calls_alone(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """The card beside what is sold new instead of it, what software still runs there, and what the documents say."""
    one = card(need)
    others = [other for other in (peer(one), in_its_place(one)) if other]
    return [
        requests.gpu_facts(need, names=tuple(dict.fromkeys((one.gpu, *others)))),
        planned("check_compatibility", gpus=(one.gpu,), engine="pytorch", precision="bf16"),
        guidance(understanding),
    ]


def in_its_place(one: GpuCount) -> str | None:
    """The cheapest newer card of a later generation with as much memory, read as fast."""
    return rival(one, int(ROOM * gpu(one.gpu).usable_bytes), generation=True)


def peer(one: GpuCount) -> str | None:
    """The newer card that reads its memory fastest of those that cost about as much; None without a recent price."""
    own, price = gpu(one.gpu), priced(gpu(one.gpu))
    if price is None or own.year is None:
        return None
    most = float(price.amount_usd) * ABOUT_AS_DEAR
    found = [
        (other.bandwidth_bytes_per_s or 0, other.id) for other in _newer(own)
        if other.architecture != own.architecture and (paid := priced(other))
        and most / ABOUT_AS_DEAR**2 <= float(paid.amount_usd) <= most
    ]  # fmt: skip
    return max(found)[1] if found else None


def more(need: Need, results: Sequence[ToolCallRecord]) -> list[PlannedCall | None]:
    """The speed there, and the cheapest newer card that does the same as fast."""
    one, held = card(need), picked(results)
    if held is None:
        return []
    form = held.request.get("weight_format") or held.result["weight_format"]
    roomy = held.result["fit"]["verdict"] == "yes"
    needed = held.result["per_gpu"]["high_bytes" if roomy else "total_bytes"] * (one.count or 1)
    other, put = rival(one, needed), _in(need, form)
    return [
        requests.speed(put, one, form),
        requests.memory(put, GpuCount(gpu=other, count=1), weight_format=form) if other else None,
        requests.speed(put, GpuCount(gpu=other, count=1), form) if other else None,
        requests.gpu_facts(need, names=(one.gpu, other)) if other else None,
    ]


def picked(results: Sequence[ToolCallRecord]) -> ToolCallRecord | None:
    """The first estimate with room, else the first that only just fits."""
    placed = [one for one in results if one.tool == "estimate_memory" and one.result.get("fit")]
    for verdict in ("yes", "tight"):
        for one in placed:
            if one.result["fit"]["verdict"] == verdict:
                return one
    return None


def rival(one: GpuCount, needed_bytes: int, *, generation: bool = False) -> str | None:
    """The cheapest newer card with a recent price that holds as much and reads it as fast.

    `generation`: only of another architecture, where it is the age of the card that is asked about.
    """
    own = gpu(one.gpu)
    if own.year is None:
        return None
    fast = AS_FAST * (own.bandwidth_bytes_per_s or 0)
    found = [
        other for other in _newer(own)
        if not (generation and other.architecture == own.architecture) and not _same(other, own)
        and other.usable_bytes >= needed_bytes and (other.bandwidth_bytes_per_s or 0) >= fast and priced(other)
    ]  # fmt: skip
    return min(found, key=lambda other: ((price := priced(other)) and price.amount_usd, other.id)).id if found else None


def _same(one: Gpu, other: Gpu) -> bool:
    """Whether it is one card in two forms: A100 SXM and A100 PCIe, which neither replaces."""
    name, beside = one.id.split("-")[0], other.id.split("-")[0]
    return name == beside and name not in _SERIES


def _newer(own: Gpu) -> list[Gpu]:
    """Later cards of its maker that are sold one by one and that software of today runs on."""
    return [
        other for other in gpus().values()
        if other.vendor == own.vendor and other.market in _PLACES and (other.year or 0) > (own.year or 0)
        and other.status not in {"announced", "modified"} and sold_alone(other) and not left_out(other)
    ]  # fmt: skip


def priced(one: Gpu) -> CardPrice | None:
    """Its street price, where one was read of late."""
    found = card_price(one)
    return found if found and found.kind == "street" and recent(found) else None


def _wide(one: Gpu) -> tuple[str | None, ...]:
    """The published precision, FP16 without BF16; none on cards before tensor cores, which llama.cpp is for."""
    if one.bf16_flops:
        return (None,)
    return () if one.vendor == "NVIDIA" and float(one.compute_capability or 0) < TENSOR_CORES else ("fp16",)


def _files(need: Need) -> tuple[str, ...]:
    """The files of llama.cpp to try: those that are as published where that is four bits already."""
    packed = packed_format(need.model)
    return LADDER if packed in LADDER else (packed,)


def _in(need: Need, form: str | None) -> Need:
    """The need as llama.cpp serves it, for its formats."""
    if not (form or "").startswith("gguf:"):
        return need
    return need.model_copy(update={"engine": "llama.cpp", "tensor_parallel": None, "kv_format": None})
