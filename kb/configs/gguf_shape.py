"""The model that a GGUF file holds: its size from the tensors, its shape where the architecture is understood."""

from pathlib import Path
from typing import Any

from kb.artifacts.models.gguf import FILE_TYPES
from kb.base import BadInput
from kb.configs.gguf_file import Head, read_head
from kb.configs.model_config import shape_from_config
from kb.records.model import Model

TYPES = {
    "llama": "llama", "qwen2": "qwen2", "qwen2moe": "qwen2_moe", "qwen3": "qwen3", "qwen3moe": "qwen3_moe",
    "gemma": "gemma", "gemma2": "gemma2", "gemma3": "gemma3_text", "phi3": "phi3", "granite": "granite",
    "granitemoe": "granitemoe", "olmo2": "olmo2", "command-r": "cohere", "starcoder2": "starcoder2",
    "gpt-oss": "gpt_oss", "gpt2": "gpt2", "gptneox": "gpt_neox", "glm4": "glm4", "glm4moe": "glm4_moe",
    "minimax-m2": "minimax_m2", "smollm3": "smollm3", "seed_oss": "seed_oss", "ernie4_5": "ernie4_5",
}  # fmt: skip
"""Architecture as llama.cpp names it → `model_type`, where both count and cache alike."""
KEYS = {
    "num_hidden_layers": "block_count", "hidden_size": "embedding_length",
    "num_attention_heads": "attention.head_count",
    "num_key_value_heads": "attention.head_count_kv", "head_dim": "attention.key_length",
    "intermediate_size": "feed_forward_length", "max_position_embeddings": "context_length",
    "num_experts": "expert_count", "num_experts_per_tok": "expert_used_count",
    "moe_intermediate_size": "expert_feed_forward_length",
    "shared_expert_intermediate_size": "expert_shared_feed_forward_length",
    "sliding_window": "attention.sliding_window",
}  # fmt: skip
"""Key of a configuration → key of the file, below its architecture."""


def shape_from_gguf(path: Path) -> Model:
    """The model of a GGUF file. Where its architecture is not understood, its size alone: attention is then unread.

    Raises:
        BadDocument: the file cannot be read.
    """
    head = read_head(path)
    name = str(head.metadata.get("general.name") or path.stem)
    architecture = str(head.metadata.get("general.architecture", ""))
    stored = _stored(head)
    try:
        read = shape_from_config({"_name_or_path": name, **_config(head, architecture)})
    except BadInput:
        return Model(
            id=name,
            name=name,
            family=architecture or "custom",
            kind="llm",
            params=head.params,
            attention="none",
            native_format=stored,
            notes=f"Sized by its tensors; the attention of “{architecture[:40]}” was not read.",
        )
    counted = {"params": head.params, "native_format": stored, "tied_embeddings": not head.own_head}
    return read.model_copy(update={**counted, "notes": "Sized by its tensors, shaped by its metadata."})


def _config(head: Head, architecture: str) -> dict[str, Any]:
    held = head.metadata
    config = {key: held[full] for key, short in KEYS.items() if (full := f"{architecture}.{short}") in held}
    vocab = held.get(f"{architecture}.vocab_size") or held.get("tokenizer.ggml.tokens.length")
    tied = {"tie_word_embeddings": not head.own_head}
    return {"model_type": TYPES.get(architecture, architecture), "vocab_size": vocab, **config, **tied}


def _stored(head: Head) -> str:
    """`gguf:` and what the file calls its mixture of types, else the type of most weights."""
    told = head.metadata.get("general.file_type")
    return f"gguf:{FILE_TYPES.get(told if isinstance(told, int) else -1, head.stored)}"
