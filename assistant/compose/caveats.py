"""Caveats that matter to this asker, from facts about the cards and the model."""

import re

from assistant.compose import names
from assistant.compose.assume import in_other_half
from assistant.compose.material import Estimate, Material
from assistant.compose.reasons import said
from assistant.plan import requests
from assistant.plan.amounts import UNTIMED, model_kind
from assistant.plan.layout import COPIED
from assistant.plan.worth import TENSOR_CORES
from assistant.understand.worded import READ
from kb.base import AdvisorError
from kb.catalog import gpu, model
from kb.machines.links import linked
from kb.records.gpu import Gpu
from kb.records.model import Model
from tools.configuration import Reason

_RESERVING = ("vllm", "sglang", "tensorrt-llm")
NARROW_FLOATS = ("fp8", "mxfp4", "nvfp4", "fp4")
"""Formats of weights that need units, or kernels that unpack them."""
_FOUR_BIT_FLOATS = NARROW_FLOATS[1:]
UNPACKING = ("NVIDIA", "AMD", "Apple", "Intel")
"""Makers for whose cards there are kernels that unpack them; others need files converted for them."""
_UNSOLD = {"not_sold_here", "case_by_case_here", "made_for_elsewhere"}
_RL = re.compile(r"\b(?:grpo|ppo|dpo|rlhf|rloo|orpo|kto)\b", re.I)
_APART = re.compile(
    r"(?:各|每台|分别)(?:机器|电脑|服务器)?(?:插|装|有|带)?(?:了|着)?\s?[一1]\s?[张块卡]|千兆|万兆"
    r"|\b(?:1|2\.5|10) ?gbe\b|\bgigabit"
    r"|\bover (?:the )?(?:lan|ethernet)\b"
    r"|\b(?:1|one) [\w ]{1,16} (?:each|per (?:server|node|machine|box|pc))\b"
    r"|(?:不同|两台|三台|几台|多台)(?:的)?(?:机器|电脑|主机)",
    re.I,
)
"""Words that put the cards in different machines, one in each, with an ordinary network between them."""
_TENSOR = re.compile(r"tensor[- _]?parallel|张量并行|(?<![a-z])tp ?=? ?\d{0,2}(?![a-z])", re.I)
_SHOWN = re.compile(
    r"nvidia-smi[^.?!。？！\n]{0,48}?(?:\d ?[gm]i?b|memory|full|used|显存|占)|显示占|占了|预占|[吃占用]满|全部?占"
    r"|\busage\b|pre-?alloc|\bshows? \d"
    r"|(?:takes?|uses?|eats?|fills?) (?:up )?(?:all|the whole|the entire|almost all|nearly all)",
    re.I,
)


_SPOT = re.compile(r"\bspot\b|\bpreemptible\b|\binterruptible\b|竞价|抢占式", re.I)
_ALWAYS_UP = re.compile(
    r"7 ?[×xX*] ?24|24 ?[×xX*/] ?7|全天候|不间断|对外|线上|生产|客服|\bsla\b|\bproduction\b"
    r"|\bcustomers?\b|\baround the clock\b|\balways[- ]on\b|\buptime\b",
    re.I,
)
"""Words of a service that has to be up."""
SHOWN_MAX = 3
"""Configurations that an answer shows."""
_SERVED = re.compile(
    r"数据中心|机房|机柜|托管|(?:小)?(?:公司|企业)|7 ?[×xX*] ?24|24 ?[×xX*/] ?7|全天候|对外(?:提供)?服务|生产环境"
    r"|\bdata ?-?cent(?:er|re)s?\b|\bserver room|\bracks?\b|\bcolo(?:cat\w+)?\b|\bcompany\b|\bstartup\b"
    r"|\bin production\b",
    re.I,
)
"""Words of cards that are to serve a business around the clock, or stand where servers do."""
_OFFICE = re.compile(
    r"办公室|工位|桌边|家里|家用|under (?:a|my|the) desk|in (?:the|our|an) office|at home|homelab", re.I
)


def caveats(material: Material, main: Estimate) -> list[str]:
    """Missing hardware formats, links between cards, experts that must all be resident, old or modified cards."""
    found: list[str] = []
    if main.result.model and (shape := _model(main.result.model)):
        found += _of_model(material, shape, shared=main.fit is not None and main.fit.host is not None)
    if reserves(material, main):
        found.append(material.say("caveat.reserved", engine=names.engine_name(main.result.engine)))
    asked = {material.need.intent, *material.understanding.asks}
    if main.task != "inference" and "training_time" in asked and model_kind(material.need) in UNTIMED:
        found.append(material.say("caveat.untimed"))
    if main.task == "inference" and _unpaced_voice(material):
        found.append(material.say("caveat.unpaced_voice"))
    if main.task != "inference" and _RL.search(material.text) and not main.request.get("method"):
        found.append(material.say("caveat.rl"))
    if main.gpu is None and main.result.weight_format == "fp8":
        found.append(material.say("caveat.fp8_cards"))
    if main.gpus > 1 and _APART.search(material.text):
        found.append(material.say("caveat.apart"))
    if main.gpu and (card := _gpu(main.gpu)):
        found += _of_card(material, card, main)
    return found + _unsold(material)


