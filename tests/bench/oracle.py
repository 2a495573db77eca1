"""Reconcile the calculator with real architectures that hold no weights: run it as a script.

Transformers builds every architecture on PyTorch's meta device, PEFT puts adapters on it, the cache is the one
`generate()` fills, and PyTorch's own memory tracker follows training steps over fake tensors. None of them knows
anything of our formulas or of any measurement.
"""

import os
import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import torch
import transformers
from peft import LoraConfig, get_peft_model
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed._tools.mem_tracker import MemTracker
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from kb.catalog import model as catalog_model
from kb.configs.model_config import shape_from_config
from kb.records.model import Model
from tools.memory.adapters import adapter_params
from tools.memory.kv import kv_bytes
from tools.memory.request import MemoryRequest
from tools.memory.shape import shape_from_model
from tools.memory.training import training_phases
from tools.memory.weights import serving_weights
from tools.memory.workload import Workload, workload_of

os.environ["TRANSFORMERS_SDPA_FORCE_GQA"] = (
    "1"  # over fake tensors it would repeat keys and values, which GPUs need not
)
TARGETS = {
    "qv": ["q_proj", "v_proj"],
    "attention": ["q_proj", "k_proj", "v_proj", "o_proj"],
    "all_linear": ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"],
}
PROMPT = 6_000
"""Tokens the cache is filled with: more than every window."""


class Row(NamedTuple):
    """One quantity of one model, theirs and ours."""

    what: str
    model: str
    real: float
    ours: float

    @property
    def error(self) -> float:
        """Relative to what the library does."""
        return self.ours / self.real - 1


class Architecture(NamedTuple):
    """A catalog model and the Transformers configuration that builds it."""

    id: str
    config: str
    extra: dict[str, Any] = {}  # noqa: RUF012 - a NamedTuple's default is shared, and nobody writes to it


ARCHITECTURES = (
    Architecture("meta-llama/Meta-Llama-3.1-8B", "LlamaConfig"),
    Architecture("meta-llama/Meta-Llama-3.1-70B", "LlamaConfig"),
    Architecture("meta-llama/Llama-3.2-1B", "LlamaConfig"),
    Architecture("Qwen/Qwen2.5-7B", "Qwen2Config"),
    Architecture("Qwen/Qwen2.5-72B", "Qwen2Config"),
    Architecture("Qwen/Qwen3-8B", "Qwen3Config"),
    Architecture("Qwen/Qwen3-0.6B", "Qwen3Config"),
    Architecture("Qwen/Qwen3-30B-A3B", "Qwen3MoeConfig"),
    Architecture("Qwen/Qwen3-235B-A22B", "Qwen3MoeConfig"),
    Architecture("mistralai/Mistral-7B-v0.1", "MistralConfig"),
    Architecture("mistralai/Mixtral-8x7B-v0.1", "MixtralConfig"),
    Architecture("google/gemma-2-9b", "Gemma2Config"),
    Architecture("google/gemma-2-27b", "Gemma2Config"),
    Architecture("google/gemma-3-1b-it", "Gemma3TextConfig"),
    Architecture("microsoft/Phi-3-mini-4k-instruct", "Phi3Config", {"pad_token_id": 0}),
    Architecture("deepseek-ai/DeepSeek-V3", "DeepseekV3Config", {"first_k_dense_replace": 3}),
    Architecture("openai/gpt-oss-20b", "GptOssConfig"),
)


