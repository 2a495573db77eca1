"""The configurator: time of needs and problems, and agreement with brute force; run it as a script.

`python tests/bench/bench_configure.py [NEEDS]` asks NEEDS (200) random needs of brute force after the table of times.
"""

import functools
import gc
import random
import statistics
import sys
import time
from typing import Any

from configure_oracle import disagreement, random_need, rows_of
from configure_problems import PROBLEMS

import tools.configure.pace.speeds as speeds
from tools.configure import configure
from tools.configure.load.cut import cuts_of
from tools.configure.request import ConfigureRequest
from tools.need import Budget, GpuCount

GOALS_S = {"ordinary": 0.060, "cluster": 0.250, "problems": 0.120, "problems, no frontier": 0.120}
MOST_S = 0.350
"""Goal of the 90th percentile of the problems."""
OF_THE_DAY = ("bills", "market", "asked", "power.ups")
"""Rooms of `tools` whose memories are of prices and cards, not of a work: kept, as between the questions of a day."""
FACTS = {"_known"}
"""Memories of measurements as they are shipped."""
LOOP = 400_000
"""Steps of a plain loop, by which times on machines that others keep busy are told in common units."""


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


def forget() -> None:
    """Clear every memory of `tools` that holds something of a work: estimates, cuts, corrections, layouts."""
    for one in gc.get_objects():
        if isinstance(one, functools._lru_cache_wrapper):
            room, name = one.__wrapped__.__module__ or "", one.__wrapped__.__name__
            if room.startswith("tools") and name not in FACTS and not any(part in room for part in OF_THE_DAY):
                one.cache_clear()


def loop_s() -> float:
    """Processor seconds of the plain loop."""
    start, total = time.process_time(), 0
    for step in range(LOOP):
        total += step * step
    return time.process_time() - start


def solved(problems: list[dict[str, Any]]) -> list[tuple[float, float]]:
    """Processor seconds of each problem with nothing remembered of any work, and those of the loop around it."""
    found = []
    for fields in problems:
        request = ConfigureRequest.model_validate(fields)
        forget()
        gc.collect()
        before, start = loop_s(), time.process_time()
        configure(request)
        seconds = time.process_time() - start
        found.append((seconds, (before + loop_s()) / 2))
    return found


def told(name: str, found: list[tuple[float, float]]) -> None:
    """One line of the table: times, and the same in loops."""
    for times, unit, digits in (([one for one, _ in found], "ms", 0), ([one / loop for one, loop in found], "", 1)):
        scale = 1e3 if unit else 1
        times.sort()
        middle, high, most = statistics.median(times), times[int(len(times) * 0.9)], times[-1]
        goal = f"{GOALS_S[name] * 1e3:.0f}/{MOST_S * 1e3:.0f}ms" if unit else "in loops"
        cells = "".join(f" {one * scale:>6.{digits}f}{unit or '  '}" for one in (middle, high, most))
        print(f"{name:<22} {len(times):>3}{cells} {goal:>11}")


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
    for name, frontier in (("problems", True), ("problems, no frontier", False)):
        told(name, solved([{**one, "with_frontier": frontier} for one in PROBLEMS]))
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
