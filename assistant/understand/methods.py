"""Ways to train, to serve and to spread a model, as far as a question may be about them rather than about hardware."""

from assistant.understand.text import grammar

_METHOD = grammar(
    r"(?<![a-z])(?:zero[- ]?(?:stage[- ]?)?[123]|fsdp2?|ddp|deepspeed|megatron|tensor[- ]parallel\w{0,3}"
    r"|pipeline[- ]parallel\w{0,3}|data[- ]parallel\w{0,3}|expert[- ]parallel\w{0,3}|context[- ]parallel\w{0,3}"
    r"|tp|pp|dp|ep|(?:q|rs)?-?lora|dora|p-?tuning|gradient (?:checkpointing|accumulation)|activation checkpointing"
    r"|flash[- ]?attention|paged[- ]?attention|speculative decoding|continuous batching|chunked prefill|prefix caching"
    r"|gpu_memory_utilization|max_model_len|max_num_seqs|enforce_eager|kv[- ]?cache|cuda graphs?|offload\w{0,3}"
    r"|vllm|sglang|ollama|llama\.?cpp|tgi|lmdeploy|tensorrt-?llm|prefill|decode|quanti[sz]ation|imatrix)(?![a-z])"
    r"|张量并行|流水线并行|数据并行|专家并行|序列并行|上下文并行|梯度检查点|重计算|梯度累积|投机(?:采样|解码)"
    r"|连续批处理"
    r"|(?<![a-z])(?:vgpu|pass-?through|time[- ]?slic\w{2,3}|containers?|docker|virtual machines?|vms?)(?![a-z])"
    r"|直通|时间片|容器|虚拟机|裸金属|物理机"
    r"|前缀缓存|分页注意力|量化|蒸馏|全参|全量微调"
)


def find_methods(text: str) -> set[str]:
    """The different methods named in the masked text."""
    return {match[0] for match in _METHOD.finditer(text)}
