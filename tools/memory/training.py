"""A training step: what is always held, and what each of its phases adds."""

from kb.constants.memory_constants import constants
from tools.memory.activations import MASTERS, activation_terms, autocasts_weights, logit_terms
from tools.memory.adapters import adapter_gradient_term, adapter_params, adapter_terms
from tools.memory.formats import weight_format
from tools.memory.result import PartName
from tools.memory.sharding import Counts, counts_on_one, own_counts, ranks_for
from tools.memory.term import Phase, Term
from tools.memory.weights import weight_bytes
from tools.memory.workload import Workload

SOURCE = "zero-paper"
SHARDED_MODEL = ("zero3", "fsdp")


def training_phases(work: Workload) -> tuple[Phase, ...]:
    """Forward's end, a layer's backward, backward's end, the optimizer's step: memory peaks in one of them.

    Gradients grow while activations shrink, so between the ends of forward and backward nothing exceeds both.
    """
    counts = counts_on_one(work)
    always = (*_model_states(work, counts), *_buffers(work, counts), *_framework(work))
    (saved, working), logits = activation_terms(work), logit_terms(work)
    persistent = _gradients(work, counts) if _keeps_gradients(work) or _accumulates(work) else ()
    if work.adapted and not persistent and work.offload != "all":
        persistent = (adapter_gradient_term(work),)  # small, and recipes with adapters accumulate
    gradients = _gradients(work, counts)
    copies = _autocast_copies(work, counts)
    forming = () if _keeps_gradients(work) or work.sharding not in SHARDED_MODEL else _one_gradient(work)
    phases = [
        Phase("end of forward", _slack(work, (*always, *copies, *persistent, *forming, *saved, *logits))),
        Phase("end of backward", (*always, *gradients, *_tied_gradients(work, counts))),
    ]
    if working:
        phases.append(
            Phase(
                "first layer's backward",
                _slack(work, (*always, *copies, *persistent, *saved, *working, *_one_gradient(work))),
            )
        )
    if work.sharding.startswith("zero") and work.engine != "megatron":
        phases.append(Phase("optimizer step", (*always, *gradients, _fp32_gradients(work, counts))))
    if work.adapted:
        stepping = adapter_gradient_term(work, constants().training.foreach_bytes)
        phases.append(Phase("optimizer step", (*always, stepping)))
    return tuple(phases)


def state_bytes(work: Workload) -> tuple[float, float, float]:
    """(weights, gradients, optimizer) bytes a trained parameter.

    pure 16 bit 2 + 2 + 2·states; fp32 4 + 4 + 8; mixed: 16-bit model, fp32 master and states (arXiv:1910.02054).
    """
    states = constants().training.optimizer_bytes[work.optimizer]
    wide = work.optimizer not in ("adamw_8bit", "paged_adamw_8bit", "adafactor")
    if work.precision == "fp32":
        return 4, 4, states
    if work.precision == "bf16_pure":
        return 2, 2, states / 2 if wide else states
    if work.engine in MASTERS:
        return 2, (4 if work.engine == "megatron" else 2), 4 + states
    return 4, 4, states


def _model_states(work: Workload, counts: Counts) -> tuple[Term, ...]:
    if work.adapted:
        return (*_frozen_base(work, counts), *adapter_terms(work))
    weight, _, optimizer = state_bytes(work)
    terms = []
    if work.offload != "all":
        terms.append(_shard(work, counts, "weights", "Weights", weight))
    if work.offload == "none" and work.optimizer != "paged_adamw_8bit":
        terms.append(_shard(work, counts, "optimizer", "Optimizer states", optimizer))
        if work.optimizer == "adamw_8bit":
            # Eight-bit optimizers leave embedding tables at 32 bits: 8 bytes instead of 2.
            tables = counts.embed + counts.head
            label = "Embedding states at 32 bits"
            terms.append(_state("optimizer", label, tables, 6, ranks_for(work, "optimizer")))
    return tuple(terms)


def _frozen_base(work: Workload, counts: Counts) -> tuple[Term, ...]:
    """Weights of the frozen base at their format; sharded like weights under ZeRO-3 and FSDP."""
    if work.offload == "all":
        return ()
    ranks, own, form = ranks_for(work, "weights"), own_counts(work, counts, "weights"), work.format
    held = weight_bytes(work, own)
    if work.engine == "torchtune" and work.lora_targets != "all_linear" and form.quantised:
        # Only modules with adapters are quantised, and attention as a whole.
        ratio = _attention_share(work)
        wide = weight_bytes_at(own, "bf16")
        held = wide - (wide - held) * ratio
    inputs = {"params": round(counts.total), "bits": round(held * 8 * ranks / max(counts.total, 1), 3), "ranks": ranks}
    label, formula = f"Frozen base ({form.name})", "params · bits / 8 / ranks"
    return (Term("weights", label, held, formula, inputs, constants().formats.source),)


