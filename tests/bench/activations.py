"""Count what autograd saves in real, randomly initialised models, and compare with the formula: run it as a script.

PyTorch's saved-tensor hooks see every tensor kept for backward; storages are counted once, parameters not at all.
Two depths are measured, so that embeddings, the final norm and the loss cancel.
"""

import torch
from transformers import LlamaConfig, LlamaForCausalLM, Qwen3Config, Qwen3ForCausalLM

from tools.memory.activations import per_token
from tools.memory.request import MemoryRequest
from tools.memory.workload import workload_of

TOKENS = 512
HIDDEN, HEADS, KV_HEADS, HEAD_DIM, WIDTH, VOCABULARY = 512, 8, 2, 64, 1536, 1000


def saved_bytes(model: torch.nn.Module) -> int:
    """Bytes of distinct storages saved by one forward pass, parameters excepted."""
    parameters = {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}
    kept: dict[int, torch.Tensor] = {}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        address = tensor.untyped_storage().data_ptr()
        if address not in parameters:
            kept[address] = tensor  # held, so that no later tensor reuses the address
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        model(torch.randint(0, VOCABULARY, (2, TOKENS // 2)), use_cache=False)
    return sum(tensor.untyped_storage().nbytes() for tensor in kept.values())


def measured(family: str, *, frozen: bool) -> float:
    """Bytes saved for a token and a layer."""
    config_class, model_class = {
        "llama": (LlamaConfig, LlamaForCausalLM),
        "qwen3": (Qwen3Config, Qwen3ForCausalLM),
    }[family]
    totals = []
    for layers in (2, 4):
        config = config_class(
            hidden_size=HIDDEN, num_hidden_layers=layers, num_attention_heads=HEADS, num_key_value_heads=KV_HEADS,
            head_dim=HEAD_DIM, intermediate_size=WIDTH, vocab_size=VOCABULARY, attn_implementation="sdpa",
        )  # fmt: skip
        model = model_class(config).to(torch.bfloat16).train()
        for parameter in model.parameters():
            parameter.requires_grad_(not frozen)
        model.get_input_embeddings().weight.requires_grad_(True)  # as adapters and checkpointing make it
        totals.append(saved_bytes(model))
    return (totals[1] - totals[0]) / 2 / TOKENS


def predicted(family: str, *, frozen: bool) -> float:
    """The formula for the same layer."""
    work, _, _ = workload_of(
        MemoryRequest(
            task="full_finetune", engine="transformers", precision="bf16_pure", params=10**7, layers=2,
            hidden_size=HIDDEN, heads=HEADS, kv_heads=KV_HEADS, head_dim=HEAD_DIM, intermediate_size=WIDTH,
            vocab_size=VOCABULARY, gradient_checkpointing="none",
        )
    )  # fmt: skip
    shape = work.shape.__class__(**{**_fields(work.shape), "qk_norm": family == "qwen3", "gated": True})
    work = work._replace(shape=shape)
    if frozen:
        # Adapters of rank zero on no matrix: only what a frozen layer saves.
        work = work._replace(task="lora", lora_rank=0, engine="fsdp", precision="bf16_pure", lora_targets="qv")
        return per_token(work).saved - 2 * HIDDEN
    return per_token(work).saved


def _fields(shape: object) -> dict[str, object]:
    return {name: getattr(shape, name) for name in shape.__slots__}  # type: ignore[attr-defined]


def main() -> None:
    """Print measured beside predicted."""
    print(f"{'model':<8}{'weights':<10}{'measured':>12}{'predicted':>12}{'error':>9}  bytes a token and layer")
    for family in ("llama", "qwen3"):
        for frozen in (False, True):
            real, ours = measured(family, frozen=frozen), predicted(family, frozen=frozen)
            label = "frozen" if frozen else "trained"
            print(f"{family:<8}{label:<10}{real:>12,.0f}{ours:>12,.0f}{ours / real - 1:>+9.1%}")


if __name__ == "__main__":
    main()
