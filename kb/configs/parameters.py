"""How many parameters a model has, counted from its shape."""

from kb.records.model import LatentAttention, Model


def count_parameters(model: Model) -> int | None:
    """Every parameter of a transformer, or None when the shape is not complete.

        embedding + positions + layers · (mixer + feed-forward + norms) + final norm + head + towers

    Exact for Llama, Qwen, Mistral, Gemma, DeepSeek and GPT-2 shapes; within 0.5 % for the others, whose odd biases
    and scales are left out.
    """
    if model.components or model.layers is None or model.hidden_size is None or model.vocab_size is None:
        return None
    if model.linear is not None and model.linear.params_per_layer is None:
        return None
    mixers, feed_forwards = _mixers(model), _feed_forwards(model, every_expert=True)
    if mixers is None or feed_forwards is None:
        return None
    return (
        embedding_parameters(model) + mixers + feed_forwards + _norms(model) + model.vision_params + model.other_params
    )


def count_active(model: Model) -> int | None:
    """Parameters one token visits, embeddings included and towers left out; None when the shape is not complete."""
    total = count_parameters(model)
    if total is None or model.experts is None:
        return total
    all_experts, visited = _feed_forwards(model, every_expert=True), _feed_forwards(model, every_expert=False)
    if all_experts is None or visited is None:
        return None
    return total - model.vision_params - all_experts + visited


def embedding_parameters(model: Model) -> int:
    """Embedding, learned positions and an untied head."""
    width = model.hidden_size or 0
    tables = 1 if model.tied_embeddings else 2
    return width * (tables * (model.vocab_size or 0) + model.position_embeddings)


def _mixers(model: Model) -> int | None:
    """Attention or its replacement, over all layers; decoders of an encoder–decoder also attend to the encoder."""
    layers = model.layers or 0
    linear_layers = model.linear.linear_layers if model.linear else 0
    if model.latent is not None:
        total = _latent(model, model.latent) * (layers - linear_layers)
    else:
        local = _attention(model, model.head_dim, model.kv_heads)
        wide = _attention(model, model.global_head_dim or model.head_dim, model.global_kv_heads or model.kv_heads)
        if local is None or wide is None:
            return None
        global_layers = layers - linear_layers
        local_layers = model.sliding.local_layers if model.sliding else 0
        if model.global_keys_are_values:
            wide -= (model.hidden_size or 0) * (model.global_kv_heads or 0) * (model.global_head_dim or 0)
        total = local * local_layers + wide * (global_layers - local_layers)
        if model.encoder_layers:
            total += local * (model.encoder_layers + layers)
    if model.linear is not None:
        total += linear_layers * (model.linear.params_per_layer or 0)
    return total


def _attention(model: Model, head_dim: int | None, kv_heads: int | None) -> int | None:
    if model.hidden_size is None or model.heads is None or head_dim is None or kv_heads is None:
        return None
    query, key_value = model.heads * head_dim, 2 * kv_heads * head_dim
    gate = query if model.attention_gate else 0
    weights = model.hidden_size * (query + gate + key_value + query)
    if model.qkv_bias or model.linear_bias:
        weights += query + key_value
    if model.linear_bias:
        weights += model.hidden_size
    return weights + (2 * head_dim if model.qk_norm else 0)


def _latent(model: Model, latent: LatentAttention) -> int:
    """Multi-head latent attention: queries and keys–values pass through low ranks (arXiv:2405.04434)."""
    width, heads = model.hidden_size or 0, model.heads or 0
    query_width = heads * (latent.qk_nope_dim + latent.qk_rope_dim)
    if latent.q_lora_rank:
        query = latent.q_lora_rank * (width + query_width + 1)
    else:
        query = width * query_width
    compressed = width * (latent.kv_lora_rank + latent.qk_rope_dim) + latent.kv_lora_rank
    expanded = latent.kv_lora_rank * heads * (latent.qk_nope_dim + latent.v_head_dim)
    return query + compressed + expanded + heads * latent.v_head_dim * width


def _feed_forwards(model: Model, *, every_expert: bool) -> int | None:
    """Feed-forward weights of all layers, with every expert or only those one token visits."""
    layers = (model.layers or 0) + (model.encoder_layers or 0)
    moe_layers = layers - model.experts.dense_layers if model.experts else 0
    dense_layers = layers - moe_layers
    if dense_layers and model.intermediate_size is None:
        return None
    total = dense_layers * _feed_forward(model, model.intermediate_size or 0)
    if model.experts:
        routed = model.experts.experts if every_expert else model.experts.experts_per_token
        shared = model.experts.shared_experts * model.experts.expert_intermediate_size
        if model.experts.shared_intermediate_size is not None:
            shared = model.experts.shared_intermediate_size
        router = (model.hidden_size or 0) * model.experts.experts
        one = _feed_forward(model, model.experts.expert_intermediate_size, model.experts.expert_hidden_size)
        narrowing = 2 * (model.hidden_size or 0) * (model.experts.expert_hidden_size or 0)
        total += moe_layers * (routed * one + (_feed_forward(model, shared) if shared else 0) + router + narrowing)
    return total


def _feed_forward(model: Model, intermediate_size: int, hidden_size: int | None = None) -> int:
    width = hidden_size or model.hidden_size or 0
    matrices = 3 if model.gated_mlp else 2
    bias = intermediate_size * (matrices - 1) + width if model.linear_bias else 0
    return matrices * width * intermediate_size + bias


def _norms(model: Model) -> int:
    one = (model.hidden_size or 0) * (2 if model.linear_bias else 1)
    layers, encoder_layers = model.layers or 0, model.encoder_layers or 0
    crossing = layers if encoder_layers else 0
    return one * (model.norms_per_layer * (layers + encoder_layers) + crossing + (2 if encoder_layers else 1))
