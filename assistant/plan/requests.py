"""From what was understood to what each tool is asked."""

import re

from assistant.plan import clips
from assistant.plan.amounts import COUNTED, SEEN, TEXT_TOKENS, amounts, clip_frames, model_kind, of_pictures
from assistant.plan.call import PlannedCall, planned
from assistant.plan.formats import EVERY_FORMAT, TRAINING_LADDER, WHICH_FORMAT, WIDE, bits, engine_on, unified
from assistant.plan.layout import COPIED, copies, serving_layout, training_layout
from assistant.understand.progress import find_samples
from kb.base import AdvisorError
from kb.catalog import gpu, gpus, model, models
from kb.constants.memory_constants import constants as memory_constants
from kb.naming.names import model_names
from kb.records.model import Model
from kb.units import DAY_S
from tools.check_compatibility import feature_names
from tools.cost.work import TEXTS_AT_ONCE
from tools.memory.fit import shares_experts
from tools.need import GpuCount, Need
from tools.training_time.checkpointing import recomputing
from tools.training_time.request import SAMPLE_TOKENS, SEQUENCE_TOKENS, TrainingTimeRequest
from tools.ways_to_run.space.load import active

PICTURE_ENGINES = ("diffusers", "tensorrt-llm")
"""Engines that generate pictures."""
TRAINING = ("full_finetune", "pretrain", "lora", "qlora")
SPENDING = ("which_to_buy", "how_many_gpus", "budget", "cloud_or_buy", "min_vram")
"""Intents of who is about to spend: they want to see what more money would bring."""
QUERY_CHARACTERS_MAX = 400
"""What guidance is searched with: a question is a line or two, a pasted log is not."""
BOARD_LEAST = 4
"""Cards of a number stated from which a card that comes on boards, named beside it, is meant in that number."""
CARDS_CHECKED_MAX = 4
"""Cards checked for compatibility in one call."""
_NO_LANGUAGE = {"diffusion", "vision", "speech", "embedding", "rendering"}
"""Work for which the largest language model that fits says nothing."""
FULL = re.compile(
    r"全参|全量|full(?:y)?[- ]?(?:param|fine|ft\b|sft)|from scratch|all (?:the )?(?:weights|parameters)", re.I
)
"""Words that mean full fine-tuning and not fine-tuning of any kind."""
_ADAPTERS = re.compile(r"lora|adapter|peft|低秩", re.I)
GENERATIONS = ("v100-sxm2-32gb", "a100-sxm-80gb", "rtx-4090", "h100-sxm-80gb")
"""One card of each generation that formats differ on, checked when a format is asked about without a card."""
_FORMATS = re.compile(r"\b(?:fp8|fp4|nvfp4|mxfp4|bf16|int8|awq|gptq|flash-?att\w*)\b", re.I)
_VERSIONS = re.compile(r"cuda|\bcu1[0-9]{2}\b|driver|驱动", re.I)
FAMILY_MAX = 48
"""Members of a family tried one by one."""
PATIENCE_S = 90 * DAY_S
"""Longest that a pre-training of known data may take where no deadline was stated: fewer cards would take years."""
OFFERS_MAX = 6
"""Offers looked up when renting is asked about."""


def is_training(need: Need) -> bool:
    """Whether the need is to train rather than to run."""
    return need.task in TRAINING


def lighter_tasks(need: Need, task: str | None) -> tuple[str, ...]:
    """Ways to fine-tune that hold less than `task`; none for models nobody trains adapters for (detectors, CNNs)."""
    record = models().get(need.model or "")
    if task not in TRAINING_LADDER or (record is not None and without_adapters(record)):
        return ()
    return TRAINING_LADDER[TRAINING_LADDER.index(task) + 1 :]


def without_adapters(record: Model) -> bool:
    """Whether nobody trains adapters for it: detectors, CNNs, voices that are trained on samples."""
    return record.kind == "vision" or record.family in memory_constants().speech.training_sample_bytes


def sized(need: Need) -> bool:
    """Whether there is something whose memory can be computed."""
    return bool(need.model or need.params)


def cards(need: Need) -> tuple[GpuCount, ...]:
    """The cards in question: those owned, with more of them where some may be added, else those asked about."""
    return _grown(need) or _asked(need)


def _grown(need: Need) -> tuple[GpuCount, ...]:
    """The cards owned, in the number proposed where that is more."""
    stated = {card.gpu: card for card in need.gpus_proposed}
    return tuple(stated.get(card.gpu, card) for card in need.gpus_owned)


