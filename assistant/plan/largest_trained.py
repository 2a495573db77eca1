"""The largest model other than of language that a card trains: "biggest vision model I can fine-tune on a 3060"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assistant.plan import requests
from assistant.plan.amounts import trains
from assistant.plan.call import PlannedCall
from assistant.plan.nameless import common
from assistant.understanding import Understanding
from kb.base import AdvisorError
from kb.catalog import gpus, models
from tools.memory.estimate import estimate_memory
from tools.memory.request import MemoryRequest
from tools.need import GpuCount, Need

METHODS = ("qlora", "lora", "full_finetune")
SHOWN_MAX = 2
"""Models of each way to train, the largest first."""
BATCH = 16
"""Pictures at once where a network that sees is trained."""
_LARGEST = re.compile(
    r"\b(?:bigg?est|largest|how (?:big|large)|max(?:imum)?(?: size)?|what size)\b|最大|多大|上限"
    r"|(?:哪些|什么)(?:模型|规模)",
    re.I,
)
_TRAINED = re.compile(r"train|tun(?:e|ing)|q?lora|训|微调|炼", re.I)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of model, the words for it, and models of it that people train, the largest first."""

    name: str
    words: re.Pattern[str]
    methods: tuple[str, ...]
    models: tuple[str, ...]


KINDS = (
    Kind(
        "vlm",
        re.compile(
            r"\bvlms?\b|vision[- ]?language|multi-?modal|\bllava\b|qwen[\d.]*-?vl|视觉语言|多模态|图文(?:大)?模型|看图",
            re.I,
        ),
        METHODS,
        (
            "Qwen/Qwen2.5-VL-72B-Instruct", "Qwen/Qwen3-VL-32B-Instruct", "google/gemma-3-27b-it",
            "google/gemma-3-12b-it", "Qwen/Qwen3-VL-8B-Instruct", "Qwen/Qwen2.5-VL-7B-Instruct",
            "Qwen/Qwen3-VL-4B-Instruct", "Qwen/Qwen2.5-VL-3B-Instruct", "Qwen/Qwen3-VL-2B-Instruct",
        ),
    ),
    Kind(
        "detector",
        re.compile(r"yolo|object detect|detectors?\b|detection model|目标检测|检测模型", re.I),
        ("full_finetune",),
        (
            "ultralytics/yolo11x", "ultralytics/yolo11l", "ultralytics/yolo11m", "ultralytics/yolo11s",
            "ultralytics/yolo11n",
        ),
    ),
    Kind(
        "classifier",
        re.compile(
            r"image class|classifiers?\b|\bvits?\b|vision transformer|resnet|convnext|dino|图像分类|分类模型|视觉模型"
            r"|vision models?",
            re.I,
        ),
        ("full_finetune",),
        (
            "facebook/dinov2-giant", "facebook/dinov2-large", "google/vit-large-patch16-224",
            "torchvision/convnext_large", "google/vit-base-patch16-224", "torchvision/resnet152",
            "torchvision/resnet50",
        ),
    ),
    Kind(
        "diffusion",
        re.compile(r"diffusion|image gen|text[- ]to[- ]image|\bflux\b|sdxl|绘图|画图|出图|文生图|图像生成|炼丹", re.I),
        ("qlora", "lora"),
        (
            "black-forest-labs/FLUX.2-dev", "Qwen/Qwen-Image", "black-forest-labs/FLUX.1-dev", "Tongyi-MAI/Z-Image",
            "stabilityai/stable-diffusion-3.5-large", "stabilityai/stable-diffusion-3.5-medium",
            "stabilityai/stable-diffusion-xl-base-1.0", "stable-diffusion-v1-5/stable-diffusion-v1-5",
        ),
    ),
    Kind(
        "embedding",
        re.compile(r"embed|向量模型|嵌入", re.I),
        METHODS,
        (
            "Qwen/Qwen3-Embedding-8B", "Qwen/Qwen3-Embedding-4B", "Qwen/Qwen3-Embedding-0.6B", "BAAI/bge-m3",
            "BAAI/bge-base-en-v1.5",
        ),
    ),
)  # fmt: skip
"""What people train other than language models; the first whose words are said is meant."""


def asked(understanding: Understanding) -> bool:
    """Whether the largest such model is sought that a card trains."""
    need, text = understanding.need, understanding.text
    if understanding.error_text or understanding.command or requests.sized(need) or need.model_text:
        return False
    said = _LARGEST.search(text) and (_TRAINED.search(text) or requests.is_training(need) or trains(text))
    return bool(said) and bool(kinds(text)) and card(need) is not None


def kinds(text: str) -> tuple[Kind, ...]:
    """The kinds meant: "vision model" alone is as much one that reads pictures beside text as a network that sees."""
    found = next((kind for kind in KINDS if kind.words.search(text)), None)
    if found is None:
        return ()
    loose = found.name == "classifier" and re.search(r"vision models?|视觉模型", text, re.I)
    return (KINDS[0], found) if loose else (found,)


def card(need: Need) -> GpuCount | None:
    """One of the card in question; a stand-in for one of which only the memory is known."""
    named = next(iter(requests.cards(need)), None)
    if named is not None:
        return named.model_copy(update={"count": 1}) if named.gpu in gpus() else None
    stand_in = common(need.memory_bytes_per_gpu)
    return GpuCount(gpu=stand_in, count=1) if stand_in else None


def held(need: Need, text: str) -> Iterator[tuple[Kind, PlannedCall]]:
    """Of each kind and way to train the largest models that the card holds."""
    one = card(need)
    if one is None:
        return
    bare = need.model_copy(update={"gpus_owned": (), "gpus_asked": (), "gpus_proposed": (), "params": None})
    stated = {need.task} & {"lora", "qlora", "full_finetune"} if _only(text) else set()
    for kind in kinds(text):
        for method in kind.methods:
            if stated and method not in stated and set(kind.methods) & stated:
                continue
            fitting = (call for call in _calls(bare, kind, method, one) if _fits(call))
            for call in [call for call, _ in zip(fitting, range(SHOWN_MAX), strict=False)]:
                yield kind, call


_METHOD = re.compile(r"q-?lora|\blora\b|full|全参|全量", re.I)


def _only(text: str) -> bool:
    return _METHOD.search(text) is not None


def _calls(need: Need, kind: Kind, method: str, one: GpuCount) -> Iterator[PlannedCall]:
    sees = kind.name in ("detector", "classifier")
    for name in kind.models:
        if name not in models():
            continue
        asked_for = need.model_copy(update={
            "model": name, "task": method, "images_per_sample": 1 if kind.name == "vlm" else None,
            "batch_size": need.batch_size or (BATCH if sees else None),
        })  # fmt: skip
        call = requests.memory(asked_for, one)
        if call is not None:
            yield call


def _fits(call: PlannedCall) -> bool:
    try:
        fit = estimate_memory(MemoryRequest.model_validate(call.request)).fit
    except AdvisorError:
        return False
    return fit is not None and fit.verdict != "no"


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """The memory of each."""
    return [call for _, call in held(need, understanding.text)]
