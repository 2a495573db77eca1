"""Forty problems as buyers state them, for times and for reading: a model or a kind of work, a load, money, a place."""

from typing import Any

DAY_S = 86400.0


def money(amount: float, currency: str = "USD", mode: str | None = None, period: str | None = None) -> dict[str, Any]:
    """A budget."""
    return {"amount": amount, "currency": currency, "mode": mode, "period": period}


SERVED: tuple[dict[str, Any], ...] = (
    {"model": "Qwen3-32B", "concurrent_sequences": 40, "context_tokens": 16384, "budget": money(25_000)},
    {"model": "Llama-3.3-70B-Instruct", "budget": money(50_000, "CNY")},
    {"model": "Qwen3-32B", "budget": money(200_000, "CNY")},
    {"model": "Llama-3.3-70B-Instruct", "users": 15, "budget": money(20_000)},
    {"model": "Qwen3-8B", "concurrent_sequences": 1, "budget": money(1_000, "EUR"), "target_tokens_per_s": 5.0},
    {"model": "DeepSeek-R1", "concurrent_sequences": 20, "context_tokens": 16384, "country": "CN"},
    {"model": "Kimi-K2-Instruct", "concurrent_sequences": 20, "context_tokens": 131072},
    {"model": "Llama-3.3-70B-Instruct", "concurrent_sequences": 150, "context_tokens": 6400, "target_latency_s": 2.0},
    {"model": "GLM-4.5-Air", "concurrent_sequences": 4, "budget": money(6_000)},
    {"model": "Qwen3-30B-A3B", "users": 50, "context_tokens": 8192, "budget": money(80_000, "CNY", "buy")},
    {"model": "gpt-oss-120b", "concurrent_sequences": 16, "budget": money(3_000, "USD", "rent", "month")},
    {"model": "gpt-oss-20b"},
    {"model": "Qwen3-235B-A22B", "concurrent_sequences": 8, "context_tokens": 32768},
    {"model": "Mixtral-8x7B-v0.1", "users": 100},
    {"model": "Qwen2.5-14B-Instruct", "concurrent_sequences": 10, "acquisition": "rent"},
    {"model": "Llama-3.1-8B-Instruct", "concurrent_sequences": 64, "target_tokens_per_s": 40.0},
    {"model": "Llama-3.1-405B", "acquisition": "rent"},
    {"model": "gemma-3-27b-it", "concurrent_sequences": 4, "objective": "quietest"},
    {"model": "Qwen2.5-72B-Instruct", "concurrent_sequences": 30, "context_tokens": 6144, "objective": "cheapest"},
    {"model": "Qwen2.5-Coder-32B-Instruct", "acquisition": "buy", "objective": "simplest"},
    {"model": "Llama-3.3-70B-Instruct", "concurrent_sequences": 8, "objective": "fastest", "budget": money(40_000)},
    {"model": "DeepSeek-V3", "concurrent_sequences": 256},
    {"model": "Qwen3-32B", "gpus_owned": ({"gpu": "rtx-3090-24gb", "count": 2},), "concurrent_sequences": 4},
    {"model": "Llama-3.3-70B-Instruct", "gpus_asked": ("l40s-48gb",), "users": 200},
    {"model": "Qwen3-32B", "engine": "llama.cpp", "budget": money(3_000)},
    {"model": "Qwen3-32B", "concurrent_sequences": 40, "context_tokens": 16384, "budget": money(3_000)},
    {"model": "Qwen2.5-VL-7B-Instruct", "concurrent_sequences": 8, "images_per_sample": 2},
    {"params": 13e9, "users": 300},
)
OTHERS: tuple[dict[str, Any], ...] = (
    {"task": "full_finetune", "params": 7e9, "budget": money(500_000, "CNY", "buy")},
    {"task": "lora", "model": "Qwen2.5-32B", "dataset_tokens": 135_000_000},
    {"task": "qlora", "model": "Llama-3.3-70B-Instruct", "dataset_tokens": 5_000_000, "acquisition": "rent"},
    {"task": "lora", "model": "Llama-3.1-8B", "budget": money(2_000)},
    {"task": "full_finetune", "model": "Llama-3.1-70B", "deadline_s": 14 * DAY_S, "dataset_tokens": 2 * 10**9},
    {"task": "pretrain", "model": "Llama-3.1-8B", "dataset_tokens": 10**12, "deadline_s": 90 * DAY_S},
    {"task": "diffusion", "budget": money(10_000, "CNY", "buy")},
    {"task": "diffusion", "model": "black-forest-labs/FLUX.1-dev", "users": 20},
    {"task": "speech", "concurrent_sequences": 100},
    {"task": "embedding", "users": 2000},
    {"task": "vision", "budget": money(300_000, "CNY", "buy")},
    {"task": "rag", "users": 300},
)
PROBLEMS = (*({"task": "inference", **one} for one in SERVED), *OTHERS)
