"""Models that generate no tokens: BERT-like encoders, embedding models, rerankers."""

from kb.constants.memory_constants import constants
from tools.memory.generation import feed_forward_width
from tools.memory.kv import kv_terms
from tools.memory.serving import serving_phases
from tools.memory.term import Phase, Term
from tools.memory.weights import serving_weights
from tools.memory.workload import Workload


def encoder_phases(work: Workload) -> tuple[Phase, ...]:
    """Weights, the activations of one layer at a time, and the context; no cache grows."""
    if not work.shape.hidden:
        return (Phase("running", (_weights(work), _context(work))),)
    return (Phase("running", (_weights(work), *_layer(work), _context(work))),)


def is_decoder(work: Workload) -> bool:
    """Whether an embedding model is really a decoder with grouped-query attention."""
    return work.shape.kind in ("embedding", "reranker") and work.shape.attention in ("gqa", "mqa")


def decoder_phases(work: Workload) -> tuple[Phase, ...]:
    """An embedding decoder serves like any other, without sampling: the prefill alone, and nothing grows after it."""
    if work.engine != "transformers":
        return serving_phases(work)[:1]
    return (Phase("running", (*serving_weights(work), *kv_terms(work), *_decoder_layer(work), _context(work))),)


def _decoder_layer(work: Workload) -> tuple[Term, ...]:
    """Widest tensors of one layer's forward pass: tokens · 2 · (3 · intermediate + 4 · hidden)."""
    tokens, width = work.context * work.sequences, feed_forward_width(work)
    size = tokens * 2 * (3 * width + 4 * work.shape.hidden)
    inputs = {"tokens": tokens, "intermediate": width, "hidden_size": work.shape.hidden}
    formula = "tokens · 2 · (3 · intermediate + 4 · hidden_size)"
    return (Term("activations", "One layer's tensors", size, formula, inputs, constants().encoder.source),)


def _weights(work: Workload) -> Term:
    """All parameters at the format; llama.cpp leaves the token table in host memory."""
    shape, bits = work.shape, work.format.body_bits
    params = shape.params - (shape.embed_params if work.engine == "llama.cpp" else 0)
    wide = 0 if work.engine == "llama.cpp" else shape.embed_params
    size = ((params - wide) * bits + wide * max(work.format.embed_bits, bits)) / 8
    inputs = {"params": params, "bits": round(size * 8 / params, 3)}
    if work.pipeline > 1:
        inputs["cards"] = work.pipeline
    formula = "params · bits / 8 / cards" if work.pipeline > 1 else "params · bits / 8"
    return Term("weights", "Weights", size / work.pipeline, formula, inputs, constants().formats.source)


def _layer(work: Workload) -> tuple[Term, ...]:
    """One layer's tensors: tokens · (8·h + 2·f) · bytes, and attention scores where attention is not fused."""
    numbers, shape = constants().encoder, work.shape
    e = 4 if work.format.name == "fp32" else 2
    length = work.context or 512
    tokens = length * work.sequences
    if work.engine == "llama.cpp":
        tokens = min(tokens, work.ubatch or constants().llama_cpp.ubatch_tokens)
    scores = 0 if work.flash or work.engine == "llama.cpp" else 2 * shape.heads * length * e
    width = (8 * shape.hidden + 2 * shape.intermediate) * e + scores
    inputs = {"tokens": tokens, "bytes_per_token": width}
    return (
        Term("activations", "One layer's tensors", tokens * width, "tokens · bytes_per_token", inputs, numbers.source),
    )


def _context(work: Workload) -> Term:
    size = constants().llama_cpp.context_bytes if work.engine == "llama.cpp" else constants().encoder.context_bytes
    return Term("framework", "CUDA context", size, "context", {"context": size}, constants().encoder.source)
