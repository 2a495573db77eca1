"""The cache of keys and values, as each engine stores it."""

from kb.constants.memory_constants import constants
from tools.memory.term import Term
from tools.memory.workload import Workload, version_numbers

EVEN_LAYERS = ("llama.cpp", "transformers", "peft")
"""Engines that give every GPU whole layers, caches included."""
LATENT_EXPANDED = ("transformers", "peft", "litgpt")
"""Engines that cache keys and values of latent attention a head each instead of the latent."""
SLOT_TOKENS = 256
"""llama.cpp pads every slot of its cache to this many tokens."""


def kv_terms(work: Workload) -> tuple[Term, ...]:
    """Cache of all sequences on the fullest GPU, and the constant state of linear layers."""
    shape = work.shape
    if shape.attention == "none" and shape.linear is None:
        return ()
    source, sequences = constants().kv.source, work.sequences_here
    tokens, caching = padded_tokens(work), shape.attention_layers
    layers, share = _layers_on_one(work)
    width, formula, inputs = _width(work, shape.kv_heads, shape.head_dim)
    terms: list[Term] = []
    local = min(shape.sliding.local_layers, caching) if shape.sliding else 0
    local_here = layers * local / max(caching, 1)
    inputs |= {"bytes_per_element": work.kv_bytes, "sequences": sequences, "share": share}
    near_width, near_formula, near_inputs = width, formula, inputs
    if layers - local_here > 0:
        if local and not shape.latent:
            width, formula, inputs = _width(work, shape.global_kv_heads, shape.global_head_dim)
            inputs |= {"bytes_per_element": work.kv_bytes, "sequences": sequences, "share": share}
        kept = shape.kv_compression
        size = width * (layers - local_here) * tokens * kept * sequences * work.kv_bytes * share
        full = inputs | {"layers": _tidy(layers - local_here), "tokens": tokens}
        if kept != 1:  # DeepSeek-V4 keeps one entry for several tokens, by layer
            full, formula = full | {"kept_per_token": kept}, f"{formula} · kept_per_token"
        terms.append(Term("kv_cache", "KV cache", size, _with_share(formula, share), full, source))
    if local_here and shape.sliding:
        seen = window_tokens(work, tokens)
        size = near_width * local_here * seen * sequences * work.kv_bytes * share
        near = near_inputs | {"layers": _tidy(local_here), "tokens": seen}
        terms.append(
            Term("kv_cache", "KV cache of sliding-window layers", size, _with_share(near_formula, share), near, source)
        )
    if shape.linear:
        linear_layers = (
            shape.linear.linear_layers * layers / max(caching, 1)
            if caching
            else (-(-shape.linear.linear_layers // work.pipeline))
        )
        split = 1 if work.engine in EVEN_LAYERS else work.tensor
        states = shape.linear.state_bytes_per_layer * sequences
        size = linear_layers * states / split * (share if split == 1 else 1)
        state = {"linear_layers": _tidy(linear_layers), "state_bytes": shape.linear.state_bytes_per_layer,
                 "sequences": sequences, "gpus": split}  # fmt: skip
        terms.append(
            Term(
                "kv_cache",
                "State of linear layers",
                size,
                "linear_layers · state_bytes · sequences / gpus",
                state,
                source,
            )
        )
    return tuple(terms)


def kv_bytes(work: Workload) -> float:
    """Sum of `kv_terms`."""
    return sum(term.bytes for term in kv_terms(work))


def padded_tokens(work: Workload) -> int:
    """Tokens a sequence occupies: whole pages in engines that page."""
    page = constants().kv.page_tokens.get(work.engine, 1)
    return -(-work.context // page) * page


def window_tokens(work: Workload, tokens: int) -> int:
    """Tokens a sliding-window layer keeps a sequence: the window, and in llama.cpp one physical batch more."""
    if work.shape.sliding is None or not _knows_windows(work):
        return tokens
    window = work.shape.sliding.window_tokens
    if work.engine == "llama.cpp":
        window += work.ubatch or constants().llama_cpp.ubatch_tokens
        window = -(-window // SLOT_TOKENS) * SLOT_TOKENS
    return min(tokens, window + constants().kv.page_tokens.get(work.engine, 0))


def _knows_windows(work: Workload) -> bool:
    """Whether the engine drops what a sliding layer no longer looks at."""
    numbers, sliding = constants().kv, work.shape.sliding
    mixed = sliding is not None and sliding.local_layers < work.shape.attention_layers
    if work.engine in numbers.windows_ignored or (not mixed and work.engine in numbers.windows_only_mixed):
        return False
    since = numbers.windows_mixed_since.get(work.engine)
    return not (mixed and since and work.version and work.version < (version_numbers(since) or ()))


def _layers_on_one(work: Workload) -> tuple[float, float]:
    """(caching layers of the fullest stage, share of their heads one GPU keeps)."""
    shape = work.shape
    caching = max(shape.attention_layers, 0)
    if work.engine in EVEN_LAYERS:
        return caching, 1 / (work.pipeline * work.tensor)
    return -(-caching // work.pipeline), 1.0


def _width(
    work: Workload, kv_heads: int, head_dim: int
) -> tuple[float, str, dict[str, int | float | str | bool | None]]:
    """Elements a token and layer, on one GPU.

    Keys and values: 2 · kv_heads · head_dim, heads divided by tensor parallelism but never below one.
    Latent attention: kv_lora_rank + qk_rope_dim, the same on every GPU (arXiv:2405.04434).
    """
    shape = work.shape
    if shape.latent and work.engine not in LATENT_EXPANDED:
        latent = shape.latent
        inputs: dict[str, int | float | str | bool | None] = {
            "kv_lora_rank": latent.kv_lora_rank,
            "qk_rope_dim": latent.qk_rope_dim,
        }
        formula = "layers · (kv_lora_rank + qk_rope_dim) · tokens · sequences · bytes_per_element"
        return latent.kv_lora_rank + latent.qk_rope_dim, formula, inputs
    split = 1 if work.engine in EVEN_LAYERS else work.tensor
    heads = max(-(-kv_heads // split), 1)
    if shape.latent:
        latent = shape.latent
        heads = max(-(-shape.heads // split), 1)
        wide = latent.qk_nope_dim + latent.qk_rope_dim + latent.v_head_dim
        return (
            heads * wide,
            "layers · heads · key_and_value_dim · tokens · sequences · bytes_per_element",
            {"heads": heads, "key_and_value_dim": wide},
        )
    return (
        2 * heads * head_dim,
        "2 · layers · kv_heads · head_dim · tokens · sequences · bytes_per_element",
        {"kv_heads": heads, "head_dim": head_dim},
    )


def _with_share(formula: str, share: float) -> str:
    return formula if share == 1 else f"{formula} · share"


def _tidy(value: float) -> int | float:
    return int(value) if float(value).is_integer() else round(value, 2)