def _asked(need: Need) -> tuple[GpuCount, ...]:
    """The cards asked about, each with its number where one was stated.

    A board's card named beside a whole board of another means as many: "8xH200 or B200".
    """
    stated = {card.gpu: card for card in need.gpus_proposed}
    owned = {card.gpu for card in need.gpus_owned}
    every = dict.fromkeys((*need.gpus_asked, *stated))
    named = (name for name in every if name not in owned or name in need.gpus_asked)
    boards = max((card.count or 1 for card in (*need.gpus_proposed, *need.gpus_owned)), default=1)
    found = []
    for name in named:
        whole = boards >= BOARD_LEAST and name in gpus() and gpus()[name].form_factor.upper().startswith(("SXM", "OAM"))
        found.append(stated.get(name) or GpuCount(gpu=name, count=boards if whole else None))
    return tuple(found)


def compared(need: Need) -> tuple[GpuCount, ...]:
    """The cards to choose between: those owned and those asked about."""
    owned = {card.gpu for card in need.gpus_owned}
    return (*_grown(need), *(card for card in _asked(need) if card.gpu not in owned))


def named_gpus(need: Need) -> tuple[str, ...]:
    """Every GPU the asker named, once, owned ones first."""
    return tuple(dict.fromkeys([*(owned.gpu for owned in need.gpus_owned), *need.gpus_asked]))


def memory(
    need: Need,
    card: GpuCount | None = None,
    *,
    weight_format: str | None = None,
    task: str | None = None,
    **changes: object,
) -> PlannedCall | None:
    """The memory of the workload, on `card` when there is one, with anything in `changes` put differently."""
    if not sized(need):
        return None
    task = task or (need.task if is_training(need) else "inference")
    values: dict[str, object] = {
        "task": task,
        "model": need.model,
        "params": None if need.model else need.params,
        "weight_format": weight_format
        or (need.weight_format if task != "qlora" or bits(need.weight_format) < WIDE else None)
        or (_computable(need, card) if task == "inference" else None),
        "gpu": card.gpu if card else None,
    }
    count = (card.count if card else need.gpu_count if need.memory_bytes_per_gpu else None) or 1
    values |= _training_values(need, task, count) if task in TRAINING else _serving_values(need, count)
    values |= look(need)
    if task == "pretrain" and card is not None and need.gradient_checkpointing is None:
        values["gradient_checkpointing"] = _recomputed(values, card.gpu, count)
    counted = model_kind(need) in COUNTED
    own = None if counted else engine_on(values["weight_format"], card)
    usual = (own or clips.program(need, card)) if task == "inference" else None
    values["engine"] = need.engine or usual
    return planned("estimate_memory", **(values | changes))


def _recomputed(values: dict[str, object], gpu: str, count: int) -> str:
    """How far the time of pre-training takes activations to be recomputed, so that memory and time speak of one run."""
    shared = {name: value for name, value in values.items() if name in TrainingTimeRequest.model_fields}
    asked = TrainingTimeRequest.model_validate(shared | {"gpu": gpu, "gpu_count": count, "weight_format": None})
    return recomputing(asked, count, asked.sequence_tokens or SEQUENCE_TOKENS)


def look(need: Need) -> dict[str, object]:
    """Size and number of the pictures, where the model makes or sees any."""
    kind = model_kind(need)
    size: dict[str, object] = {"width_px": need.width_px, "height_px": need.height_px, "frames": need.frames}
    if kind == "vlm":
        return size | {
            "video_s": None if need.frames else need.video_s,
            "frames_per_s": need.frames_per_s,
            "images_per_sample": need.images_per_sample,
        }
    if kind not in SEEN:
        return {}
    if kind == "video" and need.frames is None and need.video_s:
        size["frames"] = clip_frames(need.model or "", need.video_s)
    turns = kind != "vision" and (need.weight_format or "").startswith("gguf:")
    offload = (need.offload or ("components" if turns else None)) if not is_training(need) else None
    return size | {"images_per_batch": need.batch_size, "offload": offload}


def _computable(need: Need, card: GpuCount | None) -> str | None:
    """What a model published in FP8 runs in on a card without: BF16, or where memory is one its file; None = as is."""
    try:
        fp8 = need.model is not None and model(need.model).native_format == "fp8"
        if not fp8 or card is None or gpu(card.gpu).fp8_flops is not None:
            return None
        return "gguf:Q8_0" if unified(gpu(card.gpu).id) and need.engine in (None, "llama.cpp") else "bf16"
    except AdvisorError:
        return None


