"""Questions for load: popular ones that recur, and ever new ones made of the same parts."""

import random
from collections.abc import Iterator

POPULAR = (
    "4 张 3090 能跑 Qwen2.5-72B 吗？",
    "What GPU do I need to QLoRA Llama-3.1-70B at 4k context?",
    "预算 50 万人民币，想全参微调 13B 模型，买什么服务器？",
    "Cheapest cloud instance to serve Llama-3.1-8B to 50 concurrent users with 8k context?",
    "DeepSeek-R1 满血版用 8 张 H100 能部署吗？",
    "Does the RTX 6000 Ada support NVLink?",
    "4090 or A6000 for LoRA on a 13B?",
    "我只有一张 24G 的卡，能微调多大的模型？",
    "Can 2x A100 80GB serve Mixtral 8x7B to 30 users?",
    "CUDA out of memory when fine-tuning Qwen2.5-7B on a 4090, what now?",
    "H20 和 H100 跑推理差多少?",
    "微调 Qwen2.5-7B 需要什么显卡?预算 3 万元",
    "Is PCIe enough between two 3090 cards for tensor parallel inference?",
    "单机 8 卡 4090 做推理要注意什么?",
)
MODELS = ("Qwen2.5-7B", "Qwen2.5-72B", "Llama-3.1-8B", "Llama-3.1-70B", "Mixtral-8x7B", "Qwen2.5-32B", "DeepSeek-V3")
CARDS = ("3090", "4090", "L40S", "A100 80GB", "H100", "RTX 6000 Ada", "H20", "H200")
FORMS = (
    "Can {count}×{card} run {model} for {users} users at {context} tokens?",
    "{count} 张 {card} 能给 {users} 个用户跑 {model} 吗？上下文 {context}",
    "What do I need to serve {model} to {users} concurrent users with {context} context?",
    "{model} 做 LoRA 微调，序列 {context}，要几张 {card}？",
    "How fast is {model} on {count} {card} with {context} tokens of context?",
    "预算 {budget} 元，跑 {model}，{users} 个并发，买什么卡？",
)


def recurring(seed: int) -> Iterator[str]:
    """The popular questions in random order, for ever."""
    order = random.Random(seed)
    while True:
        yield order.choice(POPULAR)


def novel(seed: int) -> Iterator[str]:
    """Questions that hardly ever recur: two of a thousand share their numbers."""
    parts = random.Random(seed)
    while True:
        yield parts.choice(FORMS).format(
            count=parts.choice((1, 2, 4, 8)), card=parts.choice(CARDS), model=parts.choice(MODELS),
            users=parts.randrange(1, 300), context=parts.randrange(1000, 32000), budget=parts.randrange(20, 900) * 1000,
        )  # fmt: skip
