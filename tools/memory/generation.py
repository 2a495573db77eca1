"""Generation without a serving engine: Transformers' `generate()`, AutoAWQ's fused modules, LitGPT."""

from kb.constants.memory_constants import constants
from tools.memory.kv import kv_bytes
from tools.memory.term import Phase, Term, constant
from tools.memory.workload import Workload


def transformers_phases(work: Workload, held: tuple[Term, ...]) -> tuple[Phase, ...]:
    """Decoding holds the whole cache; prefill a part of it and the activations of the prompt."""
    engine, shape = constants().transformers, work.shape
    last = {"sequences": work.sequences, "vocab_size": shape.vocab}
    source = engine.source
    kept = (
        *held,
        constant("framework", "CUDA context", engine.context_bytes, source),
        Term("logits", "Logits of the last tokens", 6 * work.sequences * shape.vocab,
             "6 · sequences · vocab_size", last, source),
        *(_fused_copies(work) if fused(work) else _cache_copies(work)),
    )  # fmt: skip
    return (Phase("decode", kept), Phase("prefill", (*kept, *_prefill(work))))


def fused(work: Workload) -> bool:
    """Whether AutoAWQ's fused modules run it: their own attention rules Flash Attention out."""
    return work.format.name == "awq" and not work.flash_stated


def _prefill(work: Workload) -> tuple[Term, ...]:
    """What prefill holds beyond the part of the cache that is still empty.

    tokens · 2 · (3 · intermediate + 4 · hidden); attention that is not fused adds scores of 2 + 4 bytes for every
    pair of tokens and head, and code of that age computes logits of the whole prompt: 6 bytes a token and word.
    """
    engine, shape = constants().transformers, work.shape
    prompt = min(work.context // 2, engine.prompt_tokens_at_most)
    tokens, width = prompt * work.sequences, feed_forward_width(work)
    size: float = tokens * 2 * (3 * width + 4 * shape.hidden)
    formula = "tokens · 2 · (3 · intermediate + 4 · hidden_size)"
    waiting = (1 - prompt / work.context) * kv_bytes(work) if work.context else 0.0
    inputs = {"tokens": tokens, "intermediate": width, "hidden_size": shape.hidden, "cache_not_filled": round(waiting)}
    if fused(work) or not work.flash:
        pairs = 6.0 * tokens * (shape.heads * prompt + shape.vocab)
        # Never more than the format saves: nobody would take a format that needs more than 16 bits.
        size += min(pairs, _saved(work)) if fused(work) else pairs
        formula += " + 6 · tokens · (heads · prompt + vocab_size)"
        inputs |= {"heads": shape.heads, "prompt": prompt, "vocab_size": shape.vocab}
    label = "Prefill beyond the cache still empty"
    return (
        Term("activations", label, max(size - waiting, 0.0), f"{formula} − cache_not_filled", inputs, engine.source),
    )


def _saved(work: Workload) -> float:
    """Bytes the format saves on layer matrices against 16 bits, without the copies that fusing keeps."""
    shape, bits = work.shape, work.format.body_bits
    saved = (shape.body_params + shape.expert_params) * (16 - bits) / 8
    return max(saved - sum(term.bytes for term in _fused_copies(work)), 0.0)


def _fused_copies(work: Workload) -> tuple[Term, ...]:
    """Fused modules join query, key and value matrices and keep the separate ones: layers · h · (q + 2·k) · bits / 8.

    Older blocks without a gate come with the three joined.
    """
    shape = work.shape
    if not shape.gated:
        return ()
    params = shape.layers * shape.hidden * shape.head_dim * (shape.heads + 2 * shape.kv_heads)
    params //= work.pipeline * work.tensor
    inputs = {"params": params, "bits": work.format.body_bits}
    source = constants().transformers.source
    return (
        Term(
            "buffers",
            "Separate query, key and value matrices",
            params * work.format.body_bits / 8,
            "params · bits / 8",
            inputs,
            source,
        ),
    )


def _cache_copies(work: Workload) -> tuple[Term, ...]:
    """A cache that grows by concatenation: its former self, or what the allocator cannot give back of it."""
    engine, cache = constants().transformers, kv_bytes(work)
    if work.flash_stated:
        ratio, part, label = engine.cache_slack_ratio, "fragmentation", "Freed caches"
    else:
        ratio, part, label = engine.cache_copy_ratio, "buffers", "Cache copied while it grows"
    inputs = {"ratio": ratio, "kv_cache": round(cache)}
    return (Term(part, label, ratio * cache, "ratio · kv_cache", inputs, engine.source),)  # type: ignore[arg-type]


def feed_forward_width(work: Workload) -> int:
    """Feed-forward width of the widest matrices a token passes."""
    shape = work.shape
    if shape.experts is None:
        return shape.intermediate
    experts = shape.experts
    shared = experts.shared_intermediate_size or experts.shared_experts * experts.expert_intermediate_size
    return max(experts.expert_intermediate_size, shared, shape.intermediate if experts.dense_layers else 0)


def litgpt_phases(work: Workload, held: tuple[Term, ...]) -> tuple[Phase, ...]:
    """Loading a quantised model holds its largest matrix, the output head, at 32 bits for a moment."""
    engine, shape = constants().litgpt, work.shape
    context = constant("framework", "CUDA context", engine.context_bytes, engine.source)
    serving = Phase("serving", (*held, context))
    if not work.format.quantised:
        return (serving,)
    table = shape.vocab * shape.hidden
    inputs = {"vocab_size": shape.vocab, "hidden_size": shape.hidden}
    loading = Term(
        "buffers",
        "Head at 32 bits while it is quantised",
        4 * table,
        "4 · vocab_size · hidden_size",
        inputs,
        engine.source,
    )
    return (serving, Phase("loading", (*held, context, loading)))