def config_of(
    architecture: Architecture, layers: int | None = None, attention: str = "eager"
) -> transformers.PretrainedConfig:
    """Transformers' configuration of a catalog model, cut to `layers`."""
    row = catalog_model(architecture.id)
    fields: dict[str, Any] = {
        "hidden_size": row.hidden_size, "num_hidden_layers": layers or row.layers, "num_attention_heads": row.heads,
        "num_key_value_heads": row.kv_heads or row.heads, "head_dim": row.head_dim, "vocab_size": row.vocab_size,
        "intermediate_size": row.intermediate_size, "tie_word_embeddings": row.tied_embeddings,
        "max_position_embeddings": 131_072, "attn_implementation": attention,
    }  # fmt: skip
    if row.experts:
        experts = row.experts
        fields |= {
            "num_experts": experts.experts, "num_local_experts": experts.experts, "n_routed_experts": experts.experts,
            "num_experts_per_tok": experts.experts_per_token, "n_shared_experts": experts.shared_experts,
            "moe_intermediate_size": experts.expert_intermediate_size,
        }  # fmt: skip
        if row.intermediate_size is None:
            fields["intermediate_size"] = experts.expert_intermediate_size
    if row.latent:
        latent = row.latent
        fields |= {
            "kv_lora_rank": latent.kv_lora_rank, "q_lora_rank": latent.q_lora_rank,
            "qk_rope_head_dim": latent.qk_rope_dim, "qk_nope_head_dim": latent.qk_nope_dim,
            "v_head_dim": latent.v_head_dim, "head_dim": latent.qk_rope_dim,
        }  # fmt: skip
    if row.sliding:
        fields["sliding_window"] = row.sliding.window_tokens
    build = getattr(transformers, architecture.config)
    return build(**{key: value for key, value in (fields | architecture.extra).items() if value is not None})


def empty(config: transformers.PretrainedConfig) -> torch.nn.Module:
    """The model on the meta device: shapes without memory."""
    with torch.device("meta"):
        return transformers.AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)


def workload(model: Model, **fields: Any) -> Workload:
    """Our reading of a request, over the shape of `model`."""
    work, _, _ = workload_of(MemoryRequest.model_validate({"params": model.params, **fields}))
    return work._replace(shape=shape_from_model(model))


def weight_rows(architectures: tuple[Architecture, ...] = ARCHITECTURES) -> Iterator[Row]:
    """Parameter bytes at 16 bits: the real architecture's, the catalog's, and those counted from its configuration."""
    for architecture in architectures:
        config = config_of(architecture)
        real = sum(parameter.numel() for parameter in empty(config).parameters()) * 2
        work = workload_of(MemoryRequest(model=architecture.id, weight_format="bf16", engine="transformers"))[0]
        ours = sum(term.bytes for term in serving_weights(work))
        yield Row("weights, catalog", architecture.id, real, ours)
        yield Row("weights, config.json", architecture.id, real, shape_from_config(config.to_dict()).params * 2)


