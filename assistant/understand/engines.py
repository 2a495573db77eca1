"""Inference engines and trainers that are named."""

from itertools import pairwise

from assistant.understand.text import Found, grammar

_ENGINES: tuple[tuple[str, str], ...] = (
    (r"vllm", "vllm"),
    (r"sglang|sgl", "sglang"),
    (
        r"llama[-_. ]?cpp|llamacpp|ollama|lm ?studio|kobold(?:cpp)?|llamafile|llama-server|llama-cli|jan\.ai",
        "llama.cpp",
    ),
    (r"exl[23]|exllama(?:v[23])?|tabby ?api", "llama.cpp"),
    (r"tensorrt[-_ ]?llm|trt[-_ ]?llm", "tensorrt-llm"),
    (r"comfy ?ui|swarm ?ui|forge(?: ?ui|[- ]neo)|sd[-_ ]?webui[-_ ]?forge", "comfyui"),
    (r"diffusers|automatic1111|a1111|sd[-_ ]?webui|stable[- ]diffusion[- ]webui", "diffusers"),
    (r"torchtune", "torchtune"),
    (r"lit-?gpt", "litgpt"),
    (r"unsloth", "unsloth"),
    (r"axolotl", "axolotl"),
    (r"llama[-_ ]?factory|llamafactory(?:-cli)?", "llama-factory"),
    (r"megatron(?:-lm|-core)?", "megatron"),
    (r"deepspeed", "deepspeed"),
    (r"fsdp", "fsdp"),
    (r"peft", "peft"),
    (r"transformers|hf 推理|huggingface 推理|hf generate|text-generation-webui|oobabooga", "transformers"),
    (r"mem-fraction-static|max-running-requests", "sglang"),
    (r"(?:--)?max[-_]model[-_]len|gpu[-_]memory[-_]utili[sz]ation|enforce[-_]eager|max[-_]num[-_]seqs", "vllm"),
    (r"-ngl|--n-gpu-layers|num_ctx|llama_model_load|ggml_\w{1,20}|gguf_\w{1,20}", "llama.cpp"),
    (r"load[-_]in[-_][48]bit|load-[48]bit|from_pretrained|automodel\w{0,20}|device_map", "transformers"),
    (r"finetuning_type|cutoff_len|per_device_train_batch_size", "transformers"),
)
"""Name people write → engine the calculator models; names come first, then flags and calls that only one of them has.

ExLlama holds as little beside the weights as llama.cpp; the front ends of llama.cpp behave like llama.cpp."""
_ENGINE = grammar("|".join(f"(?P<e{i}>(?<![a-z0-9])(?:{words})(?![a-z0-9]))" for i, (words, _) in enumerate(_ENGINES)))
OTHER = grammar(
    r"(?<![a-z0-9])(?:lmdeploy|tgi|text-generation-inference|xinference|ktransformers|exllama(?:v2|v3)?"
    r"|mlx|mnn|fastllm|powerinfer"
    r"|ms-?swift|swift|trl|verl|openrlhf|triton|tei|infinity|mindie|fastdeploy|nim|open-?webui|dify"
    r"|ragflow|fastgpt)(?![a-z0-9])"
)
"""Software that serves or trains but has no memory model of its own here."""


_EITHER = grammar(r"\s?(?:还是|或者?|和|跟|与|、|/|,|(?<![a-z])(?:or|vs\.?|versus)(?![a-z]))\s?(?:用\s?)?")
"""Words between two of which one is to be chosen."""
_CHOSEN = grammar(
    r"还是|哪(?:个|种)|怎么选|选谁|谁|区别|对比|比较|vs|(?<![a-z])(?:or|versus|which|better|faster|compare\w?)(?![a-z])"
)


def engines_compared(text: str) -> bool:
    """Whether two engines are set against each other: neither is the one that is used."""
    matches = list(_ENGINE.finditer(text))
    pairs = pairwise(matches)
    alike = {match.lastgroup for match in matches}
    joined = any(_EITHER.fullmatch(text, one.end(), two.start()) for one, two in pairs)
    return joined and len(alike) > 1 and _CHOSEN.search(text) is not None


def find_engine(text: str) -> Found[str] | None:
    """The engine named; among several the one with its own name for the job (unsloth before transformers).

    None where two are set against each other.
    """
    matches = list(_ENGINE.finditer(text))
    if not matches or engines_compared(text):
        return None
    order = {match: next(i for i in range(len(_ENGINES)) if match[f"e{i}"] is not None) for match in matches}
    best = min(matches, key=lambda match: (order[match], match.start()))
    return Found(_ENGINES[order[best]][1], best.start(), best.end())