def trained_in(need: Need) -> Need:
    """A training that was to compute in FP8 on cards without it computes in 16 bits."""
    stated = need.weight_format == "fp8" and need.task in {"full_finetune", "pretrain"}
    known = [gpus()[card.gpu] for card in cards(need) if card.gpu in gpus()]
    if not stated or not known or any(card.fp8_flops for card in known):
        return need
    return need.model_copy(update={"weight_format": None})


def _active(users: int | None) -> int | None:
    """Users with a request in flight at a busy moment: the same share as the configurator takes."""
    return active(users) if users else None


def _serving_values(need: Need, count: int) -> dict[str, object]:
    sequences = need.concurrent_sequences or _active(need.users) or need.batch_size
    mixture = model(need.model) if need.model is not None and need.tensor_parallel is None else None
    apart = mixture is not None and shares_experts(mixture, need.engine, sequences or 1, count)
    whole = count > 1 and not need.tensor_parallel and model_kind(need) in COPIED
    split = copies(count) if whole else serving_layout(count, need.tensor_parallel)
    layout = {"expert_parallel": count} if apart else split
    return {
        "kv_format": need.kv_format,
        "frozen_params": need.frozen_params if model_kind(need) in ("llm", "vlm", None) else None,
        "context_tokens": need.context_tokens,
        "concurrent_sequences": sequences,
        "served_adapters": need.adapters,
        "lora_rank": need.lora_rank if need.adapters else None,
        **layout,
    }


def _training_values(need: Need, task: str, count: int) -> dict[str, object]:
    return {
        "sequence_tokens": need.sequence_tokens or need.context_tokens,
        "micro_batch_size": need.batch_size,
        "optimizer": need.optimizer,
        "offload": need.offload,
        "gradient_checkpointing": need.gradient_checkpointing,
        "lora_rank": need.lora_rank if task in {"lora", "qlora"} else None,
        "method": need.method,
        "generations": need.generations,
        "frozen_params": need.frozen_params,
        **training_layout(task, count, need.sharding or ("ddp" if model_kind(need) in ("vision", "speech") else None)),
    }


def what_fits(need: Need, text: str) -> PlannedCall | None:
    """What the cards in hand can do, named or known only by their memory."""
    gpus = [{"gpu": card.gpu, "count": card.count or 1} for card in cards(need)]
    if not gpus and need.memory_bytes_per_gpu is None:
        return None
    if need.task in _NO_LANGUAGE and not sized(need):
        return None
    task = need.task if need.task != "full_finetune" or FULL.search(text) else None
    values = need.model_dump(exclude={"intent", "gpu_count", "memory_bytes_per_gpu"}) | {"task": task, "gpus": gpus}
    values["models"] = () if sized(need) else family(text)[1]
    if task == "lora" and not values["models"] and not _ADAPTERS.search(text):
        values["task"] = None  # to fine-tune, it was said, and not how: each way is told
    if not gpus:
        values |= {"memory_bytes_per_gpu": need.memory_bytes_per_gpu, "gpu_count": need.gpu_count}
    return planned("what_fits", **values)


def family(text: str) -> tuple[str, tuple[str, ...]]:
    """A family of language models that is named without saying which member, as written, and its members."""
    for mention in model_names().scan(text.lower()):
        members = [key for key in mention.ids if models()[key].kind in ("llm", "vlm")]
        if len(members) > 1:
            mixtures = {f"{models()[key].family} MoE" for key in members}
            members += [key for key, one in models().items() if one.family in mixtures and key not in members]
            return text[mention.start : mention.end], tuple(members[:FAMILY_MAX])
    return "", ()


def configure(need: Need, **changes: object) -> PlannedCall | None:
    """Configurations for the need, bought or rented."""
    seen = {name: value for name, value in look(need).items() if value is not None and name in {"frames", "offload"}}
    seen |= {"engine": made_by} if (made_by := clips.program(need, next(iter(cards(need)), None))) else {}
    owned = {card.gpu for card in need.gpus_owned}
    seen["gpus_proposed"] = tuple(card for card in need.gpus_proposed if card.gpu not in owned)
    seen["with_frontier"] = need.intent in SPENDING or need.budget is not None
    if need.task == "pretrain" and need.dataset_tokens and need.deadline_s is None:
        seen["deadline_s"] = PATIENCE_S
    return planned("configure", **(need.model_dump(exclude={"intent"}) | seen | changes))


def gpu_facts(need: Need, **changes: object) -> PlannedCall | None:
    """The data sheet rows of the GPUs named."""
    names = named_gpus(need)
    return planned("find_gpus", **({"names": names} | changes)) if names or changes else None