def adapter_rows(architectures: tuple[Architecture, ...] = ARCHITECTURES) -> Iterator[Row]:
    """Trainable parameters PEFT makes, by rank and targets, on dense decoders."""
    for architecture in architectures:
        if catalog_model(architecture.id).experts or architecture.config == "Phi3Config":
            continue  # experts are one fused parameter, Phi-3's matrices are joined: PEFT adapts other matrices there
        for targets, rank in (("qv", 8), ("attention", 32), ("all_linear", 64)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                adapted = get_peft_model(
                    empty(config_of(architecture)), LoraConfig(r=rank, target_modules=TARGETS[targets])
                )
            real = sum(parameter.numel() for parameter in adapted.parameters() if parameter.requires_grad)
            request = {"model": architecture.id, "task": "lora", "lora_rank": rank, "lora_targets": targets}
            work = workload_of(MemoryRequest.model_validate(request))[0]
            yield Row(f"adapters {targets} r={rank}", architecture.id, real, adapter_params(work))


def cache_rows(architectures: tuple[Architecture, ...] = ARCHITECTURES) -> Iterator[Row]:
    """Bytes of the cache that a forward pass fills, two layers of every kind, scaled to the model."""
    for architecture in architectures:
        row = catalog_model(architecture.id)
        config = config_of(architecture)
        cache = transformers.DynamicCache(config=config)
        for index in range(row.layers or 0):
            cache.update(*_new_keys_and_values(row, PROMPT), index)
        real = sum(layer.keys.nbytes + layer.values.nbytes for layer in cache.layers)
        work = workload_of(MemoryRequest(model=architecture.id, engine="transformers", context_tokens=PROMPT))[0]
        yield Row(f"cache of {PROMPT:,} tokens", architecture.id, real, kv_bytes(work))


def _new_keys_and_values(row: Model, tokens: int) -> tuple[torch.Tensor, torch.Tensor]:
    """What attention hands to the cache: whole heads, also where attention is latent."""
    widths = (row.head_dim or 0, row.head_dim or 0)
    heads = row.kv_heads or row.heads or 0
    if row.latent:
        widths = (row.latent.qk_nope_dim + row.latent.qk_rope_dim, row.latent.v_head_dim)
    keys, values = (torch.empty(1, heads, tokens, width, dtype=torch.bfloat16, device="meta") for width in widths)
    return keys, values


class Step(NamedTuple):
    """A training step to follow."""

    architecture: Architecture
    task: str
    checkpointing: bool
    layers: int = 4
    tokens: int = 2048
    batch: int = 1
    precision: str = "bf16_pure"
    attention: str = "flash"


STEPS = tuple(
    Step(architecture, task, checkpointing)
    for architecture in ARCHITECTURES
    if architecture.id
    in ("meta-llama/Meta-Llama-3.1-8B", "Qwen/Qwen2.5-7B", "Qwen/Qwen3-8B", "mistralai/Mistral-7B-v0.1")
    for task in ("full_finetune", "lora")
    for checkpointing in (False, True)
) + (
    Step(ARCHITECTURES[0], "full_finetune", True, tokens=8192),
    Step(ARCHITECTURES[2], "full_finetune", False, tokens=512, batch=4),
    Step(ARCHITECTURES[6], "lora", False, tokens=1024, batch=8),
    Step(ARCHITECTURES[0], "full_finetune", False, layers=32),
    Step(ARCHITECTURES[0], "lora", True, layers=32, tokens=4096),
    Step(ARCHITECTURES[4], "lora", True, layers=80),
    Step(ARCHITECTURES[0], "full_finetune", False, tokens=1024, attention="eager"),
    Step(ARCHITECTURES[0], "lora", True, attention="eager"),
    Step(ARCHITECTURES[11], "full_finetune", False, tokens=1024, attention="eager"),
    Step(ARCHITECTURES[7], "full_finetune", True, tokens=1024),
    Step(ARCHITECTURES[15], "full_finetune", False, layers=3, tokens=1024),
    Step(ARCHITECTURES[14], "full_finetune", False, tokens=1024),
    Step(ARCHITECTURES[13], "full_finetune", False, layers=6),
    Step(ARCHITECTURES[13], "lora", True, layers=6),
    *(
        Step(ARCHITECTURES[0], task, checkpointing, precision=precision)
        for precision in ("bf16", "fp32")
        for task in ("full_finetune", "lora")
        for checkpointing in (False, True)
        if (precision, task) != ("fp32", "lora")
    ),
)


def followed(step: Step) -> dict[str, float]:
    """Peak bytes of forward and backward, and the bytes AdamW's states take, by PyTorch's memory tracker."""
    config = config_of(step.architecture, step.layers, "sdpa" if step.attention == "flash" else "eager")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = _prepared(step, config)
    with warnings.catch_warnings(), FakeTensorMode():
        warnings.simplefilter("ignore")
        model._apply(lambda tensor: torch.empty(tensor.shape, dtype=tensor.dtype))
        if config.tie_word_embeddings:
            model.get_output_embeddings().weight = model.get_input_embeddings().weight
        if step.checkpointing:
            model.gradient_checkpointing_enable({"use_reentrant": False})
            model.enable_input_require_grads()
        model.train()
        live = LiveBytes()
        live.see(*model.parameters())
        with live:
            _pass(model, config, step)
        peaks = {"forward and backward": live.peak}
        if step.task != "lora":  # the tracker wants a gradient of every parameter
            model.zero_grad()
            tracker = MemTracker()
            tracker.track_external(model)
            with tracker:
                _pass(model, config, step)
            peaks["forward and backward (MemTracker)"] = next(iter(tracker.get_tracker_snapshot("peak").values()))[
                "Total"
            ]
        trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
        optimizer = torch.optim.AdamW(trained, foreach=False)
        optimizer.step()
        states = sum(
            tensor.numel() * tensor.element_size()
            for state in optimizer.state.values()
            for tensor in state.values()
            if tensor.dim()
        )
    return {**peaks, "optimizer states": states}


def _prepared(step: Step, config: transformers.PretrainedConfig) -> Any:
    """The model of a step on the meta device, with adapters and with its trained parameters in their precision."""
    model: Any = empty(config)
    if step.task == "lora":
        adapters = LoraConfig(r=16, target_modules=TARGETS["all_linear"])
        model = get_peft_model(model, adapters, autocast_adapter_dtype=False).to(torch.bfloat16)
    for parameter in model.parameters():
        if step.precision != "bf16_pure" and parameter.requires_grad:
            parameter.data = parameter.data.float()
    return model


def _pass(model: torch.nn.Module, config: transformers.PretrainedConfig, step: Step) -> None:
    """Forward and backward; the output stays alive, as a training loop keeps it to read the loss."""
    ids = torch.randint(0, config.vocab_size, (step.batch, step.tokens))
    with torch.autocast("cpu", torch.bfloat16, enabled=step.precision == "bf16"):
        output = model(input_ids=ids, labels=ids, use_cache=False)
    output.loss.backward()


class LiveBytes(TorchDispatchMode):
    """Bytes of the storages alive, and the most there ever were: a storage counts until nothing refers to it."""

    def __init__(self) -> None:
        super().__init__()
        self.now = self.peak = 0
        self._seen: set[int] = set()

    def see(self, *tensors: torch.Tensor) -> None:
        """Count the storages of these tensors, each once."""
        for tensor in tensors:
            storage = tensor.untyped_storage()
            if id(storage) not in self._seen:
                self._seen.add(id(storage))
                self.now += storage.nbytes()
                weakref.finalize(storage, self._forget, id(storage), storage.nbytes())
        self.peak = max(self.peak, self.now)

    def _forget(self, key: int, size: int) -> None:
        self._seen.discard(key)
        self.now -= size

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = function(*args, **(kwargs or {}))
        self.see(*(leaf for leaf in tree_leaves(result) if isinstance(leaf, torch.Tensor)))
        return result


def predicted(step: Step) -> dict[str, float]:
    """The same by our formulas: phases without optimizer, framework and slack."""
    model = shape_from_config(config_of(step.architecture, step.layers).to_dict())
    work = workload(
        model, task=step.task, engine="peft", precision=step.precision, weight_format="bf16",
        micro_batch_size=step.batch,
        sequence_tokens=step.tokens, gradient_checkpointing=step.checkpointing, lora_rank=16, lora_targets="all_linear",
        attention=step.attention,
    )  # fmt: skip
    phases = training_phases(work)
    states = {"optimizer"} if step.task != "lora" else set()
    skipped = {"framework", "fragmentation"} | states
    # The loop keeps the model's output, logits and all, until the step is over.
    output = step.batch * step.tokens * model.vocab_size * (4 if step.precision == "fp32" else 2)
    peaks = {
        phase.name: sum(term.bytes for term in phase.terms if term.part not in skipped and "states" not in term.label)
        + (output if not any(term.part == "logits" for term in phase.terms) else 0)
        for phase in phases
        if phase.name != "optimizer step"
    }
    held = sum(term.bytes for term in phases[0].terms if "states" in term.label.lower())
    peak = max(peaks.values())
    return {"forward and backward": peak, "forward and backward (MemTracker)": peak, "optimizer states": held}


def step_rows(steps: tuple[Step, ...] = STEPS) -> Iterator[Row]:
    """Training steps, followed and predicted."""
    for step in steps:
        real, ours = followed(step), predicted(step)
        recomputing = "checkpointed" if step.checkpointing else "plain"
        name = f"{step.architecture.id}, {step.layers} layers, {step.batch} × {step.tokens}, {step.precision}"
        for what in real:
            yield Row(f"{step.task}, {recomputing}: {what}", name, real[what], ours[what])


SECTIONS: dict[str, Callable[[], Iterator[Row]]] = {
    "parameters": weight_rows,
    "adapters": adapter_rows,
    "cache": cache_rows,
    "training steps": step_rows,
}


def main() -> None:
    """Print every section, real beside ours."""
    transformers.logging.set_verbosity_error()
    for title, rows in SECTIONS.items():
        print(f"\n{title:<52}{'model':<62}{'library':>16}{'ours':>16}{'error':>9}")
        errors = []
        for row in rows():
            errors.append(abs(row.error))
            print(f"{row.what:<52}{row.model:<62}{row.real:>16,.0f}{row.ours:>16,.0f}{row.error:>+9.2%}")
        print(f"{'median, largest':<52}{'':<62}{sorted(errors)[len(errors) // 2]:>32.2%}{max(errors):>9.2%}")


if __name__ == "__main__":
    main()
