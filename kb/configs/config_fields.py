"""Numbers of a configuration, by the names that different makers give them."""

from collections.abc import Mapping
from typing import Any

from kb.base import BadInput

LARGEST_NUMBER = 10**8
KEYS = {
    "layers": ("num_hidden_layers", "n_layer", "num_layers", "n_layers"),
    "hidden_size": ("hidden_size", "n_embd", "d_model"),
    "heads": ("num_attention_heads", "n_head", "num_heads", "n_heads"),
    "kv_heads": ("num_key_value_heads", "num_kv_heads", "multi_query_group_num", "n_head_kv"),
    "head_dim": ("head_dim", "kv_channels", "attention_head_dim", "d_kv"),
    "intermediate_size": ("intermediate_size", "ffn_hidden_size", "n_inner", "ffn_dim", "d_ff"),
    "vocab_size": ("vocab_size", "padded_vocab_size"),
    "max_context_tokens": ("max_position_embeddings", "n_positions", "seq_length", "max_seq_len", "n_ctx"),
    "experts": ("n_routed_experts", "num_local_experts", "num_experts", "moe_num_experts"),
    "experts_per_token": (
        "num_experts_per_tok", "num_experts_per_token", "experts_per_token", "moe_topk", "moe_k", "top_k_experts",
    ),
    "shared_experts": (
        "n_shared_experts", "num_shared_experts", "num_shared_expert", "moe_num_shared_experts", "n_share_experts",
    ),
    "expert_intermediate_size": ("moe_intermediate_size", "expert_intermediate_size", "moe_ffn_hidden_size"),
    "shared_intermediate_size": (
        "shared_expert_intermediate_size", "moe_shared_expert_intermediate_size", "shared_intermediate_size",
        "share_expert_dim",
    ),
    "dense_intermediate_size": ("intermediate_size_mlp", "dense_intermediate_size"),
    "expert_hidden_size": ("routed_expert_hidden_size", "moe_latent_size"),
    "first_dense": ("first_k_dense_replace", "num_dense_layers", "moe_layer_start_index"),
    "mamba_heads": ("mamba_num_heads", "mamba_n_heads"),
    "mamba_head_dim": ("mamba_head_dim", "mamba_d_head"),
    "mamba_groups": ("n_groups", "mamba_n_groups"),
    "mamba_state": ("ssm_state_size", "mamba_d_state"),
    "mamba_kernel": ("conv_kernel", "mamba_d_conv"),
}  # fmt: skip
"""Field → the names it goes by, first found wins."""
NEVER_ZERO = frozenset({"layers", "hidden_size", "heads", "vocab_size"})


def number(config: Mapping[str, Any], field: str) -> int | None:
    """The first of the field's names that is stated; zero says that the model has no such thing.

    Raises:
        BadInput: it is not a whole number between 1 and 10⁸.
    """
    for key in KEYS.get(field, (field,)):
        value = config.get(key)
        if value is None or (value == 0 and not isinstance(value, bool) and field not in NEVER_ZERO):
            continue
        if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= LARGEST_NUMBER:
            raise BadInput(key, f"{str(value)[:40]!r} is not a whole number between 1 and {LARGEST_NUMBER:,}.")
        return value
    return None


def required(config: Mapping[str, Any], field: str) -> int:
    """The same, which the file must state.

    Raises:
        BadInput: it does not.
    """
    found = number(config, field)
    if found is None:
        raise BadInput(KEYS.get(field, (field,))[0], "missing from the configuration.", "Give params instead.")
    return found