def weight_bytes_at(counts: Counts, name: str) -> float:
    """Bytes of these parameters in another format."""
    form = weight_format(name)
    tables = counts.embed * form.embed_bits + counts.head * form.head_bits
    return (
        counts.body * form.body_bits + counts.experts * form.expert_bits + tables + counts.plain * form.plain_bits
    ) / 8


def _attention_share(work: Workload) -> float:
    shape = work.shape
    attention = 2 * shape.hidden * shape.head_dim * (shape.heads + shape.kv_heads) * shape.layers
    return min(attention / max(shape.body_params + shape.expert_params, 1), 1.0)


def _gradients(work: Workload, counts: Counts) -> tuple[Term, ...]:
    if work.offload == "all":
        return ()
    if work.adapted:
        return (adapter_gradient_term(work),)
    if _accumulates_whole(work):
        return (_state("gradients", "Gradients of the whole stage", counts.total, state_bytes(work)[1], 1),)
    if work.optimizer_in_backward:
        return _one_gradient(work)
    return (_shard(work, counts, "gradients", "Gradients", state_bytes(work)[1]),)


def _one_gradient(work: Workload) -> tuple[Term, ...]:
    """The largest gradient alive before it is reduced, applied or accumulated: a layer's or a table's."""
    if work.adapted:
        return ()
    shape, width = work.shape, state_bytes(work)[1]
    largest = max(_layer_params(work), shape.embed_params, shape.head_params) / work.tensor
    inputs = {"params": round(largest), "bytes": width}
    return (Term("gradients", "Largest gradient", largest * width, "params · bytes", inputs, SOURCE),)


def _tied_gradients(work: Workload, counts: Counts) -> tuple[Term, ...]:
    """A tied table's gradient comes in two parts, as head and as embedding, which autograd adds into a third."""
    if work.adapted or counts.head or not work.shape.tied or work.offload == "all":
        return ()
    width = state_bytes(work)[1]
    inputs = {"table_params": round(counts.embed), "bytes": width}
    label, formula = "Parts of the tied table's gradient", "2 · table_params · bytes"
    return (Term("gradients", label, 2 * counts.embed * width, formula, inputs, SOURCE),)


def _keeps_gradients(work: Workload) -> bool:
    """DeepSpeed and Megatron keep their gradient buffers from step to step; otherwise they are freed after each.

    DDP keeps its buckets besides (`_buffers`).
    """
    return work.sharding in ("zero1", "zero2") or work.engine == "megatron" or _accumulates_whole(work)


def _accumulates(work: Workload) -> bool:
    """Whether gradients of earlier micro-batches are held from a step's second forward on.

    Parameters that step in their own backward have none left to add to.
    """
    return work.accumulation > 1 and not work.optimizer_in_backward


def _accumulates_whole(work: Workload) -> bool:
    """FSDP reduces a pipeline stage's gradients once, after its last microbatch: until then they are whole."""
    return work.sharding == "fsdp" and work.pipeline > 1 and not work.adapted


def _buffers(work: Workload, counts: Counts) -> tuple[Term, ...]:
    training = constants().training
    terms: list[Term] = []
    if work.engine == "deepspeed" or (work.sharding.startswith("zero") and work.engine != "megatron"):
        elements, buckets = training.deepspeed_bucket_elements, training.deepspeed_buckets
        elements = training.zero3_bucket_elements if work.sharding == "zero3" else elements
        terms.append(
            Term("buffers", "DeepSpeed buckets", elements * buckets * 2, "buckets · elements · 2",
                 {"buckets": buckets, "elements": elements}, training.source)
        )  # fmt: skip
    if work.sharding == "zero3":
        terms += _gathered_by_zero3(work, counts)
    if work.offload == "all" or (work.sharding == "fsdp" and work.data * work.context_split > 1):
        terms.append(_gathered(work, counts))
    if work.sharding == "ddp" and work.data > 1 and not work.adapted:
        terms.append(_state("buffers", "DDP buckets", counts.total, state_bytes(work)[1], 1))
    return tuple(terms)


def _layer_params(work: Workload) -> float:
    """Parameters of one layer that a GPU computes with: all of it, but only its own experts."""
    shape = work.shape
    return (shape.body_params + shape.expert_params / work.expert) / shape.layers


def _autocast_copies(work: Workload, counts: Counts) -> tuple[Term, ...]:
    """Autocast casts fp32 matrices to 16 bits in forward and keeps the copies until each layer's backward is done.

    A table that is only looked up is no matrix product: it is not cast unless it serves as the head too.
    """
    if not autocasts_weights(work):
        return ()
    cast = counts.total - (counts.embed if counts.head else 0)
    return (_state("buffers", "Autocast's 16-bit copies", cast, 2, 1),)


