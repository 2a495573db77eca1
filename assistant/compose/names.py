"""How things are called in an answer: the vendor's name for a card, the publisher's for a model."""

import re
from functools import lru_cache

from assistant.phrases import Phrases
from assistant.plan import requests
from kb.base import AdvisorError
from kb.catalog import gpu, model, provider

_HAN = re.compile(r"[一-鿿]")


@lru_cache(maxsize=512)
def gpu_name(gpu_id: str) -> str:
    """A card's name without the vendor; the id itself when the catalog does not know it."""
    try:
        record = gpu(gpu_id)
    except AdvisorError:
        return gpu_id
    return record.name.removeprefix("NVIDIA ").removeprefix("GeForce ").removeprefix("NVIDIA ")


@lru_cache(maxsize=512)
def model_name(model_id: str) -> str:
    """A model's name as people write it; the id itself when the catalog does not know it."""
    try:
        return model(model_id).name
    except AdvisorError:
        return model_id.rsplit("/", 1)[-1]


def cards(gpu_id: str, count: int) -> str:
    """Some number of a card: "4×RTX 3090"."""
    return f"{count}×{gpu_name(gpu_id)}"


def format_name(weight_format: str) -> str:
    """A weight format as engineers write it: `bf16` → BF16, `gguf:Q4_K_M` → GGUF Q4_K_M."""
    head, _, tail = weight_format.partition(":")
    return f"{head.upper()} {tail}" if tail else head.upper().removesuffix("_DQ")


_ENGINES = {
    "vllm": "vLLM", "sglang": "SGLang", "tensorrt-llm": "TensorRT-LLM", "deepspeed": "DeepSpeed", "peft": "PEFT",
    "transformers": "Transformers", "diffusers": "Diffusers", "comfyui": "ComfyUI", "fsdp": "FSDP",
    "megatron": "Megatron-LM", "ollama": "Ollama", "unsloth": "Unsloth",
}  # fmt: skip


def engine_name(engine: str) -> str:
    """An engine as its makers write it."""
    return _ENGINES.get(engine, engine)


def task_name(task: str, say: Phrases, method: str | None = None, model_id: str | None = None) -> str:
    """inference, LoRA, GRPO with LoRA …, in the asker's language; networks that see are simply trained."""
    key = "train" if task == "full_finetune" and _sees(model_id) else task
    name = say("task.video" if task == "diffusion" and _moves(model_id) else f"task.{key}")
    return name if method in (None, "sft") or task == "inference" else say("task.by", method=method.upper(), task=name)


def cloud_name(name: str, say: Phrases) -> str:
    """A cloud as its customers write it: in Chinese by its Chinese name where it has one."""
    record = provider(name)
    chinese = next((one for one in record.aliases if _HAN.search(one)), None) if say.language == "zh" else None
    return chinese or record.name


def _moves(model_id: str | None) -> bool:
    """Whether it makes clips rather than pictures."""
    try:
        return model_id is not None and model(model_id).kind == "video"
    except AdvisorError:
        return False


def _sees(model_id: str | None) -> bool:
    """Whether it is a detector, a classifier, a voice or another network that nobody trains adapters for."""
    try:
        return model_id is not None and requests.without_adapters(model(model_id))
    except AdvisorError:
        return False