def comparison(need: Need) -> PlannedCall | None:
    """The GPUs named, side by side."""
    gpus = named_gpus(need)
    return planned("compare_gpus", gpus=gpus, workload=_workload(need)) if len(gpus) > 1 else None


def _workload(need: Need) -> str | None:
    """What the cards are compared for; None when nothing was said of it."""
    if need.purpose is not None:
        return "llm_decode"
    if need.task is None or (need.task == "inference" and not sized(need)):
        return "llm_decode" if sized(need) else None
    return _WORKLOADS.get(need.task)


_WORKLOADS = {
    "inference": "llm_decode",
    "rag": "llm_decode",
    "full_finetune": "training",
    "pretrain": "training",
    "vision": "training",
    "lora": "lora",
    "qlora": "lora",
    "diffusion": "image",
    "rendering": "image",
}


def speed(
    need: Need, card: GpuCount | None, weight_format: str | None = None, *, text: str = "", **changes: object
) -> PlannedCall | None:
    """How fast the cards serve it; with the asker's words, how long for what they say there is to do."""
    counted = model_kind(need) in COUNTED
    if card is None or not sized(need) or (is_training(need) and not counted):
        return None
    values = need.model_dump(exclude={"intent", "users"}) | {
        "gpu": card.gpu,
        "gpu_count": card.count or 1,
        "weight_format": weight_format or need.weight_format or (None if counted else _computable(need, card)),
        "engine": need.engine or (None if counted else engine_on(weight_format or need.weight_format, card)),
        "params": None if need.model else need.params,
        "concurrent_sequences": need.concurrent_sequences or _active(need.users) or need.batch_size,
        "input_tokens": need.context_tokens if counted else None,
    }
    if counted:
        known = need.engine if need.engine in PICTURE_ENGINES else None
        values |= amounts(need, text) | ({"engine": known} if model_kind(need) in SEEN else {})
    if values.get("documents"):
        values["concurrent_sequences"] = values["concurrent_sequences"] or TEXTS_AT_ONCE
        values["input_tokens"] = values.get("input_tokens") or TEXT_TOKENS
    return planned("estimate_inference_speed", **(values | changes))


def training_time(need: Need, card: GpuCount | None, *, text: str = "", **changes: object) -> PlannedCall | None:
    """How fast the cards train it, and how long for the tokens, or images, there are."""
    if card is None or not sized(need):
        return None
    values = need.model_dump(exclude={"intent"}) | amounts(need, text)
    if values.get("task") not in TRAINING:
        values["task"] = "full_finetune"
    if values["task"] in {"full_finetune", "pretrain"} and need.weight_format == "fp8":
        values |= {"weight_format": None, "precision": "fp8"}  # trained in it, not kept in it
    if model_kind(need) in SEEN and need.width_px:
        values["image_px"] = need.width_px
    values |= of_pictures(need, text)
    samples = find_samples(text)
    if samples and need.dataset_tokens == samples * SAMPLE_TOKENS:
        values |= {"dataset_samples": samples, "dataset_tokens": None}
    return planned("estimate_training_time", **(values | {"gpu": card.gpu, "gpu_count": card.count or 1} | changes))


def offers(need: Need, gpu: str | None = None, count: int | None = None) -> PlannedCall | None:
    """Instances to rent, of one GPU or of any."""
    return planned("find_offers", gpu=gpu, min_gpus=count, provider=need.provider, limit=OFFERS_MAX)


def compatibility(need: Need, text: str = "") -> PlannedCall | None:
    """Whether the cards named, the format and the software go together; with the asker's words, for what they name."""
    gpus = named_gpus(need)[:CARDS_CHECKED_MAX]
    if not gpus and not _VERSIONS.search(text):
        if not _FORMATS.search(text) and not _published(need):
            return None
        gpus = GENERATIONS
    return planned(
        "check_compatibility",
        gpus=gpus,
        precision=_feature(need.weight_format or _published(need)),
        engine=_feature(need.engine),
        question=f"{text[:QUERY_CHARACTERS_MAX]} {EVERY_FORMAT if WHICH_FORMAT.search(text) else ''}".rstrip(),
    )


def _feature(name: str | None) -> str | None:
    """`name` when compatibility knows it; a format that it does not know is none of its business."""
    try:
        feature_names().resolve((name or "").split(":")[0].replace("_", " "))
    except AdvisorError:
        return None
    return name


def _published(need: Need) -> str | None:
    """FP8 when that is what the model is published in: the one published format that cards differ on."""
    try:
        native = model(need.model).native_format if need.model else None
    except AdvisorError:
        return None
    return native if native == "fp8" and not is_training(need) else None