def _gathered_by_zero3(work: Workload, counts: Counts) -> list[Term]:
    """ZeRO-3 keeps up to its live limit gathered, or two layers where they are larger, and one table.

    Shard and gathered parameters together never exceed the whole model.
    """
    training = constants().training
    source, slack = training.source, training.zero3_slack_ratio
    ranks = ranks_for(work, "weights")
    # A lone rank gathers from itself: its shard is the model, and the copies come on top.
    wanted = max(training.zero3_live_params, 2 * _layer_params(work) / work.tensor) + counts.embed
    most = (counts.total - own_counts(work, counts, "weights").total) / (1 + slack) if ranks > 1 else counts.total
    live = min(wanted, most)
    inputs = {"live_params": round(live)}
    held = {"ratio": slack, "gathered": round(live * 2)}
    return [
        Term("buffers", "Parameters gathered by ZeRO-3", live * 2, "live_params · 2", inputs, source),
        Term("fragmentation", "Slack of gathering", slack * live * 2, "ratio · gathered", held, source),
    ]


def _fp32_gradients(work: Workload, counts: Counts) -> Term:
    """DeepSpeed steps in fp32: the rank's own gradients, in ZeRO-3 one sub-group of them, at 32 bits."""
    training = constants().training
    params = float(adapter_params(work)) if work.adapted else counts.total
    own = params / ranks_for(work, "optimizer")
    stepped = min(own, training.zero3_sub_group_params) if work.sharding == "zero3" else own
    inputs = {"params": round(stepped)}
    return Term("gradients", "Gradients at 32 bits for the step", stepped * 4, "params · 4", inputs, training.source)


def _gathered(work: Workload, counts: Counts) -> Term:
    """FSDP gathers the running layer, prefetches the next, and one table at a time; never more than is missing."""
    training = constants().training
    bits = work.format.expert_bits if work.adapted and work.format.quantised else 16
    layers, table = training.fsdp_unsharded_layers, max(counts.embed, counts.head)
    ranks = ranks_for(work, "weights") if work.offload != "all" else 10**9
    missing = counts.total * (1 - 1 / ranks) * bits / 8
    if work.expert > 1 and work.offload != "all":
        missing = (counts.total - own_counts(work, counts, "weights").total) * bits / 8
    layer = _layer_params(work)
    wanted = layers * layer / work.tensor * bits / 8 + table * 2
    if work.pipeline > 1 and work.offload != "all":
        wanted = missing  # a pipeline stage stays gathered from one microbatch to the next
    size = min(wanted, missing)
    inputs = {"layers": layers, "layer_params": round(layer), "tensor_parallel": work.tensor, "bits": bits,
              "table_params": round(table), "missing_bytes": round(missing)}  # fmt: skip
    formula = "min(layers · layer_params / tensor_parallel · bits / 8 + table_params · 2, missing_bytes)"
    return Term("buffers", "Layers and tables gathered by FSDP", size, formula, inputs, training.source)


def _framework(work: Workload) -> tuple[Term, ...]:
    training = constants().training
    terms = [Term("framework", "Driver context and libraries", training.context_bytes, "context",
                  {"context": training.context_bytes}, training.source)]  # fmt: skip
    if work.gpus > 1:
        nccl = training.nccl_bytes
        terms.append(Term("framework", "NCCL", nccl, "nccl", {"nccl": nccl}, training.source))
    return tuple(terms)


def _slack(work: Workload, terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """What the caching allocator holds beyond the tensors: a share of what comes and goes."""
    training = constants().training
    moving = sum(term.bytes for term in terms if term.part in ("activations", "logits"))
    ratio, base = training.fragmentation_ratio, training.slack_bytes
    inputs = {"ratio": ratio, "moving_bytes": round(moving), "base": base}
    formula = "ratio · moving_bytes + base"
    slack = Term("fragmentation", "Allocator slack", ratio * moving + base, formula, inputs, training.source)
    return (*terms, slack)


def _shard(work: Workload, counts: Counts, state: PartName, label: str, width: float) -> Term:
    """A GPU's share of weights, gradients or optimizer states."""
    ranks = ranks_for(work, state)
    if work.expert == 1 or ranks == 1:
        return _state(state, label, counts.total, width, ranks)
    inputs = {"params": round(counts.total - counts.experts), "ranks": ranks, "expert_params": round(counts.experts),
              "expert_ranks": max(ranks // work.expert, 1), "bytes": width}  # fmt: skip
    formula = "(params / ranks + expert_params / expert_ranks) · bytes"
    return Term(state, label, own_counts(work, counts, state).total * width, formula, inputs, SOURCE)


def _state(part: str, label: str, params: float, width: float, ranks: int) -> Term:
    inputs = {"params": round(params), "bytes": width, "ranks": ranks}
    return Term(part, label, params * width / ranks, "params · bytes / ranks", inputs, SOURCE)  # type: ignore[arg-type]