def _unpaced_voice(material: Material) -> bool:
    """Whether it is asked how many a model that speaks serves at once, of which no rate is known."""
    asked = {material.need.intent, *material.understanding.asks} & {"concurrency", "how_many_gpus"}
    tried = any(record.tool == "estimate_inference_speed" for record in material.calls)
    return (
        bool(asked)
        and model_kind(material.need) == "speech"
        and tried
        and not any(material.records("estimate_inference_speed"))
    )


def in_data_centre(material: Material) -> list[str]:
    """What NVIDIA's licence says of GeForce cards, where such cards are to serve a company or stand in its racks."""
    if not _SERVED.search(material.text) or _OFFICE.search(material.text):
        return []
    proposed = [one.gpu for one in material.configurations[:SHOWN_MAX] if one.acquisition == "buy"]
    cards = [_gpu(name) for name in (*requests.named_gpus(material.need), *proposed)]
    geforce = any(one and one.vendor == "NVIDIA" and one.market == "consumer" for one in cards)
    return [material.say("caveat.geforce")] if geforce else []


def interruptible(material: Material) -> str:
    """That spot capacity carries no service that has to be up, where it is asked for one; else nothing."""
    trains = material.need.task in ("full_finetune", "pretrain", "lora", "qlora")
    asked = not trains and _SPOT.search(material.text) and _ALWAYS_UP.search(material.text)
    return material.say("caveat.spot_service") if asked else ""


def over_network(material: Material) -> str:
    """That tensor parallelism does not go over an ordinary network, where it was asked about; else nothing."""
    serving = material.need.task not in ("full_finetune", "pretrain", "lora", "qlora")
    asked = serving and _TENSOR.search(material.text) and _APART.search(material.text)
    return material.say("caveat.over_network") if asked else ""


def _unsold(material: Material) -> list[str]:
    """Cards asked about that are not sold where the asker is, with the rule's date."""
    rows = [row for result in material.results("configure") for row in result.get("rejected") or ()]
    told = {
        row["gpu"]: Reason.model_validate(one)
        for row in rows
        for one in row.get("reasons") or ()
        if one["code"] in _UNSOLD and row["gpu"] in material.need.gpus_asked
    }
    say = material.say
    return [say("caveat.unsold", gpu=names.gpu_name(card), why=said(one, say)) for card, one in told.items()]


def reserves(material: Material, main: Estimate) -> bool:
    """Whether what is shown as used is spoken of, and the engine takes a share of the card whatever it needs."""
    return main.task == "inference" and main.result.engine in _RESERVING and _SHOWN.search(material.text) is not None


def _model(model_id: str) -> Model | None:
    try:
        return model(model_id)
    except AdvisorError:
        return None


def _gpu(gpu_id: str) -> Gpu | None:
    try:
        return gpu(gpu_id)
    except AdvisorError:
        return None


def _of_model(material: Material, shape: Model, *, shared: bool) -> list[str]:
    """Experts must all lie somewhere; what is `shared` with host memory has already said where."""
    return [material.say("caveat.experts", model=shape.name)] if shape.experts and not shared else []


def _of_card(material: Material, card: Gpu, main: Estimate) -> list[str]:
    say, found = material.say, []
    name = names.gpu_name(card.id)
    used, asked = main.result.weight_format, material.understanding.need.weight_format
    if used in NARROW_FLOATS and card.fp8_flops is None and card.vendor not in UNPACKING:
        found.append(say("caveat.converted", gpu=name, format=names.format_name(used)))
    elif used == "fp8" and card.fp8_flops is None:
        found.append(say("caveat.no_fp8", gpu=name))
    elif used == asked and used in _FOUR_BIT_FLOATS and card.fp4_flops is None:
        found.append(say("caveat.no_fp4", gpu=name, format=names.format_name(used)))
    if asked == "fp8" and material.need.weight_format is None and main.task in ("full_finetune", "pretrain"):
        found.append(say("caveat.no_fp8_training", gpu=name))
    if in_other_half(material, main):
        halves = card.vendor != "NVIDIA" or float(card.compute_capability or 0) >= TENSOR_CORES
        found.append(say("caveat.no_bf16" if halves else "caveat.slow_fp16", gpu=name))
    linkless = card.nvlink_bytes_per_s is None and card.vendor == "NVIDIA"
    copied = main.task == "inference" and model_kind(material.need) in COPIED
    reads = main.task == "inference" and model_kind(material.need) in READ
    if main.gpus > 1 and copied:
        found.append(say("caveat.a_copy_each"))
    elif reads:
        pass  # each card reads texts of its own
    elif main.gpus > 1 and linkless and card.market in {"consumer", "workstation", "data_center"}:
        found.append(say("caveat.no_link", gpu=name))
    elif main.gpus > 1 and card.nvlink_bytes_per_s and not linked(card, main.gpus):
        found.append(say("caveat.bridged", gpu=name))
    if card.market == "laptop":
        found.append(say("caveat.laptop", gpu=name))
    if card.status == "modified":
        found.append(say("caveat.modified", gpu=name))
    return found
