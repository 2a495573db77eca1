"""The configurator: time of realistic needs and where it goes, and agreement with brute force; run it as a script.

`python tests/bench/bench_configure.py [NEEDS]` asks NEEDS (200) random needs of brute force after the table of times.
"""

import random
import statistics
import sys
import time
from typing import Any

from configure_oracle import disagreement, random_need, rows_of

import tools.configure.pace.speeds as speeds
from tools.configure import configure
from tools.configure.load.cut import cuts_of
from tools.configure.request import ConfigureRequest
from tools.need import Budget, GpuCount

GOALS_S = {"ordinary": 0.060, "cluster": 0.250}


def ordinary() -> list[dict[str, Any]]:
    """Needs as people state them: a model, a load, sometimes money, sometimes cards they have."""
    yuan = Budget(amount=200_000, currency="CNY", mode="buy")
    dollars = Budget(amount=15_000, currency="USD", mode="buy")
    monthly = Budget(amount=3_000, currency="USD", mode="rent", period="month")
    needs: list[dict[str, Any]] = []
    for model in ("Llama-3.1-8B", "Qwen2.5-32B", "Qwen2.5-72B", "Mixtral-8x7B-v0.1", "gpt-oss-120b"):
        needs += [
            {"task": "inference", "model": model},
            {"task": "inference", "model": model, "users": 50, "context_tokens": 8192, "budget": yuan},
            {"task": "inference", "model": model, "concurrent_sequences": 16, "budget": monthly},
            {"task": "inference", "model": model, "gpus_owned": (GpuCount(gpu="rtx-3090-24gb", count=2),)},
        ]
    for task in ("full_finetune", "lora", "qlora"):
        for params in (7_000_000_000, 13_000_000_000, 32_000_000_000):
            needs += [{"task": task, "params": params}, {"task": task, "params": params, "budget": dollars}]
    for task in ("vision", "diffusion", "speech", "embedding"):
        needs += [{"task": task}, {"task": task, "budget": yuan}]
    return needs


def clusters() -> list[dict[str, Any]]:
    """Models that take several machines, and runs with a deadline."""
    quarter = 90 * 86400.0
    return [
        {"task": "full_finetune", "model": "DeepSeek-V3"},
        {"task": "inference", "model": "DeepSeek-V3", "concurrent_sequences": 256},
        {"task": "inference", "model": "Kimi-K2-Instruct", "concurrent_sequences": 64},
        {"task": "full_finetune", "model": "Llama-3.1-405B"},
        {"task": "pretrain", "model": "Llama-3.1-70B", "dataset_tokens": 15 * 10**12, "deadline_s": quarter},
        {"task": "pretrain", "model": "Llama-3.1-8B", "dataset_tokens": 10**12, "deadline_s": quarter},
    ]


def timed(needs: list[dict[str, Any]]) -> list[float]:
    """Processor seconds of each need, once the facts are loaded and with nothing remembered of estimates."""
    seconds = []
    for fields in needs:
        request = ConfigureRequest.model_validate(fields)
        for cache in (cuts_of, speeds.served, speeds.trained, speeds.loaded):
            cache.cache_clear()
        start = time.process_time()
        configure(request)
        seconds.append(time.process_time() - start)
    return seconds


def main(needs: int) -> None:
    """Print both tables."""
    configure(ConfigureRequest(task="inference", model="Llama-3.1-8B"))  # loads the facts
    print(f"{'needs':<10} {'n':>3} {'median':>8} {'90 %':>8} {'most':>8} {'goal':>8}")
    for name, asked in (("ordinary", ordinary()), ("cluster", clusters())):
        timed(asked)  # bills are remembered, as they are between the questions of a day
        found = sorted(timed(asked))
        middle, most = statistics.median(found), found[-1]
        print(f"{name:<10} {len(found):>3} {middle * 1e3:>6.0f}ms {found[int(len(found) * 0.9)] * 1e3:>6.0f}ms"
              f" {most * 1e3:>6.0f}ms {GOALS_S[name] * 1e3:>6.0f}ms")  # fmt: skip
    answered = differing = 0
    for seed in range(needs):
        request = random_need(random.Random(1000 + seed))
        answered += bool(rows_of(request))
        said = disagreement(request)
        if said:
            differing += 1
            print(f"seed {1000 + seed}: {said}")
    print(f"brute force: {needs - differing} of {needs} random needs agree ({answered} have an answer)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
